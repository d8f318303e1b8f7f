// results.js -- the page to print and share: levels, ranking, what is odd, how it was found,
// and the command that finds it again.
import { byId, copyText, make, percent, saveBlob, signed } from "./dom.js";
import { answerLine } from "./history.js";
import { errorBar, GOALS, rankNames, scaleOf, thumbnail } from "./standing.js";
import { agreementLine, splitLines } from "./voters.js";
import { get, getText } from "./wire.js";

// Ways to cut into levels.  The first comes from the server: lines where the gaps are.
const CUTS = {
  gaps: { name: "levels at the gaps", cut: results => results.levels ?? [] },
  ten: { name: "1 to 10", cut: ({ ranking }) => byTen(ranking) },
  quarters: { name: "quarters", cut: ({ ranking }) => byQuarter(ranking) },
};
let cutName = "gaps";

// Strengths stretched to 1 .. 10, the best 10.
function byTen(ranking) {
  const scores = ranking.map(entry => entry.score);
  const low = Math.min(...scores), span = Math.max(...scores) - low || 1;
  const levels = new Map();
  for (const { item, score } of ranking) {
    const mark = 1 + Math.round(9 * (score - low) / span);
    if (!levels.has(mark)) levels.set(mark, { name: String(mark), items: [] });
    levels.get(mark).items.push(item);
  }
  return [...levels.values()];
}

function byQuarter(ranking) {
  const names = ["1 of 4", "2 of 4", "3 of 4", "4 of 4"];
  const levels = names.map(name => ({ name, items: [] }));
  ranking.forEach(({ item }, i) => levels[Math.floor(4 * i / ranking.length)].items.push(item));
  return levels.filter(level => level.items.length);
}

function levelTable(levels, items) {
  return make("div", { class: "levels" }, ...levels.map((level, i) =>
    make("section", { class: `level level-${Math.min(i, 6)}`, "aria-label": `Level ${level.name}` },
      make("h4", {}, level.name),
      make("ul", {}, ...level.items.filter(id => items.has(id)).map(id => {
        const item = items.get(id);
        return make("li", {}, thumbnail(item), make("span", {}, item.name));
      })))));
}

function rankTable(ranking, items) {
  const known = ranking.filter(entry => items.has(entry.item));
  const scale = scaleOf(known), names = rankNames(known);
  const head = ["Rank", "Item", "Strength ± deviation, bar: 95 %"];
  return make("table", { class: "rank-table" },
    make("thead", {}, make("tr", {}, ...head.map((text, i) =>
      make("th", { scope: "col", class: i ? null : "number" }, text)))),
    make("tbody", {}, ...known.map((entry, i) => make("tr", {},
      make("td", { class: "number" }, names[i]),
      make("th", { scope: "row" }, thumbnail(items.get(entry.item)), items.get(entry.item).name,
        entry.guess ? make("em", { class: "guess-mark" }, "guess") : null),
      make("td", {}, make("div", { class: "strength" },
        make("span", { class: "number" }, `${signed(entry.score)} ± ${entry.sd.toFixed(2)}`),
        errorBar(entry, scale)))))));
}

// The levels as a picture to send: drawn here, so that nothing leaves the machine.
async function savePicture(levels, items, title) {
  const side = 96, label = 120, width = 1100, perRow = Math.floor((width - label) / side);
  const rowsOf = level => Math.max(1, Math.ceil(level.items.length / perRow));
  const top = 56, height = top + levels.reduce((sum, level) => sum + rowsOf(level) * side + 8, 8);
  const canvas = make("canvas", { width, height });
  const draw = canvas.getContext("2d");
  const look = getComputedStyle(document.documentElement);
  const colour = name => look.getPropertyValue(name).trim();
  const write = (text, x, y, most) => draw.fillText(text, x, y, most);
  draw.fillStyle = colour("--bg");
  draw.fillRect(0, 0, width, height);
  draw.fillStyle = colour("--fg");
  draw.font = "600 26px system-ui, sans-serif";
  write(title, 16, 38, width - 32);
  let y = top;
  for (const [i, level] of levels.entries()) {
    const tall = rowsOf(level) * side;
    draw.fillStyle = colour(`--level-${Math.min(i, 6)}`);
    draw.fillRect(8, y, label - 16, tall);
    draw.fillStyle = "#1c2126";
    draw.font = "600 24px system-ui, sans-serif";
    write(level.name, 18, y + tall / 2 + 8, label - 36);
    for (const [k, id] of level.items.filter(id => items.has(id)).entries()) {
      const x = label + (k % perRow) * side, at = y + Math.floor(k / perRow) * side;
      await drawItem(draw, items.get(id), x, at, side - 4, colour);
    }
    y += tall + 8;
  }
  const blob = await new Promise(resolve => canvas.toBlob(resolve, "image/png"));
  saveBlob(blob, "levels.png");
}

async function drawItem(draw, item, x, y, side, colour) {
  draw.fillStyle = colour("--soft");
  draw.fillRect(x, y, side, side);
  const image = thumbnail(item);
  const hasImage = image && await image.decode().then(() => true, () => false);
  const room = side - 20;
  if (hasImage) {
    const scale = Math.min(side / image.naturalWidth, room / image.naturalHeight);
    const w = image.naturalWidth * scale, h = image.naturalHeight * scale;
    draw.drawImage(image, x + (side - w) / 2, y + (room - h) / 2, w, h);
  }
  draw.fillStyle = colour("--fg");
  draw.font = "13px system-ui, sans-serif";
  draw.fillText(item.name, x + 4, y + (hasImage ? side - 6 : side / 2), side - 8);
}

function shareBar(results, ctx) {
  const button = (text, run) => make("button", { type: "button", onclick: () => ctx.attempt(run) }, text);
  const download = (kind, text) => make("a", { class: "button", href: `export/${kind}`, download: true }, text);
  return make("div", { class: "controls no-print", role: "group", "aria-label": "Print and share" },
    button("Print", async () => print()),
    ...(ctx.role === "owner" || ctx.state?.finished
      ? [button("Copy as Markdown", async () => copyText(await getText("export/md"))), download("csv", "CSV")] : []),
    ctx.role === "owner" ? download("json", "JSON") : null,
    button("Picture of the levels", () => savePicture(CUTS[cutName].cut(results), ctx.items, ctx.title)));
}

function oddPart(results, ctx) {
  const name = id => ctx.items.get(id)?.name ?? "?";
  const circles = results.circles ?? [], surprising = results.surprising ?? [];
  if (!circles.length && !surprising.length) return [];
  // The owner alone is told of others' answers, and whose they are.
  const people = new Map((results.voters ?? []).map(voter => [voter.id, voter.name || "a voter"]));
  const whose = ({ voter }) => voter === undefined || voter === ctx.me ? null : people.get(voter) ?? "a voter";
  const round = ([a, b, c]) => make("li", {},
    make("span", { class: "answer" }, `${name(a)} > ${name(b)} > ${name(c)} > ${name(a)}`),
    make("button", { type: "button", "aria-label": `Answer again: ${name(a)}, ${name(b)}, ${name(c)}`,
      onclick: () => ctx.showCircle([a, b, c]) }, "Answer again?"));
  return [make("h3", { class: "no-print" }, "Worth a second look"),
    make("ul", { class: "answers no-print" }, ...circles.slice(0, 5).map(round),
      ...surprising.slice(0, 3).map(answer => answerLine(answer, ctx, { who: whose(answer) })))];
}

function sureLine(sureness) {
  const sure = Object.fromEntries(GOALS.map(goal => [goal.of, percent(sureness?.[goal.of] ?? 0)]));
  return ` Sure of the first place: ${sure.first}, of the top 5: ${sure.top5}, of the order of two: ${sure.all}.`;
}

function howPart(results, ctx) {
  const command = results.command ?? ctx.command;
  return [make("h3", {}, "How it works"), make("p", {}, results.how ?? ""),
    command ? make("p", { class: "command" }, "Once more, from the file: ", make("code", {}, command), " ",
      make("button", { type: "button", class: "no-print", onclick: () => copyText(command),
        "aria-label": "Copy the command" }, "Copy")) : null];
}

function togetherPart(results, items) {
  const splits = results.agreement?.splits ?? [];
  if (!results.agreement) return [];
  const n = (results.voters ?? []).filter(voter => (voter.agreement ?? null) !== null).length;
  return [make("h3", {}, "Together"),
    make("p", {}, `${n} people answered; ${agreementLine(results.agreement)} with this order.`
      + (splits.length ? " They split here:" : "")),
    splits.length ? make("ul", { class: "splits" }, ...splitLines(splits.slice(0, 5), items)) : null];
}

export async function showResults(ctx) {
  const results = await get("api/results");
  const ranking = results.ranking ?? [];
  const body = byId("results-body");
  if (!ranking.length || !results.answers) {
    body.replaceChildren(make("p", {}, "Nothing to show before the first answer."));
    return;
  }
  const levels = make("div", {});
  const redraw = () => levels.replaceChildren(levelTable(CUTS[cutName].cut(results), ctx.items));
  const choice = make("select", { id: "cut", onchange: event => {
    cutName = event.target.value;
    redraw();
  } }, ...Object.entries(CUTS).map(([key, { name }]) =>
    make("option", { value: key, selected: key === cutName }, name)));
  redraw();
  const best = ctx.items.get(ranking[0].item);
  const lead = ranking.filter(entry => entry.rank === ranking[0].rank).length;
  const parts = [
    make("p", { class: "lead" }, make("strong", {}, best?.name ?? "?"),
      lead > 1 ? ` leads, but is not clearly ahead of ${lead - 1} other${lead > 2 ? "s" : ""} yet` : " is first",
      ` after ${results.answers} answers.`,
      make("span", { class: "dim" }, sureLine(results.sureness ?? ctx.state?.sureness))),
    shareBar(results, ctx),
    make("div", { class: "heading" }, make("h3", {}, "Levels"),
      make("label", { for: "cut", class: "no-print" }, "cut into "), choice),
    levels,
    make("h3", {}, "Ranking"),
    make("p", { class: "dim" }, "“=”: the answers do not tell these apart."),
    rankTable(ranking, ctx.items),
    ...togetherPart(results, ctx.items), ...oddPart(results, ctx), ...howPart(results, ctx)];
  body.replaceChildren(...parts.filter(part => part !== null));
}
