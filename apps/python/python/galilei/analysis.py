"""Equilibria, modes, periodic motions, Lyapunov exponents and fits, as arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from . import _galilei
from .display import _table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    ComplexArray = NDArray[np.complex128]

__all__ = [
    "Equilibria",
    "Equilibrium",
    "Fit",
    "Lyapunov",
    "Modes",
    "PeriodicMotion",
    "PeriodicMotions",
    "measured",
]


def _complex(pairs: Sequence[Any]) -> ComplexArray:
    """Pairs of real and imaginary parts as complex numbers."""
    import numpy as np

    values = np.asarray(pairs, dtype=np.float64)
    if values.size == 0:
        return np.zeros(0, dtype=np.complex128)
    found: ComplexArray = values[..., 0] + 1j * values[..., 1]
    return found


def _array(values: Any) -> Array:
    import numpy as np

    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _axes(ax: Any) -> Any:
    import matplotlib.pyplot as plt

    return plt.figure().add_subplot() if ax is None else ax


def _plane(values: ComplexArray, ax: Any) -> Any:
    """Complex numbers as points of the plane."""
    ax = _axes(ax)
    ax.plot(values.real, values.imag, "x")
    ax.set_xlabel("real part")
    ax.set_ylabel("imaginary part")
    return ax


def _written(z: complex) -> str:
    return f"{z.real:.6g}" if z.imag == 0 else f"{z.real:.6g} {'-' if z.imag < 0 else '+'} {abs(z.imag):.6g}i"



def _stability(found: Equilibrium | PeriodicMotion) -> str:
    if found.stable is None:
        return "linearly stable, stability open" if found.linearly_stable else "stability open"
    return "stable" if found.stable else "unstable"


class Modes(dict[str, Any]):
    """The linearised motion at a state, δẏ = A·δy + B·δu, in the coordinates y that constraints leave: the entries of the
    JSON document, with matrices, eigenvalues and vectors (as rows) as arrays; also as attributes."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        import numpy as np

        super().__init__(document)
        n, m, k = (len(document[name]) for name in ("independent", "inputs", "outputs"))
        for name, shape in {"A": (n, n), "B": (n, m), "C": (k, n), "D": (k, m)}.items():
            if document[name] is not None:
                self[name] = np.array(document[name], dtype=float).reshape(shape)
        for name in ("eigenvalues", "vectors"):
            parts = np.array(document[name], dtype=float)
            self[name] = parts[..., 0] + 1j * parts[..., 1]
        for name in ("frequencies_hz", "damping_ratios", "residuals"):
            self[name] = _array(document[name])

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def state_space(self) -> Any:
        """A ``control.StateSpace`` of python-control: from the inputs of the model to its outputs, or to the independent
        coordinates if it has none."""
        import control
        import numpy as np

        names, inputs, outputs = self["independent"], self["inputs"], self["outputs"]
        b = self["B"] if inputs else np.zeros((len(names), 0))
        c = self["C"] if outputs else np.eye(len(names))
        d = self["D"] if inputs and outputs else np.zeros((len(c), len(inputs)))
        return control.ss(
            self["A"], b, c, d, inputs=inputs or None, outputs=outputs or names, states=names
        )

    def plot(self, ax: Any = None) -> Any:
        """Draws the eigenvalues in the complex plane, with Matplotlib; the axes."""
        return _plane(self.eigenvalues, ax)

    def _rows(self) -> list[tuple[str, str, str]]:
        ratios = self.damping_ratios
        return [
            (_written(s), f"{self.frequencies_hz[k]:.6g}", f"{ratios[k]:.6g}")
            for k, s in enumerate(self.eigenvalues)
        ]

    def __repr__(self) -> str:
        return "\n".join(f"{s:<32} {f:>12} Hz  damping {d}" for s, f, d in self._rows())

    def _repr_html_(self) -> str:
        head = ("eigenvalue", "frequency in Hz", "damping ratio")
        names = ", ".join(f"<code>{escape(n)}</code>" for n in self.independent)
        return f"<p>Independent: {names}</p>" + _table(head, self._rows())


def measured(data: Any) -> tuple[list[float], list[tuple[str, list[float | None]]]]:
    """The times and the outputs of one measured run: from the path of a file, or from a mapping from ``"t"`` and outputs
    to arrays, in which NaN is a missing value."""
    import numpy as np

    if isinstance(data, (str, os.PathLike)):
        return _galilei.Model.measurements([os.fspath(data)])
    columns = {name: np.asarray(data[name], dtype=float) for name in data}
    outputs = [
        (name, [None if np.isnan(v) else float(v) for v in column])
        for name, column in columns.items()
        if name != "t"
    ]
    return [float(t) for t in np.asarray(data["t"], dtype=float)], outputs


class Fit(dict[str, Any]):
    """Parameters and initial values that fit measurements best: the entries of the JSON document, with the covariance as
    an array, ``residuals`` as rows (time, number of the output, measured, computed), and ``converged``; also as
    attributes."""

    def __init__(
        self,
        document: Mapping[str, Any],
        residuals: Sequence[tuple[float, int, float, float]],
        converged: bool,
        outputs: Sequence[str],
    ) -> None:
        import numpy as np

        super().__init__(document)
        self["covariance"] = np.array(document["covariance"], dtype=float)
        self["residuals"] = list(residuals)
        self["converged"] = converged
        self["outputs"] = tuple(outputs)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def estimates(self) -> dict[str, float]:
        """The values by name, as `Model.set` takes them."""
        return {name: p["value"] for name, p in self["parameters"].items()}

    def plot(self, axes: Any = None) -> Any:
        """Draws data and fit, and below them the residuals, with Matplotlib; the two axes."""
        import matplotlib.pyplot as plt

        above, below = plt.figure().subplots(2, 1, sharex=True) if axes is None else axes
        for k, name in enumerate(self["outputs"]):
            rows = sorted((t, m, c) for t, output, m, c in self["residuals"] if output == k)
            [line] = above.plot([r[0] for r in rows], [r[1] for r in rows], ".", label=name)
            above.plot([r[0] for r in rows], [r[2] for r in rows], "-", color=line.get_color())
            below.plot([r[0] for r in rows], [r[1] - r[2] for r in rows], ".", color=line.get_color())
        above.legend()
        below.set_xlabel("t")
        below.set_ylabel("data − fit")
        return above, below

    def _rows(self) -> list[tuple[str, str, str]]:
        def error(deviation: float | None) -> str:
            return "not determined" if deviation is None else f"{deviation:.3g}"

        parameters = self["parameters"].items()
        return [(n, f"{p['value']:.10g}", error(p["standard_error"])) for n, p in parameters]

    def __repr__(self) -> str:
        return "\n".join(f"{n} = {v} ± {e}" for n, v, e in self._rows())

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(u)}</p>" for u in self["undetermined"])
        return _table(("unknown", "value", "standard error"), self._rows()) + said


class Equilibrium:
    """A rest position or a steady motion."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.position: Array = _array(document["position"])
        self.velocity: Array = _array(document["velocity"])
        self.multipliers: Array = _array(document["multipliers"])
        #: The largest residual of the equations.
        self.residual: float = document["residual"]
        #: ``"proved"`` with formulas, ``"certified"`` in a small box, or ``"sampled"``.
        self.verdict: str = document["verdict"]
        #: Whether it is stable, modulo symmetries; ``None`` where no argument decides.
        self.stable: bool | None = document["stable"]
        #: Whether the linearised motion is bounded, modulo symmetries; ``None`` where that is open.
        self.linearly_stable: bool | None = document["linearly_stable"]
        #: The argument that decided, or why none did.
        self.reason: str = document["reason"]
        #: Index and nullity of the second variation of the amended potential; ``None`` without an energy.
        self.energy_hessian: dict[str, int] | None = document["energy_hessian"]
        self.eigenvalues: ComplexArray = _complex(document["eigenvalues"])
        #: The values of free parameters.
        self.parameters: dict[str, float] = dict(document.get("parameters") or {})
        #: Formulas of the positions, in the model language.
        self.formulas: dict[str, str] | None = document["formulas"]
        #: Whether other equilibria are arbitrarily near.
        self.family: bool = document["family"]

    def __repr__(self) -> str:
        kind = "steady motion" if self.velocity.any() else "rest"
        return f"{kind} at {self.position}, {_stability(self)}, {self.verdict}"


class Equilibria(list[Equilibrium]):
    """The equilibria that were found, the nearest to the guess first."""

    def __init__(self, document: Mapping[str, Any], names: Sequence[str]) -> None:
        super().__init__(Equilibrium(e) for e in document["equilibria"])
        self._names = tuple(names)

    def _repr_html_(self) -> str:
        rows = []
        for e in self:
            formulas = e.formulas or {}
            place = ", ".join(
                f"<code>{escape(n)}</code> = {escape(formulas.get(n, f'{x:.6g}'))}"
                for n, x in zip(self._names, e.position, strict=True)
            )
            rows.append((place, _stability(e), escape(e.reason), e.verdict))
        return _table(("position", "stability", "because", "known"), rows)


class PeriodicMotion:
    """A periodic motion with its Floquet multipliers."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.period: float = document["period"]
        self.time: float = document["state"]["time"]
        self.position: Array = _array(document["state"]["position"])
        self.velocity: Array = _array(document["state"]["velocity"])
        #: The distance of the state after one period from the first one.
        self.residual: float = document["residual"]
        #: The value of the varied quantity.
        self.parameter: float | None = document["parameter"]
        self.multipliers: ComplexArray = _complex(document["multipliers"])
        #: The number of multipliers that must be 1.
        self.trivial: int = document["trivial"]
        self.stable: bool | None = document["stable"]
        #: Whether the linearised motion near the orbit is bounded, modulo symmetries; ``None`` where that is open.
        self.linearly_stable: bool | None = document["linearly_stable"]
        #: ``"fold"``, ``"flip"``, ``"torus"`` or ``"branch"``.
        self.bifurcation: str | None = document["bifurcation"]

    def plot(self, ax: Any = None) -> Any:
        """Draws the multipliers with the unit circle, with Matplotlib; the axes."""
        import numpy as np

        ax = _plane(self.multipliers, ax)
        turn = np.exp(2j * np.pi * np.linspace(0, 1, 201))
        ax.plot(turn.real, turn.imag, linewidth=0.8)
        ax.set_aspect("equal")
        return ax

    def __repr__(self) -> str:
        kind = f", {self.bifurcation}" if self.bifurcation else ""
        along = "" if self.parameter is None else f"{self.parameter!r}: "
        return f"{along}period {self.period!r}, {_stability(self)}{kind}"


class PeriodicMotions(list[PeriodicMotion]):
    """Periodic motions in the order of their family."""

    def __init__(self, document: Mapping[str, Any], names: Sequence[str]) -> None:
        super().__init__(PeriodicMotion(m) for m in document["motions"])
        self._names = tuple(names)

    @property
    def parameters(self) -> Array:
        """The values of the varied quantity."""
        return _array([m.parameter for m in self])

    @property
    def periods(self) -> Array:
        """The periods."""
        return _array([m.period for m in self])

    @property
    def bifurcations(self) -> list[PeriodicMotion]:
        """The motions at which a bifurcation was located."""
        return [m for m in self if m.bifurcation]

    def plot(self, of: str | None = None, ax: Any = None) -> Any:
        """Draws a family over its parameter: the period, or a coordinate at the start (``of``), unstable motions dashed,
        bifurcations as dots, with Matplotlib; the axes."""
        import numpy as np

        ax = _axes(ax)
        x = self.parameters
        y = (
            self.periods
            if of is None
            else np.array([m.position[self._names.index(of)] for m in self])
        )
        stable = np.array([m.stable is not False for m in self])
        ax.plot(x, np.where(stable, y, np.nan), "-")
        ax.plot(x, np.where(stable, np.nan, y), "--")
        for k, m in enumerate(self):
            if m.bifurcation:
                ax.plot(x[k], y[k], "o")
                ax.annotate(m.bifurcation, (x[k], y[k]))
        ax.set_xlabel("parameter")
        ax.set_ylabel(of or "period")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            (
                "" if m.parameter is None else f"{m.parameter:.6g}",
                f"{m.period:.10g}",
                _stability(m),
                m.bifurcation or "",
            )
            for m in self
        ]
        return _table(("parameter", "period", "stability", "bifurcation"), rows)


class Lyapunov:
    """Lyapunov exponents of a motion, the largest first."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.exponents: Array = _array(document["exponents"])
        #: The standard error of each, not a number where the run is too short for one.
        self.standard_error: Array = _array(document["standard_error"])
        #: The time that was followed.
        self.time: float = document["time"]
        self.sum: float = document["sum"]
        #: The time mean of the divergence; ``None`` where it is not known.
        self.expected_sum: float | None = document["expected_sum"]
        #: Times, and the exponents until then.
        self.convergence: list[tuple[float, Array]] = [
            (c["time"], _array(c["exponents"])) for c in document["convergence"]
        ]
        #: ``"finished"`` or ``"failed"``.
        self.status: str = document["status"]
        self.reason: str | None = document["reason"]

    def plot(self, ax: Any = None) -> Any:
        """Draws the exponents until earlier times, with Matplotlib; the axes."""
        ax = _axes(ax)
        points = [*self.convergence, (self.time, self.exponents)]
        for k in range(len(self.exponents)):
            ax.plot([t for t, _ in points], [e[k] for _, e in points], "o-")
        ax.set_xlabel("time")
        ax.set_ylabel("exponents")
        return ax

    def __repr__(self) -> str:
        pairs = zip(self.exponents, self.standard_error, strict=True)
        return "\n".join(f"{e:.8f} ± {s:.1e}" for e, s in pairs)

    def _repr_html_(self) -> str:
        pairs = zip(self.exponents, self.standard_error, strict=True)
        rows = [(f"{e:.8f}", f"{s:.1e}") for e, s in pairs]
        return _table(("exponent", "standard error"), rows)
