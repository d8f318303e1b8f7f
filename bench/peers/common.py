"""What the peers share: judged lists as arrays, NDCG@10, and one measured run.

A peer is a file beside this one, peer_NAME.py, with

    MODULE                   what it imports, to be looked for before it is run
    KINDS                    name of a kind of model -> its settings to choose from
    fit(kind, train, valid, seed, setting)   -> predict, a function from rows to scores
    version()
    SCORES_BY_COMMAND        optional: a process starts for each list, which is not timed,
                             and whose memory counts

`python common.py PEER KIND SEED TRAIN VALID TEST SCORES` runs one of them on one fold: every
setting is trained, the one with the best NDCG@10 on VALID scores TEST.  Prints JSON: seconds
of training (of the setting that was chosen, from arrays in memory), seconds of a list of 100
documents, peak bytes of the process, the setting, the version.
"""
import collections
import importlib
import json
import resource
import struct
import sys
import time

import numpy

THREADS = 2
Lists = collections.namedtuple("Lists", "x y sizes path")


def read(path):
    """What `peck convert` writes as .peckdata: features, labels, documents of each list."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()

    def tensor(name, kind):
        begin, end = header[name]["data_offsets"]
        return numpy.frombuffer(data[begin:end], dtype=kind)

    y = tensor("labels", numpy.float32)
    start = tensor("query_offsets", numpy.uint64)
    x = tensor("features", numpy.float32).reshape(len(y), -1)
    return Lists(x, y, numpy.diff(start).astype(int), path)


def ndcg(lists, score, k=10):
    """Gain 2^y - 1, discount log2(rank + 1); a list without a relevant document has 0."""
    total, first = 0.0, 0
    discount = 1.0 / numpy.log2(numpy.arange(k) + 2.0)
    for n in lists.sizes:
        gain = 2.0 ** lists.y[first:first + n] - 1.0
        order = numpy.argsort(-score[first:first + n], kind="stable")[:k]
        best = numpy.sort(gain)[::-1][:k]
        ideal = (best * discount[:len(best)]).sum()
        if ideal > 0:
            total += (gain[order] * discount[:len(order)]).sum() / ideal
        first += n
    return total / len(lists.sizes)


def list_seconds(predict, rows, runs=5, calls=20):
    """Of one call with these rows: the best of several runs, as other work only adds."""
    best = 1e9
    for _ in range(runs):
        start = time.perf_counter()
        for _ in range(calls):
            predict(rows)
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def choose(peer, kind, seed, train, valid):
    """Predict, seconds and setting of the best on the validation data."""
    best = None
    for setting in peer.KINDS[kind]:
        start = time.perf_counter()
        predict = peer.fit(kind, train, valid, seed, setting)
        took = time.perf_counter() - start
        value = ndcg(valid, predict(valid.x))
        if best is None or value > best[0]:
            best = (value, predict, took, setting)
    return best[1:]


def main():
    name, kind, seed, train, valid, test, scores = sys.argv[1:8]
    peer = importlib.import_module("peer_" + name)
    train, valid, test = read(train), read(valid), read(test)
    predict, took, setting = choose(peer, kind, int(seed), train, valid)
    numpy.savetxt(scores, predict(test.x), fmt="%.9g")
    by_command = getattr(peer, "SCORES_BY_COMMAND", False)
    one_list = None if by_command else list_seconds(predict, test.x[:100].copy())
    whose = resource.RUSAGE_CHILDREN if by_command else resource.RUSAGE_SELF
    bytes_ = resource.getrusage(whose).ru_maxrss * 1024
    print(json.dumps({
        "train_s": took, "list_s": one_list, "bytes": bytes_, "setting": setting,
        "version": peer.version()}))


if __name__ == "__main__":
    main()
