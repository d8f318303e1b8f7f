"""What `make peers` found, in words: docs/PEERS.md, and the table of README.md between
<!-- peers --> and <!-- end of peers -->.

A row is a dictionary: name ("peck" or the peer's), kind, role (of ours: single, alone, ensemble
or committee), ndcg, map, train_s (seconds of a fold), list_s (of 100 documents; None: not
measured), bytes, version.
"""
import os
import re

from table import markdown  # of bench/papers

# Which of ours does what a peer does.
COUNTERPART = {
    ("lightgbm", "lambdarank"): "lambdamart", ("xgboost", "rank:ndcg"): "lambdamart",
    ("xgboost", "rank:pairwise"): "lambdamart", ("catboost", "YetiRank"): "lambdamart",
    ("sklearn", "Ridge"): "ridge", ("sklearn", "HistGradientBoosting"): "mart",
    ("sklearn", "RandomForest"): "mart", ("torch", "RankNet"): "ranknet",
    ("torch", "ListNet"): "listnet", ("onnxruntime", "RankNet of PyTorch"): "ranknet",
    ("ranklib", "LambdaMART"): "lambdamart", ("ranklib", "RankNet"): "ranknet",
    ("ranklib", "Coordinate Ascent"): "coordinate-ascent", ("ranklib", "AdaRank"): "adarank",
    ("ranklib", "RankBoost"): "rankboost",
}
TITLES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost",
          "sklearn": "scikit-learn", "torch": "PyTorch", "onnxruntime": "ONNX Runtime",
          "ranklib": "RankLib", "peck": "Peck"}
ROLES = {"alone": "best single method", "ensemble": "ensemble of one method",
         "committee": "committee"}
METRICS = (("ndcg", "NDCG@10"), ("map", "MAP"))
# What stands between the parts of the page, in their order.
MARKS = ["\n<!-- large sets -->\n\n", "\n<!-- from Python -->\n\n"]
PREFACE = """# Peck beside what users pick instead

Written by `make peers`; do not edit. Means of {folds} folds and seeds 1 to {seeds}, the
convention `standard`. A peer's settings are the best of a small grid on the validation data of
each fold, with early stopping where it has it; ours are the defaults. Which method of ours is
the best one, and who sits in the committee, was chosen by inner folds of the training and
validation data (`bench/papers/committee_letor.py`).

Training: seconds a fold on 2 threads; ours is the whole command with the reading of the data, a
peer's is its training alone, from arrays in memory, with the setting that was chosen. A list:
microseconds to score 100 documents on one thread. Memory: the peak of the process. "x ours" is
the peer's number over that of the method of ours that is named: above 1, ours takes less.

Machine: {machine}. {versions}{absent} Build {build}.
"""


def title(row):
    """As the tables name it; a committee's members are told below its table."""
    if row["role"] == "committee":
        return "Peck: committee"
    name = f"{TITLES[row['name']]} {row['kind']}"
    return f"{name}: {ROLES[row['role']]}" if row["role"] in ROLES else name


def counterpart(row, rows):
    """Our row that a peer's is measured by; None for ours."""
    if row["name"] == "peck":
        return None
    kind = COUNTERPART[row["name"], row["kind"]]
    return next(r for r in rows if r["name"] == "peck" and r["kind"] == kind)


def ratios(row, rows):
    """Training, a list and memory over our counterpart's."""
    own = counterpart(row, rows)
    return [short(row[k] / own[k]) if own and row[k] and own[k] else ""
            for k in ("train_s", "list_s", "bytes")]


def short(ratio):
    """Two digits, or all of a large number."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def table(rows):
    lines = []
    for row in sorted(rows, key=lambda r: -r["ndcg"]):
        own = counterpart(row, rows)
        lines.append([title(row), f"{row['ndcg']:.4f}", f"{row['map']:.4f}",
                      f"{row['train_s']:.2f}",
                      f"{row['list_s'] * 1e6:.0f}" if row["list_s"] else "-",
                      f"{row['bytes'] / 2**20:.0f}", own["kind"] if own else "",
                      *ratios(row, rows)])
    return markdown([["", "NDCG@10", "MAP", "train s", "list us", "MiB", "beside our",
                     "train x ours", "list x ours", "memory x ours"], *lines])


def best_peer(rows, key):
    return max((r for r in rows if r["name"] != "peck"), key=lambda r: r[key])


def verdict(rows):
    """Our three lines less ridge and less the best peer; and in words where one is not above."""
    ridge = next(r for r in rows if r["name"] == "peck" and r["kind"] == "ridge")
    lines, misses = [], []
    for row in (r for r in rows if r["role"] in ROLES):
        cells = [ROLES[row["role"]]]
        for key, metric in METRICS:
            peer = best_peer(rows, key)
            cells += [f"{row[key]:.4f}", *(f"{row[key] - r[key]:+.4f}" for r in (ridge, peer))]
            misses += [f"the {ROLES[row['role']]} is not above {title(other)} in {metric}"
                       for other in (ridge, peer) if row[key] <= other[key]]
        lines.append(cells)
    head = [h for key, metric in METRICS
            for h in (metric, "less ridge", f"less {title(best_peer(rows, key))}")]
    said = ("Where ours falls short: " + "; ".join(misses) if misses else
            "All three are above ridge and every peer")
    members = next(r["kind"] for r in rows if r["role"] == "committee")
    best = markdown([["", *head], *lines])
    return (f"The best of ours beside ridge and the best peer:\n\n{best}\n"
            f"{said}. The committee: {members}.\n")


def document(found, **about):
    """found: name of a data set -> rows; about: what the preface names."""
    versions = sorted({f"{TITLES[r['name']]} {r['version']}" for rows in found.values()
                       for r in rows if r["version"]})
    parts = [PREFACE.format(versions=", ".join(versions) + ".", **about)]
    parts += [f"## {data}\n\n{table(rows)}\n{verdict(rows)}" for data, rows in found.items()]
    return "\n".join(parts)


def parts_of(path):
    """Of the page: the sets of folds (0), the large sets (1) and Python (2)."""
    rest, parts = "", []
    if os.path.exists(path):
        with open(path) as file:
            rest = file.read()
    for mark in MARKS:
        part, _, rest = rest.partition(mark)
        parts.append(part)
    return [*parts, rest]


def put(path, which, text):
    """One part of the page; the others stay."""
    parts = parts_of(path)
    parts[which] = text
    with open(path, "w") as out:
        out.write(parts[0])
        out.writelines(mark + part for mark, part in zip(MARKS, parts[1:]) if part)


def short_table(found):
    """Quality on every set; what a peer takes, on the first one."""
    first = next(iter(found.values()))
    lines = []
    for row in sorted((r for r in first if r["role"] != "single" or r["kind"] == "ridge"),
                      key=lambda r: (r["name"] == "peck", -r["ndcg"])):
        same = [next(r for r in rows if title(r) == title(row) or
                     r["role"] == row["role"] in ROLES) for rows in found.values()]
        name = f"Peck, {ROLES[row['role']]}" if row["role"] in ROLES else title(row)
        lines.append([name, *(f"{r[k]:.4f}" for r in same for k, _ in METRICS),
                      *ratios(row, first)])
    head = [f"{data} {metric}" for data in found for _, metric in METRICS]
    return markdown([["", *head, "train x ours", "list x ours", "memory x ours"], *lines])


def put_in_readme(path, found):
    with open(path) as file:
        page = file.read()
    page = re.sub("(<!-- peers -->\n).*(<!-- end of peers -->)",
                  lambda at: at[1] + short_table(found) + at[2], page, flags=re.S)
    with open(path, "w") as out:
        out.write(page)
