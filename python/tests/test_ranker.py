"""Training and what comes of it."""
import gc
import pickle
import threading

import numpy as np
import pytest

import peck_rank
from conftest import quick
from peck_rank import Dataset, Model, Ranker
from peck_rank._c import ffi, lib


def test_lists_are_not_guessed(toy):
    X, y, qid = toy
    ranker = Ranker("ridge").fit(X, y, qid=qid)
    with pytest.raises(ValueError, match="depend on the list"):
        ranker.predict(X)
    with pytest.raises(ValueError, match="one list"):
        ranker.rank(X)
    assert ranker.predict(X[:1]).shape == (1,)
    one = ranker.predict(X, qid=7)
    assert np.array_equal(one, ranker.set_params(one_list=True).predict(X))
    assert not np.array_equal(one, ranker.predict(X, qid=qid))


@pytest.mark.parametrize("method", sorted(peck_rank.methods()))
def test_without_lists_a_row_is_scored_by_itself(method, toy):
    X, y, _ = toy
    # One list is one step an epoch, and rankprop's first epoch alone sees labels as they are.
    enough = {"rankprop": {"epochs": 600}, "sortnet": {}}
    ranker = Ranker(method, **enough.get(method, quick(method))).fit(X[:60], y[:60])
    whole = ranker.predict(X[:60])
    assert np.array_equal(whole[10:20], ranker.predict(X[10:20]))
    assert np.array_equal(whole, np.concatenate([ranker.predict(x[None]) for x in X[:60]]))
    assert np.corrcoef(whole, y[:60])[0, 1] > 0.5


def test_many_rows_are_scored_as_few(toy):
    X, y, _ = toy
    ranker = Ranker("mart", trees=5).fit(X, y)
    many = np.tile(X, (30, 1))
    assert np.array_equal(ranker.predict(many), np.tile(ranker.predict(X), 30))
    assert np.array_equal(ranker.predict(many.astype(np.float64)), ranker.predict(many))


def test_history(toy):
    X, y, qid = toy
    ranker = Ranker("lambdamart", trees=12, patience=0).fit(X, y, qid=qid)
    assert [h["epoch"] for h in ranker.history_] == list(range(1, 13))
    best = max(ranker.history_, key=lambda h: h["valid"])
    assert ranker.best_iteration_ == best["epoch"]
    assert ranker.n_iter_ == 12


def test_importance_is_of_trees(toy):
    X, y, qid = toy
    found = Ranker("mart", trees=10).fit(X, y, qid=qid).feature_importances_
    assert found.shape == (5,) and found.argmax() == 0
    assert np.isclose(found.sum(), 1)
    assert not hasattr(Ranker("ridge").fit(X, y, qid=qid), "feature_importances_")


def test_weights_are_of_linear_models(toy):
    X, y, qid = toy
    rows = Ranker("ridge").fit(X, y, qid=qid).model_.weights().tables["weights"]
    assert [row["feature"] for row in rows][0] == "1" and len(rows) == 5
    with pytest.raises(peck_rank.PeckError, match="weights are for linear models"):
        Ranker("mart", trees=3).fit(X, y, qid=qid).model_.weights()


def test_preferences(toy):
    X, y, qid = toy
    mixed = np.random.default_rng(2).permutation(len(X))
    X, y, qid = X[mixed], y[mixed], qid[mixed]
    pairs = [(i, j) for q in range(20) for i in np.flatnonzero(qid == q)
             for j in np.flatnonzero(qid == q) if y[i] > y[j]]
    ranker = Ranker("ranknet").fit(X, qid=qid, pairs=pairs)
    assert ranker.score(X, y, qid=qid) > 0.9
    with pytest.raises(ValueError, match="rows of"):
        Ranker("ranknet").fit(X, qid=qid, pairs=[1, 2])
    other = int(np.flatnonzero(qid != qid[0])[0])
    with pytest.raises(ValueError):
        Ranker("ranknet").fit(X, qid=qid, pairs=[(0, other)])


def test_rules_teach_where_labels_are_few(toy):
    X, y, qid = toy
    few = Dataset(X[:40], y[:40], qid=qid[:40], feature_names=list("abcde"))
    many = Dataset(X, qid=qid, feature_names=list("abcde"))
    rules = peck_rank.Rules("first: forall d, e | d.a > e.a : before(d, e)")

    def penalty(**more):
        ranker = Ranker("ranknet", epochs=60, valid_fraction=0).fit(few, **more)
        return rules.evaluate(many, ranker.predict(many)).tables["rules"][0]["penalty"]

    assert penalty(rules=rules, rules_weight=1, unlabelled=many) < penalty() - 0.1
    # by trials they do no harm, whatever they say
    assert penalty(rules=rules, unlabelled=many) <= penalty() + 1e-6
    assert rules.check(many).tables
    with pytest.raises(ValueError, match="above 0"):
        Ranker("ranknet").fit(few, rules=rules, rules_weight=0)
    with pytest.raises(peck_rank.FormatError, match="line 1|:1"):
        Ranker("ranknet").fit(few, rules="first forall")


def test_orders_that_keep_rules(toy):
    X, y, qid = toy
    mixed = np.random.default_rng(5).permutation(len(X))
    data = Dataset(X[mixed], y[mixed], qid=qid[mixed], feature_names=list("abcde"))
    rules = peck_rank.Rules("first: forall d, e | d.a > e.a : before(d, e)")
    scores = X[mixed, 1].astype(float)
    places, report = rules.enforce(data, scores)
    assert rules.evaluate(data, scores)["broken"] > 0
    assert rules.evaluate(data, -places)["broken"] == 0 == report["gave_up"]
    for q in range(20):  # the rule leaves one order: that by its feature
        rows = np.flatnonzero(qid[mixed] == q)
        assert (rows[np.argsort(places[rows])] == rows[np.argsort(-X[mixed][rows, 0])]).all()
    easy, _ = peck_rank.Rules("none: forall d : d.a < 99").enforce(data, scores, threads=1)
    assert all(sorted(easy[qid[mixed] == q]) == list(range(1, sum(qid == q) + 1))
               for q in range(20))
    assert (np.argsort(easy[qid[mixed] == 3]) == np.argsort(-scores[qid[mixed] == 3])).all()
    with pytest.raises(ValueError, match="scores for"):
        rules.enforce(data, scores[1:])
    with pytest.raises(ValueError, match="401 scores for 400 rows"):
        rules.evaluate(data, np.append(scores, 0))


def test_prefer(toy):
    X, y, qid = toy
    for method in ("mart", "cmpnn"):
        ranker = Ranker(method, **quick(method)).fit(X, y)
        best, worst = X[[y.argmax()]], X[[X[:, 0].argmin()]]
        there, back = ranker.prefer(best, worst), ranker.prefer(worst, best)
        assert there[0] > 0.5 and np.isclose(there[0] + back[0], 1)
    by_row = ranker.prefer([0, 1], [1, 0], X=X[:20])
    assert np.isclose(by_row.sum(), 1)
    with pytest.raises(ValueError, match="rows from 0 to 19"):
        ranker.prefer([0], [20], X=X[:20])


def test_rank(toy):
    X, y, qid = toy
    mixed = np.random.default_rng(4).permutation(len(X))
    ranker = Ranker("ridge").fit(X, y, qid=qid)
    found = ranker.rank(X[mixed], qid=qid[mixed], top=2)
    scores = ranker.predict(X, qid=qid)
    assert len(found) == 40 and set(found["rank"]) == {1, 2}
    for record in found[found["rank"] == 1]:
        row = mixed[record["row"]]
        assert qid[row] == record["query"]
        assert scores[row] == scores[qid == record["query"]].max() == record["score"]


def test_in_and_out(toy, tmp_path):
    X, y, qid = toy
    ranker = Ranker("lambdamart", trees=5).fit(X, y, qid=qid)
    ranker.save(tmp_path / "m.peck")
    for again in (Ranker.load(tmp_path / "m.peck"), Ranker.from_bytes(ranker.to_bytes()),
                  peck_rank.load(tmp_path / "m.peck"), pickle.loads(pickle.dumps(ranker))):
        assert np.array_equal(again.predict(X, qid=qid), ranker.predict(X, qid=qid))
    with pytest.raises(peck_rank.FormatError):
        Model.from_bytes(b"no model")
    assert "lambdamart" in ranker._repr_html_()
    assert "Ranker" in Ranker()._repr_html_()


def test_threads_share_a_model(toy):
    X, y, qid = toy
    ranker = Ranker("lambdamart", trees=20).fit(X, y, qid=qid)
    expected = [ranker.predict(X[qid == q], qid=0) for q in range(20)]
    wrong = []

    def ask():
        for _ in range(20):
            for q in range(20):
                if not np.array_equal(ranker.predict(X[qid == q], qid=0), expected[q]):
                    wrong.append(q)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_weights(toy):
    X, y, qid = toy
    ones = Ranker("ridge").fit(X, y, qid=qid, sample_weight=np.ones(len(X)))
    assert np.allclose(ones.predict(X, qid=qid),
                       Ranker("ridge").fit(X, y, qid=qid).predict(X, qid=qid), atol=1e-5)
    half = (np.arange(len(X)) % 2).astype(float)
    dropped = Ranker("ridge").fit(X, y, qid=qid, sample_weight=half)
    kept = half > 0
    alone = Ranker("ridge").fit(X[kept], y[kept], qid=qid[kept],
                                sample_weight=np.ones(kept.sum()))
    assert dropped.to_bytes() == alone.to_bytes()


@pytest.mark.parametrize("wrong, said", [
    ({"sample_weight": np.arange(400) % 2, "pairs": [(0, 1)]}, "weight of 0"),
    ({"rules": "r: forall d : true", "rules_weight": 0}, "above 0"),
    ({"eval_set": [1, 2]}, "one alone can choose"), ({"eval_pairs": [(0, 1)]}, "eval_set"),
])
def test_what_fit_refuses(wrong, said, toy):
    X, y, qid = toy
    with pytest.raises(ValueError, match=said):
        Ranker("ranknet").fit(X, y, qid=qid, **wrong)
    with pytest.raises(ValueError, match="brings labels"):
        Ranker("ranknet").fit(Dataset(X, y, qid=qid), sample_weight=np.ones(400))


def test_a_metric_that_chooses(toy):
    X, y, qid = toy
    told = Ranker("mart", trees=5, metric="map").fit(X, y, qid=qid).model_.describe().texts
    assert told["metric"] == "map"
    with pytest.raises(ValueError, match="ndgc"):
        Ranker("mart", metric="ndgc@10").fit(X, y, qid=qid)


def test_a_scorer_goes_before_its_model(toy):
    """Whatever order Python frees them in: AddressSanitizer tells otherwise."""
    X, y, _ = toy
    model = Ranker("mart", trees=3).fit(X, y).model_
    scorer = model._scorer()
    expected = model.predict(X[:5])
    del model
    gc.collect()
    again = np.empty(5)
    assert lib.peck_score(scorer, ffi.from_buffer("float[]", X), 5, 5,
                          ffi.from_buffer("double[]", again), ffi.NULL) == 0
    assert np.array_equal(again, expected)
