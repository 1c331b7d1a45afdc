"""Many runs of one model, over initial values and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _galilei
from .expression import ExprLike, as_expr

if TYPE_CHECKING:
    from .run import Array

__all__ = ["Sweep"]

#: What is varied: by name, or as the command has it.
Axes = Mapping[Any, Any] | str | None


def ranges(axes: Axes) -> list[str]:
    """Axes between two numbers: ``{"m": (0.9, 1.1)}`` or ``"m in 0.9..1.1"``."""

    def axis(pair: tuple[ExprLike, ExprLike]) -> str:
        low, high = pair
        return f"{as_expr(low)}..{as_expr(high)}"

    return _axes(axes, axis)


def values(axes: Axes) -> list[str]:
    """Axes of given values: ``{"m": [1, 2, 5]}`` or ``"m in [1, 2, 5]"``."""

    def axis(list_: Iterable[ExprLike]) -> str:
        return "[" + ", ".join(as_expr(v).text for v in list_) + "]"

    return _axes(axes, axis)


def _axes(axes: Axes, write: Any) -> list[str]:
    if not axes:
        return []
    if isinstance(axes, str):
        return [axes]
    return [f"{as_expr(name)} in {write(value)}" for name, value in axes.items()]


class Sweep:
    """The ends of many runs: ``sweep["x"]`` is a column of ``rows``, without copies. Columns are the
    number of the run, what is varied (``x(0)`` for initial values), status (0 finished, 1 ended by an
    event, 2 failed), t, positions, velocities and outputs at the end, steps, energy balance and, with
    constraints, their residual."""

    def __init__(self, sweep: _galilei.Sweep) -> None:
        self._sweep = sweep
        self.columns: tuple[str, ...] = tuple(sweep.columns)
        self.rows: Array = sweep.rows

    def __getitem__(self, name: str) -> Array:
        """A column."""
        if name not in self.columns:
            raise KeyError(f"{name}: there are {', '.join(self.columns)}")
        return self.rows[:, self.columns.index(name)]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def failed(self) -> int:
        """How many runs failed on their way; their rows say how far they came."""
        return int((self.rows[:, self._sweep.status_column] == 2).sum())

    @property
    def events(self) -> dict[str, Array]:
        """The events of all runs, by name: rows of run, t, positions, velocities."""
        rows = self._sweep.events
        kept = [0, *range(2, rows.shape[1])]
        names = enumerate(self._sweep.event_names)
        return {name: rows[rows[:, 1] == k][:, kept] for k, name in names}

    @property
    def stats(self) -> dict[str, Any]:
        """Method, tolerance, lanes, threads, seconds."""
        return self._sweep.stats

    def to_pandas(self) -> Any:
        """The rows as a data frame over the number of the run."""
        import pandas as pd

        frame = pd.DataFrame(self.rows, columns=list(self.columns), copy=False)
        return frame.astype({"run": int, "status": int, "steps": int}).set_index("run")

    def __repr__(self) -> str:
        return f"sweep of {len(self)} runs, {self.failed} failed: {', '.join(self.columns)}"
