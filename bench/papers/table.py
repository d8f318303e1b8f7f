"""A table for a terminal that is a Markdown table as well."""


def markdown(rows, words=1):
    """rows: cells as text, the heads first; a short row is filled up.  The first columns, as
    many as words, stand left, the others right."""
    wide = [max(len(r[i]) for r in rows if i < len(r)) for i in range(len(rows[0]))]
    rule = ["-" * w if i < words else "-" * (w - 1) + ":" for i, w in enumerate(wide)]
    lines = []
    for r in [rows[0], rule, *rows[1:]]:
        r = r + [""] * (len(wide) - len(r))
        cells = [c.ljust(w) if i < words else c.rjust(w) for i, (c, w) in enumerate(zip(r, wide))]
        lines.append("| " + " | ".join(cells) + " |\n")
    return "".join(lines)
