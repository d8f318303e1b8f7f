// cards.js -- the two cards: pictures at the same size, text, a link; pointer, long press and
// swipe; both in full screen.  The buttons stay the same elements from pair to pair, so that
// the focus stays where it was.
import { byId, make, safeLink } from "./dom.js";

const LONG_PRESS_MS = 500;
const SWIPE_PX = 60;
const MAX_KEPT = 48;
const SIDES = ["left", "right"];

// Pictures that were fetched and decoded, by item; the oldest go first.
const kept = new Map();
function picture(item) {
  let image = kept.get(item.id);
  if (!image) {
    image = make("img", { alt: "", draggable: "false", decoding: "async" });
    image.src = `picture/${item.id}`;
    image.addEventListener("error", () => image.classList.add("broken"));
  }
  kept.delete(item.id);
  kept.set(item.id, image);
  for (const id of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(id);
  }
  return image;
}

export function prefetch(item) {
  if (item?.picture) picture(item).decode().catch(() => { /* shown as it comes */ });
}

const card = {};  // by side: the elements of a card
let choose, takeOut;  // (side, isStrong), (side)
let quietUntil = 0;  // a click before this is the tail of a press or a swipe

function build(side) {
  const arrow = side === "left" ? "←" : "→";
  const c = {};
  c.figure = make("span", { class: "figure" });
  c.name = make("span", { class: "name", id: `${side}-name` });
  c.text = make("span", { class: "text", id: `${side}-text` });
  c.button = make("button", { type: "button", class: "choose", "data-side": side,
    "aria-labelledby": `${side}-name`, "aria-describedby": `${side}-text` },
  c.figure, c.name, c.text, make("kbd", { "aria-hidden": "true" }, arrow));
  c.link = make("a", { target: "_blank", rel: "noopener noreferrer" });
  c.out = make("button", { type: "button", class: "plain",
    onclick: () => takeOut(side) }, "Don’t know it");
  c.card = make("div", { class: "card" }, c.button, make("div", { class: "foot" }, c.link, c.out));
  c.button.addEventListener("click", event => {
    if (performance.now() > quietUntil) choose(side, event.shiftKey);
  });
  return c;
}

// A long press is told at once by the card's frame, and counts when the finger leaves it.
function watchPress(area) {
  let press = null;
  const end = () => {
    clearTimeout(press?.timer);
    press?.button?.classList.remove("strong");
    press = null;
  };
  area.addEventListener("pointerdown", event => {
    end();
    quietUntil = 0;
    if (!event.isPrimary || event.button !== 0 || event.target.closest("a, .plain")) return;
    const button = event.target.closest(".choose");
    press = { x: event.clientX, y: event.clientY, button, since: event.timeStamp,
      isStill: true, isTouch: event.pointerType !== "mouse" };
    press.timer = setTimeout(() => button?.classList.add("strong"), LONG_PRESS_MS);
  });
  area.addEventListener("pointermove", event => {
    if (!press || Math.hypot(event.clientX - press.x, event.clientY - press.y) < 12) return;
    clearTimeout(press.timer);
    press.isStill = false;
    press.button?.classList.remove("strong");
  });
  area.addEventListener("pointerup", event => {
    if (!press) return;
    const { button, since, isStill, isTouch, x, y } = press;
    // By the events' own clocks: where the page is busy, its timer comes late.
    const isLong = isStill && event.timeStamp - since >= LONG_PRESS_MS;
    const dx = event.clientX - x, dy = event.clientY - y;
    end();
    if (isLong && button) {
      quietUntil = performance.now() + 400;
      choose(button.dataset.side, true);
    } else if (isTouch && Math.abs(dx) > SWIPE_PX && Math.abs(dx) > 2 * Math.abs(dy)) {
      quietUntil = performance.now() + 400;
      choose(dx < 0 ? "left" : "right", false);
    }
  });
  area.addEventListener("pointercancel", end);
  area.addEventListener("contextmenu", event => {
    if (press?.isTouch) event.preventDefault();
  });
}

export function buildCards(on) {
  ({ choose, takeOut } = on);
  for (const side of SIDES) {
    card[side] = build(side);
    byId("pair").append(card[side].card);
  }
  watchPress(byId("pair"));
  buildZoom();
}

function fill(side, item, hasPictures) {
  const c = card[side];
  c.name.textContent = item.name;
  c.text.textContent = item.text ?? "";
  c.text.hidden = !item.text;
  c.figure.hidden = !hasPictures;
  c.figure.replaceChildren(...(item.picture ? [picture(item)] : []));
  const url = item.link ? safeLink(item.link) : null;
  c.link.hidden = !url;
  c.link.textContent = url ? `Open ${url.host}` : "";
  c.link.setAttribute("aria-label", url ? `Open ${item.name} at ${url.host}` : "");
  if (url) c.link.href = url.href;
  else c.link.removeAttribute("href");
  c.out.setAttribute("aria-label", `Don’t know it: ${item.name}`);
}

// Shows two items, or that the next question is under way (null).
export function showPair(left, right) {
  const area = byId("pair");
  area.classList.toggle("waiting", !left);
  area.setAttribute("aria-busy", String(!left));
  if (!left) return;
  const hasPictures = Boolean(left.picture || right.picture);
  area.classList.toggle("with-pictures", hasPictures);
  fill("left", left, hasPictures);
  fill("right", right, hasPictures);
  if (byId("zoom").open) fillZoom(left, right);
}

// A short glow where the choice fell.
export function glow(side) {
  const element = card[side].card;
  element.classList.remove("chosen");
  void element.offsetWidth;  // the animation starts anew
  element.classList.add("chosen");
}

export const focusCard = () => card.left.button.focus({ preventScroll: true });

// Full screen: both move and grow together, so that the same spot is compared.
const view = { scale: 1, x: 0, y: 0 };

function setView(scale, x, y) {
  view.scale = Math.min(8, Math.max(1, scale));
  const most = 50 * (view.scale - 1);  // in percent of a picture: its edge stays in sight
  view.x = Math.min(most, Math.max(-most, x));
  view.y = Math.min(most, Math.max(-most, y));
  for (const part of byId("zoom").querySelectorAll(".zoom-part > *:first-child"))
    part.style.transform = `translate(${view.x}%, ${view.y}%) scale(${view.scale})`;
}

function fillZoom(left, right) {
  const part = item => make("div", { class: "zoom-part" },
    item.picture ? make("img", { src: `picture/${item.id}`, alt: "", draggable: "false" })
      : make("p", {}, item.text || item.name),
    make("p", { class: "caption" }, item.name));
  byId("zoom").querySelector(".zoom-pair").replaceChildren(part(left), part(right));
  for (const [side, item] of [["left", left], ["right", right]])
    byId("zoom").querySelector(`[data-side=${side}] span`).textContent = item.name;
  setView(1, 0, 0);
}

export function openZoom(left, right) {
  fillZoom(left, right);
  byId("zoom").showModal();
}

// +, - and 0 in full screen; whether the key was one of them.
export function zoomKey(key) {
  const factor = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, "0": 0 }[key];
  if (factor === undefined) return false;
  setView(view.scale * factor, view.x, view.y);
  return true;
}

function buildZoom() {
  const zoom = byId("zoom"), pair = zoom.querySelector(".zoom-pair");
  let drag = null, hasMoved = false;
  zoom.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button?.dataset.side) choose(button.dataset.side, event.shiftKey);
    else if (button?.dataset.zoom === "close") zoom.close();
    else if (button) zoomKey(button.dataset.zoom === "in" ? "+" : "-");
    else if (event.target.closest(".zoom-part") && !hasMoved)
      setView(view.scale > 1 ? 1 : 2.5, 0, 0);
  });
  pair.addEventListener("wheel", event => {
    event.preventDefault();
    setView(view.scale * (event.deltaY < 0 ? 1.2 : 1 / 1.2), view.x, view.y);
  }, { passive: false });
  pair.addEventListener("pointerdown", event => {
    const part = event.target.closest(".zoom-part");
    hasMoved = false;
    drag = part ? { x: event.clientX, y: event.clientY, of: { ...view },
      width: part.clientWidth, height: part.clientHeight } : null;
  });
  pair.addEventListener("pointermove", event => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    hasMoved ||= Math.hypot(dx, dy) > 6;
    setView(view.scale, drag.of.x + 100 * dx / drag.width, drag.of.y + 100 * dy / drag.height);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"])
    pair.addEventListener(name, () => { drag = null; });
}
