"""Arrays, frames and files become the same dataset."""
import gc

import numpy as np
import pytest

from peck_rank import Dataset, FormatError, Ranker


def test_files_and_arrays_are_the_same(data, tmp_path):
    again = Dataset(data.features, data.labels, qid=data.qid, feature_names=data.feature_names,
                    doc_ids=data.doc_ids)
    for name, one in (("a.txt", data), ("b.txt", again)):
        one.write(tmp_path / name)
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()


def test_float32_rows_are_not_copied():
    X = np.zeros((6, 2), dtype=np.float32)
    d = Dataset(X, qid=[1, 1, 2, 2, 3, 3])
    X[4, 1] = 5
    assert d.features[4, 1] == 5


@pytest.mark.parametrize("qid", [[3, 1, 3, 2, 1, 3], list("cacbac"), ["c", 1, "c", 2, 1, "c"],
                                 [2.5, 1.5, 2.5, 1.75, 1.5, 2.5]])
def test_queries_in_any_order_and_of_any_type(qid):
    X = np.arange(12, dtype=np.float32).reshape(6, 2)
    y = np.arange(6)
    d = Dataset(X, y, qid=qid)
    assert d.n_queries == 3
    assert list(d.group) == [3, 2, 1]
    assert d.queries == [str(v) for v in dict.fromkeys(qid)]
    assert list(d.labels) == list(y)
    assert (d.features == X).all()
    assert list(d.qid) == list(qid)


def test_scores_come_back_in_the_order_of_the_rows(toy):
    X, y, qid = toy
    ranker = Ranker("ridge").fit(X, y, qid=qid)
    mixed = np.random.default_rng(1).permutation(len(X))
    assert (ranker.predict(X, qid=qid)[mixed] == ranker.predict(X[mixed], qid=qid[mixed])).all()


def test_group_is_qid(toy):
    X, y, qid = toy
    a, b = (Ranker("mart", trees=5).fit(X, y, **lists)
            for lists in ({"qid": qid}, {"group": [20] * 20}))
    assert (a.predict(X, qid=qid) == b.predict(X, group=[20] * 20)).all()


@pytest.mark.parametrize("wrong, said", [
    ({"qid": [1, 2]}, "one value a row"), ({"group": [3]}, "add up to 3"),
    ({"group": [2, 2], "qid": [1] * 4}, "give one of them"),
    ({"qid": [1, np.nan, 2, 2]}, "missing"), ({"group": [-1, 5]}, "number of rows"),
    ({"y": [1, 2]}, "inconsistent numbers"), ({"doc_ids": ["a"]}, "doc_ids"),
    ({"feature_names": ["a"]}, "feature names"),
])
def test_what_does_not_fit_is_told(wrong, said):
    with pytest.raises(ValueError, match=said):
        Dataset(np.zeros((4, 2), dtype=np.float32), **wrong)


@pytest.mark.parametrize("make", [
    lambda X: X.astype(np.float64), lambda X: np.asfortranarray(X), lambda X: X.tolist(),
    lambda X: X.astype(object), lambda X: X[::-1][::-1], lambda X: X.astype(">f4"),
    lambda X: np.repeat(X, 2, axis=1)[:, ::2],
])
def test_every_layout_gives_the_same_rows(make):
    X = np.random.default_rng(0).normal(size=(70000, 3)).astype(np.float32)
    X = X[:500] if make(X[:1]).__class__ is list else X
    assert (Dataset(make(X)).features == X).all()


def test_what_float32_cannot_hold_is_told():
    with pytest.raises(ValueError, match="too large"):
        Dataset(np.array([[1e300]]))
    with pytest.raises(ValueError, match="Complex"):
        Dataset(np.array([[1j]]))


def test_labels_that_nobody_gave():
    d = Dataset(np.zeros((3, 1), dtype=np.float32), [1, np.nan, 0])
    assert d.n_judged == 2
    assert np.isnan(d.labels[1])
    assert Dataset(np.zeros((3, 1), dtype=np.float32)).n_judged == 0


def test_missing_values_are_for_trees(toy):
    X, y, qid = toy
    X = X.copy()
    X[::7, 1] = np.nan
    assert np.isfinite(Ranker("mart", trees=5).fit(X, y, qid=qid).predict(X, qid=qid)).all()
    with pytest.raises(FormatError, match="NaN"):
        Ranker("ridge").fit(X, y, qid=qid)


def test_sparse_matrices(toy):
    sparse = pytest.importorskip("scipy.sparse")
    X, y, qid = toy
    X = np.where(X > 0, X, 0).astype(np.float32)
    for kind in ("csr_matrix", "csc_matrix", "coo_matrix", "csr_array"):
        if hasattr(sparse, kind):
            assert (Dataset(getattr(sparse, kind)(X)).features == X).all()


def test_folds_are_the_commands(data):
    parts = [data.fold(4, 0, part) for part in ("train", "valid", "test")]
    assert sorted(q for p in parts for q in p.queries) == sorted(data.queries)
    kept, held = data.holdout(0.25)
    assert kept.n_queries == 18 and held.n_queries == 6


def test_what_a_dataset_stands_on_lives_as_long(toy):
    X, y, qid = toy
    part = Dataset(X.copy(), y, qid=qid).fold(4, 0, "test")
    gc.collect()
    assert part.features.shape[1] == 5


def test_a_frame_with_a_qid_column(toy):
    pandas = pytest.importorskip("pandas")
    X, y, qid = toy
    frame = pandas.DataFrame(X, columns=list("abcde"))
    with_qid = frame.assign(qid=qid)
    a = Ranker("ridge").fit(with_qid, y)
    b = Ranker("ridge").fit(frame, y, qid=qid)
    assert a.to_bytes() == b.to_bytes()
    assert list(a.feature_names_in_) == list("abcde")
    assert (a.predict(with_qid) == b.predict(frame, qid=qid)).all()
    assert Dataset(frame.assign(b=None, c=1)).features[0, 2] == 1
    for text in ("red", pandas.Categorical(["red"] * len(frame))):
        with pytest.raises(ValueError, match="column 'colour': .*'red'; features are numbers"):
            Ranker("ridge").fit(frame.assign(colour=text), y, qid=qid)
    with pytest.raises(ValueError, match="too large for dtype"):
        Dataset(frame.assign(b=1e300))


def test_columns_by_name(toy):
    pandas = pytest.importorskip("pandas")
    X, y, qid = toy
    frame = pandas.DataFrame(X, columns=list("abcde"))
    ranker = Ranker("ridge").fit(frame, y, qid=qid)
    other = frame[list("edcba")].assign(f=1.0)
    with pytest.raises(ValueError, match="unseen at fit time"):
        ranker.predict(other, qid=qid)
    expected = ranker.predict(frame, qid=qid)
    assert (ranker.set_params(match="name").predict(other, qid=qid) == expected).all()
