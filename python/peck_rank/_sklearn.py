"""scikit-learn's base class where it is installed, and as much of it as a ranker needs where not."""
from __future__ import annotations

import inspect
from typing import Any

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError

    HAS_SKLEARN = True
except ImportError:
    from .errors import NotFittedError

    HAS_SKLEARN = False

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name, from the signature of __init__."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            signature = inspect.signature(cls.__init__)
            return sorted(p.name for p in signature.parameters.values()
                          if p.name != "self" and p.kind != p.VAR_KEYWORD)

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def __repr__(self) -> str:
            given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
            return f"{type(self).__name__}({given})"


__all__ = ["BaseEstimator", "HAS_SKLEARN", "NotFittedError"]
