// items.js -- adding items by pasting, taking them out and putting them back, and answers
// that one has already, as lines "a > b".
import { byId, make, tell } from "./dom.js";
import { get, post } from "./wire.js";

// A number of 53 bits from a text, so that the same line pasted twice is one question.
function textNumber(text) {
  let high = 0xdeadbeef, low = 0x41c6ce57;
  for (const letter of text) {
    high = Math.imul(high ^ letter.codePointAt(0), 2654435761);
    low = Math.imul(low ^ letter.codePointAt(0), 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}

// Lines "a > b", "a < b", "a = b" or "winner,loser" as answers; and those that name nobody.
export function readAnswers(text, items) {
  const byName = new Map([...items.values()].map(item => [item.name.trim().toLowerCase(), item.id]));
  const seen = new Map(), answers = [], unknown = [];
  for (const line of text.split("\n").map(line => line.trim()).filter(Boolean)) {
    const [, a, sign, b] = line.match(/^(.+?)\s*([<>=,\t])\s*(.+)$/) ?? [];
    const left = byName.get(a?.replace(/^"|"$/g, "").toLowerCase());
    const right = byName.get(b?.replace(/^"|"$/g, "").toLowerCase());
    if (left === undefined || right === undefined || left === right) {
      if (!/^winner\s*,\s*loser$/i.test(line)) unknown.push(line);
      continue;
    }
    const count = (seen.get(line) ?? 0) + 1;
    seen.set(line, count);
    answers.push({ question: `import-${textNumber(`${count} ${line}`)}`, left, right,
      outcome: sign === "=" ? "tie" : sign === "<" ? "right" : "left", strong: false });
  }
  return { answers, unknown };
}

async function addAnswers(area, ctx) {
  const { answers, unknown } = readAnswers(area.value, ctx.items);
  let state = null;
  for (const [i, answer] of answers.entries()) {
    state = await post("api/answer", answer);
    if (i % 50 === 49) tell(`${i + 1} of ${answers.length} answers …`);
  }
  if (state) ctx.take(state);
  area.value = unknown.join("\n");
  tell(`${answers.length} answers added` + (unknown.length
    ? `; ${unknown.length} lines name no item of the list and are left in the box.` : "."));
}

async function addItems(area, ctx) {
  const before = ctx.items.size;
  ctx.takeItems(await post("api/items", { paste: area.value }));
  ctx.take(await get("api/state"));
  area.value = "";
  await showItems(ctx);
  tell(`${ctx.items.size - before} items added. Their first questions come soon.`);
}

// A text file dropped on a box is read into it.
function takesFiles(area) {
  area.addEventListener("dragover", event => event.preventDefault());
  area.addEventListener("drop", async event => {
    const files = [...event.dataTransfer.files];
    if (!files.length) return;
    event.preventDefault();
    area.value = (await Promise.all(files.map(file => file.text()))).join("\n");
  });
  return area;
}

function box(id, label, rows, button, run, ctx) {
  const area = takesFiles(make("textarea", { id, rows, spellcheck: "false" }));
  return make("form", { onsubmit: event => {
    event.preventDefault();
    if (area.value.trim()) ctx.attempt(() => run(area, ctx));
  } }, make("label", { for: id }, label), area, make("button", { class: "main" }, button));
}

function line(item, ctx) {
  const name = item.out ? "Put back" : "Take out";
  return make("li", { class: item.out ? "out" : null },
    item.picture ? make("img", { src: `picture/${item.id}`, alt: "", loading: "lazy" }) : null,
    make("span", {}, item.name, item.out ? make("em", { class: "mark" }, "out of play") : null),
    make("button", { type: "button", "aria-label": `${name}: ${item.name}`,
      onclick: () => ctx.attempt(async () => {
        ctx.take(await post("api/out", { item: item.id, out: !item.out }));
        item.out = !item.out;
        await showItems(ctx);
        tell(`${item.name} is ${item.out ? "out of play" : "back"}.`);
      }) }, name));
}

export async function showItems(ctx) {
  const list = [...ctx.items.values()];
  const n = list.filter(item => !item.out).length;
  byId("items-body").replaceChildren(
    box("paste", "Add items: one a line, a Markdown list, or CSV with a header (name, text, link)",
      5, "Add", addItems, ctx),
    make("details", {}, make("summary", {}, "Add answers that you have already"),
      box("old-answers", "One a line: a > b, a = b, or winner,loser", 5, "Add answers", addAnswers, ctx)),
    make("h3", {}, `${n} in play` + (list.length > n ? `, ${list.length - n} out` : "")),
    make("ol", { class: "answers items" }, ...list.map(item => line(item, ctx))));
}
