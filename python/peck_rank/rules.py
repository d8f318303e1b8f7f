"""Rules: what an expert knows of a ranking, as clauses of logic (docs/RULES.md)."""
from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from ._c import ffi, lib
from ._call import encoded, made
from .dataset import Dataset
from .report import Report


class Rules:
    """Clauses about the documents of a query and their places in the order.

    >>> from peck_rank import Dataset, Rules
    >>> rules = Rules("title: forall d, e | d.title > e.title : before(d, e)")
    >>> data = Dataset([[1.0], [0.0]], [1, 0], feature_names=["title"])
    >>> rules.evaluate(data, [0.9, 0.1])["broken"]
    0.0
    """

    def __init__(self, text: str) -> None:
        self._ptr = made("peck_rules", lib.peck_rules_free, lib.peck_rules_parse, encoded(text))

    @classmethod
    def read(cls, path: Union[str, "os.PathLike[str]"]) -> "Rules":
        rules = cls.__new__(cls)
        rules._ptr = made("peck_rules", lib.peck_rules_free, lib.peck_rules_read, encoded(path))
        return rules

    @classmethod
    def of(cls, rules: Any) -> "Rules":
        """Rules as they are, from a file (a path), or from text."""
        if isinstance(rules, Rules):
            return rules
        return cls.read(rules) if isinstance(rules, os.PathLike) else cls(rules)

    def check(self, data: Dataset) -> Report:
        """How each rule is understood, and how many queries of the data it speaks of."""
        return Report(made("peck_report", lib.peck_report_free, lib.peck_rules_check, self._ptr,
                           data._ptr))

    def evaluate(self, data: Dataset, scores: Any) -> Report:
        """How many queries hold each rule under the order of the scores, one for each row."""
        kept = np.ascontiguousarray(data._as_kept(np.asarray(scores, dtype=np.float64)))
        if kept.shape != (data.n_docs,):
            raise ValueError(f"{kept.size} scores for {data.n_docs} rows")
        return Report(made("peck_report", lib.peck_report_free, lib.peck_rules_evaluate,
                           self._ptr, data._ptr, ffi.from_buffer("double[]", kept)))
