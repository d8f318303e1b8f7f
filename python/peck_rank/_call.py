"""Structs and text on their way into the library and out of it."""
from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Optional

from ._c import ffi, lib
from .errors import check, new_error


def text_of(span: Any) -> str:
    """A piece of text inside an object of the library, as a string."""
    return ffi.buffer(span.s, span.n)[:].decode(errors="replace") if span.n else ""


def string(pointer: Any) -> str:
    """A string of the library; empty where there is none."""
    return ffi.string(pointer).decode(errors="replace") if pointer else ""


def encoded(value: Any) -> bytes:
    """Text or a path as the library takes it; a zero byte would cut it short."""
    raw = os.fsencode(value) if isinstance(value, os.PathLike) else str(value).encode()
    if b"\0" in raw:
        raise ValueError(f"{value!r} has a zero byte in it")
    return raw


def strings(values: Iterable[Any]) -> Any:
    """An array of strings ended by NULL, and what keeps them alive."""
    kept = [ffi.new("char[]", encoded(v)) for v in values]
    array = ffi.new("char *[]", [*kept, ffi.NULL])
    return array, kept


class Spec:
    """A struct that the caller fills, with its size set; keeps alive what it points to.

    None leaves a member as it is, zero, which is the default everywhere in peck.h."""

    def __init__(self, name: str, /, **members: Any) -> None:
        self.p = ffi.new(name + " *")
        self.p.size = ffi.sizeof(name)
        self._kept: list[Any] = []
        for key, value in members.items():
            if value is not None:
                setattr(self.p, key, self._converted(value))

    def _converted(self, value: Any) -> Any:
        if isinstance(value, Spec):
            self._kept.append(value)
            return value.p
        if isinstance(value, (str, os.PathLike)):
            self._kept.append(ffi.new("char[]", encoded(value)))
            return self._kept[-1]
        if isinstance(value, (list, tuple)):
            array, kept = strings(value)
            self._kept.append((array, kept))
            return array
        self._kept.append(value)
        return value


def made(kind: str, free: Callable[[Any], None], call: Callable[..., int], *given: Any,
         on: Any = None) -> Any:
    """Calls what makes an object, and has it freed when nobody holds it any more.

    on: what the object stands on in the library; it lives until the object is freed, in whatever
    order Python lets go of the two."""
    out = ffi.new(kind + " **")
    err = new_error()
    check(call(out, *given, err), err)
    return freed_by(out[0], free, on)


def freed_by(pointer: Any, free: Callable[[Any], None], on: Any) -> Any:
    def free_before(p: Any, _on: Any = on) -> None:
        free(p)

    return ffi.gc(pointer, free if on is None else free_before)


def taken(data: Any) -> bytes:
    """Bytes that the library made, as Python's own."""
    try:
        return bytes(ffi.buffer(data.s, data.n)[:]) if data.n else b""
    finally:
        lib.peck_bytes_free(data)


def nearest(name: str, known: Iterable[str]) -> Optional[str]:
    """The known name nearest to this one, by the library's own measure; None: none is near."""
    names = list(known)
    array, _kept = strings(names)
    found = lib.peck_nearest(encoded(name), array, len(names))
    return string(found) if found else None
