"""Strengths from answers: what the command prints, and what to ask next."""
import numpy as np
import pytest

import peck_rank
from conftest import peck

ANSWERS = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d"), ("d", "a"), ("a", "d"),
           ("b", "c", 0.5), ("c", "d", 1.0, 2.0)]


def test_strengths_are_the_commands(tmp_path):
    file = tmp_path / "answers.csv"
    file.write_text("winner,loser,probability,weight\n" + "".join(
        ",".join(map(str, (*answer, *(1, 1)[len(answer) - 2:]))) + "\n" for answer in ANSWERS))
    told = {line.split("\t")[1]: [float(x) for x in line.split("\t")[2:4]]
            for line in peck("decode", str(file)).splitlines()[1:] if not line.startswith("#")}
    for s in (peck_rank.Strengths(ANSWERS), peck_rank.Strengths(file)):
        assert list(s.items) == ["a", "b", "c", "d"]
        for name, mean, sd in zip(s.items, s.mean, s.sd):
            assert told[name] == pytest.approx([mean, sd], abs=6e-4)
    places = peck_rank.decode(file).places
    assert [p.item for p in places] == peck_rank.Strengths(file).order()


def test_priors_and_items_never_compared():
    s = peck_rank.Strengths([("a", "b")], items=["a", "b", "c"], prior_sd=1.0,
                            prior_mean={"c": 3.0})
    assert s.order()[0] == "c"
    assert abs(np.sum(s.mean)) < 1e-9
    with pytest.raises(ValueError, match="none of the items"):
        peck_rank.Strengths([("a", "x")], items=["a", "b"])
    with pytest.raises(peck_rank.ArgumentError, match="prior_sd"):
        peck_rank.Strengths(ANSWERS, prior_sd=-1.0)


def test_what_to_ask_next():
    s = peck_rank.Strengths(ANSWERS)
    pairs = s.next_pairs(6)
    assert len({frozenset(p) for p in pairs}) == len(pairs)
    first = s.next_pairs(1)[0]
    assert set(s.next_pairs(1, recent=[first])[0]) != set(first)
    assert all("a" not in p for p in s.next_pairs(6, out=["a"]))
    sure = peck_rank.Strengths(ANSWERS[:3] * 200).sureness()
    assert sure.is_enough and sure.questions_left == 0 and sure.pairs > 0.95
