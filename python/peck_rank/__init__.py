"""Peck: learning to rank, for Python.

>>> import numpy as np
>>> from peck_rank import Ranker
>>> X = np.random.default_rng(1).normal(size=(200, 3)).astype(np.float32)
>>> y, qid = (X[:, 1] > 0).astype(int), np.repeat(range(20), 10)
>>> ranker = Ranker("ridge").fit(X, y, qid=qid)
>>> ranker.rank(X[:10], qid=0, top=3)["rank"]
array([1, 2, 3])

`Ranker` trains in scikit-learn's shape; `Dataset` reads files and wraps arrays; `evaluate`,
`compare`, `cross_validate`, `blend`, `decode`, `Strengths`, `Rules`, `generate` and `report` are
the rest of the library; `methods()`, `metrics()`, `conventions()` and the like say what there is.
"""
from __future__ import annotations

from ._c import lib as _lib
from ._call import string as _string
from .asking import Strengths, Sureness, next_pairs
from .catalogue import (Entry, Setting, conventions, decoders, default_method, generators,
                        methods, metrics, norms, readers, writers)
from .dataset import Dataset
from .decoding import Order, Place, Places, decode
from .errors import (ArgumentError, Diverged, FileError, FormatError, OutOfMemory, PeckError,
                     PeckWarning, ShapeError, Stopped, Unsupported)
from .judging import compare, evaluate
from .making import generate
from .model import Model, load
from .page import Page, report
from .ranker import Ranker
from .report import Report
from .rules import Rules
from .selecting import CrossValidation, FoldResult, blend, cross_validate

__version__ = _string(_lib.peck_version())

__all__ = [
    "ArgumentError", "CrossValidation", "Dataset", "Diverged", "Entry", "FileError",
    "FoldResult", "FormatError", "Model", "Order", "OutOfMemory", "Page", "PeckError",
    "PeckWarning", "Place", "Places", "Ranker", "Report", "Rules", "Setting", "ShapeError",
    "Stopped", "Strengths", "Sureness", "Unsupported", "blend", "compare", "conventions",
    "cross_validate", "decode", "decoders", "default_method", "evaluate", "generate",
    "generators", "load", "methods", "metrics", "next_pairs", "norms", "readers", "report",
    "writers",
]
