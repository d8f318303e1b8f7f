"""markdown.py -- the Markdown of our documents as blocks; blocks as HTML and as man pages.

Understood: # headings, paragraphs, fenced code, tables, lists (an item may hold blocks, indented),
block quotes, ---; in a line `code`, **bold**, *slanted*, [text](address),
![text](picture), <https://address>.  Comments <!-- --> are left out.

A block is a tuple: ("heading", level, text), ("code", language, text),
("table", ways, head, rows), ("list", is_ordered, items as lists of blocks), ("quote", text), ("rule",),
("paragraph", text)."""

import html
import re
import textwrap

FENCE = re.compile(r"^```\s*(\S*)")
ITEM = re.compile(r"^(?:[-*]|(\d+)\.) +(.*)")
SHORT = 22  # code of so few letters is not broken over two lines
SPLIT = re.compile(r"(?<!\\)\|")
# What stands in a line, the first that fits: code keeps everything inside as it is.
INLINE = re.compile(r"(?P<tick>`+)(?P<code>.+?)(?P=tick)(?!`)"
                    r"|!\[(?P<alt>(?:`[^`]*`|[^]`])*)\]\((?P<picture>[^)\s]+)\)"
                    r"|\[(?P<text>(?:`[^`]*`|!\[[^]]*\]\([^)]*\)|[^]`])+)\]\((?P<to>[^)\s]+)\)"
                    r"|<(?P<address>https?://[^>\s]+)>"
                    r"|\*\*(?P<bold>(?:`[^`]*`|[^*])+)\*\*"
                    r"|(?<![\w*])\*(?P<slant>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])", re.S)


def cells(line):
    """The cells of a table's row."""
    inside = re.sub(r"^\||(?<!\\)\|$", "", line.strip())
    return [c.strip().replace("\\|", "|") for c in SPLIT.split(inside)]


def ways(line):
    """Left or right of each column."""
    return ["right" if c.endswith(":") and not c.startswith(":") else "left" for c in cells(line)]


class Reader:
    def __init__(self, text):
        self.lines = re.sub(r"^<!--.*?-->\n?", "", text, flags=re.S | re.M).split("\n")
        self.at = 0

    def take_while(self, wanted):
        first = self.at
        while self.at < len(self.lines) and wanted(self.lines[self.at]):
            self.at += 1
        return self.lines[first:self.at]

    def code(self, language):
        self.at += 1
        inside = self.take_while(lambda line: not line.startswith("```"))
        self.at += 1
        return ("code", language, "\n".join(inside) + "\n")

    def table(self):
        rows = self.take_while(lambda line: line.lstrip().startswith("|"))
        return ("table", ways(rows[1]), cells(rows[0]), [cells(r) for r in rows[2:]])

    def list(self, is_ordered):
        items = []
        while self.at < len(self.lines):
            match = ITEM.match(self.lines[self.at])
            if not match or bool(match[1]) != is_ordered:
                break
            self.at += 1
            more = self.take_while(lambda line: not line.strip() or line.startswith("  "))
            while more and not more[-1].strip():  # what parts two items, or ends the list
                more.pop()
            inside = textwrap.dedent("\n".join(more))
            items.append(blocks(f"{match[2]}\n{inside}"))
        return ("list", is_ordered, items)

    def is_plain(self, line):
        return bool(line.strip()) and not (
            line.startswith(("```", "#", ">", "|")) or ITEM.match(line) or line == "---")

    def block(self):
        line = self.lines[self.at]
        heading = re.match(r"(#{1,6}) +(.*)", line)
        item = ITEM.match(line)
        if heading:
            self.at += 1
            return ("heading", len(heading[1]), heading[2].strip())
        if FENCE.match(line):
            return self.code(FENCE.match(line)[1])
        if line.startswith("|") and self.at + 1 < len(self.lines) and \
                re.match(r"^\|[\s|:-]+$", self.lines[self.at + 1]):
            return self.table()
        if item:
            return self.list(bool(item[1]))
        if line.startswith(">"):
            said = self.take_while(lambda other: other.startswith(">"))
            return ("quote", "\n".join(s[1:].strip() for s in said))
        if line == "---":
            self.at += 1
            return ("rule",)
        first = self.lines[self.at]
        self.at += 1
        return ("paragraph", "\n".join([first, *self.take_while(self.is_plain)]))


def blocks(text):
    reader, found = Reader(text), []
    while reader.at < len(reader.lines):
        if reader.lines[reader.at].strip():
            found.append(reader.block())
        else:
            reader.at += 1
    return found


def plain(text):
    """A line without its marks, for titles and for search."""
    def bare(m):
        if m["picture"]:
            return plain(m["alt"])
        return m["code"] or m["address"] or plain(m["text"] or m["bold"] or m["slant"])
    return INLINE.sub(bare, text)


def slug(text, taken=None):
    """The anchor of a heading, as hosts of repositories make it."""
    name = re.sub(r"[^\w\- ]", "", plain(text).lower()).replace(" ", "-")
    if taken is not None:
        count = taken.get(name, 0)
        taken[name] = count + 1
        name = f"{name}-{count}" if count else name
    return name


# HTML ------------------------------------------------------------------------------------


def code_html(words):
    """Code within a sentence: whole on its line, or broken where a name has a joint."""
    escaped = html.escape(words, False)
    if len(words) < SHORT:
        return f"<code class=short>{escaped}</code>"
    joints = re.sub(r"([_/,=(|])(?=\w)", r"\1<wbr>", escaped)
    return f"<code>{joints}</code>"


def inline_html(text, link=lambda to: to, picture=lambda to, alt: None):
    """link turns an address into that of the site; picture may give the whole element."""
    def one(m):
        if m["code"] is not None:
            words = m["code"].strip()
            return code_html(words)
        if m["picture"]:
            alt = plain(m["alt"])
            return picture(m["picture"], alt) or (
                f'<img src="{html.escape(link(m["picture"]))}" alt="{html.escape(alt)}">')
        if m["to"]:
            return f'<a href="{html.escape(link(m["to"]))}">{inside(m["text"])}</a>'
        if m["address"]:
            return f'<a href="{html.escape(m["address"])}">{html.escape(m["address"])}</a>'
        if m["bold"]:
            return f"<strong>{inside(m['bold'])}</strong>"
        return f"<em>{inside(m['slant'])}</em>"

    def inside(part):
        out, at = [], 0
        for m in INLINE.finditer(part):
            out += [html.escape(part[at:m.start()], False), one(m)]
            at = m.end()
        return "".join([*out, html.escape(part[at:], False)])
    return inside(text)


def table_html(block, line):
    _, align, head, rows = block

    def row(tag, cells_of):
        both = zip(cells_of, align + ["left"] * len(cells_of), [*head, *cells_of])
        return "".join(f'<{tag}{" class=n" if way == "right" else ""}'
                       f'{attribute(name) if stacks and tag == "td" else ""}>{line(c)}</{tag}>'
                       for c, way, name in both)

    def attribute(name):  # what narrow screens show before the cell
        return f' data-name="{html.escape(plain(name))}"' if name else ""
    stacks = len(head) > 2 and "right" not in align  # on narrow screens; columns of numbers scroll
    kind = " class=stacks" if stacks else " class=far" if len(head) > 3 else ""
    top = f"<thead><tr>{row('th', head)}</tr></thead>" if any(head) else ""
    body = "".join(f"<tr>{row('td', r)}</tr>\n" for r in rows)
    return (f'<div class="wide" tabindex="0" role="group" aria-label="table"><table{kind}>{top}<tbody>\n'
            f'{body}</tbody></table></div>\n')


def to_html(found, code, **how):
    """code makes the element of a ("code", ...) block; how goes to inline_html."""
    def line(text):
        return inline_html(text, **how)

    def item_html(inside):
        if [b[0] for b in inside] == ["paragraph"]:
            return line(inside[0][1])
        return to_html(inside, code, **how)

    out, taken = [], {}
    for block in found:
        kind = block[0]
        if kind == "heading":
            level, name = block[1], slug(block[2], taken)
            out.append(f'<h{level} id="{name}">{line(block[2])}<a class="here" href="#{name}" '
                       f'aria-label="link to this section">#</a></h{level}>\n')
        elif kind == "code":
            out.append(code(block))
        elif kind == "table":
            out.append(table_html(block, line))
        elif kind == "list":
            tag = "ol" if block[1] else "ul"
            items = "".join(f"<li>{item_html(i)}</li>\n" for i in block[2])
            out.append(f"<{tag}>\n{items}</{tag}>\n")
        elif kind == "quote":
            out.append(f"<blockquote><p>{line(block[1])}</p></blockquote>\n")
        elif kind == "rule":
            out.append("<hr>\n")
        else:
            out.append(f"<p>{line(block[1])}</p>\n")
    return "".join(out)


# Man pages -------------------------------------------------------------------------------


def roff(text):
    """Plain text for a man page: nothing in it is a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace("`", "\\(ga")
    return re.sub(r"^([.])", r"\\&\1", text, flags=re.M)


def inline_roff(text):
    out, at = [], 0
    for m in INLINE.finditer(text):
        out.append(roff(text[at:m.start()]))
        if m["code"] is not None:
            out.append(f"\\fB{roff(m['code'].strip())}\\fR")
        elif m["bold"] or m["slant"]:
            out.append(f"\\f{'B' if m['bold'] else 'I'}{roff(plain(m[0]))}\\fR")
        elif m["to"] and m["to"].startswith("http"):
            out.append(f"{inline_roff(m['text'])} ({roff(m['to'])})")
        elif m["to"]:
            out.append(inline_roff(m["text"]))
        else:
            out.append(roff(m["alt"] or m["address"] or ""))
        at = m.end()
    joined = "".join([*out, roff(text[at:])])
    return re.sub(r"^([.'])", r"\\&\1", joined, flags=re.M)


def table_roff(block):
    """The first cell as a term, the others below it: wide cells wrap in every terminal."""
    _, _, head, rows = block
    out = []
    for row in rows:
        said = [f"{inline_roff(h)}: {inline_roff(c)}" if h and i else inline_roff(c)
                for i, (h, c) in enumerate(zip(head[1:] + [""] * len(row), row[1:])) if c]
        out.append(f".TP\n{inline_roff(row[0]) or chr(92) + '&'}\n" +
                   (".br\n".join(s + "\n" for s in said) or "\\&\n"))
    return "".join(out)


def to_roff(found):
    """Blocks below the title: ## becomes .SH, ### .SS."""
    out, after_heading = [], True
    for block in found:
        kind = block[0]
        if kind == "heading":
            name = roff(plain(block[2]))
            out.append(f".SH {name.upper()}\n" if block[1] <= 2 else f".SS {name}\n")
        elif kind == "code":
            out.append(f".PP\n.EX\n{roff(block[2])}.EE\n")
        elif kind == "table":
            out.append(table_roff(block))
        elif kind == "list":
            for n, item in enumerate(block[2], 1):
                mark = f"{n}." if block[1] else "\\(bu"
                said = to_roff(item)
                out.append(f".IP {mark} 3\n" + (said if len(item) == 1 else f"{said}".replace(
                    "\n.PP\n", "\n.IP\n")))
        elif kind in ("paragraph", "quote"):
            out.append(("" if after_heading else ".PP\n") + inline_roff(block[1]) + "\n")
        after_heading = kind == "heading"
    return "".join(out)
