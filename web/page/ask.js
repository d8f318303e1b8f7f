// ask.js -- asks one question after the other, and leads to the other parts of the page.
//
// A choice shows the next pair at once: the server sends two questions ahead, and the answer
// goes through the outbox (wire.js).  A pair that somebody is looking at is never exchanged
// under their eyes, unless one of its items was taken out.
import { buildCards, focusCard, glow, openZoom, prefetch, showPair, zoomKey } from "./cards.js";
import { byId, make, say, tell } from "./dom.js";
import { showHistory } from "./history.js";
import { showItems } from "./items.js";
import { showResults } from "./results.js";
import { GOALS, showGoals, showProgress, showRanking } from "./standing.js";
import { showVoters } from "./voters.js";
import { get, Lost, newQuestion, Outbox, post, Refusal, Told } from "./wire.js";

const POLL_MS = 5000;
const SETTLE_MS = 500;
const VIEWS = { ask: showAsk, results: showResults, history: showHistory, items: showItems,
  voters: showVoters };
const REDRAWN = new Set(["results", "voters"]);  // follow the answers of others while open

// What the other parts see: items by id, the last STATE, and ways to change things.
const ctx = {
  items: new Map(), state: null, title: "", role: "", me: 0, command: "",
  take: takeFresh, takeItems, attempt, askAgain, showCircle,
};
const outbox = new Outbox({ state: takeFresh, lost: showLost, back: showBack, refused: showRefused });
const answered = new Set();   // questions that were answered here
const outHere = new Set();    // items taken out here, until the server's questions know it
const asides = [];            // pairs that the page asks before the server's: undone, once more
let shown = null;             // the PAIR on the cards; with `edit` the id of an answer to change
let goneCircle = "";          // the circle that was waved away
let hasGoneOn = false;        // past "good enough"

// Questions ---------------------------------------------------------------------------------

const isAlive = pair => [pair.left, pair.right].every(id => ctx.items.has(id)
  && !outHere.has(id));

// By the owner, from everybody; an answer can be given anew all the same.
const isTakenOut = pair => pair.edit === undefined
  && [pair.left, pair.right].some(id => ctx.items.get(id)?.out);

function upcoming() {
  return [...asides, ctx.state?.pair, ctx.state?.next].filter(pair => pair && isAlive(pair)
    && !answered.has(pair.question) && !outbox.has(pair.question));
}

// Puts the next pair on the cards, and fetches the pictures of those after it.
function advance() {
  const [pair] = upcoming();
  shown = pair ?? null;
  const at = asides.indexOf(shown);
  if (at >= 0) asides.splice(at, 1);
  drawPair();
  for (const next of upcoming().filter(next => next !== shown))
    [next.left, next.right].forEach(id => prefetch(ctx.items.get(id)));
}

function drawPair() {
  const isWaiting = !shown && (outbox.waiting.length > 0 || !ctx.state || Boolean(ctx.state.pair));
  const isOver = !shown && !isWaiting;
  const n = [...ctx.items.values()].filter(item => !item.out).length;
  byId("pair").hidden = isOver;
  byId("no-pair").hidden = !isOver;
  byId("no-pair").textContent = n < 2 ? "There are not two items in play. Add some under Items."
    : "Nothing is left to ask. See the results.";
  byId("ask-heading").textContent = shown?.edit !== undefined || shown?.again
    ? "Once more: which do you prefer?" : "Which do you prefer?";
  byId("again-cancel").hidden = shown?.edit === undefined;
  byId("pair").dataset.question = shown ? shown.question ?? `edit-${shown.edit}` : "";
  showPair(ctx.items.get(shown?.left), ctx.items.get(shown?.right));
}

const nameOf = id => ctx.items.get(id)?.name ?? "?";
const sayPair = () => shown ? ` Next: ${nameOf(shown.left)}, or ${nameOf(shown.right)}?` : "";

function outcomeText({ left, right, outcome, strong }) {
  const better = strong ? "much better" : "better";
  return { left: `${nameOf(left)} is ${better}.`, right: `${nameOf(right)} is ${better}.`,
    tie: "About the same.", skip: "Skipped.", "out-left": `${nameOf(left)} is out.`,
    "out-right": `${nameOf(right)} is out.` }[outcome];
}

function answer(outcome, isStrong = false) {
  if (!shown) return;
  const strong = (isStrong || isMuch()) && (outcome === "left" || outcome === "right");
  const { question, left, right, edit } = shown;
  setMuch(false);
  if (edit !== undefined) return attempt(() => changeAnswer(edit, outcome, strong));
  answered.add(question);
  if (outcome === "out-left") outHere.add(left);
  if (outcome === "out-right") outHere.add(right);
  const given = { question, left, right, outcome, strong };
  shown = null;
  outbox.add(given);
  if (!shown) advance();
  if (outcome === "left" || outcome === "right") glow(outcome);
  say(outcomeText(given) + sayPair());
}

async function changeAnswer(id, outcome, strong) {
  if (outcome.startsWith("out-")) throw new Told("Take it out under Items instead.");
  const { left, right } = shown;
  const state = await post("api/edit", { id, outcome, strong });
  shown = null;
  takeFresh(state);
  tell("Changed. " + outcomeText({ left, right, outcome, strong }));
}

// The pair of an answer, on the cards again; what is chosen replaces it.
function askAgain({ id, left, right }) {
  if (shown?.question?.startsWith("page-")) asides.unshift(shown);
  shown = { edit: id, left, right };
  location.hash = "#ask";
  drawPair();
  focusCard();
}

async function undo() {
  await outbox.empty();
  const state = await post("api/undo");
  const undone = state.undone;
  if (!undone) return tell("Nothing to undo.");
  const isSame = pair => pair && pair.left === undone.left && pair.right === undone.right;
  shown = null;
  if (!isSame(state.pair))
    asides.unshift({ question: newQuestion(), left: undone.left, right: undone.right });
  takeFresh(state);
  tell(`Undone: ${outcomeText(undone)}`);
}

// State -------------------------------------------------------------------------------------

function take(state) {
  ctx.state = state;
  if (!outbox.waiting.length) outHere.clear();
  if (!shown || !isAlive(shown) || isTakenOut(shown)) advance();
  else upcoming().forEach(pair => [pair.left, pair.right].forEach(id => prefetch(ctx.items.get(id))));
  showProgress(state);
  showGoals(state, ctx.role === "owner", top => attempt(async () => {
    hasGoneOn = false;
    takeFresh(await post("api/goal", { top }));
  }));
  showRanking(state.ranking, ctx.items);
  showEnough(state);
  drawCircle(state.circle);
  if (state.finished) byId("standing-heading").textContent = "Everybody’s ranking so far";
  byId("finish").hidden = ctx.role !== "voter" || state.finished;
}

// The server fits beside its other work: what it says a moment after an answer knows more.
let settleTimer = 0;
function takeFresh(state) {
  take(state);
  clearTimeout(settleTimer);
  settleTimer = setTimeout(poll, SETTLE_MS);
}

function takeItems(list) {
  ctx.items.clear();
  for (const item of list.items) ctx.items.set(item.id, item);
  ctx.title = list.title || "Ask";
  ctx.role = list.role;
  ctx.me = list.voter?.id;
  ctx.command = list.command;
  byId("title").textContent = ctx.title;
  document.title = ctx.title;
  byId("standing-heading").textContent = ctx.role === "owner" ? "Ranking so far" : "Your ranking so far";
  for (const link of document.querySelectorAll(".for-owner")) link.hidden = ctx.role !== "owner";
}

function showEnough(state) {
  const box = byId("enough"), goal = GOALS.find(goal => goal.top === state.goal) ?? GOALS[2];
  const isShown = state.enough && state.asked > 0 && !hasGoneOn;
  if (isShown && box.hidden) {
    box.replaceChildren(make("strong", {}, `Good enough: ${goal.what}.`),
      ctx.role === "voter" && !state.finished
        ? make("button", { type: "button", onclick: () => byId("done").showModal() }, "I am done")
        : make("a", { class: "button", href: "#results" }, "See the results"),
      make("button", { type: "button", onclick: () => {
        hasGoneOn = true;
        box.hidden = true;
        focusCard();
      } }, "Go on asking"));
    say(`Good enough: ${goal.what}. You may stop, or go on.`);
  }
  box.hidden = !isShown;
}

// "A > B > C > A": three answers that no order can follow, each of which can be given anew.
function drawCircle(circle) {
  const box = byId("circle"), key = circle ? circle.join() : "";
  if (!circle || key === goneCircle || !circle.every(id => ctx.items.has(id))) {
    box.hidden = true;
    box.dataset.key = "";
    return;
  }
  if (box.dataset.key === key && !box.hidden) return;
  const [a, b, c] = circle;
  const again = (x, y) => make("button", { type: "button",
    onclick: () => attempt(() => askPair(x, y)) }, `${nameOf(x)} or ${nameOf(y)}?`);
  box.replaceChildren(
    make("p", {}, make("strong", {}, `${nameOf(a)} > ${nameOf(b)} > ${nameOf(c)} > ${nameOf(a)}`),
      " goes round in a circle, as tastes do. Answer one again?"),
    make("div", { class: "controls" }, again(a, b), again(b, c), again(c, a),
      make("button", { type: "button", class: "plain", onclick: () => {
        goneCircle = key;
        box.hidden = true;
      } }, "It is fine so")));
  box.dataset.key = key;
  box.hidden = false;
}

function showCircle(circle) {
  goneCircle = "";
  location.hash = "#ask";
  drawCircle(circle);
  byId("circle").querySelector("button").focus();
}

// The newest answer about two items, given anew; where it is not one's own, a new question.
async function askPair(x, y) {
  const { answers } = await get("api/history");
  const old = answers.find(({ voter, left, right }) => (voter ?? ctx.me) === ctx.me
    && ((left === x && right === y) || (left === y && right === x)));
  byId("circle").hidden = true;
  if (old) return askAgain(old);
  asides.unshift({ question: newQuestion(), left: x, right: y, again: true });
  advance();
  focusCard();
}

// Connection --------------------------------------------------------------------------------

function showLost(n) {
  const banner = byId("lost");
  banner.textContent = "Connection lost; trying again. " + (n
    ? `${n === 1 ? "One answer is" : `${n} answers are`} kept here and will be sent when it is back.`
    : "Nothing is lost.");
  banner.hidden = false;
}

function showBack() {
  byId("lost").hidden = true;
  tell("Connected again; all answers are saved.");
}

function showRefused(message) {
  tell(message);
  shown = null;
  attempt(async () => take(await get("api/state")));
}

// Runs something that may fail, and says so.
async function attempt(run) {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Told)) throw error;
    if (error instanceof Lost) outbox.missed();
    tell(error.message);
  }
}

// Others answer too: the owner's ranking follows, and a lost connection is noticed.
async function poll() {
  if (document.hidden || outbox.isSending || outbox.failures || outbox.waiting.length) return;
  try {
    const state = await get("api/state");
    if (outbox.isSending || JSON.stringify(state) === JSON.stringify(ctx.state)) return;
    take(state);
    const view = viewName();
    if (REDRAWN.has(view) && !byId(view).contains(document.activeElement)) await VIEWS[view](ctx);
  } catch (error) {
    if (!(error instanceof Told)) throw error;
    if (error instanceof Lost) outbox.missed();
  }
}

// Views, keys -------------------------------------------------------------------------------

const viewName = () => {
  const name = location.hash.slice(1);
  return Object.hasOwn(VIEWS, name) ? name : "ask";
};

function showAsk() {
  if (!shown) advance();
}

async function route(event) {
  const name = viewName();
  for (const view of document.querySelectorAll(".view")) view.hidden = view.id !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (event && shown?.edit === undefined) {
    byId(`${name}-heading`).focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  await attempt(() => VIEWS[name](ctx));
}

const isMuch = () => byId("much").getAttribute("aria-pressed") === "true";
const setMuch = is => byId("much").setAttribute("aria-pressed", String(is));

function cancelAgain() {
  shown = null;
  advance();
  focusCard();
}

const KEYS = {
  arrowleft: event => answer("left", event.shiftKey),
  arrowright: event => answer("right", event.shiftKey),
  arrowdown: () => answer("tie"),
  t: () => answer("tie"),
  s: () => answer("skip"),
  u: () => attempt(undo),
  m: () => setMuch(!isMuch()),
  z: () => byId("zoom").open ? byId("zoom").close()
    : shown && openZoom(ctx.items.get(shown.left), ctx.items.get(shown.right)),
  p: () => byId("pause").showModal(),
  "?": () => byId("help").showModal(),
  escape: () => shown?.edit !== undefined && cancelAgain(),
};

function onKey(event) {
  if (event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, textarea, select")) return;
  const dialog = document.querySelector("dialog[open]"), key = event.key.toLowerCase();
  const isUndo = (event.ctrlKey || event.metaKey) && key === "z" && !event.shiftKey;
  if ((event.ctrlKey || event.metaKey) && !isUndo) return;
  const act = isUndo ? KEYS.u : KEYS[key];
  if (dialog && dialog.id !== "zoom") {
    if (key === "p" && dialog.id === "pause") dialog.close();
    return;
  }
  if (dialog && zoomKey(key)) return event.preventDefault();
  if (!act || (dialog && (key === "escape" || key === "p" || key === "?"))) return;
  if (viewName() !== "ask" && key !== "?") return;
  if (key === "arrowdown" && event.target.closest(".ranking")) return;  // it scrolls there
  event.preventDefault();
  if (!event.repeat) act(event);
}

function wire() {
  buildCards({ choose: answer, takeOut: side => answer(`out-${side}`) });
  byId("tie").onclick = () => answer("tie");
  byId("skip").onclick = () => answer("skip");
  byId("undo").onclick = () => attempt(undo);
  byId("much").onclick = KEYS.m;
  byId("zoom-open").onclick = KEYS.z;
  byId("pause-open").onclick = KEYS.p;
  byId("help-open").onclick = KEYS["?"];
  byId("again-cancel").onclick = cancelAgain;
  byId("finish").onclick = () => byId("done").showModal();
  byId("done").addEventListener("close", () => {
    const isSure = byId("done").returnValue === "yes";
    byId("done").returnValue = "";
    if (isSure) attempt(async () => {
      await outbox.empty();
      take(await post("api/finish"));
      location.hash = "#results";
    });
  });
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", route);
}

async function start() {
  wire();
  for (;;) {
    try {
      takeItems(await get("api/items"));
      take(await get("api/state"));
      break;
    } catch (error) {
      if (error instanceof Refusal) {
        byId("lost").textContent = error.message;
        byId("lost").hidden = false;
        return;
      }
      if (!(error instanceof Told)) throw error;
      showLost(outbox.waiting.length);
      await new Promise(resolve => setTimeout(resolve, 1000));
    }
  }
  byId("lost").hidden = true;
  outbox.send();
  await route();
  setInterval(poll, POLL_MS);
}

start();
