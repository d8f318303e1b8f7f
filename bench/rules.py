"""What rules cost: an epoch with a rule over unlabelled queries beside one of the same queries
as labelled ones, in a net of 40 units; and to keep five of them in a list of 1,000 documents.
bench.py calls add_rows."""
import json
import os
import subprocess

RULE = "sport: exists d : top(3, d) and d.topic_sport > 0\n"
FIVE = """sport: exists d : top(3, d) and d.topic_sport > 0
food: exists d : top(3, d) and d.topic_food > 0
fresh: forall d : top(1, d) implies d.age_days < 365
varied: forall d, e : top(5, d) and top(5, e) and d.topic_sport > 0.2 and e.topic_sport > 0.2 implies same(d, e)
old: forall d : top(10, d) implies d.age_days < 1500
"""
SETTINGS = {"hidden": 40, "activation": "tanh", "dropout": 0, "batch": 32, "rules_batch": 32,
            "epochs": 4, "patience": 0}


def topics(bench, queries, docs):
    path = os.path.join(bench.folder, f"topics{queries}-{docs}.safetensors")
    subprocess.run([bench.peck, "generate", "topics", "--set", f"queries={queries}", "--set",
                    f"docs={docs}", "--seed", "1", "-q", "-o", path], check=True)
    return path


def epoch(bench, data, *words):
    """Seconds of the quickest epoch of lambdaneuralrank on one thread, and the most memory
    (bytes) that the command held."""
    log = os.path.join(bench.folder, "log")
    command = [bench.peck, "train", "-q", "-m", "lambdaneuralrank", data, *words, "--valid-split",
               "0", "-o", os.path.join(bench.folder, "model"), "--threads", "1", "--log", log,
               *(w for k, v in SETTINGS.items() for w in ("--set", f"{k}={v}"))]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(" ".join(command))
    with open(log) as lines:
        ends = [0.0] + [json.loads(line)["seconds"] for line in lines]
    return min(end - begin for begin, end in zip(ends, ends[1:])), 1024 * usage.ru_maxrss


def add_rows(bench):
    rules = os.path.join(bench.folder, "sport.rules")
    with open(rules, "w") as out:
        out.write(RULE)
    few, many, long = topics(bench, 4, 14), topics(bench, 4000, 14), topics(bench, 56, 1000)
    ruled = ("--rules-weight", "1", "--rules", rules, "--unlabelled")
    seconds, peak = min(epoch(bench, few, *ruled, long) for _ in range(bench.repeat))
    t = bench.best(labelled=lambda: epoch(bench, many)[0],
                   rule=lambda: epoch(bench, few, *ruled, many)[0])
    bench.row("an epoch of lambdaneuralrank, 40 units: an exists-rule over 4,000 unlabelled "
              "queries of 14 documents, against the same queries as labelled ones", t["rule"],
              t["labelled"], 1 / 3, f"56 queries of 1,000 documents: {1e3 * seconds:.0f} ms and "
              f"{1e-6 * peak:.0f} MB in all")
    with open(rules, "w") as out:
        out.write(FIVE)

    def enforce():
        """Seconds of the median list, and what else bench_enforce prints."""
        words = subprocess.run([os.path.join(os.path.dirname(bench.peck), "bench_enforce"), long,
                                rules], check=True, capture_output=True, text=True).stdout.split()
        return float(words[0]), words

    seconds, words = min(enforce() for _ in range(bench.repeat))
    bench.row("the order of a list of 1,000 documents that keeps five rules, against 10 ms",
              seconds, 0.01, 1, f"the longest of 56: {1e3 * float(words[1]):.1f} ms; {words[2]} in "
              f"another order, {words[3]} proven to be the best")
