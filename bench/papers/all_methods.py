"""All methods: quality on MQ2008 and OHSUMED, and the time they take.

Every method of `peck list methods` as it comes, on the five folds of MQ2008 (LETOR 4.0) and
OHSUMED (LETOR 3.0): test NDCG@10 and MAP, means of folds and of seeds 1 to 3, standard
convention.  Validation data chooses the epoch; settings are the defaults.  Seconds are those
of `peck cv` on the five folds of MQ2008, reading included, the best of the three seeds, on half of
the processors where `make papers` runs it: they depend on the machine and on what else it does,
all other numbers do not.
"""
import time

from common import Experiment, mean

METRICS = ("ndcg@10", "map")
SETS = ("mq2008", "ohsumed")


def method_names(e):
    return [line.split("\t")[0] for line in e.peck("list", "methods").splitlines()]


def measure(e, method, data, seeds):
    """([NDCG@10, MAP], seconds of the five folds)"""
    found, seconds = [], []
    for seed in seeds:
        start = time.time()
        found.append(e.cv(method, data, seed=seed)[method]["test"])
        seconds.append(time.time() - start)
    return [mean(f[m] for f in found) for m in METRICS], min(seconds)


def main():
    e = Experiment("All methods: MQ2008 and OHSUMED", __doc__)
    methods, seeds = method_names(e), (1, 2, 3)
    sets = {name: e.dataset(name) for name in SETS} if not e.quick else {
        name: e.data("web", seed=i, queries=40, docs=12, dim=10) for i, name in enumerate(SETS)}
    if e.quick:
        methods, seeds = ["lambdaneuralrank", "ridge", "mart"], (1,)
    value = {(m, s): measure(e, m, sets[s], seeds) for m in methods for s in SETS}
    table = e.table("Test data", ["method", "MQ2008 NDCG@10", "MAP", "OHSUMED NDCG@10", "MAP",
                                  "MQ2008, seconds"], digits=4)
    for m in sorted(methods, key=lambda m: -value[m, "mq2008"][0][0]):
        table.row(m, *value[m, "mq2008"][0], *value[m, "ohsumed"][0],
                  f"{value[m, 'mq2008'][1]:.1f}")
    for s in SETS:
        for i, metric in enumerate(METRICS):
            best = max(value[m, s][0][i] for m in methods if m != "ridge")
            e.bound(f"{s}, {metric}: the best method above ridge",
                    best - value["ridge", s][0][i], low=-0.1 if e.quick else 0.0, digits=4)
    e.finish()


if __name__ == "__main__":
    main()
