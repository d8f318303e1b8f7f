#!/usr/bin/env python3
"""completion.py PECK -- the completion scripts, asked by zsh and fish themselves: zsh at a terminal,
with the Tab key, fish by `complete -C`.  A shell that is not installed is skipped (bash: see the
golden case help-completion)."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PECK = str(Path(sys.argv[1] if len(sys.argv) > 1 else "build/peck").resolve())
ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])")

# A line as it is typed, what must be offered for its last word, and what must not.
CASES = [
    ("peck tr", {"train"}, {"eval", "rank"}),
    ("peck --ver", {"--version"}, set()),
    ("peck train -m lambda", {"lambdamart", "lambdarank", "lambdaneuralrank"}, {"ridge"}),
    ("peck train --method=lambdam", {"lambdamart"}, {"ridge"}),
    ("peck cv -m ridge,rankb", {"rankboost"}, {"ranksvm"}),
    ("peck eval --metric map,ndc", {"ndcg"}, {"map"}),
    ("peck eval --convention le", {"letor2", "letor3", "letor4"}, {"trec"}),
    ("peck eval --conv", {"--convention"}, {"--metric"}),
    ("peck rank --format t", {"table", "tsv", "trec"}, {"json"}),
    ("peck rank m.peck --ga", {"--gaps"}, {"--gain"}),
    ("peck list me", {"methods", "metrics"}, {"norms", "men.txt"}),
    ("peck rules ch", {"check"}, {"eval", "chairs.txt"}),
    ("peck rules check c", {"chairs.txt"}, {"check", "eval"}),
    ("peck generate ga", {"gauss"}, {"web"}),
    ("peck help lambdam", {"lambdamart"}, {"lambdarank"}),
    ("peck help --comp", {"--completion"}, {"--convention"}),
    ("peck train me", {"men.txt"}, {"methods"}),
    ("peck train -o m", {"men.txt"}, set()),
    ("peck stats --groups ch", {"chairs.txt"}, {"check"}),
    ("peck train eval --pa", {"--pairs"}, set()),  # a file called like a verb is a file
]


def ask_fish(folder, line):
    """What fish would offer, by name."""
    told = subprocess.run(["fish", "--no-config", "-c", "source peck.fish; complete -C $argv[1]", line], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=30,
                          env={**os.environ, "HOME": folder})
    names = [entry.split("\t")[0] for entry in told.stdout.splitlines()]
    return {re.split(r"[=,]", name)[-1] for name in names}, told.stdout


class Zsh:
    """An interactive zsh that lists, in place of choosing, when Tab is pressed."""

    def __init__(self, folder):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            env = {**os.environ, "HOME": folder, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
            os.execvpe("zsh", ["zsh", "-f", "-i"], env)
        self.type("PS1='ask'\"> \"; unsetopt prompt_sp zle_bracketed_paste; stty rows 200 cols 120; fpath=($PWD $fpath)\n"
                  "autoload -Uz compinit; compinit -u -D; LISTMAX=0; bindkey '^I' list-choices\n",
                  "ask> ", 5)
        self.type("echo RE\"ADY\"\n", r"READY\s+ask> ")

    def type(self, text, until, seconds=20):
        """What the shell writes from then on, until it has written this, a regular expression."""
        os.write(self.terminal, text.encode())
        end, seen = time.monotonic() + seconds, ""
        while time.monotonic() < end and not re.search(until, seen):
            if select.select([self.terminal], [], [], .1)[0]:
                seen += ESCAPE.sub("", os.read(self.terminal, 65536).decode("utf-8", "replace"))
        return seen

    def ask(self, line):
        """What stands below the line after Tab."""
        self.type("\x15" + line, re.escape(line[-3:]))
        shown = self.type("\t\x05 MARK", "MARK").replace(line, " ")
        return set(re.split(r"[\s=,]+", shown)), shown

    def close(self):
        os.write(self.terminal, b"\x15exit\n")
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def main():
    n, failed, skipped = 0, 0, 0
    for shell in ("zsh", "fish"):
        if shutil.which(shell) is None:
            print(f"skipped: completion by {shell}, which is not installed")
            n, skipped = n + len(CASES), skipped + len(CASES)
            continue
        with tempfile.TemporaryDirectory() as folder:
            script = subprocess.run([PECK, "help", "--completion", shell], stdout=subprocess.PIPE, check=True).stdout
            Path(folder, "_peck" if shell == "zsh" else "peck.fish").write_bytes(script)
            for name in ("men.txt", "chairs.txt"):
                Path(folder, name).touch()
            zsh = Zsh(folder) if shell == "zsh" else None
            for line, wanted, unwanted in CASES:
                offered, shown = zsh.ask(line) if zsh else ask_fish(folder, line)
                n += 1
                if not wanted <= offered or unwanted & offered:
                    failed += 1
                    print(f"FAILED: {shell}: '{line}': missing {sorted(wanted - offered)}, "
                          f"too many {sorted(unwanted & offered)}:\n{shown}")
            if zsh:
                zsh.close()
    print(f"completion: {n} cases, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
