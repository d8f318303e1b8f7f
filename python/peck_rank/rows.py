"""What users have in memory, on its way to rows of float32: arrays, frames, sparse matrices.

Rows that are float32 already, one after the other, are taken where they lie.  Everything else is
converted in blocks, straight into those rows, so that no second copy of the whole is made.
"""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import arrow

BLOCK = 1 << 16  # rows that are converted at a time


class Rows(NamedTuple):
    """Features as the library takes them."""

    x: Any  # float32, C-contiguous, rows by features
    names: Optional[list[str]]  # of the features, where all of them are text
    qid: Any = None  # a column "qid" of a frame


def as_rows(X: Any, estimator: str = "Ranker") -> Rows:
    """Rows of float32 from whatever holds numbers in two dimensions."""
    if isinstance(X, np.ndarray) and type(X) is np.ndarray:
        return Rows(_dense(X, estimator), None)
    if hasattr(X, "tocsr") and hasattr(X, "nnz"):
        return Rows(_sparse(X, estimator), None)
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas, whatever it is built on
        return _pandas(X, estimator)
    if arrow.is_table(X):
        with arrow.opened(X) as table:
            return _from_columns(table, estimator)
    return Rows(_dense(np.asarray(X), estimator), None)


def _dense(x: Any, estimator: str) -> Any:
    _check_shape(x, estimator)
    if x.dtype == np.float32 and x.flags.c_contiguous and x.dtype.isnative:
        return x
    out = np.empty(x.shape, dtype=np.float32)
    for at in range(0, len(x), BLOCK):
        _convert(x[at:at + BLOCK], out[at:at + BLOCK])
    return out


def _check_shape(x: Any, estimator: str) -> None:
    if x.ndim == 1:
        raise ValueError(f"Expected 2D array, got 1D array instead:\narray={x}.\nReshape your "
                         "data: X.reshape(-1, 1) if it has a single feature, X.reshape(1, -1) "
                         "if it is a single row.")
    if x.ndim != 2:
        raise ValueError(f"Found array with dim {x.ndim}. {estimator} expected 2: rows by "
                         "features.")
    for axis, what in ((0, "sample"), (1, "feature")):
        if x.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={x.shape}) while a minimum "
                             f"of 1 is required by {estimator}.")


def _convert(block: Any, out: Any) -> None:
    """A block of any numbers to float32; what does not fit is told, not made infinite."""
    if block.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{block}\n")
    if block.dtype.kind not in "biuf":
        block = _numbers(block)
    with np.errstate(over="ignore"):
        out[...] = block
    if block.dtype.itemsize > 4 and block.dtype.kind == "f":
        lost = np.isinf(out) & np.isfinite(block)
        if lost.any():
            raise ValueError("Input X contains infinity or a value too large for "
                             "dtype('float32').")


def _numbers(block: Any) -> Any:
    """Numbers that came as objects or text; None is missing."""
    if block.dtype.kind == "O":
        if any(isinstance(v, complex) for v in block.flat):
            raise ValueError(f"Complex data not supported\n{block}\n")
        block = np.where(block == None, np.nan, block)  # noqa: E711  element by element
    try:
        return block.astype(np.float64)
    except TypeError as error:
        raise TypeError(f"argument must be a string or a number: {error}") from None


def _sparse(x: Any, estimator: str) -> Any:
    """A sparse matrix in blocks of rows; what it has no value of is 0."""
    if len(x.shape) != 2:
        raise ValueError(f"Found array with dim {len(x.shape)}. {estimator} expected 2.")
    if x.dtype.kind == "c":
        raise ValueError("Complex data not supported\n")
    rows = x.tocsr()
    out = np.empty(rows.shape, dtype=np.float32)
    _check_shape(out, estimator)
    step = max(1, BLOCK // 16)
    for at in range(0, rows.shape[0], step):
        _convert(rows[at:at + step].toarray(), out[at:at + step])
    return out


def _pandas(frame: Any, estimator: str) -> Rows:
    """A frame of pandas: each column has a type of its own."""
    return _from_columns(arrow.Table(list(frame.columns), len(frame),
                                     lambda i: frame.iloc[:, i]), estimator)


def _from_columns(table: arrow.Table, estimator: str) -> Rows:
    """Columns, one by one, to rows.  One that is called "qid" says which query a row is of."""
    is_qid = [isinstance(name, str) and name == "qid" for name in table.names]
    kept = [i for i, is_one in enumerate(is_qid) if not is_one]
    out = np.empty((table.n_rows, len(kept)), dtype=np.float32)
    _check_shape(out, estimator)
    for to, i in enumerate(kept):
        try:
            values = _column(table.column(i))
            values = values if values.dtype.kind in "biufc" else _numbers(values)
        except (TypeError, ValueError) as error:
            raise type(error)(f"column {table.names[i]!r}: {error}; features are numbers: leave "
                              "the column out, or encode it") from None
        _convert(values, out[:, to])
    qid = np.array(table.column(is_qid.index(True))) if any(is_qid) else None
    return Rows(out, names_of(table.names[i] for i in kept), qid)


def _column(column: Any) -> Any:
    """One column as an array; null is NaN."""
    if isinstance(column, np.ndarray):
        return column
    if getattr(column, "hasnans", False) and column.dtype.kind not in "fcO":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    values = np.asarray(column)
    return values if values.dtype.kind != "O" else _numbers(values)


def names_of(names: Any) -> Optional[list[str]]:
    """Names of features, as scikit-learn has it: all of them text, or none."""
    found = list(names)
    kinds = {isinstance(name, str) for name in found}
    if len(kinds) > 1:
        raise TypeError("Feature names are only supported if all input features have string "
                        "names, but your input has names of several types. If you want "
                        "feature names to be stored and validated, you must convert them all "
                        "to strings, by using X.columns = X.columns.astype(str) for example.")
    return found if kinds == {True} else None


def as_vector(values: Any, n_rows: int, what: str) -> Any:
    """One number a row."""
    vector = np.asarray(values)
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector.ravel()
    if vector.ndim != 1:
        raise ValueError(f"{what} should be a 1d array, got an array of shape {vector.shape} "
                         "instead.")
    if len(vector) != n_rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                         f"[{n_rows}, {len(vector)}]: {what} has one value a row.")
    if vector.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{vector}\n")
    return vector if vector.dtype.kind in "biuf" else _numbers(vector)
