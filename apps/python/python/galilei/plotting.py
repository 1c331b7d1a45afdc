"""Pictures of runs, with Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run import Run

__all__ = ["plot"]


def plot(run: Run, names: Sequence[str], ax: Any, points: int) -> Any:
    """Draws columns of a run over time; the axes."""
    import matplotlib.pyplot as plt
    import numpy as np

    if ax is None:
        ax = plt.figure().add_subplot()
    times, states = run.t, None
    if run._run.ends is not None:
        times = np.linspace(*run._run.ends, points)
        states = run(times)
    for name in names:
        place = run._columns.get(name)
        if states is None or place is None or name == "t":
            ax.plot(run.t, run[name], label=name)
        else:
            ax.plot(times, states[:, place - 1], label=name)
    ax.set_xlabel("t")
    ax.legend()
    return ax
