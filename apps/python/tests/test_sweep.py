"""Sweeps: the ends of many runs are those of the runs."""

from __future__ import annotations

import pickle

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
event node: x
"""


def test_a_grid_is_the_product_of_its_axes() -> None:
    model = galilei.parse(OSCILLATOR)
    sweep = model.sweep(grid={"w": [1, 2.5], "x": np.linspace(-1, 1, 5)}, to=3)
    assert len(sweep) == 10 and sweep.failed == 0
    w, x0 = sweep["w"], sweep["x(0)"]
    assert {(a, b) for a, b in zip(w, x0, strict=True)} == {
        (a, b) for a in (1, 2.5) for b in (-1, -0.5, 0, 0.5, 1)
    }
    assert np.allclose(sweep["x"], x0 * np.cos(3 * w), atol=1e-11)
    assert np.allclose(sweep["energy"], w**2 * x0**2 / 2, atol=1e-11)
    assert np.shares_memory(sweep["x"], sweep.rows) and np.array_equal(sweep["run"], np.arange(10))
    assert np.array_equal(model.sweep(grid="w in [1, 2.5], x in -1..1 by 0.5", to=3)["w"], w)
    with pytest.raises(KeyError, match="there are run, w"):
        sweep["y"]


def test_a_sample_is_that_of_its_seed_and_its_runs_are_runs() -> None:
    model = galilei.load(model_file("double-pendulum"))
    vary = {"th1": (-1, 1), "th2'": (-0.5, 0.5), "m2": (0.6, 0.8)}
    sweep = model.sweep(sample=300, seed=5, vary=vary, to=1, tolerance=1e-13)
    again = model.sweep(sample=300, seed=5, vary=vary, to=1, tolerance=1e-13, threads=1)
    assert np.array_equal(sweep.rows, again.rows)
    assert not np.array_equal(sweep["m2"], model.sweep(sample=300, vary=vary, to=1)["m2"])
    for k in (0, 7, 299):
        start = {"th1": sweep["th1(0)"][k], "th2'": sweep["th2'(0)"][k]}
        run = model.set(m2=sweep["m2"][k]).simulate(to=1, tolerance=1e-13, state=start)
        found = [sweep[c][k] for c in ("th1", "th2", "th1'", "th2'")]
        assert np.allclose(found, run.state, rtol=0, atol=1e-10)
    assert np.all(np.abs(sweep["th1(0)"]) <= 1) and sweep.stats["threads"] >= 1


def test_events_and_frames() -> None:
    sweep = galilei.parse(OSCILLATOR).sweep(grid={"w": [1, 2]}, to=4)
    nodes = sweep.events["node"]
    assert np.allclose(nodes[:, 1], [np.pi / 2, np.pi / 4, 3 * np.pi / 4, 5 * np.pi / 4])
    assert np.array_equal(nodes[:, 0], [0, 1, 1, 1])
    frame = sweep.to_pandas()
    assert frame.index.name == "run" and list(frame["status"]) == [0, 0]
    assert "2 runs, 0 failed" in repr(sweep)


def test_runs_that_fail_are_counted() -> None:
    fall = galilei.parse("coord x\nkinetic: x'^2/2\npotential: -1/x\ninitial x = 1")
    sweep = fall.sweep(grid={"x": [1, 10]}, to=2)
    assert sweep.failed == 1 and list(sweep["status"]) == [2, 0]
    assert 1.1 < sweep["t"][0] < 1.1108


def test_shards_are_parts_of_the_whole() -> None:
    model = galilei.parse(OSCILLATOR)
    asked = {"sample": 700, "vary": {"x": (0, 1)}, "to": 2}
    whole = model.sweep(**asked)
    shards = [model.sweep(shard=(k, 4), **asked) for k in range(1, 5)]
    assert [len(s) for s in shards] == [175, 175, 175, 175]
    assert repr(shards[1]).startswith("sweep of 175 of 700 runs, 0 failed: run,")
    joined = galilei.Sweep.union(shards)
    assert np.array_equal(joined.rows, whole.rows)
    assert np.array_equal(joined.events["node"], whole.events["node"])
    seconds = [s.stats["integrate_seconds"] for s in shards]
    assert joined.stats["integrate_seconds"] == pytest.approx(sum(seconds))
    for wrong in (shards[:3], shards[1:2] + shards[1:], shards[::-1]):
        with pytest.raises(ValueError, match="each once"):
            galilei.Sweep.union(wrong)
    with pytest.raises(ValueError, match="different sweeps"):
        galilei.Sweep.union([shards[0], model.sweep(grid={"w": [1]}, to=1)])


def test_another_method_gives_the_same_ends() -> None:
    model = galilei.parse(OSCILLATOR)
    asked = {"grid": {"w": [1, 2, 3]}, "to": 3}
    other = model.sweep(method="dop853", **asked)
    whole = model.sweep(**asked)
    assert other.stats["method"] == "dop853" and other.stats["lanes"] == whole.stats["lanes"]
    assert np.allclose(other["x"], whole["x"], atol=1e-10)
    alone = model.sweep(method="gauss4", step=0.01, **asked)
    assert alone.failed == 0 and alone.stats["lanes"] == 1


def test_a_sweep_and_a_model_survive_pickling() -> None:
    model = galilei.parse(OSCILLATOR, name="there.gal").set(w=3)
    other = pickle.loads(pickle.dumps(model))
    assert other.title == "there" and other.settings == {"w": "3"}
    sweep = other.sweep(grid={"x": [1, 2]}, to=1)
    assert np.allclose(sweep["x"], np.cos(3) * np.array([1, 2]))
    again = pickle.loads(pickle.dumps(sweep))
    assert np.array_equal(again.rows, sweep.rows) and repr(again) == repr(sweep)


def test_an_interrupt_ends_a_sweep(third_alarm: None) -> None:
    model = galilei.parse(OSCILLATOR)
    with pytest.raises(KeyboardInterrupt):
        model.sweep(sample=100_000_000, vary={"x": (0, 1)}, to=10)


def test_maps_of_chaos() -> None:
    """The exponents of x'' + c x' = k x are -c/2 ± √(c²/4 + k)."""
    model = galilei.parse(
        "param k = 1, c = 1\ncoord x\nkinetic: x'^2/2\npotential: -k*x^2/2\nforce: x = -c*x'"
    )
    sweep = model.sweep(grid={"k": [1, 4], "c": [0.5, 1]}, to=200, lyapunov=2)
    for sign, name in ((1, "lyapunov[1]"), (-1, "lyapunov[2]")):
        c = sweep["c"]
        wanted = -c / 2 + sign * np.sqrt(c**2 / 4 + sweep["k"])
        assert np.allclose(sweep[name], wanted, atol=1e-2)
    assert np.all(sweep["lyapunov_error[1]"] < 1e-2)
    with pytest.raises(galilei.GalileiError, match="at most 2"):
        model.sweep(grid={"k": [1, 4]}, to=200, lyapunov=3)


def test_a_map_is_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    model = galilei.parse(OSCILLATOR)
    sweep = model.sweep(grid={"w": [1, 2], "x": [0.5, 1]}, to=1, lyapunov=1)
    ax = sweep.plot("w", "x(0)", "lyapunov[1]")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("w", "x(0)")
    assert len(ax.collections[0].get_offsets()) == 4
