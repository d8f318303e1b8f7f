// history.js -- the list of one's answers: answer again, or take back.
import { byId, make, tell } from "./dom.js";
import { get, newQuestion, post } from "./wire.js";

const WORDS = {
  left: strong => strong ? "much better than" : "better than",
  tie: () => "about the same as",
  skip: () => "or (skipped)",
};

// "A better than B", the winner first.
export function sentence(answer, items) {
  const name = id => items.get(id)?.name ?? "an item that is gone";
  const { left, right, outcome, strong } = answer;
  if (outcome === "right") return [name(right), WORDS.left(strong), name(left)];
  if (outcome === "out-left") return [name(left), "taken out, beside", name(right)];
  if (outcome === "out-right") return [name(right), "taken out, beside", name(left)];
  return [name(left), WORDS[outcome](strong), name(right)];
}

function whenText(when) {
  const date = new Date(typeof when === "number" ? 1000 * when : when);
  return isNaN(date) ? "" : date.toLocaleString(undefined,
    { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

// With what can be done about it: one's own can be given anew.  `who` is another voter's name.
export function answerLine(answer, ctx, { who, extra } = {}) {
  const [first, verb, second] = sentence(answer, ctx.items);
  const plain = `${first} ${verb} ${second}`;
  return make("li", {},
    make("span", { class: "answer" }, who ? make("span", { class: "dim" }, `${who}: `) : null,
      make("b", {}, first), ` ${verb} `, make("b", {}, second),
      answer.surprise > 0.8 ? make("em", { class: "mark" }, "surprising") : null,
      make("span", { class: "dim when" }, whenText(answer.when))),
    make("span", { class: "acts" },
      who ? null : make("button", { type: "button", "aria-label": `Answer again: ${plain}`,
        onclick: () => ctx.askAgain(answer) }, "Answer again"),
      extra));
}

async function remove(answer, ctx) {
  const { left, right, outcome, strong } = answer;
  ctx.take(await post("api/delete", { id: answer.id }));
  await showHistory(ctx);
  byId("history-heading").focus();
  tell("Answer deleted.", (answer.voter ?? ctx.me) !== ctx.me ? undefined : { name: "Put it back", run: () => ctx.attempt(async () => {
    ctx.take(await post("api/answer",
      { question: newQuestion(), left, right, outcome, strong: Boolean(strong) }));
    await showHistory(ctx);
  }) });
}

export async function showHistory(ctx) {
  const { answers } = await get("api/history");
  const isOthers = ({ voter }) => voter !== undefined && voter !== ctx.me;
  const others = answers.some(isOthers) ? (await get("api/voters")).voters : [];
  const names = new Map(others.map(voter => [voter.id, voter.name || "a voter"]));
  const lines = answers.map(answer => answerLine(answer, ctx, {
    who: isOthers(answer) ? names.get(answer.voter) ?? "a voter" : null,
    extra: make("button", { type: "button", "aria-label": `Delete: ${sentence(answer, ctx.items).join(" ")}`,
      onclick: () => ctx.attempt(() => remove(answer, ctx)) }, "Delete"),
  }));
  byId("history-heading").textContent = others.length ? "Everybody’s answers" : "Your answers";
  byId("history-body").replaceChildren(
    make("p", { class: "dim" }, answers.length
      ? `${answers.length} so far, the newest first. Changing one changes the ranking at once.`
      : "None yet."),
    make("ol", { class: "answers" }, ...lines));
}
