"""Datasets: queries, their documents and labels, from files, arrays and frames."""
from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

import numpy as np

from ._c import ffi, lib
from ._call import Spec, encoded, freed_by, made, text_of
from .errors import check, new_error
from .report import Report
from .rows import Rows, as_rows, as_vector

UNJUDGED = float(lib.PECK_UNJUDGED)


class Lists(NamedTuple):
    """Which rows belong together."""

    order: Any  # the row of each place in the dataset; None: as they came
    sizes: Any  # uint32, of each query
    ids: Optional[list[Any]]  # of each query; None: no names


def by_group(group: Any, n_rows: int) -> Lists:
    """Sizes of lists that follow each other, as LightGBM has them."""
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise ValueError("group is the number of rows of each query, one after the other")
    if int(sizes.sum()) != n_rows:
        raise ValueError(f"the sizes in group add up to {int(sizes.sum())}, but there are "
                         f"{n_rows} rows")
    return Lists(None, sizes[sizes > 0].astype(np.uint32), None)


def by_qid(qid: Any, n_rows: int) -> Lists:
    """Rows of the same qid are one list, wherever they stand, in the order they came; lists
    stand by their first row.  A single value: all rows are of that query."""
    if np.ndim(qid) == 0:
        return Lists(None, np.array([n_rows], dtype=np.uint32), [_plain(qid)])
    ids = np.asarray(qid)
    if ids.dtype.kind in "US" and any(not isinstance(v, str) for v in qid):
        ids = np.empty(len(qid), dtype=object)  # numbers beside text stay what they are
        ids[:] = list(qid)
    if ids.ndim != 1 or len(ids) != n_rows:
        raise ValueError(f"qid has one value a row: {n_rows} rows, but qid has the shape "
                         f"{ids.shape}")
    starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    heads = [_plain(v) for v in ids[starts]]
    if any(v is None or v != v for v in heads):
        raise ValueError("qid has a missing value; every row belongs to a query")
    if len(set(heads)) == len(heads):
        return Lists(None, np.diff([*starts, n_rows]).astype(np.uint32), heads)
    code_of: dict[Any, int] = {}
    codes = np.repeat([code_of.setdefault(v, len(code_of)) for v in heads],
                      np.diff([*starts, n_rows]))
    return Lists(np.argsort(codes, kind="stable"), np.bincount(codes).astype(np.uint32),
                 list(code_of))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def lists_of(rows: Rows, qid: Any, group: Any) -> Optional[Lists]:
    """None: nobody said which rows belong together."""
    if qid is not None and group is not None:
        raise ValueError("qid and group say the same thing; give one of them")
    if group is not None:
        return by_group(group, len(rows.x))
    qid = rows.qid if qid is None else qid
    return None if qid is None else by_qid(qid, len(rows.x))


class Dataset:
    """Queries, documents, labels.

    >>> import numpy as np
    >>> from peck_rank import Dataset
    >>> d = Dataset(np.eye(4, dtype=np.float32), [2, 0, 1, 0], qid=["a", "b", "a", "b"])
    >>> d
    <Dataset: 2 queries, 4 documents, 4 features>
    >>> d.queries
    ['a', 'b']

    X : float32 rows that follow each other are used where they lie, and must not change as long
        as the dataset lives; anything else is converted.  Arrays, frames of pandas, polars,
        pyarrow and duckdb, scipy's sparse matrices.  NaN and null are missing values.
    y : labels, 0 and up; NaN: nobody judged this document.  None: nobody judged any.
    qid : the query of each row, of any type, in any order; group: sizes of lists instead.
          Neither: all rows are one list.
    """

    def __init__(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None,
                 weight: Any = None, query_weight: Optional[Mapping[Any, float]] = None,
                 doc_ids: Optional[Iterable[Any]] = None,
                 feature_names: Optional[Iterable[str]] = None) -> None:
        rows = as_rows(X, "Dataset")
        lists = lists_of(rows, qid, group)
        self._fill(rows, y, lists, weight, query_weight, doc_ids, feature_names)

    def _fill(self, rows: Rows, y: Any, lists: Optional[Lists], weight: Any = None,
              query_weight: Any = None, doc_ids: Any = None, feature_names: Any = None) -> None:
        n, dim = rows.x.shape
        if lists is None:
            lists = Lists(None, np.array([n], dtype=np.uint32), None)
        order = lists.order
        x = rows.x if order is None else rows.x[order]
        names = list(feature_names) if feature_names is not None else rows.names
        if names is not None and len(names) != dim:
            raise ValueError(f"{len(names)} feature names for {dim} features")
        label = None if y is None else _labels(as_vector(y, n, "y"), order)
        doc_weight = None if weight is None else _floats(as_vector(weight, n, "weight"), order)
        arrays = Spec("peck_arrays", x=ffi.from_buffer("float[]", x), n_docs=n, n_features=dim,
                      docs_in_query=ffi.from_buffer("uint32_t[]", lists.sizes),
                      n_queries=len(lists.sizes), keep_missing=1,
                      label=_pointer(label), doc_weight=_pointer(doc_weight),
                      query_weight=_pointer(_query_weights(lists, query_weight)),
                      query_id=None if lists.ids is None else [str(v) for v in lists.ids],
                      doc_id=None if doc_ids is None else _ordered(list(doc_ids), order, n),
                      feature_name=names)
        self._ptr = made("peck_dataset", lib.peck_dataset_free, lib.peck_dataset_make, arrays.p,
                         on=x)
        self._kept: Any = x
        self._order = order
        self._ids = lists.ids

    @classmethod
    def _wrap(cls, pointer: Any, kept: Any = None, order: Any = None) -> "Dataset":
        made_one = cls.__new__(cls)
        made_one._ptr = pointer
        made_one._kept = kept
        made_one._order = order
        made_one._ids = None
        return made_one

    @classmethod
    def _of(cls, data: Any) -> "Dataset":
        """A dataset as it is, from a file, or of rows that nobody judged."""
        if isinstance(data, Dataset):
            return data
        return cls.read(data) if isinstance(data, (str, os.PathLike)) else cls(data)

    @classmethod
    def read(cls, path: Union[str, "os.PathLike[str]"], *, format: Optional[str] = None,
             missing: Optional[str] = None, features: Optional[str] = None,
             feature_names: Any = None, groups: Any = None, query_weights: Any = None,
             label_column: Optional[str] = None, query_column: Optional[str] = None,
             doc_column: Optional[str] = None, zero_based: bool = False,
             labels_optional: bool = False, threads: int = 0) -> "Dataset":
        """Any format that `readers()` names, plain or packed; options as the command has them."""
        options = Spec("peck_read_options", format=format, missing=missing, features=features,
                       feature_names=feature_names, query_sizes=groups,
                       query_weights=query_weights, threads=threads,
                       zero_based=int(zero_based), labels_optional=int(labels_optional),
                       label_column=label_column, query_column=query_column,
                       doc_column=doc_column)
        return cls._wrap(made("peck_dataset", lib.peck_dataset_free, lib.peck_dataset_read,
                              encoded(path), options.p))

    def write(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None) -> None:
        """LETOR text, CSV, TSV or Peck's own cache, by the name's ending or by `format`."""
        err = new_error()
        check(lib.peck_dataset_write(self._ptr, encoded(path),
                                     ffi.NULL if format is None else encoded(format), err), err)

    # What is in it ------------------------------------------------------------------------

    @property
    def _info(self) -> Any:
        info = ffi.new("peck_dataset_info *")
        lib.peck_dataset_describe(self._ptr, info)
        return info

    @property
    def n_docs(self) -> int:
        return int(self._info.n_docs)

    @property
    def n_queries(self) -> int:
        return int(self._info.n_queries)

    @property
    def n_features(self) -> int:
        return int(self._info.n_features)

    @property
    def n_judged(self) -> int:
        return int(self._info.n_judged)

    def _query(self, i: int) -> Any:
        query = ffi.new("peck_query *")
        lib.peck_dataset_query(self._ptr, i, query)
        return query

    @property
    def queries(self) -> list[str]:
        """The name of each query."""
        return [text_of(self._query(i).id) for i in range(self.n_queries)]

    @property
    def group(self) -> Any:
        """The number of documents of each query."""
        return np.array([self._query(i).n_docs for i in range(self.n_queries)], dtype=np.int64)

    @property
    def labels(self) -> Any:
        """Of each row, as the rows were given; NaN: nobody judged it."""
        found = np.empty(self.n_docs, dtype=np.float32)
        for i in range(self.n_queries):
            q = self._query(i)
            found[q.first:q.first + q.n_docs] = np.frombuffer(
                ffi.buffer(q.label, q.n_docs * 4), dtype=np.float32)
        found[found == UNJUDGED] = np.nan
        return self._as_given(found)

    @property
    def qid(self) -> Any:
        """The query of each row, as the rows were given."""
        ids = self._ids if self._ids is not None else self.queries
        try:
            names = np.array(ids) if len({type(v) for v in ids}) == 1 else None
        except ValueError:
            names = None
        if names is None or names.ndim != 1:
            names = np.empty(len(ids), dtype=object)
            names[:] = ids
        return self._as_given(np.repeat(names, self.group))

    @property
    def features(self) -> Any:
        """The rows, in the dataset's order; a copy."""
        found = np.empty((self.n_docs, self.n_features), dtype=np.float32)
        for i in range(self.n_queries):
            q = self._query(i)
            n_floats = (q.n_docs - 1) * q.stride + self.n_features if q.n_docs else 0
            flat = np.frombuffer(ffi.buffer(q.x, n_floats * 4), dtype=np.float32)
            found[q.first:q.first + q.n_docs] = np.lib.stride_tricks.as_strided(
                flat, (q.n_docs, self.n_features), (4 * q.stride, 4))
        return self._as_given(found)

    @property
    def feature_names(self) -> Optional[list[str]]:
        if not self._info.has_feature_names:
            return None
        return [text_of(lib.peck_dataset_feature_name(self._ptr, i))
                for i in range(self.n_features)]

    @property
    def doc_ids(self) -> Optional[list[str]]:
        """Of each row, as the rows were given."""
        if not self._info.has_doc_ids:
            return None
        ids = np.empty(self.n_docs, dtype=object)
        ids[:] = [text_of(lib.peck_dataset_doc_id(self._ptr, i)) for i in range(self.n_docs)]
        return list(self._as_given(ids))

    def _as_given(self, values: Any) -> Any:
        """One value a row, from the dataset's order to that in which rows were given."""
        if self._order is None:
            return values
        found = np.empty_like(values)
        found[self._order] = values
        return found

    def _as_kept(self, values: Any) -> Any:
        """The way back."""
        return values if self._order is None else values[self._order]

    # Others from it -----------------------------------------------------------------------

    def fold(self, n_folds: int, fold: int, part: str, seed: int = 1) -> "Dataset":
        """Part "train", "valid" or "test" of a fold, from 0: whole queries, dealt by seed."""
        return Dataset._wrap(made("peck_dataset", lib.peck_dataset_free, lib.peck_dataset_fold,
                                  self._ptr, n_folds, fold, encoded(part), seed,
                                  on=self._ptr), self)

    def holdout(self, share: float, seed: int = 1) -> tuple["Dataset", "Dataset"]:
        """(kept, held): a share of the queries, drawn by seed, goes to the second."""
        kept, held = ffi.new("peck_dataset **"), ffi.new("peck_dataset **")
        err = new_error()
        check(lib.peck_dataset_holdout(kept, held, self._ptr, share, seed, err), err)
        kept_one, held_one = (Dataset._wrap(freed_by(p[0], lib.peck_dataset_free, self._ptr),
                                            self) for p in (kept, held))
        return kept_one, held_one

    def summary(self, threads: int = 0) -> Report:
        """What a person must know before training, as `peck stats` tells it."""
        return Report(made("peck_report", lib.peck_report_free, lib.peck_summarise, self._ptr,
                           threads))

    def __len__(self) -> int:
        return self.n_docs

    def __repr__(self) -> str:
        return (f"<Dataset: {self.n_queries} queries, {self.n_docs} documents, "
                f"{self.n_features} features>")


def _pointer(values: Any) -> Any:
    return None if values is None else ffi.from_buffer("float[]", values)


def _floats(values: Any, order: Any) -> Any:
    found = np.ascontiguousarray(values, dtype=np.float32)
    return found if order is None else found[order]


def _labels(y: Any, order: Any) -> Any:
    if y.dtype.kind == "f" and np.isnan(y).any():
        y = np.where(np.isnan(y), UNJUDGED, y)
    return _floats(y, order)


def _query_weights(lists: Lists, weights: Optional[Mapping[Any, float]]) -> Any:
    if weights is None:
        return None
    if lists.ids is None:
        raise ValueError("query_weight names queries, which only qid does")
    return np.array([weights.get(v, 1.0) for v in lists.ids], dtype=np.float32)


def _ordered(values: list[Any], order: Any, n: int) -> list[str]:
    if len(values) != n:
        raise ValueError(f"{len(values)} doc_ids for {n} rows")
    return [str(values[i]) for i in (range(n) if order is None else order)]
