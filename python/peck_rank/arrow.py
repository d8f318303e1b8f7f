"""Tables by the Arrow PyCapsule interface, without importing pyarrow, polars or duckdb.

An object hands out a stream of record batches as C structs; a column becomes an array here, where
it lies if it can, its nulls NaN.  https://arrow.apache.org/docs/format/CDataInterface.html has the structs and the
letters of the types.
"""
from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from ._c import ffi

NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8",
           "L": "u8", "e": "f2", "f": "f4", "g": "f8"}
OFFSETS = {"u": "i4", "U": "i8"}  # of text: where each piece begins

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def is_table(thing: Any) -> bool:
    return hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "__arrow_c_array__")


class Table(NamedTuple):
    """Columns that are still where the owner has them: `column` is asked for one at a time."""

    names: list[str]
    n_rows: int
    column: Callable[[int], Any]


@contextmanager
def opened(table: Any) -> Iterator[Table]:
    """The columns of a table, as long as it is held; numbers as arrays, text as objects."""
    capsules: Any = None  # held: they own what they point to
    arrays: list[Any] = []
    if hasattr(table, "__arrow_c_stream__"):
        capsules = table.__arrow_c_stream__()
        stream = ffi.cast("struct ArrowArrayStream *", _pointer(capsules, b"arrow_array_stream"))
        schema = ffi.new("struct ArrowSchema *")
        _check(stream, stream.get_schema(stream, schema))
        arrays = list(_arrays(stream))
    else:
        capsules = table.__arrow_c_array__()
        schema = ffi.cast("struct ArrowSchema *", _pointer(capsules[0], b"arrow_schema"))
        arrays = [ffi.cast("struct ArrowArray *", _pointer(capsules[1], b"arrow_array"))]
    try:
        yield Table(_names(schema), sum(array.length for array in arrays),
                    lambda i: _column(schema.children[i], arrays, i))
    finally:
        for struct in (schema, *arrays):
            _release(struct)


def _column(schema: Any, arrays: list[Any], i: int) -> Any:
    parts = [_values(schema, array.children[i], array.offset, array.length) for array in arrays]
    return parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty(0)])


def _arrays(stream: Any) -> Iterator[Any]:
    """One batch after the other; who takes them gives them back."""
    while True:
        array = ffi.new("struct ArrowArray *")
        _check(stream, stream.get_next(stream, array))
        if array.release == ffi.NULL:
            return
        yield array


def _check(stream: Any, code: int) -> None:
    if code != 0:
        why = stream.get_last_error(stream)
        raise OSError(code, ffi.string(why).decode(errors="replace") if why else "no Arrow data")


def _release(struct: Any) -> None:
    if struct.release != ffi.NULL:
        struct.release(struct)


def _names(schema: Any) -> list[str]:
    if ffi.string(schema.format) != b"+s":
        raise TypeError("Arrow data must be a table: columns with names")
    return [ffi.string(schema.children[i].name).decode() if schema.children[i].name else ""
            for i in range(schema.n_children)]


def _values(schema: Any, array: Any, first: int, n: int) -> Any:
    """n values of one column, from row `first` of it on; nulls are NaN."""
    kind = ffi.string(schema.format).decode()
    at = array.offset + first
    if schema.dictionary:
        codes = _numbers(kind, array, at, n)
        words = _values(schema.dictionary, array.dictionary, 0, array.dictionary.length)
        values = np.asarray(words)[codes]
    elif kind == "n":
        return np.full(n, np.nan)
    elif kind == "b":
        values = _bits(array.buffers[1], at, n)
    elif kind in NUMBERS:
        values = _numbers(kind, array, at, n)
    elif kind in OFFSETS:
        values = _text(kind, array, at, n)
    elif kind == "vu":
        values = _views(array, at, n)
    else:
        name = ffi.string(schema.name).decode() if schema.name else ""
        raise TypeError(f"column '{name}' is of Arrow type '{kind}', which is no number; cast it")
    if array.null_count == 0 or array.buffers[0] == ffi.NULL:
        return values
    return _without_nulls(values, _bits(array.buffers[0], at, n))


def _without_nulls(values: Any, is_there: Any) -> Any:
    if values.dtype.kind == "O":
        return np.where(is_there, values, None)
    # float32 holds small integers whole; float64 the others, until rows are made of them.
    kind = np.float32 if values.dtype.itemsize <= 2 or values.dtype == np.float32 else np.float64
    return np.where(is_there, values.astype(kind), kind(np.nan))


def _memory(pointer: Any, n_bytes: int) -> Any:
    return ffi.buffer(ffi.cast("char *", pointer), n_bytes) if n_bytes else b""


def _numbers(kind: str, array: Any, at: int, n: int) -> Any:
    size = np.dtype(NUMBERS[kind]).itemsize
    raw = _memory(array.buffers[1], (at + n) * size if n else 0)
    return np.frombuffer(raw, dtype=NUMBERS[kind])[at:at + n]


def _bits(pointer: Any, at: int, n: int) -> Any:
    raw = np.frombuffer(_memory(pointer, (at + n + 7) // 8 if n else 0), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[at:at + n].astype(bool)


def _text(kind: str, array: Any, at: int, n: int) -> Any:
    size = np.dtype(OFFSETS[kind]).itemsize
    raw = _memory(array.buffers[1], (at + n + 1) * size)
    ends = np.frombuffer(raw, dtype=OFFSETS[kind])[at:at + n + 1]
    letters = bytes(_memory(array.buffers[2], int(ends[-1])))
    return np.array([letters[a:b].decode() for a, b in zip(ends, ends[1:])], dtype=object)


def _views(array: Any, at: int, n: int) -> Any:
    """Text as views of 16 bytes: length, then the letters themselves up to 12 of them, or four
    letters, the number of a buffer and where they begin in it."""
    raw = bytes(_memory(array.buffers[1], (at + n) * 16 if n else 0))
    found = []
    for i in range(at, at + n):
        view = raw[16 * i:16 * i + 16]
        length = int.from_bytes(view[:4], "little")
        if length <= 12:
            found.append(view[4:4 + length].decode())
            continue
        buffer, start = (int.from_bytes(view[k:k + 4], "little") for k in (8, 12))
        letters = ffi.buffer(ffi.cast("char *", array.buffers[2 + buffer]) + start, length)
        found.append(bytes(letters).decode())
    return np.array(found, dtype=object)
