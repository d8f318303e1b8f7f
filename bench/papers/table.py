"""A table for a terminal that is a Markdown table as well."""


def markdown(rows):
    """rows: cells as text, the heads first; a short row is filled up.  The first column
    stands left, the others right."""
    wide = [max(len(r[i]) for r in rows if i < len(r)) for i in range(len(rows[0]))]
    rule = ["-" * wide[0]] + ["-" * (w - 1) + ":" for w in wide[1:]]
    lines = []
    for r in [rows[0], rule, *rows[1:]]:
        r = r + [""] * (len(wide) - len(r))
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, wide))]
        lines.append("| " + " | ".join(cells) + " |\n")
    return "".join(lines)
