"""The committee: models of different kinds, averaged, on MQ2008 and OHSUMED.

Models of different kinds err differently, so that several of them together do better than
any one.  On MQ2008 the committee is two nets (`lambdaneuralrank`, `listnet`), boosted trees
(`lambdamart`), boosted steps (`rankboost`), a comparator (`sortnet`, by its net degree) and a
linear model fitted to the metric (`coordinate-ascent`); on OHSUMED it is all nets, five that
score and three that compare.  All are as they come; a net sits there from four seeds, as one
model, but for `sortnet`; shares are equal (`peck blend`).  It stands beside the best of its
methods alone, chosen by validation data, and beside that method from four seeds.  Test data
of five folds, means of folds and of seeds 1 to 3, standard convention; peers were measured
on the same folds by the same rules.

Who sits in it, and that shares are equal and not greedy, was chosen by inner folds: within
the training and validation data of each fold, five times train, validate and test.
`--choose 1` does that again: of every way to blend, the mean over the inner test data, the
shares of greedy selection being chosen on one half of its queries and measured on the other.
"""
import gzip
import json
import os

from common import Experiment, mean

METRICS = ("ndcg@10", "map")
FOLDS = range(1, 6)
NETS = 4
SCORING = ("lambdaneuralrank", "lambdarank", "ranknet", "directranker", "listnet")
COMPARING = ("sortnet", "cmpnn", "tesauro")
KINDS = ("lambdaneuralrank", "lambdamart", "sortnet", "coordinate-ascent", "listnet",
         "rankboost")
CANDIDATES = (*(KINDS[:n] for n in range(1, len(KINDS) + 1)), SCORING, SCORING + COMPARING,
              tuple(dict.fromkeys(KINDS + SCORING + COMPARING)))
COMMITTEE = {"mq2008": KINDS, "ohsumed": SCORING + COMPARING}
SEVERAL = {*SCORING, "cmpnn", "tesauro"}  # those that sit there from several seeds
PEERS = {  # NDCG@10 and MAP
    "mq2008": {"RankLib LambdaMART": (0.5050, 0.4783), "RankLib MART": (0.5036, 0.4747),
               "RankLib coordinate ascent": (0.5032, 0.4757),
               "RankLib RankBoost": (0.5003, 0.4767),
               "XGBoost rank:pairwise": (0.4988, 0.4691),
               "RankLib AdaRank": (0.4952, 0.4700)},
    "ohsumed": {"RankLib AdaRank": (0.4478, 0.4458),
                "XGBoost rank:pairwise": (0.4422, 0.4354),
                "RankLib RankBoost": (0.4385, 0.4452),
                "RankLib LambdaMART": (0.4300, 0.4384)},
}
ASKED = {"mq2008": (0.510, 0.483), "ohsumed": (0.458, None)}


def means(rows):
    """Column by column."""
    return [mean(column) for column in zip(*rows)]


class Folds:
    """One data set and seed: what was trained on it, fold by fold."""

    def __init__(self, e, name, data, seed):
        self.e, self.name, self.data, self.seed = e, name, data, seed
        self.found = {}

    def folder(self, method, nets):
        return self.e.path(f"{self.name}-s{self.seed}-{method}-x{nets}")

    def train(self, method, nets=1):
        """What `peck cv` tells of it, models kept."""
        if (method, nets) not in self.found:
            self.found[method, nets] = self.e.cv(
                method, self.data, "--ensemble", nets, "--out-dir",
                self.folder(method, nets), seed=self.seed)[method]
        return self.found[method, nets]

    def values(self, method, nets=1):
        return [self.train(method, nets)["test"][m] for m in METRICS]

    def cut(self, data, n, k):
        """Part k of n of a file."""
        path = f"{self.e.path(os.path.basename(data))}-{k}of{n}.txt"
        if not os.path.exists(path):
            self.e.peck("convert", data, path, "--folds", n, "--fold", k, "--part", "test",
                        "--seed", self.seed)
        return path

    def test(self, k):
        """The test data of a fold; of a single file, the part that `peck cv` cuts."""
        if os.path.isdir(self.data):
            return os.path.join(self.data, f"Fold{k}", "test.txt.gz")
        return self.cut(self.data, len(FOLDS), k)

    def judge(self, members, k, data, *words):
        """A committee of fold k on this data."""
        path = self.e.path(f"{self.name}-s{self.seed}-committee-{k}.peck")
        self.e.peck("blend", "-o", path, *words,
                    *(os.path.join(self.folder(*m), f"Fold{k}.peck") for m in members))
        found = json.loads(self.e.peck("eval", path, data, "-m", ",".join(METRICS), "--json"))
        return [found[m] for m in METRICS]

    def blend(self, members):
        """Means over the folds of a committee; members: (method, nets)."""
        for m in members:
            self.train(*m)
        return means(self.judge(members, k, self.test(k)) for k in FOLDS)

    def blend_greedily(self, members):
        """The same, weights chosen on one half of the test data, measured on the other."""
        halves = [(k, [self.cut(self.test(k), 2, h) for h in (1, 2)]) for k in FOLDS]
        return means(self.judge(members, k, half[1 - h], "--weights", "greedy", "--valid",
                                half[h]) for k, half in halves for h in (0, 1))


def inner_folds(e, name, k):
    """Folds of the training and validation data of fold k."""
    path = e.path(f"{name}-inner{k}.txt")
    with open(path, "wb") as to:
        for part in ("train", "vali"):
            with gzip.open(os.path.join(e.dataset(name), f"Fold{k}", part + ".txt.gz")) as text:
                to.write(text.read())
    return Folds(e, f"{name}-inner{k}", path, 1)


def choose(e, name):
    """What the committee was chosen from, on inner folds."""
    runs = [inner_folds(e, name, k) for k in FOLDS]
    ways = {", ".join(c): [r.blend([(m, 1) for m in c]) for r in runs] for c in CANDIDATES}
    for c in (COMMITTEE[name], max(CANDIDATES, key=len)):
        ways[", ".join(c) + ": greedy"] = [r.blend_greedily([(m, 1) for m in c]) for r in runs]
    table = e.table(f"{name}: inner test data, NDCG@10 within the folds, and means",
                    ["committee", *(f"Fold{k}" for k in FOLDS), "NDCG@10", "MAP"], digits=4)
    for what, values in ways.items():
        table.row(what, *(v[0] for v in values), *means(values))


def compare(e, name, data, seeds, committee, nets, asked):
    runs = [Folds(e, name, data, s) for s in seeds]
    table = e.table(f"{name}: test data", ["", "NDCG@10", "MAP"], digits=4)
    for peer, values in PEERS[name].items():
        table.row(peer, *values)
    valid = {m: mean(r.train(m)["valid"] for r in runs) for m in committee}
    best = max(committee, key=valid.get)
    rows = {"ridge": means(r.values("ridge") for r in runs),
            f"best single method: {best}": means(r.values(best) for r in runs),
            f"ensemble of one method: {best}, {nets} nets":
                means(r.values(best, nets) for r in runs),
            "committee": means(r.blend([(m, nets if m in SEVERAL else 1) for m in committee])
                               for r in runs)}
    for what, values in rows.items():
        table.row(f"ours: {what}", *values)
    for i, metric in enumerate(METRICS):
        if asked[i] is not None:
            e.bound(f"{name}: committee, {metric}", rows["committee"][i], low=asked[i],
                    digits=4)
        others = [v[i] for v in (rows["ridge"], *(() if e.quick else PEERS[name].values()))]
        e.bound(f"{name}: committee above ridge and peers, {metric}",
                rows["committee"][i] - max(others), low=-0.05 if e.quick else 0.0, digits=4)


def main():
    e = Experiment("The committee: MQ2008 and OHSUMED", __doc__, choose=0)
    if e.quick:
        data = e.data("web", seed=1, queries=60, docs=12, dim=10)
        compare(e, "mq2008", data, (1,), ("lambdaneuralrank", "cmpnn", "mart"), 2,
                (0.65, 0.65))
    else:
        for name, asked in ASKED.items():
            if e.options.choose:
                choose(e, name)
            compare(e, name, e.dataset(name), (1, 2, 3), COMMITTEE[name], NETS, asked)
    e.finish()


if __name__ == "__main__":
    main()
