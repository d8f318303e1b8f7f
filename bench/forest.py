"""pairforest beside scikit-learn's RandomForestClassifier: the same pairs, the same trees.

Both get 200,000 pairs of documents of one query and grow 50 trees to their ends on 2
threads, looking at the square root of the features for a split.  Theirs draw 100,000 pairs
with replacement, which are 39.35 % of all, some of them twice; ours take as many once.
Ours is the whole of `peck train`, reading included; theirs is fit() alone.  Both are asked
both ways, (f(x, y) + 1 - f(y, x)) / 2, about 20,000 pairs of other queries, so that one
standard error of the share of pairs that they get right is 0.003.
"""
import os
import random
import subprocess
import time

SKLEARN = """
import sys, time, numpy, sklearn
from sklearn.ensemble import RandomForestClassifier
x, y, test_x, test_y = (numpy.load(f"{sys.argv[1]}/{name}.npy")
                        for name in ("x", "y", "test_x", "test_y"))
forest = RandomForestClassifier(n_estimators=50, max_samples=0.5, n_jobs=2, random_state=1)
start = time.perf_counter()
forest.fit(x, y)
took = time.perf_counter() - start
half = test_x.shape[1] // 2
turned = numpy.hstack([test_x[:, half:], test_x[:, :half]])
vote = forest.predict_proba(test_x)[:, 1] - forest.predict_proba(turned)[:, 1]
print(took, numpy.mean((vote > 0) == test_y), sklearn.__version__)
"""
# Rows of two documents, in the order of a file of pairs; sides change places at random.
TABLE = """
import sys, numpy, random
features, pairs, folder, prefix = sys.argv[1:]
rows = {}
for line in open(features):
    words = line.partition("#")[0].split()
    if words:
        rows.setdefault(words[1][4:], []).append([float(w.split(":")[1]) for w in words[2:]])
rng, x, y = random.Random(3), [], []
for line in list(open(pairs))[1:]:
    query, winner, loser = line.strip().split(",")[:3]
    both = [rows[query][int(winner)], rows[query][int(loser)]]
    first = rng.randrange(2)
    x.append(both[first] + both[1 - first])
    y.append(first == 0)
numpy.save(f"{folder}/{prefix}x.npy", numpy.array(x, dtype=numpy.float32))
numpy.save(f"{folder}/{prefix}y.npy", numpy.array(y))
"""
ALIKE = ["split_features=0", "leaves=131072", "min_leaf=1", "bag=0.3935", "trees=50",
         "max_pairs=1000000", "differences=0"]
ERROR = 0.003


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def data(peck, folder, name, queries, n_pairs, seed):
    """A file of lists of 100 with 46 features, and one of pairs whose labels differ."""
    named, path = (os.path.join(folder, part + name + ".txt") for part in ("named-", ""))
    run(peck, "generate", "web", "--set", f"queries={queries}", "--set", "docs=100", "--set",
        "dim=46", "--seed", str(seed), "-o", named)
    labels = {}
    with open(named) as source, open(path, "w") as out:
        for line in source:
            if line[0] != "#":
                line = line.partition("#")[0].rstrip() + "\n"
                out.write(line)
                label, query = line.split()[:2]
                labels.setdefault(query[4:], []).append(float(label))
    pairs, rng, lists = path + ".pairs.csv", random.Random(seed), sorted(labels)
    with open(pairs, "w") as out:
        out.write("query,winner,loser\n")
        while n_pairs > 0:
            query = rng.choice(lists)
            a, b = (rng.randrange(len(labels[query])) for _ in range(2))
            if labels[query][a] != labels[query][b]:
                best, worst = (a, b) if labels[query][a] > labels[query][b] else (b, a)
                out.write(f"{query},{best},{worst}\n")
                n_pairs -= 1
    return path, pairs


def train(peck, text, pairs, model, *more):
    sets = [word for pair in ALIKE for word in ("--set", pair)]
    start = time.perf_counter()
    out = run(peck, "train", "-q", "-m", "pairforest", text, "--pairs", pairs, "-o", model,
              "--threads", "2", "--valid-split", "0", *sets, *more)
    return time.perf_counter() - start, out


def add_rows(bench, python_with):
    """Adds to bench.rows; bench has peck, folder, repeat, versions, row()."""
    folder, model = bench.folder, os.path.join(bench.folder, "forest.peck")
    text, pairs = data(bench.peck, folder, "forest", 200, 200_000, 1)
    test, test_pairs = data(bench.peck, folder, "forest-test", 50, 20_000, 2)
    python = python_with("sklearn, numpy")
    ours = min(train(bench.peck, text, pairs, model)[0] for _ in range(bench.repeat))
    if python is not None:
        _, told = train(bench.peck, text, pairs, model, "--valid", test, "--valid-pairs",
                        test_pairs)
        right = float(dict(line.split("\t")[:2] for line in told.splitlines()
                           if "\t" in line)["valid_preferences"])
        for of, which, prefix in ((text, pairs, ""), (test, test_pairs, "test_")):
            run(python, "-c", TABLE, of, which, folder, prefix)
        took, theirs, version = run(python, "-c", SKLEARN, folder).split()
        bench.versions["sklearn"] = version
        note = f"pairs right: {right:.4f} here, {float(theirs):.4f} there"
        bench.row("train 50 full trees on 200,000 pairs of 46 features, 2 threads, against "
                  "sklearn's random forest", ours, float(took), 10.0,
                  note if right > float(theirs) - ERROR else "worse; " + note)
    one = os.path.join(folder, "one-list.txt")
    with open(text) as source, open(one, "w") as out:
        for line in list(source)[:1000]:
            words = line.split()
            out.write(" ".join([words[0], "qid:1", *words[2:]]) + "\n")
    rank_list(bench, text, one, "pairforest of 50 trees", 1.0, "pairforest")
    rank_list(bench, text, one, "sortnet of 20 hidden", 0.020, "sortnet", "--set", "hidden=20",
              "--set", "max_iter=3")


def rank_list(bench, text, one, what, asked, method, *words):
    """The whole of `peck rank` on one list of 1,000, reading and all."""
    model = os.path.join(bench.folder, method + ".peck")
    run(bench.peck, "train", "-q", "-m", method, text, "-o", model, "--threads", "2", *words)
    took = bench.best(rank=lambda: bench.command(
        "rank", model, one, "--decoder", "fuzzy:window=50", "--threads", "1"))["rank"]
    bench.row(f"`peck rank`, a list of 1,000 by fuzzy, window 50, {what}, 1 thread, against "
              f"{asked:g} s", took, asked, 1.0)
