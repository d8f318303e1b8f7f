"""Preferences: who was preferred to whom."""
from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from ._c import ffi, lib
from ._call import Spec, encoded, made
from .dataset import Dataset


def prefs_array(pairs: Any) -> tuple[Any, int]:
    """Rows of (winner, loser[, probability[, weight]]) as the library's structs."""
    table = np.asarray(pairs, dtype=np.float64)
    if table.ndim != 2 or not 2 <= table.shape[1] <= 4:
        raise ValueError("pairs are rows of (winner, loser), perhaps with a probability and a "
                         f"weight; this has the shape {table.shape}")
    if (table[:, :2] < 0).any() or (table[:, :2] % 1 != 0).any():
        raise ValueError("winner and loser are numbers of rows, from 0")
    full = np.ones((len(table), 4))
    full[:, :table.shape[1]] = table
    found = ffi.new("peck_pref[]", len(full))
    for i, (winner, loser, probability, weight) in enumerate(full):
        found[i].winner, found[i].loser = int(winner), int(loser)
        found[i].probability, found[i].weight = probability, weight
    return found, len(full)


def as_prefs(pairs: Any, data: Optional[Dataset]) -> Any:
    """Preferences between rows of the data, as they were given; or the name of a side file."""
    if pairs is None:
        return None
    if data is None:
        raise ValueError("eval_pairs are about rows of eval_set; give that too")
    if isinstance(pairs, (str, os.PathLike)):
        return made("peck_prefs", lib.peck_prefs_free, lib.peck_prefs_read, encoded(pairs),
                    data._ptr, 0)
    found, n = prefs_array(pairs)
    if data._order is not None:
        place = np.empty(data.n_docs, dtype=np.int64)
        place[data._order] = np.arange(data.n_docs)
        for i in range(n):
            if max(found[i].winner, found[i].loser) < data.n_docs:
                found[i].winner = place[found[i].winner]
                found[i].loser = place[found[i].loser]
    arrays = Spec("peck_prefs_arrays", pref=found, n_prefs=n, data=data._ptr)
    return made("peck_prefs", lib.peck_prefs_free, lib.peck_prefs_make, arrays.p)
