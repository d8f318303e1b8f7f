"""The section of docs/PEERS.md on Python: trees with equal settings, from arrays in memory.

200,000 rows of 136 features in 2,000 queries, 100 trees of 31 leaves, no validation: training on
so many threads, the score of 100 rows and of 1,000,000 rows on as many, and the peak memory of
the process.  Beside the packages stands the command, which reads the same data from a cache.
Every one runs in a process of its own; they take turns, and the least of all turns counts, as
what the machine does beside only adds.

`python in_python.py WHO THREADS TRAIN` is one of them, and prints JSON.
"""
import json
import os
import resource
import sys
import tempfile
import time

from process import run, timed

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QUERIES, DIM = 2000, 136
TURNS = 3
TREES, LEAVES, RATE, MIN_LEAF = 100, 31, 0.1, 20
SETTINGS = {"trees": TREES, "leaves": LEAVES, "rate": RATE, "min_leaf": MIN_LEAF, "patience": 0,
            "size": "small", "norm": "none", "query_share": 1, "feature_share": 1,
            "min_weight": 0.001, "truncation": 30}
TITLES = {"command": "peck train", "peck": "peck_rank.Ranker", "lightgbm": "LGBMRanker",
          "xgboost": "XGBRanker"}


def ranker(who, threads):
    if who == "peck":
        from peck_rank import Ranker

        return Ranker("lambdamart", n_jobs=threads, valid_fraction=0, **SETTINGS)
    if who == "lightgbm":
        from lightgbm import LGBMRanker

        return LGBMRanker(n_estimators=TREES, num_leaves=LEAVES, learning_rate=RATE,
                          min_child_samples=MIN_LEAF, n_jobs=threads, verbose=-1)
    from xgboost import XGBRanker

    return XGBRanker(n_estimators=TREES, max_leaves=LEAVES, max_depth=0, learning_rate=RATE,
                     grow_policy="lossguide", tree_method="hist", n_jobs=threads)


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def quickest(call, times):
    """What the machine did beside only adds."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def measure(who, threads, path):
    import numpy

    from common import read

    model = ranker(who, threads)
    imports = peak_bytes()
    train = read(path)
    x, sizes = numpy.ascontiguousarray(train.x), train.sizes
    qid = numpy.repeat(numpy.arange(len(sizes)), sizes)
    start, cpu = time.perf_counter(), time.process_time()
    if who == "lightgbm":
        model.fit(x, train.y, group=sizes)
    else:
        model.fit(x, train.y, qid=qid)
    found = {"train_s": time.perf_counter() - start, "cpu_s": time.process_time() - cpu,
             "data": x.nbytes, "imports": imports, "bytes": peak_bytes()}
    few = numpy.ascontiguousarray(x[:100])
    many = numpy.tile(x, (1_000_000 // len(x) + 1, 1))[:1_000_000]
    found["few_s"] = quickest(lambda: model.predict(few), 300)
    found["many_s"] = quickest(lambda: model.predict(many), 2)
    return found


class InPython:
    def __init__(self, peers):
        """peers: run.Peers"""
        self.peers = peers
        self.folder = os.path.join(peers.folder, "python")
        os.makedirs(self.folder, exist_ok=True)

    def train(self):
        path = os.path.join(self.folder, f"web.{QUERIES}.peckdata")
        if not os.path.exists(path):
            half = path + ".new.peckdata"
            run(self.peers.peck, "generate", "web", "--set", f"queries={QUERIES}", "--set",
                f"dim={DIM}", "--set", "vary=0", "--seed", 1, "-o", half)
            os.replace(half, path)
        return path

    def command(self, threads):
        words = [w for key, value in SETTINGS.items() for w in ("--set", f"{key}={value}")]
        with tempfile.TemporaryDirectory() as at:
            used = timed(self.peers.peck, "train", "-q", "-m", "lambdamart", *words,
                         "--valid-split", 0, "--threads", threads, self.train(), "-o",
                         os.path.join(at, "m.peck"))
        return {"train_s": used.seconds, "cpu_s": used.cpu, "bytes": used.bytes,
                "others": used.others, "threads": threads}

    def turn(self, who, threads):
        if who == "command":
            return self.command(threads)
        package = os.path.join(self.peers.options.build, "python")
        with tempfile.TemporaryDirectory() as at:
            told = os.path.join(at, "told")
            used = timed(self.peers.python, __file__, who, threads, self.train(), out=told,
                         env={**os.environ, "PYTHONPATH": package})
            with open(told) as file:
                return {**json.loads(file.read().splitlines()[-1]), "others": used.others,
                        "threads": threads}

    def rows(self):
        """Who -> the least that it took, and the least that others took of the machine."""
        threads = self.peers.options.threads
        run("make", "-s", "-C", ROOT, f"PY={self.peers.python}", "python")
        found = {who: [] for who in TITLES}
        for turn in range(TURNS):
            for who, turns in found.items():
                key = f"python.{who}.{threads}.{turn}.{self.peers.build_sum}"
                turns.append(self.peers.kept(key, lambda: self.turn(who, threads)))
                print(f"python: {TITLES[who]}, turn {turn + 1}", flush=True)
        return {who: {key: min(t[key] for t in turns) for key in turns[0]}
                for who, turns in found.items()}


def section(found, machine):
    """The table, and what was promised beside what is so."""
    from table import markdown  # of bench/papers, which only run.py has on its path

    def number(row, key, scale, digits):
        return f"{row[key] * scale:.{digits}f}" if key in row else "-"

    lines = [[TITLES[who], number(r, "train_s", 1, 1), number(r, "cpu_s", 1, 1),
              number(r, "few_s", 1e6, 0),
              number(r, "many_s", 1, 2), number(r, "bytes", 2**-20, 0), f"{r['others']:.2f}"]
             for who, r in found.items()]
    ours, peers = found["peck"], [found["lightgbm"], found["xgboost"]]
    ratios = {
        "training over the command's": ours["train_s"] / found["command"]["train_s"],
        "training over LGBMRanker's": ours["train_s"] / peers[0]["train_s"],
        "100 rows over the quicker peer's": ours["few_s"] / min(p["few_s"] for p in peers),
        "1,000,000 rows over the quicker peer's":
            ours["many_s"] / min(p["many_s"] for p in peers),
        "memory beyond the data over the command's":
            (ours["bytes"] - ours["data"]) / found["command"]["bytes"],
        "the same beyond what the interpreter and imports take":
            (ours["bytes"] - ours["data"] - ours["imports"]) / found["command"]["bytes"],
    }
    return (f"## From Python\n\n{QUERIES * 100:,} rows of {DIM} features in {QUERIES:,} queries, from "
            f"arrays in memory; {TREES} trees of {LEAVES} leaves, equal settings, "
            f"{ours['threads']} threads; the least of {TURNS} turns. The command reads the same data "
            "from a cache. Others: how many processors were busy with something else meanwhile. "
            f"{machine}.\n\n" + markdown([["", "train s", "CPU s", "100 rows us", "1,000,000 rows s",
                                "MiB", "others"], *lines])
            + "\nRatios, the smaller the better for ours: "
            + "; ".join(f"{name} {value:.2f}" for name, value in ratios.items()) + ".\n")


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
