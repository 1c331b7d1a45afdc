"""The functions of the model language, by their names there.

``min``, ``max``, ``abs`` and ``sum`` hide Python's own if imported by a star, so they are not.

>>> from galilei import functions as f
>>> f.norm((f.sin("theta"), 1))
norm((sin(theta), 1))
>>> f.sum("k", 1, "n", "m[k]")
sum(k in 1..n: m[k])
"""

from __future__ import annotations

from .expression import Expr, ExprLike, _all, as_expr

__all__ = [
    "D", "acos", "asin", "atan", "atan2", "cos", "cosh", "cross", "dot", "exp", "if_", "log",
    "multiplier", "norm", "omega", "pi", "position", "reaction", "sign", "sin", "sinh", "sqrt",
    "t", "tan", "tanh", "velocity",
]  # fmt: skip

t = Expr("t")
"""Time."""
pi = Expr("pi")


def _call(name: str, *arguments: ExprLike) -> Expr:
    parts = [as_expr(a) for a in arguments]
    return Expr(f"{name}({', '.join(p.text for p in parts)})", where=_all(*parts))


def sin(x: ExprLike) -> Expr:
    """sin x"""
    return _call("sin", x)


def cos(x: ExprLike) -> Expr:
    """cos x"""
    return _call("cos", x)


def tan(x: ExprLike) -> Expr:
    """tan x"""
    return _call("tan", x)


def asin(x: ExprLike) -> Expr:
    """arcsin x"""
    return _call("asin", x)


def acos(x: ExprLike) -> Expr:
    """arccos x"""
    return _call("acos", x)


def atan(x: ExprLike) -> Expr:
    """arctan x"""
    return _call("atan", x)


def atan2(y: ExprLike, x: ExprLike) -> Expr:
    """The angle of (x, y)."""
    return _call("atan2", y, x)


def sinh(x: ExprLike) -> Expr:
    """sinh x"""
    return _call("sinh", x)


def cosh(x: ExprLike) -> Expr:
    """cosh x"""
    return _call("cosh", x)


def tanh(x: ExprLike) -> Expr:
    """tanh x"""
    return _call("tanh", x)


def exp(x: ExprLike) -> Expr:
    """eˣ"""
    return _call("exp", x)


def log(x: ExprLike) -> Expr:
    """The natural logarithm."""
    return _call("log", x)


def sqrt(x: ExprLike) -> Expr:
    """The square root that is not negative."""
    return _call("sqrt", x)


def abs(x: ExprLike) -> Expr:
    """The absolute value."""
    return _call("abs", x)


def sign(x: ExprLike) -> Expr:
    """The sign: −1, 0 or 1."""
    return _call("sign", x)


def min(a: ExprLike, b: ExprLike) -> Expr:
    """The smaller argument."""
    return _call("min", a, b)


def max(a: ExprLike, b: ExprLike) -> Expr:
    """The larger argument."""
    return _call("max", a, b)


def if_(condition: ExprLike, then: ExprLike, otherwise: ExprLike) -> Expr:
    """One of two values, chosen by a comparison: ``if_(x > 0, a, b)``."""
    return _call("if", condition, then, otherwise)


def dot(a: ExprLike, b: ExprLike) -> Expr:
    """The scalar product of tuples."""
    return _call("dot", a, b)


def cross(a: ExprLike, b: ExprLike) -> Expr:
    """The vector product of tuples; a scalar in the plane."""
    return _call("cross", a, b)


def norm(a: ExprLike) -> Expr:
    """The length of a tuple."""
    return _call("norm", a)


def D(e: ExprLike) -> Expr:
    """The total time derivative of an expression in (t, x)."""
    return _call("D", e)


def sum(index: str, first: ExprLike, last: ExprLike, body: ExprLike) -> Expr:
    """Σ over a family; both ends are included."""
    return _fold("sum", index, first, last, body)


def product(index: str, first: ExprLike, last: ExprLike, body: ExprLike) -> Expr:
    """Π over a family; both ends are included."""
    return _fold("product", index, first, last, body)


def _fold(word: str, index: str, first: ExprLike, last: ExprLike, body: ExprLike) -> Expr:
    range_ = f"{as_expr(first).text}..{as_expr(last).text}"
    return Expr(f"{word}({index} in {range_}: {as_expr(body).text})")


def position(body: str, point: ExprLike) -> Expr:
    """The position of a point of a body, given in body axes from its mass centre."""
    return _call("position", body, point)


def velocity(body: str, point: ExprLike) -> Expr:
    """The velocity of a material point of a body."""
    return _call("velocity", body, point)


def omega(body: str) -> Expr:
    """The angular velocity of a body in space axes; a scalar in the plane."""
    return _call("omega", body)


def reaction(constraint: str) -> Expr:
    """In an output: the size of the reaction of a constraint, in g⁻¹."""
    return _call("reaction", constraint)


def multiplier(constraint: str) -> Expr:
    """In an output: the multiplier of a constraint."""
    return _call("multiplier", constraint)
