"""What is held lives, what is dropped is not needed, threads compute side by side, and Ctrl-C is heard."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import model_file

import galilei

OSCILLATOR = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1"


def test_a_part_outlives_the_rest() -> None:
    def parts() -> tuple:
        model = galilei.parse(OSCILLATOR)
        run = model.simulate(to=10, every=0.1)
        near = model.jacobi(to=1)
        return model.rhs, run, run.x, near.transition, model.derive("lagrange"), near.run.events

    rhs, run, x, transition, derivation, events = parts()
    gc.collect()
    scratch = [np.random.default_rng(k).normal(size=10_000) for k in range(100)]
    assert np.array_equal(rhs(0, [3.0, 5.0]), [5, -3])
    del rhs
    assert np.allclose(run(5.0), [np.cos(5), -np.sin(5)], atol=1e-12)
    del run, events
    gc.collect()
    assert np.allclose(x[:, 0], np.cos(np.arange(101) / 10), atol=1e-12)
    assert transition[0, 0] == pytest.approx(np.cos(1))
    assert derivation.text.endswith("+ x = 0") and len(scratch) == 100


def test_what_is_dropped_is_freed() -> None:
    model = galilei.parse(OSCILLATOR)
    run = model.simulate(to=1)
    watched = [weakref.ref(run.rows)]
    del run
    gc.collect()
    assert watched[0]() is None


def test_threads_get_what_one_gets() -> None:
    model = galilei.load(model_file("double-pendulum"))
    starts = [{"th1": 0.1 * k} for k in range(24)]
    alone = [model.simulate(to=5, state=s).state for s in starts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda s: model.simulate(to=5, state=s).state, starts))
        states = np.random.default_rng(3).normal(size=(4, 5000))
        fields = list(pool.map(lambda _: model.rhs(0, states), range(16)))
        run = model.simulate(to=5)
        times = np.linspace(0, 5, 400)
        dense = list(pool.map(lambda _: run(times), range(8)))
        checks = list(pool.map(lambda _: model.derive("lagrange").text, range(4)))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))
    assert all(np.array_equal(f, fields[0]) for f in fields)
    assert all(np.array_equal(d, dense[0]) for d in dense)
    assert len(set(checks)) == 1


def test_python_goes_on_while_a_run_computes() -> None:
    model = galilei.parse(OSCILLATOR)
    model.simulate(to=1)
    seen = []

    def compute() -> None:
        model.simulate(to=1_000_000, every=10_000)
        seen.append("done")

    thread = threading.Thread(target=compute)
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.0005)
    thread.join()
    assert seen == ["done"] and turns > 5


@pytest.mark.parametrize("work", ["simulate", "jacobi", "dop853"])
def test_an_interrupt_ends_a_run(work: str, third_alarm: None) -> None:
    model = galilei.parse(OSCILLATOR)
    settings = {"to": 1e12, "every": 1e9}
    with pytest.raises(KeyboardInterrupt):
        if work == "jacobi":
            model.jacobi(**settings)
        elif work == "dop853":
            model.simulate(**settings, method="dop853", dense=False)
        else:
            model.simulate(**settings, dense=False)
    # The model is as it was.
    assert model.simulate(to=1).state[0] == pytest.approx(np.cos(1))
