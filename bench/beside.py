#!/usr/bin/python3
"""beside.py OLD_BUILD NEW_BUILD [--repeat N] [--docs N] [--only WORD ...] -- two builds of Peck
beside each other: our own lines of `make bench`, without its peers.

Both builds take turns on the same files, a fresh process each time, and the best of several
counts.  Prints new over old, less is better; a line that is more than 5 % slower (10 % where it
takes less than a millisecond) is marked, and makes the exit code 1.  OLD_BUILD is the build
folder of another checkout; both need their bench programs (`make build/bench_load
build/bench_score build/bench_compare build/bench_decode`).  MQ2008 as in bench.py.
"""
import argparse
import os
import sys
import tempfile

from bench import Bench, run

SLOWER, SLOWER_SHORT, SHORT_S = 1.05, 1.10, 1e-3


class Build(Bench):
    """A build over files that are made once."""

    def __init__(self, build, files):
        self.folder, self.files = files.folder, files
        self.peck, self.loader, self.scorer, self.comparer, self.decoder = (
            os.path.join(build, name) for name in
            ("peck", "bench_load", "bench_score", "bench_compare", "bench_decode"))

    def train(self, method, data, threads, *settings):
        return self.command(
            "train", "-q", "-m", method, data, "-o", os.path.join(self.folder, "model"), "--force",
            "--valid-split", "0", "--threads", str(threads),
            *(word for s in settings for word in ("--set", s)))

    def cv(self, method, threads, *settings):
        return self.command("cv", "-m", method, self.files.mq, "--threads", str(threads), *settings)


def lines(f):
    """(name, seconds of a build) of every line; f: the files"""
    yield "start: peck --version", lambda b: b.command("--version")
    for name, path in (("46", f.text), ("136", f.wide)):
        for threads in (1, 2):
            yield (f"read {name} features, {threads} threads",
                   lambda b, p=path, t=threads: b.load(p, t))
    yield "stats", lambda b: b.command("stats", f.text, "--threads", "2")
    yield "open the cache", lambda b: b.load(f.cache, 1)
    net, rows = f.net("net", [136, 64, 32, 1])[0], f.features(100, 136)
    for docs in (10, 100):
        yield (f"score a list of {docs}, net 136-64-32-1",
               lambda b, n=docs: b.lists(net, rows, (n,))[n][0])
    wide, more = f.comparator("wide", 136, 40), f.features(200, 136)
    yield "compare two documents", lambda b: float(run(b.comparer, "duel", wide, more, "200"))
    narrow, many = f.comparator("narrow", 44, 20), f.features(4000, 44)
    yield "sort 1,000 documents", lambda b: b.lists(narrow, many, (1000,))[1000][0]
    yield "fuzzy, 50,000 items", lambda b: b.decode("fuzzy:window=50", 50_000, 1)[1]
    yield "degree, 5,000 items", lambda b: b.decode("degree", 5000, 2)[1]
    pairs = f.lessons(1000)
    for hidden, threads, epochs in (("64-32", 1, 6), ("64-32", 2, 6), ("512-256", 1, 2)):
        yield (f"an epoch of ranknet, {hidden}, {threads} threads",
               lambda b, h=hidden, t=threads, e=epochs: b.epoch(pairs, h, t, e))
    yield "lambdamart, 100 trees", lambda b: b.train("lambdamart", pairs, 2, "trees=100", "leaves=31")
    yield "pairforest, 5 trees", lambda b: b.train("pairforest", f.cache, 2, "trees=5")
    if f.mq is not None:
        yield "MQ2008: ranknet", lambda b: b.cv("ranknet", 1, "--set", "epochs=30")
        for method in ("cmpnn", "sortnet", "lambdaneuralrank", "listnet", "rankboost", "adarank",
                       "coordinate-ascent", "ranksvm", "lambdamart"):
            yield f"MQ2008: {method}", lambda b, m=method: b.cv(m, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--docs", type=int, default=100_000)
    parser.add_argument("--only", nargs="*", default=[])
    asked = parser.parse_args()
    slower = 0
    with tempfile.TemporaryDirectory() as folder:
        files = Bench(asked.new, asked.docs, 1, folder)
        files.mq = files.mq2008()
        builds = [Build(asked.old, files), Build(asked.new, files)]
        print("| what | old | new | new / old | |\n|---|---:|---:|---:|---|")
        for name, seconds in lines(files):
            if asked.only and not any(word in name for word in asked.only):
                continue
            best = [float("inf")] * 2
            for _ in range(asked.repeat):
                for i, build in enumerate(builds):
                    best[i] = min(best[i], seconds(build))
            ratio = best[1] / best[0]
            is_slower = ratio > (SLOWER_SHORT if best[0] < SHORT_S else SLOWER)
            slower += is_slower
            print(f"| {name} | {1e3 * best[0]:.4g} ms | {1e3 * best[1]:.4g} ms | {ratio:.2f} "
                  f"| {'slower' if is_slower else ''} |", flush=True)
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
