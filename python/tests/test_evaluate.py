"""Values of orders: dicts, arrays and files agree, and with the programs that they come from."""
import random

import numpy as np
import pytest

import peck_rank

METRICS = {"map": "map", "ndcg": "ndcg", "ndcg@5": "ndcg_cut_5", "ndcg@10": "ndcg_cut_10",
           "p@5": "P_5", "p@10": "P_10", "recall@10": "recall_10", "mrr": "recip_rank"}


def tables(name=str, seed=3):
    """Judgements and a run with ties, unjudged and unretrieved documents."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for query in (f"q{i}" for i in range(40)):
        qrels[query] = {name(f"d{d}"): rng.choice([0, 0, 0, 1, 2, 3])
                        for d in rng.sample(range(40), 15)}
        run[query] = {name(f"d{d}"): round(rng.gauss(0, 1), 1)
                      for d in rng.sample(range(40), 25)}
        qrels[query][name("d1")] = 1
    return qrels, run


def test_dicts_and_files_agree(tmp_path):
    qrels, run = tables()
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {y}\n" for q in qrels
                                            for d, y in qrels[q].items()))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} 0 {s} x\n" for q in run
                                          for d, s in run[q].items()))
    a = peck_rank.evaluate(qrels, run, list(METRICS), convention="trec")
    b = peck_rank.evaluate(tmp_path / "qrels", tmp_path / "run", list(METRICS),
                           convention="trec")
    assert dict(a) == dict(b)
    assert a.queries == list(qrels)
    assert all(len(values) == 40 for values in a.per_query.values())


def test_names_that_a_file_could_not_hold():
    a = peck_rank.evaluate(*tables(), convention="trec")
    b = peck_rank.evaluate(*tables(lambda d: f"{d} of\tit"), convention="trec")
    assert dict(a) == dict(b)


def test_arrays_and_datasets_agree(toy):
    X, y, qid = toy
    mixed = np.random.default_rng(5).permutation(len(X))
    a = peck_rank.evaluate(y, X[:, 0], qid=qid)
    b = peck_rank.evaluate(y[mixed], X[mixed, 0], qid=qid[mixed])
    c = peck_rank.evaluate(peck_rank.Dataset(X, y, qid=qid), X[:, 0])
    assert dict(a) == dict(c)
    assert all(np.isclose(a[name], b[name]) for name in a)
    with pytest.raises(ValueError, match="3 scores"):
        peck_rank.evaluate(y, [1, 2, 3], qid=qid)


def test_queries_that_a_run_leaves_out():
    qrels, run = tables()
    del run["q0"]
    left = peck_rank.evaluate(qrels, run, "map", convention="trec")["map"]
    counted = peck_rank.evaluate(qrels, run, "map", convention="trec", complete=True)["map"]
    assert np.isclose(counted, left * 39 / 40)


def test_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = tables()
    judge = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "ndcg_cut.5,10", "P.5,10",
                                                   "recall.10", "recip_rank"})
    theirs = judge.evaluate(run)
    ours = peck_rank.evaluate(qrels, run, list(METRICS), convention="trec")
    for name, key in METRICS.items():
        each = [theirs[q][key] for q in ours.queries]
        assert np.allclose(ours.per_query[name], each, rtol=0, atol=1e-12), name
        assert np.isclose(ours[name], np.mean(each), rtol=0, atol=1e-12)


def test_ranx():
    ranx = pytest.importorskip("ranx")
    qrels, run = tables()
    run = {q: {d: s + i * 1e-3 for i, (d, s) in enumerate(docs.items())}
           for q, docs in run.items()}  # it breaks ties in its own way
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), ["ndcg@10", "map", "mrr"])
    ours = peck_rank.evaluate(qrels, run, "ndcg@10,map,mrr", convention="trec")
    assert all(np.isclose(ours[name], theirs[name], rtol=0, atol=1e-9) for name in theirs)
    same = peck_rank.evaluate(ranx.Qrels(qrels), ranx.Run(run), "map", convention="trec")
    assert np.isclose(same["map"], ours["map"], rtol=0, atol=1e-12)


def test_ir_measures():
    measures = pytest.importorskip("ir_measures")
    qrels, run = tables()
    theirs = measures.calc_aggregate([measures.nDCG @ 10, measures.AP, measures.RR], qrels, run)
    ours = peck_rank.evaluate(qrels, run, "ndcg@10,map,mrr", convention="trec")
    for measure, name in ((measures.nDCG @ 10, "ndcg@10"), (measures.AP, "map"),
                          (measures.RR, "mrr")):
        assert np.isclose(ours[name], theirs[measure], rtol=0, atol=1e-9)
