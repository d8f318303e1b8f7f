"""Orders and labels to numbers: evaluate and compare."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Mapping, Optional

import numpy as np

from ._c import ffi, lib
from ._call import Spec, encoded, made
from .dataset import Dataset
from .errors import check, new_error
from .report import Report
from .watch import Watch


def judge_spec(metrics: Any, convention: Optional[str], seed: int, threads: int) -> Spec:
    named = metrics if metrics is None or isinstance(metrics, str) else ",".join(metrics)
    return Spec("peck_judge_spec", metrics=named, convention=convention, seed=seed,
                threads=threads)


def kept_scores(data: Dataset, scores: Any) -> Any:
    """One score a row, in the dataset's order."""
    given = np.asarray(scores, dtype=np.float64)
    if given.shape != (data.n_docs,):
        raise ValueError(f"{given.size} scores for {data.n_docs} rows")
    return np.ascontiguousarray(data._as_kept(given))


def evaluate(truth: Any, scores: Any, metrics: Any = None, *, qid: Any = None,
             group: Any = None, weight: Any = None, convention: Optional[str] = None,
             complete: bool = False, seed: int = 1, threads: int = 0) -> Report:
    """Judges an order.

    truth and scores are one of

    - {query: {document: label}} and {query: {document: score}}, as pytrec_eval, ranx and
      ir_measures have them (also their Qrels and Run objects);
    - names of files: TREC's qrels and run, or data and a file of scores;
    - labels and scores, one a row, with qid or group;
    - a Dataset and scores.

    metrics : "ndcg@10,map", or a list; None: the command's.
    convention : whose rules to measure by: `conventions()`.
    complete : a judged query that the run leaves out counts as an empty list.

    >>> from peck_rank import evaluate
    >>> evaluate([2, 0, 1], [0.1, 0.9, 0.5], "ndcg@3", group=[3])["ndcg@3"] < 0.7
    True
    """
    spec = judge_spec(metrics, convention, seed, threads)
    if isinstance(truth, (str, os.PathLike)):
        return _evaluate_files(truth, scores, complete, spec)
    qrels, run = _table(truth), _table(scores)
    if isinstance(qrels, Mapping):
        return _evaluate_dicts(qrels, run, complete, spec)
    if isinstance(truth, Dataset):
        data = truth
    else:
        y = np.asarray(truth)
        data = Dataset(np.zeros((len(y), 1), dtype=np.float32), y, qid=qid, group=group,
                       weight=weight)
    return Report(made("peck_report", lib.peck_report_free, lib.peck_evaluate_scores, data._ptr,
                       ffi.from_buffer("double[]", kept_scores(data, scores)), spec.p))


def _table(given: Any) -> Any:
    """A dict of dicts, also of ranx's Qrels and Run; anything else as it is."""
    return given.to_dict() if hasattr(given, "to_dict") and hasattr(given, "keys") else given


def _evaluate_files(truth: Any, scores: Any, complete: bool, spec: Spec) -> Report:
    """TREC's files, or a file of scores beside data."""
    if isinstance(scores, (str, os.PathLike)) and _is_run(scores):
        return Report(made("peck_report", lib.peck_report_free, lib.peck_evaluate_run,
                           encoded(scores), encoded(truth), int(complete), spec.p))
    data = Dataset.read(truth)
    return Report(made("peck_report", lib.peck_report_free, lib.peck_evaluate_scores, data._ptr,
                       ffi.from_buffer("double[]", file_scores(data, scores)), spec.p))


def file_scores(data: Dataset, scores: Any) -> Any:
    """Scores in the dataset's order, from a file or an array."""
    if not isinstance(scores, (str, os.PathLike)):
        return kept_scores(data, scores)
    found, err = np.empty(data.n_docs), new_error()
    check(lib.peck_scores_read(ffi.from_buffer("double[]", found), encoded(scores), data._ptr,
                               err), err)
    return found


def _is_run(path: Any) -> bool:
    """A line of a run has six columns, one of a file of scores has one."""
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            return len(next(lines, "").split()) > 1
    except OSError:
        return True  # the library says what is wrong with it


def _evaluate_dicts(qrels: Mapping[Any, Mapping[Any, float]],
                    run: Mapping[Any, Mapping[Any, float]], complete: bool,
                    spec: Spec) -> Report:
    """By way of TREC's files, which is what the conventions of these programs speak of."""
    name = _names([qrels, run])
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, part) for part in ("qrels", "run")]
        with open(paths[0], "w", encoding="utf-8") as out:
            out.writelines(f"{name(q)} 0 {name(d)} {label}\n"
                           for q, labels in qrels.items() for d, label in labels.items())
        with open(paths[1], "w", encoding="utf-8") as out:
            out.writelines(f"{name(q)} Q0 {name(d)} 0 {float(score)!r} peck\n"
                           for q, scores in run.items() for d, score in scores.items())
        return Report(made("peck_report", lib.peck_report_free, lib.peck_evaluate_run,
                           encoded(paths[1]), encoded(paths[0]), int(complete), spec.p))


def _names(tables: list[Mapping[Any, Mapping[Any, float]]]) -> Any:
    """Names as they are; where one could not stand in such a file, other names in their place
    that sort in the same way, as ties go by name."""
    names = {str(n) for table in tables for q, docs in table.items() for n in (q, *docs)}
    if all(n and not any(c.isspace() for c in n) for n in names):
        return str
    stand_in = {n: f"{i:012d}" for i, n in enumerate(sorted(names, key=lambda n: n.encode()))}
    return lambda name: stand_in[str(name)]


def compare(runs: Mapping[str, Any], data: Any = None, metrics: Any = None, *,
            y: Any = None, qid: Any = None, group: Any = None,
            convention: Optional[str] = None, resamples: int = 0, seed: int = 1,
            threads: int = 0, progress: Any = None) -> Report:
    """Whether one run is better than another by more than luck: differences to the first run
    with bootstrap intervals, paired t, Wilcoxon and randomisation tests, corrected for many.

    runs : name -> one score a row; with several folds, a list of such, one for each.
    data : a Dataset, or a list of them, one a fold; else y with qid or group.

    >>> from peck_rank import compare
    >>> y, group = [1, 0, 0, 2, 1, 0], [3, 3]
    >>> r = compare({"a": [3, 2, 1, 3, 2, 1], "b": [1, 2, 3, 1, 2, 3]}, y=y, group=group)
    >>> "ndcg@10" in str(r)
    True
    """
    if data is None:
        labels = np.asarray(y)
        data = Dataset(np.zeros((len(labels), 1), dtype=np.float32), labels, qid=qid,
                       group=group)
    folds = data if isinstance(data, (list, tuple)) else [data]
    given = [scores if isinstance(data, (list, tuple)) else [scores] for scores in runs.values()]
    for name, scores in zip(runs, given):
        if len(scores) != len(folds):
            raise ValueError(f"run '{name}' has scores of {len(scores)} folds, not {len(folds)}")
    kept = [kept_scores(d, s) for scores in given for d, s in zip(folds, scores)]
    watch = Watch(progress)
    spec = Spec("peck_compare_spec", n_folds=len(folds), n_runs=len(runs),
                data=ffi.new("peck_dataset *[]", [d._ptr for d in folds]), name=list(runs),
                score=ffi.new("double *[]", [ffi.from_buffer("double[]", s) for s in kept]),
                judge=judge_spec(metrics, convention, seed, threads), resamples=resamples,
                progress=ffi.addressof(lib, "py_progress"), ctx=watch.ctx)
    return Report(watch.made("peck_report", lib.peck_report_free, lib.peck_compare, spec.p))
