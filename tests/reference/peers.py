#!/usr/bin/python3
"""peers.py [PECK] -- the presets `trec` and `lightgbm`, and trees, against other programs.

Random runs, judgements, ties, empty queries and query weights go through trec_eval (the
Python package pytrec_eval) and through LightGBM's own rank metrics; every number must
agree to 2e-6; so must the NDCG of XGBoost and of scikit-learn.  One tree of `mart` on one list must be scikit-learn's regression tree.  Says
what it skipped, and succeeds, where a package is missing.
"""
import os
import random
import subprocess
import sys
import tempfile

TOLERANCE = 2e-6
TREC = {"map": "map", "ndcg": "ndcg", "ndcg@5": "ndcg_cut_5", "ndcg@10": "ndcg_cut_10",
        "p@5": "P_5", "p@10": "P_10", "recall@10": "recall_10", "mrr": "recip_rank"}
TREC_MEASURES = {"map", "ndcg", "ndcg_cut.5,10", "P.5,10", "recall.5,10", "recip_rank"}
LIGHTGBM = [f"{metric}@{k}" for metric in ("ndcg", "map") for k in (1, 3, 5, 10)]


def ask_peck(peck, *arguments):
    out = subprocess.run([peck, "eval", *arguments], check=True, capture_output=True, text=True)
    return {name: float(value) for name, value in
            (line.split("\t") for line in out.stdout.splitlines())}


def agree(program, ours, theirs):
    """How many numbers differ; each is told."""
    wrong = [name for name in theirs if abs(ours[name] - theirs[name]) > TOLERANCE]
    for name in wrong:
        print(f"{program}: {name}: Peck {ours[name]:.6f}, {program} {theirs[name]:.6f}")
    return len(wrong)


def score(rng):
    return round(rng.gauss(0, 1), 1)  # few digits: ties


def check_trec(peck, folder, rng):
    try:
        import pytrec_eval
    except ImportError:
        return 0, 0
    run, qrels = {}, {}
    for query in (f"q{i}" for i in range(60)):
        run[query], qrels[query] = {}, {}
        labels = [-1, 0, 0, 0, 1, 2, 3] if rng.random() < 0.85 else [0]
        for document in rng.sample(range(40), rng.randint(2, 40)):
            if rng.random() < 0.7:
                qrels[query][f"d{document}"] = rng.choice(labels)
            if rng.random() < 0.8:
                run[query][f"d{document}"] = score(rng)
    paths = [os.path.join(folder, name) for name in ("run", "qrels")]
    with open(paths[0], "w") as out:
        out.writelines(f"{q} Q0 {d} 0 {s} tag\n" for q in run for d, s in run[q].items())
    with open(paths[1], "w") as out:
        out.writelines(f"{q} 0 {d} {y}\n" for q in qrels for d, y in qrels[q].items())
    judge = pytrec_eval.RelevanceEvaluator({q: v for q, v in qrels.items() if v}, TREC_MEASURES)
    queries = judge.evaluate({q: v for q, v in run.items() if v}).values()
    theirs = {name: sum(q[key] for q in queries) / len(queries) for name, key in TREC.items()}
    ours = ask_peck(peck, "--run", paths[0], "--qrels", paths[1], "--convention", "trec",
                    "--metric", ",".join(TREC))
    return len(theirs), agree("trec_eval", ours, theirs)


def lightgbm_values(lgb, numpy, rows, sizes):
    """One tree with a vanishing step leaves the initial scores to be judged."""
    labels, scores, weights = (numpy.array(column) for column in zip(*rows))
    data = lgb.Dataset(numpy.zeros((len(rows), 1)), label=labels, weight=weights, group=sizes,
                       init_score=scores)
    seen = {}
    lgb.train({"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [1, 3, 5, 10],
               "learning_rate": 1e-12, "verbosity": -1}, data, num_boost_round=1,
              valid_sets=[data], callbacks=[lgb.record_evaluation(seen)])
    return {name: values[-1] for name, values in next(iter(seen.values())).items()}


def check_lightgbm(peck, folder, rng, is_weighted):
    try:
        import lightgbm
        import numpy
    except ImportError:
        return 0, 0
    rows, sizes, lines = [], [], ["label,query,query_weight,feature\n"]
    for query in range(80):
        weight = rng.choice([0.5, 1, 2, 4]) if is_weighted else 1
        labels = [0, 0, 0, 1, 2, 3, 4] if rng.random() < 0.85 else [0]
        sizes.append(rng.randint(1, 30))
        for _ in range(sizes[-1]):
            rows.append((rng.choice(labels), score(rng), weight))
            lines.append(f"{rows[-1][0]},{query},{weight},0\n")
    paths = [os.path.join(folder, name) for name in ("data.csv", "scores")]
    with open(paths[0], "w") as out:
        out.writelines(lines)
    with open(paths[1], "w") as out:
        out.writelines(f"{s}\n" for _, s, _ in rows)
    ours = ask_peck(peck, paths[0], "--scores", paths[1], "--convention", "lightgbm",
                    "--metric", ",".join(LIGHTGBM))
    theirs = lightgbm_values(lightgbm, numpy, rows, sizes)
    return len(LIGHTGBM), agree("LightGBM", ours, {name: theirs[name] for name in LIGHTGBM})


def lists(folder, rng):
    """Labels, scores without ties and queries of some lists, also as files."""
    rows = []
    for query in range(60):
        labels = [0, 0, 0, 1, 2, 3, 4] if rng.random() < 0.85 else [0]
        rows += [(rng.choice(labels), rng.gauss(0, 1), query) for _ in range(rng.randint(2, 30))]
    paths = [os.path.join(folder, name) for name in ("data.csv", "scores")]
    with open(paths[0], "w") as out:
        out.writelines(["label,query,feature\n", *(f"{y},{q},0\n" for y, _, q in rows)])
    with open(paths[1], "w") as out:
        out.writelines(f"{s!r}\n" for _, s, _ in rows)
    return rows, paths


def check_xgboost(peck, folder, rng):
    """Its ndcg counts an empty query as 1, its ndcg- as 0."""
    try:
        import numpy
        import xgboost
    except ImportError:
        return 0, 0
    rows, paths = lists(folder, rng)
    labels, scores, queries = (numpy.array(column) for column in zip(*rows))
    data = xgboost.DMatrix(numpy.zeros((len(rows), 1)), label=labels, qid=queries, base_margin=scores)
    seen, names = {}, ("ndcg@5", "ndcg@10")
    xgboost.train({"objective": "rank:ndcg", "eta": 1e-12, "eval_metric": [n + sign for n in names for sign in ("", "-")]},
                  data, num_boost_round=1, evals=[(data, "it")], evals_result=seen, verbose_eval=False)
    wrong = 0
    for sign, empty in (("", "one"), ("-", "zero")):
        ours = ask_peck(peck, paths[0], "--scores", paths[1], "--convention", f"standard,empty={empty}",
                        "--metric", ",".join(names))
        wrong += agree("XGBoost", ours, {name: seen["it"][name + sign][-1] for name in names})
    return 2 * len(names), wrong


def check_ndcg_score(peck, folder, rng):
    """scikit-learn's ndcg_score: linear gain, an empty query counts as 0."""
    try:
        from sklearn.metrics import ndcg_score
    except ImportError:
        return 0, 0
    rows, paths = lists(folder, rng)
    theirs = {}
    for k in (5, 10):
        values = []
        for query in dict.fromkeys(q for *_, q in rows):
            one = [(y, s) for y, s, q in rows if q == query]
            values.append(ndcg_score([[y for y, _ in one]], [[s for _, s in one]], k=k))
        theirs[f"ndcg@{k}"] = sum(values) / len(values)
    ours = ask_peck(peck, paths[0], "--scores", paths[1], "--convention", "standard,gain=linear",
                    "--metric", ",".join(theirs))
    return len(theirs), agree("scikit-learn", ours, theirs)


def check_tree(peck, folder, rng):
    """Leaf by leaf, best first; no two values of a feature are equal.  A Newton step knows
    that the mean of the list moves with a leaf, so that ours are n / (n - 1) times theirs."""
    try:
        import numpy
        from sklearn.tree import DecisionTreeRegressor
    except ImportError:
        return 0, 0
    n, dim, leaves = 200, 5, 12
    x = numpy.array([rng.sample(range(1000), n) for _ in range(dim)]).T / 8.0
    y = numpy.array([round(10 + row[0] / 20 + row[1] * row[2] / 2000 + rng.random(), 4)
                     for row in x])
    paths = [os.path.join(folder, name) for name in ("data.txt", "tree.peck", "scores")]
    with open(paths[0], "w") as out:
        for label, row in zip(y, x):
            words = " ".join(f"{i + 1}:{value}" for i, value in enumerate(row))
            out.write(f"{label} qid:1 {words}\n")
    sets = ["trees=1", "rate=1", f"leaves={leaves}", "min_leaf=3", "norm=none",
            "query_share=1", "feature_share=1"]
    subprocess.run([peck, "train", "-q", "-m", "mart", paths[0], "-o", paths[1],
                    *(word for pair in sets for word in ("--set", pair))], check=True,
                   capture_output=True)
    subprocess.run([peck, "score", paths[1], paths[0], "-o", paths[2]], check=True)
    tree = DecisionTreeRegressor(max_leaf_nodes=leaves, min_samples_leaf=3).fit(x, y)
    theirs = tree.predict(x) - y.mean()
    with open(paths[2]) as lines:
        ours = numpy.array([float(line) for line in lines]) * (n - 1) / n
    wrong = int((abs(ours - theirs) > 1e-4).sum())
    if wrong > 0:
        print(f"scikit-learn: {wrong} of {n} scores differ")
    return 1, int(wrong > 0)


def main():
    peck = sys.argv[1] if len(sys.argv) > 1 else "build/peck"
    checks = {"trec_eval": check_trec,
              "LightGBM": lambda *given: check_lightgbm(*given, False),
              "LightGBM with query weights": lambda *given: check_lightgbm(*given, True),
              "XGBoost": check_xgboost, "scikit-learn's ndcg_score": check_ndcg_score,
              "scikit-learn": check_tree}
    n_all = n_wrong = n_skipped = 0
    for name, check in checks.items():
        checked = 0
        for seed in range(1, 6):
            with tempfile.TemporaryDirectory() as folder:
                n, wrong = check(peck, folder, random.Random(seed))
                checked += n
                n_wrong += wrong
        if checked == 0:
            print(f"skipped: {name} is not installed for Python")
        n_skipped += checked == 0
        n_all += max(checked, 1)
    print(f"peers: {n_all} cases, {n_wrong} failed, {n_skipped} skipped")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
