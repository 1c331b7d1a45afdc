"""Many runs of one model, over initial values and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _galilei
from .expression import ExprLike, as_expr
from .optional import needed
from .request import State, integer, span, state_text

if TYPE_CHECKING:
    from .run import Array

__all__ = ["Sweep"]

#: What is varied: by name, or as the command has it.
Axes = Mapping[Any, Any] | str | None


def ranges(axes: Axes) -> list[str]:
    """Axes between two numbers: ``{"m": (0.9, 1.1)}`` or ``"m in 0.9..1.1"``."""

    def axis(pair: tuple[ExprLike, ExprLike]) -> str:
        try:
            low, high = pair
        except (TypeError, ValueError):
            raise TypeError(f"vary takes pairs of numbers such as (0.9, 1.1), not {pair!r}") from None
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


def request(
    *,
    sample: int | None = None,
    seed: int = 1,
    vary: Axes = None,
    grid: Axes = None,
    shard: tuple[int, int] | None = None,
    threads: int | None = None,
    to: float | None = None,
    from_: float | None = None,
    method: str | None = None,
    tolerance: float | None = None,
    step: float | None = None,
    project: bool = False,
    state: State = None,
    lyapunov: int | None = None,
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The request to the compiled part: a start, a span and the axes, as texts and numbers."""
    axes = {
        "sample": integer("sample", sample),
        "seed": integer("seed", seed),
        "vary": ranges(vary),
        "grid": values(grid),
        "shard": _pair(shard),
        "threads": integer("threads", threads),
        "lyapunov": integer("lyapunov", lyapunov),
    }
    run = span(to, from_, method=method, tolerance=tolerance, step=step, project=project)
    return state_text(state), run, axes


def _pair(shard: Any) -> tuple[int | None, int | None] | None:
    if shard is None:
        return None
    try:
        which, of = shard
    except (TypeError, ValueError):
        raise TypeError(f"shard is a pair of numbers such as (1, 4), not {shard!r}") from None
    return integer("shard", which), integer("shard", of)


class Sweep:
    """The ends of many runs: ``sweep["x"]`` is a column of ``rows``, without copies. Columns are the
    number of the run, the varied quantities (``x(0)`` for initial values), status (0 finished, 1 ended by an
    event, 2 failed), t, positions, velocities and outputs at the end, steps, energy balance, with
    constraints their residual, and ``lyapunov[1]`` with ``lyapunov_error[1]`` and so on if asked for."""

    def __init__(
        self,
        columns: Sequence[str],
        rows: Array,
        total: int,
        event_names: Sequence[str],
        event_rows: Array,
        stats: Mapping[str, Any],
    ) -> None:
        self.columns: tuple[str, ...] = tuple(columns)
        self.rows = rows
        #: How many runs there are with those of all other shards.
        self.total = total
        #: Method, tolerance, lanes, threads, seconds.
        self.stats: dict[str, Any] = dict(stats)
        self._event_names = tuple(event_names)
        self._event_rows = event_rows

    @classmethod
    def of(cls, sweep: _galilei.Sweep) -> Sweep:
        """The results of the compiled part."""
        return cls(
            sweep.columns, sweep.rows, sweep.total, sweep.event_names, sweep.events, sweep.stats
        )

    @classmethod
    def union(cls, shards: Sequence[Sweep]) -> Sweep:
        """One sweep of its shards, in their order. Their seconds are added up.

        >>> import galilei
        >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\ninitial x' = 1")
        >>> asked = {"sample": 1000, "vary": {"x": (0, 1)}, "to": 1}
        >>> shards = [m.sweep(shard=(k, 3), **asked) for k in (1, 2, 3)]
        >>> [len(s) for s in shards]
        [333, 333, 334]
        >>> bool((galilei.Sweep.union(shards).rows == m.sweep(**asked).rows).all())
        True
        """
        import numpy as np

        first = shards[0]
        if any((s.columns, s.total) != (first.columns, first.total) for s in shards):
            raise ValueError("these are shards of different sweeps")
        rows = np.concatenate([s.rows for s in shards])
        if not np.array_equal(rows[:, 0], np.arange(first.total)):
            raise ValueError("these are not all shards of a sweep, each once and in their order")
        seconds = ("compile_seconds", "integrate_seconds")
        stats = first.stats | {name: sum(s.stats[name] for s in shards) for name in seconds}
        events = np.concatenate([s._event_rows for s in shards])
        return cls(first.columns, rows, first.total, first._event_names, events, stats)

    def __getitem__(self, name: str) -> Array:
        """A column."""
        if name not in self.columns:
            raise KeyError(f"{name}: there are {', '.join(self.columns)}")
        return self.rows[:, self.columns.index(name)]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def failed(self) -> int:
        """The number of failed runs; their rows contain the last state that was reached."""
        return int((self["status"] == 2).sum())

    @property
    def events(self) -> dict[str, Array]:
        """The events of all runs, by name: rows of run, t, positions, velocities."""
        rows = self._event_rows
        kept = [0, *range(2, rows.shape[1])]
        names = enumerate(self._event_names)
        return {name: rows[rows[:, 1] == k][:, kept] for k, name in names}

    def plot(self, x: str, y: str, colour: str | None = None, ax: Any = None) -> Any:
        """Draws two columns against each other, with Matplotlib, coloured by a third; the axes. A map of
        chaos over two initial values ``a`` and ``b`` is ``plot("a(0)", "b(0)", "lyapunov[1]")``."""
        import matplotlib.pyplot as plt

        if ax is None:
            ax = plt.figure().add_subplot()
        values = None if colour is None else self[colour]
        dots = ax.scatter(self[x], self[y], c=values, s=4, marker="s", linewidths=0)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        if colour is not None:
            ax.figure.colorbar(dots, ax=ax, label=colour)
        return ax

    def to_pandas(self) -> Any:
        """The rows as a data frame over the number of the run."""
        pd = needed("pandas", "Sweep.to_pandas")
        frame = pd.DataFrame(self.rows, columns=list(self.columns), copy=False)
        return frame.astype({"run": int, "status": int, "steps": int}).set_index("run")

    def _column(self, name: str) -> Any:
        whole = name in ("run", "status", "steps")
        return self[name].astype(int) if whole else self[name]

    def to_xarray(self) -> Any:
        """The rows as a dataset over the number of the run."""
        xr = needed("xarray", "Sweep.to_xarray")
        columns = {name: ("run", self._column(name)) for name in self.columns if name != "run"}
        return xr.Dataset(columns, coords={"run": self._column("run")})

    def to_arrow(self) -> Any:
        """The rows as a table of Apache Arrow."""
        pa = needed("pyarrow", "Sweep.to_arrow")
        return pa.table({name: self._column(name) for name in self.columns})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows for any library that reads Arrow's streams, such as Polars or DuckDB."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        of = "" if len(self) == self.total else f" of {self.total}"
        return f"sweep of {len(self)}{of} runs, {self.failed} failed: {', '.join(self.columns)}"
