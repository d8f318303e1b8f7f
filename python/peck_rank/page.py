"""A page of results: one HTML file that needs nothing else."""
from __future__ import annotations

import os
import tempfile
from html import escape
from typing import Any, Mapping, Optional, Union

from ._c import ffi, lib
from ._call import Spec, encoded, made
from .errors import check, new_error
from .model import Model
from .report import Report
from .watch import Watch


class Page:
    """The page, for a notebook: it is shown in a frame of its own."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{escape(self.html)}" width="100%" height="800" '
                'style="border:0"></iframe>')

    def __repr__(self) -> str:
        return f"<Page: {len(self.html)} characters of HTML>"


def report(runs: Any, path: Union[None, str, "os.PathLike[str]"] = None, *,
           title: Optional[str] = None, metric: Optional[str] = None, run: Optional[str] = None,
           baseline: Optional[str] = None, resamples: int = 0, seed: int = 1, threads: int = 0,
           progress: Any = None) -> Optional[Page]:
    """Who is best and whether that is luck, how each run learnt, where two runs differ.

    runs : name -> a fitted ranker, a model or a report of `evaluate`, or a list of such, one a
        fold for each kind; or files and folders, as `peck report` takes them.
    path : the file to write; None: the page comes back, and a notebook shows it.

    >>> from peck_rank import Dataset, Ranker, evaluate, generate, report
    >>> data = generate("web", queries=12, dim=6)
    >>> ranker = Ranker("ridge").fit(data)
    >>> report({"ridge": [ranker, evaluate(data, ranker.predict(data))]})
    <Page: ... characters of HTML>
    """
    page = made("peck_page", lib.peck_page_free, lib.peck_page_new)
    if isinstance(runs, Mapping):
        for name, given in runs.items():
            _add(page, name, given)
    else:
        for one in [runs] if isinstance(runs, (str, os.PathLike)) else runs:
            err = new_error()
            check(lib.peck_page_read(page, encoded(one), err), err)
    watch = Watch(progress)
    spec = Spec("peck_page_spec", title=title, metric=metric, run=run, baseline=baseline,
                resamples=resamples, seed=seed, threads=threads,
                progress=ffi.addressof(lib, "py_progress"), ctx=watch.ctx)
    if path is not None:
        _write(page, path, spec, watch)
        return None
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "page.html")
        _write(page, name, spec, watch)
        with open(name, encoding="utf-8") as text:
            return Page(text.read())


def _write(page: Any, path: Any, spec: Spec, watch: Watch) -> None:
    err = new_error()
    status = watch.run(lib.peck_page_write, page, encoded(path), spec.p, err)
    watch.raise_failure()
    check(status, err)


def _add(page: Any, name: str, given: Any) -> None:
    """What is known of a run: models and reports; several of a kind are folds, from 1."""
    items = given if isinstance(given, (list, tuple)) else [given]
    models = [m for m in (getattr(i, "model_", i) for i in items) if isinstance(m, Model)]
    reports = [r for r in items if isinstance(r, Report)]
    if len(models) + len(reports) != len(items):
        raise TypeError(f"run '{name}': give fitted rankers, models and reports")
    for pointers, add in (([m._ptr for m in models], lib.peck_page_add_model),
                          ([r._ptr for r in reports], lib.peck_page_add_report)):
        for number, pointer in enumerate(pointers, 1):
            err = new_error()
            fold = number if len(pointers) > 1 else 0
            check(add(page, encoded(name), fold, pointer, err), err)
