#!/usr/bin/env python3
"""site.py [OUT] -- the documents as a site that opens from a disk: `make site`, build/site.

docs/nav.txt names the pages.  Beside documents there are three: `commands` (docs/man/*.1), `library`
(docs/man/*.3 and peck.h) and `examples`.  Nothing is fetched from elsewhere, and nothing of it
needs a server: the index of the search is a script.  A link that leads nowhere is an error."""

import html
import json
import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

import docs
import manhtml
import markdown

ROOT = Path(__file__).resolve().parent.parent
NAV, STYLE = "docs/nav.txt", "docs/site"
HOME = "README.md"
WORTH = {"Start": 3, "Tutorials": 3, "Guides": 3}
C_WORDS = ("char const double else enum extern float for if int return size_t sizeof static struct "
           "switch typedef uint32_t uint64_t unsigned void while").split()
# Comment, text, word: what each language of a block shows in a colour of its own.
TOKENS = {
    "sh": re.compile(r"(?P<c>(?:^|(?<=\s))#.*)|(?P<t>'[^'\n]*'|\"[^\"\n]*\")|(?P<k>(?:^|(?<=\| ))peck(?= ))", re.M),
    "c": re.compile(r"(?P<c>/\*.*?\*/|//.*)|(?P<t>\"(?:\\.|[^\"\\\n])*\")|(?P<k>\b(?:" + "|".join(C_WORDS) +
                    r")\b|^\s*#\s*\w+)", re.S | re.M),
    "python": re.compile(r"(?P<c>(?:^|(?<=\s))#.*)|(?P<t>'[^'\n]*'|\"[^\"\n]*\")|(?P<k>\b(?:from|import|for|in|if|else|def|"
                         r"class|return|with|as)\b|^(?:>>>|\.\.\.))", re.M),
}
TOKENS["pycon"] = TOKENS["python"]
PAGE = """<!doctype html>
<html lang="en" data-top="{top}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{top}site.css">
<script src="{top}site.js"></script>
</head>
<body>
<a class="skip" href="#content">to the text</a>
<header><div class="bar">
<button id="menu" aria-expanded="false" aria-controls="menu-pages">Menu</button>
<a href="{top}index.html">Peck</a>
<div class="find"><input id="ask" type="search" placeholder="Search ( / )" aria-label="search" autocomplete="off">
<ul id="found" role="listbox" aria-label="found" hidden></ul></div>
<button id="shade" aria-label="light or dark" title="light or dark">◐</button>
</div></header>
<div class="desk">
<nav class="menu" id="menu-pages" aria-label="pages">
{menu}</nav>
<main id="content">
{body}{turn}</main>
<nav class="inside" aria-label="on this page">
{inside}</nav>
</div>
</body>
</html>
"""


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def bare(text):
    """The words of a piece of HTML."""
    text = re.sub(r"<style>.*?</style>|<a class=\"here\".*?</a>", " ", text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def code_html(block):
    _, language, text = block
    out, at = [], 0
    for m in TOKENS[language].finditer(text) if language in TOKENS else ():
        out += [html.escape(text[at:m.start()], False),
                f'<span class="{m.lastgroup}">{html.escape(m[0], False)}</span>']
        at = m.end()
    inside = "".join([*out, html.escape(text[at:], False)])
    return f'<div class="block"><pre><code>{inside}</code></pre></div>\n'


class Page:
    def __init__(self, name, out, title, body):
        self.name, self.out, self.title, self.body = name, out, title, body
        self.worth = 0  # in a search: guides come before figures and reference

    def headings(self):
        """(level, anchor, words) of h2 and h3."""
        found = re.findall(r'<h([23]) id="([^"]*)">(.*?)</h', self.body, re.S)
        return [(int(level), anchor, bare(words)) for level, anchor, words in found]

    def sections(self):
        """What the search knows: [page, title, heading, anchor, text, worth]."""
        parts = re.split(r'(<h[1-3] id="[^"]*">.*?</h[1-3]>)', self.body, flags=re.S)
        entries, heading, anchor = [], self.title, ""
        for part in parts:
            head = re.match(r'<h(\d) id="([^"]*)">(.*)</h', part, re.S)
            if head:
                heading, anchor = bare(head[3]), head[2] if head[1] != "1" else ""
            elif bare(part) or anchor:
                entries.append([self.out, self.title, heading, anchor, bare(part)[:4000], self.worth])
        return entries


class Site:
    def __init__(self):
        self.groups, self.short, self.pages, self.copied = [], {}, {}, set()
        for line in read(NAV).splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith(" "):
                name, _, short = line.strip().partition("  ")
                self.groups[-1][1].append(name)
                self.short[name] = short.strip()
            else:
                self.groups.append((line.strip(), []))
        self.outs = {name: self.out_of(name) for _, names in self.groups for name in names}
        for path in sorted((ROOT / "docs/man").glob("*.[1357]")):
            if not path.read_text(encoding="utf-8").startswith(".so "):
                self.outs[f"docs/man/{path.name}"] = f"man/{path.name}.html"
        for name, section, document, _ in docs.WRITTEN:  # pages already
            self.outs[f"docs/man/{name}.{section}"] = self.outs[document]
        self.outs["include/peck.h"] = "peck.h.html"

    @staticmethod
    def out_of(name):
        if name == HOME:
            return "index.html"
        return re.sub(r"\.md$", "", re.sub("^docs/", "", name)) + ".html"

    def address(self, source, to):
        """Where a link of a document leads on the site, seen from its page."""
        if re.match(r"[a-z]+:", to) or to.startswith("#"):
            return to
        path, mark, anchor = to.partition("#")
        there = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if there not in self.outs and there in ("examples", "docs/man"):
            there = {"examples": "examples", "docs/man": "commands"}[there]
        if there not in self.outs:
            if not (ROOT / there).is_file():
                raise ValueError(f"{source}: {to} leads nowhere")
            self.copied.add(there)
        out = self.outs.get(there, f"files/{there}")
        return posixpath.relpath(out, posixpath.dirname(self.outs[source]) or ".") + mark + anchor

    def picture(self, source, to, alt):
        """A drawing stands in the page, so that it is light or dark with it."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), to))
        if not path.endswith(".svg"):
            return None
        drawing = re.sub(r"@media[^{]*\{[^{}]*\{[^}]*\} *\}\n?", "", read(path))
        return re.sub('aria-label="[^"]*"', lambda _: f'aria-label="{html.escape(alt)}"', drawing, count=1)

    def document(self, name):
        found = markdown.blocks(read(name))
        if not found or found[0][:2] != ("heading", 1):
            raise ValueError(f"{name} does not begin with its title")
        body = markdown.to_html(found, code_html, link=lambda to: self.address(name, to),
                                picture=lambda to, alt: self.picture(name, to, alt))
        self.pages[name] = Page(name, self.outs[name], markdown.plain(found[0][2]), body)

    def man_page(self, name):
        """name: docs/man/FILE."""
        taken = {}

        def other(page, section):
            path = f"docs/man/{page}.{section}"
            if (ROOT / path).exists() and path not in self.outs:  # its page is that of a topic
                path = "docs/" + re.sub(r"man\d/", "man/", read(path).split()[1])
            if path not in self.outs:
                return None
            return posixpath.relpath(self.outs[path], "man")
        file = Path(name).name
        title = f"{file[:-2]}({file[-1]})"
        body = manhtml.to_html(read(name), lambda words: markdown.slug(words, taken), other)
        self.pages[name] = Page(name, self.outs[name], title, f'<h1 id="{file}">{title}</h1>\n{body}')

    def man_list(self, name, title, intro, paths):
        rows = []
        for path in paths:
            about = re.search(r"^.SH NAME\n.*?\\- (.*)$", read(path), re.M)[1].replace("\\-", "-").replace("\\(aq", "'")
            link = posixpath.relpath(self.outs[path], ".")
            rows.append(f'<tr><td><a href="{link}"><code class=short>{Path(path).name[:-2]}</code></a></td>'
                        f"<td>{html.escape(about)}</td></tr>\n")
        table = f'<div class="wide"><table><tbody>\n{"".join(rows)}</tbody></table></div>\n'
        self.pages[name] = Page(name, self.outs[name], title, f'<h1 id="{name}">{title}</h1>\n{intro}{table}')

    def reference(self):
        pages = [p for p in self.outs if p.startswith("docs/man/")]
        for path in pages:
            if self.outs[path].startswith("man/"):
                self.man_page(path)
        self.man_list("commands", "Commands",
                      '<p>The manual pages, as <code>man peck</code> shows them. <code>peck VERB --help</code> has the same.</p>\n',
                      [p for p in pages if p.endswith((".1", ".5", ".7"))])
        self.man_list("library", "The library",
                      '<p>Everything of <a href="peck.h.html"><code>peck.h</code></a>, by topic; after <code>make install</code> '
                      '<code>man peck_train</code> and the like, for every function. <a href="SERVING.html">Serving</a> and '
                      'the <a href="tutorials/embed.html">tutorial</a> show how to begin.</p>\n',
                      [p for p in pages if p.endswith(".3")])
        self.pages["include/peck.h"] = Page("include/peck.h", "peck.h.html", "peck.h",
                                            '<h1 id="peck.h">peck.h</h1>\n' + code_html(("code", "c", read("include/peck.h"))))

    def examples(self):
        out = ['<h1 id="examples">Examples</h1>\n<p>Whole programs; each prints what stands below it. '
               "<code>cc program.c $(pkg-config --cflags --libs peck)</code> builds one.</p>\n"]
        for path in sorted((ROOT / "examples").glob("*.c")):
            anchor = path.stem
            out.append(f'<h2 id="{anchor}">{path.name}</h2>\n' + code_html(("code", "c", path.read_text(encoding="utf-8"))) +
                       code_html(("code", "text", path.with_suffix(".out").read_text(encoding="utf-8"))))
        self.pages["examples"] = Page("examples", self.outs["examples"], "Examples", "".join(out))

    def menu(self, page, top):
        out = []
        for group, names in self.groups:
            links = []
            for name in names:
                other = self.pages[name]
                short = self.short[name] or re.sub(r"[:,(].*", "", other.title)
                here = ' aria-current="page"' if other is page else ""
                links.append(f'<li><a href="{top}{other.out}"{here}>{html.escape(short)}</a></li>')
            out.append(f"<h2>{group}</h2>\n<ul>{''.join(links)}</ul>\n")
        return "".join(out)

    def turn(self, page, top):
        order = [name for _, names in self.groups for name in names]
        if page.name not in order:
            return ""
        i = order.index(page.name)
        links = [f'<a href="{top}{self.pages[n].out}">{mark.format(html.escape(self.pages[n].title))}</a>' if n else "<span></span>"
                 for n, mark in ((order[i - 1] if i else None, "← {}"),
                                 (order[i + 1] if i + 1 < len(order) else None, "{} →"))]
        return f'<div class="next">{"".join(links)}</div>\n'

    def make(self, folder):
        for name in self.outs:
            if name.endswith(".md"):
                self.document(name)
        self.reference()
        self.examples()
        for group, names in self.groups:
            for name in names:
                self.pages[name].worth = WORTH.get(group, 0) if name != HOME else 1
        if folder.exists():
            shutil.rmtree(folder)
        for page in self.pages.values():
            top = "../" * page.out.count("/")
            inside = "".join(f'<li class="l{level}"><a href="#{anchor}">{html.escape(words)}</a></li>'
                             for level, anchor, words in page.headings())
            title = page.title if page.title.startswith("Peck") else f"{page.title} · Peck"
            text = PAGE.format(top=top, title=html.escape(title), menu=self.menu(page, top), body=page.body,
                               turn=self.turn(page, top), inside=f"<h2>On this page</h2><ul>{inside}</ul>" if inside else "")
            to = folder / page.out
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(text, encoding="utf-8")
        for path in sorted(self.copied):
            (folder / "files" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, folder / "files" / path)
        for name in sorted(os.listdir(ROOT / STYLE)):
            shutil.copyfile(ROOT / STYLE / name, folder / name)
        entries = [entry for page in self.pages.values() if page.name != "include/peck.h" for entry in page.sections()]
        (folder / "search.js").write_text(f"window.PECK_SEARCH = {json.dumps(entries, ensure_ascii=False)};\n",
                                          encoding="utf-8")
        return len(self.pages)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site")
    n = Site().make(folder)
    print(f"{folder}: {n} pages; open {folder / 'index.html'} in a browser")


if __name__ == "__main__":
    main()
