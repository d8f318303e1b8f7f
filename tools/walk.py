#!/usr/bin/env python3
"""walk.py -- how far a reader walks: files, rooms and pieces, counted.

    python3 tools/walk.py [trace | statics] [--base COMMIT] [--list] [--jobs N]
    python3 tools/walk.py trace -- train -m ranknet train.txt -o model.peck
    python3 tools/walk.py --self-test

trace    builds the command with -finstrument-functions -O0 in build/walk, runs it with one
         thread in a folder that holds small train.txt, valid.txt and test.txt, and counts
         who called whom (tools/walk_trace.c).  Without words of your own it walks two ways:
         `train -m sortnet` and `cv --report`.
statics  counts lines, static functions and names in the text of src and cli.

Without a name it does both.  --base does the same for another commit (its tree and build are
kept in build/walk/trees) and prints both and their ratio; --list names what was counted.

What the figures of a walk mean:
  functions, files      visited at all; a file is where the function is written, so headers
                        with inline functions are files too
  depth                 the most functions on one stack, recursion included
  hops between files    pairs (file, file) of which the first called into the second;
                        between rooms: those whose files lie in different rooms
  changes of room       functions put in the order of their first visit, those of base left
                        out: how often the next one lies in another room.  This is a reader
                        who follows the program and reads each function once; base is the
                        language of the house, which he knows after a while.
And those of the text:
  single-use            static functions that are called in one place and whose name is not
                        used otherwise (a function that is put into a table is not)
  of a shared name      static functions of which another file has one of the same name
  tags of two meanings  names of structs that are defined more than once
  comment and blank     lines on which nothing stands but a comment, or nothing"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build/walk"
TRACED = "-O0 -gdwarf-4 -finstrument-functions"  # addr2line misreads headers in DWARF 5
DATA = {"train.txt": 1, "valid.txt": 2, "test.txt": 3}  # their seeds
SIZE = "queries=20 docs=30 dim=20".split()
PROGRAM = "Makefile include src cli ask web".split()  # what the command is built of
WALKS = {"train -m sortnet": "train -m sortnet train.txt -o model.peck",
         "cv --report": "cv -m ridge,ranknet train.txt --report page.html"}


class Trouble(Exception):
    """What went wrong, in a sentence for the user."""


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode:
        told = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Trouble(f"{' '.join(map(str, command))}: exit status {done.returncode}\n"
                      + "\n".join(told))
    return done.stdout


# Who called whom -----------------------------------------------------------------------


def tracer(folder):
    """The object that a traced program is linked with; made anew only when its text is."""
    source, made = Path(__file__).with_name("walk_trace.c"), folder / "walk_trace.o"
    folder.mkdir(parents=True, exist_ok=True)
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        run("gcc", "-std=c17", "-O2", "-Wall", "-Wextra", "-c", source, "-o", made)
    return made


def build(tree, jobs):
    """The traced command of a tree: the Makefile takes a variant that it has not heard of."""
    trace, peck = tracer(HOME), tree / "build/walk/peck"
    if peck.exists() and peck.stat().st_mtime < trace.stat().st_mtime:
        peck.unlink()
    run("make", "-s", f"-j{jobs}", "VARIANT=walk", f"MODE_walk={TRACED}",
        f"LDFLAGS=-no-pie '{trace}'", "build/walk/peck", cwd=tree)
    return peck


def room_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]


Function = collections.namedtuple("Function", "name file room")


def read_trace(path, program, tree):
    """([(caller or None, callee)] in the order of their first calls, depth)"""
    *lines, last = Path(path).read_text().split("\n")[:-1]
    pairs = [line.split()[:2] for line in lines]
    addresses = sorted({a for pair in pairs for a in pair} - {"0"})
    asked = subprocess.run(["addr2line", "-f", "-e", str(program)], cwd=tree, text=True,
                           input="\n".join(addresses), stdout=subprocess.PIPE, check=True)
    told, known = asked.stdout.split("\n"), {"0": None}
    for at, address in enumerate(addresses):
        place = told[2 * at + 1].rpartition(":")[0]
        file = os.path.relpath(Path(tree, place), tree)
        known[address] = Function(told[2 * at], file, room_of(file))
    return [(known[a], known[b]) for a, b in pairs], int(last.split()[1])


def changes(values):
    return sum(a != b for a, b in zip(values, values[1:]))


def figures_of_walk(edges, depth):
    visits = list(dict.fromkeys(callee for _, callee in edges))
    hops = {(a.file, b.file) for a, b in edges if a and a.file != b.file}
    return {"functions": len(visits),
            "files": len({f.file for f in visits}),
            "rooms": len({f.room for f in visits}),
            "depth": depth,
            "hops between files": len(hops),
            "hops between rooms": sum(room_of(a) != room_of(b) for a, b in hops),
            "changes of room": changes([f.room for f in visits if f.room != "base"])}


def list_walk(edges):
    """files in the order of their first visits, and the functions visited there"""
    names = {}
    for _, f in edges:
        names.setdefault(f.file, {})[f.name] = None
    for file, functions in names.items():
        yield f"{file}: {' '.join(functions)}"


def walk(tree, peck, maker, words):
    """Runs `peck WORDS` of a tree on data that maker, a traced command too, has made."""
    with tempfile.TemporaryDirectory(dir=HOME) as folder:
        quiet = {k: v for k, v in os.environ.items() if k != "WALK_TRACE"}
        for name, seed in DATA.items():
            sizes = [w for size in SIZE for w in ("--set", size)]
            run(maker, "generate", "web", *sizes, "--seed", seed, "-o", name, cwd=folder,
                env=quiet)
        if "--threads" not in words and "--threads" in run(peck, words[0], "--help", env=quiet):
            words = [*words, "--threads", "1"]
        trace = Path(folder, "walk.trace")
        run(peck, *words, cwd=folder, env={**quiet, "WALK_TRACE": str(trace)})
        return read_trace(trace, peck, tree)


# The text ------------------------------------------------------------------------------

LITERAL = re.compile(r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
                     re.S | re.X)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)", re.S)
# A definition begins in column 0 and its brace stands there too; MACRO(name)(...) is name.
STATIC = re.compile(r"^static\b[^;={}()]*?\b(?:[A-Z_]+\((?P<made>\w+)\)|(?P<name>\w+))"
                    r"\([^;{}]*\)(?P<end>\s*\n\{|;)", re.M)
# Not what a member is called: .name, ->name, offsetof(struct x, name), (*name)(...).
USED = re.compile(r"offsetof\([^()]*\)|\(\*\w+\)\("
                  r"|(?<![\w.])(?<!->)(?<!struct )([a-zA-Z_]\w*)(\()?")
STRUCT = re.compile(r"\bstruct\s+(\w+)\s*\{")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def bare(text):
    """C text without what comments, literals and attributes say; lines keep their numbers."""
    return ATTRIBUTE.sub(blank, LITERAL.sub(blank, text))


def is_local(name, piece):
    """Whether a piece of text, a function, declares a variable or a parameter so."""
    found = re.search(rf"(\w+)(?: \**| ?\*+){name}(?=[;,)=\[]| [=:])", piece)
    return found is not None and found[1] not in ("return", "else", "goto", "case")


def uses_in(text, wanted):
    """[calls, other uses] of each of the wanted names"""
    uses = collections.defaultdict(lambda: [0, 0])
    for piece in re.split(r"(?<=\n})", text):
        local = {}
        for m in USED.finditer(piece):
            name = m[1]
            if name not in wanted:
                continue
            if m[2]:
                uses[name][0] += 1
                continue
            if name not in local:
                local[name] = is_local(name, piece)
            uses[name][1] += not local[name]
    return uses


def unnamed(match):
    """A definition without its name, whose parameters count; of a prototype nothing."""
    name = match["made"] or match["name"]
    return "" if match["end"] == ";" else re.sub(rf"\b{name}(?=\)?\()", "", match[0], count=1)


Static = collections.namedtuple("Static", "file line name calls other")


def read_statics(texts):
    """Static functions and how often each is used: in its file, or a header's in all."""
    defined, rest = {}, {}
    for file, text in texts.items():
        defined[file] = {m["made"] or m["name"]: text.count("\n", 0, m.start()) + 1
                         for m in STATIC.finditer(text)}
        rest[file] = STATIC.sub(unnamed, text)
    everywhere = {name for file in texts if file.endswith(".h") for name in defined[file]}
    uses = {file: uses_in(rest[file], everywhere | set(defined[file])) for file in texts}
    for file, names in defined.items():
        for name, line in names.items():
            users = [file] if file.endswith(".c") else [
                f for f in texts if f == file or name not in defined[f]]
            calls, other = (sum(uses[f][name][i] for f in users) for i in (0, 1))
            yield Static(file, line, name, calls, other)


def read_text(tree):
    """What the figures of the text count, by what it is."""
    raw = {str(p.relative_to(tree)): p.read_text(encoding="utf-8")
           for folder in ("src/*/*.[ch]", "cli/*.[ch]") for p in sorted(Path(tree).glob(folder))}
    texts = {file: bare(text) for file, text in raw.items()}
    statics = list(read_statics(texts))
    files_of, tags = collections.defaultdict(set), collections.defaultdict(list)
    for s in statics:
        files_of[s.name].add(s.file)
    for file, text in texts.items():
        for m in STRUCT.finditer(text):
            tags[m[1]].append(f"{file}:{text.count(chr(10), 0, m.start()) + 1}")
    uncommented = (LITERAL.sub(lambda m: m[0] if m[0][0] in "\"'" else blank(m), text)
                   for text in raw.values())
    return {"statics": statics,
            "single": [s for s in statics if (s.calls, s.other) == (1, 0)],
            "shared": [s for s in statics if len(files_of[s.name]) > 1],
            "tags": {tag: places for tag, places in tags.items() if len(places) > 1},
            "lines": {file: text.count("\n") for file, text in raw.items()},
            "idle": sum(not line.strip() for text in uncommented
                        for line in text.split("\n")[:-1])}


def figures_of_text(found):
    lines = sum(found["lines"].values())
    rooms = collections.Counter()
    for file, count in found["lines"].items():
        rooms[room_of(file)] += count
    return {"static functions": len(found["statics"]),
            "single-use": len(found["single"]),
            "of a shared name": len(found["shared"]),
            "tags of two meanings": len(found["tags"]),
            "lines of src and cli": lines,
            "comment and blank": found["idle"],
            "share of these, %": round(100 * found["idle"] / lines, 2),
            **{f"lines of {room}": count for room, count in sorted(rooms.items())}}


def list_text(found):
    for s in found["single"]:
        yield f"{s.file}:{s.line}: {s.name} is called once"
    files = collections.defaultdict(list)
    for s in found["shared"]:
        files[s.name].append(s.file)
    for name, where in sorted(files.items(), key=lambda kv: (-len(kv[1]), kv[0])):
        yield f"static {name}: {len(where)} files: {' '.join(where)}"
    for tag, places in sorted(found["tags"].items()):
        yield f"struct {tag}: {' '.join(places)}"


# What is printed -----------------------------------------------------------------------


def table(title, now, base, base_name):
    """Rows of figures; a base brings its own column and the ratio to it."""
    yield f"{title:24}{'now':>10}" + (f"{base_name:>12}{'ratio':>8}" if base else "")
    for key in dict.fromkeys([*now, *(base or {})]):
        row = f"  {key:22}{now.get(key, 0):>10,}"
        if base:
            was = base.get(key, 0)
            row += f"{was:>12,}" + (f"{now.get(key, 0) / was:8.2f}" if was else f"{'-':>8}")
        yield row
    yield ""


def tree_of(commit):
    """A commit's sources under build/walk/trees, and its short name."""
    name = run("git", "rev-parse", "--short=9", f"{commit}^{{commit}}", cwd=ROOT).strip()
    tree = HOME / "trees" / name
    if not (tree / "Makefile").exists():
        part = HOME / "trees" / f"{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        packed = part / "tree.tar"
        there = run("git", "ls-tree", "--name-only", name, cwd=ROOT).split()
        run("git", "archive", "-o", packed, name,
            *(top for top in PROGRAM if top in there), cwd=ROOT)
        run("tar", "xf", packed, "-C", part)
        packed.unlink()
        part.rename(tree)
    return tree, name


def report(asked, words):
    HOME.mkdir(parents=True, exist_ok=True)
    trees, name = [ROOT], None
    if asked.base:
        base, name = tree_of(asked.base)
        trees.append(base)
    if asked.what != "statics":
        pecks = [build(tree, asked.jobs) for tree in trees]
        walks = {" ".join(words): words} if words else {k: w.split() for k, w in WALKS.items()}
        for title, line in walks.items():
            found = [walk(tree, peck, pecks[0], line) for tree, peck in zip(trees, pecks)]
            now, was = ([figures_of_walk(*f) for f in found] + [None])[:2]
            yield from table(title, now, was, name)
            yield from list_walk(found[0][0]) if asked.list else ()
    if asked.what != "trace":
        found = [read_text(tree) for tree in trees]
        now, was = ([figures_of_text(f) for f in found] + [None])[:2]
        yield from table("text of src and cli", now, was, name)
        yield from list_text(found[0]) if asked.list else ()


# Does it count right? ------------------------------------------------------------------

# A house of four rooms with all that makes counting hard: recursion, a call through a table,
# a thread, an inline function of two copies, a prototype, words in comments and literals,
# members and a parameter that are called like a function.
HOUSE = {"src/base/ground.h": """
static inline int twice(int x)
{
    return 2 * x;
}
static inline int thrice(int x)
{
    return 3 * x;
}
""", "src/alpha/one.c": """/* only(1) is a comment */
#include "../base/ground.h"
int one_step(int n);
int one_last(int n);
int two_deep(int n);
struct place {
    int only;
};
static int only(int x)
{
    return twice(x);
}

static __attribute__((noinline)) int place(const struct place *p)
{
    return thrice(p->only);
}

int one_step(int n)
{
    struct place p = { n };     // only(2)
    const char *text =
        "only(3) /*"
        "";
    n += only(n);
    n += place(&p);
    return n + two_deep(3) + (text[0] == '"');
}
int one_last(int n)
{
    return two_deep(n);
}
""", "src/beta/two.c": """
#include <stddef.h>
int two_deep(int n);
int three(int n);
struct table {
    int (*only)(int);
};
static int named(int x)
{
    return x;
}
static int tabled(int x)
{
    return three(named(x));
}
static int only(int tabled, int named);
static const struct table table = { .only = tabled };
static const size_t at = offsetof(struct table, only);

int two_deep(int n)
{
    return n < 0 ? tabled(n) : n == 0 ? table.only(n) : only(0, n - 1);
}
static int only(int tabled, int named)
{
    return at == 0 ? two_deep(named) : tabled;
}
""", "src/beta/three.c": """
struct place {
    double at;
};
int three(int n);
void *three_begin(void *unused);
int three(int n)
{
    return n;
}
void *three_begin(void *unused)
{
    return three(1) ? unused : 0;
}
""", "cli/main.c": """
#include <pthread.h>
#include "../src/base/ground.h"
int one_step(int n);
int one_last(int n);
void *three_begin(void *unused);
int main(void)
{
    pthread_t thread;
    one_step(twice(0));
    int failed = pthread_create(&thread, 0, three_begin, 0) || pthread_join(thread, 0);
    return failed + one_last(0);
}
"""}
# By hand.  The deepest stack: main, one_step, two_deep and only by turns down to two_deep(0),
# tabled, three.  Rooms by first visits: cli, alpha, beta (the thread too), alpha.  Single-use
# are thrice, place, named and both only; tabled is called once, but stands in a table.
WALKED = {"functions": 13, "files": 5, "rooms": 4, "depth": 11, "hops between files": 5,
          "hops between rooms": 4, "changes of room": 3}
WRITTEN = {"static functions": 7, "single-use": 5, "of a shared name": 2,
           "tags of two meanings": 1, "lines of src and cli": 95, "comment and blank": 8,
           "lines of alpha": 32, "lines of beta": 41, "lines of base": 9, "lines of cli": 13}


def self_test():
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder).resolve()
        for file, text in HOUSE.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(text)
        sources = [file for file in HOUSE if file.endswith(".c")]
        run("gcc", "-g", *TRACED.split(), "-fPIC", "-no-pie", "-pthread", *sources,
            tracer(tree), "-o", "program", cwd=tree)
        run(tree / "program", cwd=tree, env={**os.environ, "WALK_TRACE": "walk.trace"})
        walked = figures_of_walk(*read_trace(tree / "walk.trace", tree / "program", tree))
        written = figures_of_text(read_text(tree))
    for asked, got in ((WALKED, walked), (WRITTEN, written)):
        failed += [f"{key} is {got.get(key)}; {value} was written"
                   for key, value in asked.items() if got.get(key) != value]
    print(*failed, f"walk: {len(WALKED) + len(WRITTEN)} cases, {len(failed)} failed", sep="\n")
    return 1 if failed else 0


def main():
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    words = sys.argv[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0],
                                     epilog="trace -- WORDS walks through `peck WORDS`.")
    parser.add_argument("what", nargs="?", choices=("trace", "statics"))
    parser.add_argument("--base", metavar="COMMIT", help="another state to count beside this")
    parser.add_argument("--list", action="store_true", help="name what was counted")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    parser.add_argument("--self-test", action="store_true", help="count a house of known size")
    asked = parser.parse_args(sys.argv[1:at])
    if words and asked.what != "trace":
        parser.error("words after -- are for trace")
    try:
        if asked.self_test:
            return self_test()
        for line in report(asked, words):
            print(line)
    except (Trouble, OSError) as trouble:
        print(f"walk: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
