#!/usr/bin/python3
"""referee.py [PECK] -- `standard` against an evaluator that shares no code with Peck.

For random, tied, constant and perfect scores on every part of every fold of mq2008,
ohsumed and ohsumed-letor2 and on mslr-sample, every number that both sides give must
agree to 1e-6 (Peck prints six decimals).  Needs numpy, the data in $PECK_DATA (or
../shared/data) and the evaluator tools/letor_eval.py beside that folder; says that it
was skipped, and succeeds, where one of them is missing.
"""
import glob
import gzip
import importlib.util
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.environ.get("PECK_DATA") or os.path.join(ROOT, "..", "shared", "data")
EVALUATOR = os.path.join(DATA, "..", "tools", "letor_eval.py")
CUTS = (1, 3, 5, 10, 15, 20)
# Peck's name -> the evaluator's.  With "+": queries without a relevant document are
# left out.
NAMES = {f"ndcg@{k}": f"NDCG@{k}" for k in CUTS}
NAMES.update({f"p@{k}": f"P@{k}" for k in CUTS})
NAMES.update({"map": "MAP", "mrr": "MRR", "err@10": "ERR@10"})
PAIRS = {"pairacc": "pairacc", "pairacc-query": "pairacc_q"}
TOLERANCE = 1e-6


def skip(why):
    print(f"skipped: {why}")
    print("referee: 1 cases, 0 failed, 1 skipped")
    sys.exit(0)


def load_evaluator():
    try:
        import numpy  # noqa: F401
    except ImportError:
        skip("numpy is not installed")
    if not os.path.exists(EVALUATOR):
        skip(f"{EVALUATOR} is not there")
    spec = importlib.util.spec_from_file_location("letor_eval", EVALUATOR)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data_files():
    files = []
    for name in ("mq2008", "ohsumed", "ohsumed-letor2"):
        files += sorted(glob.glob(os.path.join(DATA, name, "Fold*", "*.txt.gz")))
    return files + sorted(glob.glob(os.path.join(DATA, "mslr-sample", "*.txt.gz")))


def score_sets(labels):
    import numpy as np

    rng = np.random.default_rng(len(labels))
    return {
        "random": rng.standard_normal(len(labels)),
        "tied": rng.integers(0, 4, len(labels)).astype(float),
        "constant": np.full(len(labels), 0.5),
        "perfect": labels,
    }


def ask_peck(peck, data, scores, convention, names):
    command = [peck, "eval", data, "--scores", scores, "--convention", convention,
               "--metric", ",".join(names)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {n: float(v) for n, v in (line.split("\t") for line in lines.splitlines())}


def differences(peck, plain, packed, scores, evaluator):
    """Yields (name, ours, theirs) for every number of one data file and score file."""
    theirs = evaluator.evaluate(plain, scores)
    every = {**NAMES, **PAIRS}
    ours = ask_peck(peck, packed, scores, "standard", every)
    for name, other in every.items():
        yield name, ours[name], theirs[other]
    if theirs["MAP"] == 0.0:  # nothing relevant anywhere: Peck says "-"
        return
    ours = ask_peck(peck, packed, scores, "standard,empty=skip", NAMES)
    for name, other in NAMES.items():
        yield name + "+", ours[name], theirs[other + "+"]


def main():
    peck = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                           os.path.join(ROOT, "build", "peck"))
    evaluator = load_evaluator()
    files = data_files()
    if not files:
        skip(f"no data in {DATA}")
    numbers, bad, worst = 0, 0, 0.0
    with tempfile.TemporaryDirectory() as scratch:
        plain = os.path.join(scratch, "data.txt")
        scores = os.path.join(scratch, "scores")
        for packed in files:
            with gzip.open(packed, "rb") as source, open(plain, "wb") as target:
                target.write(source.read())
            labels, _ = evaluator.read_labels(plain)
            for kind, values in score_sets(labels).items():
                with open(scores, "w") as f:
                    f.writelines(f"{v!r}\n" for v in values.tolist())
                for name, a, b in differences(peck, plain, packed, scores, evaluator):
                    numbers += 1
                    worst = max(worst, abs(a - b))
                    if not abs(a - b) <= TOLERANCE:
                        bad += 1
                        print(f"referee: {packed} {kind} {name}: {a} is not {b:.9f}")
    print(f"{len(files)} files; the largest difference is {worst:.2g}")
    print(f"referee: {numbers} cases, {bad} failed")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
