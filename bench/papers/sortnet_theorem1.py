"""SortNet, Theorem 1: preferences that go round in circles, learnt.

Rigutini, Papini, Maggini and Scarselli 2011, section III-B: a CmpNN can come as near as one
likes to any preference with N(x before y) = N(y after x), a circle among them; no score can
(section III-A).  The paper proves it and shows Table I; here it is shown on preferences that
leave scores as little as possible.  A document is a point of d features, uniform in [-1, 1],
and x goes before y where

    x1 y2 - x2 y1 + x3 y4 - x4 y3 + ... > 0:

in each plane of two features whoever is less than half a turn ahead wins, as rock, scissors and
paper do.  Every document beats as many others as it loses to, whatever it is.  In one plane a
score may still cut the circle somewhere and have up to three pairs of four right; of more planes
it has less.

Recipe: `cmpnn` and `tesauro`, the same net without cross weights, 40 hidden units, and
`sortnet`, which sorts lists of two here, 60 epochs and 5 iterations; `ranknet` with 40 hidden
units; `lambdamart` as it comes.  Pairs to learn from as the table says, 2,000 to choose
the epoch, 4,000 to test; all features on one scale (zscore).  The figures are test pairs that
come out right (%); 50 is what a coin has.
"""
import random

from common import Experiment

NET = dict(norm="zscore", hidden=40, optimiser="adam", rate=0.01, schedule="cosine", batch=16,
           epochs=60, patience=0, decay=0, l2=0, balance="queries")
METHODS = {
    "cmpnn": NET, "sortnet": dict(NET, max_iter=5), "tesauro": NET,
    "ranknet": dict(NET, dropout=0), "lambdamart": dict(norm="none"),
}
SCORES = ("tesauro", "ranknet", "lambdamart")
HELD_OUT = {"valid": 2000, "test": 4000}


def write(path, dim, pairs, seed):
    """Lists of two documents, of which the one that goes first has label 1."""
    draw = random.Random(seed)
    with open(path, "w") as out:
        for query in range(1, pairs + 1):
            x, y = ([round(2 * draw.random() - 1, 6) for _ in range(dim)] for _ in range(2))
            ahead = sum(x[k] * y[k + 1] - x[k + 1] * y[k] for k in range(0, dim, 2))
            for document, is_first in ((x, ahead > 0), (y, ahead < 0)):
                features = " ".join(f"{i}:{v:.6f}" for i, v in enumerate(document, 1))
                out.write(f"{int(is_first)} qid:{query} {features}\n")


def parts_of(e, dim, pairs):
    """Paths of training, validation and test data."""
    paths = []
    for seed, (part, n) in enumerate({"train": pairs, **HELD_OUT}.items(), 1):
        paths.append(e.path(f"circle-{dim}-{part}-{pairs}.txt"))
        write(paths[-1], dim, n, 10 * dim + seed)
    return paths


def main():
    e = Experiment("SortNet, Theorem 1: rock, scissors, paper", __doc__)
    tried = ((4, 2000),) if e.quick else ((2, 10000), (4, 10000), (6, 10000))
    methods = ("cmpnn", "tesauro") if e.quick else tuple(METHODS)
    data = {dim: parts_of(e, dim, pairs) for dim, pairs in tried}
    jobs = [(m, dim) for dim, _ in tried for m in methods]

    def accuracy(job):
        method, dim = job
        train, valid, test = data[dim]
        return 100 * e.train(method, train, valid=valid, test=test, metric="pairacc",
                             run=f"circle of {dim}/{method}",
                             **METHODS[method])["test_pairacc"]

    found = dict(zip(jobs, e.each(accuracy, jobs)))
    table = e.table("Test pairs that come out right (%)",
                    ["features", "pairs to learn from", *methods])
    for dim, pairs in tried:
        table.row(str(dim), str(pairs), *(found[m, dim] for m in methods))
        e.bound(f"cmpnn, {dim} features", found["cmpnn", dim], low=85.0 if e.quick else 93.0)
        for m in methods:
            if m in SCORES:
                e.bound(f"{m}, {dim} features (no score can)", found[m, dim],
                        high=76.0 if dim == 2 else 55.0)
    scores = [(found[m, dim], dim) for dim, _ in tried for m in methods if m in SCORES]
    least = min(found["cmpnn", dim] for dim, _ in tried)
    e.claim("a CmpNN can learn any preference, also one that no score expresses (Theorem 1)",
            least > 90.0 and all(found["cmpnn", dim] > score for score, dim in scores),
            f"{least:.1f} % of test pairs at least, where scores have {max(scores)[0]:.1f} % at most")
    e.finish()


if __name__ == "__main__":
    main()
