#!/usr/bin/env python3
"""scale.py [BUILD] -- every method on 1, 2, 4, ... threads, beside LightGBM, XGBoost and PyTorch.

Needs Python and build/peck, nothing else: data is made by `peck generate`, peers are asked
where the python of --peers (this one, unless said) can import them, and told of where not.
What was measured is kept in BUILD/scale/found.json: a run that was stopped goes on, and one
with more threads adds to it.  Writes the tables of docs/SCALE.md and docs/scale.svg.

  --threads 1,2,4   thread counts; unless said, powers of two up to the cores that there are
  --queries 8000    of the set (`generate web`, 136 features, about 100 documents each)
  --large 37000     queries of the set whose memory is measured; 0: none
  --only a,b        these rows alone (methods; lightgbm, xgboost, torch, sgemm)
  --peers PYTHON    who has the peers
  --again           measure again what is known
  --note TEXT       a sentence for the page: what else ran on the machine, say

Reading is on neither side: ours maps its cache, which lies in the page cache after a first run
that is not counted; theirs begin with arrays in memory.
"""
import argparse
import json
import math
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE, PLOT = ROOT / "docs" / "SCALE.md", ROOT / "docs" / "scale.svg"
# Sections of that page that others write: bench/bins.py, bench/larger.py and bench/ranks.py.
BINS, LARGER, SEVERAL = "## The same trees", "## Larger than memory", "## Several processes"
TREES = {"leaves": 31, "rate": 0.1, "norm": "none", "min_leaf": 20, "query_share": 1,
         "feature_share": 1, "k": 0, "truncation": 30, "closeness": 0.01}
# Row -> method, settings, share of the queries that it is measured on, what it is compared with.
# "sgemm" is the products of an epoch of that net, and nothing else, by PyTorch's library.
OURS = {
    "lambdamart": ("lambdamart", {"trees": 50, **TREES}, 1.0, ("lightgbm", "xgboost")),
    "mart": ("mart", {"trees": 50, "leaves": 31, "norm": "none", "query_share": 1}, 1.0, ()),
    "ranknet 512-256": ("ranknet", {"hidden": "512-256", "epochs": 3, "dropout": 0}, 1.0,
                        ("torch 512-256", "sgemm 512-256")),
    "ranknet 64-32": ("ranknet", {"hidden": "64-32", "epochs": 3, "dropout": 0}, 1.0,
                      ("torch 64-32",)),
    "lambdaneuralrank": ("lambdaneuralrank", {"hidden": "64-32", "epochs": 3}, 1.0, ()),
    "cmpnn": ("cmpnn", {"hidden": "20", "epochs": 3}, 1.0, ()),
    "ranksvm": ("ranksvm", {}, 1.0, ()),
    "ridge": ("ridge", {}, 1.0, ()),
    "rankboost": ("rankboost", {"rounds": 50}, 1.0, ()),
    "sortnet": ("sortnet", {"max_iter": 2, "epochs": 3}, 0.25, ()),
    "pairforest": ("pairforest", {"trees": 50}, 0.25, ()),
    "coordinate-ascent": ("coordinate-ascent", {}, 0.125, ()),
    "lambdarank": ("lambdarank", {"hidden": "64-32", "epochs": 3}, 1.0, ()),
    "listnet": ("listnet", {"hidden": "64-32", "epochs": 3}, 1.0, ()),
    "directranker": ("directranker", {"epochs": 3}, 1.0, ()),
    "rankprop": ("rankprop", {"hidden": "64-32", "epochs": 3}, 1.0, ()),
    "tesauro": ("tesauro", {"epochs": 3}, 1.0, ()),
    "frank": ("frank", {"rounds": 20}, 0.25, ()),
    "adarank": ("adarank", {"epochs": 50}, 0.25, ()),
    "es-rank": ("es-rank", {"epochs": 20}, 0.25, ()),
    "iesr-rank": ("iesr-rank", {"epochs": 20}, 0.25, ()),
    "iesvm-rank": ("iesvm-rank", {"epochs": 20}, 0.25, ()),
    "prank": ("prank", {"epochs": 10}, 0.25, ()),
    "oap-bpm": ("oap-bpm", {"epochs": 2}, 0.25, ()),
    "mhr-bc": ("mhr-bc", {}, 0.25, ()),
}
# Asked of 16 cores: times as fast as one thread; see asked_gain.
GAINS = {"lambdamart": 8, "ranknet 512-256": 10, "ranknet 64-32": 7, "lambdaneuralrank": 7,
         "cmpnn": 7, "ranksvm": 7, "rankboost": 5, "sortnet": 5, "pairforest": 7,
         "coordinate-ascent": 5}
# Asked of this machine's peak: times the size of the cache.
MEMORY = {
    "lambdamart": (["train", "-m", "lambdamart"], {"trees": 5, **TREES}, 1.6),
    "ranknet 64-32": (["train", "-m", "ranknet"],
                      {"hidden": "64-32", "batch": 128, "epochs": 1}, 2.3),
    "ridge": (["train", "-m", "ridge"], {}, 1.4),
    "ranksvm": (["train", "-m", "ranksvm"], {}, 1.4),
    "eval": (["eval"], {}, 1.1),
    "score": (["score"], {}, 1.1),
}
PEER = """
import json, resource, struct, sys, time, mmap
import numpy
who, path, threads, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
bins = int(sys.argv[7]) if len(sys.argv) > 7 else 255
def tensors(path, copy):
    raw = numpy.memmap(path, dtype=numpy.uint8, mode="r")
    n = struct.unpack("<Q", raw[:8].tobytes())[0]
    head = json.loads(raw[8:8 + n].tobytes())
    def get(name, kind):
        a, b = head[name]["data_offsets"]
        part = raw[8 + n + a:8 + n + b]
        return numpy.frombuffer(part.tobytes(), kind) if copy else part.view(kind)
    y, start = get("labels", numpy.float32), get("query_offsets", numpy.uint64)
    return get("features", numpy.float32).reshape(len(y), -1), y, numpy.diff(start).astype(int)
x, y, sizes = tensors(path, False)
_ = float(x[:, 0].sum())
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
if who == "lightgbm":
    import lightgbm
    begin = time.perf_counter()
    p = {"objective": "lambdarank", "num_leaves": 31, "learning_rate": 0.1, "max_bin": bins,
         "num_threads": threads, "min_data_in_leaf": 20, "verbose": -1}
    data = lightgbm.Dataset(x, label=y, group=sizes, params=p).construct()
    binned = time.perf_counter() - begin
    model = lightgbm.train(p, data, num_boost_round=rounds)
    took, version = time.perf_counter() - begin, lightgbm.__version__
    predict = lambda rows: model.predict(rows, num_threads=threads)
elif who == "xgboost":
    import xgboost
    begin = time.perf_counter()
    data = xgboost.QuantileDMatrix(x, label=y, nthread=threads, max_bin=256)
    data.set_group(sizes)
    binned = time.perf_counter() - begin
    model = xgboost.train({"objective": "rank:ndcg", "tree_method": "hist", "eta": 0.1,
                           "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0,
                           "max_bin": 256, "nthread": threads}, data, num_boost_round=rounds)
    took, version = time.perf_counter() - begin, xgboost.__version__
    predict = model.inplace_predict
elif who.startswith("sgemm"):
    import torch
    torch.set_num_threads(threads)
    widths = [x.shape[1]] + [int(w) for w in who.split()[1].split("-")]
    rows = 53 * int(sizes.mean()) # of a step
    shapes = [(torch.randn(rows, a), torch.randn(a, b), torch.randn(rows, b))
              for a, b in zip(widths, widths[1:])]
    begin = None
    for i in range(-3, len(y) // rows):
        begin = time.perf_counter() if i == 0 else begin
        for k, (rows_in, weights, rows_out) in enumerate(shapes):
            torch.mm(rows_in, weights) # forward; back to the weights, and to the layer below
            torch.mm(rows_in.T, rows_out)
            if k > 0:
                torch.mm(rows_out, weights.T)
    binned, took, version = 0.0, time.perf_counter() - begin, torch.__version__
    predict = None
else:
    import torch
    torch.set_num_threads(threads)
    widths = [x.shape[1]] + [int(w) for w in who.split()[1].split("-")] + [1]
    deviation = x.std(0)
    mean, scale = x.mean(0), numpy.where(deviation > 0, deviation, 1)
    longest, rows, at = int(sizes.max()), [], 0
    padded = torch.zeros(len(sizes), longest, x.shape[1])
    label = torch.full((len(sizes), longest), -1.0)
    for q, n in enumerate(sizes):
        padded[q, :n] = torch.from_numpy((x[at:at + n] - mean) / scale)
        label[q, :n] = torch.from_numpy(y[at:at + n].copy())
        at += n
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(a, b), torch.nn.Tanh()]
    net = torch.nn.Sequential(*layers[:-1])
    step = torch.optim.Adam(net.parameters(), lr=0.005)
    begin = time.perf_counter()
    for _ in range(rounds):
        for batch in torch.randperm(len(padded)).split(100):
            s, l = net(padded[batch]).squeeze(-1), label[batch]
            apart = s.unsqueeze(-1) - s.unsqueeze(-2)
            is_pair = (l.unsqueeze(-1) > l.unsqueeze(-2)) & (l.unsqueeze(-2) >= 0)
            cost = (torch.nn.functional.softplus(-apart) * is_pair).sum((-1, -2))
            loss = (cost / is_pair.sum((-1, -2)).clamp(min=1)).mean()
            step.zero_grad()
            loss.backward()
            step.step()
    binned, took, version = 0.0, time.perf_counter() - begin, torch.__version__
    scaled = lambda rows: torch.from_numpy(((rows - mean) / scale).astype(numpy.float32))
    predict = lambda rows: net(scaled(rows)).squeeze(-1).detach().numpy()
memory = peak()
if predict is not None and len(sys.argv) > 5:
    other = tensors(sys.argv[5], True)[0]
    numpy.savetxt(sys.argv[6], predict(other), fmt="%.9g")
print(json.dumps({"seconds": took, "before": binned, "bytes": memory, "version": version}))
"""


def run(*command):
    done = subprocess.run([str(w) for w in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-1000:]}")
    return done.stdout


def timed(*command):
    """Seconds, processor seconds and peak bytes of a command."""
    begin = time.perf_counter()
    child = subprocess.Popen([str(w) for w in command], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    told = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = 0
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{told[-1000:]}")
    return {"seconds": time.perf_counter() - begin, "cpu": used.ru_utime + used.ru_stime,
            "bytes": used.ru_maxrss * 1024}


def machine():
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    return f"{model.group(1) if model else platform.machine()}, {os.cpu_count()} processors"


def sections():
    """The page as a list of texts, each but the first from its heading on."""
    return [s.rstrip() for s in re.split(r"^(?=## )", PAGE.read_text(), flags=re.M)]


def put_section(lines):
    """Writes a section, whose first line is its heading, over the one of that heading, or behind
    all others."""
    kept = [s for s in sections() if not s.startswith(lines[0])]
    PAGE.write_text("\n\n".join([*kept, "\n".join(lines).rstrip()]) + "\n")
    print(f"{PAGE} is written")


class Kept:
    """What a script has found, in BUILD/NAME/found.json, and the data of all of them."""

    def __init__(self, asked, name):
        self.asked = asked
        self.peck = Path(asked.build).resolve() / "peck"
        if not self.peck.exists():
            raise SystemExit(f"{self.peck} is not there; run `make` first, or name the build "
                             "folder")
        self.folder = self.peck.parent / name
        self.folder.mkdir(exist_ok=True)
        self.path = self.folder / "found.json"
        self.found = json.loads(self.path.read_text()) if self.path.exists() else {}

    def data(self, queries, seed=1):
        path = self.peck.parent / "scale" / f"web{queries}-{seed}.peckdata"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            part = path.with_suffix(".part")
            run(self.peck, "generate", "web", "--set", f"queries={queries}", "--set", "dim=136",
                "--seed", seed, "--to", "cache", "-o", part)
            part.rename(path)
        return path

    def once(self, key, measure, **how):
        """measure() is a dict, or None: it cannot be measured here.  how: what it is measured
        with; what is known of something else is measured again."""
        known = self.found.get(key)
        is_same = known is not None and all(known.get(k, v) == v for k, v in how.items())
        if is_same and not self.asked.again:
            return
        told = measure()
        if told is None:
            return
        self.found[key] = {**told, **how, "machine": machine()}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.found, indent=1, sort_keys=True))
        part.rename(self.path)
        print(f"{key}: " + ", ".join(f"{v:.6g} {k}" if isinstance(v, float) else f"{v} {k}"
                                     for k, v in told.items()), flush=True)

    def machines(self):
        return "; ".join(sorted({told["machine"] for told in self.found.values()}))


class Study(Kept):
    def __init__(self, asked, name="scale"):
        super().__init__(asked, name)
        self.missing = set()

    def quality(self, test, scores):
        told = run(self.peck, "eval", test, "--scores", scores, "--metric", "ndcg@10")
        return float(told.split()[1])

    def ours(self, row, threads, queries, judged=500, **more):
        method, settings, _, _ = OURS[row]
        train, test, model = self.data(queries), self.data(judged, 2), self.folder / "model.peck"
        words = [w for k, v in {**settings, **more}.items() for w in ("--set", f"{k}={v}")]
        took = timed(self.peck, "train", "-q", "-m", method, train, "-o", model, "--threads",
                     threads, "--valid-split", "0", *words)
        told = run(self.peck, "eval", model, test, "--metric", "ndcg@10")
        return {**took, "ndcg": float(re.search(r"ndcg@10\s+(\S+)", told).group(1))}

    def peer(self, who, threads, queries, rounds, judged=500, bins=255):
        """judged: test queries; 0: no quality."""
        if who in self.missing:
            return None
        train, scores = self.data(queries), self.folder / "scores.txt"
        test = self.data(judged, 2) if judged and not who.startswith("sgemm") else None
        more = [test, scores, bins] if test else []
        asked = [self.asked.peers, "-c", PEER, who, train, threads, rounds, *more]
        env = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run([str(w) for w in asked], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=env)
        if "ModuleNotFoundError" in done.stderr:
            self.missing.add(who)
            print(f"{who}: {self.asked.peers} does not have it; left out", flush=True)
            return None
        if done.returncode != 0:
            raise SystemExit(f"{who}\n{done.stderr[-1000:]}")
        told = json.loads(done.stdout.splitlines()[-1])
        return {**told, **({"ndcg": self.quality(test, scores)} if more else {})}

    def speed(self):
        only = self.asked.only
        for row, (_, settings, share, peers) in OURS.items():
            queries = max(100, int(self.asked.queries * share))
            rounds = settings.get("trees", settings.get("epochs"))
            for threads in self.asked.threads:
                for who in (row, *peers):
                    if only and who.split()[0] not in only and who not in only:
                        continue
                    how = {"settings": settings} if who == row else {"rounds": rounds}
                    self.once(f"{who}|{threads}|{queries}",
                              lambda: self.ours(row, threads, queries) if who == row
                              else self.peer(who, threads, queries, rounds), **how)

    def memory(self):
        queries, threads = self.asked.large, max(self.asked.threads)
        if queries == 0:
            return
        data, model = self.data(queries), self.folder / "memory.peck"
        for row, (verb, settings, _) in MEMORY.items():
            if self.asked.only and row.split()[0] not in self.asked.only:
                continue
            words = [w for k, v in settings.items() for w in ("--set", f"{k}={v}")]
            if verb[0] == "train":
                command = [*verb, "-q", data, "-o", model, *words]
            else:
                if not model.exists():
                    run(self.peck, "train", "-q", "-m", "ridge", data, "-o", model)
                command = [*verb, model, data,
                           *(["-o", self.folder / "scores.txt"] if verb[0] == "score" else [])]
            self.once(f"memory {row}|{threads}|{queries}",
                      lambda: timed(self.peck, *command, "--threads", threads),
                      settings=settings)
        for who in ("lightgbm", "xgboost"):
            if not self.asked.only or who in self.asked.only:
                self.once(f"memory {who}|{threads}|{queries}",
                          lambda: self.peer(who, threads, queries, 5, 0))


def rows_of(found, is_memory):
    """(row, queries) -> threads -> what was found."""
    rows = {}
    for key, told in found.items():
        name, threads, queries = key.split("|")
        if name.startswith("memory ") == is_memory:
            row = (name[7:] if is_memory else name, int(queries))
            rows.setdefault(row, {})[int(threads)] = told
    return rows


def asked_gain(rows, name, queries):
    """Of a net that multiplies large matrices, no more than 0.8 times what their products gain."""
    if name not in GAINS:
        return ""
    products = rows.get((f"sgemm {name.split()[-1]}", queries), {})
    if 1 in products and 16 in products:
        least = 0.8 * products[1]["seconds"] / products[16]["seconds"]
        if least < GAINS[name]:
            return f"{least:.1f} ×, 0.8 of `sgemm`'s"
    return f"{GAINS[name]} ×"


def speed_table(found):
    rows = rows_of(found, False)
    counts = sorted({t for by in rows.values() for t in by})
    order = [who for row, (_, _, _, peers) in OURS.items() for who in (row, *peers)]
    lines = ["| | queries | " + " | ".join(f"{t} thread{'s' if t > 1 else ''}" for t in counts) +
             " | most over 1 | asked on 16 | memory | NDCG@10 |",
             "|---|---:|" + "---:|" * (len(counts) + 4)]
    for (name, queries), by in sorted(rows.items(),
                                      key=lambda r: (order.index(r[0][0]), r[0][1])):
        cells = [f"{by[t]['seconds']:.2f} s" if t in by else "" for t in counts]
        most = max(by)
        gain = f"{by[1]['seconds'] / by[most]['seconds']:.1f} × on {most}" if 1 in by else ""
        quality = f"{by[most]['ndcg']:.4f}" if "ndcg" in by[most] else ""
        asked = asked_gain(rows, name, queries)
        lines.append(f"| {name} | {queries:,} | {' | '.join(cells)} | {gain} | {asked} | "
                     f"{by[most]['bytes'] / 1e9:.2f} GB | {quality} |")
    return lines


def memory_table(found, size):
    lines = ["| | threads | peak | of the cache | asked | time |", "|---|---:|---:|---:|---:|---:|"]
    for (name, queries), by in rows_of(found, True).items():
        for threads, told in sorted(by.items()):
            part = f"{told['bytes'] / size(queries):.2f} ×" if size(queries) else ""
            asked = f"{MEMORY[name][2]} ×" if name in MEMORY else ""
            lines.append(f"| {name} | {threads} | {told['bytes'] / 1e9:.2f} GB | {part} | "
                         f"{asked} | {told['seconds']:.1f} s |")
    return lines


def plot(found):
    """Speed over one thread of methods of which a gain is asked, and of peers, both axes by powers
    of two; the diagonal is what threads are worth at most."""
    width, height, left, top, side = 760, 440, 60, 20, 400
    shown = {*GAINS, *(who for _, _, _, peers in OURS.values() for who in peers)}
    rows = {r: by for r, by in rows_of(found, False).items()
            if r[0] in shown and 1 in by and len(by) > 1}
    most = max([t for by in rows.values() for t in by] + [2])
    steps = [1 << i for i in range(most.bit_length())]
    scale = side / math.log2(most)
    x = lambda t: left + scale * math.log2(t)
    y = lambda s: top + side - scale * math.log2(max(s, 0.71))
    colours = ["#0b6e4f", "#c1440e", "#2a4d9b", "#8a5a00", "#7a1f6b", "#00798c", "#5b5f00",
               "#a61c3c", "#3d348b", "#006d77", "#6a4c93", "#9c3d00", "#415a77", "#264653",
               "#b5179e", "#2b9348"]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">',
           "<title>Speed on several threads over one</title>",
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for t in steps:
        out.append(f'<line x1="{x(t):.1f}" y1="{top}" x2="{x(t):.1f}" y2="{top + side}" '
                   'stroke="#ddd"/>')
        out.append(f'<text x="{x(t):.1f}" y="{top + side + 15}" text-anchor="middle">{t}</text>')
        out.append(f'<line x1="{left}" y1="{y(t):.1f}" x2="{left + side}" y2="{y(t):.1f}" '
                   'stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{y(t) + 4:.1f}" text-anchor="end">{t} ×</text>')
    out.append(f'<line x1="{x(1):.1f}" y1="{y(1):.1f}" x2="{x(most):.1f}" y2="{y(most):.1f}" '
               'stroke="#999" stroke-dasharray="4 4"/>')
    for i, ((name, _), by) in enumerate(sorted(rows.items())):
        colour = colours[i % len(colours)]
        points = " ".join(f"{x(t):.1f},{y(by[1]['seconds'] / by[t]['seconds']):.1f}"
                          for t in sorted(by))
        is_peer = name.split()[0] in ("lightgbm", "xgboost", "torch", "sgemm")
        dash = ' stroke-dasharray="3 2"' if is_peer else ""
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" '
                   f'stroke-width="2"{dash}/>')
        out.append(f'<text x="{left + side + 20}" y="{top + 14 + 18 * i}" fill="{colour}">{name}'
                   f"</text>")
    return "\n".join([*out, "</svg>", ""])


def write_page(study):
    size = lambda queries: (study.data(queries).stat().st_size
                            if (study.folder / f"web{queries}-1.peckdata").exists() else 0)
    names = {"sgemm": "torch"}
    versions = sorted({f"{names.get(who, who)} {told['version']}"
                       for key, told in study.found.items() if "version" in told
                       for who in [key.removeprefix("memory ").split("|")[0].split()[0]]})
    text = ["# Scale", "",
            "Every method on several threads, beside its peers: written by `python3 "
            "bench/scale.py`, which goes on where it was stopped.", "",
            f"Machine: {study.machines()}. Peers: {', '.join(versions) or 'none'}."
            + (f" {study.asked.note}" if study.asked.note else ""), "",
            "## Time", "",
            "`generate web`, 136 features, about 100 documents a query; slow methods have fewer "
            "queries. Ours is the whole of `peck train` from the mapped cache, "
            "without validation data; the peers' is from arrays in memory: bins and trees, or "
            "epochs. The same trees, leaves, rate and bins on both sides; NDCG@10 is that of 500 "
            "other queries. `sgemm` is the matrix products of one epoch of that net and nothing "
            "else, by PyTorch's library: of a net, 0.8 times their gain is asked where that is less "
            "than 10. Empty cells were not measured.", "",
            *speed_table(study.found), "",
            "![speed on several threads over one](scale.svg)", "",
            "## Memory", "",
            "Peak resident memory, mapped pages of the cache counted; of the peers, the mapped "
            "features are in it too.", "", *memory_table(study.found, size), ""]
    others = [s for s in sections() if s.startswith((BINS, LARGER, SEVERAL))]
    PAGE.write_text("\n\n".join(["\n".join(text).rstrip(), *others]) + "\n")
    PLOT.write_text(plot(study.found))
    print(f"{PAGE} and {PLOT} are written")


def main():
    cores = len(os.sched_getaffinity(0))
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("build", nargs="?", default=str(ROOT / "build"))
    parse.add_argument("--threads", type=lambda s: [int(t) for t in s.split(",")],
                       default=[1 << i for i in range(cores.bit_length())])
    parse.add_argument("--queries", type=int, default=8000)
    parse.add_argument("--large", type=int, default=37000)
    parse.add_argument("--only", type=lambda s: s.split(","), default=[])
    parse.add_argument("--peers", default=sys.executable)
    parse.add_argument("--again", action="store_true")
    parse.add_argument("--note", default="")
    study = Study(parse.parse_args())
    study.speed()
    study.memory()
    write_page(study)


if __name__ == "__main__":
    main()
