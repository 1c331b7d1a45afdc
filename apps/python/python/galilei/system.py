"""A model written in Python, with the statements of the model language.

>>> from galilei import System, cos, sin, symbols
>>> theta, m, l, g = symbols("theta m l g")
>>> pendulum = (
...     System("Pendulum")
...     .param(m=(0.2, "kg"), l=(0.5, "m"), g=(9.81, "m/s^2"))
...     .coord("theta", unit="rad")
...     .particle("bob", mass=m, at=(l * sin(theta), -l * cos(theta)))
...     .gravity((0, -g))
...     .initial({theta: 0.3})
... )
>>> print(pendulum.text)
system "Pendulum"
param m = 0.2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]
coord theta [rad]
particle bob: mass m at (l*sin(theta), -l*cos(theta))
gravity: (0, -g)
initial theta = 0.3
>>> pendulum.build().accelerations["theta"]
-g*sin(theta)/l
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .expression import Expr, ExprLike, as_expr
from .forms import Form
from .model import Model, parse

__all__ = ["System"]


def _quantity(value: ExprLike, unit: str | None = None) -> str:
    """An expression with its unit; a pair has its own."""
    if isinstance(value, tuple):
        value, unit = value
    return _expr(value) + (f" [{unit}]" if unit else "")


def _expr(value: ExprLike) -> str:
    e = as_expr(value)
    if e.where:
        raise ValueError(f"`{e}` is written with abbreviations; see `where`")
    return e.text


def _entries(entries: Mapping[Any, ExprLike]) -> str:
    return ", ".join(f"{_expr(name)} = {_expr(value)}" for name, value in entries.items())


class System:
    """A builder of models. Every method adds one statement and returns the builder;
    :meth:`build` reports errors with their place in :attr:`text`.

    Expressions are :class:`galilei.Expr`, numbers, texts of the language, tuples of these, or
    SymPy's objects. Names may be left out where nothing refers to them.
    """

    def __init__(self, title: str | None = None) -> None:
        self._lines: list[str] = []
        if title is not None:
            if '"' in title or "\n" in title:
                raise ValueError("a title has no quotes and stands on one line")
            self._add(f'system "{title}"')

    @property
    def text(self) -> str:
        """The text of the model file."""
        return "\n".join(self._lines)

    def build(self, **values: ExprLike) -> Model:
        """The model, with values for parameters and constants.

        >>> System().coord("x").kinetic("m*x'^2/2").build()
        Traceback (most recent call last):
        galilei.errors.NamesError: error[unknown_name]: `m` is not known here
         --> system:2:10
          |
        2 | kinetic: m*x'^2/2
          |          ^
          |
          = hint: declare it: `param m = …`, `coord m` or `let m = …`
        """
        return parse(self.text + "\n", name="system", set=values)

    def __repr__(self) -> str:
        return self.text

    def _add(self, statement: str) -> System:
        self._lines.append(statement)
        return self

    def _named(self, kind: str, name: str | None, body: str) -> System:
        return self._add(f"{kind} {name}: {body}" if name else f"{kind}: {body}")

    # Declarations

    def const(self, **values: int) -> System:
        """Integers known while the model is read: ``const(n=4)``."""
        return self._add("const " + _entries(values))

    def param(self, *names: str, unit: str | None = None, **values: ExprLike) -> System:
        """Parameters with values, ``param(m=0.2, l=(50, "cm"))``, or without,
        ``param("m", unit="kg")``."""
        suffix = f" [{unit}]" if unit else ""
        list_ = [f"{name}{suffix}" for name in names]
        list_ += [f"{name} = {_quantity(value, unit)}" for name, value in values.items()]
        return self._add("param " + ", ".join(list_)) if list_ else self

    def coord(self, *names: str, unit: str | None = None, on: str | None = None) -> System:
        """Coordinates, in this order; ``"q[1..n]"`` is a family. ``on`` is the manifold of points:
        ``"sphere"``, ``"circle"`` or ``"rotations"``."""
        suffix = (f" on {on}" if on else "") + (f" [{unit}]" if unit else "")
        return self._add("coord " + ", ".join(f"{name}{suffix}" for name in names))

    def let(self, name: str | Expr, value: ExprLike) -> System:
        """An abbreviation; ``"f(s)"`` is a function, ``"r[k in 1..n]"`` a family."""
        return self._add(f"let {name} = {_expr(value)}")

    def function(self, signature: str) -> System:
        """An undetermined function: ``function("V(r)")``."""
        return self._add(f"function {signature}")

    def assume(self, *conditions: ExprLike) -> System:
        """An assumption of verdicts: ``assume(m > 0)``."""
        return self._add("assume " + ", ".join(_expr(c) for c in conditions))

    # What moves

    def particle(self, name: str | None = None, *, mass: ExprLike, at: ExprLike) -> System:
        """A particle."""
        return self._named("particle", name, f"mass {_expr(mass)} at {_expr(at)}")

    def body(
        self,
        name: str | None = None,
        *,
        mass: ExprLike,
        inertia: ExprLike,
        at: ExprLike,
        angle: ExprLike | None = None,
        rotation: str | Expr | None = None,
    ) -> System:
        """A rigid body: in the plane with an angle, in space with a rotation such as
        ``"zxz(phi, theta, psi)"``."""
        text = f"mass {_expr(mass)} inertia {_expr(inertia)} at {_expr(at)}"
        if angle is not None:
            text += f" angle {_expr(angle)}"
        if rotation is not None:
            text += f" rotation {rotation}"
        return self._named("body", name, text)

    def gravity(self, acceleration: ExprLike) -> System:
        """A uniform gravitational acceleration of all particles and bodies."""
        return self._add(f"gravity: {_expr(acceleration)}")

    def spring(
        self,
        name: str | None = None,
        *,
        stiffness: ExprLike,
        ends: tuple[ExprLike, ExprLike],
        length: ExprLike | None = None,
    ) -> System:
        """A spring between two points."""
        rest = "" if length is None else f" length {_expr(length)}"
        a, b = map(_expr, ends)
        return self._named("spring", name, f"stiffness {_expr(stiffness)}{rest} from {a} to {b}")

    def damper(
        self, name: str | None = None, *, coefficient: ExprLike, ends: tuple[ExprLike, ExprLike]
    ) -> System:
        """A damper between two points."""
        a, b = map(_expr, ends)
        return self._named("damper", name, f"coefficient {_expr(coefficient)} from {a} to {b}")

    # Energies and forces

    def kinetic(self, energy: ExprLike, name: str | None = None) -> System:
        """Adds a term to the kinetic energy T."""
        return self._named("kinetic", name, _expr(energy))

    def potential(self, energy: ExprLike, name: str | None = None) -> System:
        """Adds a term to the potential energy V."""
        return self._named("potential", name, _expr(energy))

    def lagrangian(self, function: ExprLike, name: str | None = None) -> System:
        """Adds a term to the Lagrangian L."""
        return self._named("lagrangian", name, _expr(function))

    def vector_potential(
        self, components: Mapping[Any, ExprLike], name: str | None = None
    ) -> System:
        """The covector Aᵢ in L = T − V + Aᵢuⁱ, by coordinate."""
        return self._named("vector potential", name, _entries(components))

    def metric(self, entries: Mapping[tuple[Any, Any], ExprLike]) -> System:
        """The Galilean metric: ``metric({("x", "x"): "m"})``."""
        list_ = [f"{_expr(a)} {_expr(b)} = {_expr(e)}" for (a, b), e in entries.items()]
        return self._add("metric: " + ", ".join(list_))

    def force(
        self,
        components: Mapping[Any, ExprLike] | ExprLike,
        name: str | None = None,
        *,
        at: ExprLike | None = None,
        on: str | None = None,
    ) -> System:
        """A force: components by coordinate, a :class:`Form`, a tuple ``at`` a material point, or a
        torque ``on`` a body."""
        if isinstance(components, Mapping):
            body = _entries(components)
        elif isinstance(components, Form):
            body = f"form {components.text}"
        elif at is not None:
            body = f"{_expr(components)} at {_expr(at)}"
        elif on is not None:
            body = f"torque {_expr(components)} on {on}"
        else:
            raise TypeError(
                "a force has components by coordinate, is a Form, or acts `at` a point or `on` a body"
            )
        return self._named("force", name, body)

    def action_form(self, form: Form | str) -> System:
        """The action form Ω itself, instead of energies.

        >>> from galilei import System
        >>> system = System().coord("x").action_form(r"d(x') /\\ contact(x) - x*d(x) /\\ d(t)")
        >>> system.build().lagrangian
        x'^2/2 - x^2/2
        """
        return self._add(f"action form: {form.text if isinstance(form, Form) else form}")

    def acceleration(self, components: Mapping[Any, ExprLike]) -> System:
        """The accelerations by coordinate, with the mass matrix of :meth:`metric`."""
        return self._add("acceleration: " + _entries(components))

    def dissipation(self, function: ExprLike, name: str | None = None) -> System:
        """Adds a term to Rayleigh's dissipation function."""
        return self._named("dissipation", name, _expr(function))

    # Constraints, references, charts

    def constraint(self, left: ExprLike, right: ExprLike = 0, name: str | None = None) -> System:
        """A constraint left = right between positions, velocities or accelerations ``x''``,
        scalars or tuples."""
        return self._named("constraint", name, f"{_expr(left)} = {_expr(right)}")

    def reaction(self, constraint: str, covector: Mapping[Any, ExprLike] | str = "ideal") -> System:
        """How a constraint is enforced: ``"ideal"``, ``"connection"``, or by forces along a covector,
        by coordinate."""
        body = covector if isinstance(covector, str) else _entries(covector)
        return self._named("reaction", constraint, body)

    def dependent(self, *velocities: ExprLike) -> System:
        """The velocities that the solved form expresses by the others."""
        return self._add("dependent " + ", ".join(_expr(v) for v in velocities))

    def reference(self, components: Mapping[Any, ExprLike], name: str | None = None) -> System:
        """A reference field; without a name that of the metric."""
        return self._named("reference", name, _entries(components))

    def chart(self, signature: str, old: Mapping[Any, ExprLike]) -> System:
        """Another chart: ``chart("polar(r, phi)", {"x": "r*cos(phi)", "y": "r*sin(phi)"})``."""
        return self._add(f"chart {signature}: {_entries(old)}")

    def symmetry(self, components: Mapping[Any, ExprLike], name: str | None = None) -> System:
        """A field to be checked by Noether's theorem; ``t`` is 0 or 1."""
        return self._named("symmetry", name, _entries(components))

    def variation(self, components: Mapping[Any, ExprLike], name: str | None = None) -> System:
        """A virtual displacement of one's own, by coordinate."""
        return self._named("variation", name, _entries(components))

    # Runs

    def initial(self, entries: Mapping[Any, ExprLike]) -> System:
        """The initial state: ``initial({"theta": 0.3, "theta'": 0})``."""
        return self._add("initial " + _entries(entries))

    def output(self, name: str, value: ExprLike) -> System:
        """A scalar that is recorded with a run."""
        return self._named("output", name, _expr(value))

    def event(
        self,
        name: str,
        value: ExprLike,
        *,
        direction: str | None = None,
        terminal: bool = False,
    ) -> System:
        """A zero crossing to locate: ``rising``, ``falling`` or ``both``."""
        words = [_expr(value), *([direction] if direction else []), *(["terminal"] * terminal)]
        return self._named("event", name, " ".join(words))

    def simulate(self, *, to: ExprLike, **settings: ExprLike) -> System:
        """Defaults of a run: ``to``, ``from_``, ``every``, ``method``, ``tolerance``."""
        words = [f"to {_expr(to)}"]
        for name, value in settings.items():
            word = name.rstrip("_")
            words.append(f"{word} {value if word == 'method' else _expr(value)}")
        return self._add("simulate " + " ".join(words))

    def repeat(
        self, index: str, first: ExprLike, last: ExprLike, add: Callable[[System], Any]
    ) -> System:
        """Statements for each member of a range: ``repeat("k", 1, "n", lambda s: s.particle(…))``."""
        inner = System()
        add(inner)
        self._add(f"for {index} in {_expr(first)}..{_expr(last)} {{")
        self._lines += [f"  {line}" for line in inner._lines]
        return self._add("}")
