"""Signals for the inputs of a model, from arrays and callables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from . import _galilei

__all__ = ["Signal", "Signals", "driven", "signals"]

#: Values on an even grid over the run, pairs (times, values), rows (t, value), or a function of time.
Signal: TypeAlias = "Callable[[float], float] | Any"

#: Name, times, values, interpolation.
Signals: TypeAlias = "tuple[tuple[str, list[float], list[float], str], ...]"

#: The number of points on which a callable is sampled first, and the largest one.
FIRST_POINTS = 129
MOST_POINTS = 20_000
#: The shortest distance of points, as a part of the run, that is still halved: a jump would be taken for a steep slope.
SHORTEST = 1e-9
#: Places between two points at which the spline is compared with a callable: uneven, so that narrow pulses and waves that
#: repeat between the points are seen.
PROBES = (0.5, 0.137, 0.291, 0.709, 0.863)


def signals(
    inputs: Mapping[str, Signal] | None, interpolation: str, span: tuple[float, float], tolerance: float
) -> Signals:
    """The signals as tables of time."""
    return tuple(
        (name, *_table(name, signal, interpolation, span, tolerance))
        for name, signal in (inputs or {}).items()
    )


def driven(
    model: _galilei.Model,
    inputs: Mapping[str, Signal] | None,
    interpolation: str,
    from_: float | None,
    to: float | None,
    tolerance: float,
) -> tuple[_galilei.Model, Signals]:
    """The compiled model with signals instead of the formulas of inputs, and the signals."""
    if not inputs:
        return model, ()
    start, end = model.span
    start, end = start if from_ is None else from_, end if to is None else to
    if end is None:
        raise ValueError("signals want the end of the run: give `to`, or `simulate to …` in the model")
    made = signals(inputs, interpolation, (float(start), float(end)), tolerance)
    return model.with_signals(list(made)), made


def _table(
    name: str, signal: Signal, interpolation: str, span: tuple[float, float], tolerance: float
) -> tuple[list[float], list[float], str]:
    import numpy as np

    if callable(signal):
        return *_sampled(name, signal, span, tolerance), "cubic"
    times: Any
    values: Any
    if isinstance(signal, tuple) and len(signal) == 2:
        times, values = (np.asarray(a, dtype=float).ravel() for a in signal)
    else:
        array = np.asarray(signal, dtype=float)
        if array.ndim == 2 and array.shape[1] == 2:
            times, values = array[:, 0], array[:, 1]
        elif array.ndim == 1 and len(array) > 1:
            times, values = np.linspace(*span, len(array)), array
        elif array.size == 1:
            times, values = np.array(sorted(span)), np.full(2, float(array.ravel()[0]))
        else:
            raise ValueError(
                f"the input {name} wants values, (times, values), rows (t, value) or a function of time"
            )
    return times.tolist(), values.tolist(), interpolation


def _sampled(
    name: str, f: Callable[[float], float], span: tuple[float, float], tolerance: float
) -> tuple[list[float], list[float]]:
    """Points on which the natural cubic spline of a function is as good as the tolerance."""
    import numpy as np

    low, high = sorted(span)
    times = np.linspace(low, high, FIRST_POINTS)
    values = np.array([float(f(t)) for t in times])
    while True:
        widths = np.diff(times)
        # A column for each place: the first is the middle.
        places = times[:-1, None] + widths[:, None] * np.array(PROBES)
        probed = np.array([[float(f(t)) for t in row] for row in places])
        if not (np.isfinite(values).all() and np.isfinite(probed).all()):
            raise ValueError(f"the input {name} is not a finite number everywhere between {low} and {high}")
        found = _galilei.interpolate(times.tolist(), values.tolist(), "cubic", places.ravel().tolist())
        size = max(np.abs(values).max(), np.abs(probed).max(), 1e-300)
        coarse = (np.abs(np.array(found).reshape(probed.shape) - probed) > tolerance * size).any(axis=1)
        middles, wanted = places[:, 0], probed[:, 0]
        if not coarse.any():
            return times.tolist(), values.tolist()
        if len(times) + int(coarse.sum()) > MOST_POINTS or widths[coarse].min() < SHORTEST * (high - low):
            raise ValueError(
                f"the input {name} is not smooth enough for the tolerance {tolerance:g} with "
                f"{MOST_POINTS} points, near t = {float(times[:-1][coarse][widths[coarse].argmin()]):.6g}: "
                "give it as an array, or a larger input_tolerance"
            )
        order = np.argsort(np.concatenate([times, middles[coarse]]), kind="stable")
        times = np.concatenate([times, middles[coarse]])[order]
        values = np.concatenate([values, wanted[coarse]])[order]
