"""The least final value of an output over parameters and initial values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Minimum"]

#: A step must bring this part of the decrease that the slope promises.
DECREASE = 1e-4
#: The number of times that a step is halved.
HALVINGS = 40


class Minimum(NamedTuple):
    """The least final value of an output that was found."""

    value: float
    """The value."""
    parameters: dict[str, float]
    """The parameters and initial values that were free."""
    gradient: dict[str, float]
    """The derivatives by them: zero, except where a bound is active."""
    iterations: int
    """The number of iterations."""
    converged: bool
    """Whether the gradient vanishes as nearly as was asked for, or pushes against bounds."""


def _descent(
    function: Callable[[Array], tuple[float, Array]],
    start: Sequence[float],
    bounds: Sequence[tuple[float, float]],
    tolerance: float,
    iterations: int,
) -> tuple[Array, float, Array, int, bool]:
    """The method of Broyden, Fletcher, Goldfarb and Shanno, with projection on bounds."""
    import numpy as np

    low, high = (np.array(side, dtype=float) for side in zip(*bounds, strict=True))
    x = np.clip(np.array(start, dtype=float), low, high)
    scale = np.maximum(np.abs(x), np.where(np.isfinite(high - low), (high - low) / 10, 1.0) * (x == 0))
    scale[scale == 0] = 1.0
    value, slope = function(x)
    inverse: Array | None = None
    for k in range(iterations):
        held = ((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0))
        free = ~held
        size = np.abs(slope * scale)[free].max(initial=0.0)
        if size <= tolerance * max(abs(value), tolerance):
            return x, value, slope, k, True
        if inverse is None:
            inverse = np.diag(scale**2) * 0.1 * max(abs(value), size) / size**2
        direction = np.zeros_like(x)
        direction[free] = -inverse[np.ix_(free, free)] @ slope[free]
        if slope @ direction >= 0:
            inverse = None
            continue
        length = 1.0
        for _ in range(HALVINGS):
            trial = np.clip(x + length * direction, low, high)
            try:
                found, there = function(trial)
            except _Refused:
                found, there = np.inf, slope
            if found <= value + DECREASE * (slope @ (trial - x)):
                break
            length /= 2
        else:
            return x, value, slope, k, False
        step, change = trial - x, there - slope
        x, value, slope = trial, found, there
        if step @ change > 1e-12 * np.linalg.norm(step) * np.linalg.norm(change):
            one = np.eye(len(x)) - np.outer(step, change) / (step @ change)
            inverse = one @ inverse @ one.T + np.outer(step, step) / (step @ change)
    return x, value, slope, iterations, False


class _Refused(Exception):
    """A run that is not possible with some values."""


def minimise(
    model: Any,
    of: str,
    free: Sequence[str],
    bounds: Mapping[str, tuple[float, float]],
    tolerance: float,
    iterations: int,
    settings: Mapping[str, Any],
) -> Minimum:
    """Implementation of :meth:`galilei.Model.minimise`."""
    import numpy as np

    from .errors import GalileiError, RunError

    if not free:
        raise ValueError("minimise wants parameters or initial values that are free")
    names = [*model.coordinates, *(f"{c}'" for c in model.coordinates)]
    parameters = [name for name in free if name not in names]
    unknown = [name for name in parameters if name not in model.parameters]
    if unknown:
        raise KeyError(f"{unknown[0]!r} is neither a parameter nor a coordinate or velocity of this model")
    missing = [name for name in bounds if name not in free]
    if missing:
        raise KeyError(f"{missing[0]!r} has bounds, but is not free")
    first = np.asarray(model.initial, dtype=float)
    start = [
        float(model.parameters[name]) if name in parameters else first[names.index(name)] for name in free
    ]

    def evaluate(x: Array) -> tuple[float, Array]:
        given = dict(zip(free, (float(v) for v in x), strict=True))
        at = model.set(**{name: given[name] for name in parameters})
        state = {name: v for name, v in given.items() if name not in parameters}
        near = at.sensitivities(by=parameters, gradient=of, state=state or None, **settings)
        found = near.gradient
        slopes = [
            found.by_parameters[name] if name in parameters else found.by_state[0][names.index(name)]
            for name in free
        ]
        return float(found.value), np.array(slopes)

    begun = False

    def function(x: Array) -> tuple[float, Array]:
        nonlocal begun
        try:
            found = evaluate(x)
        except (GalileiError, RunError) as error:
            # The first run says what is wrong with the request.
            if not begun:
                raise
            raise _Refused from error
        begun = True
        return found

    limits = [bounds.get(name, (-np.inf, np.inf)) for name in free]
    x, value, slope, count, converged = _descent(function, start, limits, tolerance, iterations)
    return Minimum(
        value,
        dict(zip(free, x.tolist(), strict=True)),
        dict(zip(free, slope.tolist(), strict=True)),
        count,
        converged,
    )
