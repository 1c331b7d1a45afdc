"""Expressions of the model language, written with Python's operators.

An :class:`Expr` is a text of the language that knows how tightly it binds. Nothing is simplified
and nothing is rounded: what is written down is what the model says, and numbers are exact.

>>> from galilei import symbols, sin
>>> m, l, theta = symbols("m l theta")
>>> m * l**2 * theta.velocity**2 / 2 + sin(theta)
m*l^2*theta'^2/2 + sin(theta)
>>> -(m + l) * 0.1
-(m + l)*0.1
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, Union

from . import _galilei

__all__ = ["Expr", "ExprLike", "Parameter", "as_expr", "symbols"]

# How tightly the outermost operation binds.
_COMPARISON, _SUM, _PRODUCT, _MINUS, _POWER, _ATOM = range(6)

#: What can stand for an expression: also fractions, decimals, SymPy's objects, and tuples of all these.
ExprLike = Union["Expr", int, float, str, tuple[Any, ...], list[Any], Any]


class Expr:
    """An expression. Make one with :func:`symbols`, :func:`as_expr` or the functions of
    :mod:`galilei.functions`.

    Two expressions are equal if they are written alike; whether they *mean* the same is what
    :func:`galilei.decide` tells.
    """

    __slots__ = ("_rank", "text", "where")
    __array_ufunc__ = None  # NumPy's numbers leave the operators to this class.

    text: str
    """The expression in the model language."""
    where: Mapping[str, Expr]
    """The definitions of its abbreviations; most expressions have none."""

    def __init__(
        self, text: str, *, where: Mapping[str, Expr] | None = None, _rank: int | None = None
    ) -> None:
        self.text = text
        self.where = where or {}
        self._rank = _rank_of(text) if _rank is None else _rank

    def _in(self, rank: int) -> str:
        return self.text if self._rank >= rank else f"({self.text})"

    def _with(self, other: ExprLike, sign: str, rank: int, inner: int) -> Expr:
        b = as_expr(other)
        return Expr(f"{self._in(rank)}{sign}{b._in(inner)}", where=_all(self, b), _rank=rank)

    def __add__(self, other: ExprLike) -> Expr:
        return self._with(other, " + ", _SUM, _PRODUCT)

    def __radd__(self, other: ExprLike) -> Expr:
        return as_expr(other) + self

    def __sub__(self, other: ExprLike) -> Expr:
        return self._with(other, " - ", _SUM, _PRODUCT)

    def __rsub__(self, other: ExprLike) -> Expr:
        return as_expr(other) - self

    def __mul__(self, other: ExprLike) -> Expr:
        return self._with(other, "*", _PRODUCT, _POWER)

    def __rmul__(self, other: ExprLike) -> Expr:
        return as_expr(other) * self

    def __truediv__(self, other: ExprLike) -> Expr:
        return self._with(other, "/", _PRODUCT, _POWER)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return as_expr(other) / self

    def __pow__(self, other: ExprLike) -> Expr:
        b = as_expr(other)
        text = f"{self._in(_ATOM)}^{b._in(_ATOM)}"
        return Expr(text, where=_all(self, b), _rank=_POWER)

    def __rpow__(self, other: ExprLike) -> Expr:
        return as_expr(other) ** self

    def __neg__(self) -> Expr:
        # −(a·b) is (−a)·b.
        rank = _PRODUCT if self._rank == _PRODUCT else _MINUS
        inner = self.text if rank == _PRODUCT else self._in(_POWER)
        return Expr(f"-{inner}", where=self.where, _rank=rank)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return Expr(f"abs({self.text})", where=self.where, _rank=_ATOM)

    def __lt__(self, other: ExprLike) -> Expr:
        return self._with(other, " < ", _COMPARISON, _SUM)

    def __le__(self, other: ExprLike) -> Expr:
        return self._with(other, " <= ", _COMPARISON, _SUM)

    def __gt__(self, other: ExprLike) -> Expr:
        return self._with(other, " > ", _COMPARISON, _SUM)

    def __ge__(self, other: ExprLike) -> Expr:
        return self._with(other, " >= ", _COMPARISON, _SUM)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Expr, int, float, str)) and not isinstance(other, bool):
            return self.text == as_expr(other).text
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __bool__(self) -> bool:
        raise TypeError("an expression is neither true nor false; galilei.decide judges equations")

    def __getitem__(self, index: ExprLike) -> Expr:
        """A member of a family: ``q[k]``."""
        return Expr(f"{self.text}[{as_expr(index).text}]", where=self.where, _rank=_ATOM)

    @property
    def velocity(self) -> Expr:
        """The velocity of a coordinate: ``theta'``."""
        return Expr(f"{self._in(_ATOM)}'", where=self.where, _rank=_ATOM)

    @property
    def x(self) -> Expr:
        """The first component of a tuple."""
        return self._component("x")

    @property
    def y(self) -> Expr:
        """The second component of a tuple."""
        return self._component("y")

    @property
    def z(self) -> Expr:
        """The third component of a tuple."""
        return self._component("z")

    def _component(self, name: str) -> Expr:
        return Expr(f"{self._in(_ATOM)}.{name}", where=self.where, _rank=_ATOM)

    def diff(self, by: ExprLike) -> Expr:
        """The partial derivative with respect to a coordinate, a velocity, a parameter or ``t``.

        >>> Expr("m*l^2*theta'^2/2").diff("theta'")
        l^2*m*theta'
        """
        if self.where:
            raise ValueError("the expression is written with abbreviations; see `where`")
        return Expr(_galilei.differentiate(self.text, as_expr(by).text))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of coordinates, velocities and parameters in the expression.

        >>> Expr("m*l^2*theta'^2/2").names
        ('l', 'm', "theta'")
        """
        inner = {name for value in self.where.values() for name in value.names}
        return tuple(sorted((inner | set(_galilei.names(self.text))) - set(self.where)))

    def subs(self, values: Mapping[Any, ExprLike] | None = None, **named: ExprLike) -> Expr:
        """The expression with names replaced by numbers or expressions, all at once.

        >>> Expr("m*l^2*theta'^2/2").subs(m=2, l="r")
        r^2*theta'^2
        >>> Expr("x*y").subs({"x": "y", "y": "x"})
        x*y
        >>> float(Expr("m*theta'^2/2").subs({"m": 0.5, "theta'": 2}))
        1.0
        """
        pairs = {as_expr(k).text: as_expr(v) for k, v in {**(values or {}), **named}.items()}
        taken = set(self.where) & {n for v in pairs.values() for n in (*v.where, *v.names)}
        if set(self.where) & set(pairs) or taken:
            raise ValueError("the expression is written with abbreviations of these names; see `where`")
        texts = [(name, value.text) for name, value in pairs.items()]
        where = {name: value.subs(pairs) for name, value in self.where.items()}
        return Expr(_galilei.substitute(self.text, texts), where=where | _all(*pairs.values()))

    def __float__(self) -> float:
        """The value of an expression without names.

        >>> float(Expr("3/8 - 1/4"))
        0.125
        >>> float(Expr("m/2"))
        Traceback (most recent call last):
        TypeError: m/2 is no number: subs gives values to m
        """
        if self.names:
            raise TypeError(f"{self.text} is no number: subs gives values to {', '.join(self.names)}")
        values: dict[Any, ExprLike] = {name: repr(float(v)) for name, v in self.where.items()}
        text = _galilei.substitute(self.text, list(values.items())) if values else self.text
        return _galilei.number(text)

    @property
    def latex(self) -> str:
        """The expression as LaTeX.

        >>> Expr("m*theta'^2/2").latex
        '\\\\tfrac{1}{2} \\\\, m \\\\dot{\\\\theta}^{2}'
        """
        return _galilei.latex(self.text)

    def to_sympy(self, **options: Any) -> Any:
        """The expression in SymPy: :func:`galilei.to_sympy`."""
        from .symbolic import to_sympy

        return to_sympy(self, **options)

    def __repr__(self) -> str:
        return self.text

    def _repr_latex_(self) -> str | None:
        try:
            return f"${self.latex}$"
        except ValueError:  # Tuples and sums over families are drawn as text.
            return None


class Parameter(Expr):
    """The value of a parameter as the model has it, through other parameters where it is written so;
    ``float(value)`` is the number in SI units."""

    __slots__ = ("_value",)

    def __init__(self, text: str, value: float | None) -> None:
        super().__init__(text)
        self._value = value

    def __float__(self) -> float:
        return super().__float__() if self._value is None else self._value


def _all(*parts: Expr) -> dict[str, Expr]:
    return {name: value for part in parts for name, value in part.where.items()}


def _rank_of(text: str) -> int:
    """The precedence of a text; that of a complete expression if it is unknown."""
    kind = _galilei.tree(text)[0]
    ranks = {"compare": _COMPARISON, "equals": _COMPARISON, "sum": _SUM, "product": _PRODUCT}
    return ranks.get(kind, {"negate": _MINUS, "power": _POWER}.get(kind, _ATOM))


def _number(value: Any) -> Expr | None:
    """A number in the model language: a float by the shortest decimal that represents it."""
    if isinstance(value, (int, float)):
        text = repr(float(value) if isinstance(value, float) else int(value))
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number of a model")
    elif type(value).__module__ in ("decimal", "fractions", "_decimal", "_pydecimal"):
        text = str(value).lower()
    else:
        return None
    rank = _PRODUCT if "/" in text else _MINUS if text.startswith("-") else _ATOM
    return Expr(text.removesuffix(".0").replace("e+", "e"), _rank=rank)


def as_expr(value: ExprLike) -> Expr:
    """Converts numbers, texts of the language, tuples and SymPy's objects to an expression.

    >>> as_expr(0.1), as_expr((1, "l*sin(theta)")), as_expr(-2)
    (0.1, (1, l*sin(theta)), -2)
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool) or value is None:
        raise TypeError(f"{value!r} is no expression")
    if isinstance(value, str):
        return Expr(value)
    if isinstance(value, (tuple, list)):
        parts = [as_expr(v) for v in value]
        text = ", ".join(p.text for p in parts)
        return Expr(f"({text})", where=_all(*parts), _rank=_ATOM)
    number = _number(value)
    if number is not None:
        return number
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(value, (sympy.Basic, sympy.MatrixBase)):
        from .symbolic import from_sympy

        return from_sympy(value)
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return as_expr(value.tolist())
    raise TypeError(f"{value!r} is no expression")


def symbols(names: str) -> tuple[Expr, ...]:
    """Names, separated by spaces or commas.

    >>> theta, q = symbols("theta q")
    >>> q[1].velocity
    q[1]'
    """
    return tuple(Expr(name, _rank=_ATOM) for name in names.replace(",", " ").split())
