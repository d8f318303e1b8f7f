// wire.js -- the talk with the server: JSON both ways, and a box of answers not yet
// acknowledged, kept in the browser so that neither a lost connection nor a closed tab loses
// one.  The server knows an answer by its question, so sending twice stores once.

const KEY = `peck-ask:${location.pathname}`;
const RETRY_MS = [300, 600, 1200, 2500, 5000];

// Errors whose sentence is for people: what the server refused for good, so that trying again
// would not help, and what did not get through.
export class Told extends Error {}
export class Refusal extends Told {}
export class Lost extends Told {
  constructor() {
    super("Not connected: this has to wait.");
  }
}

const mayPass = status => status >= 500 || status === 408 || status === 429;

// What the server says, by way of its `kind`: json or text.  Addresses are relative to the
// page, whose path carries the token.
async function request(path, kind, options) {
  let reply, body;
  try {
    reply = await fetch(path, { credentials: "omit", redirect: "error", ...options });
    body = await reply[reply.ok ? kind : "text"]();
  } catch {
    throw new Lost();
  }
  if (reply.ok) return body;
  let text = `The server answered ${reply.status}.`;
  try {
    text = JSON.parse(body).error ?? text;
  } catch { /* the number must do */ }
  throw mayPass(reply.status) ? new Told(text) : new Refusal(text);
}

export const get = path => request(path, "json");
export const getText = path => request(path, "text");
export const post = (path, body = {}) => request(path, "json", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
  keepalive: path === "api/answer", // survives the closing of the tab; browsers bound its size
});

// An id that nobody else makes; crypto.randomUUID is missing on plain http in a LAN.
export function newQuestion() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return "page-" + [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join("");
}

// Answers in the order in which they were given, one under way at a time.
// on.state(STATE) after each that was acknowledged, on.lost(n) while n wait in vain,
// on.back() when the connection is there again, on.refused(sentence, answer).
export class Outbox {
  constructor(on) {
    this.on = on;
    this.waiting = [];
    this.isSending = false;
    this.failures = 0;
    try {
      this.waiting = JSON.parse(localStorage.getItem(KEY)) ?? [];
    } catch { /* no storage, or nothing sensible in it */ }
    this.keep();
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => this.hurry());
  }

  keep() {
    document.documentElement.dataset.unsent = this.waiting.length;
    try {
      if (this.waiting.length) localStorage.setItem(KEY, JSON.stringify(this.waiting));
      else localStorage.removeItem(KEY);
    } catch { /* private windows may refuse: the answers are still in memory */ }
  }

  has(question) {
    return this.waiting.some(answer => answer.question === question);
  }

  add(answer) {
    this.waiting.push(answer);
    this.keep();
    if (this.failures) this.on.lost(this.waiting.length);
    this.send();
  }

  // Resolves when all is acknowledged; rejects where the connection is lost.
  async empty() {
    if (this.failures) throw new Lost();
    while (this.waiting.length) {
      await new Promise(resolve => { this.resolveStep = resolve; this.send(); });
      if (this.failures) throw new Lost();
    }
  }

  step() {
    this.resolveStep?.();
    this.resolveStep = null;
  }

  hurry() {
    clearTimeout(this.timer);
    if (this.failures) this.send();
  }

  // Something else failed to get through: told the same way, and tried again.
  missed() {
    this.failures++;
    this.on.lost(this.waiting.length);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(),
      RETRY_MS[Math.min(this.failures, RETRY_MS.length) - 1]);
    this.step();
  }

  reached() {
    if (!this.failures) return;
    this.failures = 0;
    this.on.back();
  }

  async send() {
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.waiting.length || this.failures) {
        const answer = this.waiting[0];
        const state = answer ? await post("api/answer", answer) : await get("api/state");
        if (answer) this.waiting.shift();
        this.keep();
        this.reached();
        this.on.state(state);
        this.step();
      }
    } catch (error) {
      if (error instanceof Refusal) this.refuse(error);
      else if (error instanceof Told) this.missed();
      else throw error;
    } finally {
      this.isSending = false;
    }
    if (this.waiting.length && !this.failures) this.send();
  }

  refuse(error) {
    const answer = this.waiting.shift();
    this.keep();
    this.reached();
    this.on.refused(error.message, answer);
    this.step();
  }
}
