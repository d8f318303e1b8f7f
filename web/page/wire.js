// wire.js -- the talk with the server: JSON both ways, and a box of answers not yet
// acknowledged, kept in the browser so that neither a lost connection nor a closed tab loses
// one.  The server knows an answer by its question, so sending twice stores once.

const KEY = `peck-ask:${location.pathname}`;
const RETRY_MS = [300, 600, 1200, 2500, 5000];

// What the server refused for good: trying again would not help.
export class Refusal extends Error {}

// Addresses are relative to the page, whose path carries the token.
async function request(path, options) {
  const reply = await fetch(path, { credentials: "omit", redirect: "error", ...options });
  if (reply.ok) return reply;
  let text = `The server answered ${reply.status}.`;
  try {
    text = (await reply.json()).error ?? text;
  } catch { /* no JSON: the number must do */ }
  const mayPass = reply.status >= 500 || reply.status === 408 || reply.status === 429;
  throw mayPass ? new Error(text) : new Refusal(text);
}

export const get = async path => (await request(path)).json();
export const getText = async path => (await request(path)).text();
export const post = async (path, body = {}) => (await request(path, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
  keepalive: path === "api/answer", // survives the closing of the tab; browsers bound its size
})).json();

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
    if (this.failures) throw new Error("Not connected: this has to wait.");
    while (this.waiting.length) {
      await new Promise(resolve => { this.resolveStep = resolve; this.send(); });
      if (this.failures) throw new Error("Not connected: this has to wait.");
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
      else this.missed();
    }
    this.isSending = false;
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
