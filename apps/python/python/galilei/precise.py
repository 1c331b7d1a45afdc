"""Runs in more digits than doubles have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _galilei

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["PreciseEvent", "PreciseRun"]


class PreciseEvent(NamedTuple):
    """A zero crossing in many digits."""

    name: str
    time: Decimal
    x: list[Decimal]
    u: list[Decimal]


def _decimal(text: str) -> Decimal:
    from decimal import Decimal

    return Decimal(text)


def _decimals(texts: list[str]) -> list[Decimal]:
    return [_decimal(text) for text in texts]


class PreciseRun:
    """A motion in 106 or 212 bits. Its numbers are :class:`decimal.Decimal` with all digits;
    ``float(x)`` is the nearest double, and ``mpmath.mpf(str(x))`` a number of mpmath.

    ``rows`` has a row for each recorded state with t, x, u, outputs, and ``run["name"]`` is a column;
    an output without a value is None. ``run(t)`` gives the motion at any time.
    """

    def __init__(self, run: _galilei.PreciseRun) -> None:
        self._run = run
        #: The names of the columns of ``rows``: ``t``, positions, velocities, outputs.
        self.names: tuple[str, ...] = tuple(run.names)
        self.coordinates: tuple[str, ...] = tuple(run.coordinates)
        self.rows: list[list[Decimal | None]] = [
            [None if text is None else _decimal(text) for text in row] for row in run.rows
        ]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> list[Decimal | None]:
        """A coordinate, a velocity (``"theta'"``), an output or ``"t"``."""
        if name not in self.names:
            raise KeyError(f"{name}: there are {', '.join(self.names)}")
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    @property
    def status(self) -> str:
        """``finished``, ``event`` or ``failed``."""
        return self._run.status

    @property
    def time(self) -> Decimal:
        """The time at which the run ended."""
        return _decimal(self._run.time)

    @property
    def state(self) -> list[Decimal]:
        """x, then u, at the end."""
        return _decimals(self._run.state)

    @property
    def events(self) -> list[PreciseEvent]:
        """The events, in their order."""
        n = len(self.coordinates)
        return [
            PreciseEvent(name, _decimal(time), _decimals(state[:n]), _decimals(state[n:]))
            for name, time, state in self._run.events
        ]

    @property
    def stats(self) -> dict[str, Any]:
        """Cost and accuracy of the run: precision in bits, tolerance, order, steps, energy balance,
        residual of the constraints, seconds."""
        return self._run.stats

    def __call__(self, t: Decimal | float | str) -> list[Decimal]:
        """x, then u, at a time: a decimal, a text of digits, or a double, taken as the shortest decimal
        that reads as it."""
        return _decimals(self._run.at(str(t)))

    def __repr__(self) -> str:
        s = self.stats
        return (
            f"run to t = {self.time}, {self.status}: {len(self)} states of "
            f"{', '.join(self.coordinates)} in {s['precision']} bits; {s['steps']} steps of order "
            f"{s['order']}, energy balance {s['energy_balance']:.1e}"
        )
