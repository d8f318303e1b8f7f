"""Which settings suit which data: the figures behind the defaults that grow with it.

    python3 bench/defaults/study.py build/peck DIR [--stage small,trees,nets] [--jobs N]

Trains every method at every point of its grid on every kind of data (kinds.py, and `web` of
`peck generate`: 136 features, or web46: 46) and prints, a table for each kind and size, NDCG@10
on other queries and the seconds of --threads threads (one).  Validation queries choose the
epoch.  A seed is another draw of training and validation data, and the seed of the training;
the test data stays.  What is done is kept in DIR/results.jsonl: a second run goes on where the
first was stopped.  LightGBM stands beside where it is installed.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "peers")]
import kinds  # noqa: E402

NETS = ("ranknet", "lambdaneuralrank", "listnet", "directranker")
TEST_DOCS = 100_000


def net_grid(hidden, dropout, norm, **more):
    return [dict(hidden=h, dropout=d, norm=n, **more)
            for h, d, n in itertools.product(hidden, dropout, norm)]


NORMS = ("zscore", "quantile+query")
OPEN = dict(query_share=1, feature_share=1)
TREES = [{}, dict(leaves=15), dict(leaves=31), dict(leaves=31, min_leaf=20),
         dict(leaves=31, rate=.1), dict(leaves=31, norm="none"),
         dict(leaves=31, rate=.1, norm="none", min_leaf=20, **OPEN),
         dict(leaves=31, rate=.1, norm="none", min_leaf=20, trees=1000, truncation=0, **OPEN),
         dict(leaves=31, rate=.1, min_leaf=20, **OPEN),
         dict(leaves=63, min_leaf=20), dict(leaves=31, rate=.1, min_leaf=20, trees=1000)]
MART = [s for s in TREES if "truncation" not in s]
COMPARE = [{}] + [dict(hidden=h, norm=n, decay=d, l2=0, rate=r, epochs=40)
                  for h, n, d, r in ((40, NORMS[0], 0, .003), (200, NORMS[0], 0, .003),
                                     (200, NORMS[1], 0, .003), (200, NORMS[1], .1, .003))]
LONG = dict(ranknet=120, lambdaneuralrank=120, listnet=200, directranker=200)  # epochs, doubled
GRID = {m: net_grid(("20", "64-32", "128-64"), (0, .2, .4), NORMS, epochs=e, size="small")
        for m, e in LONG.items()}
GRID["cmpnn"] = [dict(hidden=h, norm=n, epochs=e, size=s) for h, n, (e, s) in itertools.product(
    ("20", "64-32", "128-64"), NORMS, ((16, "small"), (120, "tower")))]
# stage -> documents, kinds, method -> grid
STAGES = {
    "small": (24_000, "web steps products net counts few",
              {**{m: [{}] + net_grid(("20", "64-32", "128-64"), (0, .2, .4), NORMS)
                  for m in NETS}, "cmpnn": COMPARE, "lambdamart": TREES, "mart": MART}),
    "trees": (240_000, "web steps products counts", {"lambdamart": TREES, "mart": MART}),
    "nets": (240_000, "web steps products net",
             {**{m: [{}] + net_grid(("20", "64-32", "128-64"), (0, .2), NORMS)
                 for m in ("ranknet", "lambdaneuralrank")}, "cmpnn": COMPARE}),
    "grid": (24_000, "web steps products counts", GRID),
    "grid-large": (240_000, "web steps products counts", GRID),
}
BOOSTED = ("lambdamart", "mart")
EVERY = (*NETS, "cmpnn", "sortnet", "rankprop", *BOOSTED)
CHOSEN_ON = "web steps products net counts"
AUTO = {"auto": (24_000, CHOSEN_ON + " few", EVERY), "auto-trees": (240_000, CHOSEN_ON, BOOSTED),
        "auto-large": (240_000, CHOSEN_ON, EVERY), "auto-800": (800_000, CHOSEN_ON, EVERY),
        "auto-other": (24_000, "web46 noisy short long clicks", EVERY),
        "aside": (24_000, kinds.ASIDE, EVERY), "aside-large": (240_000, kinds.ASIDE, EVERY)}
STAGES.update({name: (n, names, {m: [{}] for m in methods})
               for name, (n, names, methods) in AUTO.items()})
PEER = [dict(num_leaves=31, learning_rate=.1), dict(num_leaves=63, learning_rate=.05),
        dict(num_leaves=31, learning_rate=.1, objective="regression"),
        dict(num_leaves=63, learning_rate=.05, objective="regression")]
WITHOUT_PEER = ("grid", "grid-large", "auto-large")  # it stands beside the same data elsewhere


def make_data(peck, folder, kind, n_docs, draw):
    """Paths of train, valid and test; made once."""
    paths = []
    n_valid = min(max(n_docs // 4, 10_000), 100_000)
    for part, seed, n in ((f"{n_docs}-{draw}-train", 10 * draw + 1, n_docs),
                          (f"{n_docs}-{draw}-valid", 10 * draw + 2, n_valid),
                          ("test", 3, TEST_DOCS)):
        path = os.path.join(folder, f"{kind}-{part}.peckdata")
        paths.append(path)
        if os.path.exists(path):
            continue
        half = f"{path}.{os.getpid()}.peckdata"
        if kind.startswith("web"):
            subprocess.run([peck, "generate", "web", "--set", f"queries={n // 100}", "--set",
                            f"dim={kind[3:] or 136}", "--seed", str(seed), "-o", half], check=True)
        else:
            kinds.make(kind, seed, n, half)
        os.rename(half, path)
    return paths


def name_of(setting):
    return " ".join(f"{k}={v}" for k, v in setting.items()) or "default"


def train_peck(a, method, setting, paths, seed):
    train, valid, test = paths
    model = os.path.join(a.folder, f"{threading.get_ident()}.peck")
    log = model + ".log"
    start = time.perf_counter()
    done = subprocess.run(
        [a.peck, "train", "-q", "-m", method, train, "--valid", valid, "-o", model,
         "--log", log, "--threads", str(a.threads), "--seed", str(seed), "--metric", "ndcg@10",
         "--json",
         *(w for k, v in setting.items() for w in ("--set", f"{k}={v}"))],
        capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip()}
    seconds = time.perf_counter() - start
    found = json.loads(done.stdout)
    with open(log) as file:  # of the last training, without the trials
        alone = json.loads(file.read().splitlines()[-1])["seconds"]
    judged = subprocess.run([a.peck, "eval", model, test, "-M", "ndcg@10"], check=True,
                            capture_output=True, text=True).stdout
    return {"ndcg": float(judged.split("\t")[1]), "valid": found["valid_ndcg@10"],
            "size": found.get("size", "small"),
            "epochs": found["epochs"], "best": found["best_epoch"],
            "seconds": seconds, "alone": alone}


def train_lightgbm(a, setting, paths, seed):
    done = subprocess.run([sys.executable, __file__, "--lightgbm", json.dumps(setting), str(seed),
                           str(a.threads), *paths], capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip()[-300:]}
    return json.loads(done.stdout)


def lightgbm_main(setting, seed, threads, *paths):
    import lightgbm
    from common import ndcg, read
    train, valid, test = map(read, paths)
    start = time.perf_counter()
    data = lightgbm.Dataset(train.x, label=train.y, group=train.sizes)
    held = lightgbm.Dataset(valid.x, label=valid.y, group=valid.sizes, reference=data)
    model = lightgbm.train(
        {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "seed": int(seed),
         "num_threads": int(threads), "verbose": -1, **json.loads(setting)},
        data, num_boost_round=2000, valid_sets=[held],
        callbacks=[lightgbm.early_stopping(100, verbose=False)])
    seconds = time.perf_counter() - start
    print(json.dumps({"ndcg": ndcg(test, model.predict(test.x)), "seconds": seconds,
                      "epochs": model.current_iteration(), "best": model.best_iteration}))


def jobs_of(stages, n_seeds, wanted, kinds_wanted):
    """Stage by stage and seed by seed; wanted: methods and kinds, empty for all of them."""
    for stage in stages:
        n_docs, names, methods = STAGES[stage]
        names = [name for name in names.split() if not kinds_wanted or name in kinds_wanted]
        for seed, kind in itertools.product(range(1, n_seeds + 1), names):
            for setting in () if stage in WITHOUT_PEER else PEER:
                if not wanted or "lightgbm" in wanted:
                    yield n_docs, kind, "lightgbm", setting, seed
            for method, grid in methods.items():
                for setting in grid if not wanted or method in wanted else ():
                    yield n_docs, kind, method, setting, seed


def key_of(n_docs, kind, method, setting, seed):
    return f"{n_docs}|{kind}|{method}|{name_of(setting)}|{seed}"


def run(a):
    path, lock = os.path.join(a.folder, "results.jsonl"), threading.Lock()
    done = load(path)
    missing = [j for j in jobs_of(a.stage.split(","), a.seeds, a.methods, a.kinds)
               if key_of(*j) not in done]
    data = {}
    with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        wanted = sorted({(kind, n, seed) for n, kind, _, _, seed in missing})
        for what, paths in zip(wanted, pool.map(make_data, *zip(*[
                (a.peck, a.folder, *what) for what in wanted]))) if wanted else ():
            data[what] = paths
    deadline = time.time() + a.minutes * 60

    def one(job):
        n_docs, kind, method, setting, seed = job
        if time.time() > deadline:
            return
        paths = data[kind, n_docs, seed]
        found = (train_lightgbm(a, setting, paths, seed) if method == "lightgbm"
                 else train_peck(a, method, setting, paths, seed))
        with lock, open(path, "a") as file:
            file.write(json.dumps({"key": key_of(*job), **found}) + "\n")

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        list(pool.map(one, missing))
    return load(path)


def load(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return {row["key"]: row for row in rows}


def show(done):
    groups = {}
    for key, row in done.items():
        n_docs, kind, method, setting, _ = key.split("|")
        groups.setdefault((int(n_docs), kind), {}).setdefault((method, setting), []).append(row)
    for (n_docs, kind), rows in sorted(groups.items()):
        print(f"\n### {kind}, {n_docs:,} documents\n\n| method | settings | NDCG@10 | s | epochs |"
              "\n|---|---|---:|---:|---:|")
        for (method, setting), found in rows.items():
            good = [r for r in found if "ndcg" in r]
            if not good:
                print(f"| {method} | {setting} | {found[0]['error'][:60]} | | |")
                continue
            mean = lambda what: sum(r[what] for r in good) / len(good)
            print(f"| {method} | {setting} | {mean('ndcg'):.4f} | {mean('seconds'):.1f} | "
                  f"{mean('best'):.0f} of {mean('epochs'):.0f} |")


def main():
    if sys.argv[1:2] == ["--lightgbm"]:
        return lightgbm_main(*sys.argv[2:])
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("peck")
    p.add_argument("folder")
    p.add_argument("--stage", default="small,trees,nets", help="which of them, with commas")
    p.add_argument("--methods", type=lambda names: names.split(","), default=[],
                   help="which of them, with commas; lightgbm among them (all)")
    p.add_argument("--kinds", type=lambda names: names.split(","), default=[],
                   help="which kinds of data, with commas (all)")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--seeds", type=int, default=1)
    p.add_argument("--threads", type=int, default=1, help="of each training")
    p.add_argument("--minutes", type=float, default=1e6, help="begin no training after so many")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    show(run(a))


if __name__ == "__main__":
    main()
