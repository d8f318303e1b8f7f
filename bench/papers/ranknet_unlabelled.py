"""RankNet, section 6: documents that nobody judged as extra examples of low relevance.

Burges et al. 2005 added unlabelled documents to the training data of a search engine,
where labels were given to top documents alone; the paper has no figure without them.  Here
documents of the lowest of six grades of a random net (Table 1) are unlabelled in training
and validation data, and known in the test data.  NDCG@15 of the epoch that is best on
validation data, where an unlabelled document counts as irrelevant; mean of 10 targets.

Recipe: `ranknet` with preset=paper, unlabelled=0 and unlabelled=1.
"""
from common import Experiment, mean, standard_error

DOCS = 50  # of a query
HELD_OUT = 100  # queries of validation and of test data
METRIC = "ndcg@15"


def shape(hidden):
    return f"{hidden} hidden" if hidden else "linear"


def judge(e, hidden, docs, target, unlabelled):
    train, valid, test = (
        e.data("net", seed=10 * target + part, queries=queries, docs=DOCS, target=target,
               hide=hide)
        for part, queries, hide in ((1, docs // DOCS, "zero"), (2, HELD_OUT, "zero"),
                                    (3, HELD_OUT, "none")))
    others = "negatives" if unlabelled else "left out"
    run = f"net/{shape(hidden)} on {docs} {others}" if target == 1 else None
    found = e.train("ranknet", train, "-c", "standard,unjudged=zero", valid=valid, test=test,
                    metric=METRIC, preset="paper", hidden=hidden, unlabelled=unlabelled,
                    run=run)
    return found["test_" + METRIC]


def main():
    e = Experiment("RankNet, section 6: unlabelled documents as negatives", __doc__)
    sizes = (250, 500) if e.quick else (250, 500, 1000, 2500)
    targets = range(1, 4 if e.quick else 11)
    jobs = [(hidden, docs, t, u) for hidden in (0, 10) for docs in sizes for t in targets
            for u in (0, 1)]
    value = dict(zip(jobs, e.each(lambda job: judge(e, *job), jobs)))
    table = e.table(f"NDCG@15 on test data, mean of {len(targets)} targets",
                    ["net and training documents", "left out", "as negatives", "gain",
                     "standard error", "better on"], digits=4)
    lost = []  # settings in which nothing is gained
    for hidden in (0, 10):
        for docs in sizes:
            with_, without = ([value[hidden, docs, t, u] for t in targets] for u in (1, 0))
            gain = [a - b for a, b in zip(with_, without)]
            kind = shape(hidden)
            table.row(f"{kind}, {docs}", mean(without), mean(with_), mean(gain),
                      standard_error(gain), f"{sum(g > 0 for g in gain)} of {len(gain)}")
            if mean(gain) <= 0.0005:
                lost.append(f"{kind} net on {docs:,} documents ({mean(gain):+.4f})")
            # With so many documents a linear net is at its capacity either way.
            if hidden or docs <= 1000:
                e.bound(f"{kind}, {docs} documents: gain", mean(gain), low=0.0005, digits=4)
    e.claim("documents that nobody judged help as examples of low relevance (section 6)", not lost,
            f"nothing is gained by the {' and the '.join(lost)}, which is at its capacity either "
            "way" if lost else "")
    e.finish()


if __name__ == "__main__":
    main()
