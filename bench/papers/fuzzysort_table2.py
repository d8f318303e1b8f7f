#!/usr/bin/env python3
"""Tables II and III of the Fuzzy-Sort paper (Yang and Lin 2015), theirs beside ours.

Pairwise error is the paper's: pairs of documents in the wrong order over all N (N - 1) / 2
pairs of a list, those of equal labels included.  bike, cadata and cpusmall are one list
each, cut in two halves by a seeded shuffle; of MQ2008 the five test parts are ranked, each
by the forest of its own training part, and all pairs of all queries count the same.

Their bike has 16 features, which hold both parts of the target; the public one has 12.

usage: fuzzysort_table2.py PECK DATA [--sets a,b] [--decoders x,y] [--seed N]
                           [--threads N] [--set KEY=VALUE ...]
DATA holds regression/*.txt.gz and mq2008/Fold*/{train,test}.txt.gz.
"""
import argparse
import gzip
import os
import random
import subprocess
import tempfile
import time

DECODERS = {"fuzzy": "fuzzy:window=50", "pivot": "pivot:runs=50", "merge": "merge:runs=50",
            "centrality": "centrality"}
THEIRS = {  # error; seconds of training, then of prediction
    "bike": {"fuzzy": (.0748, 110), "pivot": (.0907, 294), "merge": (.0862, 312),
             "centrality": (.1028, 1932), "train": 210},
    "cadata": {"fuzzy": (.2251, 167), "pivot": (.2386, 305), "merge": (.2251, 347),
               "centrality": (.2287, 3181), "train": 211},
    "cpusmall": {"fuzzy": (.0939, 52), "pivot": (.0972, 97), "merge": (.0981, 109),
                 "centrality": (.0920, 667), "train": 264},
    "mq2008": {"fuzzy": (.0553, 2), "pivot": (.0568, 17), "merge": (.0562, 17),
               "centrality": (.0576, 3), "train": 127},
}
SETTINGS = {"mq2008": ["max_pairs=50000"]}
AIM = {"bike": .140, "cadata": .165, "cpusmall": .090, "mq2008": .0553}


def inversions(labels):
    """Pairs of a list, best first, whose later one has the larger label."""
    if len(labels) < 2:
        return 0, labels
    middle = len(labels) // 2
    left, a = inversions(labels[:middle])
    right, b = inversions(labels[middle:])
    wrong, merged, i, j = left + right, [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] >= b[j]:
            merged.append(a[i])
            i += 1
        else:
            wrong += len(a) - i
            merged.append(b[j])
            j += 1
    return wrong, merged + a[i:] + b[j:]


def documents(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        return [line for line in lines if line.strip() and line[0] != "#"]


def parts(data, name, seed, folder):
    """(training file, test file) of every part of a data set."""
    if name == "mq2008":
        for fold in range(1, 6):
            at = os.path.join(data, name, f"Fold{fold}")
            yield os.path.join(at, "train.txt.gz"), os.path.join(at, "test.txt.gz")
        return
    lines = documents(os.path.join(data, "regression", name + ".txt.gz"))
    random.Random(seed).shuffle(lines)
    halves = {"train": lines[:len(lines) // 2], "test": lines[len(lines) // 2:]}
    files = {part: os.path.join(folder, f"{name}.{part}") for part in halves}
    for part, path in files.items():
        with open(path, "w") as out:
            out.writelines(halves[part])
    yield files["train"], files["test"]


def timed(*command):
    start = time.perf_counter()
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - start, out


def judge(ranked, test):
    """Wrong pairs and all pairs of what `peck rank` printed (query, rank, document)."""
    labels, order = {}, {}
    for line in documents(test):
        words = line.split()
        labels.setdefault(words[1][4:], []).append(float(words[0]))
    ids = {query: {} for query in labels}
    for line in documents(test):
        query, _, comment = line.split()[1][4:], *line.partition("#")[1:]
        name = comment.split()[2] if "docid" in comment else str(len(ids[query]))
        ids[query][name] = len(ids[query])
    for line in ranked.splitlines()[1:]:
        query, _, document = line.split("\t")[:3]
        order.setdefault(query, []).append(labels[query][ids[query][document]])
    lists = order.values()
    return (sum(inversions(ys)[0] for ys in lists),
            sum(len(ys) * (len(ys) - 1) // 2 for ys in lists))


def measure(args, name, folder):
    wrong, pairs, train = dict.fromkeys(args.decoders, 0), 0, 0.0
    seconds = dict.fromkeys(args.decoders, 0.0)
    model = os.path.join(folder, "model.peck")
    chosen = [word for pair in SETTINGS.get(name, []) + args.set for word in ("--set", pair)]
    for train_file, test_file in parts(args.data, name, args.seed, folder):
        took, _ = timed(args.peck, "train", "-q", "-m", "pairforest", train_file, "-o", model,
                        "--valid-split", "0", "--seed", str(args.seed), "--threads",
                        args.threads, *chosen)
        train += took
        for decoder in args.decoders:
            took, out = timed(args.peck, "rank", model, test_file, "--decoder",
                              DECODERS[decoder], "--seed", str(args.seed), "--threads",
                              args.threads)
            seconds[decoder] += took
            bad, all_pairs = judge(out, test_file)
            wrong[decoder] += bad
        pairs += all_pairs
    return {d: wrong[d] / pairs for d in args.decoders}, seconds, train


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("peck")
    parser.add_argument("data")
    parser.add_argument("--sets", default="bike,cadata,cpusmall,mq2008")
    parser.add_argument("--decoders", default=",".join(DECODERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", default="0")
    parser.add_argument("--set", action="append", default=[])
    args = parser.parse_args()
    args.decoders = args.decoders.split(",")
    print("data\tdecoder\terror\taim\tpaper\tseconds\tpaper\ttraining\tpaper")
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets.split(","):
            error, seconds, train = measure(args, name, folder)
            for d in args.decoders:
                theirs = THEIRS[name][d]
                aim = f"{AIM[name]:.4f}" if d == "fuzzy" else "-"
                print(f"{name}\t{d}\t{error[d]:.4f}\t{aim}\t{theirs[0]:.4f}\t{seconds[d]:.2f}"
                      f"\t{theirs[1]}\t{train:.2f}\t{THEIRS[name]['train']}", flush=True)


if __name__ == "__main__":
    main()
