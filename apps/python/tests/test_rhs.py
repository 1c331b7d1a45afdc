"""The compiled field: for SciPy, for many states, into arrays that are there."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import model_file
from scipy.integrate import solve_ivp

import galilei


@pytest.mark.parametrize("name", ["double-pendulum", "kapitza-pendulum", "chaplygin-sleigh"])
def test_scipy_agrees_with_simulate(name: str) -> None:
    model = galilei.load(model_file(name))
    found = solve_ivp(model.rhs, (0, 1), model.initial, method="DOP853", rtol=1e-12, atol=1e-13)
    assert found.success
    assert np.allclose(found.y[:, -1], model.simulate(from_=0, to=1).state, rtol=1e-9, atol=1e-9)


def test_implicit_methods_ask_for_many_states_at_once() -> None:
    model = galilei.load(model_file("double-pendulum"))
    found = solve_ivp(
        model.rhs, (0, 0.5), model.initial, method="Radau", vectorized=True, rtol=1e-9, atol=1e-10
    )
    assert found.success
    assert np.allclose(found.y[:, -1], model.simulate(from_=0, to=0.5).state, rtol=1e-6, atol=1e-7)


def test_columns_are_computed_as_single_states() -> None:
    model = galilei.load(model_file("kapitza-pendulum"))
    rng = np.random.default_rng(7)
    for count in (1, 2, 7, 8, 9, 1000):
        states, times = rng.normal(size=(2, count)), rng.normal(size=count)
        many = model.rhs(times, states)
        for k in range(count):
            assert np.allclose(many[:, k], model.rhs(times[k], states[:, k]), rtol=1e-13)
        same = model.rhs(0.5, states)
        assert np.array_equal(same, model.rhs(np.full(count, 0.5), states))
    assert model.rhs(0.0, np.empty((2, 0))).shape == (2, 0)


def test_into_arrays_that_are_there() -> None:
    model = galilei.load(model_file("double-pendulum"))
    y, out = model.initial, np.full(4, np.nan)
    assert model.rhs(0.0, y, out) is out
    assert np.array_equal(out, model.rhs(0, y)) and not np.isnan(out).any()
    states, many = np.tile(y[:, None], 20), np.empty((4, 20))
    assert model.rhs(0, states, out=many) is many
    assert np.allclose(many, out[:, None], rtol=1e-14)


def test_anything_like_an_array_will_do() -> None:
    f = galilei.parse("coord x\nkinetic: x'^2/2\npotential: 2*x^2").rhs
    assert f.size == 2
    wanted = [5, -12]
    assert np.array_equal(f(0, [3, 5]), wanted)
    assert np.array_equal(f(np.float64(0), np.array([3, 5])), wanted)
    assert np.array_equal(f(0, np.array([3, 0, 5, 0.0])[::2]), wanted)
    assert np.array_equal(f(0, np.asfortranarray([[3.0, 1], [5, 2]]))[:, 0], wanted)


def test_what_does_not_fit_is_refused() -> None:
    f = galilei.parse("coord x\nkinetic: x'^2/2\npotential: 2*x^2").rhs
    y = np.zeros(2)
    frozen = np.zeros(2)
    frozen.setflags(write=False)
    for wrong in (
        lambda: f(0, np.zeros(3)),
        lambda: f(0, np.zeros((3, 2))),
        lambda: f(0, np.zeros((1, 2, 2))),
        lambda: f(0, y, np.zeros(3)),
        lambda: f(0, y, np.zeros(2, dtype=np.float32)),
        lambda: f(0, y, frozen),
        lambda: f(0, y, y),
        lambda: f(0, y, [0, 0]),
        lambda: f(np.zeros(3), np.zeros((2, 2))),
        lambda: f("now", y),
        lambda: f(0, "state"),
    ):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            wrong()
    assert np.array_equal(f(0, y), [0, 0])


def test_a_singular_mass_matrix_has_no_accelerations() -> None:
    f = galilei.parse("coord r, a\nkinetic: (r'^2 + r^2*a'^2)/2").rhs
    assert np.isnan(f(0, [0.0, 0, 1, 1])).any()
