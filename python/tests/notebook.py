"""notebook.py FILE [--write] -- runs a notebook that is kept as Markdown, cell by cell.

Cells are blocks of ```python, and each may have a block of ```text behind it: what it printed,
then the value of its last line.  Jupyter with jupytext opens such a file as a notebook.  Says
which blocks are not what comes out now, and exits with 1; --write writes what does.
"""
import ast
import contextlib
import io
import re
import sys
from pathlib import Path

CELL = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def outcome(source, names):
    """What a cell prints, and the value of its last line as the prompt would show it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
            if value is not None:
                print(repr(value))
    return printed.getvalue()


def executed(text):
    """The same notebook with what its cells give now."""
    names = {"__name__": "__main__"}

    def cell(found):
        told = outcome(found[1], names)
        return f"```python\n{found[1]}```\n" + (f"\n```text\n{told}```\n" if told else "")

    return CELL.sub(cell, text)


def main():
    path = Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    now = executed(text)
    if "--write" in sys.argv[2:]:
        path.write_text(now, encoding="utf-8")
        return 0
    for old, new in zip(CELL.finditer(text), CELL.finditer(now)):
        if old[0] != new[0]:
            print(f"{path}: gives now\n{new[0]}")
    return int(now != text)


if __name__ == "__main__":
    sys.exit(main())
