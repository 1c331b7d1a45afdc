"""Numbers and formulas of the classical route, through the Python API: the Lagrangian as SymPy reads it, and
the model of the gallery."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from conftest import model_file

import galilei

#: Relative to the largest entry.
TOLERANCE = 1e-12


def names(oracle: Any) -> list[str]:
    coordinates = oracle["coordinates"]
    return [*coordinates, *(f"u_{c}" for c in coordinates), *(f"p_{c}" for c in coordinates)]


def read(oracle: Any, text: str) -> sympy.Expr:
    """A formula of an oracle, with velocities and momenta named as the model language has them."""
    known = {n: sympy.Symbol(n) for n in [*names(oracle), *oracle["parameters"], "t"]}
    for c in oracle["coordinates"]:
        known[f"u_{c}"] = sympy.Symbol(f"{c}'")
        known[f"p_{c}"] = sympy.Symbol(f"p({c})")
    return sympy.sympify(text, locals=known)


def literal(oracle: Any) -> galilei.System:
    """The oracle's Lagrangian, forces and constraints, word by word."""
    system = galilei.System(oracle["description"].replace('"', "")).param(**oracle["parameters"])
    system.coord(*oracle["coordinates"]).lagrangian(read(oracle, oracle["lagrangian"]))
    forces = {c: read(oracle, f) for c, f in oracle["generalized_forces"].items()}
    system.force(forces, "total")
    for f in oracle.get("constraints", {}).get("functions", []):
        system.constraint(read(oracle, f))
    return system


def state(oracle: Any, entry: Any, q: str = "q", u: str = "u") -> dict[str, str]:
    entries = {c: entry[q][c] for c in oracle["coordinates"]}
    return entries | {f"{c}'": entry[u][f"u_{c}"] for c in oracle["coordinates"]}


def row(oracle: Any, entry: Any, prefix: str = "") -> np.ndarray:
    return np.array([float(entry[f"{prefix}{c}"]) for c in oracle["coordinates"]])


def close(found: np.ndarray, wanted: Any, tolerance: float = TOLERANCE) -> None:
    wanted = np.array(wanted, dtype=float)
    assert found.shape == wanted.shape
    scale = np.max(np.abs(wanted), initial=0.0)
    assert np.max(np.abs(found - wanted), initial=0.0) <= tolerance * scale


def models(oracle: Any) -> list[galilei.Model]:
    list_ = [literal(oracle).build()]
    path = model_file(oracle.get("model") or "none")
    # A model of the gallery may name its coordinates by itself only without constraints.
    if path.exists() and "constraints" not in oracle:
        list_.append(galilei.load(path))
    return list_


@pytest.mark.filterwarnings("ignore::galilei.GalileiWarning")
def test_the_numbers_at_states(oracle: Any) -> None:
    for model in models(oracle):
        for entry in oracle["states"]:
            at = {"t": entry["t"], **state(oracle, entry)}
            values = model.eval(at)
            close(values.mass_matrix, entry["mass_matrix"])
            close(values.acceleration, row(oracle, entry["accelerations"]))
            if entry.get("p") is not None:
                close(values.momentum, row(oracle, entry["p"], "p_"))
            if "constraints" in oracle:
                close(values.constraints["multipliers"], entry["multipliers"], 1e-11)
            else:
                close(np.array([values.hamiltonian]), [entry["H"]])


@pytest.mark.filterwarnings("ignore::galilei.GalileiWarning")
def test_the_compiled_field_at_states(oracle: Any) -> None:
    for model in models(oracle):
        entries = oracle["states"]
        x = np.array([row(oracle, e["q"]) for e in entries])
        u = np.array([row(oracle, e["u"], "u_") for e in entries])
        a = np.array([row(oracle, e["accelerations"]) for e in entries])
        times = np.array([float(e["t"]) for e in entries])
        columns = np.vstack([x.T, u.T])
        found = model.rhs(times, columns)
        for k in range(len(entries)):
            one = model.rhs(times[k], columns[:, k])
            close(one[len(x.T) :], a[k], 1e-11)
            close(found[len(x.T) :, k], a[k], 1e-11)
            assert np.array_equal(one[: len(x.T)], u[k])


@pytest.mark.filterwarnings("ignore::galilei.GalileiWarning")
def test_where_runs_end(oracle: Any) -> None:
    run = oracle.get("trajectory")
    if not run:
        pytest.skip("no run is known")
    for model in models(oracle):
        start = state(oracle, run, "initial_q", "initial_u")
        found = model.simulate(from_=float(run["t0"]), to=float(run["T"]), state=start)
        wanted = np.concatenate([row(oracle, run["final_q"]), row(oracle, run["final_u"], "u_")])
        # As many digits as are known of a nonlinear constraint's run.
        close(found.state, wanted, 1e-11)
        close(found(found.time), wanted, 1e-11)


@pytest.mark.filterwarnings("ignore::galilei.GalileiWarning")
def test_formulas_as_sympy_has_them(oracle: Any) -> None:
    if "expected_mass_matrix" not in oracle:
        pytest.skip("no formulas are known")
    model = literal(oracle).build()
    pairs = [(model.energy, oracle["expected_energy_function"])]
    rows = zip(model.mass_matrix, oracle["expected_mass_matrix"], strict=True)
    pairs += [p for row in rows for p in zip(*row, strict=True)]
    for c, found in model.accelerations.items() if len(model.coordinates) < 4 else []:
        pairs.append((found, oracle["expected_accelerations"][c]))
    rng = np.random.default_rng(1)
    for found, text in pairs:
        ours, theirs = galilei.to_sympy(found), read(oracle, text)
        free = sorted(ours.free_symbols | theirs.free_symbols, key=str)
        values = {s: oracle["parameters"].get(s.name) or rng.uniform(0.2, 0.6) for s in free}
        wanted = sympy.N(theirs.subs(values), 30)
        assert abs(sympy.N(ours.subs(values), 30) - wanted) <= 1e-12 * max(1, abs(wanted))
