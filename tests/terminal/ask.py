#!/usr/bin/env python3
"""ask.py PECK -- `peck ask` in a terminal, driven as a person would: keys, undo, print, Ctrl-C, a
kill, resume, a window that changes.  Needs nothing but Python's standard library."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

PECK = str(Path(sys.argv[1] if len(sys.argv) > 1 else "build/peck").resolve())
ITEMS = ["apple", "banana", "cherry", "damson", "elder", "fig", "grape"]  # the best one first
checks, failures = [], []


def check(what, is_true, screen=""):
    checks.append(what)
    if not is_true:
        failures.append(what)
        print(f"FAILED: {what}\n{screen}")


class Terminal:
    """A process on a terminal of its own, and what it has written there."""

    def __init__(self, *words, rows=24, columns=80):
        self.ours, self.theirs = pty.openpty()
        self.size(rows, columns)
        self.before = termios.tcgetattr(self.theirs)
        env = dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm")
        self.process = subprocess.Popen([PECK, "ask", *words], stdin=self.theirs,
                                        stdout=self.theirs, stderr=self.theirs, env=env,
                                        start_new_session=True, close_fds=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.text = ""

    def size(self, rows, columns):
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, pattern, seconds=20):
        """Reads until the pattern is on the screen as it is now; the screen, or None."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.screen())
            if found:
                return found
            if select.select([self.ours], [], [], .1)[0]:
                try:
                    self.text += os.read(self.ours, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        return re.search(pattern, self.screen())

    def screen(self):
        """What was written since the cursor went home last, without escapes."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.text.rpartition("\x1b[H")[2])

    def question(self, asked):
        """The two names of the question after so many answers."""
        found = self.read(rf"(?s)1 ←  (\w+)\s+2 →  (\w+).*\b{asked} asked, .*sure of the first")
        check(f"a question after {asked} answers", found, self.screen())
        return (found.group(1), found.group(2)) if found else ("", "")

    def press(self, keys):
        os.write(self.ours, keys.encode())

    def end(self):
        """Waits for the end; the exit status.  The terminal must be as it was."""
        end = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.ours], [], [], .1)[0]:
                try:
                    self.text += os.read(self.ours, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        if self.process.poll() is None:
            self.process.kill()
            check("it ends", False, self.screen())
        status = self.process.wait()
        while select.select([self.ours], [], [], .1)[0]:
            try:
                self.text += os.read(self.ours, 65536).decode("utf-8", "replace")
            except OSError:
                break
        check("the terminal is as it was", termios.tcgetattr(self.theirs) == self.before)
        check("the cursor is back, and the first screen",
              self.text.rfind("\x1b[?25h") > self.text.rfind("\x1b[?25l") and
              self.text.rfind("\x1b[?1049l") > self.text.rfind("\x1b[?1049h"))
        os.close(self.ours)
        os.close(self.theirs)
        return status


def answers(folder):
    done = subprocess.run([PECK, "ask", "fruit.txt", "--export", "json"], cwd=folder,
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def answer(term, asked, n):
    """Answers n questions truly; the pairs."""
    pairs = []
    for i in range(n):
        pair = term.question(asked + i)
        pairs.append(pair)
        is_left = pair[0] < pair[1]
        term.press(["1", "\x1b[D", "\x1bOD"][i % 3] if is_left else ["2", "\x1b[C", "\x1bOC"][i % 3])
    return pairs


def main():
    if "built without SQLite" in subprocess.run([PECK, "ask", os.devnull], text=True,
                                                stderr=subprocess.PIPE).stderr:
        print("terminal: 0 cases, 0 failed, 1 skipped (built without SQLite)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("fruit.txt").write_text("\n".join(ITEMS) + "\n")

        # Questions, undo, tie, skip, don't know, help, print, Ctrl-C.
        term = Terminal("fruit.txt", "--threads", "1")
        last = answer(term, 0, 8)[-1]
        term.question(8)
        term.press("u")
        check("undo asks the same again", term.question(7) == last, term.screen())
        check("undo says so", term.read(r"Taken back \(it was: (left|right)\)"), term.screen())
        answer(term, 7, 1)
        term.question(8)
        term.press("t")
        term.question(9)
        term.press("s")
        gone = term.question(10)[0]
        term.press("d")
        check("d asks which", term.read("Which one do you not know"), term.screen())
        term.press("1")
        check("it goes out of play", term.read(f"{gone} is out of play"), term.screen())
        term.question(11)
        term.press("?")
        check("help", term.read("skip \\(that does not\\)"), term.screen())
        term.press("p")
        check("print", term.read("Any key goes on"), term.screen())
        term.press(" ")
        term.question(11)
        term.press("\x03")
        check("Ctrl-C ends it with 130", term.end() == 130, term.screen())
        check("it says that all is kept", "11 answers are kept in fruit.txt.votes" in term.text,
              term.text[-600:])
        kept = answers(folder)
        said = [a["outcome"] for a in kept["answers"]]
        check("eleven answers are there", len(said) == 11, str(said))
        check("a tie, a skip, one out of play", said[8:] == ["tie", "skip", "out-left"], str(said))
        check("who is out is not ranked", gone not in [p["name"] for p in kept["ranking"]])

        # It goes on; a window that changes is drawn anew; a kill loses nothing.
        term = Terminal("fruit.txt", "--threads", "1", rows=40, columns=120)
        check("it goes on", term.question(11)[0] != "", term.screen())
        more = answer(term, 11, 5)
        term.question(16)
        term.text = ""
        term.size(30, 100)
        os.killpg(term.process.pid, signal.SIGWINCH)
        term.question(16)
        term.process.kill()
        term.process.wait()
        now = answers(folder)["answers"]
        said = [(a["left"], a["right"], a["outcome"]) for a in now[11:]]
        check("a kill loses nothing, and nothing is there twice", now[:11] == kept["answers"] and said ==
              [(left, right, "left" if left < right else "right") for left, right in more], str(now))

        # Undo across processes, a narrow window, quit, an end from outside.
        term = Terminal("fruit.txt", "--threads", "1", rows=12, columns=40)
        term.question(16)
        term.press("u")
        term.question(15)
        term.press("q")
        check("quit ends well", term.end() == 0, term.screen())
        check("the order is printed at the end", "All is kept in fruit.txt.votes" in term.text)
        check("undo is kept", len(answers(folder)["answers"]) == 15)
        term = Terminal("fruit.txt", "--threads", "1")
        term.question(15)
        term.process.send_signal(signal.SIGTERM)
        check("SIGTERM puts the terminal back", term.end() == 130)
        ranked = [p["name"] for p in answers(folder)["ranking"]]
        check("the order is near the truth",
              sum(a > b for i, a in enumerate(ranked) for b in ranked[i:]) <= 3, str(ranked))
    print(f"terminal: {len(checks)} cases, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
