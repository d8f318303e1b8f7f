"""site.py [--shots DIR] [PAGE ...] -- the site of `make site`: every link leads somewhere, every page has
a title and every document is in the menu; then in a real browser, from a disk, at 1280 and at
390 pixels: pages say nothing on the console, ask for nothing but files, are not wider than the
screen, and the search finds.  Without Chromium that part is skipped.  --shots keeps pictures."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import chromium

ROOT = Path(__file__).resolve().parent.parent.parent
WIDTHS = (1280, 390)
# What is asked, and the page that must be among the first three.
ASKED = {"ndcg convention": "NUMBERS.html", "lightgbm": "COMING.html", "peck_train": "man/peck_train.3.html",
         "zstd": "FORMATS.html", "photographs": "tutorials/photos.html"}
TOO_WIDE = """(() => {
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over <= 0) return '';
  const wide = [...document.querySelectorAll('body *')].filter(e => !e.parentElement.closest('.wide, pre, #found') &&
    e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80));
  return over + ' pixels: ' + wide[0];
})()"""


class Looker(HTMLParser):
    """Ids, addresses, title and headings of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.heads, self.title, self.inside = [], [], 0, "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.links += [attrs[k] for k in ("href", "src") if attrs.get(k)]
        self.heads += tag == "h1"
        self.inside = tag

    def handle_data(self, data):
        if self.inside == "title":
            self.title += data

    def handle_endtag(self, tag):
        self.inside = None


class Tests:
    def __init__(self, folder, shots):
        self.folder, self.shots, self.n, self.n_failed = Path(folder), shots, 0, 0

    def expect(self, what, wrong):
        self.n += 1
        if wrong:
            self.n_failed += 1
            print(f"{what}: {wrong}")

    def links(self):
        pages = {p: Looker(p.read_text(encoding="utf-8")) for p in self.folder.rglob("*.html")}
        self.expect("pages", "" if len(pages) > 60 else f"{len(pages)} alone")
        titles = {}
        for path, page in pages.items():
            name = path.relative_to(self.folder)
            self.expect(f"{name}: title", "" if len(page.title) > 3 else "none")
            self.expect(f"{name}: the title of {titles.get(page.title)} too", page.title in titles)
            titles[page.title] = name
            self.expect(f"{name}: main headings", "" if page.heads == 1 else page.heads)
            self.expect(f"{name}: ids that are there twice", sorted({i for i in page.ids if page.ids.count(i) > 1}))
            bad = []
            for link in page.links:
                if re.match(r"(https?|data|mailto):", link):
                    continue
                there, _, anchor = link.partition("#")
                to = (path.parent / unquote(there)).resolve() if there else path
                if not to.is_file() or anchor and to.suffix == ".html" and unquote(anchor) not in pages[to].ids:
                    bad.append(link)
            self.expect(f"{name}: links that lead nowhere", sorted(set(bad)))
        for path in (*ROOT.glob("docs/*.md"), *ROOT.glob("docs/tutorials/*.md")):
            name = str(path.relative_to(ROOT))
            self.expect(name, "" if name in (ROOT / "docs/nav.txt").read_text().split() else "is not in docs/nav.txt")

    def look(self, browser, names):
        for width in WIDTHS:
            for dark in (False, True) if self.shots else (False,):
                browser.look(width, dark)
                for name in names:
                    browser.open(str(self.folder / name))
                    self.expect(f"{name} at {width}: wider than the screen", browser.value(TOO_WIDE))
                    self.expect(f"{name} at {width}: said", browser.messages)
                    self.expect(f"{name} at {width}: asked for", [r for r in browser.requests if not
                                                                  r.startswith(("file:", "data:"))])
                    if self.shots:
                        shade = "dark" if dark else "light"
                        browser.shoot(os.path.join(self.shots, f"{name.replace('/', '-')[:-5]}-{width}-{shade}.png"))

    def type(self, browser, page, asked):
        browser.open(str(self.folder / page))
        # What was heard may have been the end of the page before.
        address = (self.folder / page).resolve().as_uri()
        browser.wait(f"document.URL === {address!r} && document.readyState === 'complete'", f"{page} opens")
        browser.press("/")
        browser.wait("document.activeElement?.id === 'ask'", "the key / goes to the search")
        browser.ask("Input.insertText", text=asked)

    def search(self, browser):
        for width in WIDTHS:
            browser.look(width)
            for asked, wanted in ASKED.items():
                what = f"search for {asked} at {width}"
                self.type(browser, "tutorials/photos.html", asked)
                browser.wait("document.querySelector('#found a')", what)
                found = browser.value("[...document.querySelectorAll('#found a')].map(a => a.href)")
                here = f"file://{self.folder.resolve()}/"
                first = [f[len(here):].partition("#")[0] for f in found[:3]]
                self.expect(what, "" if wanted in first else f"{wanted} is not in {first}")
                self.expect(f"{what}: wider than the screen", browser.value(TOO_WIDE))
                if self.shots and asked == "lightgbm":
                    browser.shoot(os.path.join(self.shots, f"search-{width}.png"))
                browser.press("ArrowDown")
                browser.loaded = False
                browser.press("Enter")
                browser.wait(f"document.URL === {found[0]!r} && document.readyState === 'complete'",
                             f"{what}: Enter opens the first")
                self.expect(f"{what}: said", browser.messages)
            self.type(browser, "index.html", "zzyzx")
            browser.wait("document.querySelector('#found p')", "nothing is found, and it is told")
            browser.press("Escape")
            self.expect("Escape closes", "" if browser.value("document.getElementById('found').hidden") else "no")

    def controls(self, browser):
        browser.look(390)
        browser.open(str(self.folder / "START.html"))
        shown = "getComputedStyle(document.querySelector('nav.menu')).display"
        self.expect("the menu of a phone is closed", "" if browser.value(shown) == "none" else "open")
        browser.click("#menu")
        self.expect("the menu of a phone opens", "" if browser.value(shown) == "block" else "closed")
        colour = "getComputedStyle(document.body).backgroundColor"
        before = browser.value(colour)
        browser.click("#shade")
        self.expect("light and dark", "" if browser.value(colour) != before else "the same")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shots")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "tools/site.py", f"{folder}/site"], check=True, stdout=subprocess.PIPE)
        tests = Tests(f"{folder}/site", options.shots)
        tests.links()
        program = chromium.find()
        if program:
            browser = chromium.Browser(program)
            try:
                tests.look(browser, options.pages or sorted(str(p.relative_to(tests.folder)) for p in tests.folder.rglob("*.html")))
                tests.search(browser)
                tests.controls(browser)
            finally:
                browser.close()
        else:
            skipped = 1
            print("skipped: the site in a browser; Debian's chromium is not installed")
    print(f"site: {tests.n + skipped} cases, {tests.n_failed} failed, {skipped} skipped")
    return 1 if tests.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
