"""What is pickled or copied says the same as the original."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import model_file

import galilei

OSCILLATOR = """
param w = 2
coord x [cm]
kinetic: x'^2/2
potential: w^2*x^2/2
initial x = 1
output energy: (x'^2 + w^2*x^2)/2
event node: x rising
simulate to 10
"""

WAYS: list[Callable[[Any], Any]] = [
    lambda it: pickle.loads(pickle.dumps(it)),
    copy.copy,
    copy.deepcopy,
    # A copy of a copy.
    lambda it: pickle.loads(pickle.dumps(copy.deepcopy(it))),
]


@pytest.fixture(params=WAYS, ids=["pickle", "copy", "deepcopy", "twice"])
def travel(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    way: Callable[[Any], Any] = request.param
    return way


def test_a_run(travel: Callable[[Any], Any]) -> None:
    model = galilei.parse(OSCILLATOR, set={"w": 3})
    run = model.simulate(every=0.1, state={"x": 2, "x'": "1"}, tolerance=1e-10)
    other = travel(run)
    assert type(other) is galilei.Run and repr(other) == repr(run)
    assert np.array_equal(other.rows, run.rows) and np.shares_memory(other.x, other.rows)
    assert other.stats == run.stats and other.status == run.status
    assert np.array_equal(other.events.t, run.events.t) and len(other.events["node"]) > 3
    times = np.linspace(0, 10, 77)
    assert np.array_equal(other(times), run(times))
    with pytest.raises(ValueError, match="the run did not come to t = 11"):
        other(11.0)
    assert np.array_equal(other.to_pandas().to_numpy(), run.to_pandas().to_numpy())


def test_a_run_without_dense_output(travel: Callable[[Any], Any]) -> None:
    other = travel(galilei.parse(OSCILLATOR).simulate(dense=False))
    with pytest.raises(ValueError, match="no dense output"):
        other(1.0)


def test_a_run_that_failed(travel: Callable[[Any], Any]) -> None:
    model = galilei.parse("coord x\nkinetic: x'^2/2\npotential: -1/x\ninitial x = 1")
    with pytest.raises(galilei.RunError) as caught:
        model.simulate(to=2)
    other = travel(caught.value)
    assert type(other) is galilei.RunError and str(other) == str(caught.value)
    assert np.array_equal(other.run.rows, caught.value.run.rows)
    assert np.array_equal(other.run(0.5), caught.value.run(0.5))


def test_sensitivities(travel: Callable[[Any], Any]) -> None:
    near = galilei.parse(OSCILLATOR).sensitivities(by=["w"], gradient="x", to=3, every=0.5)
    other = travel(near)
    for name in ("transition", "canonical", "along"):
        assert np.array_equal(getattr(other, name), getattr(near, name))
    assert other.symplectic_defect == near.symplectic_defect
    assert np.array_equal(other.sensitivities["w"], near.sensitivities["w"])
    assert other.gradient.value == near.gradient.value
    assert np.array_equal(other.gradient.by_state, near.gradient.by_state)
    assert np.array_equal(other.run.rows, near.run.rows)


def test_the_right_hand_side(travel: Callable[[Any], Any]) -> None:
    model = galilei.load(model_file("double-pendulum"), set={"m1": 3})
    states = np.random.default_rng(1).normal(size=(4, 9))
    assert np.array_equal(travel(model.rhs)(0, states), model.rhs(0, states))


def test_motions_between_ends(travel: Callable[[Any], Any]) -> None:
    model = galilei.parse("coord x\nkinetic: x'^2/2\npotential: x^2/2")
    found = model.stationary(start={"x": 0}, end={"x": 1}, to=4, starts=2)
    other = travel(found)
    assert repr(other) == repr(found) and other[0].index == 1
    if other[0] is not found[0]:  # A shallow copy of a list has the same members.
        with pytest.raises(ValueError, match="recorded states only"):
            other[0](0.5)


def test_models_sections_expressions_and_sweeps(travel: Callable[[Any], Any]) -> None:
    model = galilei.parse(OSCILLATOR, set={"w": 3})
    assert repr(travel(model).parameters) == repr(model.parameters)
    assert travel(model.derive("lagrange")).text == model.derive("lagrange").text
    assert repr(travel(model.check())) == repr(model.check())
    assert travel(model.lagrangian) == model.lagrangian
    assert float(travel(model.parameters["w"])) == 3
    sweep = model.sweep(grid={"w": [1, 2]}, to=1)
    assert np.array_equal(travel(sweep).rows, sweep.rows)


def test_a_run_in_another_process(tmp_path: Path) -> None:
    run = galilei.parse(OSCILLATOR).simulate(every=1)
    file = tmp_path / "run.pickle"
    file.write_bytes(pickle.dumps(run))
    code = "import pickle, sys; r = pickle.load(open(sys.argv[1], 'rb')); print(repr(r(2.5).tolist()))"
    said = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == repr(run(2.5).tolist())
