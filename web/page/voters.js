// voters.js -- the owner's list: a link for each person, how far they are, how far they agree.
import { byId, copyText, make, percent, tell } from "./dom.js";
import { get, post } from "./wire.js";

const whole = link => new URL(link, location.href).href;

function linkField(voter) {
  if (!voter.link) return null;
  return make("span", { class: "copy-link" },
    make("input", { readonly: true, value: whole(voter.link), "aria-label": `Link of ${voter.name}`,
      onfocus: event => event.target.select() }),
    make("button", { type: "button", "aria-label": `Copy the link of ${voter.name}`,
      onclick: () => copyText(whole(voter.link)) }, "Copy"));
}

// Of all comparisons, not of voters: who compared more counts more here.  Skips are none.
export const agreementLine = ({ mean }) => `${percent(mean)} of all comparisons, a tie counting half, agree`;

// How far the answers of one voter agree with the order of all, and what they count.
function factsOf(voter) {
  const facts = [];
  if (voter?.agreement !== null && voter?.agreement !== undefined)
    facts.push(`${percent(voter.agreement)} of the comparisons agree`);
  if (voter?.weight !== undefined && voter.weight !== 1)
    facts.push(`each counts ${Number(voter.weight).toFixed(2)}`);
  return facts;
}

// Where voters disagree: how many stand on each side.
export function splitLines(splits, items) {
  const name = id => items.get(id)?.name ?? "?";
  return splits.map(({ a, b, for_a, for_b }) => make("li", {},
    make("b", {}, name(a)), ` ${for_a} : ${for_b} `, make("b", {}, name(b))));
}

function agreementPart(results, items) {
  const { agreement } = results;
  if (!agreement) return [make("p", { class: "dim" }, "Agreement shows when two people have compared something.")];
  const splits = agreement.splits ?? [];
  const parts = [make("p", {}, `${agreementLine(agreement)} with the common order.`)];
  if (splits.length) parts.push(make("h4", {}, "Where they split"),
    make("ul", { class: "splits" }, ...splitLines(splits, items)));
  return parts;
}

async function add(input, ctx) {
  const { link } = await post("api/voters", { name: input.value.trim() });
  input.value = "";
  await showVoters(ctx);
  byId("voter-name").focus();
  tell("Voter added. Send them their link.", link
    ? { name: "Copy the link", run: () => copyText(whole(link)) } : undefined);
}

export async function showVoters(ctx) {
  const [{ voters }, results] = await Promise.all([get("api/voters"), get("api/results")]);
  const known = new Map((results.voters ?? []).map(voter => [voter.id, voter]));
  const count = ({ answers }) => `${answers} answer${answers === 1 ? "" : "s"}`;
  const row = voter => make("li", {},
    make("span", { class: "answer" }, make("b", {}, voter.name || "no name"), voter.owner ? " (you)" : "",
      make("span", { class: "dim when" }, [count(voter),
        ...(voter.owner ? [] : [voter.finished ? "done" : "not done yet"]), ...factsOf(known.get(voter.id))].join(" · "))),
    voter.owner ? null : linkField(voter));
  const input = make("input", { id: "voter-name", maxlength: "100", autocomplete: "off", required: true });
  byId("voters-body").replaceChildren(
    make("p", { class: "dim" }, "Each person gets a link of their own and sees nothing but their own "
      + "progress until they are done. Whoever has a link can answer as that person."),
    make("form", { class: "line", onsubmit: event => {
      event.preventDefault();
      ctx.attempt(() => add(input, ctx));
    } }, make("label", { for: "voter-name" }, "Name"), input, make("button", { class: "main" }, "Make a link")),
    make("ol", { class: "answers voters" }, ...voters.map(row)),
    make("h3", {}, "Agreement"),
    ...agreementPart(results, ctx.items));
}
