#!/usr/bin/env python3
"""Table I of the SortNet paper: a preference that no score can express.

Rigutini, Papini, Maggini and Scarselli, "SortNet: learning to rank by a neural preference
function", IEEE Trans. Neural Networks 22 (2011), section V-A: 10,000 pairs of votes to
learn from, 4,000 to choose the epoch, 6,000 to test, five trials; x is preferred to y when
more of its seven votes are greater.  Prints the share of test pairs that come out right,
in percent, beside the paper's figures.

    python3 bench/papers/sortnet_table1.py [PECK] [TRIALS]
"""
import concurrent.futures
import os
import statistics
import subprocess
import sys
import tempfile

HIDDEN = (10, 20, 30, 40, 50)  # duals included
PAIRS = {"train": 10000, "valid": 4000, "test": 6000}
PAPER = {  # test accuracy and its deviation
    "cmpnn": ("87.46 ± 1.67", "88.25 ± 0.56", "88.21 ± 0.95", "87.95 ± 0.74", "88.42 ± 1.08"),
    "tesauro": ("50.75 ± 29.11", "60.71 ± 12.15", "61.36 ± 19.27", "68.14 ± 7.15", "68.36 ± 12.01"),
}
# Votes are in [0, 1] and compared with each other: a query's own scale would give the
# answer away, so all share one.
SETTINGS = ("norm=zscore", "cost=square", "activation=tanh", "optimiser=adam", "rate=0.005",
            "batch=16", "schedule=cosine", "epochs=200", "patience=0")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def make_data(peck, folder, trial):
    for i, (part, n) in enumerate(PAIRS.items()):
        run(peck, "generate", "votes", "-q", "--set", f"pairs={n}", "--seed",
            str(100 * trial + i), "-o", f"{folder}/{part}{trial}.peckdata")


def accuracy(peck, folder, method, hidden, trial):
    """Percent of the test pairs that come out right."""
    sets = [word for s in (*SETTINGS, f"hidden={hidden}") for word in ("--set", s)]
    told = run(peck, "train", "-q", "-m", method, *sets, "--metric", "pairacc", "--threads",
               "1", "--seed", str(trial), f"{folder}/train{trial}.peckdata", "--valid",
               f"{folder}/valid{trial}.peckdata", "--test", f"{folder}/test{trial}.peckdata",
               "-o", f"{folder}/{method}-{hidden}-{trial}.peck")
    lines = dict(line.split("\t") for line in told.splitlines())
    return 100 * float(lines["test_pairacc"])


def main():
    peck = sys.argv[1] if len(sys.argv) > 1 else "build/peck"
    trials = range(1, int(sys.argv[2]) + 1 if len(sys.argv) > 2 else 6)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as crew:
        list(crew.map(lambda t: make_data(peck, folder, t), trials))
        found = {(m, h): [crew.submit(accuracy, peck, folder, m, h, t) for t in trials]
                 for h in HIDDEN for m in PAPER}
        print("hidden\tcmpnn\tpaper\ttesauro\tpaper")
        for row, hidden in enumerate(HIDDEN):
            cells = []
            for method, paper in PAPER.items():
                values = [f.result() for f in found[method, hidden]]
                spread = statistics.stdev(values) if len(values) > 1 else 0.0
                cells += [f"{statistics.mean(values):.2f} ± {spread:.2f}", paper[row]]
            print(hidden, *cells, sep="\t", flush=True)


if __name__ == "__main__":
    main()
