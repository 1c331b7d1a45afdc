"""Values at a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Evaluation"]


class Evaluation(Mapping[str, Any]):
    """Every quantity at one state, by its name in the JSON document, as numbers and arrays; also as
    attributes."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        import numpy as np

        def plain(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {name: plain(v) for name, v in value.items()}
            if isinstance(value, list) and not any(isinstance(v, str) for v in value):
                return np.array(value, dtype=np.float64)
            return value

        self._values = {name: plain(value) for name, value in document.items()}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {value}" for name, value in self._values.items())
