"""What scikit-learn asks of an estimator."""
import pickle
import subprocess
import sys

import numpy as np
import pytest

import peck_rank
from peck_rank import Ranker

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

# Checks that take a weight of 2 for a row that is there twice, and 0 for one that is not there.
# That is so where a loss adds up over rows and nothing else looks at them, which with its defaults
# no method does; the test below shows some that do once what looks at rows is switched off.
DRAWS = "draws at random, and draws otherwise from another number of rows"
ORDERS = "its loss depends on positions, which another row moves"
ROWS = "its normaliser looks at rows, and does not weigh them"
LEAVES = "bins and leaves count rows; trees are grown on queries drawn at random"
ROUNDS = "sums that are rounded otherwise choose other steps in later rounds"
ANCHORS = "its normaliser looks at rows, and without lists its scores stand on some of them"
WEIGHT_REASONS = {
    "lambdaneuralrank": DRAWS, "lambdarank": DRAWS, "ranknet": DRAWS, "directranker": DRAWS,
    "listnet": DRAWS, "rankprop": DRAWS, "ridge": ROWS, "cmpnn": DRAWS, "tesauro": DRAWS,
    "sortnet": DRAWS, "ranksvm": ROWS, "adarank": ORDERS, "coordinate-ascent": ORDERS,
    "rankboost": ROUNDS, "frank": ROUNDS, "prank": DRAWS, "oap-bpm": DRAWS, "es-rank": ORDERS,
    "iesr-rank": ORDERS, "iesvm-rank": ORDERS, "mhr-bc": ANCHORS, "mart": LEAVES,
    "lambdamart": LEAVES, "pairforest": DRAWS,
}
EQUATE = {"check_sample_weight_equivalence_on_dense_data",
          "check_sample_weight_equivalence_on_sparse_data",
          "check_sample_weights_invariance"}  # of scikit-learn before 1.7


def failures(estimator):
    """Name of a check -> what it raised."""
    found = {}
    for one, check in estimator_checks.check_estimator(estimator, generate_only=True) \
            if VERSION < (1, 6) else estimator_checks.estimator_checks_generator(estimator):
        name = getattr(check, "func", check).__name__
        try:
            check(one)
        except Exception as error:  # noqa: BLE001  whatever a check raises
            if type(error).__name__ not in ("SkipTest", "Skipped"):
                found[name] = error
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", sorted(peck_rank.methods()))
def test_check_estimator(method):
    found = failures(Ranker(method, n_jobs=1))
    assert set(found) <= EQUATE, next(iter(found[n] for n in found if n not in EQUATE))
    assert method in WEIGHT_REASONS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method, settings", [
    ("ridge", {"norm": "none"}), ("ranksvm", {"norm": "none"}),
    ("rankboost", {"candidates": 0, "rounds": 1}), ("frank", {"candidates": 0, "rounds": 1})])
def test_weights_are_repeated_rows_where_nothing_else_looks_at_rows(method, settings):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 4, size=40)
    weight = rng.integers(0, 3, size=40)
    times = np.repeat(np.arange(40), weight)
    a = Ranker(method, **settings).fit(X, y, sample_weight=weight).predict(X)
    b = Ranker(method, **settings).fit(X[times], y[times]).predict(X)
    assert np.allclose(a - a.mean(), b - b.mean(), atol=1e-4)


def test_clone_keeps_settings():
    ranker = Ranker("lambdamart", trees=7, rate=0.25, random_state=3)
    again = clone(ranker)
    assert again.get_params() == ranker.get_params()
    assert again.get_params()["trees"] == 7
    assert clone(Ranker("ridge", settings={"lambda": 2})).get_params()["settings"] == {"lambda": 2}


def test_set_params_knows_names():
    with pytest.raises(ValueError, match="did you mean 'trees'"):
        Ranker("lambdamart").set_params(treees=3)
    assert Ranker("lambdamart").set_params(trees=3, ensemble=2).trees == 3


@pytest.mark.skipif(VERSION < (1, 3), reason="metadata is routed from scikit-learn 1.3 on")
@pytest.mark.filterwarnings("ignore")
def test_grid_search_by_groups(toy):
    X, y, qid = toy
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = Ranker("mart", trees=5, n_jobs=1).set_fit_request(qid=True) \
            .set_score_request(qid=True)
        search = GridSearchCV(ranker, {"leaves": [2, 8], "method": ["mart", "lambdamart"]},
                              cv=GroupKFold(3), n_jobs=2)
        search.fit(X, y, groups=qid, qid=qid)
    assert search.best_score_ > 0.8
    assert search.best_params_["leaves"] in (2, 8)
    with sklearn.config_context(enable_metadata_routing=True):
        assert search.best_estimator_.score(X, y, qid=qid) > 0.8


def test_a_pipeline(toy):
    X, y, qid = toy
    line = make_pipeline(StandardScaler(), Ranker("mart", trees=20))
    line.fit(X, y, ranker__qid=qid)
    assert line[-1].score(line[0].transform(X), y, qid=qid) > 0.8


def test_joblib(toy):
    joblib = pytest.importorskip("joblib")
    X, y, qid = toy
    ranker = Ranker("mart", trees=5, n_jobs=1).fit(X, y, qid=qid)
    scores = ranker.predict(X, qid=qid)
    parts = joblib.Parallel(n_jobs=2)(joblib.delayed(_predict)(ranker, X, qid) for _ in range(3))
    assert all(np.array_equal(part, scores) for part in parts)


def _predict(ranker, X, qid):
    return ranker.predict(X, qid=qid)


def test_pickles_score_the_same(toy):
    X, y, qid = toy
    for method in ("lambdamart", "cmpnn"):
        ranker = Ranker(method).fit(X, y)
        again = pickle.loads(pickle.dumps(ranker))
        assert np.array_equal(again.predict(X), ranker.predict(X))
        assert again.get_params() == ranker.get_params()


def test_without_scikit_learn(tmp_path):
    """The package imports and trains where it is absent."""
    (tmp_path / "sklearn.py").write_text("raise ImportError('absent')\n")
    code = ("import numpy as np, peck_rank\n"
            "r = peck_rank.Ranker('mart', trees=3)\n"
            "X = np.arange(20.0).reshape(10, 2)\n"
            "assert r.fit(X, np.arange(10)).predict(X).argmax() > 4\n"
            "assert r.get_params()['trees'] == 3\n"
            "assert r.set_params(trees=4).trees == 4\n"
            "try:\n"
            "    peck_rank.Ranker('mart').predict(X)\n"
            "except ValueError as error:\n"
            "    print(type(error).__name__, error, r)\n")
    import os

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": f"{tmp_path}:"
                               + os.environ["PYTHONPATH"]})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("NotFittedError This Ranker instance is not fitted yet")
