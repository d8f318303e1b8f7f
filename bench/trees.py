"""lambdamart beside LightGBM and XGBoost: the same data, trees, leaves, bins and threads.

Lists of 100 web documents with 136 features; NDCG@10 is that of other queries.  Ours is the
whole of `peck train` from the cache; theirs are the making of bins and the training, from
arrays in memory.  Scoring is of lists of 100 on one thread, called as each is called.
"""
import os
import subprocess
import time

COMMON = """
import json, resource, struct, sys, time, numpy
def read(path):
    raw = numpy.memmap(path, dtype=numpy.uint8, mode="r")
    n = struct.unpack("<Q", raw[:8].tobytes())[0]
    head = json.loads(raw[8:8 + n].tobytes())
    def tensor(name, kind):
        a, b = head[name]["data_offsets"]
        return numpy.frombuffer(raw[8 + n + a:8 + n + b].tobytes(), dtype=kind)
    y, start = tensor("labels", numpy.float32), tensor("query_offsets", numpy.uint64)
    x = tensor("features", numpy.float32).reshape(len(y), -1)
    return x, y, numpy.diff(start).astype(int)
train, test, scores, trees, leaves, rate = sys.argv[1:7]
x, y, sizes = read(train)
other, _, _ = read(test)
def finish(took, predict, version):
    numpy.savetxt(scores, predict(other), fmt="%.9g")
    lists, best = [other[i:i + 100].copy() for i in range(0, 5000, 100)], 1e9
    for _ in range(5):
        start = time.perf_counter()
        for rows in lists:
            predict(rows)
        best = min(best, (time.perf_counter() - start) / len(lists))
    print(took, best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, version)
"""
LIGHTGBM = COMMON + """
import lightgbm
start = time.perf_counter()
data = lightgbm.Dataset(x, label=y, group=sizes, params={"max_bin": 255, "num_threads": 2,
                                                        "verbose": -1})
model = lightgbm.train(
    {"objective": "lambdarank", "num_leaves": int(leaves), "learning_rate": float(rate),
     "max_bin": 255, "num_threads": 2, "min_data_in_leaf": 20, "verbose": -1},
    data, num_boost_round=int(trees))
finish(time.perf_counter() - start, lambda rows: model.predict(rows, num_threads=1),
       lightgbm.__version__)
"""
XGBOOST = COMMON + """
import xgboost
start = time.perf_counter()
data = xgboost.DMatrix(x, label=y, nthread=2)
data.set_group(sizes)
model = xgboost.train(
    {"objective": "rank:ndcg", "tree_method": "hist", "grow_policy": "lossguide",
     "max_leaves": int(leaves), "max_depth": 0, "eta": float(rate), "max_bin": 256,
     "nthread": 2}, data, num_boost_round=int(trees))
took = time.perf_counter() - start
model.set_param({"nthread": 1})
finish(took, lambda rows: model.inplace_predict(rows), xgboost.__version__)
"""
RATE, LEAVES = "0.1", "31"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def ndcg(peck, test, scores):
    return float(run(peck, "eval", test, "--scores", scores, "--metric", "ndcg@10").split()[1])


def ours(bench, train, test, model, trees):
    """Seconds, bytes of memory and NDCG@10."""
    sets = [f"trees={trees}", f"leaves={LEAVES}", f"rate={RATE}", "norm=none", "min_leaf=20",
            "query_share=1", "feature_share=1", "k=0", "truncation=30", "closeness=0.01"]
    start = time.perf_counter()
    child = subprocess.Popen(
        [bench.peck, "train", "-q", "-m", "lambdamart", train, "-o", model, "--threads", "2",
         "--valid-split", "0", *(w for pair in sets for w in ("--set", pair))],
        stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter() - start
    if status != 0:
        raise RuntimeError("peck train failed")
    scores = model + ".scores"
    run(bench.peck, "score", model, test, "-o", scores)
    return took, used.ru_maxrss * 1024, ndcg(bench.peck, test, scores)


def list_seconds(bench, test, model):
    """One list of 100, one thread: bench_score takes plain features."""
    with open(test, "rb") as data, open(model + ".features", "wb") as out:
        head = int.from_bytes(data.read(8), "little")
        text = data.read(head).decode()
        at = int(text.split('"features"')[1].split('"data_offsets":[')[1].split(",")[0])
        data.seek(8 + head + at)
        out.write(data.read(100 * 136 * 4))
    return float(run(bench.scorer, model, model + ".features", "100").split()[1])


def add_rows(bench, python_with, docs=1_000_000, trees=500):
    """Adds to bench.rows; bench has peck, scorer, folder, versions, row()."""
    path = {}
    for name, queries, seed in (("train", docs // 100, 1), ("test", 3000, 2)):
        path[name] = os.path.join(bench.folder, f"boost-{name}.peckdata")
        run(bench.peck, "generate", "web", "--set", f"queries={queries}", "--set", "docs=100",
            "--set", "dim=136", "--seed", str(seed), "-o", path[name])
    model = os.path.join(bench.folder, "boost.peck")
    seconds, memory, quality = ours(bench, path["train"], path["test"], model, trees)
    one_list = list_seconds(bench, path["test"], model)
    what = f"{trees} trees of {LEAVES} leaves, {docs:,} documents of 136 features, 2 threads"
    for peer, program, asked in (("lightgbm", LIGHTGBM, (1 / 1.3, 4.0)),
                                 ("xgboost", XGBOOST, (1 / 0.7, 2.0))):
        python = python_with(f"{peer}, numpy")
        if python is None:
            continue
        scores = os.path.join(bench.folder, peer + ".scores")
        took, listed, bytes_, version = run(python, "-c", program, path["train"], path["test"],
                                            scores, str(trees), LEAVES, RATE).split()
        bench.versions[peer] = version
        theirs = ndcg(bench.peck, path["test"], scores)
        bench.row(f"lambdamart, {what}, against {peer}", seconds, float(took), asked[0],
                  f"NDCG@10 {quality:.4f} here, {theirs:.4f} there")
        bench.row(f"score a list of 100 by those trees, against {peer}", one_list,
                  float(listed), asked[1])
        if peer == "lightgbm":
            bench.row("peak memory of that training, against lightgbm (bytes)", memory,
                      float(bytes_), 1 / 1.2)
