#!/usr/bin/env python3
"""tables.py PECK -- results, lists, messages and progress as a person sees them: in terminals of
several widths no line is wider than the terminal, colours are there where they are wanted, and a
pipe gets none of it.  Needs nothing but Python's standard library."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

PECK = str(Path(sys.argv[1] if len(sys.argv) > 1 else "build/peck").resolve())
DATA = Path(__file__).resolve().parent.parent / "data"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
checks, failures = [], []


def check(what, is_true, shown=""):
    checks.append(what)
    if not is_true:
        failures.append(what)
        print(f"FAILED: {what}\n{shown}")


def on_terminal(columns, *words, folder, **env):
    """What a command writes on a terminal that is so wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    own = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    own.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **env})
    process = subprocess.Popen([PECK, *map(str, words)], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=theirs, cwd=folder, env=own, close_fds=True)
    os.close(theirs)
    text = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # nobody is on the other side any more
            break
        if not more:
            break
        text += more
    process.wait()
    os.close(ours)
    return text.decode("utf-8", "replace").replace("\r\n", "\n")


def lines_of(text):
    """What stood on the screen, line by line; progress writes over itself."""
    return [ESCAPE.sub("", part) for line in text.split("\n") for part in line.split("\r")]


def widest(text):
    return max(len(line) for line in lines_of(text))


def check_widths(folder):
    said = ("compare", DATA / "data.txt", "a.scores", "b.scores", "-m", "ndcg@10,map",
            "--resamples", 50, "-q")
    for columns in (40, 60, 80, 120):
        for name, words in {
                "compare": said,
                "cv": ("cv", "-m", "ridge,ranksvm,adarank", "--folds", 2, "web.txt", "-q"),
                "eval": ("eval", DATA / "data.txt", "--scores", "a.scores", "-q"),
                "eval -v": ("eval", DATA / "data.txt", "--scores", "a.scores", "-v"),
                "decode": ("decode", DATA / "votes.csv", "-q"),
                "decode --next": ("decode", DATA / "votes.csv", "--next", 3, "-q"),
                "rank": ("rank", "m.peck", DATA / "data.txt", "--gaps", "--classes", 2, "-q"),
                "inspect": ("inspect", "m.peck", "-q"),
                "inspect --weights": ("inspect", "m.peck", "--weights", "-q"),
                **{f"list {k}": ("list", k, "-q") for k in
                   ("methods", "norms", "conventions", "metrics", "decoders", "readers")},
        }.items():
            # The closing line of -v, and words that are longer than the terminal, may not fit.
            text = on_terminal(columns, *words, folder=folder)
            found = "\n".join(line for line in text.split("\n") if "peck eval: " not in line)
            check(f"{name} fits {columns} columns", 0 < widest(found) <= columns, found)
    wide, narrow = (on_terminal(c, *said, folder=folder, NO_COLOR="1") for c in (120, 50))
    check("wide: one block", wide.count("metric") == 1, wide)
    check("narrow: several, each with the row's names",
          narrow.count("\nmetric") > 1 and narrow.count("\nndcg@10") >= 4, narrow)
    check("numbers stand in columns",
          len({m.end() for line in lines_of(wide)
               for m in re.finditer(r"0\.\d{6}(?=  |$)", line)
               if line.startswith(("ndcg@10 ", "map "))}) == 4, wide)
    check("the convention is one short line", "\nconvention  standard\n" in "\n" + narrow, narrow)
    check("COLUMNS counts",
          widest(on_terminal(120, *said, folder=folder, COLUMNS="44")) <= 44)


def check_colours(folder):
    words = ("eval", DATA / "data.txt", "--scores", "a.scores", "-q")
    check("colours", "\x1b[" in on_terminal(80, *words, folder=folder))
    check("NO_COLOR", "\x1b[" not in on_terminal(80, *words, folder=folder, NO_COLOR="1"))
    check("an empty NO_COLOR is none", "\x1b[" in on_terminal(80, *words, folder=folder, NO_COLOR=""))
    check("TERM=dumb", "\x1b[" not in on_terminal(80, *words, folder=folder, TERM="dumb"))
    check("errors are red", on_terminal(80, "eval", "none.txt", "-s", "x", folder=folder)
          .startswith("\x1b[31mpeck eval: \x1b[0mnone.txt"))
    check("... but for NO_COLOR", on_terminal(80, "eval", "none.txt", "-s", "x", folder=folder,
                                              NO_COLOR="1").startswith("peck eval: none.txt"))
    piped = subprocess.run([PECK, "eval", DATA / "data.txt", "--scores", "a.scores", "--format",
                            "table"], cwd=folder, env=dict(os.environ, TERM="xterm"), check=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("a pipe gets none", b"\x1b" not in piped.stdout + piped.stderr)


def check_progress(folder):
    words = ("train", "-m", "ranknet", "--set", "epochs=400", "--set", "patience=0", "--threads",
             1, "-o", "p.peck", "web.txt")
    for columns in (24, 40, 80):
        text = on_terminal(columns, *words, folder=folder, NO_COLOR="1")
        shown = [line for line in lines_of(text) if re.match(r"peck train: epoch", line)]
        check(f"progress is seen in {columns} columns", shown, text)
        check(f"progress stays on one line of {columns} columns",
              all(len(line) < columns for line in shown), "\n".join(shown))
        check(f"what matters is first in {columns} columns",
              columns < 40 or all(re.search(r"\d:\d\d left", line) for line in shown),
              "\n".join(shown))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.scores", "b.scores"):
            Path(folder, name).write_bytes((DATA / name).read_bytes())
        for words in (("generate", "web", "--set", "queries=60", "--set", "docs=20", "--set", "dim=12",
                       "-o", "web.txt"),
                      ("train", "-m", "ridge", "-o", "m.peck", DATA / "data.txt", "-q")):
            subprocess.run([PECK, *map(str, words)], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
        check_widths(folder)
        check_colours(folder)
        check_progress(folder)
    print(f"tables in a terminal: {len(checks)} checks, {len(failures)} failed")
    sys.exit(len(failures) > 0)


main()
