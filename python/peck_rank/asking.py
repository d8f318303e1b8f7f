"""Strengths from answers to "which of the two?", and what to ask next."""
from __future__ import annotations

import os
from typing import Any, Iterable, NamedTuple, Optional

import numpy as np

from ._c import ffi, lib
from ._call import Spec, encoded, made, text_of
from .errors import check, new_error


class Sureness(NamedTuple):
    """How sure an order is."""

    top: float  # P(the first `top` are the true first ones, as a set)
    first: float  # P(the first one is)
    pairs: float  # 1 - expected share of pairs in the wrong order
    questions_left: float  # expected until it is enough
    is_enough: bool


class Strengths:
    """Bradley and Terry's model of answers, with ties and a prior whose width is found.

    answers : pairs (winner, loser) of names, perhaps with a probability (1/2: a tie) and a
        weight; or the name of a file of preferences.
    items : all items, where some were never compared; None: those of the answers.
    prior_sd : deviation of strengths before any answer; None: found from the answers.
    tie : Davidson's nu; None: found from the answers.
    prior_mean : a guess of each item's strength: a dict by name.

    `mean` and `sd` are by item, as in `items`: strength minus the mean of all, in log-odds, and
    its deviation (beyond 2,000 items an estimate).

    >>> from peck_rank import Strengths
    >>> s = Strengths([("tea", "milk"), ("milk", "water"), ("tea", "water"), ("tea", "milk", 0.5)])
    >>> s.order()
    ['tea', 'milk', 'water']
    >>> s.above("tea", "water") > 0.8
    True
    >>> len(s.next_pairs(2)), s.sureness(top=1).is_enough
    (2, False)
    """

    def __init__(self, answers: Any, *, items: Optional[Iterable[Any]] = None,
                 prior_sd: Optional[float] = None, tie: Optional[float] = None,
                 prior_mean: Optional[dict[Any, float]] = None, list_number: int = 0) -> None:
        spec = {"prior_sd": prior_sd, "tie": tie}
        if isinstance(answers, (str, os.PathLike)):
            if items is not None or prior_mean is not None:
                raise ValueError("items and prior_mean go with answers from memory, not a file")
            prefs = made("peck_prefs", lib.peck_prefs_free, lib.peck_prefs_read,
                         encoded(answers), ffi.NULL, 0)
            about = ffi.new("peck_prefs_info *")
            lib.peck_prefs_describe(prefs, about)
            if not 0 <= list_number < about.n_lists:
                raise ValueError(f"there are {about.n_lists} lists of preferences, counted from 0")
            self.items = [text_of(lib.peck_prefs_item_name(prefs, i))
                          for i in range(about.n_items)]
            self._ptr = made("peck_strengths", lib.peck_strengths_free,
                             lib.peck_strengths_fit_prefs, prefs, list_number,
                             Spec("peck_strengths_spec", **spec).p)
        else:
            self._fit(list(answers), items, prior_mean, spec)
        self._number = {name: i for i, name in enumerate(self.items)}
        self.mean, self.sd = np.empty(len(self.items)), np.empty(len(self.items))
        lib.peck_strengths_read(self._ptr, ffi.from_buffer("double[]", self.mean),
                                ffi.from_buffer("double[]", self.sd))

    def _fit(self, answers: list[Any], items: Optional[Iterable[Any]],
             prior_mean: Optional[dict[Any, float]], spec: dict[str, Any]) -> None:
        numbers = {name: i for i, name in enumerate(dict.fromkeys(items or []))}
        prefs = ffi.new("peck_pref[]", max(1, len(answers)))
        for at, (winner, loser, *more) in enumerate(answers):
            for name in (winner, loser):
                if items is not None and name not in numbers:
                    raise ValueError(f"answer {at + 1}: {name!r} is none of the items")
            prefs[at].winner = numbers.setdefault(winner, len(numbers))
            prefs[at].loser = numbers.setdefault(loser, len(numbers))
            prefs[at].probability, prefs[at].weight = (*more, 1.0, 1.0)[:2] if not more else (
                *more, 1.0)[:2]
        self.items = list(numbers)
        if prior_mean is not None:
            spec["prior_mean"] = ffi.new("double[]",
                                         [float(prior_mean.get(name, 0.0)) for name in self.items])
        self._ptr = made("peck_strengths", lib.peck_strengths_free, lib.peck_strengths_fit, prefs,
                         len(answers), len(self.items), Spec("peck_strengths_spec", **spec).p)

    def order(self) -> list[Any]:
        """All items, the strongest first."""
        return [self.items[i] for i in np.argsort(-self.mean, kind="stable")]

    def above(self, a: Any, b: Any) -> float:
        """P(a is above b)."""
        return float(lib.peck_strengths_above(self._ptr, self._number[a], self._number[b]))

    def _question(self, top: int, out: Iterable[Any], recent: Iterable[tuple[Any, Any]],
                  seed: int) -> Spec:
        is_out = np.zeros(max(1, len(self.items)), dtype=np.uint8)
        is_out[[self._number[name] for name in out]] = 1
        asked = [(self._number[a], self._number[b]) for a, b in recent]
        return Spec("peck_question_spec", top=top,
                    is_out=ffi.from_buffer("unsigned char[]", is_out),
                    recent=ffi.new("peck_duel[]", asked) if asked else None,
                    n_recent=len(asked), seed=seed)

    def next_pairs(self, n: int = 1, *, top: int = 0, out: Iterable[Any] = (),
                   recent: Iterable[tuple[Any, Any]] = (), seed: int = 0
                   ) -> list[tuple[Any, Any]]:
        """The n pairs most worth asking, best first.

        top : only who is among the first `top` matters; 0: the whole order.
        out : items that are not asked for.
        recent : the last questions, newest last; none comes again at once.
        """
        spec, err = self._question(top, out, recent, seed), new_error()
        pair, count = ffi.new("peck_duel[]", max(1, n)), ffi.new("size_t *", n)
        check(lib.peck_strengths_next(self._ptr, spec.p, pair, ffi.NULL, count, err), err)
        return [(self.items[p.i], self.items[p.j]) for p in pair[0:count[0]]]

    def sureness(self, top: int = 0, *, out: Iterable[Any] = ()) -> Sureness:
        """How sure the first `top` are, or the whole order; and how many questions are left."""
        spec, err, to = self._question(top, out, (), 0), new_error(), ffi.new("peck_sureness *")
        check(lib.peck_strengths_sureness(self._ptr, spec.p, to, err), err)
        return Sureness(to.top, to.first, to.pairs, to.questions_left, bool(to.is_enough))


def next_pairs(answers: Any, n: int = 5, *, items: Optional[Iterable[Any]] = None, top: int = 0,
               seed: int = 0) -> list[tuple[Any, Any]]:
    """The n pairs most worth asking after these answers, best first: see `Strengths`.

    >>> from peck_rank import next_pairs
    >>> pairs = next_pairs([("tea", "milk")], 2, items=["tea", "milk", "water"])
    >>> sorted(sorted(p) for p in pairs)
    [['milk', 'water'], ['tea', 'water']]
    """
    return Strengths(answers, items=items).next_pairs(n, top=top, seed=seed)
