"""Conventions: one ranking of MQ2008, judged by everybody's rules.

Five-fold ridge regression on MQ2008 (LETOR 4.0), trained once; its test scores are judged
under each convention of `peck list conventions`.  Mean of the five folds.  What differs between
the rows is the rules alone; `peck list conventions` shows each part of them.
"""
import json
import os

from common import Experiment, fold_file, mean

METRICS = ("ndcg@10", "map")


def judge(e, folder, runs, convention, folds):
    """Means of the folds."""
    found = [json.loads(e.peck(
        "eval", fold_file(folder, k, "test"), "--scores", os.path.join(runs, f"Fold{k}.scores"),
        "-c", convention, "-M", ",".join(METRICS), "--json")) for k in folds]
    return [mean(f[m] for f in found) for m in METRICS]


def main():
    e = Experiment("Conventions: one ranking, everybody's rules", __doc__)
    data = e.dataset("mq2008")
    runs = e.run_path("mq2008/ridge") if e.runs else e.path("ridge")
    e.cv("ridge", data, "--out-dir", runs)
    names = [line.split("\t")[0] for line in e.peck("list", "conventions").splitlines()]
    value = {name: judge(e, data, runs, name, range(1, 6)) for name in names}
    table = e.table("Ridge on MQ2008", ["convention", "NDCG@10", "MAP"], digits=4)
    for name in sorted(names, key=lambda name: value[name][0]):
        table.row(name, *value[name])
    spread = [v[0] for v in value.values()]
    e.bound("NDCG@10, the highest less the lowest", max(spread) - min(spread), low=0.3,
            digits=4)
    e.finish()


if __name__ == "__main__":
    main()
