"""RankNet, Table 4: perceptrons, RankProp and RankNet beside each other.

Burges et al. 2005, section 6, ran them on the queries of a search engine, with unlabelled
documents at grade 0; that data was never given out.  Here a random net (Table 1) grades
documents from 0 to 5, and those that nobody would have labelled are at grade 0, which every
system sees.  100 queries to learn from, 100 to choose the epoch, 200 to test, 50 documents
each; NDCG@15, mean over the test queries of 10 targets.  Figures are higher than the
paper's since every document is labelled; what can be compared is their order.

Recipes: preset=paper of `prank` (kernel=quadratic is the quadratic one), `oap-bpm`,
`rankprop` and `ranknet` with hidden=0 (one layer), `ranknet` (two layers); `ranksvm`, which
the paper does not have.
"""
import json
import os

from common import Experiment, mean

DOCS = 50  # of a query
METRIC = "ndcg@15"
SYSTEMS = {
    "Quad PRank": ("prank", dict(kernel="quadratic"), (0.379, 0.327)),
    "Linear PRank": ("prank", {}, (0.410, 0.412)),
    "OAP-BPM": ("oap-bpm", {}, (0.455, 0.454)),
    "RankProp": ("rankprop", dict(hidden=0), (0.459, 0.460)),
    "RankSVM": ("ranksvm", {}, (None, None)),
    "One layer net": ("ranknet", dict(hidden=0), (0.479, 0.477)),
    "Two layer net": ("ranknet", {}, (0.489, 0.488)),
}
# Whom a system is compared with, as the paper orders them, and whether a bound asks for it.
BEHIND = {
    "Linear PRank": ("Quad PRank", False),
    "OAP-BPM": ("Linear PRank", True),
    "RankProp": ("OAP-BPM", False),
    "One layer net": ("RankProp", False),
    "Two layer net": ("One layer net", True),
}


def parts_of(e, target):
    """Paths of training, validation and test data; the test data is fold `target`."""
    sizes = (20, 20, 60) if e.quick else (100, 100, 200)
    train, valid, test = (
        e.data("net", seed=10 * target + part, queries=n, docs=DOCS, target=target)
        for part, n in enumerate(sizes, 1))
    fold = e.path(f"tests/Fold{target}")
    os.makedirs(fold, exist_ok=True)
    if not os.path.exists(fold + "/test.txt"):
        os.symlink(os.path.abspath(test), fold + "/test.txt")
    return train, valid, fold + "/test.txt"


def folder_of(e, name):
    return e.path(name.replace(" ", "-"))


def run(e, name, target):
    """Writes the scores of the test data; the validation value comes back."""
    method, settings, _ = SYSTEMS[name]
    train, valid, test = parts_of(e, target)
    model = f"{name.replace(' ', '-')}/Fold{target}.peck"
    found = e.train(method, train, valid=valid, metric=METRIC, model=model, preset="paper",
                    **settings)
    e.peck("score", e.path(model), test, "-o", folder_of(e, name) + f"/Fold{target}.scores")
    return found["valid_" + METRIC]


def compare(e, worse, better):
    """Means of both over all queries, and how surely they differ."""
    report = e.peck("compare", e.path("tests"), folder_of(e, worse), folder_of(e, better),
                    "--metric", METRIC, "--json")
    return json.loads(report)["tables"]["comparison"]


def main():
    e = Experiment("RankNet, Table 4: PRank, OAP-BPM, RankProp and RankNet", __doc__)
    targets = range(1, 3 if e.quick else 11)
    for name in SYSTEMS:
        os.makedirs(folder_of(e, name), exist_ok=True)
    for target in targets:
        parts_of(e, target)
    jobs = [(name, t) for name in SYSTEMS for t in targets]
    valid = dict(zip(jobs, e.each(lambda job: run(e, *job), jobs)))
    table = e.table(f"NDCG@15, mean of {len(targets)} targets",
                    ["system", "paper: validation", "paper: test", "ours: validation",
                     "ours: test"], digits=3)
    for name in SYSTEMS:
        test = compare(e, "Linear PRank", name)[1]["mean"]
        table.row(name, *SYSTEMS[name][2], mean(valid[name, t] for t in targets), test)
    tests = e.table("Differences over the test queries, paired; p of two tests",
                    ["systems", "difference", "low", "high", "t", "Wilcoxon"], digits=4)
    for name, (other, is_asked) in BEHIND.items():
        found = compare(e, other, name)[1]
        tests.row(f"{name} - {other}", *(found[k] for k in ("difference", "low", "high")),
                  *(f"{found[k]:.1g}" for k in ("t", "wilcoxon")))
        if is_asked:
            e.bound(f"{name} above {other}, low end of 95 %", found["low"], low=0.001, digits=4)
    e.finish()


if __name__ == "__main__":
    main()
