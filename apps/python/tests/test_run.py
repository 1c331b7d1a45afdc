"""Runs: arrays, dense output, events, statistics, pictures, neighbours."""

from __future__ import annotations

import pickle

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from conftest import model_file

import galilei

OSCILLATOR = """
param w = 2
coord x
kinetic: x'^2/2
potential: w^2*x^2/2
initial x = 1
output energy: (x'^2 + w^2*x^2)/2
event node: x rising
simulate to 10
"""


@pytest.fixture
def model() -> galilei.Model:
    return galilei.parse(OSCILLATOR)


def test_columns_are_views_of_one_array(model: galilei.Model) -> None:
    run = model.simulate(every=0.01)
    assert run.rows.shape == (1001, 4)
    for view in (run.t, run.x, run.u, run["x"], run["x'"], run.outputs["energy"], run["energy"]):
        assert np.shares_memory(view, run.rows)
    assert run.rows.dtype == np.float64 and run.rows.flags.c_contiguous
    assert np.array_equal(run.x[:, 0], run["x"]) and np.array_equal(run.u[:, 0], run["x'"])
    assert run._run.rows is run.rows
    with pytest.raises(KeyError, match="there are t, x, x', energy"):
        run["y"]


def test_the_motion_is_that_of_a_cosine(model: galilei.Model) -> None:
    run = model.simulate(every=0.01)
    assert np.allclose(run.x[:, 0], np.cos(2 * run.t), rtol=0, atol=1e-12)
    assert np.allclose(run.u[:, 0], -2 * np.sin(2 * run.t), rtol=0, atol=1e-12)
    assert np.allclose(run["energy"], 2, rtol=1e-12)
    assert run.time == 10 and run.status == "finished"
    assert np.array_equal(run.state, run.rows[-1, 1:3])


@pytest.mark.parametrize("method", ["taylor", "dop853"])
def test_dense_output(model: galilei.Model, method: str) -> None:
    run = model.simulate(method=method)
    t = np.linspace(0, 10, 777)
    states = run(t)
    assert states.shape == (777, 2)
    assert np.allclose(states[:, 0], np.cos(2 * t), rtol=0, atol=1e-11)
    assert np.allclose(states[:, 1], -2 * np.sin(2 * t), rtol=0, atol=1e-11)
    assert run(3).shape == (2,) and run([[1, 2], [3, 4]]).shape == (2, 2, 2)
    for outside in (-0.1, 10.1, np.nan):
        with pytest.raises(ValueError, match="did not come to"):
            run(outside)
    with pytest.raises(ValueError, match="no dense output"):
        model.simulate(dense=False)(1)


def test_events(model: galilei.Model) -> None:
    events = model.simulate().events
    # cos 2t rises through zero at 3π/4 + kπ.
    assert np.allclose(events.t, np.pi * (0.75 + np.arange(3)), rtol=1e-13)
    assert events.names == ["node"] * 3 and len(events["node"]) == 3 and len(events["other"]) == 0
    assert events[-1].time == events.t[2] and np.allclose(events.u, 2)
    assert [e.name for e in events] == ["node"] * 3
    assert repr(model.simulate(to=0.1).events) == "no events"


def test_a_terminal_event_ends_a_run() -> None:
    text = "coord h\nkinetic: h'^2/2\npotential: 10*h\ninitial h = 5\nevent landing: h falling terminal"
    run = galilei.parse(text).simulate(to=9)
    assert run.status == "event" and run.time == pytest.approx(1, rel=1e-13)


def test_settings_and_states(model: galilei.Model) -> None:
    run = model.simulate(from_=1, to=-1, every=0.5, state={"x": 0, "x'": "2*w/2"} | {"x'": 4})
    assert np.array_equal(run.t, [1, 0.5, 0, -0.5, -1])
    assert np.allclose(run.x[:, 0], 2 * np.sin(2 * (run.t - 1)), atol=1e-12)
    assert model.simulate(state="x=3", to=1).rows[0, 1] == 3
    assert model.set(w=3).simulate(to=1).state[0] == pytest.approx(np.cos(3), rel=1e-12)
    assert model.simulate(to=1, tolerance=1e-6).stats["tolerance"] == 1e-6
    # Units of the coordinate are those of bare numbers.
    turned = galilei.parse("coord a [deg]\nkinetic: a'^2/2").simulate(to=1, state={"a": 180})
    assert turned.x[0, 0] == np.pi


def test_statistics(model: galilei.Model) -> None:
    stats = model.simulate().stats
    assert stats["method"] == "taylor" and stats["steps"] > 5 and stats["energy_balance"] < 1e-13
    assert stats["constraint_residual"] is None
    sleigh = galilei.load(model_file("chaplygin-sleigh")).simulate()
    assert sleigh.stats["constraint_residual"] < 1e-12


def test_pandas(model: galilei.Model) -> None:
    run = model.simulate(every=0.5)
    frame = run.to_pandas()
    assert list(frame.columns) == ["x", "x'", "energy"] and frame.index.name == "t"
    assert np.array_equal(frame["x"], run["x"]) and np.array_equal(frame.index, run.t)


def test_pictures(model: galilei.Model) -> None:
    axes = model.simulate().plot("x", "energy")
    lines = {line.get_label(): line for line in axes.get_lines()}
    t, x = lines["x"].get_data()
    assert len(t) == 1000 and np.allclose(x, np.cos(2 * t), atol=1e-11)
    assert len(model.simulate(dense=False).plot(ax=axes).get_lines()) == 3
    page = model.page(to=1)
    assert page.startswith("<!DOCTYPE html>") and "galilei.load(" in page


def test_neighbours_of_an_oscillator(model: galilei.Model) -> None:
    near = model.jacobi(by=["w"], gradient="energy", to=1, every=0.25)
    c, s = np.cos(2), np.sin(2)
    assert np.allclose(near.transition, [[c, s / 2], [-2 * s, c]], atol=1e-12)
    assert np.allclose(near.canonical, near.transition, atol=1e-12)
    assert near.symplectic_defect < 1e-13
    # ∂ cos(wt)/∂w and ∂ (−w sin wt)/∂w at t = 1.
    assert np.allclose(near.sensitivities["w"], [-s, -s - 2 * c], atol=1e-11)
    assert near.along.shape == (5, 2, 3) and np.allclose(near.along[-1][:, :2], near.transition)
    assert np.array_equal(near.run.t, [0, 0.25, 0.5, 0.75, 1])
    g = near.gradient
    assert g.of == "energy" and g.value == pytest.approx(2)
    assert np.allclose(g.by_state[0], [4, 0], atol=1e-11) and np.array_equal(g.t, near.run.t)
    # The energy w²x₀²/2 of a start that stays.
    assert g.by_parameters["w"] == pytest.approx(2, rel=1e-10)
    assert model.jacobi(to=1).gradient is None


def test_neighbours_are_differences_of_runs() -> None:
    model = galilei.load(model_file("double-pendulum"))
    near = model.jacobi(to=2)
    base, h = model.initial, 1e-6
    names = [*model.coordinates, *(f"{c}'" for c in model.coordinates)]
    for k, name in enumerate(names):
        ends = [model.simulate(to=2, state={name: base[k] + d}).state for d in (h, -h)]
        assert np.allclose(
            (ends[0] - ends[1]) / (2 * h), near.transition[:, k], rtol=1e-6, atol=1e-7
        )


def test_variational_methods_have_momenta(model: galilei.Model) -> None:
    run = model.simulate(method="trapezoid", step=0.1)
    # Störmer and Verlet turn by the angle whose cosine is 1 - w²h²/2.
    turn = 100 * np.arccos(1 - 0.02)
    assert run.state[0] == pytest.approx(np.cos(turn), abs=1e-12)
    assert run.momentum is not None and np.allclose(run.momentum, run.state[1:], rtol=1e-15)
    assert model.simulate().momentum is None


def test_a_run_in_more_digits_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import decimal
    from decimal import Decimal

    # Differences of numbers are rounded to the digits of the context.
    monkeypatch.setattr(decimal.getcontext(), "prec", 80)
    model = galilei.parse(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n"
        "event turn: x'\noutput double: 2*x\n"
    )
    # By mpmath with 80 digits.
    cosine = Decimal("0.54030230586813971740093660744297660373231042061792222767009725538")
    half = Decimal("0.87758256189037271611628158260382965199164519710974405299761086832")
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459231")
    for bits, error in ((106, Decimal("1e-28")), (212, Decimal("1e-58"))):
        run = model.simulate(to=1, every=0.5, precision=bits)
        assert abs(run.state[0] - cosine) < error
        assert len(run) == 3 and abs(run["x"][1] - half) < error
        assert abs(run["double"][1] - 2 * half) < 2 * error
        assert abs(run("0.5")[0] - half) < error and run(0.5) == run(Decimal("0.5"))
        later = model.simulate(to=4, precision=bits)
        assert later.events[0].name == "turn" and abs(later.events[0].time - pi) < error
    with pytest.raises(ValueError, match="106 or 212"):
        model.simulate(to=1, precision=100)


def test_impacts_and_modes_of_a_bouncing_ball():
    g, h, e = 9.81, 1.0, 0.5
    run = galilei.parse(
        f"coord y\nkinetic: y'^2/2\npotential: {g}*y\ncontact floor: y >= 0 restitution {e}\n"
        f"output N: multiplier(floor)\ninitial y = {h}\nsimulate to 3 every 0.5"
    ).simulate()
    speed = (2 * g * h) ** 0.5
    first = run.impacts[0]
    assert first.name == "floor"
    assert first.time == pytest.approx(speed / g, rel=1e-12)
    assert first.before[0] == pytest.approx(-speed, rel=1e-12)
    assert first.after[0] == pytest.approx(e * speed, rel=1e-12)
    assert first.impulse[0] == pytest.approx((1 + e) * speed, rel=1e-12)
    # All of the energy is lost before the ball rests at its limit, (1 + e)/(1 − e) times the first fall.
    assert run.impact_losses["floor"] == pytest.approx(g * h, rel=1e-9)
    start, rest = run.modes
    assert start == (0.0, [], [])
    assert rest.time == pytest.approx(3 * speed / g, rel=1e-12)
    assert rest.closed == ["floor"]
    assert run["N"][0] == 0.0
    assert run["N"][-1] == pytest.approx(g, rel=1e-12)
    again = pickle.loads(pickle.dumps(run))
    assert again.modes == run.modes
    assert [i.time for i in again.impacts] == [i.time for i in run.impacts]
