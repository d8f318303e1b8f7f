"""The same data and seed give what the command gives, to the last bit."""
import json
import re

import numpy as np
import pytest

import peck_rank
from conftest import peck, quick
from peck_rank import Dataset, Model, Ranker
from peck_rank._c import ffi, lib
from peck_rank.errors import check, new_error

def flags(settings):
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def written(path, scores, data):
    """Scores in a file, as the command writes them."""
    err = new_error()
    check(lib.peck_scores_write(ffi.from_buffer("double[]", scores), str(path).encode(),
                                data._ptr, err), err)


@pytest.mark.parametrize("method", sorted(peck_rank.methods()))
def test_models_and_scores_are_the_commands(method, web, data, tmp_path):
    settings = quick(method)
    model, scores = tmp_path / "m.peck", tmp_path / "scores"
    peck("train", "-q", "-m", method, *flags(settings), "--seed", 3, "--threads", 2, web, "-o",
         model)
    peck("score", "-q", model, web, "-o", scores)
    arrays = Dataset(data.features, data.labels, qid=data.qid, feature_names=data.feature_names)
    ranker = Ranker(method, random_state=3, n_jobs=1, **settings).fit(arrays)
    assert ranker.to_bytes() == model.read_bytes()
    ours = ranker.predict(arrays)
    written(tmp_path / "ours", ours, arrays)
    assert (tmp_path / "ours").read_bytes() == scores.read_bytes()
    assert np.array_equal(Model.load(model).predict(data), ours)
    one = data.qid == data.queries[0]  # by the way of a server, without a dataset
    assert np.array_equal(ranker.model_.predict(data.features[one], qid=0), ours[one])


def test_a_ranking_is_the_commands(web, data, tmp_path):
    for method in ("ridge", "cmpnn"):
        ranker = Ranker(method).fit(data)
        ranker.save(tmp_path / f"{method}.peck")
        told = peck("rank", tmp_path / f"{method}.peck", web, "--format", "trec", "--top", 3)
        lines = [line.split() for line in told.splitlines()]
        ours = ranker.rank(data, top=3)
        assert [line[0] for line in lines] == list(ours["query"])
        assert [int(line[3]) for line in lines] == list(ours["rank"])
        ids = data.doc_ids
        if ids is not None:
            assert [line[2] for line in lines] == [ids[row] for row in ours["row"]]


def test_values_are_the_commands(web, data, tmp_path):
    scores = tmp_path / "scores"
    ranker = Ranker("ridge").fit(data)
    ranker.save(tmp_path / "m.peck")
    peck("score", "-q", tmp_path / "m.peck", web, "-o", scores)
    for convention in peck_rank.conventions():
        told = json.loads(peck("eval", web, "--scores", scores, "-c", convention, "--json"))
        for truth, given in ((data, ranker.predict(data)), (web, scores)):
            ours = peck_rank.evaluate(truth, given, convention=convention)
            assert ours.as_dict() == told


def test_an_ensemble_alone_and_an_eval_set(web, data, tmp_path):
    peck_rank.generate("web", tmp_path / "v.txt", queries=8, dim=6, seed=6)
    peck("train", "-q", "-m", "ranknet", "--ensemble", 2, "--alone", "--set", "epochs=5",
         "--metric", "map", web, "--valid", tmp_path / "v.txt", "-o", tmp_path / "m.peck")
    valid = Dataset.read(tmp_path / "v.txt")
    ranker = Ranker("ranknet", ensemble=2, alone=True, epochs=5, metric="map")
    ranker.fit(data, eval_set=(valid.features, valid.labels), eval_qid=valid.qid)
    # Names of features are not in arrays: the same data otherwise.
    named = Dataset(valid.features, valid.labels, qid=valid.qid,
                    feature_names=valid.feature_names)
    assert ranker.fit(data, eval_set=named).to_bytes() == (tmp_path / "m.peck").read_bytes()


def test_cross_validation_is_the_commands(web, data):
    told = json.loads(peck("cv", "-m", "ridge,prank", "--folds", 3, "--grid",
                           "norm=zscore,none", web, "--json"))
    ours = peck_rank.cross_validate(["ridge", "prank"], data, folds=3,
                                    grid={"norm": ["zscore", "none"]}, metrics="ndcg@10,map")
    assert ours.report.as_dict() == told
    assert [(f.method, f.fold) for f in ours.folds] == [(m, f) for m in ("ridge", "prank")
                                                        for f in range(3)]
    first = ours.folds[0]
    assert np.array_equal(first.model.predict(data.fold(3, 0, "test")), first.scores)


def test_a_committee_is_the_commands(web, data, tmp_path):
    paths = []
    for method in ("ridge", "prank"):
        paths.append(tmp_path / f"{method}.peck")
        Ranker(method).fit(data).save(paths[-1])
    peck("blend", "-q", "-o", tmp_path / "b.peck", "--blend-weights", "greedy", "--valid", web, *paths)
    ours = peck_rank.blend({str(p): p for p in paths}, weights="greedy", valid=data)
    assert ours.to_bytes() == (tmp_path / "b.peck").read_bytes()
    with pytest.raises(TypeError, match="no model"):
        peck_rank.blend([Ranker("ridge")])


def test_a_comparison_is_the_commands(web, data, tmp_path):
    runs = {}
    for method in ("ridge", "prank"):
        name = str(tmp_path / method)
        runs[name] = Ranker(method).fit(data).predict(data)
        written(name, runs[name], data)
    told = json.loads(peck("compare", web, *runs, "--json"))
    ours = peck_rank.compare(runs, data).as_dict()
    assert next(iter(ours["tables"].values())) == next(iter(told["tables"].values()))


def test_generated_data_is_the_commands(tmp_path):
    peck("generate", "-q", "web", "--set", "queries=3", "--seed", 4, "-o", tmp_path / "a.txt")
    peck_rank.generate("web", tmp_path / "b.txt", seed=4, queries=3)
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()
    with pytest.raises(TypeError, match="did you mean 'queries'"):
        peck_rank.generate("web", querys=3)
    with pytest.raises(ValueError, match="no generator"):
        peck_rank.generate("wob")


def test_a_page_is_the_commands(data, tmp_path):
    ranker = Ranker("ridge").fit(data)
    judged = peck_rank.evaluate(data, ranker.predict(data))
    peck_rank.report({"ridge": [ranker, judged]}, tmp_path / "a.html")
    page = peck_rank.report({"ridge": [ranker, judged]})
    assert page.html == (tmp_path / "a.html").read_text()
    assert "<iframe" in page._repr_html_()
    ranker.save(tmp_path / "ridge.peck")
    peck_rank.report([tmp_path / "ridge.peck"], tmp_path / "c.html")
    peck("report", tmp_path / "d.html", tmp_path / "ridge.peck")
    # ... but for the command itself, and when it ran.
    told = re.sub("<dt>(Command|Written)<dd>.*\n", "", (tmp_path / "d.html").read_text())
    assert (tmp_path / "c.html").read_text() == told
