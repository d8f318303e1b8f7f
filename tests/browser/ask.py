"""ask.py PECK [--shots DIR] -- `peck ask --web` as a person uses it, in headless Chromium:
questions by keyboard, pointer and finger, undo, a reload, a server that is killed; history,
items, circles, results beside `peck decode`, two voters at once.  Every acknowledged answer
is there, none twice; nothing on the console, no request to anybody else; contrast, names and
focus (access.py).  --shots keeps pictures.  Without Chromium it is skipped."""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

import access
import chromium

N_PICTURES, N_QUESTIONS = 30, 60
LEFT, RIGHT = "ArrowLeft", "ArrowRight"

# From a key to the next pair, in milliseconds.
WATCH = """(() => {
  window.shownAfter = [];
  let pressedAt = 0;
  addEventListener('keydown', () => { pressedAt = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressedAt && document.getElementById('pair').dataset.question)
      shownAfter.push(performance.now() - pressedAt);
    pressedAt = 0;
  }).observe(document.getElementById('pair'), { attributeFilter: ['data-question'] });
})()"""


def write_png(path, width, height, colour):
    """A picture of one colour."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    rows = (b"\0" + bytes(colour) * width) * height
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n"
                  + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                  + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_pictures(folder):
    """Items 'tone 01' ... : the larger the number, the better."""
    os.mkdir(folder)
    for i in range(N_PICTURES):
        write_png(os.path.join(folder, f"tone {i + 1:02}.png"), 40 + 3 * i, 60 - i,
                  (8 * i, 255 - 8 * i, 40 * i % 256))


class Missing(RuntimeError):
    """This build cannot serve a page."""


class Server:
    """`peck ask ITEMS --web`, and what it prints."""

    def __init__(self, peck, items, *more):
        self.command = [peck, "ask", items, "--web", "--no-browser", *more]
        self.start()

    def start(self):
        calm = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, env=calm,
                                        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                        text=True)
        self.lines, self.links = [], []
        threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.lines.append(line)
            self.links += re.findall(r"http://\S+/", line)

    def wait(self, n_links=1):
        end = time.monotonic() + 20
        while len(self.links) < n_links:
            if time.monotonic() > end or self.process.poll() is not None:
                told = "".join(self.lines)
                raise (Missing if "libmicrohttpd" in told or "sqlite" in told
                       else RuntimeError)("no link from the server: " + told)
            time.sleep(0.02)
        return self.links

    def kill(self):
        """As the power goes: SIGKILL."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


class Person:
    """Somebody before a browser, who remembers what they have answered."""

    def __init__(self, browser, link):
        self.browser, self.link, self.given = browser, link, []
        self.questions = []  # their ids
        browser.open(link)
        self.wait_for_pair("")

    def wait_for_pair(self, before):
        self.browser.wait(f"""(() => {{
          const q = document.getElementById('pair').dataset.question;
          return q && q !== {json.dumps(before)};
        }})()""", "a question")

    def question(self):
        return self.browser.value("document.getElementById('pair').dataset.question ?? ''")

    def pair(self):
        return self.browser.value(
            "['left', 'right'].map(s => document.getElementById(s + '-name').textContent)")

    def settle(self):
        """Until every answer is acknowledged."""
        self.browser.wait("document.documentElement.dataset.unsent === '0'", "acknowledgement")

    def note(self, outcome, strong=False):
        """What is going to be answered; the question."""
        question, left, right = self.browser.value("""[document.getElementById('pair').dataset.question ?? '',
          ...['left', 'right'].map(s => document.getElementById(s + '-name').textContent)]""")
        self.given.append((left, right, outcome, strong))
        self.questions.append(question)
        return question

    def answer(self, outcome, strong=False, do=None):
        """By the keyboard, or as `do` does it; the next pair is waited for."""
        before = self.note(outcome, strong)
        if do:
            do()
        else:
            key = {"left": LEFT, "right": RIGHT, "tie": "ArrowDown", "skip": "s"}[outcome]
            self.browser.press(key, shift=strong)
        self.wait_for_pair(before)

    def better(self):
        """Which one this person likes: the larger number."""
        left, right = self.pair()
        return "left" if left > right else "right"

    def asks(self, path):
        return self.browser.value(f"fetch('{path}').then(r => r.json())")

    def stored(self):
        """The answers that the server has of this person, oldest first, by names."""
        known = self.asks("api/items")
        name = {item["id"]: item["name"] for item in known["items"]}
        return [(name[a["left"]], name[a["right"]], a["outcome"], a["strong"])
                for a in reversed(self.asks("api/history")["answers"])
                if a.get("voter", known["voter"]["id"]) == known["voter"]["id"]]

    def visit(self, view):
        self.browser.value(f"location.hash = '#{view}'; true")
        self.browser.wait(f"!document.getElementById('{view}').hidden", view)

    def wait_for_fit(self):
        """Until the order that this person sees rests on all that they compared."""
        n, end = sum(outcome != "skip" for _, _, outcome, _ in self.given), time.monotonic() + 20
        while self.asks("api/results")["answers"] != n:
            if time.monotonic() > end:
                raise RuntimeError(f"no order of {n} answers")
            time.sleep(0.02)

    def text(self, selector):
        return self.browser.value(f"document.querySelector({json.dumps(selector)}).innerText")

    def texts(self, selector):
        return self.browser.value(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.innerText)")


class Tests:
    def __init__(self, peck, folder, shots, browser):
        self.peck, self.folder, self.shots, self.browser = peck, folder, shots, browser
        self.axe = access.find_axe()
        self.n = self.n_failed = 0
        self.console, self.requests = [], []

    def expect(self, what, bad):
        """`bad` is what is wrong: empty when all is well."""
        self.n += 1
        if bad:
            self.n_failed += 1
            print(f"{what}: {bad if isinstance(bad, str) else bad[:5]}")

    def same(self, what, got, wanted):
        self.expect(what, "" if got == wanted else f"{got!r}, not {wanted!r}"[:900])

    def quiet(self, what, browser, link):
        """Nothing was said on the console, nobody else was asked for anything."""
        home = "/".join(link.split("/")[:3]) + "/"
        self.expect(what + ": the console", browser.messages)
        self.expect(what + ": asks others", [r for r in browser.requests
                                             if not r.startswith((home, "data:", "blob:"))])

    def same_answers(self, what, person):
        stored = collections.Counter(person.stored())
        given = collections.Counter(person.given)
        self.expect(what, [f"lost {x}" for x in given - stored]
                    + [f"too many {x}" for x in stored - given])

    def run_peck(self, *words):
        return subprocess.run([self.peck, *words], cwd=self.folder, check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    # A person and thirty pictures -------------------------------------------------------

    def sixty_questions(self, person):
        lefts = []
        for i in range(N_QUESTIONS):
            outcome = "tie" if i % 15 == 7 else "skip" if i % 20 == 9 else person.better()
            person.answer(outcome, strong=i % 10 == 3 and outcome in ("left", "right"))
            person.settle()  # a person looks before they answer
            if i % 10 == 0:
                lefts.append(person.asks("api/state")["left"])
            if i == 20:
                self.undo(person)
            if i == 30:
                self.reload(person)
                person.browser.value(WATCH)
        person.settle()
        self.same_answers("sixty questions", person)
        self.expect("questions left do not fall", "" if lefts[-1] < lefts[0] else str(lefts))
        waits = person.browser.value("shownAfter")
        self.expect("the next pair within 50 ms", "" if len(waits) > 20 and statistics.median(waits) < 50
                    else f"{waits} ms")
        self.same("asked", person.asks("api/state")["asked"], len(person.given))

    def undo(self, person):
        """Twice by u, once by Ctrl-Z: the pairs come back, one after the other."""
        for key, ctrl in (("u", False), ("u", False), ("z", True)):
            left, right, _, _ = person.given.pop()
            person.questions.pop()
            person.browser.press(key, ctrl=ctrl)
            person.browser.wait("document.getElementById('toast').textContent.startsWith('Undone')"
                                f" && document.getElementById('left-name').textContent === {json.dumps(left)}"
                                f" && document.getElementById('right-name').textContent === {json.dumps(right)}",
                                f"{left}, {right} after undo")
            person.browser.value("document.getElementById('toast').textContent = ''")
        self.same_answers("undo", person)

    def reload(self, person):
        """With an answer still under way."""
        self.give(person)
        person.browser.reload()
        person.wait_for_pair("")
        person.settle()
        self.same_answers("a reload in the middle", person)

    @staticmethod
    def kept(votes):
        """How often the file has each question, answers taken back left out: of a copy, since
        who opens it after a kill mends it."""
        with tempfile.TemporaryDirectory() as room:
            for path in glob.glob(glob.escape(votes) + "*"):
                shutil.copy(path, room)
            copy = sqlite3.connect(os.path.join(room, os.path.basename(votes)))
            rows = copy.execute("SELECT question FROM answers WHERE is_deleted = 0").fetchall()
            copy.close()
        return collections.Counter(question for question, in rows)

    def killed(self, person, server, votes):
        """The server goes while an answer is under way, and comes back later: the page keeps
        what was given meanwhile, over a reload too."""
        browser = person.browser
        for trial in ("at once", "a moment later", "with a reload"):
            self.give(person)
            if trial == "with a reload":
                person.settle()
            time.sleep(0.006 if trial == "a moment later" else 0)
            server.kill()
            if person.question():
                self.give(person)
            browser.wait("!document.getElementById('lost').hidden", "a word of the lost connection")
            self.expect("says that nothing is lost", "" if re.search(
                "kept here|Nothing is lost", person.text("#lost")) else person.text("#lost"))
            waiting = browser.value("JSON.parse(localStorage.getItem(`peck-ask:${location.pathname}`) ?? '[]')"
                                    ".map(answer => answer.question)")
            kept = self.kept(votes)
            self.expect(f"killed {trial}: acknowledged, so in the file once",
                        [q for q in person.questions if q not in waiting and kept[q] != 1])
            browser.press("u")
            browser.wait("document.getElementById('toast').textContent.includes('Not connected')",
                         "why undo has to wait")
            if trial == "with a reload":  # what was kept is sent by the page that comes, not by this one
                browser.ask("Network.setBlockedURLs", urls=["*/api/*"])
            server.start()
            server.wait()
            if trial == "with a reload":
                browser.ask("Network.setBlockedURLs", urls=[])
                browser.reload()
            browser.wait("document.documentElement.dataset.unsent === '0'"
                         " && document.getElementById('lost').hidden", "the connection back")
            person.wait_for_pair("")
            self.same(f"killed {trial} and started again: each answer once", self.kept(votes),
                      collections.Counter(person.questions))
            self.same_answers(f"killed {trial} and started again", person)
        # Chromium itself tells of connections refused while nobody listened.
        browser.messages = [m for m in browser.messages if "net::ERR_" not in m]

    @staticmethod
    def give(person):
        """An answer, without waiting for anything."""
        outcome = person.better()
        person.note(outcome)
        person.browser.press(LEFT if outcome == "left" else RIGHT)

    def pointer(self, person):
        browser = person.browser
        person.answer("left", do=lambda: browser.click("#left-name"))
        person.answer("right", True, do=lambda: browser.click("#right-name", shift=True))
        person.answer("left", True, do=lambda: browser.click("#left-name", hold=0.7))
        person.answer("tie", do=lambda: browser.click("#tie"))
        person.answer("skip", do=lambda: browser.click("#skip"))
        browser.click("#much")
        person.answer("right", True, do=lambda: browser.click("#right-name"))
        browser.ask("Emulation.setTouchEmulationEnabled", enabled=True)
        browser.look(390)
        person.answer("left", do=lambda: browser.swipe("#right-name", -120))
        person.answer("right", do=lambda: browser.swipe("#left-name", 120))
        browser.ask("Emulation.setTouchEmulationEnabled", enabled=False)
        browser.look(1280)
        person.settle()
        self.same_answers("click, Shift, long press, buttons, swipes", person)

    def zoom_and_pause(self, person):
        browser = person.browser
        browser.press("z")
        browser.wait("document.getElementById('zoom').open", "full screen")
        self.expect("both in full screen", "" if browser.value(
            "document.querySelectorAll('#zoom .zoom-part').length === 2") else "not two")
        self.accessible("full screen", browser)
        browser.press("+")
        self.expect("both grow at once", "" if browser.value(
            "new Set([...document.querySelectorAll('#zoom img')].map(i => i.style.transform)).size === 1"
            " && document.querySelector('#zoom img').style.transform.includes('1.5')") else "they do not")
        person.answer("right")
        self.same("full screen follows", person.texts("#zoom .caption"), person.pair())
        browser.press("z")
        before = person.question()
        browser.press("p")
        browser.press(LEFT)
        self.same("no answer while paused", person.question(), before)
        browser.press("p")
        self.expect("goes on", "still paused" if browser.value("document.getElementById('pause').open") else "")
        browser.press("?")
        self.expect("help", "" if browser.value("document.getElementById('help').open") else "not open")
        self.accessible("help", browser)
        browser.press("Escape")
        person.settle()
        self.same_answers("full screen, pause", person)

    def history(self, person):
        """Answers one again, deletes one, puts it back."""
        browser = person.browser
        person.visit("history")
        browser.wait("document.querySelectorAll('#history .answers li').length > 5", "history")
        browser.click("#history .answers li:nth-child(3) button")
        browser.wait("document.getElementById('pair').dataset.question.startsWith('edit-')", "the pair again")
        left, right = person.pair()
        at = max(i for i, a in enumerate(person.given) if a[:2] == (left, right))
        before = person.question()
        browser.press("t")
        person.wait_for_pair(before)
        person.given[at] = (left, right, "tie", False)
        self.same_answers("an answer given anew", person)
        person.visit("history")
        browser.wait("document.querySelector('#history .answers li')", "history")
        first = "#history .answers li:nth-child(1)"
        n = len(person.texts("#history .answers li"))
        last = person.stored()[-1]
        browser.click(first + " button:last-child")
        browser.wait(f"document.querySelectorAll('#history .answers li').length === {n - 1}", "one less")
        self.same("deleted", len(person.stored()), len(person.given) - 1)
        browser.click("#toast button")
        browser.wait(f"document.querySelectorAll('#history .answers li').length === {n}", "put back")
        self.same("put back", person.stored()[-1], last)
        self.same_answers("deleted and put back", person)

    def results(self, person, votes):
        """What the page, the exports and `peck decode` say of the same file."""
        person.wait_for_fit()
        person.visit("results")
        person.browser.wait("document.querySelectorAll('.rank-table tbody tr').length > 0", "results")
        person.browser.settle()
        page = person.texts(".rank-table tbody th")
        decoded = decode_names(self.run_peck("decode", votes))
        self.same("results and decode", page, decoded)
        table = person.browser.value("fetch('export/csv').then(r => r.text())")
        self.same("export as CSV and decode", csv_names(table), decoded)
        self.expect("export as Markdown", [name for name in decoded if name not in
                    person.browser.value("fetch('export/md').then(r => r.text())")])
        self.expect("export as JSON", "" if isinstance(person.asks("export/json"), (dict, list)) else "none")
        self.expect("the command that repeats it", "" if "peck decode" in person.text(".command code") else "missing")
        levels = person.texts("#results .level li")
        self.same("levels hold all, in order", [name.strip() for name in levels], page)
        for cut in ("ten", "quarters"):
            person.browser.value("(() => { const c = document.getElementById('cut'); "
                                 f"c.value = '{cut}'; c.dispatchEvent(new Event('change')); }})()")
            self.same(f"levels cut as {cut}", person.texts("#results .level li"), levels)
        self.share(person, decoded)
        person.browser.look(800, media="print")
        self.expect("on paper", person.browser.value("""
          [...document.querySelectorAll('nav, .controls, select, .toast')].filter(e => e.checkVisibility())
          .map(e => e.outerHTML.slice(0, 60))"""))
        person.browser.look(1280)

    def share(self, person, names):
        """Markdown to the clipboard, and the picture of the levels."""
        browser = person.browser
        browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        browser.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.folder)
        buttons = person.texts("#results .controls button")
        browser.click(f"#results .controls button:nth-of-type({buttons.index('Copy as Markdown') + 1})")
        browser.wait("document.getElementById('toast').textContent === 'Copied.'", "a copy")
        copied = browser.value("navigator.clipboard.readText()")
        self.expect("copied as Markdown", [name for name in names if name not in copied])
        browser.click(f"#results .controls button:nth-of-type({buttons.index('Picture of the levels') + 1})")
        path, end = os.path.join(self.folder, "levels.png"), time.monotonic() + 10
        while not os.path.exists(path) and time.monotonic() < end:
            browser.value("1")
            time.sleep(0.05)
        self.expect("a picture of the levels", "" if os.path.exists(path)
                    and os.path.getsize(path) > 2000 else "none")

    # Items, names, circles -----------------------------------------------------------------

    def odd_items(self):
        """Names with markup, links that must not be, pasting, a circle; all by one person."""
        items = os.path.join(self.folder, "odd.csv")
        with open(items, "w", encoding="utf-8") as out:
            out.write("name,text,link\n"
                      "<img src=x onerror=alert(1)>,<b>bold?</b>,\n"
                      "good,a text,https://example.org/x?<y>\n"
                      "\"quote\"\"s &amp; more\",,\n")
        server = Server(self.peck, items)
        browser = chromium.Browser(None, beside=self.browser)
        try:
            browser.look(1280)
            person = Person(browser, server.wait()[0])
            self.names_as_text(person)
            self.paste(person)
            self.circle(person)
            self.out_of_play(person)
            self.quiet("odd items", browser, person.link)
        finally:
            browser.close()
            server.stop()

    def names_as_text(self, person):
        browser = person.browser
        seen = set()
        for _ in range(12):
            seen.update(person.pair())
            bad = browser.value("""[...document.querySelectorAll('.card a')].filter(a => a.checkVisibility()
              && (!/^https?:$/.test(a.protocol) || !a.rel.includes('noopener'))).length""")
            self.expect("a link that is not safe", str(bad) if bad else "")
            person.answer(person.better())
        links = ["javascript:alert(1)", "data:text/html,x", "//example.org", "https://example.org/"]
        self.same("links of other kinds", browser.value("import('/static/dom.js').then(m => "
                  f"{json.dumps(links)}.map(link => m.safeLink(link) !== null))"), [False, False, False, True])
        self.expect("names with markup are text", "" if "<img src=x onerror=alert(1)>" in seen
                    else str(seen))
        self.expect("markup came alive", "it did" if browser.value(
            "document.querySelector('main img[src=x], main b b, .text b') !== null") else "")
        person.settle()

    def paste(self, person):
        browser = person.browser
        person.visit("items")
        browser.value("document.getElementById('paste').value = '- ant\\n- bee\\n- cow\\n'; "
                      "document.querySelector('#items form button').click()")
        browser.wait("document.querySelectorAll('#items .items li').length === 6", "three more items")
        self.same("pasted", {"ant", "bee", "cow"} <= {i["name"] for i in person.asks("api/items")["items"]}, True)

    def circle(self, person):
        """ant > bee > cow > ant, by answers that one has already; one of them is turned.  Two
        say ant > bee, so that the order contradicts the others."""
        browser = person.browser
        n = len(person.stored())
        for _ in range(2):  # the same lines twice count once
            browser.value("""(() => { document.querySelector('#items details').open = true;
              document.getElementById('old-answers').value = 'ant > bee\\nant > bee\\nbee > cow\\ncow,ant\\nnobody > ant\\n';
              document.querySelector('#items details form button').click(); })()""")
            browser.wait("document.getElementById('old-answers').value === 'nobody > ant'", "what was not known")
        self.same("answers taken over, once", person.stored()[n:],
                  [("ant", "bee", "left", False)] * 2
                  + [("bee", "cow", "left", False), ("cow", "ant", "left", False)])
        person.visit("ask")
        browser.wait("!document.getElementById('circle').hidden", "the circle")
        self.expect("a circle, kindly", "" if re.search(r"ant > bee > cow > ant|bee > cow > ant > bee|cow > ant > bee > cow",
                                                        person.text("#circle")) else person.text("#circle"))
        browser.click("#circle .controls button")
        browser.wait("document.getElementById('pair').dataset.question.startsWith('edit-')", "the pair again")
        old = set(person.stored())
        before = person.question()
        left, right = person.pair()
        browser.press(RIGHT)
        person.wait_for_pair(before)
        self.same("turned", set(person.stored()) - old, {(left, right, "right", False)})
        browser.wait("document.getElementById('circle').hidden", "no circle any more")

    def out_of_play(self, person):
        browser = person.browser
        before, (gone, _) = person.question(), person.pair()
        browser.click(".card:first-child .plain")
        person.wait_for_pair(before)
        person.settle()
        for _ in range(6):
            self.expect("asked after 'don't know it'", gone if gone in person.pair() else "")
            person.answer("skip")
        person.visit("items")
        browser.click("#items .items li:nth-child(2) button")
        browser.wait("document.querySelector('#items .items li:nth-child(2).out')", "out of play")
        browser.click("#items .items li:nth-child(2) button")
        browser.wait("!document.querySelector('#items .items li:nth-child(2).out')", "back")
        person.visit("ask")

    # Several people ---------------------------------------------------------------------------

    def voters(self):
        items = os.path.join(self.folder, "tastes.txt")
        with open(items, "w") as out:
            out.write("".join(f"taste {i}\n" for i in range(8)))
        server = Server(self.peck, items, "--voters", "Ada,Bob")
        owner_browser, *browsers = [chromium.Browser(None, beside=self.browser) for _ in range(3)]
        try:
            links = server.wait(3)
            owner_link = next(link for link in links if "/o/" in link)
            people = []
            for browser, link in zip(browsers, [link for link in links if "/v/" in link]):
                browser.look(390)
                people.append(Person(browser, link))
            self.two_at_once(people)
            owner_browser.look(1280)
            owner = Person(owner_browser, owner_link)
            self.owner_sees(owner, people)
            for person in people:
                self.quiet("a voter", person.browser, person.link)
            self.quiet("the owner", owner_browser, owner_link)
        finally:
            for browser in (owner_browser, *browsers):
                browser.close()
            server.stop()

    def two_at_once(self, people):
        """One likes large numbers, the other small ones."""
        ada, bob = people
        for i in range(25):
            ada.answer("skip" if i == 9 else ada.better())
            bob.answer("tie" if i == 12 else "left" if bob.better() == "right" else "right")
        for person in people:
            person.settle()
            person.wait_for_fit()
            self.same_answers("two voters at once", person)
            self.same("a voter's own progress", person.asks("api/state")["asked"], 25)
            self.expect("what is the owner's", [view for view in ("items", "voters") if person.browser.value(
                f"document.querySelector('nav a[href=\"#{view}\"]').checkVisibility()")])
        best = [person.asks("api/state")["ranking"][0]["item"] for person in people]
        self.expect("each sees their own order", "the same" if best[0] == best[1] else "")
        ada.visit("results")
        ada.browser.wait("document.querySelectorAll('.rank-table tbody tr').length > 0", "results")
        self.expect("blind until done", "sees others" if "people answered" in ada.text("#results") else "")
        self.look(ada, "voter", ("ask",))
        ada.browser.click("#finish")
        ada.browser.click("#done button[value=yes]")
        ada.browser.wait("location.hash === '#results' && document.getElementById('finish').hidden", "done")
        ada.browser.wait("document.getElementById('results').innerText.includes('2 people answered')", "everybody's result")
        own = {answer["id"] for answer in ada.asks("api/history")["answers"]}
        self.expect("others' odd answers", [a for a in ada.asks("api/results")["surprising"] if a["id"] not in own])
        ada.visit("ask")

    def owner_sees(self, owner, people):
        browser = owner.browser
        owner.visit("voters")
        browser.wait("document.querySelectorAll('#voters .voters li').length === 3", "voters")
        text = owner.text("#voters")
        self.expect("progress of voters", [w for w in ("Ada", "Bob", "25 answers", "done") if w not in text])
        self.expect("splits", "" if "split" in text else text)
        self.same("agreement", re.findall(r"(\d+)\s%.* agree with", text), [self.agreement(owner)])
        browser.value("document.getElementById('voter-name').value = 'Cleo'; "
                      "document.querySelector('#voters form button').click()")
        browser.wait("document.querySelectorAll('#voters .voters li').length === 4", "one more")
        links = browser.value("[...document.querySelectorAll('#voters .copy-link input')].map(i => i.value)")
        self.expect("links", "" if len(set(links)) == 3 and people[0].link in links else str(links))
        owner.visit("results")
        browser.wait("document.querySelector('#results .answers li')", "odd answers")
        who = [line.split(":")[0] for line in owner.texts("#results .answers li") if " than " in line]
        self.expect("whose the odd answers are", "" if who and set(who) <= {"Ada", "Bob"} else str(who))
        self.look(owner, "owner", ("voters", "results"))

    @staticmethod
    def agreement(owner):
        """Of all answers that compare, how many agree with the order, a tie being half, in percent."""
        place = {entry["item"]: i for i, entry in enumerate(owner.asks("api/results")["ranking"])}
        said = [answer for answer in owner.asks("api/history")["answers"] if answer["outcome"] != "skip"]
        share = [0.5 if answer["outcome"] == "tie" else
                 (place[answer["left"]] < place[answer["right"]]) == (answer["outcome"] == "left") for answer in said]
        return str(int(100 * sum(share) / len(said) + 1e-9))

    # What it looks like -------------------------------------------------------------------------

    def accessible(self, where, browser):
        self.expect(where + ": contrast", browser.value(access.LOW_CONTRAST))
        self.expect(where + ": too wide", browser.value(access.TOO_WIDE))
        self.expect(where + ": too small", browser.value(access.TOO_SMALL))
        self.expect(where + ": without a name", access.nameless(browser))
        if self.axe:
            self.expect(where + ": axe", access.axe_says(browser, self.axe))

    def look(self, person, name, views):
        browser = person.browser
        for view in views:
            person.visit(view)
            browser.settle()
            for width, dark in ((1280, False), (390, False), (1280, True), (390, True)):
                browser.look(width, dark)
                browser.settle()
                where = f"{name}, {view} at {width}, {'dark' if dark else 'light'}"
                self.accessible(where, browser)
                if self.shots:
                    browser.value("document.getElementById('toast').hidden = true; scrollTo(0, 0)")
                    browser.shoot(os.path.join(
                        self.shots, f"{name}-{view}-{width}-{'dark' if dark else 'light'}.png"))
            browser.look(1280)
            self.expect(f"{name}, {view}: focus", access.bad_focus(browser))

    def still(self, person):
        """Who asked for less motion gets none."""
        browser = person.browser
        browser.ask("Emulation.setEmulatedMedia",
                    features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        person.visit("ask")
        person.answer(person.better())
        self.same("reduced motion", browser.value("document.getAnimations().length"), 0)
        browser.look(1280)
        person.settle()

    def pictures(self):
        folder = os.path.join(self.folder, "tones")
        write_pictures(folder)
        server, browser = Server(self.peck, folder), self.browser
        try:
            browser.look(1280)
            person = Person(browser, server.wait()[0])
            self.same("pictures at the same size", browser.value(
                "new Set([...document.querySelectorAll('.figure')].map(f => f.clientWidth + 'x' + f.clientHeight)).size"), 1)
            self.sixty_questions(person)
            self.pointer(person)
            self.zoom_and_pause(person)
            self.killed(person, server, folder + ".votes")
            self.history(person)
            self.results(person, folder + ".votes")
            self.look(person, "pictures", ("ask", "results", "history", "items"))
            self.still(person)
            self.same_answers("at the end", person)
            self.quiet("pictures", browser, person.link)
        finally:
            server.stop()


def decode_names(text):
    """The items of `peck decode`, best first: the column of that name."""
    rows = [line.split("\t") for line in text.splitlines()]
    at = rows[0].index("item")
    return [row[at] for row in rows[1:] if len(row) == len(rows[0])]


def csv_names(text):
    rows = text.splitlines()
    at = rows[0].split(",").index("name")
    return [row.split(",")[at] for row in rows[1:]]


def skip(why):
    print(f"skipped: peck ask in a browser; {why}")
    print("ask: 1 cases, 0 failed, 1 skipped")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peck")
    parser.add_argument("--shots", metavar="DIR")
    options = parser.parse_args()
    if chromium.find() is None:
        return skip("Debian's chromium is not installed")
    browser = chromium.Browser(chromium.find())
    try:
        with tempfile.TemporaryDirectory() as folder:
            tests = Tests(os.path.abspath(options.peck), folder, options.shots, browser)
            tests.pictures()
            browser.open("about:blank")
            tests.odd_items()
            tests.voters()
    except Missing:
        return skip("built without sqlite3 or libmicrohttpd")
    finally:
        browser.close()
    if not tests.axe:
        print("without axe.min.js of pip's axe-playwright-python: access.py's own checks alone")
    print(f"ask: {tests.n} cases, {tests.n_failed} failed")
    return 1 if tests.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
