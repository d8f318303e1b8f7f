"""make peers: what users pick instead, beside Peck, on the same data; then docs/PEERS.md and
the table of README.md.

Sets of folds: each peer chooses its settings on the validation data of the fold, as ours were
chosen on validation data; the numbers are the means of five folds and three seeds, judged by
`peck eval` under `standard`.  Large sets: see large.py; `--data large` draws their half of the
page alone, and without `large` in --data that part stays as it is.  From Python: see in_python.py.

Peers come from this interpreter where it has them all, else from a virtual environment that is
made under BUILD_DIR/peers (pip fetches them); RankLib takes part where RANKLIB names its jar.
What was measured is kept in BUILD_DIR/peers: a run that was stopped goes on where it was.

usage: run.py BUILD_DIR [--data NAME,...] [--seeds N] [--peers NAME,...] [--folds N]
              [--limit SECONDS] [--threads N] [--timings LOAD] [--draw]
"""
import argparse
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DATA = os.environ.get("PECK_DATA") or os.path.join(ROOT, "..", "shared", "data")
sys.path.append(os.path.join(os.path.dirname(HERE), "papers"))

import committee  # noqa: E402  of bench/papers
import in_python  # noqa: E402
import large  # noqa: E402
import page  # noqa: E402
import page_large  # noqa: E402
from process import run, timed  # noqa: E402

SINGLES = ["ridge", "ranknet", "listnet", "lambdaneuralrank", "sortnet", "mart", "lambdamart"]


def machine():
    with open("/proc/cpuinfo") as info:
        model = re.search(r"model name\s*:\s*(.*)", info.read())
    return f"{model.group(1) if model else 'unknown'}, {os.cpu_count()} processors"


def mean(values):
    return sum(values) / len(values)


class Peers:
    def __init__(self, options):
        self.peck = os.path.join(options.build, "peck")
        self.scorer = os.path.join(options.build, "bench_score")
        self.folder = os.path.join(options.build, "peers")
        self.options, self.machine = options, machine()
        os.makedirs(self.folder, exist_ok=True)
        self.python = None
        with open(self.peck, "rb") as binary:
            self.build_sum = hashlib.sha256(binary.read()).hexdigest()[:16]

    # Peers and what they need -----------------------------------------------------------

    def sources(self):
        """Name of a peer -> the text of its file."""
        found = {}
        for path in sorted(glob.glob(os.path.join(HERE, "peer_*.py"))):
            with open(path) as source:
                found[os.path.basename(path)[5:-3]] = source.read()
        if "RANKLIB" not in os.environ:
            del found["ranklib"]
        asked = self.options.peers.split(",") if self.options.peers else list(found)
        return {name: text for name, text in found.items() if name in asked}

    def interpreter(self, sources, *more):
        """One that can import all that the peers import, and these modules."""
        modules = [re.search(r'^MODULE = "(.*)"', text, re.M).group(1)
                   for text in sources.values()]
        if subprocess.run([sys.executable, "-c", "import " + ", ".join(["numpy", *modules, *more])],
                          capture_output=True).returncode == 0:
            return sys.executable
        folder = os.path.join(self.folder, "venv")
        python = os.path.join(folder, "bin", "python")
        if not os.path.exists(os.path.join(folder, "complete")):
            print(f"fetching the peers into {folder} ...", flush=True)
            run(sys.executable, "-m", "venv", folder)
            run(python, "-m", "pip", "install", "-q", "-r",
                os.path.join(HERE, "requirements.txt"))
            open(os.path.join(folder, "complete"), "w").close()
        return python

    def kinds(self, name):
        return run(self.python, "-c", f"import peer_{name}; print(*peer_{name}.KINDS, sep='\\n')",
                   cwd=HERE).split("\n")[:-1]

    # One fold ---------------------------------------------------------------------------

    def part(self, data, fold, name):
        """A part of a fold as a cache, which all read."""
        path = os.path.join(self.folder, f"{data}.Fold{fold}.{name}.peckdata")
        if not os.path.exists(path):
            text = os.path.join(DATA, data, f"Fold{fold}", f"{name}.txt.gz")
            run(self.peck, "convert", text, path + ".new.peckdata")
            os.replace(path + ".new.peckdata", path)
        return path

    def judge(self, test, scores):
        out = run(self.peck, "eval", test, "--scores", scores, "--metric", "ndcg@10,map")
        values = dict(line.split("\t") for line in out.splitlines() if "\t" in line)
        return {"ndcg": float(values["ndcg@10"]), "map": float(values["map"])}

    def ours(self, methods, nets, seed, parts):
        """One method from so many seeds, or a committee of several."""
        with tempfile.TemporaryDirectory() as at:
            model, scores = os.path.join(at, "m.peck"), os.path.join(at, "scores")
            members = [os.path.join(at, m + ".peck") for m in methods]
            used = [timed(self.peck, "train", "-q", "-m", method, parts["train"], "--valid",
                          parts["vali"], "--ensemble", nets, "--seed", seed, "--threads", 2,
                          "-o", path) for method, path in zip(methods, members)]
            if len(members) > 1:
                used.append(timed(self.peck, "blend", "-o", model, *members))
            else:
                os.replace(members[0], model)
            run(self.peck, "score", model, parts["test"], "-o", scores)
            return {"train_s": sum(u.seconds for u in used),
                    "bytes": max(u.bytes for u in used),
                    "list_s": self.list_seconds(model, parts, at) if seed == 1 else None,
                    **self.judge(parts["test"], scores)}

    def list_seconds(self, model, parts, folder):
        """Of one list; other seeds take as long."""
        told = run(self.scorer, model, self.features(parts["test"], folder), 100)
        return float(told.split()[1])

    @staticmethod
    def features(cache, folder):
        """The first 100 rows of a cache as plain floats."""
        with open(cache, "rb") as data:
            length = int.from_bytes(data.read(8), "little")
            entry = json.loads(data.read(length))["features"]
            data.seek(8 + length + entry["data_offsets"][0])
            rows = data.read(100 * entry["shape"][1] * 4)
        path = os.path.join(folder, "features")
        with open(path, "wb") as out:
            out.write(rows)
        return path

    def theirs(self, name, kind, seed, parts):
        with tempfile.TemporaryDirectory() as at:
            scores = os.path.join(at, "scores")
            out = run(self.python, os.path.join(HERE, "common.py"), name, kind, seed,
                      parts["train"], parts["vali"], parts["test"], scores)
            return {**json.loads(out.splitlines()[-1]), **self.judge(parts["test"], scores)}

    # All of them ------------------------------------------------------------------------

    def kept(self, key, measure):
        """A result under its key, measured if it is not there yet."""
        name = re.sub(r"[^A-Za-z0-9.]+", "-", key)
        path = os.path.join(self.folder, name + ".json")
        if not os.path.exists(path):
            found = measure()
            with open(path + ".new", "w") as out:
                json.dump(found, out)
            os.replace(path + ".new", path)
        with open(path) as file:
            return json.load(file)

    def row(self, data, name, kind, measure, mark, role=""):
        """Means over folds and seeds."""
        found = []
        for seed in range(1, self.options.seeds + 1):
            for fold in range(1, self.options.folds + 1):
                parts = {p: self.part(data, fold, p) for p in ("train", "vali", "test")}
                found.append(self.kept(f"{data}.{name}.{kind}.s{seed}.f{fold}.{mark}",
                                       lambda: measure(seed, parts)))
        print(f"{data}: {name} {kind}", flush=True)
        row = {key: mean([f[key] for f in found]) for key in ("train_s", "ndcg", "map")}
        # What the machine did beside only adds: the quickest list, the largest process.
        row["list_s"] = min((f["list_s"] for f in found if f["list_s"]), default=None)
        row["bytes"] = max(f["bytes"] for f in found)
        return {**row, "name": name, "kind": kind, "role": role,
                "version": found[0].get("version", "")}

    def rows_of_ours(self, data, sources):
        """Methods alone, those that a peer is measured by among them; several seeds of the
        best one; the committee."""
        needed = {page.COUNTERPART[name, kind] for name in sources for kind in self.kinds(name)}
        best, nets = committee.BEST[data], committee.NETS
        kinds = [("alone" if m == best else "single", m, [m], 1)
                 for m in dict.fromkeys([*SINGLES, *sorted(needed), best])]
        kinds += [("ensemble", f"{best}, {nets} seeds", [best], nets),
                  ("committee", ", ".join(committee.MEMBERS[data]), committee.MEMBERS[data],
                   nets)]
        return [self.row(data, "peck", kind, lambda s, p, m=methods, n=n: self.ours(m, n, s, p),
                         self.build_sum, role) for role, kind, methods, n in kinds]

    def rows(self, data, sources):
        rows = self.rows_of_ours(data, sources)
        with open(os.path.join(HERE, "common.py")) as shared:
            how = shared.read()
        for name, text in sources.items():
            mark = hashlib.sha256((how + text).encode()).hexdigest()[:16]
            rows += [self.row(data, name, kind,
                              lambda s, p, n=name, k=kind: self.theirs(n, k, s, p), mark)
                     for kind in self.kinds(name)]
        return rows


def folds_part(peers, names):
    """The sections on sets of folds; the table of README.md follows from them."""
    sources = peers.sources()
    peers.python = peers.interpreter(sources)
    found = {data: peers.rows(data, sources) for data in names}
    absent = "" if "ranklib" in sources else " RankLib is not here: RANKLIB named no jar."
    page.put_in_readme(os.path.join(ROOT, "README.md"), found)
    return page.document(found, machine=machine(), folds=peers.options.folds,
                         seeds=peers.options.seeds, absent=absent, build=peers.build_sum)


def large_part(peers, page_now):
    sources = {n: text for n, text in peers.sources().items() if n in large.PEERS}
    if not peers.options.draw:
        peers.python = peers.interpreter(sources)
    found = large.Large(peers, sources).rows()
    return page_large.section(found, page_now)


def python_part(peers):
    peers.python = peers.interpreter({n: text for n, text in peers.sources().items()
                                      if n in in_python.TITLES}, "cffi", "setuptools")
    return in_python.section(in_python.InPython(peers).rows(), machine=machine())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--data", default="mq2008,ohsumed,large,python")
    parser.add_argument("--seeds", type=int, default=3, help="of each fold")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--peers", help="only these")
    parser.add_argument("--limit", type=float, default=600,
                        help="large: seconds after which a training is stopped")
    parser.add_argument("--threads", type=int, default=2, help="large: of training")
    parser.add_argument("--timings", type=float, metavar="LOAD",
                        help="large: time again what ran under a load above this, or "
                        "on other threads (the quality that was measured stays)")
    parser.add_argument("--draw", action="store_true",
                        help="large: measure nothing, draw what is kept")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)  # peers are run from elsewhere
    asked = options.data.split(",")
    names = [d for d in asked if os.path.isdir(os.path.join(DATA, d))]
    if not names and not set(asked) <= {"large", "python"}:
        absent = f"no real data in {DATA}; PECK_DATA names its folder"
        if not {"large", "python"} & set(asked):
            sys.exit(absent)
        print(absent, flush=True)
    peers = Peers(options)
    at = os.path.join(ROOT, "docs", "PEERS.md")
    if names:
        page.put(at, 0, folds_part(peers, names))
    if "large" in asked:
        page.put(at, 1, large_part(peers, page.parts_of(at)[1]))
    if "python" in asked:
        page.put(at, 2, python_part(peers))


if __name__ == "__main__":
    main()
