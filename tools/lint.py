#!/usr/bin/env python3
"""lint.py [CHECK ...] -- the rules of the house, checked by machine.

Without a name every check runs.  Each finding is one line, "file:line: what is wrong";
the exit status is 1 when there is any.  --self-test looks at a small house of known faults.
Checks whose tool is missing say so and are
counted as skipped.  Some look at build/, so run `make` first (`make lint` does)."""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import docs

ROOT = Path(__file__).resolve().parent.parent
CC = os.environ.get("CC", "gcc")
CXX = os.environ.get("CXX", "g++")
DIALECT = ["-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Iinclude"]
FORMAT_VERSION = "14"
MAX_FUNCTION, MAX_FILE, MAX_MAKEFILE = 100, 900, 250
MAX_HEADER = 1300  # of peck.h, the only one that a program needs

# Nowhere in the house; then: not in the library, which is silent and has no locale.
BANNED = "sprintf vsprintf strcpy strcat strncat atoi atol atof rand srand alloca strtok gets"
BANNED_SRC = ("printf vprintf puts putchar perror exit _exit abort getenv setenv setlocale "
              "strtod strtof strtold system popen signal")
BANNED_WORDS_SRC = "stdout stderr environ"
# Whose bits depend on libm's version and on the processor: base/maths.h has them.  So do those
# of a long double.
LIBM = ("exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos tan sincos asin acos atan atan2 "
        "sinh cosh tanh asinh acosh atanh erf erfc gamma lgamma lgamma_r tgamma cbrt hypot fmax fmin").split()
# What malloc'ed memory goes through is base/alloc.c alone.
ALLOCATORS = "malloc calloc realloc free strdup strndup"

C_HEADERS = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math
    setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn
    string tgmath threads time uchar wchar wctype""".split())
POSIX_HEADERS = set("""arpa/inet dirent dlfcn fcntl glob net/if netdb netinet/in poll pthread sched semaphore
    spawn strings sys/file
    sys/ioctl sys/mman sys/random sys/resource sys/socket sys/stat sys/time sys/types sys/wait termios unistd""".split())
COMPILER_HEADERS = set("arm_neon immintrin".split())

findings = []
notices = []


def found(path, line, what):
    path = Path(path)
    if path.is_absolute():
        path = path.relative_to(ROOT)
    findings.append(f"{path}:{line}: {what}")


def skip(what):
    notices.append(f"skipped: {what}")


def run(*command, **more):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **more)


def read(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


def has(tool):
    return any((Path(d) / tool).exists() for d in os.environ.get("PATH", "").split(":"))


def tree():
    """Every file that belongs to the repository, by git where there is one."""
    listed = run("git", "ls-files", "-co", "--exclude-standard") if has("git") else None
    if listed is not None and listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")
                 if p.relative_to(ROOT).parts[0] not in ("build", ".git")
                 and "__pycache__" not in p.parts]
    return sorted(n for n in names if (ROOT / n).is_file())


FILES = tree()


def sources(*folders, endings=(".c", ".h")):
    return [f for f in FILES if f.split("/")[0] in folders and f.endswith(endings)]


def bare(text):
    """C text with comments and literals blanked, so that lines keep their numbers."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


# Checks ------------------------------------------------------------------------------


def check_format():
    """clang-format changes nothing"""
    if not has("clang-format"):
        return skip("formatting; clang-format is not installed")
    version = run("clang-format", "--version").stdout
    if f"version {FORMAT_VERSION}." not in version:
        return skip(f"formatting; it needs clang-format {FORMAT_VERSION}")
    files = sources("src", *docs.TOPS, "tests", "examples", "bench")
    told = run("clang-format", "--dry-run", *files).stderr  # one process: 600 take 20 s
    for path, line in sorted(set(re.findall(r"^(\S+):(\d+):\d+: ", told, re.M))):
        found(path, line, "not as clang-format writes it")


def layers():
    return {room: set(allowed) for room, (allowed, _) in docs.layers().items()}


def doors():
    """Room -> headers that other rooms may include: that of the card, and those listed."""
    found_doors = {room: set(more) for room, (_, more) in docs.layers().items()}
    for path, room, _, _ in docs.cards():
        found_doors.setdefault(room, set()).add(Path(path).name)
    return found_doors


def includes(path):
    for number, line in enumerate(read(path).splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match.group(1) == "<", match.group(2)


def check_layers():
    """rooms include only rooms that tools/layers.txt allows, and those by their doors"""
    rooms, door_of, used = layers(), doors(), set()
    for number, line in enumerate(read("tools/layers.txt").splitlines(), 1):
        if line.split("#")[0].strip() and line.split()[0] not in rooms:
            found("tools/layers.txt", number,
                  "a line is 'room [further doors] : rooms it may include'")
    for path in sources("src", *docs.TOPS, endings=(".c", ".h", ".def")):
        room = path.split("/")[-2]
        if room not in rooms:
            found(path, 1, f"room '{room}' is not in tools/layers.txt")
            continue
        for number, is_system, name in includes(path):
            if is_system or name == "peck.h":
                continue
            other = re.match(r"\.\./(?:src/)?(\w+)/([\w.]+)$", name)
            if other and (ROOT / path).parent.joinpath(name).exists():
                whose, header = other.groups()
                used.add((whose, header))
                if whose != room and whose not in rooms[room]:
                    found(path, number, f"{room} may not include {whose}")
                elif whose != room and not door_of[whose] & {header, "*"}:
                    found(path, number, f"{header} is no door of {whose}: take "
                          f"{' or '.join(sorted(door_of[whose]))}, or see tools/layers.txt")
            elif "/" in name or not (ROOT / path).with_name(name).exists():
                found(path, number, f'"{name}" is neither peck.h, nor of this room, nor '
                                    'a "../room/header.h"')
    for room, (_, more) in docs.layers().items():
        for header in more:
            if header != "*" and (room, header) not in used:
                found("tools/layers.txt", 1, f"{header} is a door of {room} that nobody takes")


def check_third_party():
    """a third-party header appears in one .c file"""
    users = {}
    for path in sources("src", *docs.TOPS):
        for number, is_system, name in includes(path):
            if not is_system or re.sub(r"\.h$", "", name) in C_HEADERS | POSIX_HEADERS | COMPILER_HEADERS:
                continue
            users.setdefault(name, []).append((path, number))
            if path.endswith(".h"):
                found(path, number, f"<{name}> belongs in a .c file")
    for name, places in users.items():
        for path, number in places[1:]:
            found(path, number, f"<{name}> is already included by {places[0][0]}")


def check_banned():
    """no banned call; the library is silent, allocates through base/alloc.h and has the same
    bits on every processor"""
    for path in sources("src", *docs.TOPS, "tests", "examples", "bench"):
        text = bare(read(path))
        names = BANNED.split()
        if path.startswith("src/"):
            names += BANNED_SRC.split()
            names += [name + kind for name in LIBM for kind in ("", "f", "l")]
            if not path.startswith("src/base/alloc."):
                names += ALLOCATORS.split()
            for match in re.finditer(r"\blong\s+double\b", text):
                found(path, line_of(text, match.start()), "a long double differs by processor")
            for match in re.finditer(rf"\b({'|'.join(BANNED_WORDS_SRC.split())})\b", text):
                found(path, line_of(text, match.start()),
                      f"{match.group()} has no place in the library")
        for match in re.finditer(rf"(?<![\w.>])({'|'.join(names)})\s*\(", text):
            found(path, line_of(text, match.start()), f"{match.group(1)}() is banned here")


def check_lengths():
    """functions, files and the Makefile are short"""
    for path in sources("src", *docs.TOPS, "tests", "examples", "bench", "include"):
        lines = read(path).splitlines()
        most = MAX_HEADER if path == "include/peck.h" else MAX_FILE
        if len(lines) > most and not path.startswith("tests/kept/"):
            found(path, most, f"{len(lines)} lines; at most {most}")
        start = None
        for number, line in enumerate(lines, 1):
            if line == "{":
                start = number
            elif line == "}" and start is not None:
                if number - start - 1 > MAX_FUNCTION:
                    found(path, start, f"a function of {number - start - 1} lines; at most "
                                       f"{MAX_FUNCTION}")
                start = None
    if len(read("Makefile").splitlines()) > MAX_MAKEFILE:
        found("Makefile", MAX_MAKEFILE, f"more than {MAX_MAKEFILE} lines")


def check_names():
    """file names are unique in the tree, and so is what a struct is called in the program"""
    seen, tags = {}, {}
    for path in sources("src", *docs.TOPS, "include", "tests", "bench", "examples",
                        endings=(".c", ".h", ".def")):
        name = Path(path).name
        if name in seen:
            found(path, 1, f"there is a {seen[name]} too; file names are unique")
        seen[name] = path
    for path in sources("src", *docs.TOPS):
        text = bare(read(path))
        for m in re.finditer(r"\bstruct\s+(\w+)\s*\{", text):
            if m[1] in tags:
                found(path, line_of(text, m.start()),
                      f"{tags[m[1]]} has a struct {m[1]} too; a name has one meaning")
            tags[m[1]] = path


def declared():
    text = bare(read("include/peck.h"))
    return {m.group(1): line_of(text, m.start())
            for m in re.finditer(r"PECK_API\b[^;]*?\b(peck_\w+)\s*\(", text)}


def symbols(path, *flags):
    if not (ROOT / path).exists():
        found(path, 1, "is not built; run `make` first")
        return None
    lines = run("nm", *flags, path).stdout.splitlines()
    return {line.split()[-1] for line in lines if line and not line.endswith(":")}


def check_exports():
    """the libraries export what peck.h declares, and need nothing that talks or exits"""
    wanted = declared()
    for path, flags in (("build/libpeck.so", ["-D", "--defined-only"]),
                        ("build/libpeck.a", ["-g", "--defined-only"])):
        names = symbols(path, *flags)
        if names is None:
            continue
        for name in sorted(set(wanted) - names):
            found("include/peck.h", wanted[name], f"{name} is not in {path}")
        for name in sorted(names - set(wanted)):
            found(path, 1, f"exports {name}, which peck.h does not declare")
    needed = symbols("build/libpeck.a", "-u") or set()
    forbidden = set((BANNED + " " + BANNED_SRC + " " + BANNED_WORDS_SRC).split())
    for name in sorted(needed):
        plain = re.sub(r"^__(\w+)_chk$", r"\1", name.split("@")[0])
        if plain in forbidden:
            found("build/libpeck.a", 1, f"needs {name}: the library never prints, exits or "
                                        "reads the environment")


def check_headers():
    """every header compiles alone, peck.h also as C++17"""
    for path in sources("include", "src", *docs.TOPS, endings=".h"):
        result = run(CC, *DIALECT, "-Wall", "-Wextra", "-fsyntax-only", "-x", "c", path)
        if result.returncode != 0 or result.stderr:
            found(path, 1, "does not compile alone: " + result.stderr.strip()[:300])
    if not has(CXX):
        return skip(f"peck.h as C++; {CXX} is not installed")
    result = run(CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x",
                 "c++", "-", input='#include "include/peck.h"\n')
    if result.returncode != 0:
        found("include/peck.h", 1, "is no C++17: " + result.stderr.strip()[:300])


class Plug(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "title", "doc")]


def check_plugs():
    """every plug has a name, a title and a text; names are unique in their kind"""
    if not (ROOT / "build/libpeck.so").exists():
        return found("build/libpeck.so", 1, "is not built; run `make` first")
    at = ctypes.CDLL(str(ROOT / "build/libpeck.so")).peck_plug_at
    at.restype = ctypes.POINTER(Plug)
    at.argtypes = [ctypes.c_int, ctypes.c_size_t]
    kinds = re.search(r"enum peck_kind \{(.*?)\}", read("include/peck.h"), re.S).group(1)
    for number, kind in enumerate(re.findall(r"PECK_\w+", kinds)):
        seen, i = set(), 0
        while at(number, i):
            plug = at(number, i).contents
            name = (plug.name or b"").decode()
            for field in ("name", "title", "doc"):
                if not getattr(plug, field):
                    found("include/peck.h", 1, f"{kind} {i} ('{name}') has no {field}")
            if name in seen:
                found("include/peck.h", 1, f"{kind} '{name}' is there twice")
            seen.add(name)
            i += 1
        if i == 0:
            found("include/peck.h", 1, f"there is no {kind}")
    return None


def check_words():
    """no left-overs: notes to self, paths of a machine, conflict marks, loose blanks"""
    notes = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
    paths = re.compile(r"(?<![\w.$}])/(home|root|work|Users)/\w")
    marks = re.compile(r"^(<<<<<<<|>>>>>>>)( |$)")
    for path in FILES:
        if path.startswith(("tests/fuzz/corpus/", "tests/golden/", "tests/data/",
                            "tests/kept/")):
            continue
        if path.endswith(".png"):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            for pattern in (notes, paths, marks):
                match = pattern.search(line)
                if match:
                    found(path, number, f"'{match.group().strip()}' has no place here")
            if re.search(r"[ \t]+$", line) and not path.endswith((".md", "LICENSE")):
                found(path, number, "blanks at the end of the line")


def check_docs():
    """man pages and tables of the documents are what `make docs` writes"""
    peck = ROOT / "build/peck"
    if not peck.exists():
        return found("build/peck", 1, "is not built; run `make` first")
    pages = docs.pages(str(peck))
    for path, text in pages.items():
        if not (ROOT / path).exists() or read(path) != text:
            found(path, 1, "is out of date; run `make docs`")
    for path in FILES:
        if re.match(r"docs/man/.*\.[1357]$", path) and path not in pages:
            found(path, 1, "is the page of no verb, function or document")
    return None


def check_man():
    """man pages are set without a warning; those that lead to another one lead to one"""
    pages = [p for p in FILES if re.match(r"docs/man/.*\.[1357]$", p)]
    for path in pages:
        leads = re.match(r"\.so man\d/(.*)\n$", read(path))
        if leads and f"docs/man/{leads[1]}" not in pages:
            found(path, 1, f"there is no {leads[1]}")
    if not has("groff"):
        return skip("warnings of man pages; groff is not installed")
    for path in (p for p in pages if not read(p).startswith(".so ")):
        told = run("groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-z", path)
        if told.stderr or told.returncode != 0:
            found(path, 1, f"groff says: {told.stderr.strip()[:200]}")
    return None


def check_cards():
    """every room has one card, and it tells whom the room includes"""
    rooms, doors = layers(), {}
    for path, room, _, card in docs.cards():
        if room not in rooms or path.split("/")[-2] != room:
            found(path, 1, f"a card of '{room}', which is no room or not this one")
        elif room in doors:
            found(path, 1, f"{room} has a card already, in {doors[room]}")
        elif {w for w in card["knows"].split() if w in rooms} != rooms[room]:
            found(path, 1, f"{room} knows {card['knows']}; tools/layers.txt says otherwise")
        for key in ("in", "out", "never", "grow"):
            if key not in card:
                found(path, 1, f"the card of {room} does not say '{key}'")
        doors[room] = path
    for room, allowed in rooms.items():
        if room not in doors:
            found("tools/layers.txt", 1, f"{room} has no card: see src/data/dataset.h")
        met = {name.split("/")[-2] for path in sources("src", *docs.TOPS)
               if path.split("/")[-2] == room for _, _, name in includes(path)
               if name.startswith("../")}
        for idle in sorted(allowed - met):
            found("tools/layers.txt", 1, f"{room} may include {idle}, but does not")


def spans(path):
    """(line, text) of every `span` of a document, those of ``` blocks left out."""
    text = re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), read(path), flags=re.S)
    for match in re.finditer(r"`([^`\n]+)`", text):
        yield line_of(text, match.start()), match.group(1)


def is_there(name):
    """Whether files are called so: src/ may be left out, the folder and the ending too."""
    places = [name, f"src/{name}", f"src/*/{name}", *(f"{top}/{name}" for top in docs.TOPS)]
    return any(next(ROOT.glob(p + end), None) for p in places for end in ("", ".c", ".h"))


def check_walk():
    """files, types and lists that the walk names exist; rooms and lists are all named"""
    page, guide = "docs/WALK.md", "CONTRIBUTING.md"
    header = read("include/peck.h")
    for number, name in spans(page):
        if re.match(r"peck_\w+$", name) and not re.search(rf"\b{name}\b", header):
            found(page, number, f"there is no {name} in peck.h")
        if re.match(r"[\w*]+(/[\w*.]+)*\.(c|h|def|txt)$|\w+/[\w*/.]+$", name):
            if not is_there(name) and not is_there(name.rstrip("*")):
                found(page, number, f"there is no {name}")
    named = {name for _, name in spans(page)}
    asked = read(page).partition('"Which room am I in?"')[2]
    for room in layers():
        if not re.search(rf"`{room}[`/]", asked):
            found(page, 1, f"'Which room am I in?' does not lead to {room}")
    for path in sources("src", endings=".def"):
        name = Path(path).name
        for where, names in ((page, named), (guide, {n.split("/")[-1] for _, n in spans(guide)})):
            if name not in names:
                found(where, 1, f"does not name {path}")


class Words:
    """What a command of the documents may say, by the command itself."""

    KINDS = "methods norms conventions metrics decoders readers writers generators".split()

    def __init__(self):
        self.peck = str(ROOT / "build/peck")
        self.help = {}
        self.names = {k: {line[0] for line in docs.listed(self.peck, k)} for k in self.KINDS}
        self.settings = set()
        for name in self.names["methods"] | self.names["generators"]:
            text = run(self.peck, "help", name).stdout
            self.settings |= set(re.findall(r"^  ([\w-]+)=", text, re.M))

    def of_verb(self, verb):
        if verb not in self.help:
            done = run(self.peck, verb, "--help")
            self.help[verb] = done.stdout if done.returncode == 0 else None
        return self.help[verb]

    def kind_of(self, verb, flag):
        return {"-m": "methods", "--method": "methods", "-M": "metrics",
                "--metric": "metrics", "-c": "conventions", "--convention": "conventions",
                "--decoder": "decoders", "--norm": "norms",
                "--reader": "readers"}.get(flag)

    def wrong(self, words):
        """What is wrong with `peck WORDS`; None: nothing."""
        verb, rest = words[0], words[1:]
        if verb == "list":
            return None if rest[:1] and rest[0] in self.KINDS else "no such list"
        if verb == "help":
            topic = rest[0] if rest and rest[0].islower() else "help"
            return None if run(self.peck, "help", topic).returncode == 0 else f"no {topic}"
        if self.of_verb(verb) is None:
            return f"no verb {verb}"
        if verb == "generate" and rest and rest[0] not in self.names["generators"]:
            return f"no generator {rest[0]}"
        for flag, value in zip(rest, rest[1:] + [""]):
            if not re.match(r"--?[a-zA-Z]", flag):
                continue
            if not re.search(rf"(?<![\w-]){flag}(?![\w-])", self.of_verb(verb)):
                return f"{verb} has no {flag}"
            key = value.split("=")[0]
            if flag in ("--set", "--grid") and key not in self.settings | {"norm"}:
                return f"nothing has a setting {key}"
            kind = self.kind_of(verb, flag)
            for name in re.split(r"[,+]", value) if kind else []:
                plain = re.split(r"[@:]", name)[0]  # not a convention's "gain=linear"
                if plain.islower() and "=" not in plain and plain not in self.names[kind]:
                    return f"{plain} is none of `peck list {kind}`"
        return None


def commands(path):
    """(line, words) of every `peck ...` of a document, in spans and in blocks of sh."""
    text = read(path)
    for number, span in spans(path):
        if span.startswith("peck ") and not re.search(r" (\d+|N)$", span):  # "peck data 1"
            yield number, span
    for block in re.finditer(r"```sh\n(.*?)```", text, re.S):
        for offset, line in enumerate(block.group(1).splitlines()):
            if line.startswith("peck "):
                yield line_of(text, block.start()) + 1 + offset, re.split(r" #| \| ", line)[0]


def check_commands():
    """commands of the documents name verbs, options, settings and plugs that exist"""
    if not (ROOT / "build/peck").exists():
        return found("build/peck", 1, "is not built; run `make` first")
    known = Words()
    for name in sorted(known.names["readers"] | known.names["writers"]):
        if name not in {span for _, span in spans("docs/FORMATS.md")}:
            found("docs/FORMATS.md", 1, f"does not tell of the format {name}")
    written = [p for p in FILES if re.match(r"docs/(tutorials/\w+|[A-Z]+)\.md$", p) and
               p != "docs/RESULTS.md"]  # whose commands are shortened
    for path in ("README.md", *written):
        for number, command in commands(path):
            words = [w for w in command.replace("…", " ").split()[1:] if w != "..."]
            if not words or not words[0].islower():
                continue
            wrong = known.wrong(words)
            if wrong:
                found(path, number, f"`{command.strip()}`: {wrong}")
    return None


def check_links():
    """relative links of the documents lead somewhere"""
    for path in (f for f in FILES if f.endswith(".md")):
        text = re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), read(path),
                      flags=re.S)
        for match in re.finditer(r"\]\(([^)\s]+)\)", text):
            target = match.group(1).split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            if not ((ROOT / path).parent / target).exists():
                found(path, line_of(text, match.start()), f"{target} does not exist")


def self_test():
    """A house with faults against the layers: each is found, and nothing else."""
    global ROOT, FILES
    card = "/* {0} -- X\n *   in      x\n *   knows   base\n */\n"
    house = {
        "tools/layers.txt": "base [*] :\nlow [second.h gone.h] : base\nhigh : base low\n",
        "src/base/base.h": card.format("base"),
        "src/base/more.h": "",
        "src/low/low.h": card.format("low"),
        "src/low/second.h": '#include "../high/high.h"\n',
        "src/low/inner.h": '#include "low.h"\n',
        "src/low/low.c": '#include "inner.h"\n#include "../base/more.h"\n'
                         "double f(double x) { return math_log(x) + log(x); }\n"
                         "long double g; /* exp(1) */\n",
        "src/high/high.h": card.format("high"),
        "src/high/high.c": '#include "../low/low.h"\n#include "../low/second.h"\n'
                           '#include "../low/inner.h"\n#include "../base/more.h"\n',
    }
    wanted = ["src/high/high.c:3: inner.h is no door of low: take gone.h or low.h or "
              "second.h, or see tools/layers.txt",
              "src/low/low.c:3: log() is banned here",
              "src/low/low.c:4: a long double differs by processor",
              "src/low/second.h:1: low may not include high",
              "tools/layers.txt:1: gone.h is a door of low that nobody takes"]
    with tempfile.TemporaryDirectory() as folder:
        for path, text in house.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text)
        ROOT = docs.ROOT = Path(folder)
        FILES = sorted(house)
        check_layers()
        check_banned()
    for line in sorted(set(findings) ^ set(wanted)):
        print(f"lint: {'not found' if line in wanted else 'not wanted'}: {line}")
    print(f"lint self-test: {len(wanted)} cases, {len(set(findings) ^ set(wanted))} failed, "
          "0 skipped")
    return 1 if set(findings) ^ set(wanted) else 0


CHECKS = {name[len("check_"):]: check for name, check in list(globals().items())
          if name.startswith("check_")}


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    names = sys.argv[1:] or list(CHECKS)
    for name in names:
        if name not in CHECKS:
            print(f"lint: no check '{name}'; there are {' '.join(CHECKS)}", file=sys.stderr)
            return 2
    failed = skipped = 0
    for name in names:
        before, told = len(findings), len(notices)
        CHECKS[name]()
        failed += len(findings) > before
        skipped += len(notices) > told and len(findings) == before
    for line in findings + notices:
        print(line)
    print(f"lint: {len(names)} cases, {failed} failed, {skipped} skipped")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
