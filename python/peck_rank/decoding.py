"""Preferences to orders."""
from __future__ import annotations

import os
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from ._c import ffi, lib
from ._call import Spec, encoded, made, text_of
from .errors import check, new_error
from .model import DecodeInfo, decode_info, decode_spec
from .watch import Watch


class Order(NamedTuple):
    """Items in order, what each was ordered by, and what that took."""

    items: list[Any]
    scores: Any  # by item, as they were given
    info: DecodeInfo


class Place(NamedTuple):
    """An item of a list of preferences, ranked."""

    item: str
    part: int  # from 0: what no preference connects is ranked apart
    rank: int  # in its part, from 1
    score: float
    evidence: float  # weight of the preferences that name it ...
    against: float  # ... and how much of that contradicts its place


class Places(NamedTuple):
    places: list[Place]
    info: DecodeInfo


def decode(preferences: Any, *, n: Optional[int] = None, decoder: Optional[str] = None,
           budget: int = 0, seed: int = 1, cached: bool = False, cost: bool = False,
           symmetric: bool = False, list_number: int = 0) -> Union[Order, Places]:
    """An order from comparisons of two at a time.

    preferences : a function of two arrays of items i and j, from 0 to n - 1, which gives how
        strongly each i is preferred to its j, from 0 to 1; or a square array of such numbers; or
        pairs (winner, loser) of names, each perhaps with wins and losses; or the name of a file
        of preferences.  The first two give an `Order`, the others `Places`.
    decoder : "tree", "fuzzy:window=50": `decoders()`; None: as the command has it, "bt" for lists
        of preferences (`Strengths` tells more of these), else "tree".
    budget : questions at most, where the decoder can choose.
    symmetric : h(i, j) = 1 - h(j, i), so that one way is asked and not both.

    >>> from peck_rank import decode
    >>> decode(lambda i, j: i > j, n=5).items
    [4, 3, 2, 1, 0]
    >>> [p.item for p in decode([("tea", "milk"), ("milk", "water"), ("tea", "water")]).places]
    ['tea', 'milk', 'water']
    """
    spec = {"decoder": decoder, "budget": budget, "seed": seed, "is_cached": int(cached),
            "is_costed": int(cost), "is_symmetric": int(symmetric)}
    is_list = not callable(preferences) and not isinstance(preferences, np.ndarray)
    if decoder is None and is_list:
        spec["decoder"] = "bt"
    if callable(preferences):
        if n is None:
            raise ValueError("how many items are there?  Give n")
        return _ask(preferences, n, spec)
    if isinstance(preferences, (str, os.PathLike)):
        return _of_list(made("peck_prefs", lib.peck_prefs_free, lib.peck_prefs_read,
                             encoded(preferences), ffi.NULL, 0), list_number, spec)
    if isinstance(preferences, np.ndarray) and preferences.dtype.kind in "biuf":
        if preferences.ndim != 2 or preferences.shape[0] != preferences.shape[1]:
            raise ValueError("an array of preferences is square: h[i, j] is how strongly i is "
                             "preferred to j")
        return _ask(lambda i, j: preferences[i, j], len(preferences), spec)
    return _of_list(_named(preferences), list_number, spec)


def _ask(answer: Callable[[Any, Any], Any], n: int, given: dict[str, Any]) -> Order:
    watch, err = Watch(), new_error()

    def hear(duel: Any, n_duels: int, h: Any) -> bool:
        pairs = np.frombuffer(ffi.buffer(duel, n_duels * 8), dtype=np.uint32).reshape(-1, 2)
        out = np.frombuffer(ffi.buffer(h, n_duels * 4), dtype=np.float32)
        out[:] = answer(pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64))
        return False

    watch.answer = hear
    order, scores = np.empty(n, dtype=np.uint32), np.empty(n)
    spec = decode_spec(threads=1, progress=ffi.addressof(lib, "py_progress"), ctx=watch.ctx,
                       **given)
    info = ffi.new("peck_decode_info *")
    status = watch.run(lib.peck_decode, ffi.from_buffer("uint32_t[]", order),
                       ffi.from_buffer("double[]", scores), n, lib.py_ask, watch.ctx, spec.p,
                       info, err)
    watch.raise_failure()
    check(status, err)
    return Order([int(i) for i in order], scores, decode_info(info))


def _named(pairs: Any) -> Any:
    """Pairs of names, each perhaps with wins and losses."""
    numbers: dict[Any, int] = {}
    rows: list[tuple[int, int, float, float]] = []
    for winner, loser, *counts in pairs:
        i, j = (numbers.setdefault(name, len(numbers)) for name in (winner, loser))
        wins, losses = (*counts, 1.0, 0.0)[:2] if not counts else (*counts, 0.0)[:2]
        if wins > 0:
            rows.append((i, j, 1.0, float(wins)))
        if losses > 0:
            rows.append((j, i, 1.0, float(losses)))
    prefs = ffi.new("peck_pref[]", len(rows))
    for at, (winner, loser, probability, weight) in enumerate(rows):
        prefs[at].winner, prefs[at].loser = winner, loser
        prefs[at].probability, prefs[at].weight = probability, weight
    arrays = Spec("peck_prefs_arrays", pref=prefs, n_prefs=len(rows),
                  item_name=[str(name) for name in numbers], n_items=len(numbers))
    return made("peck_prefs", lib.peck_prefs_free, lib.peck_prefs_make, arrays.p)


def _of_list(prefs: Any, which: int, given: dict[str, Any]) -> Places:
    about = ffi.new("peck_prefs_info *")
    lib.peck_prefs_describe(prefs, about)
    if not 0 <= which < max(1, about.n_lists):
        raise ValueError(f"there are {about.n_lists} lists of preferences, counted from 0")
    place = ffi.new("peck_place[]", max(1, about.n_items))
    n, info, err = ffi.new("size_t *"), ffi.new("peck_decode_info *"), new_error()
    watch = Watch()
    spec = decode_spec(progress=ffi.addressof(lib, "py_progress"), ctx=watch.ctx, **given)
    status = watch.run(lib.peck_decode_prefs, place, n, prefs, which, spec.p, info, err)
    watch.raise_failure()
    check(status, err)
    return Places([Place(text_of(lib.peck_prefs_item_name(prefs, p.item)), int(p.part),
                         int(p.rank), float(p.score), float(p.evidence), float(p.against))
                   for p in place[0:n[0]]], decode_info(info))
