"""scikit-learn's base class, from when somebody has imported it, and as much of it as a ranker
needs before.

Importing it takes longer than many a training, and more memory than many a dataset: who does not
use it need not wait for it.
"""
from __future__ import annotations

import inspect
import sys
from typing import Any


def adopt(cls: type) -> None:
    """Puts cls, which stands on Estimator, on BaseEstimator too, where that has been imported."""
    base = getattr(sys.modules.get("sklearn.base"), "BaseEstimator", None)
    if base is not None and not issubclass(cls, base):
        cls.__bases__ = (*cls.__bases__, base)
        super(cls, cls).__init_subclass__()  # type: ignore[arg-type]  # sets requests up


class Estimator:
    """Parameters by name, from the signature of __init__."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        signature = inspect.signature(cls.__init__)
        return sorted(p.name for p in signature.parameters.values()
                      if p.name != "self" and p.kind != p.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._get_param_names()}

    def __repr__(self) -> str:
        usual = inspect.signature(type(self).__init__).parameters
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items()
                          if name not in usual or value != usual[name].default)
        return f"{type(self).__name__}({given})"

    def __getattr__(self, name: str) -> Any:
        """What BaseEstimator has and this has not, where it was imported after the ranker was
        made; who requests metadata means it, imported or not."""
        if name == "get_metadata_routing" or (name[:4], name[-8:]) == ("set_", "_request"):
            try:
                import sklearn.base  # noqa: F401
            except ImportError:
                pass
        adopt(next(one for one in type(self).__mro__ if Estimator in one.__bases__))
        return object.__getattribute__(self, name)  # or its own AttributeError


def not_fitted(text: str) -> Exception:
    """scikit-learn's NotFittedError, or one of the same kind."""
    base = sys.modules.get("sklearn.exceptions")
    if base is not None:
        return base.NotFittedError(text)  # type: ignore[no-any-return]
    from .errors import NotFittedError

    return NotFittedError(text)
