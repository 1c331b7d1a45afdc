"""How long a call of the compiled equations and the import take here."""

from __future__ import annotations

import subprocess
import sys
import timeit

import numpy as np

import galilei

CALLS = 100_000
IMPORT = (
    "import time; start = time.perf_counter(); import galilei; print(time.perf_counter() - start)"
)


def nanoseconds(statement: str, names: dict[str, object], calls: int = CALLS) -> float:
    """The best of several measurements of one call."""
    return 1e9 * min(timeit.repeat(statement, globals=names, number=calls, repeat=7)) / calls


def main() -> None:
    """Prints the figures."""
    text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1"
    rhs = galilei.parse(text).rhs
    y, out = np.array([1.0, 0.0]), np.empty(2)
    names: dict[str, object] = {"rhs": rhs, "y": y, "out": out}
    print(f"rhs(t, y, out)  {nanoseconds('rhs(0.0, y, out)', names):8.0f} ns")
    print(f"rhs(t, y)       {nanoseconds('rhs(0.0, y)', names):8.0f} ns")
    states, rates = np.zeros((2, 10_000)), np.zeros((2, 10_000))
    many = nanoseconds("rhs(0.0, y, out)", {"rhs": rhs, "y": states, "out": rates}, 100)
    print(f"of 10000 states {many / 10_000:8.2f} ns for each")
    seconds = [
        float(
            subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, check=True).stdout
        )
        for _ in range(7)
    ]
    print(f"import          {1e3 * min(seconds):8.1f} ms")


if __name__ == "__main__":
    main()
