"""RankLib, where RANKLIB names its jar and there is a java."""
import os
import re
import subprocess
import tempfile

import numpy

MODULE = "os"
SCORES_BY_COMMAND = True  # a list is not timed: a process starts for each
KINDS = {"LambdaMART": [{"ranker": 6}], "Coordinate Ascent": [{"ranker": 4}],
         "RankNet": [{"ranker": 1}], "AdaRank": [{"ranker": 3}], "RankBoost": [{"ranker": 2}]}


def java(*words):
    command = ["java", "-jar", os.environ["RANKLIB"], *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write_letor(path, x, y, sizes):
    query = numpy.repeat(numpy.arange(len(sizes)), sizes)
    with open(path, "w") as out:
        for label, q, row in zip(y, query, x):
            cells = " ".join(f"{i}:{v:.9g}" for i, v in enumerate(row, 1))
            out.write(f"{label:g} qid:{q} {cells}\n")


def fit(_kind, train, valid, _seed, setting):
    folder = tempfile.TemporaryDirectory()
    at = {name: os.path.join(folder.name, name) for name in ("train", "valid", "model")}
    write_letor(at["train"], *train[:3])
    write_letor(at["valid"], *valid[:3])
    java("-train", at["train"], "-validate", at["valid"], "-ranker", setting["ranker"],
         "-metric2t", "NDCG@10", "-save", at["model"])

    def predict(rows):
        data, scores = (os.path.join(folder.name, name) for name in ("data", "scores"))
        write_letor(data, rows, numpy.zeros(len(rows)), [len(rows)])
        java("-load", at["model"], "-rank", data, "-score", scores)
        return numpy.loadtxt(scores, usecols=-1, ndmin=1)

    return predict


def version():
    found = re.search(r"[0-9]+(\.[0-9]+)+", os.path.basename(os.environ["RANKLIB"]))
    return found.group() if found else "of an unknown version"
