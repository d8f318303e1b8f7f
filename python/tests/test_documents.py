"""The examples of docs/PYTHON.md, section by section, and the notebook."""
import doctest
import re

import pytest

import notebook
from conftest import ROOT

TEXT = (ROOT / "docs" / "PYTHON.md").read_text(encoding="utf-8")
SECTIONS = {part.split("\n")[0]: part for part in re.split(r"^## ", TEXT, flags=re.M)
            if ">>>" in part}


def test_the_examples_are_there():
    assert len(SECTIONS) == 5


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SECTIONS)
def test_example(name):
    if "enable_metadata_routing" in SECTIONS[name]:
        pytest.importorskip("sklearn", minversion="1.3")
    code = re.sub(r"^```.*$", "", SECTIONS[name], flags=re.M)
    test = doctest.DocTestParser().get_doctest(code, {}, name, "PYTHON.md", 0)
    told = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert not told, "".join(told)


def test_the_notebook_gives_what_it_says():
    """python/tests/notebook.py --write writes what it gives now."""
    text = (ROOT / "docs" / "NOTEBOOK.md").read_text(encoding="utf-8")
    assert len(notebook.CELL.findall(text)) > 10
    assert notebook.executed(text) == text


def test_a_notebook_shows_what_was_printed_and_the_last_value():
    cells = "```python\nx = 1\n```\n\n```python\nprint(x)\nx + 1\n```\n\n```text\nold\n```\nbehind\n"
    assert notebook.executed(cells) == cells.replace("old\n", "1\n2\n")
