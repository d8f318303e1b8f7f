"""header.py -- man pages of the library, from the comments of include/peck.h.

A page is a topic, as the header's sections are; each of its functions has a page that leads
there.  A new section of peck.h needs a line in TOPICS, a new function nothing."""

import itertools
import re
import textwrap

from markdown import roff

# How a section's heading, or a comment's first words, begin; the page; what it is about.
TOPICS = [
    ("0. What can go wrong", "peck_error", "errors, versions, threads, bytes: what all calls share"),
    ("A metric of one's own", "peck_metric", "a metric of your own, by callback"),
    ("1. file -> dataset", "peck_dataset", "datasets from files and arrays, folds, scores in files"),
    ("Preferences", "peck_prefs", "who was preferred to whom"),
    ("2. Data made to order", "peck_generate", "synthetic data from a seed"),
    ("Rules", "peck_rules", "what an expert knows, as clauses: read, check, count, enforce"),
    ("3. train -> model", "peck_train", "train, save, load, blend and describe models"),
    ("4. model -> scores", "peck_score", "scores of documents by a model"),
    ("5. preferences -> order", "peck_decode", "orders from preferences that may contradict each other"),
    ("Strengths of items", "peck_strengths", "strengths of items by answers, and what to ask next"),
    ("6. order -> report", "peck_evaluate", "judge rankings, and compare them"),
    ("How far a model", "peck_probe", "how far a model's comparisons can be trusted"),
    ("Cross-validation", "peck_cv", "train and test on every fold"),
    ("A report of one's own", "peck_report", "reports: numbers, tables and values per query"),
    ("A page of results", "peck_page", "one web page of runs"),
    ("7. What this build offers", "peck_plug", "the methods, metrics, readers and so on of this build"),
    ("8. Rarities", "peck_gaps", "gaps, classes, posteriors: what few programs need"),
]
ALL = "libpeck"
WIDTH = 78


class Item:
    """A comment, and what is declared below it."""

    def __init__(self, comment, heading=""):
        self.comment, self.heading, self.code = comment, heading, []

    def functions(self):
        return [name for code in self.code for name in re.findall(r"PECK_API\b[^;]*?\b(peck_\w+)\(", code)]


def comment_text(lines):
    """The words of a comment without its frame."""
    text = "\n".join(lines)
    text = re.sub(r"\s*\*/\s*$", "", re.sub(r"^/\* ?", "", text))
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in text.split("\n"))


def declarations(text):
    """Items of a header's text, in order; the first is its head."""
    body = text[:text.rindex("#ifdef __cplusplus")].split("\n")
    items, at = [], 0
    while at < len(body):
        line = body[at]
        if line.startswith("/*"):
            first = at
            while "*/" not in body[at]:
                at += 1
            words = comment_text(body[first:at + 1])
            heading = re.match(r"(.*?) -{4,}\s*", words)
            items.append(Item(words[heading.end():] if heading else words,
                              heading[1] if heading else ""))
        elif line.strip() and not re.match(r"#(if|endif|else|include)|extern \"C\"|#define PECK_(H|API|MUST)", line):
            first, depth = at, 0
            while True:
                depth += body[at].count("{") - body[at].count("}")
                bare = re.sub(r"/\*.*?(\*/|$)", "", body[at]).rstrip()
                if line.startswith("#") and not bare.endswith("\\") or \
                        not line.startswith("#") and depth == 0 and bare.endswith(";"):
                    break
                at += 1
            while body[at].count("/*") > body[at].count("*/") or \
                    at > first and "*/" not in body[at] and "/*" in body[at]:
                at += 1
            items[-1].code.append("\n".join(body[first:at + 1]))
        at += 1
    return items


def topics(text):
    """Page -> (title, items), and the head's item."""
    pages, here = {}, None
    items = declarations(text)
    for item in items[1:]:
        begins = item.heading or item.comment
        found = next((t for t in TOPICS if begins.startswith(t[0])), None)
        if found:
            here = pages.setdefault(found[1], (found[2], []))[1]
        elif item.heading:
            raise ValueError(f"peck.h: tools/header.py has no page for the section '{item.heading}'")
        if here is not None:
            here.append(item)
    missing = [page for _, page, _ in TOPICS if page not in pages]
    if missing:
        raise ValueError(f"peck.h has no section for {', '.join(missing)}: see tools/header.py")
    return items[0], pages


def prototype(code):
    """A declaration as man pages have it: without our macros, wrapped."""
    plain = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    plain = " ".join(re.sub(r"\b(PECK_API|PECK_MUST_CHECK)\b", "", plain).split())
    whole = re.sub(r"(?<!,) ", "\1", plain)  # a parameter stays in one piece
    return "\n".join(textwrap.wrap(whole, WIDTH, subsequent_indent="        ", break_long_words=False,
                                   break_on_hyphens=False)).replace("\1", " ") + "\n"


def example(text):
    return f".PP\n.EX\n{roff(text.rstrip())}\n.EE\n"


def names_bold(text):
    return re.sub(r"\b(peck_\w+|PECK_\w+)", r"\\fB\1\\fR", text)


def prose(comment):
    """Paragraphs; those that are indented stay as they are."""
    out = []
    for part in re.split(r"\n\s*\n", comment.strip("\n")):
        if not part.strip():
            continue
        if all(re.match(r" {2,}", line) for line in part.split("\n")):
            out.append(example(textwrap.dedent(part)))
        else:
            out.append(".PP\n" + names_bold(roff(part.strip())) + "\n")
    return "".join(out)


def is_function(code):
    return "PECK_API" in code and not code.startswith("typedef")


def page(name, title, items, version):
    functions = [f for item in items for f in item.functions()]
    names = list(dict.fromkeys([name, *functions]))
    protos = "".join(prototype(c) for item in items for c in item.code if is_function(c))
    out = [f'.TH {roff(name.upper())} 3 "" "peck {version}" "Peck"\n.nh\n.SH NAME\n',
           roff(", ".join(names)), f" \\- {roff(title)}\n",
           ".SH SYNOPSIS\n.nf\n#include <peck.h>\n.PP\n", roff(protos), ".fi\n.SH DESCRIPTION\n"]
    for item in items:
        told = item.functions() or re.findall(r"(?:struct|enum|define) (\w+)", "\n".join(item.code))[:1]
        if told:
            out.append(f".SS {roff(', '.join(told))}\n")
        out.append(prose(item.comment))
        for kind, codes in itertools.groupby(item.code, lambda c: c.startswith("#") or is_function(c) * 2):
            if kind:  # functions and #defines side by side
                out.append(example("".join(prototype(c) if kind == 2 else c + "\n" for c in codes)))
            else:
                out += map(example, codes)
    others = [p for _, p, _ in TOPICS if p != name]
    out.append(".SH SEE ALSO\n" + ",\n".join(f"\\fB{roff(o)}\\fR(3)" for o in
                                            [ALL, *others]) + ",\n\\fBpeck\\fR(1), \\fBpeck\\fR(7)\n")
    return "".join(out)


def overview(head, pages, version):
    words = head.comment.partition("\n")[2]
    out = [f'.TH {ALL.upper()} 3 "" "peck {version}" "Peck"\n.SH NAME\n{ALL} \\- learning to rank, from C\n',
           ".SH SYNOPSIS\n.nf\n#include <peck.h>\n.PP\ncc program.c $(pkg\\-config \\-\\-cflags "
           "\\-\\-libs peck)\n.fi\n.SH DESCRIPTION\n", prose(words),
           ".SH TYPES\n", example("\n".join(c for c in head.code if c.startswith("typedef"))), ".SH PAGES\n"]
    for name, (title, items) in pages.items():
        functions = sum(len(item.functions()) for item in items)
        out.append(f".TP\n\\fB{roff(name)}\\fR(3)\n{roff(title)} ({functions} functions)\n")
    out.append(".SH SEE ALSO\n\\fBpeck\\fR(1), \\fBpeck\\fR(7), \\fBpeck\\-formats\\fR(5)\n")
    return "".join(out)


def man_pages(text):
    """Name of a man page of section 3 -> what is in it, of the header's text."""
    version = re.search(r'PECK_VERSION "(.*?)"', text)[1]
    head, pages = topics(text)
    out = {ALL: overview(head, pages, version)}
    for name, (title, items) in pages.items():
        out[name] = page(name, title, items, version)
        for alias in (f for item in items for f in item.functions()):
            out.setdefault(alias, f".so man3/{name}.3\n")
    return out
