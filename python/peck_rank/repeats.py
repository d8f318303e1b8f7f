"""Rows without lists: a set, in which a weight of 2 is a row that is there twice."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .rows import Rows

MOST = 8  # times as many rows at most: beyond, weights stay weights
BLOCK = 1 << 12  # rows that are looked at at a time


def repeated(rows: Rows, y: Any, weight: Any) -> tuple[Rows, Any, Any]:
    """Rows of whole weights as often as they weigh, equal rows side by side in an order that
    comes from what they hold: so the same rows, weighed or repeated, in whatever order, train
    the same model to the last bit.  Rows that are all different, and weigh the same, stay where
    they are."""
    if weight is not None and (weight == 1).all():
        weight = None
    times = None if weight is None else _times(weight)
    if weight is not None and times is None:
        return rows, y, weight
    keys = _keys(rows.x, y)
    if times is None and len(np.unique(keys)) == len(keys):
        return rows, y, None
    order = np.argsort(keys, kind="stable")
    taken = order if times is None else np.repeat(order, times[order])
    return rows._replace(x=rows.x[taken]), None if y is None else y[taken], None


def _times(weight: Any) -> Optional[Any]:
    """How often each row is there; None: weights say something else."""
    whole = weight >= 1
    whole &= weight == np.floor(weight)
    return weight.astype(np.int64) if whole.all() and weight.sum() <= MOST * len(weight) else None


def _keys(x: Any, y: Any) -> Any:
    """A number of what each row holds: equal for equal rows, and hardly for others."""
    draw = np.random.default_rng(1).integers(0, 2**63, size=x.shape[1] + 1, dtype=np.uint64)
    by = 2 * draw + np.uint64(1)
    keys = np.empty(len(x), dtype=np.uint64)
    for at in range(0, len(x), BLOCK):
        keys[at:at + BLOCK] = x[at:at + BLOCK].view(np.uint32).astype(np.uint64) @ by[:-1]
    if y is not None:
        keys += np.ascontiguousarray(y, dtype=np.float32).view(np.uint32) * by[-1]
    return keys
