"""The swing-up of a pole on a cart by the least effort, with CasADi.

The equations of motion come from a model, the optimal control problem is solved by CasADi and IPOPT with
Hermite-Simpson collocation, and the model is run with the force that they found:

    python swing_up.py
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

import galilei

MODEL = """
system "Cart with a pole"
param M = 1 [kg], m = 0.3 [kg], l = 0.5 [m], g = 9.81 [m/s^2]
coord s [m], theta [rad]
particle cart: mass M at (s, 0)
particle pole: mass m at (s + l*sin(theta), -l*cos(theta))
gravity: (0, -g)
input u [N]
force motor: s = u
simulate to 2
"""
TIME = 2.0
PIECES = 80
LARGEST_FORCE = 20.0
LONGEST_WAY = 2.0


def swing_up() -> tuple[Any, Any]:
    """The force at the nodes and middles of the pieces, and the states there."""
    import casadi

    model = types.ModuleType("cart")
    exec(galilei.parse(MODEL).export("casadi"), model.__dict__)

    def rates(y: Any, u: Any) -> Any:
        return model.driven_rates(0, y, model.DEFAULTS, u)

    problem, n, h = casadi.Opti(), 2 * PIECES + 1, TIME / PIECES
    y, u = problem.variable(4, n), problem.variable(1, n)
    for k in range(0, n - 1, 2):
        left, middle, right = (rates(y[:, i], u[i]) for i in (k, k + 1, k + 2))
        problem.subject_to(y[:, k + 2] - y[:, k] == h / 6 * (left + 4 * middle + right))
        problem.subject_to(y[:, k + 1] == (y[:, k] + y[:, k + 2]) / 2 + h / 8 * (left - right))
    # From hanging at rest to standing at rest, one way along the track.
    problem.subject_to(y[:, 0] == casadi.DM([0, 0, 0, 0]))
    problem.subject_to(y[:, n - 1] == casadi.DM([1, np.pi, 0, 0]))
    problem.subject_to(problem.bounded(-LARGEST_FORCE, u, LARGEST_FORCE))
    problem.subject_to(problem.bounded(-LONGEST_WAY, y[0, :], LONGEST_WAY))
    weights = np.tile([2.0, 4.0], PIECES)[: n - 1]
    weights = np.append(weights, 1.0)
    weights[0] = 1.0
    problem.minimize(h / 6 * casadi.dot(casadi.DM(weights).T, u**2))
    part = np.linspace(0, 1, n)
    problem.set_initial(y[0, :], part)
    problem.set_initial(y[1, :], np.pi * part)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = problem.solve()
    return np.asarray(found.value(u)).ravel(), np.asarray(found.value(y))


def main() -> None:
    """Prints how near the model comes to the end that the solver promises."""
    force, states = swing_up()
    times = np.linspace(0, TIME, len(force))
    run = galilei.parse(MODEL).simulate(inputs={"u": (times, force)}, interpolation="cubic")
    effort = float(np.trapezoid(force**2, times))
    print(f"effort: {effort:.3f} N² s, largest force: {abs(force).max():.2f} N")
    print(f"end of the model: s = {run['s'][-1]:.4f} m, theta = {run['theta'][-1]:.4f} rad")
    print(f"end of the solver: s = {states[0, -1]:.4f} m, theta = {states[1, -1]:.4f} rad")


if __name__ == "__main__":
    main()
