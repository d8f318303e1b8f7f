"""Many trainings: cross-validation, and committees of models."""
from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import catalogue
from ._c import ffi, lib
from ._call import Spec, string, taken
from .dataset import Dataset
from .errors import check, new_error
from .judging import judge_spec
from .model import Model
from .report import Report
from .watch import Watch


class FoldResult(NamedTuple):
    """One method on one fold."""

    method: str
    fold: int
    model: Model
    scores: Any  # of the rows of the fold's test data


class CrossValidation(NamedTuple):
    """What came out: the report that the command prints, and each fold."""

    report: Report
    folds: list[FoldResult]

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def cross_validate(methods: Union[None, str, Sequence[str]], data: Any, *, folds: int = 5,
                   grid: Optional[Mapping[str, Iterable[Any]]] = None, inner: int = 0,
                   metrics: Any = None, convention: Optional[str] = None, ensemble: int = 1,
                   valid_fraction: Optional[float] = None, seed: int = 1,
                   blend: Optional[str] = None, n_jobs: Optional[int] = None,
                   progress: Any = None, **settings: Any) -> CrossValidation:
    """Every method on every fold, as `peck cv` does it: whole queries are dealt to folds, the
    validation part chooses iterations and settings, and nothing looks at the test part before.

    data : a Dataset, or a file, which is dealt to so many folds; or a list of (train, valid,
        test), of which valid may be None.
    grid : setting -> values to choose from.
    blend : "equal" or "greedy": one more method, a committee of all.

    >>> from peck_rank import cross_validate, generate
    >>> found = cross_validate("ridge", generate("web", queries=20, dim=6), folds=2)
    >>> len(found.folds)
    2
    """
    from .ranker import threads_of

    named = [methods] if isinstance(methods, str) else list(methods or ())
    parts = _parts(data, folds, seed)
    array = ffi.new("peck_fold[]", [{key: d._ptr if d is not None else ffi.NULL
                                     for key, d in zip(("train", "valid", "test"), part)}
                                    for part in parts])
    split = 0.0 if valid_fraction is None else float(valid_fraction) or -1.0
    train = Spec("peck_train_spec", seed=seed, ensemble=ensemble, valid_split=split,
                 threads=threads_of(n_jobs),
                 settings=[f"{k}={catalogue.written(v)}" for k, v in settings.items()])
    kept: list[FoldResult] = []
    watch = Watch(progress)
    watch.keep = lambda result: kept.append(_fold_result(result, parts))
    spec = Spec("peck_cv_spec", fold=array, n_folds=len(parts), method=named or None,
                grid=None if grid is None else
                [f"{k}={','.join(catalogue.written(v) for v in vs)}" for k, vs in grid.items()],
                inner=inner, train=train,
                judge=judge_spec(metrics, convention, seed, threads_of(n_jobs)), blend=blend,
                progress=ffi.addressof(lib, "py_progress"), keep=lib.py_keep, ctx=watch.ctx)
    report = watch.made("peck_report", lib.peck_report_free, lib.peck_cv, spec.p)
    return CrossValidation(Report(report), kept)


def _parts(data: Any, folds: int, seed: int) -> list[tuple[Any, Any, Any]]:
    if isinstance(data, list):
        return [(train, valid, test) for train, valid, test in data]
    whole = Dataset._of(data)
    return [(whole.fold(folds, i, "train", seed),
             whole.fold(folds, i, "valid", seed) if folds > 2 else None,
             whole.fold(folds, i, "test", seed)) for i in range(folds)]


def _fold_result(result: Any, parts: list[tuple[Any, Any, Any]]) -> FoldResult:
    """A copy: the library's own goes after the call."""
    out, err = ffi.new("peck_bytes *"), new_error()
    check(lib.peck_model_pack(out, result.model, err), err)
    model = Model.from_bytes(taken(out))
    test = parts[result.fold][2]
    scores = np.frombuffer(ffi.buffer(result.score, test.n_docs * 8), dtype=np.float64).copy()
    return FoldResult(string(result.method), int(result.fold), model, test._as_given(scores))


def blend(models: Union[Mapping[str, Any], Sequence[Any]], *, weights: str = "equal",
          valid: Any = None, metric: Optional[str] = None, convention: Optional[str] = None,
          alone: bool = False, seed: int = 1, n_jobs: Optional[int] = None,
          progress: Any = None) -> Model:
    """A committee of models, which is a model like any other.

    models : rankers, models or names of files; a mapping gives them names.
    weights : "equal", or "greedy": those that do best on `valid`, a Dataset or a file.

    >>> import numpy as np
    >>> from peck_rank import Ranker, blend
    >>> X = np.arange(40, dtype=np.float32).reshape(20, 2)
    >>> y, qid = np.arange(20) % 4, np.repeat([1, 2], 10)
    >>> both = blend([Ranker(m).fit(X, y, qid=qid) for m in ("ridge", "prank")])
    >>> both.predict(X, qid=qid).shape
    (20,)
    """
    from .ranker import threads_of

    names = list(models) if isinstance(models, Mapping) else None
    given = list(models.values()) if isinstance(models, Mapping) else list(models)
    held = [_model(m) for m in given]
    data = None if valid is None else Dataset._of(valid)
    watch = Watch(progress)
    spec = Spec("peck_blend_spec", model=ffi.new("peck_model *[]", [m._ptr for m in held]),
                name=names, n_models=len(held), weights=weights,
                valid=None if data is None else data._ptr, metric=metric, convention=convention,
                alone=int(alone), seed=seed, threads=threads_of(n_jobs),
                warn=lib.py_warn, progress=ffi.addressof(lib, "py_progress"), ctx=watch.ctx)
    return Model(watch.made("peck_model", lib.peck_model_free, lib.peck_blend, spec.p))


def _model(given: Any) -> Model:
    if isinstance(given, Model):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Model.load(given)
    found = getattr(given, "model_", None)
    if not isinstance(found, Model):
        raise TypeError(f"{type(given).__name__} is no model; give fitted rankers, models or "
                        "names of files")
    return found
