#!/usr/bin/env python3
"""additions.py -- the walks of CONTRIBUTING.md, taken: a metric, a loss with its method, a
decoder and a verb are added to a copy of the tree, as the page says.

A block of C there goes to the file that was named last before it: a list (.def) grows by it,
any other file is new.  Then `make docs`, the contract suites, the unit tests that go over
whole lists, and the golden cases that show names must pass as they are; and nothing but
documents that are written from the code may differ."""

import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OBJ = "build/release/obj"
TESTS = """contract/contract_metric contract/contract_objective contract/contract_learner
    contract/contract_decoder contract/contract_alone contract/contract_checkpoint
    unit/metric/test_metric unit/learn/test_recipe unit/decode/test_decoders
    unit/decode/test_decode_prefs unit/flow/test_rank unit/train/test_train_rules""".split()
LINT = "format layers banned lengths names plugs docs cards walk commands".split()
GOLDEN = re.compile(r"(list|help|main|man|verb-help)-.*|examples-(help|list)|.*-all-.*|"
                    r".*-unknown(-(verb|metric|method|decoder|far).*)?")
# What a user sees of them: command -> what its output holds.
SEEN = {
    "list metrics": "hit\tshare of queries",
    "eval $DATA/data.txt -s $DATA/a.scores -M hit@3": "hit@3\t0.",
    "eval $DATA/data.txt -s $DATA/a.scores -M all": "hit\t0.",
    "list methods": "logcosh\tregression on the labels",
    "help logcosh": "learner sgd, family mlp and objective logcosh",
    "train -m logcosh -o m.peck $DATA/data.txt --set epochs=2": "method\tlogcosh",
    "list decoders": "first\teverybody against the first",
    "rank m.peck $DATA/data.txt --decoder first": "query\trank",
    "help": "count      count the queries",
    "count $DATA/data.txt": "5 queries, 29 documents",
    "count --help": "Reading DATA:",
}


def walks():
    """(file, text) of every block of C in CONTRIBUTING.md, in its order."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = [(m.start(), m[1]) for m in re.finditer(r"`((?:src|cli)/[\w/]+\.(?:c|def))`", page)]
    return [([name for at, name in files if at < block.start()][-1], block[1])
            for block in re.finditer(r"^```c\n(.*?)^```$", page, re.S | re.M)]


def copy(to):
    """The tree with what was built of it, times and all, so that little is built again."""
    def skip(folder, names):
        return [n for n in names if n in (".git", "build", "__pycache__")] \
            if Path(folder) == ROOT else []

    shutil.copytree(ROOT, to, ignore=skip, symlinks=True)
    for part in ("src", "cli", "double", "tests/support"):
        if (ROOT / OBJ / part).is_dir():
            shutil.copytree(ROOT / OBJ / part, to / OBJ / part)
    for test in TESTS:
        for end in (".o", ".d"):
            built = ROOT / OBJ / "tests" / (test + end)
            if built.exists():
                (to / OBJ / "tests" / test).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(built, to / OBJ / "tests" / (test + end))


def run(tree, *command, **more):
    return subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **more)


def must(tree, what, *command):
    done = run(tree, *command)
    if done.returncode != 0:
        print("\n    ".join([f"{what} failed:", *done.stdout.splitlines()[-40:]]), flush=True)
    return done.returncode == 0


def files(tree):
    for folder in ("cli", "src", "include", "tests", "tools", "docs"):
        yield from (p.relative_to(tree) for p in (tree / folder).rglob("*")
                    if p.is_file() and "__pycache__" not in p.parts)
    yield from (p.relative_to(tree) for p in tree.iterdir() if p.is_file())


def changed(tree):
    """Files that differ from those here, or are not here."""
    return {str(p) for p in files(tree)
            if not (ROOT / p).exists() or not filecmp.cmp(ROOT / p, tree / p, False)}


def look(tree):
    """What is wrong with what a user sees."""
    env = {**os.environ, "DATA": str(tree / "tests/data"), "LC_ALL": "C"}
    with tempfile.TemporaryDirectory() as room:
        for words, wanted in SEEN.items():
            done = run(room, "sh", "-c", f"'{tree}/build/peck' {words}", env=env)
            if done.returncode != 0 or wanted not in done.stdout:
                yield f"peck {words}: no {wanted!r} in\n{done.stdout}"


def main():
    added = walks()
    jobs = 2 if (os.cpu_count() or 1) > 1 else 1
    cases = sorted(p.name for p in (ROOT / "tests/golden").iterdir()
                   if GOLDEN.fullmatch(p.name))
    results = []
    with tempfile.TemporaryDirectory() as room:
        tree = Path(room).resolve() / "peck"
        copy(tree)
        for name, text in added:
            with open(tree / name, "a" if name.endswith(".def") else "x",
                      encoding="utf-8") as to:
                to.write(text)
        bins = [f"{OBJ}/tests/{test}" for test in TESTS]
        if not must(tree, "building", "make", "-s", f"-j{jobs}", "WERROR=1", "build/peck",
                    "build/libpeck.so", "build/libpeck.a", *bins):
            sys.exit(1)
        results.append(must(tree, "make docs", "python3", "tools/docs.py", "build/peck"))
        checks = [("golden cases", "sh", "tests/golden.sh", "build/peck", *cases),
                  ("lint", "python3", "tools/lint.py", *LINT),
                  *((test, f"{OBJ}/tests/{test}") for test in TESTS)]
        with ThreadPoolExecutor(jobs) as pool:
            results += pool.map(lambda check: must(tree, *check), checks)
        wrong = list(look(tree))
        expected = {name for name, _ in added} | {"docs/METHODS.md", "docs/NUMBERS.md", "docs/RULES.md"} | {
            str(p) for p in files(tree) if str(p).startswith(("docs/man/", "docs/completion/"))}  # by make docs
        wrong += [f"{name} had to change" for name in sorted(changed(tree) - expected)]
        print(*wrong, sep="\n", end="\n" if wrong else "")
        results += [False] * len(wrong) + [True] * (len(SEEN) + 1 - len(wrong))
    failed = results.count(False)
    print(f"additions: {len(results)} cases, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
