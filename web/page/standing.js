// standing.js -- how far along, how sure, and the ranking with its bars of uncertainty.
import { byId, isStill, make, makeSvg, percent, signed } from "./dom.js";

const MOST_ROWS = 200;      // beside the cards; the results show all
const MOST_MOVING = 60;     // rows that glide to their new place
const MOST_LEFT = 1000;     // questions: beyond, the number says nothing to a person
const WIDTH = 1.96;         // a bar reaches this many deviations: 95 %

export const GOALS = [
  { top: 1, name: "Top 1", what: "a sure top 1", of: "first" },
  { top: 5, name: "Top 5", what: "a sure top 5", of: "top5" },
  { top: 0, name: "All", what: "a sure order of all", of: "all" },
];
const goalOf = top => GOALS.find(goal => goal.top === top) ?? GOALS[2];

// An estimate wobbles; a number that people wait for should not.  A small rise is held back
// until it is a clear one, and large numbers are rounded.
let held = { goal: null, asked: 0, left: Infinity };
function steadyLeft(state) {
  if (state.left === null) return 0;  // it cannot tell yet
  const isNew = state.goal !== held.goal || state.asked < held.asked;
  const isRise = !isNew && state.left > held.left && state.left < 1.2 * held.left + 2;
  held = { goal: state.goal, asked: state.asked, left: isRise ? held.left : state.left };
  const step = held.left > 60 ? 10 : held.left > 25 ? 5 : 1;
  return Math.max(1, Math.ceil(held.left / step) * step);
}

export function showProgress(state) {
  const goal = goalOf(state.goal), asked = `${state.asked} answered`;
  const left = state.enough ? 0 : steadyLeft(state);
  const share = state.enough ? 1 : Math.min(0.99, Math.max(0, state.share ?? 0));
  const text = state.enough ? `Enough for ${goal.what}`
    : left > MOST_LEFT ? `More than ${MOST_LEFT} questions away from ${goal.what}`
    : left ? `About ${left} more question${left === 1 ? "" : "s"} for ${goal.what}`
      : `More questions are needed for ${goal.what}`;
  byId("left").replaceChildren(make("strong", {}, text), make("span", { class: "dim" }, ` · ${asked}`));
  const bar = byId("bar");
  bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
  bar.setAttribute("aria-valuetext", byId("left").textContent);
  bar.firstElementChild.style.width = `${100 * share}%`;
}

const sureText = (goal, sure) => goal.top ? `${percent(sure)} sure` : `${percent(sure)} of pairs`;

// Sureness of each goal; the owner chooses one, a voter only reads.
export function showGoals(state, isOwner, choose) {
  const box = byId("goal");
  const part = goal => make(isOwner ? "label" : "div", { "data-top": goal.top },
    isOwner ? make("input", { type: "radio", name: "goal", onchange: () => choose(goal.top) }) : null,
    make("span", {}, goal.name), make("span", { class: "dim sure" }));
  if (!box.querySelector(".goals")) box.append(make("div", { class: "goals" }, ...GOALS.map(part)));
  for (const element of box.querySelectorAll("[data-top]")) {
    const goal = goalOf(Number(element.dataset.top)), sure = state.sureness?.[goal.of] ?? 0;
    const input = element.querySelector("input"), isSure = sure >= 0.95;
    if (input) input.checked = goal.top === state.goal;
    element.classList.toggle("wanted", goal.top === state.goal);
    element.classList.toggle("is-sure", isSure);
    element.querySelector(".sure").textContent = (isSure ? "✓ " : "") + sureText(goal, sure);
  }
}

// One scale for all bars: from the lowest end to the highest.
export function scaleOf(ranking) {
  let low = Infinity, high = -Infinity;
  for (const { score, sd } of ranking) {
    low = Math.min(low, score - WIDTH * sd);
    high = Math.max(high, score + WIDTH * sd);
  }
  const span = high > low ? high - low : 1;
  return value => 2 + 96 * (value - low) / span;  // percent, with room for the dot
}

export function errorBar({ score, sd, guess }, scale) {
  const at = value => `${scale(value).toFixed(2)}%`;
  return makeSvg("svg", { class: guess ? "error-bar guess" : "error-bar", "aria-hidden": "true" },
    makeSvg("line", { x1: at(score - WIDTH * sd), x2: at(score + WIDTH * sd), y1: "50%", y2: "50%" }),
    makeSvg("circle", { cx: at(score), cy: "50%", r: "4" }));
}

// "3=" where several share a rank, since the answers do not tell them apart.
export function rankNames(ranking) {
  const count = new Map();
  for (const { rank } of ranking) count.set(rank, (count.get(rank) ?? 0) + 1);
  return ranking.map(({ rank }) => count.get(rank) > 1 ? `${rank}=` : `${rank}`);
}

// Small, beside a name: photographs are known by their looks.
export function thumbnail(item) {
  return item.picture
    ? make("img", { src: `picture/${item.id}`, alt: "", loading: "lazy", decoding: "async" }) : null;
}

const rows = new Map();  // by item, so that a row keeps its element, and that its picture

function fillRow(row, entry, item, rankName, scale) {
  const spoken = `${rankName.endsWith("=") ? "shared " : ""}rank ${entry.rank}`;
  row.replaceChildren(
    make("span", { class: "rank" }, make("span", { "aria-hidden": "true" }, rankName),
      make("span", { class: "unseen" }, spoken + ":")),
    make("span", { class: "named" }, row.querySelector("img") ?? thumbnail(item),
      make("span", { class: "name", title: item.name }, item.name,
        entry.guess ? make("em", { class: "guess-mark" }, "guess") : null)),
    make("span", { class: "unseen" }, `, strength ${signed(entry.score)} plus or minus ${entry.sd.toFixed(2)}`),
    errorBar(entry, scale));
}

export function showRanking(ranking, items) {
  const list = byId("ranking");
  const shown = (ranking ?? []).filter(entry => items.has(entry.item));
  byId("standing-how").textContent = !shown.length ? "It comes with the first answers."
    : "Bars: where the strength lies, 95 % sure. “=”: no clear difference yet."
      + (shown.some(entry => entry.guess) ? " Guesses are of items never compared." : "");
  const scale = scaleOf(shown), names = rankNames(shown), first = shown.slice(0, MOST_ROWS);
  const moves = !isStill() && list.offsetParent && first.length <= MOST_MOVING;
  const before = new Map();
  if (moves) for (const row of list.children) before.set(row, row.offsetTop);
  const wanted = first.map((entry, i) => {
    if (!rows.has(entry.item)) rows.set(entry.item, make("li"));
    const row = rows.get(entry.item);
    fillRow(row, entry, items.get(entry.item), names[i], scale);
    return row;
  });
  if (shown.length > first.length)
    wanted.push(make("li", { class: "dim more" }, `and ${shown.length - first.length} more: see Results`));
  list.replaceChildren(...wanted);
  if (!moves) return;
  for (const row of wanted) {
    const dy = (before.get(row) ?? row.offsetTop) - row.offsetTop;
    if (dy) row.animate([{ transform: `translateY(${dy}px)` }, { transform: "none" }],
      { duration: 250, easing: "ease-out" });
  }
}
