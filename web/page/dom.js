// dom.js -- small tools that every part of the page uses: elements, messages, copies, files.
//
// Names come from people: they only ever become text nodes, never markup.

export const byId = id => document.getElementById(id);

// make("a", { class: "x", href: "#", onclick: f }, "text", child, ...): an element.
export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

export function makeSvg(tag, options = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(options)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const percent = share =>
  share >= 0.99 && share < 1 ? "over 99\u00a0%" : `${Math.floor(100 * share + 1e-9)}\u00a0%`;
export const signed = value => (value.toFixed(2) * 1).toFixed(2).replace("-", "\u2212");
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A picture cannot be an address of another kind, nor can a link run a script.
export function safeLink(text) {
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url : null;
  } catch {
    return null;
  }
}

// Spoken by a screen reader, not seen.
export function say(text) {
  byId("live").textContent = text;
}

// Seen for some seconds and spoken; `undo` is a button beside it: { name, run }.
let toastTimer = 0;
export function tell(text, undo) {
  const toast = byId("toast");
  toast.replaceChildren(text);
  if (undo) {
    toast.append(" ", make("button", { type: "button", onclick: () => {
      toast.hidden = true;
      undo.run();
    } }, undo.name));
  }
  toast.hidden = false;
  say(text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, undo ? 10000 : 4000);
}

// The clipboard proper is for https and this machine; elsewhere a selection is copied.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (!isCopied) return tell("The browser did not allow copying.");
  }
  tell("Copied.");
}

export function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
