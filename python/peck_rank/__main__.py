"""python -m peck_rank: which version this is, and whether it works here."""
from __future__ import annotations

import sys

import numpy as np

import peck_rank


def self_test() -> None:
    """Trains, saves and ranks a little; raises where something is wrong."""
    data = peck_rank.generate("web", queries=20, dim=8, seed=1)
    assert data is not None
    for method in ("ridge", "lambdamart", "ranknet", "cmpnn"):
        ranker = peck_rank.Ranker(method, n_jobs=1)
        scores = ranker.fit(data).predict(data)
        again = peck_rank.Ranker.from_bytes(ranker.to_bytes()).predict(data)
        value = peck_rank.evaluate(data, scores)["ndcg@10"]
        if not np.array_equal(scores, again) or not 0 < value <= 1:
            raise RuntimeError(f"{method} gives other scores once it was saved")


def main() -> int:
    print(f"peck_rank {peck_rank.__version__}, {len(peck_rank.methods())} methods, "
          f"Python {sys.version.split()[0]}, numpy {np.__version__}")
    self_test()
    print("self-test passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
