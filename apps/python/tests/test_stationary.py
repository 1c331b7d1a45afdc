"""Motions between given ends, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import simpson

import galilei

OSCILLATOR = """
coord x
kinetic: x'^2/2
potential: x^2/2
output double: 2*x
event half: x - 0.5
"""


def action(a: float, b: float, T: float) -> float:
    """∫(ẋ² − x²)/2 dt of the oscillator from a to b in the time T."""
    return ((a * a + b * b) * math.cos(T) - 2 * a * b) / (2 * math.sin(T))


@pytest.mark.parametrize("T", [1.0, 2.0, 4.0, 7.0, 10.0])
def test_an_oscillator_has_a_conjugate_point_for_every_half_period(T: float) -> None:
    a, b = 0.3, 1.0
    found = galilei.parse(OSCILLATOR).stationary(start={"x": a}, end={"x": b}, to=T)
    [motion] = found
    assert found.starts == 8 and not found.forced and found.tolerance == 1e-10
    halves = math.floor(T / math.pi)
    assert motion.index == halves and motion.minimum is (halves == 0)
    assert motion.conjugate_points is not None
    assert [c.multiplicity for c in motion.conjugate_points] == [1] * halves
    times = [c.time for c in motion.conjugate_points]
    assert np.allclose(times, math.pi * np.arange(1, halves + 1), atol=1e-8)
    assert motion.action == pytest.approx(action(a, b, T), abs=1e-9)
    assert motion.residual < 1e-10 and motion.closure < 1e-8
    exact = (a * np.sin(T - motion.t) + b * np.sin(motion.t)) / math.sin(T)
    assert np.allclose(motion["x"], exact, atol=1e-8)
    rates = (b * np.cos(motion.t) - a * np.cos(T - motion.t)) / math.sin(T)
    assert np.allclose(motion.u[:, 0], rates, atol=1e-8)


def test_a_motion_is_a_run() -> None:
    model = galilei.parse(OSCILLATOR)
    [motion] = model.stationary(start="x=0", end="x=1", to=4, every=0.5, starts=1)
    assert isinstance(motion, galilei.Run) and motion.status == "finished"
    assert np.array_equal(motion.t, np.arange(9) / 2) and motion.x.shape == (9, 1)
    assert np.array_equal(motion.outputs["double"], 2 * motion["x"])
    # x = sin t/sin 4 is negative until π.
    assert motion.events["half"].t == pytest.approx([math.pi - math.asin(math.sin(4) / 2)])
    assert motion(3.3)[0] == pytest.approx(math.sin(3.3) / math.sin(4), abs=1e-10)
    assert motion.stats["energy_balance"] < 1e-13 and motion.elements >= 8
    assert "no minimum: index 1; run to t = 4.0, finished" in repr(motion)
    again = model.simulate(to=4, state={"x": 0, "x'": motion.u[0, 0]})
    assert again.state[0] == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("functional", "abcdef")
def test_a_free_end_is_at_rest_for_all_functionals(functional: str) -> None:
    model = galilei.parse(OSCILLATOR + "initial x = 1\n")
    found = model.stationary(free_end="x", to=1, functional=functional, starts=2)
    assert found[0]["x"][-1] == pytest.approx(1 / math.cos(1), abs=1e-9)
    assert found[0].u[-1, 0] == pytest.approx(0, abs=1e-8)
    free = model.stationary(free_start=[galilei.Expr("x")], end={"x": 2}, to=1, starts=2)[0]
    assert free.conjugate_points is None and free.u[0, 0] == pytest.approx(0, abs=1e-8)


def test_a_pendulum_has_several_motions_and_the_least_action_comes_first() -> None:
    pendulum = galilei.parse("coord q\nkinetic: q'^2/2\npotential: -cos(q)")
    found = pendulum.stationary(start={"q": 0}, end={"q": 0}, to=9, starts=20)
    assert len(found) >= 3
    assert [m.action for m in found] == sorted(m.action for m in found)
    for motion in found:
        assert motion.closure < 1e-7 and abs(motion["q"][0]) < 1e-15
        # Morse: the index is the number of conjugate points.
        assert motion.conjugate_points is not None
        assert motion.index == sum(c.multiplicity for c in motion.conjugate_points)
        assert abs(motion(9.0)[0]) < 1e-7
        q, rate = motion(np.linspace(0, 9, 2001)).T
        assert simpson(rate**2 / 2 + np.cos(q), dx=9 / 2000) == pytest.approx(motion.action, abs=1e-7)
    assert pendulum.stationary(start="q=0", end="q=0", to=9, starts=20)[0].action == found[0].action
    assert repr(found).startswith(f"{len(found)} motions from 20 curves\naction ")


def test_forces_without_a_potential_are_told() -> None:
    damped = galilei.parse("coord x\nkinetic: x'^2/2\nforce: x = -x'")
    found = damped.stationary(start="x=0", end="x=1", to=2, starts=1)
    assert found.forced
    exact = (1 - np.exp(-found[0].t)) / (1 - math.exp(-2))
    assert np.allclose(found[0]["x"], exact, atol=1e-9)
    assert found[0].index is None and found[0].minimum is None
    assert "not stationary under these forces" in repr(found[0])


def test_constraints_between_positions_hold() -> None:
    # A quarter of a great circle.
    sphere = galilei.parse(
        "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\n"
        "constraint c: x^2 + y^2 + z^2 = 1\ninitial x = 1"
    )
    end = {"x": 0, "y": 0.6, "z": 0.8}
    motion = sphere.stationary(end=end, to=1, starts=1)[0]
    assert motion.action == pytest.approx(math.pi**2 / 8) and motion.minimum
    assert motion.conjugate_points is None
    arc = math.pi / 2 * motion.t
    exact = np.stack([np.cos(arc), 0.6 * np.sin(arc), 0.8 * np.sin(arc)], axis=1)
    assert np.allclose(motion.x, exact, atol=1e-9)
    with pytest.raises(galilei.MechanicsError, match="state_violates_constraint"):
        sphere.stationary(end=end | {"z": 1}, to=1)


def test_nothing_found_is_a_warning() -> None:
    # After half a period every motion from 0 is at 0 again: there is none to 1.
    model = galilei.parse(OSCILLATOR)
    with pytest.warns(galilei.GalileiWarning, match="no_motion_found"):
        found = model.stationary(start="x=0", end="x=1", to=math.pi, starts=3)
    assert found == [] and len(found.unsolved) == 3 and all(found.unsolved)


def test_an_interrupt_ends_a_search(third_alarm: None) -> None:
    model = galilei.parse(OSCILLATOR)
    with pytest.raises(KeyboardInterrupt):
        model.stationary(start="x=0", end="x=1", to=4, starts=10_000_000)
