"""What scikit-learn asks of an estimator."""
import pickle
import subprocess
import sys

import numpy as np
import pytest

import peck_rank
from conftest import quick
from peck_rank import Ranker

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

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
    """Every check, for every method as it comes: there is no list of exceptions."""
    assert failures(Ranker(method, n_jobs=1)) == {}


def weighed(n, dim=3, seed=3):
    """Rows, labels and whole weights, none of them 0 or all of them 1."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, dim)), rng.integers(0, 4, size=n), rng.integers(1, 4, size=n)


def test_without_lists_whole_weights_are_repeated_rows_to_the_last_bit():
    """Of a method that draws at random, too."""
    X, y, weight = weighed(40)
    weight[:9] = 0
    times = np.random.default_rng(1).permutation(np.repeat(np.arange(40), weight))
    a = Ranker("ranknet").fit(X, y, sample_weight=weight)
    b = Ranker("ranknet").fit(X[times], y[times])
    assert a.to_bytes() == b.to_bytes()
    assert a.to_bytes() != Ranker("ranknet").fit(X[9:], y[9:]).to_bytes()


def test_what_weighs_too_much_to_be_repeated_stays_weighed():
    X, y, weight = weighed(40)
    few, many = (Ranker("ridge").fit(X, y, sample_weight=weight * k).predict(X)
                 for k in (1, 1000))
    assert np.allclose(few, many, atol=1e-3) and not np.array_equal(few, many)


@pytest.mark.parametrize("norm", ["zscore", "quantile"])
@pytest.mark.parametrize("method, n_lists", [("ridge", 10), ("ranksvm", 1)])
def test_in_lists_weights_are_repeated_rows_where_a_loss_adds_up(method, n_lists, norm):
    """The normaliser weighs rows, as the loss does."""
    X, y, weight = weighed(120)
    X[:, 0] = np.exp(2 * X[:, 0]) + weight  # what weighs more is larger
    qid, times = np.arange(120) * n_lists // 120, np.repeat(np.arange(120), weight)
    a, b, plain = (Ranker(method, valid_fraction=0, norm=norm)
                   .fit(X[rows], y[rows], qid=qid[rows], sample_weight=w).predict(X, qid=qid)
                   for rows, w in ((slice(None), weight), (times, None), (slice(None), None)))
    a, b, plain = (s - s.mean() for s in (a, b, plain))
    assert np.allclose(a, b, atol=1e-4)
    assert not np.allclose(a, plain, atol=1e-2)


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
        ranker = Ranker(method, **quick(method)).fit(X, y)
        again = pickle.loads(pickle.dumps(ranker))
        assert np.array_equal(again.predict(X), ranker.predict(X))
        assert again.get_params() == ranker.get_params()


LATE = """
import sys, peck_rank, numpy as np
ranker = peck_rank.Ranker("mart", trees=3)
X, y = np.arange(20.0).reshape(10, 2), np.arange(10)
ranker.fit(X, y).predict(X)
assert not any(name.split(".")[0] in ("sklearn", "scipy", "pandas") for name in sys.modules)
try:
    ranker.no_such_thing
except AttributeError as error:
    assert "no_such_thing" in str(error)
try:
    peck_rank.Ranker("ridge").fit(X, y).feature_importances_
except AttributeError as error:
    assert "trees" in str(error), error  # the library's sentence
import sklearn.base
again = sklearn.base.clone(ranker)
assert isinstance(again, sklearn.base.BaseEstimator) and again.trees == 3
assert isinstance(ranker, sklearn.base.BaseEstimator)
try:
    again.predict(X)
except sklearn.exceptions.NotFittedError:
    print("adopted", repr(again))
"""


def test_scikit_learn_is_imported_by_those_who_use_it():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True)
    assert done.stdout == "adopted Ranker(method='mart', trees=3)\n", done.stderr


@pytest.mark.skipif(VERSION < (1, 3), reason="metadata is routed from scikit-learn 1.3 on")
def test_who_requests_metadata_means_scikit_learn():
    code = ("import peck_rank, sys\n"
            "ranker = peck_rank.Ranker('ridge')\n"
            "import sklearn\n"
            "sklearn.set_config(enable_metadata_routing=True)\n"
            "print(ranker.set_fit_request(qid=True).get_metadata_routing().fit.requests['qid'])\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


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
                               + os.environ.get("PYTHONPATH", "")})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("NotFittedError This Ranker instance is not fitted yet")
