"""page.py PECK [--shots DIR] -- pages of `peck report` in a real browser, headless Chromium:
they open without a word on the console and ask for nothing else; every table sorts, both
ways; every plot has marks, all of them inside its frame; nothing is wider than a phone.
--shots keeps pictures, wide and narrow, light and dark.  Without Chromium it is skipped."""
import argparse
import os
import subprocess
import sys
import tempfile

import chromium

# What stands out of its frame by more than half a line's width and a dot's edge, and plots
# without marks.
BAD_PLOTS = """(() => {
  const bad = [], plots = document.querySelectorAll('svg.plot');
  for (const plot of plots) {
    const title = plot.getAttribute('aria-label');
    const frame = plot.querySelector('.frame').getBoundingClientRect();
    const marks = plot.querySelector('.marks').children;
    if (marks.length === 0) bad.push(title + ': no marks');
    for (const mark of marks) {
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
  .map(e => e.outerHTML.slice(0, 80))"""

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
        self.write("more/odd.tsv", "query\tmap\n<i>&amp;\t0.5\nq\u00e9\t0\nlast\t-\n")
        self.run("report", "all.html", "cv", "more", "--title", "All & sundry")


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
            self.expect(f"{name} at {width}: wider than the screen", browser.value(TOO_WIDE))
        tables = browser.value(BAD_TABLES)
        self.expect(f"{name}: tables", tables["bad"] or ("" if tables["n"] else "none"))
        browser.look(800, media="print")
        self.expect(f"{name}: plots on paper", browser.value(BAD_PLOTS)["bad"])
        self.expect(f"{name}: the console", browser.messages)
        self.expect(f"{name}: asks for more", browser.requests[1:])
        self.expect(f"{name}: its size", "over 1 MB" if os.path.getsize(path) > 1e6 else "")


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
        finally:
            browser.close()
    print(f"page: {tests.n} cases, {tests.n_failed} failed")
    return 1 if tests.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
