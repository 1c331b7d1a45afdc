"""Models and the computations with them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from . import _galilei
from .analysis import Equilibria, Fit, Lyapunov, Modes, PeriodicMotions, measured
from .derivation import Check, Derivation, Section, Verdict
from .errors import Diagnostic, RunError, diagnostics, warn
from .evaluation import Evaluation
from .expression import Expr, ExprLike, Parameter
from .forms import Chart, Form, VectorField
from .kept import Origin
from .minimise import Minimum, minimise
from .precise import PreciseRun
from .request import Names, State, integer, names, settings, span, state_text, texts
from .run import Run
from .sensitivities import Sensitivities
from .signals import Signal, driven
from .stationary import StationaryMotions
from .sweep import Axes, Sweep, request

if TYPE_CHECKING:
    from .run import Array

__all__ = ["Evaluation", "Model", "decide", "load", "parse"]


def load(path: str | os.PathLike[str], *, set: Mapping[str, ExprLike] | None = None) -> Model:
    """Reads a model file, with values for parameters and constants.

    >>> import galilei
    >>> galilei.load("nowhere.gal")
    Traceback (most recent call last):
    galilei.errors.ReadingError: error[cannot_read]: nowhere.gal cannot be read: No such file or directory (os error 2)
     |
     = hint: check the path
    """
    given = settings(set)
    model = _galilei.Model.open(os.fspath(path), texts(given))
    warn(model.warnings)
    return Model(model, given)


def parse(text: str, *, name: str = "model", set: Mapping[str, ExprLike] | None = None) -> Model:
    """Reads the text of a model; ``name`` is the name of the file in messages.

    >>> import galilei
    >>> galilei.parse("coord x\\nparam m\\nkinetic: m*x'^2/2").lagrangian
    m*x'^2/2
    """
    model = restored(text, name, settings(set))
    warn(model._model.warnings)
    return model


def restored(text: str, name: str, settings: Mapping[str, str]) -> Model:
    """A model that was read before; warnings are not repeated."""
    return Model(_galilei.Model(text, name, texts(settings)), settings)


def restored_rhs(text: str, name: str, settings: list[str]) -> _galilei.Field:
    """The compiled equations of a model that was read before."""
    return _galilei.Model(text, name, settings).field()


def decide(claim: str, *, assume: str | list[str] | None = None) -> Verdict:
    """The verdict on an identity.

    >>> bool(decide("sin(x)^2 + cos(x)^2 = 1"))
    True
    >>> decide("sqrt(x^2) = x").verdict
    'refuted'
    >>> decide("sqrt(x^2) = x", assume="x > 0").verdict
    'proved'
    """
    list_ = [assume] if isinstance(assume, str) else assume or []
    return Verdict(_galilei.decide(claim, list_))


class Model:
    """A mechanical system. Make one with :func:`load`, :func:`parse` or :class:`System`; it does not
    change."""

    def __init__(self, model: _galilei.Model, settings: Mapping[str, str]) -> None:
        self._model = model
        #: The values that were given for parameters and constants.
        self.settings = dict(settings)
        #: What reading had to say.
        self.warnings: tuple[Diagnostic, ...] = diagnostics(model.warnings)

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.source, self._model.name, self.settings)

    # What it says

    @property
    def title(self) -> str:
        """The title, or the name of the file."""
        return self._model.title

    @property
    def source(self) -> str:
        """The text."""
        return self._model.source

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates, in order."""
        return tuple(self._model.coordinates)

    @property
    def parameters(self) -> dict[str, Expr | None]:
        """The parameters with their values in SI units; none without a default.

        >>> import galilei
        >>> m = galilei.parse("param l = 50 [cm], k = 2*l [m]\\ncoord x\\nkinetic: x'^2/2")
        >>> m.parameters["k"], float(m.parameters["k"])
        (2*l, 1.0)
        """
        list_ = self._model.parameters
        return {n: None if text is None else Parameter(text, v) for n, text, v in list_}

    @property
    def constraints(self) -> dict[str, Expr]:
        """The constraint functions, left side − right side, by name."""
        return {name: Expr(function) for name, function in self._model.constraints}

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(self._model.outputs)

    @property
    def events(self) -> tuple[str, ...]:
        """The names of the events."""
        return tuple(self._model.events)

    @property
    def charts(self) -> tuple[str, ...]:
        """The names of other charts."""
        return tuple(self._model.charts)

    @property
    def space_time(self) -> Chart:
        """The chart (t, x) of space-time, for forms and vector fields."""
        return Chart(("t", *self.coordinates))

    @property
    def state_space(self) -> Chart:
        """The chart (t, x, x') of the state space, for forms and vector fields.

        >>> import galilei
        >>> model = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: x^2/2")
        >>> model.action_form == model.state_space.form(r"d(x') /\\ contact(x) - x*d(x) /\\ d(t)")
        True
        >>> galilei.interior(model.motion, model.action_form)
        0
        """
        velocities = (f"{name}'" for name in self.coordinates)
        return Chart(("t", *self.coordinates, *velocities))

    @property
    def action_form(self) -> Form:
        """The two-form Ω of the system without its constraints."""
        return self.state_space.form(self._model.action_form())

    @property
    def motion(self) -> VectorField:
        """The second-order field Z of the system without its constraints: Z ⌟ Ω = 0."""
        accelerations = self._model.accelerations()
        if accelerations is None:
            raise ValueError("the mass matrix is singular: there is no field of the motion")
        velocities = [f"{name}'" for name in self.coordinates]
        return VectorField(self.state_space, ["1", *velocities, *accelerations])

    def set(self, **values: ExprLike) -> Model:
        """The model with other values for parameters and constants; those given before are kept.

        >>> import galilei
        >>> m = galilei.parse("param a = 1, b = 1\\ncoord x\\nkinetic: a*b*x'^2/2")
        >>> m.set(a=2).set(b=3).eval(x=0).mass_matrix
        array([[6.]])
        """
        return parse(self.source, name=self._model.name, set={**self.settings, **values})

    def __repr__(self) -> str:
        n = len(self.coordinates)
        kind = f"{n} degree{'' if n == 1 else 's'} of freedom"
        if self.constraints:
            kind += (
                f", {len(self.constraints)} constraint{'s' if len(self.constraints) > 1 else ''}"
            )
        return f"<{self.title}: {kind}>"

    def _repr_html_(self) -> str:
        from .display import model

        return model(self)

    # What holds and what follows

    def check(self) -> Check:
        """Verdicts on geometry, forces, constraints and units."""
        document, text, warnings = self._model.check()
        return Check(document, text, warn(warnings))

    def derive(self, *what: str, chart: str | None = None) -> Derivation:
        """Equations and forms; ``derive("all")`` gives everything, ``derive()`` the equations and the
        energy."""
        sections, warnings = self._model.derive(list(what), chart)
        warn(warnings)
        return Derivation({s[0]: Section(*s) for s in sections})

    def _section(self, word: str) -> Section:
        if word not in self._sections:
            self._sections[word] = self.derive(word)[word]
        return self._sections[word]

    @cached_property
    def _sections(self) -> dict[str, Section]:
        return {}

    def _entry(self, word: str, entry: str) -> Any:
        section = self._section(word)
        found = section[entry] if entry in section.entries() else None
        if found is None:
            raise AttributeError(section.reason or f"there is no {entry} here")
        return found

    @property
    def lagrangian(self) -> Expr:
        """The Lagrangian L."""
        found: Expr = self._entry("lagrangian", "value")
        return found

    @property
    def energy(self) -> Expr:
        """The energy uⁱ∂L/∂uⁱ − L."""
        found: Expr = self._entry("energy", "value")
        return found

    @property
    def hamiltonian(self) -> Expr:
        """The Hamiltonian H in positions and momenta ``p(x)``."""
        found: Expr = self._entry("hamiltonian", "value")
        return found

    @property
    def mass_matrix(self) -> tuple[tuple[Expr, ...], ...]:
        """The mass matrix ∂²L/∂u∂u, row by row."""
        rows = self._section("metric").components
        return tuple(tuple(row.values()) for row in rows.values())

    @property
    def equations(self) -> dict[str, Expr]:
        """Lagrange's equations: the left sides, which are zero, by coordinate."""
        return self._section("lagrange").components

    @property
    def accelerations(self) -> dict[str, Expr]:
        """The accelerations by coordinate, with reactions where there are constraints."""
        word = "reaction" if self.constraints else "lagrange"
        found: dict[str, Expr] = self._entry(word, "accelerations")
        return found

    @property
    def reactions(self) -> dict[str, Expr]:
        """The covector of the constraint forces by coordinate, with ``multiplier(NAME)``."""
        return self._section("reaction").components if self.constraints else {}

    @property
    def multipliers(self) -> dict[str, Expr]:
        """The multipliers of the constraints."""
        found: dict[str, Expr] = self._entry("reaction", "multipliers") if self.constraints else {}
        return found

    # Numbers

    def eval(
        self, state: State = None, *, chart: str | None = None, **entries: ExprLike
    ) -> Evaluation:
        """Every quantity at one state. Entries that are not given come from ``initial``, then 0; bare
        numbers take the unit of their coordinate.

        >>> import galilei
        >>> m = galilei.parse("coord x\\nkinetic: x'^2\\npotential: x^2")
        >>> m.eval({"x": 2, "x'": 1}).acceleration
        array([-2.])
        >>> m.eval(x=2).potential_energy
        4.0
        """
        document, warnings = self._model.evaluate(state_text(state, entries), chart)
        warn(warnings)
        return Evaluation(document)

    @cached_property
    def rhs(self) -> _galilei.Field:
        """The equations of motion as a compiled function ``rhs(t, y, out=None)`` of y = (x, u),
        as for SciPy's ``solve_ivp``. States may be the columns of a matrix, with one time or one
        for each (``vectorized=True``); many are computed in lanes, without Python's lock.

        >>> import galilei, numpy as np
        >>> f = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: 2*x^2").rhs
        >>> f(0.0, np.array([3.0, 5.0]))
        array([  5., -12.])
        >>> f(0.0, [[3, 1], [5, 0]])
        array([[  5.,   0.],
               [-12.,  -4.]])
        """
        return self._model.field()

    @property
    def initial(self) -> Array:
        """The initial state: x, then u."""
        import numpy as np

        document, _ = self._model.evaluate("", None)
        return np.array(document["position"] + document["velocity"])

    @overload
    def simulate(
        self,
        *,
        to: float | None = None,
        from_: float | None = None,
        every: float | None = None,
        method: str | None = None,
        tolerance: float | None = None,
        step: float | None = None,
        project: bool = False,
        accept_balance: bool = False,
        state: State = None,
        dense: bool = True,
        inputs: Mapping[str, Signal] | None = None,
        interpolation: str = "linear",
        input_tolerance: float = 1e-9,
        precision: None = None,
    ) -> Run: ...

    @overload
    def simulate(
        self,
        *,
        to: float | None = None,
        from_: float | None = None,
        every: float | None = None,
        method: str | None = None,
        tolerance: float | None = None,
        step: float | None = None,
        project: bool = False,
        accept_balance: bool = False,
        state: State = None,
        dense: bool = True,
        inputs: Mapping[str, Signal] | None = None,
        interpolation: str = "linear",
        input_tolerance: float = 1e-9,
        precision: int,
    ) -> PreciseRun: ...

    def simulate(
        self,
        *,
        to: float | None = None,
        from_: float | None = None,
        every: float | None = None,
        method: str | None = None,
        tolerance: float | None = None,
        step: float | None = None,
        project: bool = False,
        accept_balance: bool = False,
        state: State = None,
        dense: bool = True,
        inputs: Mapping[str, Signal] | None = None,
        interpolation: str = "linear",
        input_tolerance: float = 1e-9,
        precision: int | None = None,
    ) -> Run | PreciseRun:
        """A run; settings that are not given are those of the model. ``state`` replaces entries of the
        initial state, ``step`` is the step size of methods with constant steps, ``project`` starts
        from the nearest state on the constraints, ``dense=False`` omits the dense output of
        ``run(t)``. A run that fails raises :class:`RunError`, which contains it. A run whose energy
        is not balanced by the work done also fails, unless ``accept_balance`` is set.

        ``inputs`` replaces the formulas of inputs: by values on an even grid over the run, by
        ``(times, values)`` or rows ``(t, value)``, between which ``interpolation`` is ``"linear"``,
        ``"cubic"``, ``"periodic"`` or ``"steps"`` (held), or by a function of time, which is sampled before
        the run until its cubic spline is as good as ``input_tolerance`` at places between all points. The
        first points are 1/128 of the run apart: shorter pulses are given as arrays.

        ``precision`` is 106 or 212 bits, about 32 or 64 digits; the run is a :class:`PreciseRun` then,
        by Taylor series with a tolerance down to 1e-32 or 1e-64, without ``inputs``.

        >>> import galilei
        >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: x^2/2\\ninitial x = 1")
        >>> run = m.simulate(to=10, every=0.1)
        >>> run.t.shape, run.x.shape, run["x"][0]
        ((101,), (101, 1), np.float64(1.0))
        >>> cart = galilei.parse("coord x\\nkinetic: x'^2/2\\ninput u\\nforce: x = u")
        >>> cart.simulate(to=2, inputs={"u": ([0, 1, 2], [1, 1, -1])})["x'"][-1].round(12)
        np.float64(1.0)
        >>> cart.simulate(to=1, inputs={"u": lambda t: 3 * t**2})["x'"][-1].round(8)
        np.float64(1.0)
        """
        asked = span(to, from_, every, method, tolerance, step, project, accept_balance)
        start = state_text(state)
        if precision is not None:
            if inputs:
                raise ValueError("inputs have the digits of doubles: leave out `precision`")
            precise, warnings = self._model.simulate_precisely(start, asked, precision)
            warn(warnings)
            found = PreciseRun(precise)
            if found.status == "failed":
                raise RunError(f"the run failed at t = {found.time}: {precise.reason}", found)
            return found
        model, given_signals = driven(self._model, inputs, interpolation, from_, to, input_tolerance)
        run, warnings = model.simulate(start, asked, dense)
        warn(warnings)
        given = tuple(texts(self.settings))
        origin = Origin(self.source, self._model.name, given, start, asked, given_signals)
        return _finished(Run(run, origin))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(self._model.inputs)

    def modes(self, state: State = None, **entries: ExprLike) -> Modes:
        """The linearised motion at a state: ``A``, ``B``, ``C``, ``D`` as arrays (none without inputs or
        outputs), their names, ``eigenvalues``, ``vectors``, frequencies and damping ratios.

        >>> import galilei
        >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: 2*x^2\\ninput u\\nforce: x = u")
        >>> found = m.modes(x=0)
        >>> found["A"], found["B"]
        (array([[ 0.,  1.],
               [-4.,  0.]]), array([[0.],
               [1.]]))
        """
        document, warnings = self._model.modes(state_text(state, entries))
        warn(warnings)
        return Modes(document)

    def linear_system(self, state: State = None, **entries: ExprLike) -> Any:
        """The linearised motion as a ``control.StateSpace`` of python-control: from the inputs of the model
        to its outputs, or to the independent coordinates if it has none."""
        return self.modes(state, **entries).state_space()

    def fit(
        self,
        data: Any,
        free: Names,
        *,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        deviations: Mapping[str, float] | None = None,
        starts: int = 1,
        seed: int = 1,
        segments: int = 1,
        profile: bool = False,
    ) -> Fit:
        """Parameters and initial values (``x``, ``x'``) from measurements: ``data`` is the path of a file,
        or a mapping from ``"t"`` and outputs to arrays, in which NaN is a missing value, or a list of these,
        one for each of several runs, which share parameters and have initial values ``x@1``, ``x@2`` of
        their own. ``deviations`` weigh outputs; ``segments`` is the number of segments for multiple shooting;
        ``profile`` gives intervals of confidence without linearisation. The result has
        ``parameters`` with ``value`` and ``standard_error``, ``covariance``, ``residual_rms``,
        ``identifiable``, ``undetermined``, and ``residuals`` as rows (time, output, measured, computed).

        >>> import galilei, numpy as np
        >>> m = galilei.parse("param k = 3\\ncoord x\\nkinetic: x'^2/2\\npotential: k*x^2/2\\n"
        ...                   "initial x = 1\\noutput place: x")
        >>> t = np.linspace(0, 2, 20)
        >>> found = m.fit({"t": t, "place": np.cos(2 * t)}, ["k"])
        >>> round(found["parameters"]["k"]["value"], 9)
        4.0
        """
        runs = [measured(d) for d in data] if isinstance(data, (list, tuple)) else [measured(data)]
        found, residuals, converged, warnings = self._model.fit(
            runs, names(free), [(n, float(a), float(b)) for n, (a, b) in (bounds or {}).items()],
            [(n, float(s)) for n, s in (deviations or {}).items()], starts, seed, segments, profile,
        )  # fmt: skip
        warn(warnings)
        outputs = list(dict.fromkeys(name for _, columns in runs for name, _ in columns))
        return Fit(found, residuals, converged, outputs)

    def export_unit(self, path: str | os.PathLike[str], *, version: int = 3) -> None:
        """Writes a functional mock-up unit, FMI 3.0 or 2.0, for model exchange and co-simulation."""
        archive, warnings = self._model.unit(version == 2)
        warn(warnings)
        with open(path, "wb") as file:
            file.write(archive)

    def sensitivities(
        self,
        *,
        by: list[str] | tuple[str, ...] = (),
        gradient: str | None = None,
        to: float | None = None,
        from_: float | None = None,
        every: float | None = None,
        tolerance: float | None = None,
        project: bool = False,
        state: State = None,
    ) -> Sensitivities:
        """A run with its state-transition matrix, sensitivities ``by`` parameters, and the
        ``gradient`` of a final coordinate, velocity or output by all earlier states.

        >>> import galilei
        >>> m = galilei.parse("param k = 4\\ncoord x\\nkinetic: x'^2/2\\npotential: k*x^2/2\\n"
        ...                   "initial x = 1")
        >>> near = m.sensitivities(by=["k"], to=1)
        >>> from math import cos, sin
        >>> bool(abs(near.transition[0, 0] - cos(2)) < 1e-12)
        True
        >>> bool(abs(near.sensitivities["k"][0] + sin(2) / 4) < 1e-12)
        True
        """
        asked = span(to, from_, every, tolerance=tolerance, project=project)
        found, warnings = self._model.sensitivities(state_text(state), asked, list(by), gradient)
        warn(warnings)
        near = Sensitivities(found)
        _finished(near.run)
        return near

    #: The earlier name of :meth:`sensitivities`.
    jacobi = sensitivities

    def minimise(
        self,
        of: str,
        free: Names,
        *,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        tolerance: float = 1e-8,
        iterations: int = 200,
        to: float | None = None,
        from_: float | None = None,
    ) -> Minimum:
        r"""The least final value of a coordinate, a velocity or an output over parameters and initial values
        (``x``, ``x'``), by descent along the gradient of the adjoint; ``bounds`` limit them. To look for the largest
        value, give an output with the other sign. The minimum is a local one.

        >>> import galilei
        >>> m = galilei.parse("param k = 1\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\n"
        ...                   "initial x = 1\noutput miss: (x - 1/2)^2")
        >>> found = m.minimise("miss", ["k"], to=1)
        >>> round(found.parameters["k"], 4), found.converged
        (1.0966, True)
        """
        settings = {"to": to, "from_": from_}
        return minimise(self, of, list(names(free)), bounds or {}, tolerance, iterations, settings)

    def sweep(
        self,
        *,
        sample: int | None = None,
        seed: int = 1,
        vary: Axes = None,
        grid: Axes = None,
        shard: tuple[int, int] | None = None,
        threads: int | None = None,
        to: float | None = None,
        from_: float | None = None,
        method: str | None = None,
        tolerance: float | None = None,
        step: float | None = None,
        project: bool = False,
        state: State = None,
        lyapunov: int | None = None,
        executor: Any = None,
        shards: int | None = None,
    ) -> Sweep:
        """Many runs, in lanes and on all cores: ``sample`` draws the quantities of ``vary`` uniformly
        between two numbers, ``grid`` takes all combinations of values. Equal seeds give equal
        samples. Runs that fail are counted, not raised. ``shard=(1, 4)`` computes the first of
        four parts. ``lyapunov=1`` adds the largest Lyapunov exponent of each run and its standard error,
        for maps of chaos.

        ``executor`` has the parts computed elsewhere: anything with the ``submit`` of
        ``concurrent.futures`` (pools of processes and threads, a Dask client, mpi4py's
        ``MPIPoolExecutor``, submitit's ``AutoExecutor``) or joblib's ``Parallel``. ``shards`` is the
        number of parts; the result is the same, bit for bit. A part uses one thread unless
        ``threads`` says otherwise.

        >>> import galilei, math
        >>> m = galilei.parse("param k = 1\\ncoord x\\nkinetic: x'^2/2\\npotential: k*x^2/2\\n"
        ...                   "initial x = 1")
        >>> m.sweep(grid={"k": [1, 4, 9]}, to=math.pi)["x"].round(9)
        array([-1.,  1., -1.])
        >>> m.sweep(sample=1000, vary={"x": (-1, 1), "x'": (-0.5, 0.5)}, to=1)
        sweep of 1000 runs, 0 failed: run, x(0), x'(0), status, t, x, x', steps, energy_balance
        >>> saddle = galilei.parse("param k = 1\\ncoord x\\nkinetic: x'^2/2\\npotential: -k*x^2/2")
        >>> saddle.sweep(grid={"k": [1, 4]}, to=40, lyapunov=1)["lyapunov[1]"].round(3)
        array([1., 2.])
        """
        if executor is not None or shards is not None:
            from .cluster import sweep_with

            if executor is None:
                raise TypeError("shards are computed by an executor: give `executor`, too")
            return sweep_with(
                executor, self, shards=shards, sample=sample, seed=seed, vary=vary, grid=grid, shard=shard,
                threads=threads, to=to, from_=from_, method=method, tolerance=tolerance, step=step,
                project=project, state=state, lyapunov=lyapunov,
            )  # fmt: skip
        asked = request(
            sample=sample, seed=seed, vary=vary, grid=grid, shard=shard, threads=threads, to=to,
            from_=from_, method=method, tolerance=tolerance, step=step, project=project, state=state,
            lyapunov=lyapunov,
        )  # fmt: skip
        found, warnings = self._model.sweep(*asked)
        warn(warnings)
        return Sweep.of(found)

    def equilibria(
        self,
        state: State = None,
        *,
        free: Names = (),
        seed: int = 1,
        nearest: bool = False,
    ) -> Equilibria:
        """Rest positions and steady motions with their stability, the nearest to a guess first. The guess may lie off the
        constraints; velocities of ignorable coordinates are held. Parameters named by ``free`` are found, too: positions
        that the guess gives are then held.

        >>> import galilei
        >>> m = galilei.parse("coord q\\nkinetic: q'^2/2\\npotential: -cos(q)")
        >>> [(e.formulas["q"], e.stable) for e in m.equilibria()]
        [('0', True), ('pi', False)]
        """
        number = integer("seed", seed) or 0
        document, warnings = self._model.equilibria(state_text(state), names(free), number, nearest)
        warn(warnings)
        return Equilibria(document, self.coordinates)

    def periodic(
        self,
        period: float | None = None,
        state: State = None,
        *,
        vary: tuple[str, float, float] | None = None,
        fix_period: bool = False,
        mode: int | None = None,
        amplitude: float | None = None,
        tolerance: float | None = None,
    ) -> PeriodicMotions:
        """A periodic motion near a start with its Floquet multipliers, or with ``vary=("w", 0.5, 2)`` a family of them
        along a parameter (in SI units), along ``"energy"`` or along ``"period"``. ``mode=1`` starts in the slowest mode
        about the equilibrium nearest to the state instead of with a period.

        >>> import galilei
        >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: x^4/4\\ninitial x = 1")
        >>> [motion] = m.periodic(7)
        >>> round(motion.period, 10), motion.trivial
        (7.4162987092, 2)
        """
        if period is None and mode is None:
            raise TypeError("periodic() needs a period or a mode")
        asked = {
            "period": 1.0 if period is None else float(period),
            "at": state_text(state),
            "vary": None if vary is None else (str(vary[0]), float(vary[1]), float(vary[2])),
            "fix_period": bool(fix_period),
            "mode": None if mode is None else integer("mode", mode),
            "amplitude": amplitude,
            "tolerance": tolerance,
        }
        document, warnings = self._model.periodic(asked)
        warn(warnings)
        return PeriodicMotions(document, self.coordinates)

    def lyapunov(
        self,
        *,
        to: float | None = None,
        from_: float | None = None,
        state: State = None,
        count: int | None = None,
        tolerance: float | None = None,
    ) -> Lyapunov:
        """Lyapunov exponents of the motion from the initial state, or from ``state``: all, or the ``count`` largest.

        >>> import galilei
        >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: -x^2/2")
        >>> [float(round(e, 3)) for e in m.lyapunov(to=40).exponents]
        [1.0, -1.0]
        """
        asked = span(to, from_, None, tolerance=tolerance)
        number = None if count is None else integer("count", count)
        document, warnings = self._model.lyapunov(state_text(state), asked, number)
        warn(warnings)
        return Lyapunov(document)

    def stationary(
        self,
        *,
        start: State = None,
        end: State = None,
        free_start: Names = (),
        free_end: Names = (),
        to: float | None = None,
        from_: float | None = None,
        every: float | None = None,
        functional: str = "e",
        starts: int = 8,
        seed: int = 1,
        degree: int = 6,
        elements: int = 8,
        tolerance: float | None = None,
    ) -> StationaryMotions:
        """Motions between given ends, as curves on which an action is stationary, by their action.
        Positions at the ``start`` that are not given come from ``initial``; at the ``end`` all are
        given, or free. Where a coordinate is free its momentum vanishes. ``functional`` is one of the
        six, a to f; ``starts`` is the number of initial curves, ``seed`` draws them. A search does
        not prove that there are no other motions; a warning reports that none was found.

        >>> import galilei, math
        >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\npotential: x^2/2")
        >>> [motion] = m.stationary(start={"x": 0}, end={"x": 1}, to=4, starts=2)
        >>> motion.index, motion.minimum         # beyond half a period the action is not least
        (1, False)
        >>> bool(abs(motion.conjugate_points[0].time - math.pi) < 1e-8)
        True
        >>> bool(abs(motion(2.5)[0] - math.sin(2.5) / math.sin(4)) < 1e-9)
        True
        """
        sought = {
            "start": state_text(start),
            "end": state_text(end),
            "free_start": names(free_start),
            "free_end": names(free_end),
            "functional": functional,
            "starts": integer("starts", starts),
            "seed": integer("seed", seed),
            "degree": integer("degree", degree),
            "elements": integer("elements", elements),
        }
        asked = span(to, from_, every, tolerance=tolerance)
        found, warnings = self._model.stationary(sought, asked)
        warn(warnings)
        return StationaryMotions(found)

    # Elsewhere

    def export(self, language: str) -> str:
        """The equations of motion as a source file, in ``"rust"``, ``"c"``, ``"python"``, ``"julia"``
        without dependencies, or for ``"jax"``, ``"pytorch"`` or ``"casadi"``: accelerations, mass matrix, energy, reactions, Hamilton's right-hand
        side and the derivatives of the accelerations, as functions of the state and of parameters.

        >>> import galilei
        >>> m = galilei.parse("param k = 4\\ncoord x\\nkinetic: x'^2/2\\npotential: k*x^2/2")
        >>> there = {}
        >>> exec(m.export("python"), there)
        >>> there["accelerations"](0, [3], [0])    # and multipliers, under constraints
        ([-12.0], [])
        """
        source, warnings = self._model.export(language)
        warn(warnings)
        return source

    def page(self, path: str | os.PathLike[str] | None = None, *, to: float | None = None) -> str:
        """One page with derivation, checks, plots and animation, as HTML; written to ``path`` if that is
        given."""
        html = self._model.page(span(to), f"galilei.load({self._model.name!r}).page()")
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(html)
        return html


def _finished(run: Run) -> Run:
    if run.status == "failed":
        raise RunError(f"the run failed at t = {run.time!r}: {run._run.reason}", run)
    return run
