#!/usr/bin/env python3
"""mutate.py -- small faults put into the code: do the tests notice?

    python3 tools/mutate.py --count 150 --seed 7 --jobs 2
    python3 tools/mutate.py --count 20 --only src/learn/grow.c

A mutant is one change of one line of src/{metric,learn,model,decode,norm,rules,data}:
another operator, comparison, constant or word, or a statement dropped.  Seed and sources
say which.  The unit and contract tests that run the line are run until one fails or takes
too long: killed.  Those that change nothing that can be seen stand in tests/mutants.txt and
count for nothing.

Not drawn is what changes no result by its kind:
- memory, which sanitizers and fault sweeps look after: lines that ask for it or give it back,
  the arguments of such calls, the lengths of arrays, what is done where there is none, the
  bodies of void functions whose name ends in _free, _close or _abort;
- hints and checks that leave no code: prefetches, asserts, (void);
- the lower or the higher of two (a < b ? a : b; if (a > most) most = a), or by how much one is
  higher (a < b ? b - a : 0): equal ones are the same, so < and <= are.

All is done on copies in build/mutate.  The first run builds one with gcov and runs each test
once, to know what runs what (some minutes); later ones run those whose files have changed.
--near does without: the tests of the mutant's own room, a lower bound.  Results are kept in
build/mutate/results.jsonl and not found anew, but for those that survived with --again;
--variant release,asan asks the tests as they are, and about those that survive as
sanitizers see them."""

import argparse
import hashlib
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build/mutate"
ROOMS = "metric learn model decode norm rules data".split()
PAIRS = {"comparison": "< <= > >= == !=", "operator": "+ - * / & | << >> += -= *= /= && ||",
         "word": "true false fmin fmax break continue"}
# Each becomes the other of its pair; % becomes /, and ! goes.
SWAP = {token: (kind, text.split()[i ^ 1]) for kind, text in PAIRS.items()
        for i, token in enumerate(text.split())}
SWAP |= {"%": ("operator", "/"), "!": ("operator", "")}
# clang-format puts spaces around what has two sides; a pointer has none behind.
TOKEN = re.compile(r"""(?<=\ )(?:[<>=!+\-*/]=|&&|\|\||<<|>>|[<>+\-*/%&|])(?=\ |$)
    | (?P<number>(?<![\w.])\d+\.?\d*(?:e-?\d+)?[fuUL]*(?![\w.]))
    | !(?=[\w(]) | \b[a-z]+\b""", re.X)
# The lower or the higher of two, within two bounds, or by how much one is higher, else 0: with
# one equal to the other it is either.
EITHER = re.compile(r"""(?:(?<=[=,?:&|]\ )|(?<=[(\[])|(?<=return\ ))(\S.*?)\ ([<>]=?)\ (.+?)
    \ \?\ (?:\1\ :\ \3|\3\ :\ \1|\3\ :\ \1\ [<>]=?\ (\S+)\ \?\ \4\ :\ \1
    |(?:\1\ -\ \3|\3\ -\ \1)\ :\ 0(?:\.0f?)?)(?![\w.(\[]|->|\ [-+*/%&|<>])""", re.X)
# How long an array is, of a variable or a member; a parameter is a pointer, whatever it says.
DECLARED = r"\*?(?:const )?\w+(?:\[[^\[\]]+\])*"
LENGTH = re.compile(r"^ *(?:static )?(?:const )?(?:struct |unsigned )?(?!return )[a-z]\w* "
                    rf"{DECLARED}(?:, {DECLARED})*;|\w \*?\w+\[\d+\](?=[,)])")
INDEX = re.compile(r"\[[^\[\]]*\]")
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/', re.S)
UNSEEN = re.compile(r"\b(mem_\w+|arena_\w+|fail_memory|__builtin_prefetch|assert|_Static_assert|"
                    r"sizeof)\b|_(free|close)\(|\(void\)\w+;")
# Calls whose arguments say how much memory, over several lines too; a condition on one is false
# for want of memory alone.
MEMORY = re.compile(r"\b(mem_\w+|arena_\w+|fail_memory|strings_add|\w+_reserve)\(")
GIVES_BACK = re.compile(r"(static )?void \w+_(free|close|abort)\(.*\)$")
# "if (a > most)" and below it "most = a;": with one equal to the other it is either.
RISING = re.compile(r"if \((\S+) [<>]=? (\S+)\)$")
DECLARATION = re.compile(r"\s*(const|static|struct|enum|union|unsigned|int|size_t|double|float|"
                         r"bool|char|real|void|return|goto|else|case|default|typedef|extern|"
                         r"u?int\w*_t|peck_\w+ \*?\w+)\b")


# Mutants ----------------------------------------------------------------------------


def other_number(text):
    body = text.rstrip("fuUL")
    other = float(body) * 2 or 1.0 if re.search(r"[.e]", body) else int(body) + 1
    return f"{other!r}{text[len(body):]}"


def without_memory(text):
    """The text with zeros in place of the arguments of calls for memory, of what hangs on such
    a call, and of the bodies of functions that give back what another took."""
    out, gone = list(text), []
    for m in MEMORY.finditer(text):
        depth, end = 1, m.end()
        while depth > 0 and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        gone.append((m.start(), end))
        if m.start() > 0 and text[m.start() - 1] == "!" and re.match(r"\)+\s*\n", text[end:]):
            gone.append((end, text.index(";", end)))
    for m in re.finditer(r"^(\w[^\n;{}]*(?:\n[^\n;{}]+)*)\n\{\n.*?^\}", text, re.S | re.M):
        if GIVES_BACK.match(re.sub(r"\s+", " ", m[1])):
            gone.append((m.end(1), m.end()))
    for a, b in gone:
        out[a:b] = (c if c == "\n" else "\0" for c in text[a:b])
    return "".join(out)


def mutants_of(path):
    """(kind, (path, line number, line, mutated line)) of a file"""
    text = (ROOT / path).read_text(encoding="utf-8")
    whole = LITERAL.sub(lambda m: re.sub(r"[^\n]", "\0", m[0]), text)
    blank, whole = without_memory(whole).split("\n"), whole.split("\n")
    before = ""
    for at, line in enumerate(text.split("\n")):
        plain, bare, above = blank[at], blank[at].strip("\0 "), before
        before = bare or before
        is_of_memory = ("NULL" in plain and "fail_memory" in "".join(whole[at:at + 3])
                        or whole[at + 1:at + 2] and "= arena_check(" in whole[at + 1])
        if (UNSEEN.search(whole[at]) or is_of_memory or not bare
                or re.match(r"#(?!define \w+ [\d.(])", plain)):
            continue
        rising = RISING.match(bare)
        is_either = rising and whole[at + 1].strip() in (
            f"{rising[1]} = {rising[2]};", f"{rising[2]} = {rising[1]};")
        if (bare.endswith(";") and bare != ";" and plain[0] == " " and above[-1:] in ("", *";{}):")
                and not DECLARATION.match(plain) and plain.count("(") == plain.count(")")):
            yield "statement", (path, at + 1, line, re.match(r"\s*", line)[0] + ";")
        either = {m.start(2) for m in EITHER.finditer(plain)}
        either |= {i for a in LENGTH.finditer(plain) for m in INDEX.finditer(a[0])
                   for i in range(a.start() + m.start(), a.start() + m.end())}
        for m in (m for m in TOKEN.finditer(plain) if m.start() not in either):
            kind, new = SWAP.get(m[0], (None, None))
            if is_either and kind == "comparison":
                continue
            if m["number"]:
                kind, new = "constant", other_number(m[0])
            if kind:
                yield kind, (path, at + 1, line, line[:m.start()] + new + line[m.end():])


def draw(count, seed, only):
    """Kinds are as likely as each other, and so are the mutants of a kind."""
    files = [p for room in ROOMS for p in sorted((ROOT / "src" / room).glob("*.c"))]
    kinds = {}
    for path in (str(p.relative_to(ROOT)) for p in files):
        for kind, mutant in mutants_of(path) if path.startswith(only) else []:
            kinds.setdefault(kind, []).append(mutant)
    rng, drawn = random.Random(seed), []
    while len(drawn) < count and any(kinds.values()):
        left = kinds[rng.choice(sorted(k for k in kinds if kinds[k]))]
        drawn.append(left.pop(rng.randrange(len(left))))
    return drawn


def name_of(mutant):
    """What a mutant is called in files, whose lines move; [2]: of the second such line."""
    path, number, line, new = mutant
    before = (ROOT / path).read_text(encoding="utf-8").split("\n")[:number - 1].count(line)
    return f"{path} ## {line.strip()}{f' [{before + 1}]' if before else ''} ## {new.strip()}"


# What runs what ---------------------------------------------------------------------


def digest(path):
    path = ROOT / path
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def copy_tree(to):
    """What differs, also what a stopped run left there, is newer than what was built of it."""
    wanted = {"Makefile", *(str(p.relative_to(ROOT)) for part in "src tests include ask web".split()
                            for p in (ROOT / part).rglob("*") if p.is_file())}
    for old in [p for p in to.glob("src/*/*") if str(p.relative_to(to)) not in wanted]:
        old.unlink()
    for path in wanted:
        if digest(to / path) != digest(path):
            (to / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, to / path)
    return to


def make(tree, variant, *more):
    return subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", tree,
                           f"VARIANT={variant}", *more],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def make_library(tree, variant):
    """All rooms in one shared library that hides nothing, named by its path from the tree, so
    that a mutant is one file compiled and one library linked, whatever runs it."""
    library = f"build/{'' if variant == 'release' else variant + '/'}libpeck.so"
    return library, make(tree, variant, "CFLAGS=-O1 -g0 -fvisibility=default", "LDFLAGS=-s",
                         f"SONAME={library}", library)


def make_tests(tree, variant, library, tests):
    """Test programs on that library, which take it for the objects of the rooms."""
    return tests and make(tree, variant, "CFLAGS=-O1 -g0", f"SRC_OBJ={library}",
                *(f"build/{variant}/obj/{test}" for test in tests))


def run_test(tree, program, limit, **environment):
    """Its exit status and the seconds of processor time that it took, `limit` at most: others
    may be at work on this machine.  Where it waits for ever it is ended in the end."""
    test = subprocess.Popen(["timeout", f"{120 + 10 * limit:.0f}", "prlimit",
                             f"--cpu={limit:.0f}", program],
                            cwd=tree, env={**os.environ, **environment},
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(test.pid, 0)
    test.returncode = os.waitstatus_to_exitcode(status)
    return test.returncode, usage.ru_utime + usage.ru_stime


def lines_run(tree, data):
    """path -> lines that ran, and first and last lines of functions that did; of a folder that
    one test left its counts in"""
    found, counts = {}, [p for room in ROOMS for p in data.rglob(f"obj/src/{room}/*.gcda")]
    for path in counts:
        notes = path.with_suffix(".gcno")
        notes.symlink_to(Path("/") / notes.relative_to(data))
    out = subprocess.run(["gcov", "-j", "-t", *map(str, counts)], cwd=tree, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for file in (f for report in out.splitlines() for f in json.loads(report)["files"]):
        lines = [x["line_number"] for x in file["lines"] if x["count"]]
        if file["file"].startswith("src/") and lines:
            kept = found.setdefault(file["file"], ([], []))
            kept[0].extend(lines)
            kept[1].extend([f["start_line"], f["end_line"]] for f in file["functions"]
                           if f["execution_count"])
    return found


def all_tests():
    """Unit and contract tests, but for those of base, which knows none of the rooms."""
    paths = [*ROOT.glob("tests/unit/[!b]*/test_*.c"), *ROOT.glob("tests/contract/contract_*.c")]
    return sorted(str(p.relative_to(ROOT).with_suffix("")) for p in paths)


def cover(jobs):
    """test -> its seconds, the lines that it runs, the files that they are in"""
    tree, kept = HOME / "cover", HOME / "cover.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    tests = all_tests()
    copy_tree(tree)
    stale = [test for test in tests if test not in known
             or any(digest(p) != d for p, d in known[test]["files"].items())]
    make(tree, "cover", "CFLAGS=-O1", *(f"build/cover/obj/{test}" for test in stale))

    def look(test):
        with tempfile.TemporaryDirectory(dir=HOME) as data:
            code, seconds = run_test(tree, f"build/cover/obj/{test}", 3600, GCOV_PREFIX=data)
            return (None, None) if code else (seconds, lines_run(tree, Path(data)))

    with ThreadPoolExecutor(jobs) as pool:
        for test, (seconds, ran) in zip(stale, pool.map(look, stale)):
            if ran is None:
                sys.exit(f"{test} fails on the code as it is; mend that first")
            files = {path: digest(path) for path in [f"{test}.c", *ran]}
            known[test] = {"seconds": seconds, "ran": ran, "files": files}
            kept.write_text(json.dumps(known))
            print(f"{test}: {seconds:.1f} s", file=sys.stderr)
    return {test: known[test] for test in tests}


def name_words(path):
    kinds = {"dec", "obj", "met", "learner", "family", "read", "write"}
    return set(Path(path).stem.split("_")) - kinds


def tests_of(mutant, known):
    """Those that run its line; of a line without code of its own, its function or file."""
    path, number, _, _ = mutant
    runs = {test: k["ran"].get(path, ([], [])) for test, k in known.items()}
    hit = [t for t, (lines, _) in runs.items() if number in lines]
    if not hit:
        hit = [t for t, (_, parts) in runs.items() if any(a <= number <= b for a, b in parts)]
    room = "/" + path.split("/")[1] + "/"
    above = (ROOT / path).read_text(encoding="utf-8").split("\n")[:number]
    head = next(x for x in reversed(above) if re.match(r"[#\w]|} ", x))
    if not hit and re.match(r"#define|enum\b|struct \w+ {|.* = ", head):
        hit = [t for t, (lines, _) in runs.items() if lines or room in t]
    # By the seconds that a kill may take: results that stay kill most, then tests of the file.
    words = name_words(path)
    return sorted(hit, key=lambda t: known[t]["seconds"] / (
        9 if "/contract_kept" in t else 6 if words & set(t.split("_")) else 3 if room in t else 1))


def tests_near(mutant):
    """Without a look at what runs what: results that stay, then the unit tests and contract
    suites that name the room, those of the file's name first.  Another test might kill what
    these leave, so the share that they kill is a lower bound."""
    room = Path(mutant[0]).parts[1]
    paths = [*ROOT.glob(f"tests/unit/{room}/test_*.c"),
             *(p for p in ROOT.glob("tests/contract/contract_*.c")
               if f'"{room}/' in p.read_text(encoding="utf-8"))]
    kept = set(ROOT.glob("tests/contract/contract_kept*.c"))
    words = name_words(mutant[0])
    order = sorted(kept.union(paths), key=lambda p: (
        p not in kept, not words & set(p.stem.split("_")), "contract" in p.parts, p))
    return [str(p.relative_to(ROOT).with_suffix("")) for p in order]


# Runs -------------------------------------------------------------------------------


def build(tree, variant, tests):
    """Whether that failed"""
    library, is_bad = make_library(tree, variant)
    return is_bad or make_tests(tree, variant, library, tests)


def has_copy(objects, test, path):
    """Whether a test may hold a source twice: it, or what all tests are linked with, includes
    its text, or there is an object of it in double."""
    told = [(objects / test).with_suffix(".d"), *(objects / "tests/support").glob("*.d")]
    return ((objects / "double" / path[4:]).with_suffix(".o").exists()
            or any(path in file.read_text(encoding="utf-8").split() for file in told))


def new_tree(k, variants):
    """A copy of the sources with all tests built of it."""
    tree = copy_tree(HOME / f"tree-{k}")
    if any(build(tree, variant, all_tests()) for variant in variants):
        sys.exit("the code as it is does not build")
    return tree


def check_tree(tree, variants):
    """The code as it is must pass after all mutants, or those killed count for nothing."""
    for variant in variants:
        build(tree, variant, [])
        for test in all_tests():
            if run_test(tree, f"build/{variant}/obj/{test}", 3600)[0]:
                sys.exit(f"{test} fails on the code as it is: no result above counts")


def try_mutant(mutant, known, tree, variants):
    """killed (by which test), survived or did not compile"""
    file, text = tree / mutant[0], (ROOT / mutant[0]).read_text(encoding="utf-8")
    lines = text.split("\n")
    tests = tests_of(mutant, known) if known else tests_near(mutant)
    copies = {}  # tests that hold a copy of their own, most often in double: made anew
    lines[mutant[1] - 1] = mutant[3]
    file.write_text("\n".join(lines), encoding="utf-8")
    try:
        for variant in variants:
            objects = tree / f"build/{variant}/obj"
            if build(tree, variant, []):
                return {"result": "did not compile", "why": ""}
            for test in tests:
                if has_copy(objects, test, mutant[0]):
                    copies[test] = build(tree, variant, [test])
                limit = 10 + 3 * known[test]["seconds"] if known else 60
                code, took = run_test(tree, f"build/{variant}/obj/{test}", limit)
                if code:
                    return {"result": "killed", "why": test + ", too long" * (took > limit - 1)}
        return {"result": "survived", "why": "" if tests else "no test comes here"}
    finally:
        file.write_text(text, encoding="utf-8")
        for variant in variants if copies else []:
            build(tree, variant, list(copies))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--count", type=int, default=50, help="mutants (50)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=1, help="at once (1)")
    p.add_argument("--only", default="src/", metavar="PATH", help="a file, or how it begins")
    p.add_argument("--near", action="store_true", help="no look at what runs what before: the "
                   "tests of the mutant's own room, which makes a lower bound")
    p.add_argument("--again", action="store_true", help="also what survived before")
    p.add_argument("--variant", default="release", help="of the build, or some (release)")
    a = p.parse_args()
    mutants, trees = draw(a.count, a.seed, a.only), queue.Queue()
    variants = a.variant.split(",")
    listed = (ROOT / "tests/mutants.txt").read_text(encoding="utf-8").splitlines()
    ignored = {line.rsplit(" ## ", 1)[0] for line in listed}
    known, results = {} if a.near else cover(a.jobs), HOME / "results.jsonl"
    for k in range(a.jobs):
        trees.put(new_tree(k, variants))
    results.touch()
    seen = {r["mutant"]: r for r in map(json.loads, results.read_text().splitlines())}

    def run(mutant):
        name = name_of(mutant)
        if name in ignored:
            return {"result": "equivalent", "why": ""}
        if name in seen and not (a.again and seen[name]["result"] == "survived"):
            return seen[name]
        tree = trees.get()
        row = {"mutant": name, **try_mutant(mutant, known, tree, variants)}
        trees.put(tree)
        with results.open("a", encoding="utf-8") as f:
            f.write(json.dumps(row) + "\n")
        return row

    count = dict.fromkeys(["killed", "survived", "did not compile", "equivalent"], 0)
    with ThreadPoolExecutor(a.jobs) as pool:
        for (path, number, line, new), row in zip(mutants, pool.map(run, mutants)):
            count[row["result"]] += 1
            why = f" ({row['why']})" if row["why"] else ""
            print(f"{path}:{number}: {row['result']}{why}\n-{line}\n+{new}", flush=True)
    for _ in range(a.jobs):
        check_tree(trees.get(), variants)
    share = count["killed"] / max(1, count["killed"] + count["survived"])
    print(", ".join(f"{n} {what}" for what, n in count.items()) + f": {share:.1%} killed")


if __name__ == "__main__":
    main()
