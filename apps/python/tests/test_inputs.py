"""Signals from arrays and functions of time, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import galilei

CART = "coord x\nkinetic: x'^2/2\ninput u\nforce: x = u\nsimulate to 4\n"


def end(**settings: Any) -> tuple[float, float]:
    run = galilei.parse(CART).simulate(**settings)
    return float(run.x[-1, 0]), float(run["x'"][-1])


@pytest.mark.parametrize("method", ["taylor", "dop853", "radau"])
def test_functions_of_time_are_sampled_to_a_tolerance(method: str) -> None:
    x, v = end(inputs={"u": lambda t: np.sin(3 * t)}, method=method)
    assert abs(v - (1 - np.cos(12)) / 3) < 1e-8
    assert abs(x - (4 / 3 - np.sin(12) / 9)) < 1e-8
    # The tolerance of the samples is that of the impulse.
    for tolerance in (1e-4, 1e-7):
        _, v = end(inputs={"u": lambda t: np.exp(t)}, input_tolerance=tolerance)
        assert abs(v - np.expm1(4)) < 4 * tolerance * np.exp(4)


def test_narrow_pulses_are_seen() -> None:
    # The width is a fiftieth of the distance of the ends; the impulse is √π·s.
    for at in (0.7, 1.931, 3.3):
        for s in (0.1, 0.02):
            _, v = end(inputs={"u": lambda t, at=at, s=s: np.exp(-(((t - at) / s) ** 2))})
            assert abs(v - np.sqrt(np.pi) * s) < 1e-8


def test_functions_with_jumps_are_refused() -> None:
    with pytest.raises(ValueError, match="not smooth enough"):
        end(inputs={"u": lambda t: float(t > 1.234)})
    with pytest.raises(ValueError, match="not a finite number"):
        end(inputs={"u": lambda t: np.log(t - 2) if t > 2 else np.nan})
    with pytest.raises(ZeroDivisionError):
        end(inputs={"u": lambda t: 1 / 0})


def test_arrays_are_held_joined_and_repeated() -> None:
    times, values = [0, 1, 2, 4], [1, 3, -1, 1]
    assert np.allclose(end(inputs={"u": (times, values)}, interpolation="steps")[1], 1 + 3 - 2)
    assert np.allclose(end(inputs={"u": (times, values)})[1], 2 + 1 + 0)
    rows = np.column_stack([times, values])
    assert end(inputs={"u": rows}) == end(inputs={"u": (times, values)})
    # Values alone are on an even grid over the run, one value holds always.
    assert np.allclose(end(inputs={"u": [0, 1, 0]})[1], 2)
    assert np.allclose(end(inputs={"u": 2.5}), (20, 10))
    # One period of 2, repeated twice: its mean is that of the spline.
    once = end(inputs={"u": ([0, 0.5, 1, 2], [1, 3, -1, 1])}, interpolation="periodic", to=2)[1]
    twice = end(inputs={"u": ([0, 0.5, 1, 2], [1, 3, -1, 1])}, interpolation="periodic")[1]
    assert abs(twice - 2 * once) < 1e-10


@pytest.mark.parametrize(
    ("signal", "said"),
    [
        (([0, 1, 1], [1, 2, 3]), "increasing"),
        (([0, 2, 1], [1, 2, 3]), "increasing"),
        (([0, 1], [1, np.nan]), "finite"),
        (([0, 1], [1]), "one for each"),
        (np.zeros((2, 3)), "wants values"),
    ],
)
def test_wrong_signals_are_refused(signal: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        end(inputs={"u": signal})
    with pytest.raises(Exception, match="nope"):
        end(inputs={"nope": [1, 2]})
