"""Models inside other people's programs: JAX, CasADi, FMPy and python-control agree with the model."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import galilei

EXAMPLES = Path(__file__).parents[1] / "examples"

DRIVEN = """
param m = 1.3, k = 2, k0 = 0.7, c = 0.1
coord x, y
kinetic: m*(x'^2 + y'^2)/2 + 0.3*x'*y'*cos(x)
potential: k*(x^2 + y^2)/2
input v = 2*u - c*x' + sin(t)
input u = k0
input w
force: x = u + v*y, y = u*v + w
output o: u + x
initial x = 0.3, y = -0.2, x' = 0.1
simulate to 2
"""
STATE = "t = 0.4, x = 0.3, y = -0.2, x' = 0.5, y' = -0.7"
#: The inputs of the model as constants, in the order of the model.
VALUES = {"v": -0.4, "u": 1.1, "w": 0.25}


def replaced(values: dict[str, float]) -> galilei.Model:
    """The model with numbers or formulas for some inputs."""
    lines = DRIVEN.splitlines()
    for name, value in values.items():
        lines = [f"input {name} = {value}" if line.startswith(f"input {name}") else line for line in lines]
    return galilei.parse("\n".join(lines))


def module(language: str, model: galilei.Model) -> Any:
    made = types.ModuleType(language)
    exec(model.export(language), made.__dict__)
    return made


def test_jax_has_the_inputs_and_their_gradients() -> None:
    jax = pytest.importorskip("jax")
    model = galilei.parse(DRIVEN)
    there = module("jax", model)
    state = (0.4, [0.3, -0.2], [0.5, -0.7])
    close = {"rtol": 1e-13, "atol": 1e-13}
    assert np.allclose(there.accelerations(*state), model.eval(STATE).acceleration, **close)
    given = there.accelerations(*state, inputs=list(VALUES.values()))
    assert np.allclose(given, replaced(VALUES).eval(STATE).acceleration, **close)

    run = model.simulate(to=2)
    x, _ = there.run([0.3, -0.2], [0.1, 0.0], to=2.0)
    assert np.allclose(x, run.x[-1], rtol=1e-11)

    def end(parameters: Any) -> Any:
        return there.run([0.3, -0.2], [0.1, 0.0], parameters, to=2.0)[0][0]

    # The order of the parameters is that of the model.
    ours = model.sensitivities(by=["m", "k", "k0", "c"], gradient="x", to=2).gradient
    assert ours is not None
    wanted = [ours.by_parameters[name] for name in ("m", "k", "k0", "c")]
    assert np.allclose(jax.grad(end)(there.DEFAULTS), wanted, rtol=1e-9)

    def held(rows: Any) -> Any:
        return there.run([0.3, -0.2], [0.1, 0.0], to=2.0, steps=40, inputs=rows)[0][0]

    rows = jax.numpy.full((40, 3), 0.3)
    slope, e = jax.grad(held)(rows)[20, 1], 1e-5
    quotient = (held(rows.at[20, 1].add(e)) - held(rows.at[20, 1].add(-e))) / (2 * e)
    assert abs(slope - quotient) < 1e-8


def test_torch_has_the_inputs_and_their_gradients() -> None:
    torch = pytest.importorskip("torch")
    model = galilei.parse(DRIVEN)
    there = module("pytorch", model)
    state = (0.4, [0.3, -0.2], [0.5, -0.7])
    close = {"rtol": 1e-13, "atol": 1e-13}
    assert np.allclose(there.accelerations(*state), model.eval(STATE).acceleration, **close)
    given = there.accelerations(*state, inputs=list(VALUES.values()))
    assert np.allclose(given, replaced(VALUES).eval(STATE).acceleration, **close)

    start = ([0.3, -0.2], [0.1, 0.0])
    parameters = there.DEFAULTS.clone().requires_grad_()
    x, _ = there.run(*start, parameters, to=2.0, steps=500)
    assert np.allclose(x.detach(), model.simulate(to=2).x[-1], rtol=1e-10)
    (slopes,) = torch.autograd.grad(x[0], parameters)
    ours = model.sensitivities(by=["m", "k", "k0", "c"], gradient="x", to=2).gradient
    assert ours is not None
    assert np.allclose(slopes, [ours.by_parameters[n] for n in ("m", "k", "k0", "c")], rtol=1e-9)

    # By the start, for a batch of starts, and at a time within the run.
    starts = torch.tensor([[0.3, -0.2], [0.5, 0.1]], dtype=torch.float64, requires_grad=True)
    times, states = there.trajectory(starts, [0.1, 0.0], to=2.0, steps=400)
    assert times.shape == (401,) and states.shape == (401, 2, 4)
    (by_start,) = torch.autograd.grad(states[200, :, 1].sum(), starts)
    for k in range(2):
        at = starts.detach()[k].tolist()
        near = model.sensitivities(state={"x": at[0], "y": at[1]}, gradient="y", to=1).gradient
        assert near is not None
        assert np.allclose(by_start[k], near.by_state[0, :2], rtol=1e-9)

    # By rows of inputs, held during each step.
    def held(rows: Any) -> Any:
        return there.run(*start, to=2.0, steps=40, inputs=rows)[0][0]

    rows = torch.full((40, 3), 0.3, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(held(rows), rows)
    e = torch.zeros(40, 3, dtype=torch.float64)
    e[20, 1] = 1e-5
    quotient = (held(rows + e) - held(rows - e)).item() / 2e-5
    assert abs(slope[20, 1].item() - quotient) < 1e-8
    with pytest.raises(ValueError, match="39 rows of inputs for 40 steps"):
        held(rows[:39])


def test_torch_follows_tables_and_constraints() -> None:
    torch = pytest.importorskip("torch")
    model = galilei.parse(
        "param l = 1.2, k = 0.4\ncoord x, y\ntable f(s) = [(0, 0), (1, 2), (2, -1), (3, 0)] cubic\n"
        "kinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\nconstraint rod: x^2 + y^2 = l^2\nforce: x = k*f(t)*x\n"
        "initial x = 1.2*sin(0.5), y = -1.2*cos(0.5)\nsimulate to 2.5\n"
    )
    there = module("pytorch", model)
    here = model.eval("t = 1.3, x = 1.2*sin(0.5), y = -1.2*cos(0.5), x' = 0.3*cos(0.5), y' = 0.3*sin(0.5)")
    x, u = torch.tensor(here.position), torch.tensor(here.velocity)
    assert np.allclose(there.accelerations(1.3, x, u), here.acceleration, rtol=1e-12)
    assert there.multipliers(1.3, x, u).shape == (1,)
    parameters = there.DEFAULTS.clone().requires_grad_()
    end, _ = there.run([1.2 * np.sin(0.5), -1.2 * np.cos(0.5)], [0.0, 0.0], parameters, to=2.5, steps=500)
    assert np.allclose(end.detach(), model.simulate().x[-1], atol=1e-7)
    (slopes,) = torch.autograd.grad(end[0], parameters)
    ours = model.sensitivities(by=["k"], gradient="x", to=2.5).gradient
    assert ours is not None
    assert abs(slopes[1].item() - ours.by_parameters["k"]) < 1e-5


def test_casadi_has_the_inputs() -> None:
    casadi = pytest.importorskip("casadi")
    model = galilei.parse(DRIVEN)
    there = module("casadi", model)
    state = (0.4, [0.3, -0.2], [0.5, -0.7], there.DEFAULTS)
    close = {"rtol": 1e-13, "atol": 1e-13}
    found = np.array(there.accelerations(*state)).ravel()
    assert np.allclose(found, model.eval(STATE).acceleration, **close)
    found = np.array(there.driven_accelerations(*state, list(VALUES.values()))).ravel()
    assert np.allclose(found, replaced(VALUES).eval(STATE).acceleration, **close)
    motion = there.integrator(2.0)
    end = np.array(motion(x0=[0.3, -0.2, 0.1, 0.0])["xf"]).ravel()
    assert np.allclose(end[:2], model.simulate(to=2).x[-1], rtol=1e-7)
    assert isinstance(there.driven_rates, casadi.Function)


def test_inputs_of_constraints_stay_at_formulas_that_change() -> None:
    pytest.importorskip("jax")
    model = galilei.parse(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\ninput s = sin(t)\ninput f\nconstraint c: y' = s*x'\n"
        "force: x = f\ninitial x' = 1\nsimulate to 1\n"
    )
    there = module("jax", model)
    assert "#   0  f = 0.0\n" in model.export("jax")
    found = there.accelerations(0.5, [0.0, 0.0], [1.0, np.sin(0.5)], inputs=[0.7])
    s, r = np.sin(0.5), np.cos(0.5)
    # x'' = f − s λ, y'' = λ, y'' = s x'' + s' x'.
    a = (0.7 - s * r) / (1 + s * s)
    assert np.allclose(found, [a, s * a + r], rtol=1e-13)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_units_run_in_fmpy(version: int, kind: str, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy")
    path = tmp_path / "driven.fmu"
    model = galilei.parse(DRIVEN)
    model.export_unit(path, version=version)
    described = fmpy.read_model_description(str(path), validate=True)
    causal = {v.name: v.start for v in described.modelVariables if v.causality == "input"}
    assert {name: float(start) for name, start in causal.items()} == {"u": 0.7, "w": 0.0}

    def end(**start: float) -> Any:
        rows = fmpy.simulate_fmu(
            str(path), fmi_type=kind, start_values=start, stop_time=2.0, output_interval=0.1,
            relative_tolerance=1e-9, output=["x", "y", "o"],
        )  # fmt: skip
        return rows[-1]

    for start, values in [
        ({}, {}),
        # Until it is given, the input follows its formula …
        ({"k0": 1.9}, {"u": 1.9}),
        # … and not any more when it is.
        ({"k0": 1.9, "u": 0.2}, {"u": 0.2}),
        ({"u": 0.2, "k0": 1.9, "w": 1.0}, {"u": 0.2, "w": 1.0}),
    ]:
        found, run = end(**start), replaced(values).simulate(to=2)
        assert np.allclose([found["x"], found["y"]], run.x[-1], atol=1e-6)
        assert abs(found["o"] - found["x"] - values.get("u", 0.7)) < 1e-12


def test_python_control_regulates_the_cart() -> None:
    control = pytest.importorskip("control")
    model = galilei.parse(
        "param M = 1, m = 0.1, l = 0.5, g = 9.81\ncoord s, theta\nparticle cart: mass M at (s, 0)\n"
        "particle pole: mass m at (s + l*sin(theta), l*cos(theta))\ngravity: (0, -g)\ninput u\nforce: s = u\n"
        "initial theta = 0.1\nsimulate to 10\n"
    )
    plant = model.linear_system(theta=0)
    # Linearised by hand: s'' = (u − m g θ)/M, θ'' = ((M + m) g θ − u)/(M l).
    a = [[0, 0, 1, 0], [0, 0, 0, 1], [0, -0.981, 0, 0], [0, 1.1 * 9.81 / 0.5, 0, 0]]
    assert np.allclose(plant.A, a, atol=1e-12) and np.allclose(plant.B.ravel(), [0, 0, 1, -2], atol=1e-12)
    gain, _, poles = control.lqr(plant, np.diag([10, 10, 1, 1]), [[0.1]])
    states = ["s", "theta", "s'", "theta'"]
    law = " + ".join(f"({-float(k)!r})*{z}" for k, z in zip(gain[0], states, strict=True))
    closed = galilei.parse(model.source.replace("input u", f"input u = {law}"))
    assert np.allclose(
        np.sort_complex(closed.modes(theta=0)["eigenvalues"]), np.sort_complex(poles), rtol=1e-8
    )
    assert np.abs(closed.simulate().x[-1]).max() < 1e-3


def test_minimise_finds_the_throw() -> None:
    # Thrown at 45° a stone flies farthest; with a given speed the miss of a target vanishes at two angles.
    text = (
        "param v = 10, al = 0.6, g = 9.81, T = 1\ncoord x, y\nparticle stone: mass 1 at (x, y)\ngravity: (0, -g)\n"
        "initial x' = v*cos(al), y' = v*sin(al)\noutput miss: (x - 5)^2 + (y - 2)^2\nsimulate to 1\n"
    )
    found = galilei.parse(text).minimise("miss", ["v", "al"])
    assert found.converged and found.value < 1e-12
    # x = v cos α, y = v sin α − g/2 at t = 1.
    assert abs(found.parameters["v"] - np.hypot(5, 2 + 9.81 / 2)) < 1e-5
    assert abs(found.parameters["al"] - np.arctan2(2 + 9.81 / 2, 5)) < 1e-5
    bounded = galilei.parse(text).minimise("miss", ["v", "al"], bounds={"v": (0, 6)})
    assert bounded.converged and bounded.parameters["v"] == 6
    # The nearest point of the circle of radius 6 around (0, −g/2).
    assert abs(np.sqrt(bounded.value) - (np.hypot(5, 2 + 9.81 / 2) - 6)) < 1e-6
    free = galilei.parse(text).minimise("miss", ["x'", "y'"])
    assert np.allclose([free.parameters["x'"], free.parameters["y'"]], [5, 2 + 9.81 / 2], atol=1e-5)
    with pytest.raises(KeyError, match="nope"):
        galilei.parse(text).minimise("miss", ["nope"])


def test_the_swing_up_reaches_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("casadi")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import swing_up

    force, _ = swing_up.swing_up()
    times = np.linspace(0, swing_up.TIME, len(force))
    run = galilei.parse(swing_up.MODEL).simulate(inputs={"u": (times, force)}, interpolation="cubic")
    assert np.allclose(run.x[-1], [1, np.pi], atol=0.05)
    assert np.abs(force).max() <= swing_up.LARGEST_FORCE + 1e-6


def test_the_gradient_of_the_swing_up_is_that_of_differences() -> None:
    # The height of the pole after two seconds of a force of five waves, by their amplitudes.
    waves = " + ".join(f"a{k}*sin({k}*pi*t/2)" for k in range(1, 6))
    names = [f"a{k}" for k in range(1, 6)]
    text = (
        "param " + ", ".join(f"{n} = {3 - 0.7 * k}" for k, n in enumerate(names)) + "\n"
        "param M = 1, m = 0.3, l = 0.5, g = 9.81\ncoord s, theta\nparticle cart: mass M at (s, 0)\n"
        "particle pole: mass m at (s + l*sin(theta), -l*cos(theta))\ngravity: (0, -g)\n"
        f"force motor: s = {waves}\noutput height: -l*cos(theta) - s^2\nsimulate to 2\n"
    )
    model = galilei.parse(text)
    found = model.sensitivities(by=names, gradient="height").gradient
    assert found is not None
    for k, name in enumerate(names):
        value = 3 - 0.7 * k

        def height(v: float, name: str = name) -> float:
            return float(model.set(**{name: v}).simulate(tolerance=1e-14)["height"][-1])

        h = 1e-3
        # Fourth order in h.
        slope = (8 * (height(value + h) - height(value - h)) - height(value + 2 * h) + height(value - 2 * h)) / (12 * h)
        assert abs(found.by_parameters[name] - slope) < 1e-8 * max(1, abs(slope))


def test_fits_beside_scipy_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import fit_beside_scipy as beside

    data = beside.measured()
    ours, theirs = beside.by_sensitivities(*data), beside.by_differences(*data)
    assert all(abs(ours[k] - theirs[k]) < 1e-4 * abs(theirs[k]) for k in ours)
