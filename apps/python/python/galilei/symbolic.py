"""From SymPy and to SymPy. SymPy is imported when one of the two is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from . import _galilei, functions
from .expression import Expr, ExprLike, as_expr

__all__ = ["from_sympy", "to_sympy"]

#: Functions that both have, by SymPy's name.
_SHARED = {
    **{n: n for n in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sign".split()},
    "Abs": "abs",
    "Min": "min",
    "Max": "max",
}
#: Symbols of the language that look like calls.
_SYMBOLS = ("p", "multiplier", "reaction", "delta", "jacobi", "u")


def from_sympy(e: Any) -> Expr:
    """A SymPy expression in the model language. Functions of ``t`` alone, such as SymPy's
    ``dynamicsymbols``, are coordinates, and their derivatives velocities; a column matrix is a tuple.

    >>> import sympy, galilei
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> m, l = sympy.symbols("m l")
    >>> theta = dynamicsymbols("theta")
    >>> galilei.from_sympy(m * l**2 * theta.diff()**2 / 2 - m * sympy.sqrt(l) * sympy.cos(theta))
    m*l^2*theta'^2/2 - m*sqrt(l)*cos(theta)
    """
    import sympy

    e = sympy.sympify(e)
    if isinstance(e, (sympy.MatrixBase, sympy.Tuple)):
        return as_expr(tuple(from_sympy(part) for part in e))
    return _From(sympy).expr(e)


class _From:
    """Translates one expression."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy

    def expr(self, e: Any) -> Expr:
        s = self.sympy
        if e.is_Float:
            return as_expr(float(e)) if e._prec <= 53 else Expr(str(e))
        if e.is_Rational:
            return as_expr(e.p) if e.q == 1 else as_expr(e.p) / e.q
        if e is s.pi:
            return functions.pi
        if e is s.E:
            return functions.exp(1)
        if e.is_Symbol:
            return Expr(e.name)
        if e.is_Add:
            return self._sum(e.as_ordered_terms())
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            return self._power(*e.as_base_exp())
        if e.is_Relational and e.rel_op in _SIGNS:
            return self._compared(e)
        if e.is_Derivative:
            return self._derivative(e)
        if e.is_Piecewise:
            return self._piecewise(e.args)
        if e.is_Function:
            return self._function(e)
        raise TypeError(f"the model language has nothing for {e!r}, a {type(e).__name__}")

    def _sum(self, terms: list[Any]) -> Expr:
        # A positive term first.
        first, *rest = sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))
        return reduce(self._plus, rest, self.expr(first))

    def _plus(self, sum_: Expr, term: Any) -> Expr:
        if term.could_extract_minus_sign():
            return sum_ - self.expr(-term)
        return sum_ + self.expr(term)

    def _product(self, e: Any) -> Expr:
        if e.could_extract_minus_sign():
            return -self.expr(-e)
        above, below = self.sympy.fraction(e)
        if below != 1:
            return self.expr(above) / self.expr(below)
        return reduce(lambda a, b: a * self.expr(b), e.args[1:], self.expr(e.args[0]))

    def _power(self, base: Any, exponent: Any) -> Expr:
        if exponent == self.sympy.Rational(1, 2):
            return functions.sqrt(self.expr(base))
        if exponent.could_extract_minus_sign():
            return 1 / self.expr(base**-exponent)
        return self.expr(base) ** self.expr(exponent)

    def _compared(self, e: Any) -> Expr:
        a, b = self.expr(e.lhs), self.expr(e.rhs)
        compared: Expr = getattr(a, _SIGNS[e.rel_op])(b)
        return compared

    def _coordinate(self, e: Any) -> str | None:
        """The name of a function of time alone."""
        undefined = isinstance(e, self.sympy.core.function.AppliedUndef)
        if undefined and [str(a) for a in e.args] == ["t"]:
            return str(e.func.__name__)
        return None

    def _derivative(self, e: Any) -> Expr:
        name = self._coordinate(e.expr)
        if name is not None:
            return Expr(name + "'" * sum(int(count) for _, count in e.variable_count))
        if isinstance(e.expr, self.sympy.core.function.AppliedUndef):
            arguments = list(e.expr.args)
            if all(v in arguments for v in e.variables):
                orders = ",".join(str(1 + arguments.index(v)) for v in e.variables)
                return functions._call(f"{e.expr.func.__name__}[{orders}]", *e.expr.args)
        raise TypeError(f"the derivative {e!r} is not done; call doit() first")

    def _piecewise(self, cases: Any) -> Expr:
        (value, condition), *rest = cases
        if condition == True:  # noqa: E712: SymPy's own true
            return self.expr(value)
        if not rest:
            raise TypeError("a case for everything else is missing")
        return functions.if_(self.expr(condition), self.expr(value), self._piecewise(rest))

    def _function(self, e: Any) -> Expr:
        name = self._coordinate(e)
        if name is not None:
            return Expr(name)
        if isinstance(e, self.sympy.core.function.AppliedUndef):
            return functions._call(e.func.__name__, *map(self.expr, e.args))
        known = _SHARED.get(e.func.__name__)
        if known is None:
            raise TypeError(f"the model language has no function {e.func.__name__}")
        parts = [self.expr(a) for a in e.args]
        if known in ("min", "max"):
            return reduce(lambda a, b: functions._call(known, a, b), parts)
        return functions._call(known, *parts)


_SIGNS = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}


def to_sympy(
    e: ExprLike, *, coordinates: Iterable[str] = (), symbols: Mapping[str, Any] | None = None
) -> Any:
    """An expression of the model language for SymPy. Names become symbols, velocities symbols with a
    prime in their name; those of ``coordinates`` become functions of ``t`` and their derivatives.
    ``symbols`` maps names to other objects. Abbreviations are substituted.

    >>> import galilei
    >>> galilei.to_sympy("m*theta'^2/2 + 0.1")
    m*theta'**2/2 + 1/10
    >>> galilei.to_sympy("m*theta'^2/2", coordinates=["theta"])
    m*Derivative(theta(t), t)**2/2
    """
    import sympy

    own = dict(symbols or {})
    return _To(sympy, own, set(coordinates)).expr(as_expr(e))


class _To:
    """Translates expressions."""

    def __init__(self, sympy: Any, own: dict[str, Any], coordinates: set[str]) -> None:
        self.sympy = sympy
        self.own = own
        self.coordinates = coordinates
        self.where: Mapping[str, Expr] = {}

    def expr(self, e: Expr) -> Any:
        self.where = {**self.where, **e.where}
        return self.node(_galilei.tree(e.text))

    def node(self, node: Any) -> Any:
        kind, *parts = node
        translate = getattr(self, f"_{kind}", None)
        if translate is None:
            raise TypeError(f"SymPy has nothing for {parts[0]}")
        return translate(*parts)

    def _number(self, digits: str) -> Any:
        return self.sympy.Rational(digits)

    def _name(self, name: str) -> Any:
        if name in self.own:
            return self.own[name]
        if name in self.where:
            return self.expr(self.where[name])
        if name in ("pi", "π"):
            return self.sympy.pi
        if name in self.coordinates:
            return self.sympy.Function(name)(self._name("t"))
        return self.sympy.Symbol(name)

    def _prime(self, inner: Any, primes: int) -> Any:
        name = inner[1]
        if name in self.coordinates:
            return self.sympy.Derivative(self._name(name), (self._name("t"), primes))
        return self._name(name + "'" * primes)

    def _negate(self, inner: Any) -> Any:
        return -self.node(inner)

    def _sum(self, terms: Any) -> Any:
        return self.sympy.Add(*(-self.node(e) if minus else self.node(e) for minus, e in terms))

    def _product(self, factors: Any) -> Any:
        return self.sympy.Mul(*(1 / self.node(e) if over else self.node(e) for over, e in factors))

    def _power(self, base: Any, exponent: Any) -> Any:
        return self.node(base) ** self.node(exponent)

    def _compare(self, sign: str, a: Any, b: Any) -> Any:
        return self.sympy.Rel(self.node(a), self.node(b), sign)

    def _equals(self, a: Any, b: Any) -> Any:
        return self.sympy.Eq(self.node(a), self.node(b))

    def _tuple(self, parts: Any) -> Any:
        return self.sympy.Tuple(*map(self.node, parts))

    def _call(self, name: str, orders: Any, arguments: Any) -> Any:
        s = self.sympy
        if name in _SYMBOLS and len(arguments) == 1 and arguments[0][0] in ("name", "prime"):
            inner, primes = arguments[0], ""
            if inner[0] == "prime":
                inner, primes = inner[1], "'" * inner[2]
            return self._name(f"{name}({inner[1]}{primes})")
        parts = [self.node(a) for a in arguments]
        if name == "if":
            condition, then, otherwise = parts
            return s.Piecewise((then, condition), (otherwise, True))
        if name == "sqrt":
            return s.sqrt(*parts)
        shared = {ours: theirs for theirs, ours in _SHARED.items()}.get(name)
        if shared is not None:
            return getattr(s, shared)(*parts)
        function = s.Function(name)
        if not orders:
            return function(*parts)
        slots = s.symbols([f"s{k}" for k in range(len(parts))], cls=s.Dummy)
        by = [slots[int(order[1]) - 1] for order in orders]
        return s.Subs(s.Derivative(function(*slots), *by), slots, parts).doit()
