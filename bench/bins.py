#!/usr/bin/env python3
"""bins.py [BUILD] -- NDCG@10 of `lambdamart` beside LightGBM's, from the same trees.

Both grow 50 trees of 31 leaves at rate 0.1, with eight numbers of bins, which change where the
thresholds lie and little else: their spread says how much of a difference is chance.  What was
measured is kept in BUILD/bins/found.json: a run that was stopped goes on.  Writes a part of
docs/SCALE.md.

  --queries 8000     `generate web`, 136 features, about 100 documents each
  --judged 3000      other queries of the same task, whose NDCG@10 is told
  --peers PYTHON     a Python that has lightgbm
  --again            measure again what is known
"""
import argparse
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from scale import BINS, OURS, ROOT, Study, put_section  # noqa: E402

SIZES = range(255, 247, -1)
TREES = OURS["lambdamart"][1]["trees"]


def row(name, by):
    """by: number of bins -> NDCG@10."""
    error = statistics.stdev(by.values()) / len(by) ** 0.5
    cells = " | ".join(f"{by[bins]:.4f}" for bins in SIZES)
    return f"| {name} | {cells} | {statistics.mean(by.values()):.4f} | {error:.4f} |"


def main():
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("build", nargs="?", default=str(ROOT / "build"))
    parse.add_argument("--queries", type=int, default=8000)
    parse.add_argument("--judged", type=int, default=3000)
    parse.add_argument("--peers", default=sys.executable)
    parse.add_argument("--again", action="store_true")
    asked = parse.parse_args()
    study, threads = Study(asked, "bins"), len(os.sched_getaffinity(0))
    found = {"lambdamart": {}, "lightgbm": {}}
    for bins in SIZES:
        for who, by in found.items():
            key = f"{who}|{bins}|{asked.queries}|{asked.judged}"
            study.once(key, lambda: study.ours(who, threads, asked.queries, asked.judged,
                                               bins=bins) if who == "lambdamart"
                       else study.peer(who, threads, asked.queries, TREES, asked.judged, bins))
            if key in study.found:
                by[bins] = study.found[key]["ndcg"]
    if len(found["lightgbm"]) < len(SIZES):
        raise SystemExit(f"{asked.peers} has no lightgbm; name another with --peers")
    a, b = found.values()
    apart = [a[bins] - b[bins] for bins in SIZES]
    error = statistics.stdev(apart) / len(apart) ** 0.5
    put_section([
        BINS, "",
        f"Written by `python3 bench/bins.py`: {TREES} trees of 31 leaves at rate 0.1 on "
        f"`generate web` with {asked.queries:,} queries, `lambdamart` with LightGBM's settings "
        f"(`truncation=30 closeness=0.01`), {study.machines()}. NDCG@10 of {asked.judged:,} other "
        "queries by the number of bins, which changes where the thresholds lie and little else; "
        "± is the standard error of the mean.", "",
        f"| bins | {' | '.join(map(str, SIZES))} | mean | ± |", "|---|" + "---:|" * 10,
        row("lambdamart", a), row("LightGBM", b), "",
        "`lambdamart` less LightGBM, with as many bins: "
        f"{statistics.mean(apart):+.4f} ± {error:.4f} in the mean."])


if __name__ == "__main__":
    main()
