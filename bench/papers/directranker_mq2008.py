"""DirectRanker, Table 1: MQ2008 under the paper's own protocol.

Koeppel et al. 2019, sections 4.3 and 4.4: labels of 1 and 2 become 1, queries without a
relevant document are left out, and settings are chosen twice, once by NDCG@10 and once by
MAP, by five inner folds of each training set; figures are means over the five test sets,
here of three seeds as well.  `ridge`, the yardstick, is measured by the same rules.

Recipe: `directranker` with preset=paper, but 20-10 hidden units, eight queries a step and a
rate that falls from 0.003 along a cosine over 50 epochs.  A single net chooses from norm,
l2 and dropout, an ensemble of four from norm and l2 at dropout 0.5.
"""
from common import Experiment, mean

FOLDS = 5
RULES = ("-c", "directranker", "--binarise", 1)
FIXED = {"preset": "paper", "hidden": "20-10", "batch": 8, "rate": 0.003,
         "schedule": "cosine", "patience": 0, "epochs": 50}
NORMS, L2 = "norm=quantile,quantile+query-zscore", "l2=0,0.01"
WAYS = {
    "directranker": {"nets": 1, "grid": (NORMS, L2, "dropout=0,0.5")},
    "directranker, 4 nets": {"nets": 4, "grid": (NORMS, L2), "dropout": 0.5},
}
METRICS = {"ndcg@10": 0.725, "map": 0.650}  # what is asked of each
PAPER = {
    "directranker": (0.720, 0.636),
    "ranknet": (0.716, 0.642),
    "listnet": (0.719, 0.647),
    "lambdamart": (0.723, 0.624),
    "adarank": (0.722, 0.653),
}


def measure(e, data, method, metric, seeds, nets=1, grid=(), **settings):
    """The mean over seeds and folds of the metric that also chose the settings."""
    words = [*RULES, "--inner", FOLDS] if grid else RULES
    return mean(e.cv(method, data, *words, "--ensemble", nets, seed=s, metric=metric,
                     grid=grid, **settings)[method]["test"][metric] for s in seeds)


def small(e):
    """Data of the right kind for the quick version."""
    return e.data("web", seed=1, queries=60, docs=15, dim=20)


def main():
    e = Experiment("DirectRanker, Table 1: MQ2008", __doc__)
    data = small(e) if e.quick else e.dataset("mq2008")
    seeds = (1,) if e.quick else (1, 2, 3)
    ways = {"directranker": {"grid": (L2,)}} if e.quick else WAYS
    table = e.table("Mean of the test folds; each metric with the settings it chose",
                    ["method", "NDCG@10", "MAP"], digits=4)
    for name, values in PAPER.items():
        table.row(f"paper: {name}", *(f"{v:.3f}" for v in values))
    ridge = [measure(e, data, "ridge", m, seeds) for m in METRICS]
    table.row("ours: ridge", *ridge)
    for way, how in ways.items():
        ours = [measure(e, data, "directranker", m, seeds, **FIXED, **how) for m in METRICS]
        table.row(f"ours: {way}", *ours)
        for (metric, asked), value in zip(METRICS.items(), ours):
            e.bound(f"{way}: {metric}", value, low=0.7 if e.quick else asked, digits=4)
    e.finish()


if __name__ == "__main__":
    main()
