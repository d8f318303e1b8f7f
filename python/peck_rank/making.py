"""Data made to order."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Optional, Union

from ._c import ffi, lib
from ._call import Spec
from .catalogue import generators, unknown, written
from .dataset import Dataset
from .errors import check, new_error
from .watch import Watch


def generate(kind: str, path: Union[None, str, "os.PathLike[str]"] = None, *, seed: int = 1,
             format: Optional[str] = None, progress: Any = None,
             **settings: Any) -> Optional[Dataset]:
    """A synthetic data set, as `peck generate` makes it: to a file, or without one as a Dataset.

    >>> from peck_rank import generate
    >>> generate("web", queries=5, dim=6, seed=3).n_queries
    5
    """
    known = generators()
    if kind not in known:
        raise ValueError(unknown("there is no generator", kind, known))
    for key in settings:
        if key not in known[kind].settings:
            raise TypeError(unknown(f"{kind} has no setting", key, known[kind].settings))
    if path is None:
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "made.peckdata")
            generate(kind, name, seed=seed, progress=progress, **settings)
            return Dataset.read(name)
    watch, err = Watch(progress), new_error()
    spec = Spec("peck_generate_spec", kind=kind, seed=seed, path=path, format=format,
                settings=[f"{key}={written(value)}" for key, value in settings.items()],
                progress=ffi.addressof(lib, "py_progress"), ctx=watch.ctx)
    status = watch.run(lib.peck_generate, spec.p, err)
    watch.raise_failure()
    check(status, err)
    return None
