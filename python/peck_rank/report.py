"""Reports: named numbers, tables, and values of each query."""
from __future__ import annotations

import json
import os
from html import escape
from typing import Any, Iterator, Mapping, Union

import numpy as np

from ._c import ffi, lib
from ._call import encoded, taken, text_of
from .errors import check, new_error


class Report(Mapping[str, float]):
    """What came out, by name; prints as the command prints it.

    >>> import peck_rank
    >>> r = peck_rank.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 0.3, "b": 0.5}}, "mrr,p@1")
    >>> r["mrr"], r["p@1"]
    (0.5, 0.0)
    """

    def __init__(self, pointer: Any) -> None:
        self._ptr = pointer

    def _items(self) -> Iterator[Any]:
        item = ffi.new("peck_item *")
        i = 0
        while lib.peck_report_item(self._ptr, i, item):
            yield i, item
            i += 1

    def _numbers(self) -> dict[str, float]:
        return {text_of(item.name): float(item.number) for _, item in self._items()
                if item.kind == lib.PECK_ITEM_NUMBER and not item.is_note}

    def __getitem__(self, name: str) -> float:
        return self._numbers()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers())

    def __len__(self) -> int:
        return len(self._numbers())

    @property
    def texts(self) -> dict[str, str]:
        """What is told in words."""
        return {text_of(item.name): text_of(item.text) for _, item in self._items()
                if item.kind == lib.PECK_ITEM_TEXT}

    @property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Rows of each table by its title: column -> number or text."""
        return {text_of(item.name): [self._row(i, row, item.n_columns)
                                     for row in range(item.n_rows)]
                for i, item in self._items() if item.kind == lib.PECK_ITEM_TABLE}

    def _row(self, i: int, row: int, n_columns: int) -> dict[str, Any]:
        cell = ffi.new("peck_item *")
        found = {}
        for column in range(n_columns):
            lib.peck_report_cell(self._ptr, i, row, column, cell)
            is_text = cell.kind == lib.PECK_ITEM_TEXT
            found[text_of(cell.name)] = text_of(cell.text) if is_text else float(cell.number)
        return found

    @property
    def queries(self) -> list[str]:
        """The queries that there are values of."""
        return [text_of(lib.peck_report_query_id(self._ptr, i))
                for i in range(lib.peck_report_queries(self._ptr))]

    @property
    def per_query(self) -> dict[str, Any]:
        """Metric -> an array of one value for each of `queries`; NaN: left out."""
        found: dict[str, Any] = {}
        n = lib.peck_report_queries(self._ptr)
        while name := text_of(lib.peck_report_query_metric(self._ptr, len(found))):
            values = np.empty(n)
            err = new_error()
            check(lib.peck_report_query_values(self._ptr, encoded(name),
                                               ffi.from_buffer("double[]", values), err), err)
            found[name] = values
        return found

    def as_text(self, format: str = "text") -> str:
        """"text" (for people), "tsv" or "json"."""
        out = ffi.new("peck_bytes *")
        err = new_error()
        check(lib.peck_report_print(out, self._ptr, encoded(format), err), err)
        return taken(out).decode()

    def as_dict(self) -> Any:
        """All of it, as the command's --json has it."""
        return json.loads(self.as_text("json"))

    def save(self, path: Union[str, "os.PathLike[str]"], format: str = "json") -> None:
        err = new_error()
        check(lib.peck_report_save(self._ptr, encoded(path), encoded(format), err), err)

    def __str__(self) -> str:
        return self.as_text()

    def __repr__(self) -> str:
        values = ", ".join(f"{name}: {value:.6g}" for name, value in self._numbers().items())
        return f"<Report: {values}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.as_text())}</pre>"
