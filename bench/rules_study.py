"""What rules do by default: true ones, and ones whose topics are shuffled, beside 4 and 40
labelled queries.

    python3 bench/rules_study.py build/peck [--methods a,b] [--kinds a,b] [--draws N] [--out DIR]
                                 [--jobs N]

Kinds of data, each with rules that hold for its best documents; `topics` is `peck generate
topics`:

    onehot   14 documents a query, a query has one of six topics, a document too; rules say
             "if the query is about t, one of the first three documents is"
    offers   8 to 20 documents; a query asks for what is fresh, cheap, near or liked; rules
             say "what is much better in that goes before what is much worse"
    sparse   20 to 40 documents, counts that are mostly 0, columns of noise, queries of one
             or two of eight topics; rules say "one of the first five has the topic"
    places   12 to 30 documents, each of five sorts to some degree, signals with heavy
             tails; a query asks for one sort; rules say "of the first two, one is mostly
             of that sort"

A draw has 1,500 unlabelled queries, 200 for validation and 2,000 for the test.  False rules
are the same clauses with the documents' part of another topic.  Trainings are jobs of one
thread each, --jobs N side by side; each is one line of DIR/found.jsonl, and a script that was
stopped goes on from there.  Tables come last.  Needs numpy.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import time

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "defaults"))
from kinds import write_cache  # noqa: E402

UNLABELLED, VALID, TEST = 1500, 200, 2000
TOPICS = ("sport", "food", "health", "arts", "business", "shopping", "society", "recreation")


def grades(value, shares):
    """The label of each document: how many of the thresholds its value is above."""
    return numpy.searchsorted(numpy.quantile(value, shares), value).astype(float)


def onehot(rng, truth, n):
    sizes = numpy.full(n, 14)
    topic = numpy.repeat(rng.integers(0, 6, n), sizes)
    own = numpy.where(rng.random(sizes.sum()) < 0.3, topic, rng.integers(0, 6, sizes.sum()))
    text = rng.normal(size=sizes.sum())
    load = truth.uniform(0.2, 0.8, 12)
    x = numpy.hstack([numpy.eye(6)[topic], numpy.eye(6)[own],
                      text[:, None] * load + rng.normal(size=(sizes.sum(), 12))])
    value = 2.5 * (topic == own) + 1.5 * text + 0.5 * rng.normal(size=sizes.sum())
    return x, grades(value, (0.5, 0.75, 0.88, 0.96)), sizes


def offers(rng, truth, n):
    sizes = rng.integers(8, 21, n)
    wish = numpy.repeat(rng.integers(0, 4, n), sizes)
    m = sizes.sum()
    asset = rng.random((m, 4))
    text = rng.normal(size=m)
    load = truth.uniform(0.3, 1.0, 8)
    x = numpy.hstack([numpy.eye(4)[wish], asset,
                      text[:, None] * load + rng.normal(size=(m, 8))])
    value = 3.5 * asset[numpy.arange(m), wish] + text + 0.7 * rng.normal(size=m)
    return x, grades(value, (0.4, 0.7, 0.85, 0.95)), sizes


def sparse(rng, truth, n):
    sizes = rng.integers(20, 41, n)
    m = sizes.sum()
    has = rng.random((n, 8)).argsort(axis=1)[:, :2]
    query = numpy.zeros((n, 8))
    query[numpy.arange(n), has[:, 0]] = 1
    query[numpy.arange(n), has[:, 1]] = rng.random(n) < 0.3
    query = numpy.repeat(query, sizes, axis=0)
    own = rng.random((m, 8)) < 0.08 + 0.08 * query
    count = numpy.where(own, 1 + rng.poisson(2.0, (m, 8)), rng.random((m, 8)) < 0.05)
    quality = rng.gamma(1.0, 1.0, m)
    hits = rng.poisson(truth.uniform(0.05, 0.8, 20) * quality[:, None])
    noise = rng.poisson(0.3 * rng.gamma(0.5, 2.0, (m, 20)))
    x = numpy.hstack([query, count, hits, noise]).astype(float)
    value = quality + 2.2 * (own * query).max(axis=1) + 0.5 * rng.normal(size=m)
    return x, grades(value, (0.8, 0.92)), sizes


def places(rng, truth, n):
    sizes = rng.integers(12, 31, n)
    m = sizes.sum()
    sort = numpy.repeat(rng.integers(0, 5, n), sizes)
    degree = rng.dirichlet(numpy.full(5, 0.4), m)
    quality = rng.normal(size=m)
    signal = numpy.exp(quality[:, None] * truth.uniform(0.2, 0.9, 10) +
                       rng.normal(size=(m, 10)))
    noise = numpy.exp(1.5 * rng.normal(size=(m, 10)))
    x = numpy.hstack([numpy.eye(5)[sort], degree, signal, noise])
    value = 3.0 * degree[numpy.arange(m), sort] + quality + 0.6 * rng.normal(size=m)
    return x, grades(value, (0.6, 0.8, 0.92)), sizes


# Clauses of a kind: how many topics, the documents' first column of topics, the text.
CLAUSES = {
    "topics": (8, 0, "q.topic_{q} > 0 : exists d : top(3, d) and d.topic_{d} > 0"),
    "onehot": (6, 7, "q.f{q} > 0 : exists d : top(3, d) and d.f{d} > 0"),
    "offers": (4, 5, "q.f{q} > 0 : forall d, e : d.f{d} > 0.9 and e.f{d} < 0.1 "
                     "implies before(d, e)"),
    "sparse": (8, 9, "q.f{q} > 0 : exists d : top(5, d) and d.f{d} > 1"),
    "places": (5, 6, "q.f{q} > 0 : exists d : top(2, d) and d.f{d} > 0.5"),
}
MAKERS = {"onehot": onehot, "offers": offers, "sparse": sparse, "places": places}


def write_rules(kind, path, is_true):
    n, first, text = CLAUSES[kind]
    with open(path, "w") as out:
        for t in range(n):
            u = t if is_true else (t + 1) % n
            names = (TOPICS[t], TOPICS[u]) if kind == "topics" else (t + 1, first + u)
            out.write(f"topic{t + 1}: forall q | {text.format(q=names[0], d=names[1])}\n")


class Study:
    def __init__(self, peck, folder):
        self.peck, self.folder = peck, folder
        os.makedirs(folder, exist_ok=True)
        self.record = os.path.join(folder, "found.jsonl")
        self.found = {}
        self.lock = threading.Lock()
        if os.path.exists(self.record):
            with open(self.record) as lines:
                for line in filter(str.strip, lines):
                    value = json.loads(line)
                    self.found[tuple(value["key"])] = value

    def path(self, *words):
        return os.path.join(self.folder, "-".join(str(w) for w in words))

    def run(self, *words):
        done = subprocess.run([self.peck, *map(str, words)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(" ".join(map(str, words)) + "\n" + done.stderr)
        return done.stdout

    def data(self, kind, draw):
        """{4, 40, unlabelled, valid, test: path} of a draw, made where they are missing."""
        sizes = {"4": 4, "40": 40, "unlabelled": UNLABELLED, "valid": VALID, "test": TEST}
        paths = {part: self.path(kind, draw, part) + ".peckdata" for part in sizes}
        if all(map(os.path.exists, paths.values())):
            return paths
        if kind == "topics":
            for i, (part, n) in enumerate(sizes.items()):
                self.run("generate", "topics", "--set", f"queries={n}", "--seed",
                         100 * int(draw) + max(i, 1), "-q", "--force", "-o", paths[part])
            return paths
        n = 40 + UNLABELLED + VALID + TEST
        x, label, docs = MAKERS[kind](numpy.random.default_rng(int(draw)),
                                      numpy.random.default_rng(20_011), n)
        start = numpy.concatenate([[0], numpy.cumsum(docs)])
        at = {"4": 0, "40": 0, "unlabelled": 40, "valid": 40 + UNLABELLED,
              "test": 40 + UNLABELLED + VALID}
        for part, m in sizes.items():
            q = slice(at[part], at[part] + m)
            d = slice(start[q.start], start[q.stop])
            write_cache(paths[part] + ".new", x[d], label[d], docs[q])
            os.replace(paths[part] + ".new", paths[part])
        return paths

    def train(self, key):
        """One job: a line with NDCG@10 and broken queries (those that break a true rule) on the
        test data, seconds, and what the trials of rules came to."""
        method, kind, draw, labelled, valid, rules, extra = key
        paths = self.data(kind, draw)
        model = self.path("model", *key[:-1]) + ".peck"
        words = ["train", "-m", method, paths[labelled], "-o", model, "--force",
                 "--threads", 1, "--json", "--test", paths["test"], *extra.split()]
        if valid == "valid":
            words += ["--valid", paths["valid"]]
        if rules != "none":
            words += ["--rules", self.path(kind, rules) + ".rules", "--unlabelled",
                      paths["unlabelled"]]
        began = time.monotonic()
        told = json.loads(self.run(*words))
        seconds = time.monotonic() - began
        held = json.loads(self.run("rules", "eval", self.path(kind, "true") + ".rules", model,
                                   paths["test"], "--json"))
        os.remove(model)
        value = {"key": key, "ndcg": told["test_ndcg@10"], "broken": held["broken_share"],
                 "seconds": seconds,
                 **{k: v for k, v in told.items() if k.startswith("rules")}}
        with self.lock:
            self.found[key] = value
            with open(self.record, "a") as out:
                out.write(json.dumps(value) + "\n")

    def do(self, keys, n_jobs):
        """Those that are not found yet: first the data, then the trainings, which last longer
        with rules first.  What fails is told at the end; the others go on."""
        left = sorted((k for k in dict.fromkeys(keys) if k not in self.found),
                      key=lambda k: (k[5] == "none", k[4] == "none", -int(k[3])))
        for kind in {k[1] for k in left}:
            for name in ("true", "false"):
                write_rules(kind, self.path(kind, name) + ".rules", name == "true")
        with concurrent.futures.ThreadPoolExecutor(n_jobs) as jobs:
            list(jobs.map(lambda d: self.data(*d), sorted({(k[1], k[2]) for k in left})))
            began = {jobs.submit(self.train, k): k for k in left}
            failed = []
            for i, job in enumerate(concurrent.futures.as_completed(began), 1):
                if job.exception() is not None:
                    failed.append(str(job.exception()))
                if sys.stderr.isatty() or i % 20 == 0 or i == len(left):
                    print(f"{i} of {len(left)} trainings", file=sys.stderr, flush=True)
        if failed:
            raise SystemExit("\n".join(failed))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def print_table(study, cells, draws, extra):
    print("| method | data | labelled | validation | rules | NDCG@10 without | with | mean "
          "change | least | broken without | with | s without | with |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for method, kind, labelled, valid, rules in cells:
        plain = [study.found[method, kind, d, labelled, valid, "none", ""] for d in draws]
        ruled = [study.found[method, kind, d, labelled, valid, rules, extra] for d in draws]
        gain = [r["ndcg"] - p["ndcg"] for r, p in zip(ruled, plain)]
        before, after = (mean(r["ndcg"] for r in x) for x in (plain, ruled))
        broken = [mean(r["broken"] for r in x) for x in (plain, ruled)]
        seconds = [mean(r["seconds"] for r in x) for x in (plain, ruled)]
        print(f"| {method} | {kind} | {labelled} | {'200' if valid == 'valid' else 'none'} | "
              f"{rules} | {before:.3f} | {after:.3f} | {mean(gain):+.3f} | {min(gain):+.3f} | "
              f"{broken[0]:.3f} | {broken[1]:.3f} | {seconds[0]:.1f} | {seconds[1]:.1f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peck")
    parser.add_argument("--methods", default="lambdaneuralrank")
    parser.add_argument("--kinds", default="topics,onehot,offers,sparse")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--out", default="build/rules_study")
    parser.add_argument("--jobs", type=int, default=1, help="trainings side by side")
    parser.add_argument("--extra", default="", help="words for the trainings with rules")
    a = parser.parse_args()
    study = Study(a.peck, a.out)
    draws = [str(d) for d in range(1, a.draws + 1)]
    cells = [(method, kind, labelled, valid, rules) for method in a.methods.split(",")
             for kind in a.kinds.split(",") for labelled in ("4", "40")
             for valid in ("valid", "none") for rules in ("true", "false")]
    keys = [(m, k, d, n, v, rules, "" if rules == "none" else a.extra)
            for m, k, n, v, r in cells for d in draws for rules in ("none", r)]
    study.do(keys, a.jobs)
    print_table(study, cells, draws, a.extra)


if __name__ == "__main__":
    main()
