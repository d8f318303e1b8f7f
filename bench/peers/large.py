"""The section of docs/PEERS.md on sets of 240,000 documents: defaults and small grids.

Two sets, made here: `web` of `peck generate` with 136 features, and `products` of
bench/defaults/kinds.py, whose truth lies in interactions.  Every training runs in a process of
its own, with a limit of the clock; what was measured is kept in BUILD_DIR/peers/large, a file
each, with the load of the machine and the threads beside it, and is measured again for another
build of ours, another text of a peer's file, or a higher limit.  On a busy machine one thread
gets on best: quality first (--threads 1), then --timings when the machine is idle.  A peer that
was measured elsewhere keeps the rows that the page has of it: see page_large.py.

`python large.py PEER THREADS TRAIN VALID TEST SCORES SETTING` is one training of a peer's, and
prints JSON.
"""
import hashlib
import json
import os
import re
import sys
import tempfile
import time

from process import run, timed

HERE = os.path.dirname(os.path.abspath(__file__))
# part -> seed, queries of 100 documents
PARTS = {"train": (1, 2400), "valid": (2, 600), "test": (3, 1000)}
SETS = {"web": "136 features", "products": "40 features, truth in products of two"}
METHODS = ("ridge", "lambdaneuralrank", "ranknet", "directranker", "cmpnn", "mart", "lambdamart")
# Kind of model, what its fit is told beside the setting, its settings: the defaults are first.
PEERS = {
    "lightgbm": ("lambdarank", {"rounds": 2000, "share": 1},
                 [{"num_leaves": n, "learning_rate": r}
                  for n, r in ((31, 0.1), (15, 0.1), (31, 0.05), (63, 0.05))]),
    "xgboost": ("rank:ndcg", {"rounds": 2000, "share": 1},
                [{"max_depth": d, "eta": r} for d, r in ((6, 0.3), (4, 0.1), (6, 0.1), (8, 0.1))]),
    "catboost": ("YetiRank", {"rounds": 1000, "patience": 50},
                 [{"depth": d, "learning_rate": r}
                  for d, r in ((6, 0.03), (4, 0.1), (6, 0.1), (8, 0.1))]),
}


def words(setting):
    return " ".join(f"{key}={value}" for key, value in setting.items())


def jobs():
    """(set, name, method or setting) in the order of measuring: what is compared in seconds one
    after the other (lambdamart and LightGBM), the slowest last."""
    for data in SETS:
        yield from ((data, "peck", method) for method in METHODS)
        yield from ((data, name, PEERS[name][2][0]) for name in ("lightgbm", "xgboost"))
    for data in SETS:
        for name in ("lightgbm", "xgboost"):
            yield from ((data, name, setting) for setting in PEERS[name][2][1:])
    for setting in PEERS["catboost"][2]:
        yield from ((data, "catboost", setting) for data in SETS)


class Large:
    def __init__(self, peers, sources):
        """peers: run.Peers; sources: name of a peer -> the text of its file."""
        self.peers, self.options = peers, peers.options
        self.folder = os.path.join(peers.folder, "large")
        os.makedirs(self.folder, exist_ok=True)
        self.marks = {name: hashlib.sha256(text.encode()).hexdigest()[:16]
                      for name, text in sources.items() if name in PEERS}
        if not self.options.peers or "peck" in self.options.peers.split(","):
            self.marks["peck"] = peers.build_sum

    def part(self, data, name):
        """A part of a set as a cache; made once."""
        path = os.path.join(self.folder, f"{data}.{name}.peckdata")
        half = path + ".new.peckdata"
        seed, queries = PARTS[name]
        if os.path.exists(path):
            return path
        if data == "web":
            run(self.peers.peck, "generate", "web", "--set", f"queries={queries}", "--set",
                "dim=136", "--seed", seed, "-o", half)
        else:
            run(self.peers.python, "-c", "import sys, kinds; kinds.make(sys.argv[1], "
                "int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])", data, seed, queries * 100,
                half, cwd=os.path.join(HERE, "..", "defaults"))
        os.replace(half, path)
        return path

    # One training -----------------------------------------------------------------------

    def ours(self, method, parts, at):
        """The whole command chooses the size; its log has the seconds of the last training."""
        model, scores, log, told = (os.path.join(at, n) for n in ("m.peck", "s", "log", "told"))
        used = timed(self.peers.peck, "train", "-q", "-m", method, parts["train"], "--valid",
                     parts["valid"], "--metric", "ndcg@10", "--seed", 1, "--threads",
                     self.options.threads, "--json", "--log", log, "-o", model,
                     limit=self.options.limit, out=told)
        if used.over:
            return {"over": self.options.limit, "load": self.options.threads + used.others}
        scored = timed(self.peers.peck, "score", model, parts["test"], "--threads", 1, "-o",
                       scores)
        with open(told) as file:
            report = json.load(file)
        with open(log) as file:
            lines = file.read().splitlines()
        tried = [key for key in report if key.startswith("size_valid.")]
        last = json.loads(lines[-1])["seconds"] if tried else used.seconds
        return {"train_s": last, "choice_s": used.seconds, "cpu_s": used.cpu,
                "load": self.options.threads + used.others, "score_s": scored.seconds,
                "bytes": used.bytes, "size": report.get("size", ""), "tried": len(tried),
                "valid": report["valid_ndcg@10"],
                "ndcg": self.peers.judge(parts["test"], scores)["ndcg"]}

    def theirs(self, name, setting, parts, at):
        scores, told = os.path.join(at, "s"), os.path.join(at, "told")
        used = timed(self.peers.python, __file__, name, self.options.threads, parts["train"],
                     parts["valid"], parts["test"], scores, json.dumps(setting),
                     limit=self.options.limit, out=told)
        if used.over:
            return {"over": self.options.limit, "load": self.options.threads + used.others}
        with open(told) as file:
            found = json.loads(file.read().splitlines()[-1])
        return {**found, "load": self.options.threads + used.others,
                "ndcg": self.peers.judge(parts["test"], scores)["ndcg"]}

    def measure(self, data, name, what):
        parts = {p: self.part(data, p) for p in PARTS}
        with tempfile.TemporaryDirectory() as at:
            found = (self.ours(what, parts, at) if name == "peck" else
                     self.theirs(name, what, parts, at))
        return {**found, "mark": self.marks[name], "threads": self.options.threads,
                "processors": os.cpu_count(), "machine": self.peers.machine}

    # All of them ------------------------------------------------------------------------

    def path(self, data, name, what):
        key = f"{data}.{name}.{what if name == 'peck' else words(what)}"
        return os.path.join(self.folder, re.sub(r"[^A-Za-z0-9.=]+", "-", key) + ".json")

    def kept(self, *job):
        """What was measured; None: nothing yet."""
        if not os.path.exists(self.path(*job)):
            return None
        with open(self.path(*job)) as file:
            return json.load(file)

    def asked(self, old, name):
        """Whether what is kept is to be measured (again)."""
        if not old or old["mark"] != self.marks[name]:
            return True
        if old.get("over", self.options.limit) < self.options.limit:
            return True
        return self.options.timings is not None and (
            old["load"] > self.options.timings or old["threads"] != self.options.threads)

    def do(self, *job):
        old = self.kept(*job)
        if not self.asked(old, job[1]):
            return
        new = self.measure(*job)
        if old and old["mark"] == new["mark"] and "ndcg" in old:  # the timings alone
            new = old if "over" in new else {**new, "ndcg": old["ndcg"], "valid": old["valid"]}
        with open(self.path(*job) + ".new", "w") as out:
            json.dump(new, out)
        os.replace(self.path(*job) + ".new", self.path(*job))
        print(f"{job[0]}: {job[1]} {job[2] if job[1] == 'peck' else words(job[2])}", flush=True)

    def rows(self):
        """Name of a set -> its results, in the order of measuring; those that are not there
        are None."""
        if not self.options.draw:
            for job in jobs():
                if job[1] in self.marks:
                    self.do(*job)
        return {data: [{"name": n, "what": w, "result": self.kept(d, n, w)}
                       for d, n, w in jobs() if d == data] for data in SETS}


def main():
    import importlib
    import resource

    import numpy

    import common
    name, threads, train, valid, test, scores, setting = sys.argv[1:8]
    kind, more, _ = PEERS[name]
    common.THREADS = int(threads)  # before a peer takes it
    peer = importlib.import_module("peer_" + name)
    train, valid = common.read(train), common.read(valid)
    start, cpu = time.perf_counter(), time.process_time()
    predict = peer.fit(kind, train, valid, 1, json.loads(setting), **more)
    took, cpu = time.perf_counter() - start, time.process_time() - cpu
    bytes_ = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    test = common.read(test)
    start = time.perf_counter()
    found = predict(test.x)
    score_s = time.perf_counter() - start
    numpy.savetxt(scores, found, fmt="%.9g")
    print(json.dumps({"train_s": took, "cpu_s": cpu, "score_s": score_s, "bytes": bytes_,
                      "valid": common.ndcg(valid, predict(valid.x)), "version": peer.version()}))


if __name__ == "__main__":
    main()
