"""Motions between given ends."""

from __future__ import annotations

from typing import NamedTuple

from . import _galilei
from .run import Run

__all__ = ["ConjugatePoint", "StationaryMotion", "StationaryMotions"]


class ConjugatePoint(NamedTuple):
    """An instant at which nearby motions from the same start meet again."""

    time: float
    #: In how many independent directions.
    multiplicity: int


class StationaryMotion(Run):
    """A motion between the ends: a run, by Taylor series, from the start of the curve of
    stationary action. Without ``every`` it has 201 recorded states; a terminal event ends it before the end."""

    def __init__(self, found: _galilei.Stationary, place: int) -> None:
        super().__init__(found.runs[place])
        #: The value of the functional, from the earlier end to the later one.
        self.action: float = found.actions[place]
        #: In how many independent directions the action falls (Morse's index); ``None`` where that is
        #: not determined, and under forces, where the action is not stationary.
        self.index: int | None = found.indices[place]
        points = found.conjugate_points[place]
        #: What is conjugate to the start, before the end; ``None`` where the start is not held, and
        #: under constraints.
        self.conjugate_points: tuple[ConjugatePoint, ...] | None = (
            None if points is None else tuple(ConjugatePoint(*p) for p in points)
        )
        #: How far the curve is from a motion.
        self.residual: float = found.residuals[place]
        #: How far the run ends from the curve; infinite if it did not come to the end.
        self.closure: float = found.closures[place]
        #: How many pieces the curve has.
        self.elements: int = found.elements[place]
        self._forced: bool = found.forced

    @property
    def minimum(self) -> bool | None:
        """Whether the action is a minimum; ``None`` where that is not determined, and under forces."""
        return None if self.index is None else self.index == 0

    def __repr__(self) -> str:
        unknown = "not stationary under these forces" if self._forced else "index not determined"
        kinds = {None: unknown, 0: "a minimum"}
        kind = kinds.get(self.index, f"no minimum: index {self.index}")
        return f"action {self.action!r}, {kind}; {super().__repr__()}"


class StationaryMotions(list[StationaryMotion]):
    """The motions that were found, by their action."""

    def __init__(self, found: _galilei.Stationary) -> None:
        super().__init__(StationaryMotion(found, place) for place in range(len(found.runs)))
        #: From how many curves it was tried.
        self.starts: int = found.starts
        #: Why tries led to no motion.
        self.unsolved: tuple[str, ...] = tuple(found.unsolved)
        #: Whether there are forces without a potential: then the virtual work vanishes, and they have
        #: no part in the action.
        self.forced: bool = found.forced
        #: How far a curve may be from a motion.
        self.tolerance: float = found.tolerance

    def __repr__(self) -> str:
        count = "1 motion" if len(self) == 1 else f"{len(self)} motions"
        return "\n".join([f"{count} from {self.starts} curves", *map(repr, self)])
