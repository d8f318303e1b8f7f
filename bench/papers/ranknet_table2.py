"""RankNet, Table 2: pairs of equal labels as training pairs with P = 1/2.

Burges et al. 2005, section 5.2: the random polynomial of Table 1, a net of 10 hidden units;
pairs of documents with equal labels are left out, or learnt with the target probability
1/2.  The figures are the share of test pairs in the right order at the epoch that is best
on validation data within 100 epochs, and in parentheses the training pairs; the mean over
10 targets here, one target in the paper.

Recipe: `ranknet` with preset=paper, and ties=1; it ends at zero training error alone.
"""
from common import Experiment, mean, standard_error

DOCS = 50  # of a query
HELD_OUT = 100  # queries of validation and of test data
PAPER = {
    100: ((0.595, 2060), (0.596, 2450)),
    500: ((0.670, 10282), (0.669, 12250)),
    1000: ((0.681, 20452), (0.682, 24500)),
    5000: ((0.690, 101858), (0.688, 122500)),
}


def parts_of(e, docs, target):
    """Paths of training, validation and test data."""
    return [e.data("poly", seed=10 * target + part, queries=queries, docs=DOCS, target=target)
            for part, queries in ((1, docs // DOCS), (2, HELD_OUT), (3, HELD_OUT))]


def accuracy(e, docs, target, ties):
    train, valid, test = parts_of(e, docs, target)
    run = f"poly/{docs} documents with {'all' if ties else 'no'} ties" if target == 1 else None
    found = e.train("ranknet", train, valid=valid, test=test, metric="pairacc",
                    preset="paper", settle=100, ties=ties, run=run)
    return found["test_pairacc"]


def count_pairs(e, docs, target):
    """Training pairs without ties, and with all of them."""
    query = {}
    with open(parts_of(e, docs, target)[0]) as lines:
        for line in lines:
            label, qid = line.split(" ", 2)[:2]
            query.setdefault(qid, []).append(label)
    every = sum(len(q) * (len(q) - 1) // 2 for q in query.values())
    equal = sum(q.count(y) * (q.count(y) - 1) // 2 for q in query.values() for y in set(q))
    return every - equal, every


def main():
    e = Experiment("RankNet, Table 2: ties in training", __doc__)
    sizes = (100, 500) if e.quick else tuple(PAPER)
    targets = range(1, 3 if e.quick else 11)
    jobs = [(docs, t, ties) for docs in sizes for t in targets for ties in (0, 1)]
    value = dict(zip(jobs, e.each(lambda job: accuracy(e, *job), jobs)))
    table = e.table(f"Share of test pairs in the right order, mean of {len(targets)} targets",
                    ["documents", "paper: no ties", "paper: all ties", "ours: no ties",
                     "ours: all ties"])
    told, apart = [], []  # what ties change by size; the sizes where that is a change
    for docs in sizes:
        ours = [mean(value[docs, t, ties] for t in targets) for ties in (0, 1)]
        pairs = count_pairs(e, docs, targets[0])
        table.row(str(docs), *(f"{v:.3f} ({n})" for v, n in (*PAPER[docs], *zip(ours, pairs))))
        e.bound(f"{docs} documents: what ties change, in points", 100 * (ours[1] - ours[0]),
                low=-2.0 if e.quick else -1.0, high=2.0 if e.quick else 1.0)
        gain = [100 * (value[docs, t, 1] - value[docs, t, 0]) for t in targets]
        theirs = 100 * (PAPER[docs][1][0] - PAPER[docs][0][0])
        told.append(f"{docs:,} documents {mean(gain):+.2f} points, standard error "
                    f"{standard_error(gain):.2f}, in the paper {theirs:+.1f}")
        if abs(mean(gain)) >= 0.5:
            apart.append(docs)
    e.claim("training on ties makes little difference (Table 2): less than half a point", not apart,
            "; ".join(told))
    e.finish()


if __name__ == "__main__":
    main()
