#!/usr/bin/python3
"""make bench: how fast Peck is beside what people would use instead.

Every figure is a ratio of two times taken in this one run on this one machine: each
measurement is a fresh process, the tools take turns, and the best of several counts.
Writes docs/BENCH.md.  Peers come from Debian's python3-xgboost and python3-sklearn, and
from the interpreter this runs in (onnxruntime with onnx, torch); one that is not installed
is left out, and the page says so; so is OpenBLAS (libopenblas0).  MQ2008 is looked for in
$PECK_DATA, else ../shared/data.

usage: bench.py BUILD_DIR [--docs N] [--repeat N] [--tree-docs N] [--trees N] [--out FILE]
"""
import argparse
import ctypes
import glob
import gzip
import json
import math
import os
import platform
import random
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import forest
import products
import rules
import trees

XGBOOST = """
import sys, time, xgboost
xgboost.set_config(verbosity=0)
start = time.perf_counter()
data = xgboost.DMatrix(sys.argv[1], nthread=int(sys.argv[2]))
print(time.perf_counter() - start, xgboost.__version__)
"""
XGBOOST_READS = "xgboost.__version__ < '3'"  # later ones leave text files to others
SKLEARN = """
import sys, time, sklearn
from sklearn.datasets import load_svmlight_file
start = time.perf_counter()
x, y, q = load_svmlight_file(sys.argv[1], query_id=True)
print(time.perf_counter() - start, sklearn.__version__)
"""
# The same weights as one graph; session.run as a Python program would call it.
ONNX = """
import sys, time, numpy, onnx, onnxruntime
from onnx import helper, numpy_helper, TensorProto
weights, features, docs = sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3].split(",")]
width = [int(n) for n in sys.argv[4].split("-")]
w = numpy.fromfile(weights, dtype=numpy.float32)
x = numpy.fromfile(features, dtype=numpy.float32).reshape(-1, width[0])
nodes, values, last, at = [], [], "x", 0
for layer, (n, k) in enumerate(zip(width[1:], width)):
    part = {"w": w[at:at + k * n].reshape(k, n), "b": w[at + k * n:at + k * n + n]}
    at += k * n + n
    values += [numpy_helper.from_array(v, f"{name}{layer}") for name, v in part.items()]
    nodes.append(helper.make_node("Gemm", [last, f"w{layer}", f"b{layer}"], [f"sum{layer}"]))
    last = f"sum{layer}"
    if layer + 2 < len(width):
        nodes.append(helper.make_node("Tanh", [last], [f"h{layer}"]))
        last = f"h{layer}"
side = lambda name, n: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["docs", n])
graph = helper.make_graph(nodes, "net", [side("x", width[0])], [side(last, 1)], values)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                       providers=["CPUExecutionProvider"])
print(onnxruntime.__version__)
for n in docs:
    rows, lists, best = x[:n], 20000 // n + 1, 1e9
    for _ in range(50):
        start = time.perf_counter()
        for _ in range(lists):
            (score,) = session.run(None, {"x": rows})
        best = min(best, (time.perf_counter() - start) / lists)
    print(n, best, score.sum())
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def python_with(module):
    """An interpreter that has the module: Debian's packages belong to Debian's own."""
    for python in (sys.executable, "/usr/bin/python3"):
        probe = subprocess.run([python, "-c", "import " + module], capture_output=True)
        if probe.returncode == 0:
            return python
    return None


def sgemm_seconds(n=1536):
    """Seconds of one addition or multiplication on one thread: OpenBLAS's best large
    product."""
    blas = ctypes.CDLL(products.library())
    blas.openblas_set_num_threads(1)
    a, b, c = ((ctypes.c_float * (n * n))() for _ in range(3))
    for i in range(n * n):
        a[i] = b[i] = i % 7 - 3
    best = float("inf")
    for _ in range(8):
        start = time.perf_counter()
        blas.cblas_sgemm(101, 111, 111, n, n, n, ctypes.c_float(1), a, n, b, n,
                         ctypes.c_float(0), c, n)
        best = min(best, time.perf_counter() - start)
    return best / (2 * n**3)


class Bench:
    def __init__(self, build, docs, repeat, folder):
        self.peck = os.path.join(build, "peck")
        self.loader = os.path.join(build, "bench_load")
        self.scorer = os.path.join(build, "bench_score")
        self.comparer = os.path.join(build, "bench_compare")
        self.decoder = os.path.join(build, "bench_decode")
        self.repeat = repeat
        self.folder = folder
        self.versions = {}
        self.skipped = []
        self.rows = []
        self.more = []  # lines of the page after the table
        self.text = self.make("web46.txt", docs, 46)
        self.wide = self.make("web136.txt", docs // 3, 136)
        self.cache = os.path.join(folder, "web46.safetensors")
        run(self.peck, "convert", self.text, self.cache)

    def make(self, name, docs, features):
        """LETOR text without the lines that name the columns: XGBoost stops at them."""
        named, path = (os.path.join(self.folder, part + name) for part in ("named-", ""))
        run(self.peck, "generate", "web", "--set", f"queries={docs // 100}", "--set",
            "docs=100", "--set", f"dim={features}", "--seed", "1", "-o", named)
        with open(named) as source, open(path, "w") as out:
            out.writelines(line for line in source if line[0] != "#")
        os.remove(named)
        return path

    def load(self, path, threads):
        return float(run(self.loader, path, str(threads)).split()[0])

    def peer(self, name, program, *arguments, condition="True"):
        """Seconds; None where no interpreter has a module of which the condition holds."""
        python = python_with(f"{name}; assert {condition}")
        if python is None:
            return None
        seconds, version = run(python, "-c", program, *arguments).split()
        self.versions[f"{name} (reading)"] = version
        return float(seconds)

    def command(self, *arguments):
        start = time.perf_counter()
        run(self.peck, *arguments)
        return time.perf_counter() - start

    def best(self, **measures):
        """The best time of each, the measures taking turns."""
        found = {}
        for _ in range(self.repeat):
            for name, measure in measures.items():
                seconds = measure()
                if seconds is not None:
                    found[name] = min(seconds, found.get(name, seconds))
        return found

    def row(self, what, ours, theirs, asked, note=""):
        self.rows.append((what, ours, theirs, asked, note))

    def reading(self, path, label):
        t = self.best(
            one=lambda: self.load(path, 1),
            two=lambda: self.load(path, 2),
            stats=lambda: self.command("stats", path, "--threads", "2"),
            xgboost=lambda: self.peer("xgboost", XGBOOST, path, "2",
                                      condition=XGBOOST_READS),
        )
        slow = self.peer("sklearn", SKLEARN, path)  # far from the mark: timed once
        if slow is not None:
            t["sklearn"] = slow
        speed = os.path.getsize(path) / 1e6 / t["two"]
        for peer, asks in (("xgboost", (3.0, 1.5, 2.0)), ("sklearn", (20.0, 10.0, None))):
            if peer not in t:
                continue
            self.row(f"{label}: read, 2 threads, against {peer}", t["two"], t[peer], asks[0],
                     f"{speed:.0f} MB/s")
            self.row(f"{label}: read, 1 thread, against {peer}", t["one"], t[peer], asks[1])
            if asks[2]:
                self.row(f"{label}: all of `peck stats`, against {peer}'s read", t["stats"],
                         t[peer], asks[2])
        return t

    def memory(self):
        _, peak, dense, _ = run(self.loader, self.text, "2").split()
        allowed = 1.3 * int(dense) + os.path.getsize(self.text)
        self.row("peak memory of reading, against 1.3 dense + file (bytes)", int(peak), allowed,
                 1.0)

    def opening(self, text_seconds):
        t = self.best(cache=lambda: self.load(self.cache, 1))
        self.row("open the cache, against reading the text", t["cache"], text_seconds, 100.0)

    def judging(self):
        """A million documents, every metric, beside loading them."""
        path = self.make("million.txt", 1_000_000, 46)
        scores = os.path.join(self.folder, "scores")
        with open(path) as data, open(scores, "w") as out:
            for number, _ in enumerate(data):
                out.write(f"{(number * 2654435761) % 1000003}\n")
        t = self.best(
            load=lambda: self.load(path, 2),
            eval=lambda: self.command("eval", path, "--scores", scores, "--metric", "all",
                                      "--threads", "2"),
        )
        self.row("`peck eval`, 1,000,000 documents, all metrics: loading over all of it",
                 t["eval"], t["load"], 1 / 1.3, "loading included on both sides")

    def model(self, name, family, shape, columns, weights, norm="none", tensors=()):
        """Writes a model file; its path."""
        parts = [("weights", [1, len(weights)], weights), *tensors]
        header = {"__metadata__": {
            "format": "peck model 1", "family": family, "norm": norm,
            "features": str(columns), "shape": shape, "members": "1"}}
        data = b""
        for part, size, values in parts:
            packed = struct.pack(f"<{len(values)}f", *values)
            header[part] = {"dtype": "F32", "shape": size,
                            "data_offsets": [len(data), len(data) + len(packed)]}
            data += packed
        text = json.dumps(header).encode()
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(struct.pack("<Q", len(text)) + text + data)
        return path

    def net(self, name, widths, **more):
        """A model with seeded weights; its path, and that of the weights alone."""
        rng, weights = random.Random(1), []
        for k, n in zip(widths, widths[1:]):
            weights += uniform(rng, k * n, (6 / (k + n)) ** 0.5) + uniform(rng, n, 0.1)
        path = self.model(name, "mlp", "hidden=" + "-".join(map(str, widths[1:-1])), widths[0],
                          weights, **more)
        with open(path + ".weights", "wb") as out:
            out.write(struct.pack(f"<{len(weights)}f", *weights))
        return path, path + ".weights"

    def comparator(self, name, columns, hidden):
        """A model that compares, with seeded weights; its path."""
        rng = random.Random(3)
        weights = uniform(rng, columns * hidden, (6 / (2 * columns + hidden)) ** 0.5)
        weights += uniform(rng, hidden // 2, 0.1) + uniform(rng, hidden, 0.5) + [0.1]
        return self.model(name, "cmpnn", f"hidden={hidden}", columns, weights)

    def features(self, rows, columns):
        """A file of normal numbers; its path."""
        rng, path = random.Random(2), os.path.join(self.folder, f"features{columns}")
        with open(path, "wb") as out:
            out.write(struct.pack(f"<{rows * columns}f",
                                  *(rng.gauss(0, 1) for _ in range(rows * columns))))
        return path

    def lists(self, model, features, docs):
        """{documents: (seconds, sum of scores)} of one list on one thread."""
        out = run(self.scorer, model, features, *map(str, docs)).splitlines()
        return {int(n): (float(t), float(s)) for n, t, s in (line.split() for line in out)}

    def peer_lists(self, weights, features, docs, widths):
        python = python_with("onnxruntime, onnx")
        if python is None:
            self.skipped.append("no onnxruntime")
            return {}
        version, *out = run(python, "-c", ONNX, weights, features, ",".join(map(str, docs)),
                            "-".join(map(str, widths))).splitlines()
        self.versions["onnxruntime"] = version
        return {int(n): (float(t), float(s)) for n, t, s in (line.split() for line in out)}

    def scoring(self):
        """One list of a served net, one thread."""
        rng, widths, columns = random.Random(2), [136, 64, 32, 1], 136
        features = self.features(100, columns)
        model, weights = self.net("net", widths)
        ours = self.lists(model, features, (10, 100))
        theirs = self.peer_lists(weights, features, (10, 100), widths)
        self.row("score a list of 100, net 136-64-32-1, against 50 us", ours[100][0], 50e-6, 1.0)
        for docs, asked in ((100, 1.1), (10, 3.0)):
            if docs not in theirs:
                continue
            (our_time, our_sum), (their_time, their_sum) = ours[docs], theirs[docs]
            if abs(our_sum - their_sum) > 1e-3 * docs:
                sys.exit(f"scores differ: {our_sum} here, {their_sum} in ONNX Runtime")
            self.row(f"score a list of {docs}, net 136-64-32-1, against onnxruntime", our_time,
                     their_time, asked)
        quantiles = [q for _ in range(columns)
                     for q in sorted(rng.gauss(0, 1) for _ in range(1000))]
        scaled, _ = self.net("scaled", widths, norm="quantile",
                             tensors=[("norm.0", [columns, 1000], quantiles)])
        both = self.lists(scaled, features, (100,))
        self.row("its quantile view of 136 features, against 100 us", both[100][0] - ours[100][0],
                 100e-6, 1.0)

    def comparing(self):
        """Comparisons against running the whole net on every pair, and sorting by them."""
        model, pairs = self.comparator("wide", 136, 40), self.net("pairs", [272, 40, 1])[0]
        rows, joined = self.features(200, 136), self.features(100, 272)
        t = self.best(duel=lambda: float(run(self.comparer, "duel", model, rows, "200")),
                      direct=lambda: self.lists(pairs, joined, (100,))[100][0] / 100)
        self.row("compare two documents that were looked at, both outputs, 136 features, "
                 "40 hidden, against a pass through the whole net", t["duel"], t["direct"], 8.0)
        model, rows = self.comparator("narrow", 44, 20), self.features(4000, 44)
        t = self.best(sort=lambda: self.lists(model, rows, (1000,))[1000][0])
        self.row("sort 1,000 documents by comparisons, 44 features, 20 hidden, against 1 ms",
                 t["sort"], 1e-3, 1.0)
        one, two = (min(times) for times in zip(*(
            map(float, run(self.comparer, "batch", model, rows, "1000", "100").split())
            for _ in range(self.repeat))))
        self.row("sort 100 such lists: 2 threads, against 1", two, one, 1.8)

    def decode(self, decoder, items, threads):
        """Questions, seconds and peak bytes of one ranking of noisy preferences."""
        out = run(self.decoder, decoder, str(items), "0.8", "0", "1", str(threads)).split()
        return int(out[0]), float(out[2]), int(out[3])

    def decoding(self):
        """Orders from preferences, the time of the oracle included."""
        items, window = 50_000, 50
        fuzzy = [self.decode(f"fuzzy:window={window}", items, 1) for _ in range(self.repeat)]
        questions, _, peak = fuzzy[0]
        formula = window * items * math.log2(items / window)
        self.row("`fuzzy`, W = 50, 50,000 items, 1 thread, against 3 s",
                 min(seconds for _, seconds, _ in fuzzy), 3.0, 1.0,
                 f"{questions / formula:.3f} of W n log2(n/W) questions, "
                 f"{peak / 1e6:.1f} MB")
        degree = [self.decode("degree", 5000, 2) for _ in range(self.repeat)]
        self.row("`degree`, 5,000 items, 2 threads, against 0.5 s",
                 min(seconds for _, seconds, _ in degree), 0.5, 1.0)

    def epoch(self, data, hidden, threads, epochs=12):
        """Seconds of the quickest epoch of RankNet, as bench/peer_torch.py does it."""
        log = os.path.join(self.folder, "log")
        settings = {"hidden": hidden, "activation": "tanh", "dropout": 0, "batch": 32,
                    "epochs": epochs, "patience": 0, "decay": 0, "l2": 0,
                    "schedule": "constant", "balance": "queries"}
        run(self.peck, "train", "-m", "ranknet", data, "-o", os.path.join(self.folder, "model"),
            "--norm", "zscore", "--valid-split", "0", "--threads", str(threads), "--log", log,
            *(word for key, value in settings.items() for word in ("--set", f"{key}={value}")))
        with open(log) as lines:
            ends = [0.0] + [json.loads(line)["seconds"] for line in lines]
        return min(end - begin for begin, end in zip(ends, ends[1:]))

    def torch_epoch(self, way, data, widths, threads, epochs):
        python = python_with("torch")
        if python is None:
            return None
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer_torch.py")
        version, seconds, _ = run(python, script, way, data, widths, str(threads),
                                  str(epochs)).split()
        self.versions["torch"] = version
        return float(seconds)

    def lessons(self, queries):
        path = os.path.join(self.folder, f"net{queries}.safetensors")
        text = path + ".txt"
        run(self.peck, "generate", "net", "--set", f"queries={queries}", "--set", "docs=100",
            "--set", "dim=136", "--seed", "1", "-o", text)
        run(self.peck, "convert", text, path)
        os.remove(text)
        return path

    def learning(self):
        """An epoch over 100,000 documents in queries of 100, all pairs."""
        data, twice, net = self.lessons(1000), self.lessons(2000), "136-64-32-1"
        t = self.best(
            one=lambda: self.epoch(data, "64-32", 1),
            two=lambda: self.epoch(data, "64-32", 2),
            twice=lambda: self.epoch(twice, "64-32", 1, 6),
            padded=lambda: self.torch_epoch("padded", data, net, 2, 6),
        )
        what = f"an epoch of ranknet, net {net}, 100,000 documents"
        if "padded" in t:
            t["loop"] = self.torch_epoch("loop", data, net, 2, 3)
            self.row(f"{what}, 2 threads, against torch in padded batches", t["two"],
                     t["padded"], 2.0)
            self.row(f"{what}, 2 threads, against torch list by list", t["two"], t["loop"], 5.0)
        else:
            self.skipped.append("no torch")
        self.row(f"{what}: 1 thread over 2", t["two"], t["one"], 1.8)
        self.row(f"{what}: twice its time over that of 200,000", t["twice"], 2 * t["one"], 0.9,
                 f"{t['twice'] / t['one']:.2f} times the time")

    def products(self):
        """How much of the peak the products of a deep net reach.  Its whole epoch is timed,
        so the share is higher still."""
        if products.library() is None:
            self.skipped.append("openblas")
            return
        data, widths, docs = self.lessons(1000), [136, 512, 256, 1], 100_000
        layers = [k * n for k, n in zip(widths, widths[1:])]
        work = 2 * docs * (2 * sum(layers) + sum(layers[1:]))  # forward, weights, layer below
        t = self.best(peak=sgemm_seconds, epoch=lambda: self.epoch(data, "512-256", 1, 2))
        self.row("an epoch of ranknet, net 136-512-256-1, 1 thread, against its products at "
                 "the peak of sgemm", t["epoch"], work * t["peak"], 0.4,
                 f"{1e-9 * work / t['epoch']:.0f} of {1e-9 / t['peak']:.0f} GFLOP/s")

    def mq2008(self):
        """The folder of its folds as plain text, which RankLib reads too; None: it is not
        here."""
        packed = os.path.join(os.environ.get("PECK_DATA", "../shared/data"), "mq2008")
        if not os.path.isdir(packed):
            self.skipped.append("no mq2008")
            return None
        folder = os.path.join(self.folder, "mq2008")
        for path in glob.glob(os.path.join(packed, "Fold*", "*.txt.gz")):
            plain = os.path.join(folder, os.path.relpath(path, packed))[:-len(".gz")]
            os.makedirs(os.path.dirname(plain), exist_ok=True)
            with gzip.open(path, "rb") as source, open(plain, "wb") as out:
                out.write(source.read())
        return folder

    def folds(self, folder, method, threads, *settings):
        """Seconds of all five folds, reading included, and their NDCG@10."""
        arguments = ("cv", "-m", method, folder, "--threads", str(threads), *settings)
        report = dict(line.split("\t") for line in run(self.peck, *arguments).splitlines())
        return (self.best(ours=lambda: self.command(*arguments))["ours"],
                float(report[f"ndcg@10 mean.{method}"]))

    def ranklib(self):
        """What RankLib 2.10 took on two such cores for the same five folds, and its NDCG@10."""
        folder = self.mq2008()
        if folder is None:
            return
        seconds, ndcg = self.folds(folder, "ranknet", 1, "--norm", "zscore", "--set", "hidden=10",
                                   "--set", "epochs=50", "--set", "patience=0")
        self.row("ranknet on MQ2008, 5 folds of 50 epochs, 1 thread, reading included, against "
                 "RankLib 2.10", seconds, 44.0, 110.0,
                 f"ndcg@10 {ndcg:.4f}, theirs 0.4839 in 44 s on 2 such cores")
        for method, theirs, quality in (("rankboost", 52.0, 0.5003), ("adarank", 17.0, 0.4952),
                                        ("coordinate-ascent", 107.0, 0.5032)):
            seconds, ndcg = self.folds(folder, method, 2)
            self.row(f"{method} on MQ2008, 5 folds, 2 threads, reading included, against RankLib "
                     "2.10", seconds, theirs, 30.0, f"ndcg@10 {ndcg:.4f}, theirs {quality:.4f}")
        seconds, ndcg = self.folds(folder, "ranksvm", 2)
        self.row("ranksvm on MQ2008, 5 folds, C by validation, 2 threads, reading included, "
                 "against 1 s", seconds, 1.0, 1.0, f"ndcg@10 {ndcg:.4f}")


def uniform(rng, n, reach):
    return [rng.uniform(-reach, reach) for _ in range(n)]


def machine():
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def page(bench):
    peers = ", ".join(f"{name} {version}" for name, version in sorted(bench.versions.items()))
    lines = [
        "# Speed and size", "",
        "Written by `make bench`; do not edit. Each ratio is theirs over ours from one run on",
        "one machine, the best of several fresh processes; more is better. `asked` is the bar",
        "that the project set itself.", "",
        f"Machine: {machine()}. Peers: {peers or 'none installed'}."
        + (f" Skipped: {', '.join(bench.skipped)}." if bench.skipped else ""), "",
        "| what | ours | theirs | ratio | asked | |", "|---|---:|---:|---:|---:|---|",
    ]
    for what, ours, theirs, asked, note in bench.rows:
        unit = (lambda v: f"{v / 1e6:.1f} MB") if ours > 1e5 else (
            lambda v: f"{v * 1e9:.1f} ns" if v < 1e-6 else
            f"{v * 1e6:.1f} us" if v < 1e-3 else f"{v * 1e3:.2f} ms")
        ratio = theirs / ours
        verdict = note or ""
        if ratio < asked:
            verdict = ("below the bar; " + verdict).strip("; ")
        lines.append(f"| {what} | {unit(ours)} | {unit(theirs)} | {ratio:.2f} | {asked:.2f} "
                     f"| {verdict} |")
    bounds = (Path(__file__).parent / "bounds.md").read_text().splitlines()
    return "\n".join(lines + [""] + bench.more + [""] + bounds) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--docs", type=int, default=300_000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tree-docs", type=int, default=1_000_000)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--out", default="docs/BENCH.md")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args.build, args.docs, args.repeat, folder)
        narrow = bench.reading(bench.text, "46 features")
        bench.reading(bench.wide, "136 features")
        bench.memory()
        bench.opening(narrow["two"])
        bench.judging()
        bench.scoring()
        bench.comparing()
        bench.decoding()
        bench.learning()
        bench.products()
        bench.ranklib()
        rules.add_rows(bench)
        forest.add_rows(bench, python_with)
        trees.add_rows(bench, python_with, args.tree_docs, args.trees)
        bench.more = products.table(args.build, 60)
    text = page(bench)
    with open(args.out, "w") as out:
        out.write(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
