"""Frames by the Arrow PyCapsule interface."""
import numpy as np
import pytest

from peck_rank import Dataset, Ranker, arrow


def table(toy):
    X, y, qid = toy
    return {**{name: X[:, i] for i, name in enumerate("abcde")}, "qid": qid}


def kinds():
    """Ways to make a frame of columns, of the packages that are there."""
    found = {}
    try:
        import pyarrow

        found["pyarrow"] = pyarrow.table
        found["batches"] = lambda c: pyarrow.Table.from_batches(
            pyarrow.table(c).to_batches(max_chunksize=77))
        found["batch"] = lambda c: pyarrow.record_batch(c)
        found["slice"] = lambda c: pyarrow.table(
            {k: np.concatenate([v[:13], v]) for k, v in c.items()}).slice(13)
    except ImportError:
        pass
    try:
        import polars

        found["polars"] = polars.DataFrame
    except ImportError:
        pass
    try:
        import duckdb
        import pyarrow

        def by_duckdb(columns):
            made = pyarrow.table(columns)  # noqa: F841  the query names it
            return duckdb.sql("select * from made")

        found["duckdb"] = by_duckdb
    except ImportError:
        pass
    return found


KINDS = kinds()
needs_one = pytest.mark.skipif(not KINDS, reason="neither pyarrow nor polars nor duckdb is here")


@needs_one
@pytest.mark.parametrize("kind", sorted(KINDS) or ["none"])
def test_a_frame_is_its_arrays(kind, toy):
    X, y, qid = toy
    frame = KINDS[kind](table(toy))
    assert arrow.is_table(frame)
    assert (Dataset(frame).features == X).all()
    a = Ranker("ridge").fit(frame, y)
    b = Ranker("ridge").fit(Dataset(X, y, qid=qid, feature_names=list("abcde")))
    assert a.to_bytes() == b.to_bytes()
    assert (a.predict(frame) == b.predict(Dataset(X, y, qid=qid))).all()


@needs_one
@pytest.mark.parametrize("kind", sorted(KINDS) or ["none"])
def test_every_type_of_number_and_nulls(kind):
    if kind in ("duckdb", "slice"):
        pytest.skip("made of arrays here, which have no nulls")
    n = 21
    columns = {f"{t}": np.arange(n).astype(t) for t in
               ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                "float32", "float64")}
    columns["half"] = [None if i % 3 == 0 else float(i) for i in range(n)]
    columns["whole"] = [None if i % 5 == 0 else i for i in range(n)]
    columns["truth"] = [None if i == 20 else i % 2 == 0 for i in range(n)]
    found = Dataset(KINDS[kind](columns))
    x, names = found.features, found.feature_names
    for name, values in columns.items():
        expected = np.array([np.nan if v is None else float(v) for v in values])
        assert np.array_equal(x[:, names.index(name)], expected.astype("f"), equal_nan=True), name


@needs_one
@pytest.mark.parametrize("kind", sorted(KINDS) or ["none"])
def test_queries_by_text(kind, toy):
    X, y, qid = toy
    words = [f"{'a long name of a query ' if q % 2 else 'q'}{q}" for q in qid]
    frame = KINDS[kind]({"x": X[:, 0], "qid": np.array(words) if kind == "slice" else words})
    assert Dataset(frame).queries == list(dict.fromkeys(words))


@needs_one
def test_what_is_no_number_is_named():
    make = KINDS.get("pyarrow") or KINDS.get("polars")
    import datetime

    with pytest.raises(TypeError, match="column 'when'"):
        Dataset(make({"when": [datetime.datetime(2020, 1, 1)]}))
    with pytest.raises((TypeError, ValueError)):
        Dataset(make({"word": ["a", "b"]}))


def test_categories():
    pyarrow = pytest.importorskip("pyarrow")
    codes = pyarrow.array(["x", "y", None, "x"]).dictionary_encode()
    frame = pyarrow.table({"a": [1.0, 2.0, 3.0, 4.0], "qid": codes.fill_null("z")})
    assert Dataset(frame).queries == ["x", "y", "z"]
