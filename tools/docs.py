#!/usr/bin/env python3
"""docs.py [PECK] -- what the documents say twice, written from where it is said first.

    docs/man/*.1          the tables behind --help
    docs/completion/*     the same, for shells
    docs/man/*.3          the comments of peck.h: see header.py
    docs/man/peck.7       docs/CONCEPTS.md
    docs/man/peck-formats.5  docs/FORMATS.md
    CITATION.cff          the version, from peck.h
    docs/METHODS.md       methods, from `peck list` and recipes.def
    docs/NUMBERS.md       conventions, from `peck list`
    docs/RULES.md         the settings of a rule, from rules.c; the methods that take rules
    docs/WALK.md          the rooms, from the cards on their doors; two trainings, from the code

A part of a document stands between <!-- NAME --> and <!-- end of NAME -->.  `make docs`
writes; `make lint` (check docs) compares."""

import re
import subprocess
import sys
from pathlib import Path

import header
import markdown

ROOT = Path(__file__).resolve().parent.parent
METHODS, NUMBERS, RULES, WALK = (f"docs/{name}.md" for name in ("METHODS", "NUMBERS", "RULES", "WALK"))
# Man pages that are documents too: page, section, document, what it is about.
WRITTEN = [("peck", 7, "docs/CONCEPTS.md", "the words, the files and the exit codes of Peck"),
           ("peck-formats", 5, "docs/FORMATS.md", "every file that Peck reads and writes")]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(c.replace("|", "\\|") for c in line) + " |\n"
                   for line in lines)


def joined(text):
    """C's "one " "text" as one."""
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', text)).replace('\\"', '"')


# Rooms -------------------------------------------------------------------------------


TOPS = ("ask", "web", "cli")  # rooms of the command, beside src


def layers():
    """Room -> (rooms that it may include, its further doors), in the file's order."""
    found = {}
    for line in read("tools/layers.txt").splitlines():
        match = re.match(r"(\w+)\s*(?:\[([^]]*)\]\s*)?:([^#]*)", line)
        if match:
            found[match[1]] = (match[3].split(), (match[2] or "").split())
    return found


def cards():
    """(file, room, title, {"in": ..., "knows": ...}) of every card on a door."""
    found = []
    for path in sorted([*ROOT.glob("src/*/*.h"), *(h for top in TOPS for h in ROOT.glob(f"{top}/*.h"))]):
        card = re.match(r"/\* (\w+) -- (.*)\n((?: \*   .*\n)+)",
                        path.read_text(encoding="utf-8"))
        if card is None:
            continue
        entries, last = {}, None
        for line in card[3].splitlines():
            key, words = line[5:13].strip(), line[13:].replace("*/", "").strip()
            last = key or last
            entries[last] = f"{entries.get(last, '')} {words}".strip()
        if "knows" in entries:
            found.append((str(path.relative_to(ROOT)), card[1], card[2].strip(), entries))
    return found


def rooms_table():
    order = list(layers())
    rows = sorted((order.index(room), f"`{path}`", title.lower().replace("->", "→"), entries["knows"], entries["never"])
                  for path, room, title, entries in cards() if room in order)
    return table(["door", "what goes in, what comes out", "knows", "never"],
                 [row[1:] for row in rows])


# What a user can name -----------------------------------------------------------------


def listed(peck, kind):
    done = subprocess.run([peck, "list", kind], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def families():
    """Method -> what kind of model it makes: its family's title."""
    recipe = re.compile(r'^(?:RECIPE\((\w+)|NAMED\(\w+, "([\w-]+)"), *(\w+), *(\w+)', re.M)
    found = {}
    for plain, quoted, _, family in recipe.findall(read("src/learn/recipes.def")):
        about = re.search(rf'"{family}",\s*"([^"]*)"', read(f"src/model/family_{family}.c"))
        found[plain or quoted] = about[1]
    return found


def methods_table(peck):
    """Methods of one kind stand together, kinds as their first methods do."""
    kind = families()
    order = list(dict.fromkeys(kind.values()))
    rows = [[f"`{name}`", kind[name], title, source.rstrip(".")]
            for name, title, source, *_ in listed(peck, "methods")]
    return table(["method", "kind of model", "what it is", "whose"],
                 sorted(rows, key=lambda row: order.index(row[1])))


def conventions_table(peck):
    return table(["convention", "whose rules"],
                 [[f"`{name}`", title] for name, title, *_ in listed(peck, "conventions")])


def rule_settings_table():
    text = re.search(r"rule_params\[\] = \{\n(.*?)\n\};", read("src/rules/rules.c"), re.S)[1]
    row = re.compile(r'\{ "(\w+)", PARAM_\w+, "([^"]*)", "([^"]*)",\s*((?:"[^"]*"\s*)+),')
    return table(["setting", "default", "may be", ""],
                 [[f"`{key}`", usual, f"`{allowed}`", joined(doc)]
                  for key, usual, allowed, doc in row.findall(text)])


def rule_takers(peck):
    names = [f"`{name}`" for name, *_, rules in listed(peck, "methods") if rules]
    return f"{', '.join(names[:-1])} and {names[-1]}.\n"


# Code ---------------------------------------------------------------------------------


def function(path, name):
    """The definition of a function, as it stands there."""
    found = re.search(rf"^[a-z][^\n;]*\b{name}\([^{{;]*\n\{{\n.*?^\}}\n", read(path), re.M | re.S)
    if found is None:
        raise ValueError(f"{path} has no function {name}")
    return f"```c\n{found[0]}```\n"


# Documents ----------------------------------------------------------------------------


def fill(page, name, text):
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"a document has lost its {begin.strip()} or its {end}")
    return before + begin + text + end + after


def version():
    return re.search(r'PECK_VERSION "(.*?)"', read("include/peck.h"))[1]


def man_of_document(name, section, path, about):
    """A document as a man page."""
    body = [b for b in markdown.blocks(read(path)) if b[:2] != ("heading", 1)]
    return (f'.TH {markdown.roff(name.upper())} {section} "" "peck {version()}" "Peck"\n.SH NAME\n'
            f"{markdown.roff(name)} \\- {about}\n.SH DESCRIPTION\n{markdown.to_roff(body)}")


def pages(peck):
    """Path -> text, of everything that is written here."""
    def man(*words):
        return subprocess.run([peck, "help", *words, "--man"], stdout=subprocess.PIPE,
                              text=True, check=True).stdout

    out = {"docs/man/peck.1": man()}
    for path in sorted(ROOT.glob("cli/cmd_*.c")):
        verb = path.stem[len("cmd_"):]
        out[f"docs/man/peck-{verb}.1"] = man(verb)
    for shell in ("bash", "zsh", "fish"):
        out[f"docs/completion/peck.{shell}"] = subprocess.run(
            [peck, "help", "--completion", shell], stdout=subprocess.PIPE, text=True,
            check=True).stdout
    for name, text in header.man_pages(read("include/peck.h")).items():
        out[f"docs/man/{name}.3"] = text
    for name, section, path, about in WRITTEN:
        out[f"docs/man/{name}.{section}"] = man_of_document(name, section, path, about)
    out["CITATION.cff"] = re.sub("^version: .*", f"version: {version()}", read("CITATION.cff"), flags=re.M)
    out[METHODS] = fill(read(METHODS), "methods", methods_table(peck))
    out[NUMBERS] = fill(read(NUMBERS), "conventions", conventions_table(peck))
    rules = fill(read(RULES), "settings", rule_settings_table())
    out[RULES] = fill(rules, "takers", rule_takers(peck))
    walk = fill(read(WALK), "rooms", rooms_table())
    for learner, name in (("sgd", "sgd_epoch"), ("sortnet", "sortnet_epoch")):
        walk = fill(walk, name, function(f"src/learn/learner_{learner}.c", name))
    out[WALK] = walk
    return out


def main():
    peck = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/peck").resolve())
    for path, text in pages(peck).items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
