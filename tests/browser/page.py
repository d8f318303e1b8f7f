"""page.py PECK [--shots DIR] -- pages of `peck report` in a real browser, headless Chromium:
they open without a word on the console and ask for nothing else; every table sorts, both
ways; every plot has marks, all of them inside its frame; nothing is wider than a phone;
values are shown under the pointer and by the arrow keys, series and views come and go, plots
and tables are saved with what they show; contrast, names, focus and size of what is clicked
(access.py).  --shots keeps pictures, wide and narrow, light and dark.  Without Chromium it is
skipped."""
import argparse
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import access
import chromium

# What stands out of its frame by more than half a line's width and a dot's edge, and plots
# without marks.
BAD_PLOTS = """(() => {
  const bad = [], plots = [...document.querySelectorAll('svg.plot')].filter(e => e.checkVisibility());
  for (const plot of plots) {
    const title = plot.getAttribute('aria-label');
    const frame = plot.querySelector('.frame').getBoundingClientRect();
    const marks = plot.querySelector('.marks').children;
    if (marks.length === 0) bad.push(title + ': no marks');
    for (const mark of marks) {
      if (mark.matches('.off')) continue;
      const b = mark.getBoundingClientRect();
      if (b.left < frame.left - 1.5 || b.right > frame.right + 1.5 ||
          b.top < frame.top - 1.5 || b.bottom > frame.bottom + 1.5)
        bad.push(title + ': a mark outside: ' + mark.outerHTML.slice(0, 80));
    }
    for (const text of plot.querySelectorAll('text')) {
      const t = text.getBoundingClientRect(), own = plot.getBoundingClientRect();
      if (t.left < own.left - 1 || t.right > own.right + 1)
        bad.push(title + ': cut letters: ' + text.textContent);
    }
  }
  return { n: plots.length, bad };
})()"""

# Clicks every heading twice; what is not in order afterwards.
BAD_TABLES = """(() => {
  const bad = [], tables = document.querySelectorAll('table');
  let n = 0;
  for (const table of tables) for (const head of table.tHead.rows[0].cells) {
    const seen = new Set();
    for (let click = 0; click < 2; click++) {
      head.querySelector('button').click();
      n++;
      const way = head.getAttribute('aria-sort'), sign = way === 'ascending' ? 1 : -1;
      seen.add(way);
      const cells = [...table.tBodies[0].rows].map(r => r.cells[head.cellIndex].textContent);
      if (head.classList.contains('t')) {
        for (let i = 1; i < cells.length; i++)
          if (sign * cells[i - 1].localeCompare(cells[i], undefined, { numeric: true }) > 0)
            bad.push(head.textContent + ' ' + way + ': ' + cells[i - 1] + ', ' + cells[i]);
        continue;
      }
      const v = cells.map(c => parseFloat(c.replace('\\u2212', '-')));
      const known = v.filter(x => !isNaN(x));
      for (let i = 1; i < known.length; i++)
        if (sign * (known[i] - known[i - 1]) < 0)
          bad.push(head.textContent + ' ' + way + ': ' + known[i - 1] + ', ' + known[i]);
      if (v.slice(0, known.length).some(isNaN))
        bad.push(head.textContent + ': what is no number comes first');
    }
    if (seen.size !== 2) bad.push(head.textContent + ': a second click does not turn it');
  }
  return { n, bad };
})()"""

TOO_WIDE = """[...document.querySelectorAll('body *')].filter(e =>
  !e.closest('.wide table') && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.outerHTML.slice(0, 80))
  .concat(document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [])"""

# Tables that go on to the right without a cue, or have one in vain; and leaderboards whose
# first three columns, run, metric and verdict, are not seen at once, or that are cut below.
BAD_CUES = """[...document.querySelectorAll('.table')].filter(e => e.checkVisibility()).flatMap(e => {
  const wide = e.querySelector('.wide'), goesOn = wide.scrollWidth > wide.clientWidth + 1;
  const bad = [], heads = [...e.querySelectorAll('th')], name = heads.map(h => h.textContent).join();
  if (e.querySelector('.cue').checkVisibility() !== goesOn || e.matches('.more') !== goesOn)
    bad.push(name + (goesOn ? ': no cue' : ': a cue in vain'));
  if (heads.some(h => h.textContent === 'verdict')) {
    const end = heads[2].getBoundingClientRect().right;
    if (end > wide.getBoundingClientRect().right + 1) bad.push(name + ': the verdict is cut');
    if (wide.scrollHeight > wide.clientHeight + 1) bad.push(name + ': rows are cut');
  }
  return bad;
})"""

# Sizes of letters, as they are seen: one in plots.
SIZES = """[...new Set([...document.querySelectorAll('svg.plot')].filter(e => e.checkVisibility())
  .map(e => (12 * e.getBoundingClientRect().width / e.viewBox.baseVal.width).toFixed(1)))]"""

# Colours of runs on folds or bars, and a colour that two runs of a plot share.
BAD_COLOURS = """(() => {
  const bad = [], runs = /^[ldb][0-7]$/;
  for (const id of ['learning', 'sortnet', 'features', 'rules'])
    for (const e of document.querySelectorAll('#' + id + ' .marks [class]'))
      if ([...e.classList].some(c => runs.test(c))) bad.push(id + ': ' + e.outerHTML.slice(0, 60));
  for (const f of document.querySelectorAll('#cuts figure')) {
    const own = [...f.querySelectorAll('.legend path:first-child')].map(e => e.classList[0])
      .filter(c => runs.test(c));
    if (new Set(own).size !== own.length) bad.push('two runs of one colour: ' + own);
  }
  return bad;
})()"""

LOG = ('{{"member": {m}, "epoch": {e}, "loss": {loss}, "valid": {valid}, "best": {best}, '
       '"train": {train}, "train_pairs": {pairs}, "valid_pairs": {pairs}}}\n')


class Room:
    """Runs of every kind, made on the spot."""

    def __init__(self, peck, folder):
        self.peck, self.folder = peck, folder

    def run(self, *words):
        subprocess.run([self.peck, *words], cwd=self.folder, check=True,
                       stdout=subprocess.PIPE)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)

    def fill(self):
        self.run("generate", "web", "--set", "queries=40", "--seed", "1", "-o", "web.txt")
        self.run("cv", "-m", "ridge,mart", "--folds", "3", "--set", "trees=20", "--out-dir",
                 "cv", "--report", "cv.html", "web.txt")
        epochs = [(m, e) for m in (0, 1) for e in range(1, 9)]
        self.write("more/sortnet.log", "".join(
            LOG.format(m=m, e=e, loss=1 / e, valid=0.5 - 0.1 / e, train=0.6 - 0.1 / e,
                       best="true" if e < 6 else "false", pairs=100 * e + 7 * m)
            for m, e in epochs))
        self.write("more/decoders.tsv", "decoder\tquestions\terror\n" + "".join(
            f"{d}\t{10 ** k}\t{0.5 / (k + n)}\n" for n, d in enumerate(("tree", "fuzzy"))
            for k in range(2, 7)))
        self.write("more/ruled.rules.json", '{"tables": {"rules": ['
                   '{"rule": "sport", "queries": 20, "hold": 13, "penalty": 0.5}, '
                   '{"rule": "a rule with quite a long name", "queries": 9, "hold": 0, '
                   '"penalty": 1}]}}')
        self.write("more/odd.tsv", "query\tmap\n<i>&amp;\t0.5\nq\u00e9\t0.2\nlast\t-\n")
        self.write("more/<b onclick=x>&, \"_%.tsv",
                   "query\tmap\n<i>&amp;\t0.4\nq\u00e9\t0.1\nlast\t-\n")
        self.run("report", "all.html", "cv", "more", "--title", "All & sundry")
        for i in range(24):
            self.write(f"many/run{i + 1}.tsv", "query\tndcg@1\tndcg@2\tndcg@10\n" + "".join(
                f"{q}\t{0.3 + i / 60}\t{0.4 + i / 60}\t{0.2 + i / 50 + (q * i) % 7 / 50}\n"
                for q in range(30)))
        self.run("report", "many.html", "many", "--baseline", "run7")


class Tests:
    def __init__(self, browser, shots):
        self.browser, self.shots = browser, shots
        self.n = self.n_failed = 0

    def expect(self, what, bad):
        self.n += 1
        if bad:
            self.n_failed += 1
            print(f"{what}: {bad if isinstance(bad, str) else bad[:5]}")

    def page(self, path, least_plots):
        name = os.path.basename(path)
        browser = self.browser
        for width, dark in ((1280, False), (390, False), (1280, True), (390, True)):
            browser.look(width, dark)
            browser.open(path)
            if self.shots:
                shade = "dark" if dark else "light"
                browser.shoot(os.path.join(self.shots, f"{name[:-5]}-{width}-{shade}.png"))
            plots = browser.value(BAD_PLOTS)
            self.expect(f"{name} at {width}: plots", plots["bad"])
            self.expect(f"{name} at {width}: {plots['n']} plots, not {least_plots}",
                        "too few" if plots["n"] < least_plots else "")
            where = f"{name} at {width}{', dark' if dark else ''}"
            self.expect(f"{where}: wider than the screen", browser.value(TOO_WIDE))
            self.expect(f"{where}: cues", browser.value(BAD_CUES))
            self.expect(f"{where}: contrast", browser.value(access.LOW_CONTRAST))
            self.expect(f"{where}: too small", browser.value(access.TOO_SMALL))
            sizes = sorted(float(size) for size in browser.value(SIZES))
            self.expect(f"{where}: letters of {sizes} px",
                        "" if 11 <= sizes[0] and sizes[-1] - sizes[0] < 0.5 else "not one size")
        self.expect(f"{name}: without a name", access.nameless(browser))
        self.expect(f"{name}: colours", browser.value(BAD_COLOURS))
        tables = browser.value(BAD_TABLES)
        self.expect(f"{name}: tables", tables["bad"] or ("" if tables["n"] else "none"))
        browser.look(800, media="print")
        self.expect(f"{name}: plots on paper", browser.value(BAD_PLOTS)["bad"])
        self.expect(f"{name}: the console", browser.messages)
        self.expect(f"{name}: asks for more", browser.requests[1:])
        self.expect(f"{name}: its size", "over 1 MB" if os.path.getsize(path) > 1e6 else "")


    def values(self, path):
        """Of the leaderboard's first plot, by pointer and by key; they are those of the table."""
        browser, plot = self.browser, "#ranks svg.plot"
        browser.look(1280)
        browser.open(path)
        wanted = browser.value("""[...document.querySelectorAll('#ranks .view:not([hidden]) tr.best td, '
          + '#ranks > .table tr.best td')].map(e => e.textContent)""")
        shown = f"{wanted[0]}: {wanted[1]} ({wanted[6]})"
        x, y = browser.spot(plot)
        top = browser.value(f"document.querySelector('{plot} .s').getBoundingClientRect().y")
        browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=top + 2)
        self.expect("hover over a row", browser.value(f"""(() => {{
          const tip = document.querySelector('.tip'), b = tip.getBoundingClientRect();
          return tip.hidden || tip.textContent !== {shown!r} ? tip.textContent || 'nothing'
            : b.right > innerWidth || b.bottom > innerHeight ? 'off the screen' : '';
        }})()"""))
        browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
        self.expect("hover ends", browser.value("document.querySelector('.tip').hidden ? '' : 'no'"))
        browser.value("document.querySelector('#cuts svg.plot').focus()")
        for _ in range(2):
            browser.press("ArrowRight")
        wanted = browser.value("""(() => {
          const figure = document.querySelector('#cuts figure');
          const rows = [...figure.querySelectorAll('.s:not(.off)')].map(g => [
            figure.querySelector('.legend li[data-s="' + g.dataset.s + '"]').textContent,
            Number(g.dataset.y.split(' ')[1])]);
          return 'first n documents 2' + rows.sort((a, b) => b[1] - a[1]).map(r =>
            '\\n' + r[0] + ': ' + r[1].toFixed(4)).join('');
        })()""")
        got = browser.value("document.querySelector('.tip').textContent")
        self.expect("arrow keys on a plot", "" if got == wanted else f"{got!r}, not {wanted!r}")
        browser.press("Escape")
        self.expect("Escape", browser.value("document.querySelector('.tip').hidden ? '' : 'no'"))

    def toggles(self, path):
        """A key hides its series in all plots of the section, and shows it again."""
        browser = self.browser
        browser.look(1280)
        browser.open(path)
        state = """[...document.querySelectorAll('#cuts figure')].map(f => [
          f.querySelectorAll('.s:not(.off)').length, f.querySelectorAll('.key[aria-pressed=true]').length])"""
        before = browser.value(state)
        browser.click("#cuts .key")
        after = browser.value(state)
        self.expect("a key hides a line",
                    "" if after == [[n - 1, k - 1] for n, k in before] else f"{before}, {after}")
        browser.click("#cuts .key")
        self.expect("and shows it", "" if browser.value(state) == before else "no")

    def views(self, path):
        """Differences to the best run or to the baseline: one stands for the other."""
        browser = self.browser
        browser.look(1280)
        browser.open(path)
        views = """[...document.querySelectorAll('.view')].map(v => [v.dataset.title, v.checkVisibility()])"""
        titles = [title for title, _ in browser.value(views)]
        self.expect("two views", "" if len(titles) == 2 else str(titles))
        browser.click(".choice .tool:last-child")
        self.expect("a view is chosen", "" if browser.value(views) == [
            [titles[0], False], [titles[1], True]] else str(browser.value(views)))
        self.expect("its plots", browser.value(BAD_PLOTS)["bad"])

    def many(self, path):
        """24 runs: eight lines at first, all when asked for; all rows of the leaderboard."""
        browser = self.browser
        count = "document.querySelectorAll('#cuts figure .s:not(.off)').length"
        browser.look(1280)
        browser.open(path)
        self.expect("eight of 24", "" if browser.value(count) == 8 else str(browser.value(count)))
        browser.click("#cuts figure > .tools:not(.corner) .tool")
        self.expect("all 24", "" if browser.value(count) == 24 else str(browser.value(count)))
        self.expect("their marks", browser.value(BAD_PLOTS)["bad"])
        rows = browser.value("document.querySelectorAll('.view:not([hidden]) tbody tr').length")
        self.expect("rows of the leaderboard", "" if rows == 24 else str(rows))
        first = browser.value("document.querySelector('.view:not([hidden])').dataset.title")
        self.expect("the baseline comes first", "" if first == "the baseline: run7" else first)

    def saves(self, path, folder):
        """What the buttons save, into a folder, as a browser does."""
        browser = self.browser
        browser.look(1280, dark=True)
        browser.open(path)
        browser.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)

        def saved(selector, ending):
            browser.click(selector)
            for _ in range(500):
                found = [n for n in os.listdir(folder) if n.endswith(ending)]
                if found:
                    with open(os.path.join(folder, found[0]), encoding="utf-8", newline="") as f:
                        return found[0], f.read()
                time.sleep(0.02)
            return "nothing", ""

        board = "#data2-ranks .view:not([hidden])"
        cells = browser.value(f"""[...document.querySelectorAll('{board} tbody tr')].map(r =>
          [...r.cells].map(c => c.textContent.trim()))""")
        name, text = saved(board + " .table .tool:nth-child(1)", ".csv")
        rows = list(csv.reader(io.StringIO(text)))
        low, high = cells[0][6].split(" to ")
        self.expect(f"CSV: {name}", "" if name == "leaderboard.csv" and len(rows) == 3
                    and rows[0][7:9] == ["95 % interval low", "95 % interval high"]
                    and rows[1][:2] == cells[0][:2] and rows[1][7:9] == [low, high]
                    and rows[2][0] == '<b onclick=x>&, "_%' else text)
        name, text = saved(board + " .table .tool:nth-child(2)", ".tex")
        self.expect(f"LaTeX: {name}", "" if "\\toprule" in text and text.count("\\\\\n") == 3
                    and "$<$b onclick=x$>$\\&, \"\\_\\%" in text
                    and "\\textbf{" + cells[0][1] + "}" in text else text)
        name, text = saved("#cuts .corner .tool, #data1-cuts .corner .tool", ".svg")
        tree = xml.etree.ElementTree.fromstring(text) if text else None
        words = [e.text for e in tree.iter("{http://www.w3.org/2000/svg}text")] if text else []
        self.expect(f"SVG: {name}", "" if name == "ndcg-n.svg" or name.startswith("ndcg@n")
                    else "not its name")
        self.expect("SVG: title, axis and legend", [w for w in ("NDCG@n", "first n documents",
                                                               "ridge", "mart") if w not in words])
        self.expect("SVG: needs no style sheet", re.findall(r'var\(|class="|data-', text))
        self.expect("SVG: light, whatever the page is",
                    "" if 'fill="rgb(28, 33, 38)"' in text else "no dark letters")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peck")
    parser.add_argument("--shots", metavar="DIR")
    options = parser.parse_args()
    program = chromium.find()
    if program is None:
        print("skipped: pages in a browser; Debian's chromium is not installed")
        print("page: 1 cases, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        room = Room(os.path.abspath(options.peck), folder)
        room.fill()
        browser = chromium.Browser(program)
        tests = Tests(browser, options.shots)
        try:
            tests.page(os.path.join(folder, "cv.html"), 8)
            tests.page(os.path.join(folder, "all.html"), 12)
            tests.page(os.path.join(folder, "many.html"), 3)
            tests.values(os.path.join(folder, "cv.html"))
            tests.toggles(os.path.join(folder, "cv.html"))
            tests.views(os.path.join(folder, "many.html"))
            tests.many(os.path.join(folder, "many.html"))
            downloads = os.path.join(folder, "downloads")
            os.mkdir(downloads)
            tests.saves(os.path.join(folder, "all.html"), downloads)
            browser.look(1280)
            browser.open(os.path.join(folder, "cv.html"))
            tests.expect("focus", access.bad_focus(browser))
        finally:
            browser.close()
    print(f"page: {tests.n} cases, {tests.n_failed} failed")
    return 1 if tests.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
