#!/usr/bin/env python3
"""ranks.py [BUILD] -- training on 1 to 16 processes: work, messages, and what that comes to.

Needs BUILD/peck-mpi (`make MPI=1`), mpirun and mpicc.  Each row is trained with few and with more
trees or epochs; the difference, of the busiest rank, is what one of them takes: processor seconds
outside of MPI, calls and bytes (bench/ranks_trace.c).  Processor seconds do not mind that 16
ranks share few cores; the wall clock does, and is told where a core each was there.

From the smaller set come the constants of

  work  = a n / R + b n + c          n documents, R ranks; a: own documents, b: all documents
  calls = d + e R                    of a tree; of an epoch: d n
  bytes = (R - 1) / R (f + g n / R) + h (R - 1)      of a tree; of an epoch: (R - 1) / R n (f + g / R)
  time  = work + calls (latency log2 R) + bytes / bandwidth

and the larger one says how far off they are.  What was measured is kept in BUILD/ranks/found.json:
a run that was stopped goes on.  Writes a part of docs/SCALE.md.

  --queries 700,2000   the smaller set and the larger one, about 100 documents a query
  --ranks 1,2,4,8,16
  --again              measure again what is known
"""
import argparse
import json
import math
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from scale import ROOT, SEVERAL, TREES, Kept, put_section, run  # noqa: E402

# Row -> method, settings, what is counted, few of it and more.
ROWS = {
    "lambdamart": ("lambdamart", TREES, "trees", 4, 44),
    "ranknet 64-32": ("ranknet", {"hidden": "64-32", "batch": 64}, "epochs", 1, 11),
    "ranknet 512-256": ("ranknet", {"hidden": "512-256", "batch": 64}, "epochs", 1, 3),
}
NAMES = {"trees": "tree", "epochs": "epoch"}
# A network to reckon with: 25 Gb/s a machine, 30 microseconds from one machine to the next.
BANDWIDTH, LATENCY = 25e9 / 8, 30e-6
# What a tree or an epoch takes, in n documents and R ranks: the sum of these, each times a constant.
# A tree is so many messages, whatever n; an epoch so many steps, which n gives.
OWN, ALL, ONCE = lambda n, r: n / r, lambda n, r: n, lambda n, r: 1.0
FORMS = {
    "trees": {"work": [OWN, ALL, ONCE], "calls": [ONCE, lambda n, r: r],
              "bytes": [lambda n, r: (r - 1) / r, lambda n, r: (r - 1) / r * n / r,
                        lambda n, r: r - 1.0]},
    "epochs": {"work": [OWN, ALL, ONCE], "calls": [ALL],
               "bytes": [lambda n, r: (r - 1) / r * n, lambda n, r: (r - 1) / r * n / r]},
}


class Study(Kept):
    def __init__(self, asked):
        super().__init__(asked, "ranks")
        self.trace = self.folder / "ranks_trace.so"
        run("mpicc", "-O2", "-shared", "-fPIC", "-o", self.trace,
            ROOT / "bench" / "ranks_trace.c")

    def train(self, row, ranks, queries, units):
        """Of the busiest rank: work, calls, bytes; and seconds by the clock."""
        method, settings, unit, _, _ = ROWS[row]
        words = [w for k, v in {**settings, unit: units}.items() for w in ("--set", f"{k}={v}")]
        told = self.folder / "trace"
        data = self.data(queries)
        begin = time.perf_counter()
        run("mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca",
            "mpi_yield_when_idle", "1", "-x", f"LD_PRELOAD={self.trace}", "-x",
            f"RANKS_TRACE={told}", "-n", ranks, self.peck.with_name("peck-mpi"), "train", "-q",
            "-m", method, data, "-o", self.folder / "m.peck", "--threads", 1, "--valid-split", 0,
            *words)
        seconds = time.perf_counter() - begin
        lines = [Path(f"{told}.{r}").read_text().split() for r in range(ranks)]
        return {"work": max(float(x[1]) for x in lines), "calls": max(int(x[3]) for x in lines),
                "bytes": max(int(x[4]) for x in lines), "seconds": seconds}

    def unit(self, row, ranks, queries):
        """What one tree or epoch takes: the least of some runs of more less that of few."""
        _, _, _, few, more = ROWS[row]
        pairs = [(self.train(row, ranks, queries, few), self.train(row, ranks, queries, more))
                 for _ in range(self.asked.times)]
        least = [{k: min(p[i][k] for p in pairs) for k in pairs[0][0]} for i in (0, 1)]
        return {k: (least[1][k] - least[0][k]) / (more - few) for k in least[0]}

    def measure(self):
        for row in ROWS:
            for queries in self.asked.queries:
                for ranks in self.asked.ranks:
                    self.once(f"{row}|{queries}|{ranks}",
                              lambda: self.unit(row, ranks, queries))


def solve(rows, values):
    """Least squares with no negative coefficient, by leaving out those that would be."""
    used = list(range(len(rows[0])))
    while True:
        n = len(used)
        a = [[sum(r[i] * r[j] for r in rows) for j in used] +
             [sum(r[i] * v for r, v in zip(rows, values))] for i in used]
        for i in range(n):
            pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
            a[i], a[pivot] = a[pivot], a[i]
            for k in range(n):
                if k != i and a[i][i] != 0:
                    by = a[k][i] / a[i][i]
                    a[k] = [x - by * y for x, y in zip(a[k], a[i])]
        found = [a[i][n] / a[i][i] if a[i][i] != 0 else 0.0 for i in range(n)]
        if min(found) >= 0 or n == 1:
            answer = [0.0] * len(rows[0])
            for i, x in zip(used, found):
                answer[i] = max(x, 0.0)
            return answer
        used.remove(used[found.index(min(found))])


def constants(points, unit):
    """points: (n, ranks) -> what was found.  Relative errors count alike."""
    answer = {"unit": unit}
    for what, forms in FORMS[unit].items():
        rows, values = [], []
        for (n, r), told in points.items():
            value = told[what]
            if value > 0:
                rows.append([f(n, r) / value for f in forms])
                values.append(1.0)
        answer[what] = solve(rows, values) if rows else [0.0] * len(forms)
    return answer


def predict(found, what, n, r):
    return sum(k * f(n, r) for k, f in zip(found[what], FORMS[found["unit"]][what]))


def seconds(found, n, r):
    return (predict(found, "work", n, r) +
            predict(found, "calls", n, r) * LATENCY * math.log2(max(r, 1)) +
            (predict(found, "bytes", n, r) / BANDWIDTH if r > 1 else 0.0))


def documents(study, queries):
    raw = study.data(queries).open("rb").read(8)
    head = json.loads(study.data(queries).open("rb").read(8 + int.from_bytes(raw, "little"))[8:])
    return head["labels"]["shape"][0]


def page(study):
    small, large = study.asked.queries
    size = {q: documents(study, q) for q in (small, large)}
    text = [SEVERAL, "", "Written by `python3 bench/ranks.py`. One thread a rank, `generate web`, 136 "
            "features, from the cache. Of the busiest rank, a tree of 31 leaves or an epoch: "
            "processor seconds outside of MPI, calls of MPI, bytes sent. Machine: "
            f"{study.machines()}; the wall clock is "
            "told for as many ranks as there are cores.", "",
            "| | documents | ranks | work | over one rank | predicted | calls | sent | wall clock |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    fits, off = {}, {"work": [], "bytes": []}
    for row, (_, _, unit, _, _) in ROWS.items():
        points = {(size[q], r): study.found[f"{row}|{q}|{r}"] for q in (small, large)
                  for r in study.asked.ranks if f"{row}|{q}|{r}" in study.found}
        fits[row] = constants({k: v for k, v in points.items() if k[0] == size[small]}, unit)
        for (n, r), told in points.items():
            said = predict(fits[row], "work", n, r)
            for what, errors in off.items():
                if n == size[large] and told[what] > 0:
                    errors.append(abs(predict(fits[row], what, n, r) / told[what] - 1))
            clock = f"{told['seconds']:.3f} s" if r <= os.cpu_count() else ""
            text.append(f"| {row}, {'a ' if unit == 'trees' else 'an '}{NAMES[unit]} | {n:,} | {r} | "
                        f"{told['work']:.4f} s | {points[(n, 1)]['work'] / told['work']:.2f} × | "
                        f"{said:.4f} s | {told['calls']:.0f} | {told['bytes'] / 1e6:.2f} MB | "
                        f"{clock} |")
    far = {k: f"{100 * sum(v) / len(v):.0f} % in the mean, {100 * max(v):.0f} % at most"
           for k, v in off.items()}
    text += ["", "The constants come from the smaller set; on the larger one the work predicted is "
             f"off by {far['work']}, the bytes by {far['bytes']}.", "", "```text"]
    for row, found in fits.items():
        a, b, c = found["work"]
        text += [f"{row}: n documents, R ranks",
                 f"  work  = {a:.3g} n / R + {b:.3g} n + {c:.3g} s"]
        if found["unit"] == "trees":
            d, e = found["calls"]
            f, g, h = found["bytes"]
            text += [f"  calls = {d:.4g} + {e:.3g} R",
                     f"  bytes = (R - 1) / R ({f:.4g} + {g:.4g} n / R) + {h:.3g} (R - 1)"]
        else:
            f, g = found["bytes"]
            text += [f"  calls = {found['calls'][0]:.3g} n",
                     f"  bytes = (R - 1) / R n ({f:.4g} + {g:.4g} / R)"]
    billion, more = 1e9, 1.7e9 * 67 / 136
    text += ["```", "", f"A thousand million documents of 136 features, reckoned with these constants, "
             f"one thread a machine divided by 16 for its cores, {BANDWIDTH * 8e-9:.0f} Gb/s and "
             f"{LATENCY * 1e6:.0f} µs from one machine to the next. No such run was made: it says "
             "what bounds it. Strong scaling is down a column; weak scaling is a larger set on as "
             "many more machines. A net's step waits for all ranks, and an epoch has as many steps "
             "on any number of machines: with 64 queries a step the messages bound it, so nets want "
             "few machines with many cores, or larger batches.", "",
             "| machines | " + " | ".join(ROWS) + " |", "|---:|" + "---:|" * len(ROWS)]

    def cluster(found, n, r):
        wide = {**found, "work": [k / 16 for k in found["work"]]}
        return seconds(wide, n, r)

    for r in (1, 16, 64, 256, 1000):
        text.append(f"| {r} | " + " | ".join(f"{cluster(fits[row], billion, r):.2f} s"
                                             for row in ROWS) + " |")
    text += ["", "LightGBM's published run (its `docs/Experiments.rst`): 1.7 billion rows of 67 "
             "features, 628 s a tree on one machine, 42 s on sixteen. As many cells are "
             f"{more / 1e9:.2f} billion documents of 136 features: "
             f"{cluster(fits['lambdamart'], more, 1):.0f} s on one and "
             f"{cluster(fits['lambdamart'], more, 16):.1f} s on sixteen by this formula, for a tree of "
             "31 leaves; its trees had more leaves, and its machines were others, so this is no "
             "comparison of programs.", ""]
    put_section(text)


def main():
    numbers = lambda s: [int(t) for t in s.split(",")]
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("build", nargs="?", default=str(ROOT / "build"))
    parse.add_argument("--queries", type=numbers, default=[700, 2000])
    parse.add_argument("--ranks", type=numbers, default=[1, 2, 4, 8, 16])
    parse.add_argument("--times", type=int, default=2)
    parse.add_argument("--again", action="store_true")
    study = Study(parse.parse_args())
    study.measure()
    page(study)


if __name__ == "__main__":
    main()
