"""Runs: motions in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _galilei
from .kept import KeptRun, Origin
from .optional import needed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Event", "Events", "Impact", "Mode", "Run"]

_ENTRIES = "xx xy xz yx yy yz zx zy zz"


class Event(NamedTuple):
    """A zero crossing."""

    name: str
    time: float
    x: Array
    u: Array


class Impact(NamedTuple):
    """A jump of the velocities: at a contact, or by an ``impact`` statement."""

    name: str
    time: float
    before: Array
    """The velocities before it."""
    after: Array
    """The velocities after it."""
    impulse: Array | None
    """The normal impulse, then those of friction; None for an ``impact`` statement."""
    loss: float
    """The energy that is lost in it."""


class Mode(NamedTuple):
    """A mode of contact and friction, from a time until that of the next mode."""

    time: float
    closed: list[str]
    """The closed contacts."""
    sticking: list[str]
    """The friction elements and contacts that stick."""


class Events:
    """The events of a run in their order, as arrays: ``events.t``, ``events.x``, ``events.u``,
    ``events.names``. ``events["landing"]`` are those of one name, ``events[0]`` is the first."""

    def __init__(self, names: list[str], rows: Array) -> None:
        self.names = names
        size = (rows.shape[1] - 1) // 2
        self._rows = rows
        self.t: Array = rows[:, 0]
        self.x: Array = rows[:, 1 : 1 + size]
        self.u: Array = rows[:, 1 + size :]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Event]:
        return (self._event(k) for k in range(len(self)))

    def _event(self, k: int) -> Event:
        return Event(self.names[k], float(self.t[k]), self.x[k], self.u[k])

    def __getitem__(self, which: int | str) -> Any:
        if isinstance(which, str):
            places = [k for k, name in enumerate(self.names) if name == which]
            return Events([which] * len(places), self._rows[places])
        return self._event(range(len(self))[which])

    def __repr__(self) -> str:
        return "\n".join(f"{e.name} at t = {e.time!r}" for e in self) or "no events"


class Run:
    """A motion. ``t``, ``x``, ``u`` and ``run["name"]`` are views of one array, ``rows``, without
    copies: a row for each recorded state, with t, x, u, outputs.

    Without ``every`` the recorded states are the ends of the steps of the method, which may be
    few; ``run(t)`` gives the motion at any time.

    A run can be pickled and copied. A copy has all arrays; ``copy(t)`` repeats the run when it is
    first called, because machine code does not travel.
    """

    def __init__(self, run: _galilei.Run | KeptRun, origin: Origin | None = None) -> None:
        self._run: _galilei.Run | KeptRun = run
        self._origin = origin
        self.coordinates: tuple[str, ...] = tuple(run.coordinates)
        self.rows: Array = run.rows
        names = [*self.coordinates, *(f"{c}'" for c in self.coordinates)]
        self._columns = {"t": 0, **{n: k for k, n in enumerate(names, 1)}}
        self._outputs = {n: k for k, n in enumerate(run.output_names, 1 + len(names))}

    def __getstate__(self) -> dict[str, Any]:
        # The rows are those of the kept run: one array, not two.
        entries = {k: v for k, v in self.__dict__.items() if k != "rows"}
        return entries | {"_run": KeptRun(self._run, self._origin)}

    def __setstate__(self, entries: dict[str, Any]) -> None:
        self.__dict__.update(entries)
        self.rows = self._run.rows

    @property
    def t(self) -> Array:
        """The times of the recorded states."""
        return self.rows[:, 0]

    @property
    def x(self) -> Array:
        """The positions: a row for each time, a column for each coordinate."""
        return self.rows[:, 1 : 1 + len(self.coordinates)]

    @property
    def u(self) -> Array:
        """The velocities: a row for each time, a column for each coordinate."""
        n = len(self.coordinates)
        return self.rows[:, 1 + n : 1 + 2 * n]

    @property
    def outputs(self) -> Mapping[str, Array]:
        """The outputs of the model, by name."""
        return {name: self.rows[:, k] for name, k in self._outputs.items()}

    def __getitem__(self, name: str) -> Array:
        """A coordinate, a velocity (``"theta'"``), an output or ``"t"``; a point of a manifold as unit
        vectors in rows, or as one matrix for each state.

        >>> import galilei
        >>> model = galilei.parse("coord n on sphere\\nparticle: mass 1 at n\\n"
        ...                       "initial n = (0, 0, 1), n' = (1, 0, 0)\\nsimulate to 10 every 1")
        >>> model.simulate()["n"].shape
        (11, 3)
        """
        place = self._columns.get(name, self._outputs.get(name))
        if place is None:
            point = self._point(name)
            if point is not None:
                return point
            known = ", ".join([*self._columns, *self._outputs])
            raise KeyError(f"{name}: there are {known}")
        return self.rows[:, place]

    def _point(self, name: str) -> Array | None:
        """The components of a point of a manifold, stacked."""
        import numpy as np

        for axes, shape in (("x y z", (3,)), ("x y", (2,)), (_ENTRIES, (3, 3))):
            places = [self._outputs.get(f"{name}.{axis}") for axis in axes.split()]
            if all(place is not None for place in places):
                return np.stack([self.rows[:, k] for k in places], axis=-1).reshape(-1, *shape)
        return None

    @property
    def chart(self) -> NDArray[np.str_] | None:
        """The name of the chart in which each recorded state was computed; None without an atlas.

        ``x`` and ``u`` are those of the first chart, not numbers where it is not regular.
        """
        import numpy as np

        names = self._run.chart_names
        if not names:
            return None
        return np.array([names[k] for k in self._run.row_charts], dtype=np.str_)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def events(self) -> Events:
        """The events, in their order."""
        names = self._run.event_names
        return Events([names[k] for k in self._run.event_numbers], self._run.event_rows)

    @property
    def impacts(self) -> list[Impact]:
        """The jumps of velocities in their order; empty without contacts and impacts.

        >>> import galilei
        >>> ball = galilei.parse("coord y\\nkinetic: y'^2/2\\npotential: 9.81*y\\n"
        ...                      "contact floor: y >= 0 restitution 0.5\\ninitial y = 1\\n"
        ...                      "simulate to 1")
        >>> [(i.name, round(i.time, 3), round(float(i.after[0]), 3)) for i in ball.simulate().impacts]
        [('floor', 0.452, 2.215), ('floor', 0.903, 1.107)]
        """
        return [Impact(*entry) for entry in self._run.impacts]

    @property
    def modes(self) -> list[Mode]:
        """The modes of contact and friction, from the start on; empty without contacts and friction."""
        return [Mode(*entry) for entry in self._run.modes]

    @property
    def impact_losses(self) -> dict[str, float]:
        """The energy lost in impacts, by name."""
        losses: dict[str, float] = {}
        for impact in self.impacts:
            losses[impact.name] = losses.get(impact.name, 0.0) + impact.loss
        return losses

    @property
    def stats(self) -> dict[str, Any]:
        """Cost and accuracy of the run: method, tolerance, steps, evaluations,
        energy balance, residual of the constraints, seconds."""
        return self._run.stats

    @property
    def status(self) -> str:
        """``finished``, ``event`` or ``failed``."""
        return self._run.status

    @property
    def time(self) -> float:
        """The time at which the run ended."""
        return self._run.time

    @property
    def state(self) -> Array:
        """x, then u, at the end."""
        return self._run.state

    @property
    def momentum(self) -> Array | None:
        """The discrete momenta at the end, of variational methods; of others None."""
        return self._run.momentum

    def __call__(self, t: ArrayLike) -> Array:
        """x, then u, at one time, or at several in rows, to the tolerance of the run: the motion is
        continued from the start of each step by its Taylor series.

        >>> import galilei
        >>> run = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: x^2/2\\ninitial x = 1\\n"
        ...                     "simulate to 10").simulate()
        >>> from math import cos
        >>> bool(abs(run(1.5)[0] - cos(1.5)) < 1e-12)
        True
        >>> run([1, 2, 3]).shape
        (3, 2)
        """
        import numpy as np

        times = np.asarray(t, dtype=np.float64)
        states = self._run.at(np.ascontiguousarray(times.reshape(-1)))
        return states.reshape(*times.shape, -1)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of ``rows``: ``t``, positions, velocities, outputs."""
        return (*self._columns, *self._outputs)

    def to_pandas(self) -> Any:
        """The recorded states as a data frame over time."""
        pd = needed("pandas", "Run.to_pandas")
        return pd.DataFrame(self.rows, columns=list(self.names), copy=False).set_index("t")

    def to_xarray(self) -> Any:
        """The recorded states as a dataset over time; statistics of the run are its attributes.

        >>> import galilei
        >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\ninitial x' = 1")
        >>> m.simulate(to=1, every=0.25).to_xarray()["x"].sel(t=0.5).item()
        0.5
        """
        xr = needed("xarray", "Run.to_xarray")
        columns = {name: ("t", self[name]) for name in self.names if name != "t"}
        said = {k: v for k, v in self.stats.items() if v is not None}
        return xr.Dataset(columns, coords={"t": self.t}, attrs=said | {"status": self.status})

    def to_arrow(self) -> Any:
        """The recorded states as a table of Apache Arrow."""
        pa = needed("pyarrow", "Run.to_arrow")
        return pa.table({name: self[name] for name in self.names})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The recorded states for any library that reads Arrow's streams, such as Polars or DuckDB."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, *names: str, ax: Any = None, points: int = 1000) -> Any:
        """Draws coordinates, velocities or outputs over time with Matplotlib; without names, the
        coordinates. Outputs are drawn where they were recorded, everything else densely."""
        from .plotting import plot

        return plot(self, names or self.coordinates, ax, points)

    def __repr__(self) -> str:
        s = self.stats
        return (
            f"run to t = {self.time!r}, {self.status}: {len(self)} states of "
            f"{', '.join(self.coordinates)}; {s['method']}, {s['steps']} steps, "
            f"energy balance {s['energy_balance']:.1e}"
        )

    def _repr_html_(self) -> str:
        from .display import run

        return run(self)
