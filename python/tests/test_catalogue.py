"""Names, settings, statuses: what Python says is what the library says."""
import json
import re

import numpy as np
import pytest

import peck_rank
from conftest import ROOT, peck
from peck_rank import errors
from peck_rank._c import ffi, lib

KINDS = ["methods", "norms", "conventions", "metrics", "decoders", "readers", "writers",
         "generators"]


@pytest.mark.parametrize("kind", KINDS)
def test_lists_are_the_commands(kind):
    told = [line.split("\t")[0] for line in peck("list", kind).splitlines() if line]
    ours = getattr(peck_rank, kind)()
    assert sorted(ours) == sorted(told)
    assert all(entry.title and entry.doc for entry in ours.values())


def test_settings_are_the_commands():
    text = peck("help", "lambdamart")
    assert list(peck_rank.methods()["lambdamart"].settings) == re.findall(r"^  (\w+)=", text,
                                                                          re.M)


def test_every_status_has_its_exception():
    names = {name for name in ffi.typeof("peck_status").elements.values()} - {"PECK_OK"}
    assert {"PECK_" + kind.status for kind in errors.BY_STATUS.values()} == names
    assert issubclass(errors.ArgumentError, ValueError)
    assert issubclass(errors.FileError, OSError)


def test_every_function_of_the_header_is_there():
    header = (ROOT / "include" / "peck.h").read_text()
    names = set(re.findall(r"PECK_API\b[^;]*?\b(peck_\w+)\s*\(", header))
    assert names - set(dir(lib)) == {"peck_report_write"}  # which takes a FILE


def test_defaults_are_the_headers():
    header = (ROOT / "include" / "peck.h").read_text()
    assert f'PECK_DEFAULT_METHOD "{peck_rank.default_method()}"' in header
    assert f'PECK_VERSION "{peck_rank.__version__}"' in header


def test_a_sentence_of_the_library_is_the_exceptions(tmp_path):
    with pytest.raises(peck_rank.FileError, match="nothing.txt"):
        peck_rank.Dataset.read(tmp_path / "nothing.txt")
    (tmp_path / "bad.txt").write_text("2 qid:1 1:0.5\nx qid:1 1:0.5\n")
    with pytest.raises(peck_rank.FormatError, match="bad.txt:2"):
        peck_rank.Dataset.read(tmp_path / "bad.txt")
    with pytest.raises(ValueError, match="zero byte"):
        peck_rank.Dataset.read("a\0b")


@pytest.mark.parametrize("given, near", [
    ({"treees": 5}, "trees"), ({"leafs": 5}, None), ({"objective": "rank"}, "method"),
    ({"seed": 3}, "random_state"), ({"num_threads": 2}, "n_jobs"), ({"eval_metric": "map"}, "metric")])
def test_unknown_settings_are_refused_when_given(given, near):
    with pytest.raises(TypeError, match=f"did you mean '{near}'" if near else "has no setting"):
        peck_rank.Ranker("lambdamart", **given)


def test_a_setting_of_other_methods_is_no_misspelling():
    with pytest.raises(TypeError, match="no setting 'trees'; lambdamart, mart have it|"
                                        "no setting 'trees'; mart, lambdamart"):
        peck_rank.Ranker("lambdarank", trees=50)
    with pytest.raises(TypeError, match="'hidden'; .* and [0-9]+ more have it"):
        peck_rank.Ranker("ridge", hidden=5)


def test_sentences_of_the_library_say_what_one_types_here(toy):
    X, y, qid = toy
    with pytest.raises(peck_rank.FormatError, match="0 or more, or NaN"):
        peck_rank.Ranker("ridge").fit(X, y - 9.0, qid=qid)
    with pytest.raises(peck_rank.ShapeError, match='use convention="standard,gain=linear"'):
        peck_rank.Ranker("lambdamart", trees=2).fit(X, y * 40.0, qid=qid)
    holes = X.copy()
    holes[3, 1] = np.nan
    with pytest.raises(peck_rank.FormatError, match=r"use Ranker\('lambdamart'\), or fill it"):
        peck_rank.Ranker("ranknet").fit(holes, y, qid=qid)
    told = [peck_rank.errors.in_python(text) for text in (
        "rate below 1, clip=1, or another --norm than zscore", "use --match position",
        "unknown setting 'x'; see `peck help ridge`", "choose the same ones (--features)",
        "match them (--feature-names)")]
    assert told == ["rate below 1, clip=1, or another norm than zscore", 'use match="position"',
                    "unknown setting 'x'; see peck_rank.methods()[\"ridge\"].settings",
                    "choose the same ones (features)", "match them (feature_names)"]


@pytest.mark.parametrize("given", [{"trees": 0}, {"trees": 2.5}, {"trees": "many"},
                                   {"growth": "sideways"}, {"rate": 0}, {"rate": 1.5}])
def test_values_are_checked_when_given(given):
    with pytest.raises(ValueError, match="it takes"):
        peck_rank.Ranker("lambdamart", **given)
    with pytest.raises(ValueError, match="it takes"):
        peck_rank.Ranker("lambdamart").set_params(**given)


def test_what_is_checked_is_what_the_library_checks(toy):
    """Every default of every method passes our check, and then the library's."""
    for name, entry in peck_rank.methods().items():
        for key, setting in entry.settings.items():
            assert peck_rank.catalogue.check_setting(name, key, setting.default) is None


def test_an_unknown_method_is_told_by_fit(toy):
    X, y, qid = toy
    with pytest.raises(ValueError, match="lambdamart"):
        peck_rank.Ranker("lamdamart").fit(X, y, qid=qid)


def test_a_report_is_the_commands(web, data):
    told = json.loads(peck("stats", web, "--json"))
    assert data.summary().as_dict() == told
