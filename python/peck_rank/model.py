"""Models: what training leaves, and what scores, ranks and compares."""
from __future__ import annotations

import os
from html import escape
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from ._c import ffi, lib
from ._call import Spec, encoded, made, taken, text_of
from .dataset import Dataset, Lists, lists_of
from .errors import about_rows, check, new_error
from .report import Report
from .rows import Rows, as_rows

SHORT = 4096  # rows of a list that is scored without making a dataset of it
CUT = 128  # rows that are scored together where each is scored alone


class DecodeInfo(NamedTuple):
    """What an order took."""

    n_questions: int
    n_distinct: int
    n_pairs: int
    cost: float


def decode_spec(decoder: Optional[str] = None, budget: int = 0, seed: int = 0,
                threads: int = 0, **more: Any) -> Spec:
    return Spec("peck_decode_spec", decoder=decoder, budget=budget, seed=seed, threads=threads,
                **more)


def decode_info(info: Any) -> DecodeInfo:
    return DecodeInfo(int(info.n_questions), int(info.n_distinct), int(info.n_pairs),
                      float(info.cost))


class Model:
    """Weights, normaliser and where they came from.  Never changes; threads may share one.

    >>> import numpy as np
    >>> from peck_rank import Model, Ranker
    >>> X = np.arange(20, dtype=np.float32).reshape(10, 2)
    >>> model = Ranker("ridge").fit(X, np.arange(10)).model_
    >>> int(Model.from_bytes(model.to_bytes()).predict(X).argmax())
    9
    """

    def __init__(self, pointer: Any) -> None:
        self._ptr = pointer
        self._scorers: list[Any] = []  # those that no thread uses now
        self._anchors: Any = None  # rows that a model which compares is asked about
        self.n_features = int(lib.peck_model_features(pointer))
        # Whether it compares two documents at a time.
        self.compares = bool(lib.peck_model_compares(pointer))
        # Whether the score of a document is its own, whatever list it comes in.
        self.scores_alone = bool(lib.peck_model_scores_alone(pointer))
        names = [text_of(lib.peck_model_feature_name(pointer, i))
                 for i in range(self.n_features)]
        # What the training data called its features; None: it had no names.
        self.feature_names: Optional[list[str]] = names if all(names) else None

    # In and out ---------------------------------------------------------------------------

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "Model":
        return cls(made("peck_model", lib.peck_model_free, lib.peck_model_load, encoded(path)))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """One file, the same as the command writes; it appears whole or not at all."""
        err = new_error()
        check(lib.peck_model_save(self._ptr, encoded(path), err), err)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """Checked as a file is: bytes from anywhere do no harm."""
        return cls(made("peck_model", lib.peck_model_free, lib.peck_model_unpack, bytes(data),
                        len(data)))

    def to_bytes(self) -> bytes:
        """What `save` would write."""
        out, err = ffi.new("peck_bytes *"), new_error()
        check(lib.peck_model_pack(out, self._ptr, err), err)
        return taken(out)

    def __getstate__(self) -> Any:
        return {"bytes": self.to_bytes(), "anchors": self._anchors}

    def __setstate__(self, state: Any) -> None:
        self.__init__(Model.from_bytes(state["bytes"])._ptr)  # type: ignore[misc]
        self._anchors = state["anchors"]

    # What it is ---------------------------------------------------------------------------

    def describe(self) -> Report:
        """What the file says of itself, as `peck inspect` tells it."""
        return Report(made("peck_report", lib.peck_report_free, lib.peck_model_describe,
                           self._ptr))

    def importance(self) -> Report:
        """Which features trees and steps ask about, and their share of what was gained."""
        return Report(made("peck_report", lib.peck_report_free, lib.peck_model_importance,
                           self._ptr))

    def weights(self) -> Report:
        """What a linear model gives to each feature, as it scales them."""
        return Report(made("peck_report", lib.peck_report_free, lib.peck_model_weights,
                           self._ptr))

    def __repr__(self) -> str:
        told = self.describe().texts
        return (f"<Model: {told.get('method', 'committee')}, {self.n_features} features, "
                f"{'compares' if self.compares else 'scores'}>")

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text[:200])}</td></tr>"
                       for name, text in self.describe().as_dict().items()
                       if isinstance(text, str) and not name.endswith(".name"))
        return f"<table>{rows}</table>"

    # Scores -------------------------------------------------------------------------------

    def predict(self, X: Any, *, qid: Any = None, group: Any = None, one_list: bool = False,
                threads: int = 0) -> Any:
        """The score of each row, in the order of the rows: the higher, the earlier.

        qid or group says which rows are a list.  A model whose scores depend on the list
        refuses to guess that, unless `one_list` says that all rows are one."""
        if isinstance(X, Dataset):
            return X._as_given(self._score(X, threads))
        rows = as_rows(X)
        return self._predict_rows(rows, lists_of(rows, qid, group), one_list, threads)

    def _predict_rows(self, rows: Rows, lists: Optional[Lists], one_list: bool,
                      threads: int) -> Any:
        with about_rows(rows.x):
            return self._predict(rows, lists, one_list, threads)

    def _predict(self, rows: Rows, lists: Optional[Lists], one_list: bool, threads: int) -> Any:
        n = len(rows.x)
        if lists is None and self._anchors is not None and not one_list:
            return self._score_beside_anchors(rows.x)
        if lists is None and not self.scores_alone and not one_list and n > 1:
            raise ValueError(
                "the scores of this model depend on the list, and nothing says which rows are "
                "one: give qid (a single value where all rows are of one query), or group")
        if (lists is None or len(lists.sizes) == 1) and n <= SHORT and self._is_plain(rows) \
                and not self.compares:
            return self._score_list(rows.x)
        if lists is None and self.scores_alone:
            sizes = np.full((n + CUT - 1) // CUT, CUT, dtype=np.uint32)
            sizes[-1] = n - CUT * (len(sizes) - 1)
            lists = Lists(None, sizes, None)
        data = Dataset.__new__(Dataset)
        data._fill(rows, None, lists)
        return data._as_given(self._score(data, threads))

    def _is_plain(self, rows: Rows) -> bool:
        """Whether the columns are those of the model, one by one."""
        if rows.x.shape[1] != self.n_features:
            return False
        return rows.names is None or rows.names == self.feature_names \
            or self.feature_names is None

    def _score(self, data: Dataset, threads: int) -> Any:
        scores, err = np.empty(data.n_docs), new_error()
        check(lib.peck_model_score(self._ptr, data._ptr, threads,
                                   ffi.from_buffer("double[]", scores), err), err)
        return scores

    def _scorer(self) -> Any:
        try:
            return self._scorers.pop()
        except IndexError:
            return made("peck_scorer", lib.peck_scorer_free, lib.peck_scorer_new, self._ptr,
                        on=self._ptr)

    def _score_list(self, x: Any) -> Any:
        """One list, without a dataset: what a server does a thousand times a second."""
        scorer, scores, err = self._scorer(), np.empty(len(x)), new_error()
        check(lib.peck_score(scorer, ffi.from_buffer("float[]", x), len(x), x.shape[1],
                             ffi.from_buffer("double[]", scores), err), err)
        self._scorers.append(scorer)
        return scores

    # Orders -------------------------------------------------------------------------------

    def rank(self, X: Any, *, qid: Any = None, group: Any = None, one_list: bool = False,
             top: Optional[int] = None, decoder: Optional[str] = None, budget: int = 0,
             seed: int = 0, threads: int = 0) -> Any:
        """Every list in order: records of query, rank (from 1), row and score.

        With a decoder the order comes from comparisons, also of a model that scores."""
        data = X if isinstance(X, Dataset) else self._dataset(X, qid, group, one_list)
        if decoder is None and not self.compares:
            scores = self._score(data, threads)
        else:
            scores, err = np.empty(data.n_docs), new_error()
            spec = decode_spec(decoder, budget, seed, threads)
            check(lib.peck_model_rank(self._ptr, data._ptr, spec.p,
                                      ffi.from_buffer("double[]", scores), ffi.NULL, err), err)
        return _ranking(data, scores, top)

    def _dataset(self, X: Any, qid: Any, group: Any, one_list: bool) -> Dataset:
        rows = as_rows(X)
        lists = lists_of(rows, qid, group)
        if lists is None and not one_list and not self.scores_alone and len(rows.x) > 1:
            raise ValueError("which rows are one list?  Give qid, or group")
        data = Dataset.__new__(Dataset)
        data._fill(rows, None, lists)
        return data

    def prefer(self, a: Any, b: Any, *, X: Any = None) -> Any:
        """How strongly each of `a` goes before its partner in `b`, from 0 to 1.

        a and b are rows of features, each pair a list of its own; or, with X, the numbers of
        rows of X, which is one list."""
        if X is not None:
            i, j = np.atleast_1d(np.asarray(a)), np.atleast_1d(np.asarray(b))
            return self._duels(as_rows(X).x, i, j)
        first, second = as_rows(np.atleast_2d(a)).x, as_rows(np.atleast_2d(b)).x
        if first.shape != second.shape:
            raise ValueError(f"a and b are pairs, but their shapes are {first.shape} and "
                             f"{second.shape}")
        one, two = np.array([0]), np.array([1])
        return np.concatenate([self._duels(np.stack(pair), one, two)
                               for pair in zip(first, second)])

    def _duels(self, x: Any, i: Any, j: Any) -> Any:
        if x.shape[1] != self.n_features:
            raise ValueError(f"X has {x.shape[1]} features, but the model is expecting "
                             f"{self.n_features} features as input.")
        if len(i) != len(j) or (len(i) and not (0 <= min(i.min(), j.min())
                                                and max(i.max(), j.max()) < len(x))):
            raise ValueError(f"a and b are pairs of rows from 0 to {len(x) - 1}")
        duels = np.stack([i, j], axis=1).astype(np.uint32)
        found, scorer, err = np.empty(len(i), dtype=np.float32), self._scorer(), new_error()
        check(lib.peck_prefer(scorer, ffi.from_buffer("float[]", x), len(x), x.shape[1],
                              ffi.cast("peck_duel *", ffi.from_buffer(duels)), len(i),
                              ffi.from_buffer("float[]", found), ffi.NULL, err), err)
        self._scorers.append(scorer)
        return found

    def _score_beside_anchors(self, x: Any) -> Any:
        """Without lists a model that compares scores a row by its mean preference over a few
        rows of the training data, which are the same for all: so it depends on no other row."""
        anchors, scores = self._anchors, np.empty(len(x))
        k = len(anchors)
        for at in range(0, len(x), CUT):
            block = x[at:at + CUT]
            both = np.concatenate([anchors, block])
            i = np.repeat(np.arange(k, k + len(block)), k)
            j = np.tile(np.arange(k), len(block))
            scores[at:at + CUT] = self._duels(both, i, j).reshape(-1, k).mean(
                axis=1, dtype=np.float64)
        return scores


def _ranking(data: Dataset, scores: Any, top: Optional[int]) -> Any:
    """Records of every list in order, equal scores as they came."""
    sizes = data.group
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-scores, query))
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    if top is not None:
        order, rank = order[rank <= top], rank[rank <= top]
    ids = data._as_kept(data.qid)
    row = order if data._order is None else data._order[order]
    found = np.empty(len(order), dtype=[("query", ids.dtype), ("rank", np.int64),
                                        ("row", np.int64), ("score", np.float64)])
    found["query"], found["rank"], found["row"] = ids[order], rank, row
    found["score"] = scores[order]
    return found


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """A model from a file, whoever wrote it: the command, C or Python."""
    return Model.load(path)
