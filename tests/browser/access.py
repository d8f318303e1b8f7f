"""access.py -- whether a page can be read and used by everybody, as far as a program can
tell: contrast, names, focus, width; and axe's rules where pip's axe-playwright-python or
axe-core-python has brought axe.min.js."""
import importlib.util
import os

# Text against the first ground below it that is not transparent; 4.5 : 1 whatever its size.
LOW_CONTRAST = """(() => {
  const parse = text => {
    const v = text.match(/[\\d.]+/g).map(Number);
    return { rgb: v.slice(0, 3), alpha: v.length > 3 ? v[3] : 1 };
  };
  const over = (top, ground) => top.rgb.map((c, i) => c * top.alpha + ground[i] * (1 - top.alpha));
  const light = rgb => rgb.map(c => c / 255).map(c =>
    c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    if (!element) return [255, 255, 255];
    const own = parse(getComputedStyle(element).backgroundColor);
    return own.alpha === 1 ? own.rgb : over(own, ground(element.parentElement));
  };
  const isSeen = e => e.checkVisibility() && e.getClientRects().length && !e.closest('.unseen, .skip, .waiting');
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const modal = document.querySelector('dialog[open]');
  while (walk.nextNode()) {
    const node = walk.currentNode, element = node.parentElement;
    if (!node.data.trim() || !isSeen(element) || (modal && !modal.contains(element))) continue;
    const back = ground(element), front = over(parse(getComputedStyle(element).color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.push(ratio.toFixed(2) + ' ' + node.data.trim().slice(0, 40));
  }
  return bad;
})()"""

TOO_WIDE = """[...document.querySelectorAll('body *')].filter(e => e.checkVisibility()
  && !e.closest('.unseen, .skip') && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.outerHTML.slice(0, 80))"""

# Small targets are missed by fingers; links inside a sentence are exempt.
TOO_SMALL = """[...document.querySelectorAll('button, select, .button, nav a, input:not([type=radio])')]
  .filter(e => e.checkVisibility() && !e.closest('.unseen, .skip')
    && Math.min(e.getBoundingClientRect().width, e.getBoundingClientRect().height) < 24)
  .map(e => e.outerHTML.slice(0, 80))"""

# What the keyboard should reach, in this order; the chosen one stands for its radio group.
REACHABLE = """(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0
      && (e.type !== 'radio' || e.checked));
  all.forEach((e, i) => { e.dataset.reach = i; });
  return all.length;
})()"""

FOCUSED = """(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const seen = x => {
    const s = getComputedStyle(x);
    return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2;
  };
  return { at: e.dataset.reach === undefined ? -1 : Number(e.dataset.reach),
    seen: seen(e) || (e.closest('label') !== null && seen(e.closest('label'))),
    what: e.outerHTML.slice(0, 80) };
})()"""

NAMED = {"button", "link", "textbox", "radio", "combobox", "checkbox", "progressbar", "dialog",
         "image", "region", "navigation", "switch", "slider"}


def nameless(browser):
    """Controls and regions to which Chromium's accessibility tree gives no name."""
    tree = browser.ask("Accessibility.getFullAXTree")["nodes"]
    return [node["role"]["value"] for node in tree
            if not node.get("ignored") and node.get("role", {}).get("value") in NAMED
            and not node.get("name", {}).get("value", "").strip()]


def bad_focus(browser):
    """Goes through the page by Tab: everything is reached, in order, and shows it."""
    n = browser.value(REACHABLE)
    browser.value(f"""document.activeElement.blur(); getSelection().removeAllRanges(); window.focus();
      window.stops = []; window.noteStop = () => stops.push({FOCUSED});
      addEventListener('keyup', noteStop, true)""")
    bad, seen = [], []
    for _ in range(n + 2):  # the browser itself is a stop on the way round
        browser.press("Tab")
    for at in browser.value("removeEventListener('keyup', noteStop, true); stops"):
        if at is None:
            continue
        if not at["seen"]:
            bad.append("no visible focus: " + at["what"])
        if at["at"] >= 0 and at["at"] not in seen:
            seen.append(at["at"])
    # The walk may begin anywhere and goes round.
    start = seen.index(min(seen)) if seen else 0
    turned = seen[start:] + seen[:start]
    if turned != list(range(n)):
        bad.append(f"Tab goes {turned}, not through all {n}")
    return bad


def find_axe():
    """The text of axe.min.js, or None; the packages themselves need not be loadable."""
    for package in ("axe_playwright_python", "axe_core_python"):
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            path = os.path.join(folder, "axe.min.js")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as text:
                    return text.read()
    return None


def axe_says(browser, axe):
    if not browser.value("typeof axe !== 'undefined'"):
        browser.value(axe + "; true")
    return browser.value("""axe.run(document, { resultTypes: ['violations'] }).then(r =>
      r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 100)).slice(0, 2).join(' | ')))""")
