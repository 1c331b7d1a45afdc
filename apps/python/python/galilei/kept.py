"""Runs and sensitivities as plain data, for pickling and copying.

The compiled part holds machine code, which does not travel. Its results do, as arrays; the motion
between recorded states is computed again, from the same request, when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _galilei

if TYPE_CHECKING:
    from .run import Array
    from .signals import Signals

__all__ = ["KeptRun", "KeptSensitivities", "Origin"]


class Origin(NamedTuple):
    """The request that a run answered: the model as text, and the settings of the run."""

    source: str
    name: str
    set: tuple[str, ...]
    state: str
    span: dict[str, Any]
    signals: Signals = ()

    def repeat(self) -> _galilei.Run:
        """The run once more, with its dense output."""
        model = _galilei.Model(self.source, self.name, list(self.set))
        if self.signals:
            model = model.with_signals(list(self.signals))
        run, _ = model.simulate(self.state, self.span, True)
        return run


_RUN = (
    "rows", "coordinates", "output_names", "event_names", "status", "reason", "time", "state",
    "momentum", "outputs", "event_numbers", "event_rows", "stats", "ends", "chart_names",
    "row_charts", "impacts", "modes",
)  # fmt: skip


class KeptRun:
    """What a run of the compiled part says, without it."""

    rows: Array
    coordinates: list[str]
    output_names: list[str]
    event_names: list[str]
    chart_names: list[str]
    row_charts: list[int]
    status: str
    reason: str | None
    time: float
    state: Array
    momentum: Array | None
    outputs: list[float]
    event_numbers: Any
    event_rows: Array
    impacts: list[tuple[Any, ...]]
    modes: list[tuple[float, list[str], list[str]]]
    stats: dict[str, Any]
    ends: tuple[float, float] | None

    def __init__(self, run: _galilei.Run | KeptRun, origin: Origin | None) -> None:
        for name in _RUN:
            setattr(self, name, getattr(run, name))
        self.origin = origin
        self._repeated: _galilei.Run | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_repeated": None}

    def at(self, times: Array) -> Array:
        """The states at some times, a row for each."""
        if self.ends is None:
            raise ValueError("the run kept no dense output")
        if self.origin is None:
            raise ValueError(
                "a motion between given ends that was pickled or copied has its recorded states only: "
                "give `every` for more of them"
            )
        if self._repeated is None:
            self._repeated = self.origin.repeat()
        return self._repeated.at(times)


class KeptSensitivities:
    """What sensitivities of the compiled part say, without it."""

    run: KeptRun
    parameters: list[str]
    transition: Array
    canonical: Array | None
    symplectic_defect: float | None
    sensitivities: Array
    rows: Array
    gradient: Any

    def __init__(self, found: _galilei.Sensitivities | KeptSensitivities) -> None:
        self.run = KeptRun(found.run, None)
        self.parameters = found.parameters
        self.transition = found.transition
        self.canonical = found.canonical
        self.symplectic_defect = found.symplectic_defect
        self.sensitivities = found.sensitivities
        self.rows = found.rows
        self.gradient = found.gradient
