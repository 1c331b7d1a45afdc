"""A fit by exact sensitivities beside SciPy's `least_squares` with finite differences.

The data are a damped pendulum integrated by SciPy, with noise. Both fits find the same three parameters and start
angle; the second one runs the same compiled equations by SciPy's DOP853:

    python fit_beside_scipy.py
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import galilei

MODEL = """
param w2 = 9 [1/s^2], c = 0.05 [1/s], b = 0.02
coord q
kinetic: q'^2/2
potential: -w2*cos(q)
force: q = -c*q' - b*q'*abs(q')
initial q = 1
output angle: q
simulate to 20
"""
TRUE = {"w2": 9.81, "c": 0.08, "b": 0.035, "q": 1.3}
START = {"w2": 9.0, "c": 0.05, "b": 0.02, "q": 1.0}
NOISE = 0.01


def angles(p: Any, t: Any, tolerance: float) -> Any:
    """The angles at some times by SciPy, for parameters and a start angle."""
    w2, c, b, start = p

    def rates(_: float, y: Any) -> tuple[float, float]:
        q, v = y
        return v, -w2 * math.sin(q) - c * v - b * v * abs(v)

    return solve_ivp(rates, (0, t[-1]), [start, 0], "DOP853", t, rtol=tolerance, atol=tolerance).y[0]


def measured() -> tuple[Any, Any]:
    """Times and noisy angles of the true pendulum."""
    t = np.linspace(0, 20, 201)
    noise = NOISE * np.random.default_rng(7).standard_normal(len(t))
    return t, angles(TRUE.values(), t, 1e-11) + noise


def by_sensitivities(t: Any, angle: Any) -> dict[str, float]:
    """The fit of this package, from the text of the model on."""
    found = galilei.parse(MODEL).fit({"t": t, "angle": angle}, list(START))
    return {name: float(found["parameters"][name]["value"]) for name in START}


def by_differences(t: Any, angle: Any) -> dict[str, float]:
    """The fit of SciPy, with equations written by hand."""
    # Differences of an adaptive integrator need steps well above its tolerance.
    found = least_squares(
        lambda p: angles(p, t, 1e-10) - angle,
        list(START.values()),
        jac="3-point",
        diff_step=1e-4,
        x_scale="jac",
        method="lm",
        xtol=1e-12,
        ftol=1e-12,
    )
    return dict(zip(START, found.x.tolist(), strict=True))


def main() -> None:
    """Prints both results and the ratio of their times."""
    t, angle = measured()
    seconds = []
    for name, fit in (("sensitivities", by_sensitivities), ("differences", by_differences)):
        best = np.inf
        for _ in range(3):
            start = time.perf_counter()
            found = fit(t, angle)
            best = min(best, time.perf_counter() - start)
        seconds.append(best)
        values = "  ".join(f"{k} = {v:.6f}" for k, v in found.items())
        print(f"{name:14} {1e3 * best:9.1f} ms   {values}")
    print(f"ratio {seconds[1] / seconds[0]:.1f}")


if __name__ == "__main__":
    main()
