"""Rules: what an expert knows of a ranking, as clauses of logic (docs/RULES.md)."""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Union

import numpy as np

from ._c import ffi, lib
from ._call import encoded, freed_by, made
from .dataset import Dataset
from .errors import check, new_error
from .judging import kept_scores
from .report import Report


class Enforced(NamedTuple):
    """Orders that keep the rules."""

    places: Any  # of each row in the order of its query, from 1, as the rows were given
    report: Report  # of each rule in how many queries it holds; per query what was given up


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
        kept = kept_scores(data, scores)
        return Report(made("peck_report", lib.peck_report_free, lib.peck_rules_evaluate,
                           self._ptr, data._ptr, ffi.from_buffer("double[]", kept)))

    def enforce(self, data: Dataset, scores: Any, *, threads: int = 0) -> Enforced:
        """The order of each query that keeps the rules of the largest total weight that can hold
        together, and of these the one nearest to the scores, one for each row.

        >>> from peck_rank import Dataset, Rules, evaluate
        >>> new = Rules("new: exists d | d.new > 0 : top(1, d)")
        >>> data = Dataset([[0], [0], [1]], [2, 1, 0], feature_names=["new"])
        >>> places, report = new.enforce(data, [0.9, 0.5, 0.1])
        >>> places
        array([2, 3, 1])
        >>> evaluate(data, -places, "ndcg@1")["ndcg@1"]
        0.0
        """
        kept = kept_scores(data, scores)
        order, places = np.empty(data.n_docs, dtype=np.uint32), np.empty(data.n_docs, np.int64)
        report, err = ffi.new("peck_report **"), new_error()
        check(lib.peck_enforce_all(self._ptr, data._ptr, ffi.from_buffer("double[]", kept),
                                   threads, ffi.from_buffer("uint32_t[]", order), ffi.NULL,
                                   ffi.NULL, report, err), err)
        for i in range(data.n_queries):
            q = data._query(i)
            places[q.first + order[q.first:q.first + q.n_docs]] = np.arange(q.n_docs) + 1
        return Enforced(data._as_given(places),
                        Report(freed_by(report[0], lib.peck_report_free, None)))
