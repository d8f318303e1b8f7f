"""RankNet, Tables 4 to 6: perceptrons, RankProp and RankNet beside each other.

Burges et al. 2005, section 6, ran them on the queries of a search engine, with unlabelled
documents at grade 0; that data was never given out.  Here a random net (Table 1) grades
documents from 0 to 5, and those that nobody would have labelled are at grade 0, which every
system sees.  100 queries to learn from, 100 to choose the epoch, 200 to test, 50 documents
each; NDCG@15, mean over the test queries of 10 targets.  Figures are higher than the
paper's since every document is labelled; what can be compared is their order.

Recipes: preset=paper of `prank` (kernel=quadratic is the quadratic one), `oap-bpm`,
`rankprop` and `ranknet` with hidden=0 (one layer), `ranknet` (two layers); `ranksvm`, which
the paper does not have.

Table 5 measures the same models on the data they were trained on.  The paper reads it beside
Table 4: one layer does no better there than on test data, so it is at its capacity, while two
layers do, so more data might help them.

Table 6 is the wall clock of 100 epochs, as in the paper: the 100 training queries of the first
target, no validation data, one system after the other on one thread, reading the file included;
the best of three runs.  The paper's were 11,336 queries on a machine of 2005, so that only
ratios can be compared, and our seconds depend on the machine too.  An epoch is a pass over
the documents for a perceptron (over a part of them for each of OAP-BPM's hundred), over their
pairs for RankNet.  RankSVM has no epochs; it runs until it has converged.
"""
import json
import os

from common import Experiment, mean, timed

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
# Table 5: NDCG@15 on training data.  Table 6: minutes, in the paper's order.
PAPER_TRAINING = {"One layer net": 0.479, "Two layer net": 0.500}
PAPER_MINUTES = {"Linear PRank": 11, "RankProp": 23, "One layer net": 67,
                 "Two layer net": 5 * 60 + 51, "OAP-BPM": 10 * 60 + 23,
                 "Quad PRank": 39 * 60 + 52, "RankSVM": None}


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
    """Writes the scores of the test data; values on validation and training data."""
    method, settings, _ = SYSTEMS[name]
    train, valid, test = parts_of(e, target)
    model = f"{name.replace(' ', '-')}/Fold{target}.peck"
    found = e.train(method, train, valid=valid, metric=METRIC, model=model, preset="paper",
                    **settings)
    e.keep(f"net/{name}/Fold{target}", e.path(model), test, metric=METRIC)
    e.peck("score", e.path(model), test, "-o", folder_of(e, name) + f"/Fold{target}.scores")
    on_training = e.peck("eval", e.path(model), train, "-M", METRIC, "--threads", 1)
    return found["valid_" + METRIC], float(on_training.split()[1])


def compare(e, worse, better):
    """Means of both over all queries, and how surely they differ."""
    report = e.peck("compare", e.path("tests"), folder_of(e, worse), folder_of(e, better),
                    "--metric", METRIC, "--json")
    return json.loads(report)["tables"]["comparison"]


def table_4(e, valid, test):
    """valid, test: means by system."""
    table = e.table("Table 4: NDCG@15, mean of all targets",
                    ["system", "paper: validation", "paper: test", "ours: validation",
                     "ours: test"], digits=3)
    for name in SYSTEMS:
        table.row(name, *SYSTEMS[name][2], valid[name], test[name])
    tests = e.table("Differences over the test queries, paired; p of two tests",
                    ["systems", "difference", "low", "high", "t", "Wilcoxon"], digits=4)
    differ, open_ = {}, []  # differences of the paper that are none here
    for name, (other, is_asked) in BEHIND.items():
        found = differ[name] = compare(e, other, name)[1]
        tests.row(f"{name} - {other}", *(found[k] for k in ("difference", "low", "high")),
                  *(f"{found[k]:.1g}" for k in ("t", "wilcoxon")))
        if is_asked:
            e.bound(f"{name} above {other}, low end of 95 %", found["low"], low=0.001, digits=4)
        elif found["low"] <= 0.0:
            open_.append(f"{name} above {other} ({found['difference']:+.4f})")
    e.claim("the systems differ in the paper's order of them (Table 4)", not open_,
            f"{' and '.join(open_)}: the interval of 95 % holds 0" if open_ else "")
    two = differ["Two layer net"]
    e.claim("one layer and two do not differ significantly (text to Table 4)",
            two["low"] <= 0.0 <= two["high"], f"{two['difference']:+.4f}, interval of 95 % "
            f"{two['low']:.4f} to {two['high']:.4f}: the targets here are nets of two layers")


def table_5(e, training, test):
    table = e.table("Table 5: NDCG@15 on training data", [
        "system", "paper", "paper: above test", "ours", "ours: above test"], digits=3)
    for name in SYSTEMS:
        paper = PAPER_TRAINING.get(name)
        table.row(name, paper, paper and paper - SYSTEMS[name][2][1], training[name],
                  training[name] - test[name])
    above = {name: training[name] - test[name] for name in PAPER_TRAINING}
    one, two = above.values()
    e.claim("the linear net is at its capacity, the one of two layers might gain from more data: "
            "it is farther ahead on training data than on test data (Table 5)", two > one,
            f"one layer {one:+.4f} on training data, two layers {two:+.4f}; the paper's "
            + " and ".join(f"{PAPER_TRAINING[n] - SYSTEMS[n][2][1]:+.3f}" for n in above)
            + f". Two layers have {training['Two layer net']:.3f} there: little is left to gain")
    if not e.quick:
        e.bound("One layer net, training above test (paper: at capacity)",
                above["One layer net"], high=0.01, digits=4)
        e.bound("Two layer net, training above test, more than one layer",
                above["Two layer net"] - above["One layer net"], low=0.0, digits=4)


def seconds_of(e, name, train):
    """Of 100 epochs; the best of three."""
    method, settings, _ = SYSTEMS[name]
    if method != "ranksvm":
        settings = {**settings, "epochs": 2 if e.quick else 100, "patience": 0}
    if method == "ranknet":
        settings["settle"] = 0  # all of them
    return min(timed(lambda: e.train(method, train, "--valid-split", 0, metric=METRIC,
                                     preset="paper", **settings))[0]
               for _ in range(1 if e.quick else 3))


def table_6(e):
    train = parts_of(e, 1)[0]
    table = e.table("Table 6: training times", [
        "system", "paper: minutes", "times Linear PRank's", "ours: seconds",
        "times Linear PRank's"])
    found = {name: seconds_of(e, name, train) for name in PAPER_MINUTES}
    for name, minutes in PAPER_MINUTES.items():
        table.row(name, minutes, minutes and minutes / PAPER_MINUTES["Linear PRank"],
                  f"{found[name]:.3f}", found[name] / found["Linear PRank"])
    order = [n for n in PAPER_MINUTES if PAPER_MINUTES[n]]
    turned = [f"{b} before {a}" for a, b in zip(order, order[1:]) if found[b] < found[a]]
    if not e.quick:
        e.claim("training times have the paper's order (Table 6)", not turned, ", ".join(turned))
    if not e.quick:
        e.bound("Quad PRank's time, times Linear PRank's (paper: slow)",
                found["Quad PRank"] / found["Linear PRank"], low=2.0)


def main():
    e = Experiment("RankNet, Tables 4 to 6: PRank, OAP-BPM, RankProp and RankNet", __doc__)
    targets = range(1, 3 if e.quick else 11)
    for name in SYSTEMS:
        os.makedirs(folder_of(e, name), exist_ok=True)
    for target in targets:
        parts_of(e, target)
    jobs = [(name, t) for name in SYSTEMS for t in targets]
    found = dict(zip(jobs, e.each(lambda job: run(e, *job), jobs)))
    valid, training = ({name: mean(found[name, t][i] for t in targets) for name in SYSTEMS}
                       for i in range(2))
    test = {name: compare(e, "Linear PRank", name)[1]["mean"] for name in SYSTEMS}
    table_4(e, valid, test)
    table_5(e, training, test)
    table_6(e)
    e.finish()


if __name__ == "__main__":
    main()
