"""Long calls: stopping, progress, warnings, what functions of the user raise."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import peck_rank
from peck_rank import Ranker


def test_a_callback_stops_and_the_best_model_counts(toy):
    X, y, qid = toy
    seen = []
    ranker = Ranker("lambdamart", trees=50)
    ranker.fit(X, y, qid=qid, callbacks=[lambda e: seen.append(e) or e["epoch"] == 5])
    assert len(seen) == 5 and ranker.n_iter_ == 5
    assert ranker.predict(X, qid=qid).shape == (400,)


def test_what_a_callback_raises_comes_out(toy):
    X, y, qid = toy

    def fail(epoch):
        raise RuntimeError("enough")

    ranker = Ranker("lambdamart", trees=50)
    with pytest.raises(RuntimeError, match="enough"):
        ranker.fit(X, y, qid=qid, callbacks=[fail])
    assert ranker.n_iter_ < 50


@pytest.mark.parametrize("in_thread", [False, True])
def test_the_lock_is_released(toy, in_thread):
    """Another thread runs while the library trains."""
    X, y, qid = toy
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    done, beside = threading.Event(), threading.Thread(target=tick)
    ranker = Ranker("lambdamart", trees=60, patience=0)
    beside.start()
    fit = lambda: ranker.fit(np.tile(X, (10, 1)), np.tile(y, 10), qid=np.arange(4000) // 20)
    if in_thread:
        worker = threading.Thread(target=fit)
        worker.start()
        worker.join()
    else:
        fit()
    done.set()
    beside.join()
    assert len(ticks) > 3


INTERRUPTED = """
import numpy as np, os, signal, threading, time, sys
from peck_rank import Ranker
rng = np.random.default_rng(0)
X = rng.normal(size=(20000, 20)).astype(np.float32)
y, qid = rng.integers(0, 5, size=20000), np.repeat(np.arange(400), 50)
ranker = Ranker("lambdamart", trees=100000, patience=0, n_jobs=1)
def interrupt():
    while not started:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
started = []
threading.Thread(target=interrupt, daemon=True).start()
try:
    ranker.fit(X, y, qid=qid, callbacks=[lambda e: started.append(1) and None])
except KeyboardInterrupt:
    print("interrupted", ranker.predict(X[:5], qid=1).shape[0], ranker.n_iter_ < 100000)
"""


def test_ctrl_c_keeps_the_best_model():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True,
                          timeout=120)
    assert done.stdout == "interrupted 5 True\n", done.stderr


def test_warnings_are_warnings(data):
    with pytest.warns(peck_rank.PeckWarning, match="by position"):
        Ranker("ridge").fit(data, eval_set=(data.features, data.labels), eval_qid=data.qid)


def test_progress_is_told(toy, capsys):
    X, y, qid = toy
    Ranker("mart", trees=3, verbose=True).fit(X, y, qid=qid)
    shares = []
    peck_rank.generate("web", queries=50, dim=6, progress=shares.append)
    assert shares and shares[-1] == 1 and shares == sorted(shares)
    with pytest.raises(peck_rank.Stopped):
        peck_rank.generate("web", queries=50, dim=6, progress=lambda share: True)


def test_what_an_answer_raises_comes_out():
    def answer(i, j):
        raise KeyError("who knows")

    with pytest.raises(KeyError, match="who knows"):
        peck_rank.decode(answer, n=5)


def test_decoding():
    h = np.array([[0.5, 0.9, 0.8], [0.1, 0.5, 0.7], [0.2, 0.3, 0.5]])
    found = peck_rank.decode(h, cost=True)
    assert found.items == [0, 1, 2]
    assert found.info.n_pairs == 3 and np.isclose(found.info.cost, 0.6)
    places = peck_rank.decode([("b", "c", 3, 1), ("a", "b", 2), ("x", "y")]).places
    assert [p.item for p in places if p.part == 0] == ["a", "b", "c"]
    assert {p.item for p in places if p.part == 1} == {"x", "y"}
    with pytest.raises(ValueError, match="square"):
        peck_rank.decode(np.zeros((2, 3)))


def test_memory_stays_flat():
    """Fits and frees: what each leaves behind would add up."""
    code = ("import numpy as np, peck_rank, os\n"
            "X, y = np.random.default_rng(0).normal(size=(20, 3)).astype('f'), np.arange(20) % 3\n"
            "def rss():\n"
            "    return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
            "def go(n):\n"
            "    for _ in range(n):\n"
            "        peck_rank.Ranker('ridge', n_jobs=1).fit(X, y).predict(X)\n"
            "go(200)\n"
            "before = rss()\n"
            f"go({os.environ.get('PECK_LEAK_FITS', '500')})\n"
            "print(rss() - before)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 4 << 20
