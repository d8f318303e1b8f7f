#!/usr/bin/python3
"""mslr.py [PECK] -- raw web data: every method learns on it as it comes.

mslr-sample has features from -73 to 1.6e8.  Each method, with its own normaliser, must
train without running away and have an NDCG@10 on the test data above that of
the best single feature (either way up) as chosen on the training data; with `--norm none` it
must warn of the scale, unless raw features are its own choice.  Needs the data in $PECK_DATA
(or ../shared/data); says that it was skipped, and succeeds, where it is missing.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.environ.get("PECK_DATA") or os.path.join(ROOT, "..", "shared", "data")
SET = os.path.join(DATA, "mslr-sample")
PARTS = ("train", "vali", "test")
SEEDS = (1,)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True)


def read_columns(peck, folder, part):
    """One column of values a feature, from the data as CSV: label, query, features."""
    path = os.path.join(folder, "table.csv")
    run(peck, "convert", os.path.join(folder, part), path)
    with open(path) as lines:
        names = next(lines).rstrip("\n").split(",")
        rows = [line.rstrip("\n").split(",") for line in lines]
    first = next(i for i, name in enumerate(names) if name not in ("label", "qid", "query"))
    return {name: [float(row[i]) for row in rows] for i, name in enumerate(names) if i >= first}


def judge_column(peck, folder, part, values, sign):
    scores = os.path.join(folder, "scores")
    with open(scores, "w") as out:
        out.writelines(f"{sign * v!r}\n" for v in values)
    found = run(peck, "eval", os.path.join(folder, part), "--scores", scores, "-M", "ndcg@10")
    return float(found.stdout.split("\t")[1])


def best_feature(peck, folder):
    """Its name and NDCG@10 on the test data."""
    train, test = (read_columns(peck, folder, part) for part in ("train", "test"))
    _, name, sign = max((judge_column(peck, folder, "train", train[n], s), n, s)
                        for n in train for s in (1, -1))
    return name, judge_column(peck, folder, "test", test[name], sign)


def train(peck, folder, method, seed, *more):
    """The report and the warnings; None where training fails."""
    part = {p: os.path.join(folder, p) for p in PARTS}
    command = [peck, "train", "-m", method, part["train"], "--valid", part["vali"], "--test",
               part["test"], "--metric", "ndcg@10", "--seed", str(seed), "--json", "-o",
               os.path.join(folder, "model"), *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr)
        return None, done.stderr
    return json.loads(done.stdout), done.stderr


def takes_raw(peck, folder):
    """Whether the model just trained chose raw features by itself, as trees and steps do."""
    told = run(peck, "inspect", os.path.join(folder, "model")).stdout
    norm = next(line.split("\t")[1] for line in told.splitlines() if line.startswith("norm\t"))
    return norm.split("+")[0] == "none"


def check(peck, folder, method, bar):
    """Whether the method is above the bar, and whether it warns of raw features."""
    reports = [train(peck, folder, method, seed)[0] for seed in SEEDS]
    if None in reports:
        print(f"{method}: a training failed")
        return False, False
    values = [r["test_ndcg@10"] for r in reports]
    mean = sum(values) / len(values)
    text = " ".join(f"{v:.4f}" for v in values)
    is_raw = takes_raw(peck, folder)
    warns = "scale" in train(peck, folder, method, 1, "--norm", "none")[1]
    is_right = warns != is_raw
    print(f"{method:18} {mean:.4f}  ({text})  {'above' if mean > bar else 'BELOW'} {bar:.4f}"
          f"{'' if is_right else '; --norm none: a warning too many, or one too few'}")
    return mean > bar, is_right


def main():
    peck = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                           os.path.join(ROOT, "build", "peck"))
    if not all(os.path.exists(os.path.join(SET, part + ".txt.gz")) for part in PARTS):
        print(f"skipped: no {SET}, or not all of it; PECK_DATA names the folder of real data")
        print("mslr: 1 cases, 0 failed, 1 skipped")
        return
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            run(peck, "convert", os.path.join(SET, part + ".txt.gz"),
                os.path.join(folder, part), "--to", "cache")
        name, bar = best_feature(peck, folder)
        print(f"the best feature on the training data is {name}: {bar:.4f} on test data")
        methods = [line.split()[0] for line in
                   run(peck, "list", "methods").stdout.splitlines()]
        found = [f for m in methods for f in check(peck, folder, m, bar)]
    print(f"mslr: {len(found)} cases, {found.count(False)} failed")
    sys.exit(1 if False in found else 0)


if __name__ == "__main__":
    main()
