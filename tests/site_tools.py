"""site_tools.py -- what makes the site and the man pages (tools/markdown.py, manhtml.py, header.py), on
small texts: each piece of Markdown becomes the right HTML and roff, nothing in a text becomes a tag or
a request, and a section of peck.h without a page is an error."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
import header  # noqa: E402
import manhtml  # noqa: E402
import markdown  # noqa: E402

INLINE = {
    "a `<b>` & *c* **d**": "a <code class=short>&lt;b&gt;</code> &amp; <em>c</em> <strong>d</strong>",
    "[x `y`](A.md#z)": '<a href="A.md#z">x <code class=short>y</code></a>',
    "<https://e.org/?a=1&b>": '<a href="https://e.org/?a=1&amp;b">https://e.org/?a=1&amp;b</a>',
    "![an `o`](p.png)": '<img src="p.png" alt="an o">',
    "2 * 3 * 4, a_b_c, <i>": "2 * 3 * 4, a_b_c, &lt;i&gt;",
    "`lambdarank_truncation_level`": "<code>lambdarank_<wbr>truncation_<wbr>level</code>",
    "`` a`b ``": "<code class=short>a`b</code>",
}
BLOCKS = {
    "# A\nb\nc\n\n- d\n  e\n- f\n": [("heading", 1, "A"), ("paragraph", "b\nc"),
                                     ("list", False, [[("paragraph", "d\ne")], [("paragraph", "f")]])],
    "1. a\n\n   ```sh\n   b\n   ```\n\n2. c\n": [("list", True, [[("paragraph", "a"), ("code", "sh", "b\n")],
                                                            [("paragraph", "c")]])],
    "| a | b |\n|---|--:|\n| `x\\|y` | 1 |\n": [("table", ["left", "right"], ["a", "b"], [["`x|y`", "1"]])],
    "<!-- x -->\ntext\n<!-- end of x -->\n": [("paragraph", "text")],
    "```sh waits\n# no heading\n```\n": [("code", "sh", "# no heading\n")],
    "> a\n> b\n\n---\n": [("quote", "a\nb"), ("rule",)],
}
ROFF = {
    ".SH no request": "\\&.SH no request",
    "a\\b 'c' x-y": "a\\eb \\(aqc\\(aq x\\-y",
    "`--set` *x* [t](https://e.org)": "\\fB\\-\\-set\\fR \\fIx\\fR t (https://e.org)",
}
HEADER = """/* peck.h -- a head */
#define PECK_VERSION "9.9"
/* {heading} ---- */
/* Does it. */
PECK_API PECK_MUST_CHECK peck_status peck_do(const char *a,
                                             peck_error *err);
#ifdef __cplusplus
"""


def cases():
    for text, wanted in INLINE.items():
        yield text, markdown.inline_html(text), wanted
    for text, wanted in BLOCKS.items():
        yield text, markdown.blocks(text), wanted
    for text, wanted in ROFF.items():
        yield text, markdown.inline_roff(text), wanted
    yield "slugs", [markdown.slug(t, taken) for taken in [{}] for t in ("A `b`: c!", "A b c")], ["a-b-c", "a-b-c-1"]
    page = ".TH X 1\n.SH NAME\nx \\- \\fBa<b\\fR\n.PP\n.EX\n.EE\n.SH SEE ALSO\n\\fBpeck\\fR(1)\n"
    yield "a man page", manhtml.to_html(page, markdown.slug, lambda name, section: f"{name}.{section}.html"), (
        '<h2 id="name">Name<a class="here" href="#name" aria-label="link to this section">#</a></h2>\n'
        "<p>x - <b>a&lt;b</b>\n</p>\n<pre></pre>\n"
        '<h2 id="see-also">See also<a class="here" href="#see-also" aria-label="link to this section">#</a></h2>\n'
        '<p><a href="peck.1.html"><b>peck</b>(1)</a>\n</p>\n')
    item = header.declarations(HEADER.format(heading="1. any"))[-1]
    yield "functions", item.functions(), ["peck_do"]
    yield "a prototype", header.prototype(item.code[0]), "peck_status peck_do(const char *a, peck_error *err);\n"
    try:
        header.man_pages(HEADER.format(heading="99. Unheard of"))
        yield "a section without a page", "taken", "refused"
    except ValueError as error:
        yield "a section without a page", "99. Unheard of" in str(error), True


def main():
    n = failed = 0
    for what, found, wanted in cases():
        n += 1
        if found != wanted:
            failed += 1
            print(f"{what!r}:\n  {found!r}\n  not {wanted!r}")
    print(f"site tools: {n} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
