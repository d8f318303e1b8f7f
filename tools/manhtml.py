"""manhtml.py -- a man page as HTML: the requests and escapes that our pages use, no others."""

import html
import re

FONTS = {"B": "<b>", "I": "<i>", "R": "", "P": ""}
GLYPHS = {"-": "-", "e": "\\", "&": "", "(aq": "'", "(bu": "•", "(ha": "^", "(ti": "~", "(ga": "`",
          "(dq": '"', " ": " "}
ESCAPE = re.compile(r"\\(?:f([BIRP])|(\([a-z]{2}|[-e& ]))")
PAGE = re.compile(r"<b>([\w.-]+)</b>\((\d)\)")


def line_html(text):
    """One line of text with its fonts."""
    out, at, open_tag = [], 0, ""
    for m in ESCAPE.finditer(text):
        out.append(html.escape(text[at:m.start()], False))
        if m[1]:
            out.append(open_tag.replace("<", "</"))
            open_tag = FONTS[m[1]]
            out.append(open_tag)
        else:
            out.append(html.escape(GLYPHS[m[2]], False))
        at = m.end()
    return "".join([*out, html.escape(text[at:], False), open_tag.replace("<", "</")])


def fonts(request, words):
    """.B, .I, .BR and .IR: words in one font, or in two by turns."""
    parts = re.findall(r'"([^"]*)"|(\S+)', words)
    parts = [a or b for a, b in parts]
    if len(request) == 1:
        return f"\\f{request}{' '.join(parts)}\\fR"
    return "".join(f"\\f{request[i % 2]}{p}\\fR" for i, p in enumerate(parts))


class Page:
    def __init__(self, anchor):
        self.out, self.open, self.anchor, self.name = [], None, anchor, ""
        self.term = 0  # 2: the next line is a term, 1: what comes is its text
        self.plain = False

    def close(self):
        if self.open:
            self.out.append(f"</{self.open}>\n")
        self.open = None

    def enter(self, tag):
        if self.open != tag:
            self.close()
            self.out.append(f"<{tag}>")
            self.open = tag

    def text(self, line):
        words = line_html(line)
        if self.plain:
            self.out.append(words + "\n")
        elif self.term == 2:
            self.enter("dl")
            self.out.append(f"<dt>{words}</dt><dd>")
            self.term = 1
        elif self.open == "dl":
            self.out.append(words + " ")
        else:
            self.enter("p")
            self.out.append(words + "\n")

    def heading(self, level, words):
        self.close()
        self.term = 0
        title = re.sub(r"<[^>]*>", "", line_html(words.strip('"')))
        shown = title.capitalize() if title.isupper() and "_" not in title else title
        name = self.anchor(title)
        self.out.append(f'<h{level} id="{name}">{shown}<a class="here" href="#{name}" '
                        f'aria-label="link to this section">#</a></h{level}>\n')

    def request(self, name, words):
        if name in ("SH", "SS"):
            self.heading(2 if name == "SH" else 3, words)
        elif name in ("PP", "P", "LP"):
            if not self.plain:
                self.close()
                self.term = 0
            else:
                self.out.append("\n")
        elif name in ("EX", "nf"):
            self.close()
            self.out.append("<pre>")
            self.plain = True
        elif name in ("EE", "fi"):
            self.out.append("</pre>\n")
            self.plain = False
        elif name == "TP":
            self.out.append("</dd>\n" if self.term == 1 else "")
            self.term = 2
        elif name == "br":
            self.out.append("<br>")
        elif name in ("B", "I", "BR", "IR", "RB", "RI", "BI"):
            self.text(fonts(name, words))
        elif name not in ("TH", "nh", "ad", "hy"):
            raise ValueError(f"a man page asks for .{name}: see tools/manhtml.py")


def to_html(text, anchor, address):
    """anchor makes the id of a heading; address(name, section) is that of another page, or
    None."""
    page = Page(anchor)
    for line in text.splitlines():
        asked = re.match(r"\.([A-Za-z]+) ?(.*)", line)
        if asked:
            page.request(asked[1], asked[2])
        elif not line.startswith('.\\"'):
            page.text(line)
    page.close()

    def linked(m):
        to = address(m[1], m[2])
        return f'<a href="{to}"><b>{m[1]}</b>({m[2]})</a>' if to else m[0]
    return PAGE.sub(linked, "".join(page.out))
