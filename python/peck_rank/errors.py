"""What can go wrong: one exception for each status of the library, with its sentence.

Each is also the built-in exception that Python would have raised for it, so that code which
knows nothing of Peck can catch it: a setting that makes no sense is a ``ValueError``.
"""
from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Any, Iterator

import numpy as np

from ._c import ffi, lib


class PeckError(Exception):
    """Any failure of the library; its text says where in your data, and what to do."""

    status = "OK"


class OutOfMemory(PeckError, MemoryError):
    status = "NOMEM"


class FileError(PeckError, OSError):
    status = "IO"


class FormatError(PeckError, ValueError):
    status = "FORMAT"


class ArgumentError(PeckError, ValueError):
    status = "ARG"


class ShapeError(PeckError, ValueError):
    status = "SHAPE"


class Diverged(PeckError, ArithmeticError):
    status = "DIVERGED"


class Stopped(PeckError):
    status = "STOPPED"


class Unsupported(PeckError, NotImplementedError):
    status = "UNSUPPORTED"


class PeckWarning(UserWarning):
    """Something that the library wants you to know, and went on."""


class NotFittedError(ValueError, AttributeError):
    """A ranker was asked before it was fitted (where scikit-learn is absent)."""


BY_STATUS = {getattr(lib, "PECK_" + kind.status): kind for kind in PeckError.__subclasses__()}


# What the command calls something -> what it is called here.
WORDS = [(re.compile(pattern), word) for pattern, word in (
    (r"PECK_UNJUDGED", "NaN"),
    (r"use --missing zero or mean, or keep for", "fill it (numpy.nan_to_num), or use"),
    (r"--missing zero or mean", "Ranker('lambdamart'), or fill it (numpy.nan_to_num)"),
    (r"--(convention|match|norm) (?!than\b)([\w,=.+-]*\w)", r'\1="\2"'),
    (r"--alone\b", "alone=True"),
    (r"`peck help ([a-z-]+)`", r'peck_rank.methods()["\1"].settings'),
    (r"`peck list ([a-z]+)`", r"peck_rank.\1()"),
    (r"--([a-z]+)(?:-([a-z]+))?\b", lambda m: "_".join(filter(None, m.groups()))),
)]


def in_python(text: str) -> str:
    """A sentence of the library, with the names that its reader types.

    >>> in_python("label 40 is above 31; use --convention standard,gain=linear")
    'label 40 is above 31; use convention="standard,gain=linear"'
    """
    for pattern, word in WORDS:
        text = pattern.sub(word, text)
    return text


def new_error() -> Any:
    """Room for one sentence of the library."""
    return ffi.new("peck_error *")


def check(status: int, err: Any) -> None:
    """Raises what a status stands for; nothing, where all went well."""
    if status != lib.PECK_OK:
        text = ffi.string(err.text).decode(errors="replace")
        kind = BY_STATUS.get(status, PeckError)
        raise kind(in_python(text) or ffi.string(lib.peck_status_text(status)).decode())


@contextmanager
def about_rows(x: Any) -> Iterator[None]:
    """Says of which argument the library speaks, and what to do about it here."""
    try:
        yield
    except FormatError as error:
        if np.isfinite(x).all():
            raise
        told = str(error).replace("the wrapped data: ", "")
        raise FormatError(f"Input X contains NaN or infinity: {told}") from None
