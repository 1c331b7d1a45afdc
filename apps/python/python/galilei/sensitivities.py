"""Sensitivities of a run: derivatives of a motion with respect to its start and to parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _galilei
from .kept import KeptSensitivities
from .optional import needed
from .run import Run

if TYPE_CHECKING:
    from .run import Array

__all__ = ["Gradient", "Neighbours", "Sensitivities"]


class Gradient(NamedTuple):
    """The derivatives of a final value with respect to earlier states: the adjoint (T-102)."""

    of: str
    value: float
    t: Array
    #: A row for each time: by x, then by u.
    by_state: Array
    by_parameters: dict[str, float]


class Sensitivities:
    """A run with its derivatives with respect to its start and to parameters."""

    def __init__(self, found: _galilei.Sensitivities) -> None:
        self._found: _galilei.Sensitivities | KeptSensitivities = found
        self.run = Run(found.run)
        #: The parameters by which the motion was differentiated.
        self.parameters: tuple[str, ...] = tuple(found.parameters)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_found": KeptSensitivities(self._found)}

    @property
    def transition(self) -> Array:
        """The derivatives of the final x and u with respect to the initial ones, a row for each component."""
        return self._found.transition

    @property
    def canonical(self) -> Array | None:
        """The state-transition matrix in x and p; ``None`` where the Legendre map is singular."""
        return self._found.canonical

    @property
    def symplectic_defect(self) -> float | None:
        """The deviation of the canonical transition from a symplectic matrix: zero for Hamiltonian systems."""
        return self._found.symplectic_defect

    @property
    def sensitivities(self) -> dict[str, Array]:
        """For each parameter the derivatives of x and u at the end."""
        return dict(zip(self.parameters, self._found.sensitivities, strict=True))

    @property
    def along(self) -> Array:
        """The derivatives at every recorded state: by state, component, direction; directions are the
        components of the start, then the parameters."""
        size = len(self.transition)
        return self._found.rows.reshape(-1, size, size + len(self.parameters))

    @property
    def gradient(self) -> Gradient | None:
        """The adjoint, if requested."""
        import numpy as np

        if self._found.gradient is None:
            return None
        of, value, times, rows, parameters = self._found.gradient
        by = dict(zip(self.parameters, parameters, strict=True))
        return Gradient(of, value, np.array(times), rows, by)

    def to_xarray(self) -> Any:
        """The derivatives along the run, over time, component and direction."""
        xr = needed("xarray", "Sensitivities.to_xarray")
        names = [*self.run.coordinates, *(f"{c}'" for c in self.run.coordinates)]
        directions = [*(f"{n}(0)" for n in names), *self.parameters]
        along = xr.DataArray(
            self.along,
            dims=("t", "component", "direction"),
            coords={"t": self.run.t, "component": names, "direction": directions},
        )
        return xr.Dataset({"derivative": along})

    def __repr__(self) -> str:
        return f"sensitivities of a {self.run!r}"


#: The earlier name of :class:`Sensitivities`.
Neighbours = Sensitivities
