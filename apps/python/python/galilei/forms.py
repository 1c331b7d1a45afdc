"""Differential forms and vector fields on charts, with their operations.

>>> from galilei import Chart, d, interior, lie, wedge
>>> plane = Chart("x y")
>>> x, y = plane.functions
>>> area = wedge(d(x), d(y))
>>> area
d(x) /\\ d(y)
>>> turn = plane.vector(x="-y", y="x")
>>> interior(turn, area)
-x*d(x) - y*d(y)
>>> lie(turn, area)
0
>>> (d(x) ^ d(y)) == -(d(y) ^ d(x))
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

from . import _galilei
from .expression import Expr, ExprLike, as_expr

if TYPE_CHECKING:
    from .derivation import Verdict

__all__ = [
    "Chart", "Form", "VectorField", "bracket", "d", "interior", "lie", "pullback", "wedge",
]  # fmt: skip

#: What can stand for a form: functions are forms of degree 0.
FormLike = Union["Form", ExprLike]


class Chart:
    """A chart: names of coordinates, in order. :attr:`galilei.Model.state_space` is that of a model's states.

    Names that are no coordinates are constants on the chart.
    """

    __slots__ = ("coordinates",)

    coordinates: tuple[str, ...]
    """The names of the coordinates."""

    def __init__(self, coordinates: str | Iterable[str]) -> None:
        names = coordinates.split() if isinstance(coordinates, str) else coordinates
        self.coordinates = tuple(str(name) for name in names)
        _galilei.form(list(self.coordinates), "0")

    @property
    def functions(self) -> tuple[Form, ...]:
        """The coordinates as forms of degree 0."""
        return tuple(self.form(name) for name in self.coordinates)

    def form(self, text: FormLike) -> Form:
        """The form that a FORM of the model language denotes: ``m*d(x') /\\ contact(x)``."""
        if isinstance(text, Form):
            _same(self, text.chart)
            return text
        return Form(self, *_galilei.form(list(self.coordinates), _text(text)))

    def contact(self, coordinate: str) -> Form:
        """The contact form d(x) − x'·d(t) of a coordinate."""
        return self.form(f"contact({coordinate})")

    def vector(
        self, components: Mapping[str, ExprLike] | None = None, /, **more: ExprLike
    ) -> VectorField:
        """The vector field with these components; those that are not given are 0."""
        given = {**(components or {}), **more}
        unknown = [name for name in given if name not in self.coordinates]
        if unknown:
            raise KeyError(f"the chart has no coordinate {', '.join(map(repr, unknown))}")
        return VectorField(self, [given.get(name, 0) for name in self.coordinates])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chart) and self.coordinates == other.coordinates

    def __hash__(self) -> int:
        return hash(self.coordinates)

    def __repr__(self) -> str:
        return f"Chart({' '.join(self.coordinates)!r})"


class Form:
    """A differential form. Make one with :meth:`Chart.form` and the functions of this module.

    ``+``, ``-``, ``*`` with functions, ``/`` by functions, and ``^`` for the wedge product. ``==`` is
    mathematical: it is true if the forms were proved equal.
    """

    __slots__ = ("chart", "components", "degree", "latex", "text")
    __array_ufunc__ = None

    chart: Chart
    """The chart."""
    degree: int
    """The degree; 0 for functions."""
    text: str
    """The form in the model language."""
    latex: str
    """The form in LaTeX."""
    components: dict[tuple[str, ...], Expr]
    """The components by the names of their differentials."""

    def __init__(
        self,
        chart: Chart,
        text: str,
        degree: int,
        latex: str,
        terms: list[tuple[list[int], str]],
    ) -> None:
        self.chart, self.text, self.degree, self.latex = chart, text, degree, latex
        names = chart.coordinates
        self.components = {tuple(names[k] for k in index): Expr(c) for index, c in terms}

    def _read(self, text: str) -> Form:
        return self.chart.form(text)

    def __add__(self, other: FormLike) -> Form:
        return self._read(f"({self.text}) + ({_text(other, self.chart)})")

    def __radd__(self, other: FormLike) -> Form:
        return self.chart.form(other) + self

    def __sub__(self, other: FormLike) -> Form:
        return self._read(f"({self.text}) - ({_text(other, self.chart)})")

    def __rsub__(self, other: FormLike) -> Form:
        return self.chart.form(other) - self

    def __neg__(self) -> Form:
        return self._read(f"-({self.text})")

    def __mul__(self, other: FormLike) -> Form:
        return self._read(f"({self.text})*({_text(other, self.chart)})")

    def __rmul__(self, other: FormLike) -> Form:
        return self._read(f"({_text(other, self.chart)})*({self.text})")

    def __truediv__(self, other: FormLike) -> Form:
        return self._read(f"({self.text})/({_text(other, self.chart)})")

    def __xor__(self, other: FormLike) -> Form:
        return wedge(self, other)

    def __rxor__(self, other: FormLike) -> Form:
        return wedge(self.chart.form(other), self)

    def __call__(self, *fields: VectorField) -> Expr:
        """The value of the form on as many vector fields as its degree says."""
        if len(fields) != self.degree:
            raise ValueError(f"a {self.degree}-form takes {self.degree} fields, not {len(fields)}")
        form = self
        for field in fields:
            form = interior(field, form)
        return form.function

    @property
    def function(self) -> Expr:
        """The function that a form of degree 0 is."""
        if self.degree:
            raise ValueError(f"a {self.degree}-form is no function")
        return Expr(self.text)

    def decide_equal(self, other: FormLike) -> Verdict:
        """Whether two forms are equal, with the proof or a witness."""
        from .model import decide

        difference = self - self.chart.form(other)
        sums = [f"({c.text})" for c in difference.components.values()]
        if not sums:
            return decide("0 = 0")
        basis = [f"d(_{k})" for k in range(len(sums))]
        terms = [f"{c}*{b}" for c, b in zip(sums, basis, strict=True)]
        return decide(f"{' + '.join(terms)} = 0*{basis[0]}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Form):
            other = self.chart.form(other)
        if self.chart != other.chart:
            return False
        # Zero fits every degree.
        if self.degree != other.degree and self.components and other.components:
            return False
        return bool(self.decide_equal(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self.text

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"


class VectorField:
    """A vector field. Make one with :meth:`Chart.vector`; calling it differentiates a function."""

    __slots__ = ("chart", "components", "latex")
    __array_ufunc__ = None

    chart: Chart
    """The chart."""
    components: dict[str, Expr]
    """The components by coordinate."""
    latex: str
    """The field in LaTeX."""

    def __init__(self, chart: Chart, components: Iterable[ExprLike]) -> None:
        texts = [as_expr(c).text for c in components]
        texts, self.latex = _galilei.vector_field(list(chart.coordinates), texts)
        self.chart = chart
        self.components = dict(zip(chart.coordinates, map(Expr, texts), strict=True))

    @property
    def _texts(self) -> list[str]:
        return [c.text for c in self.components.values()]

    def _combined(self, other: VectorField, sign: str) -> VectorField:
        _same(self.chart, other.chart)
        pairs = zip(self._texts, other._texts, strict=True)
        return VectorField(self.chart, [Expr(f"({a}) {sign} ({b})") for a, b in pairs])

    def __add__(self, other: VectorField) -> VectorField:
        return self._combined(other, "+")

    def __sub__(self, other: VectorField) -> VectorField:
        return self._combined(other, "-")

    def __neg__(self) -> VectorField:
        return self * -1

    def __mul__(self, factor: FormLike) -> VectorField:
        f = _text(factor, self.chart)
        return VectorField(self.chart, [Expr(f"({f})*({c})") for c in self._texts])

    __rmul__ = __mul__

    def __truediv__(self, divisor: FormLike) -> VectorField:
        return self * (1 / as_expr(_text(divisor, self.chart)))

    def __call__(self, function: FormLike) -> Expr:
        """The derivative of a function along the field."""
        rate: Form = lie(self, self.chart.form(function))
        return rate.function

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VectorField) or self.chart != other.chart:
            return False
        from .model import decide

        pairs = zip(self._texts, other._texts, strict=True)
        return all(bool(decide(f"{a} = {b}")) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [f"{name}: {c}" for name, c in self.components.items() if c.text != "0"]
        return f"VectorField({', '.join(parts)})"

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"


def _same(a: Chart, b: Chart) -> None:
    if a != b:
        raise ValueError(f"objects of two charts do not mix: {a} and {b}")


def _text(form: FormLike, chart: Chart | None = None) -> str:
    if isinstance(form, Form):
        if chart is not None:
            _same(chart, form.chart)
        return form.text
    return form if isinstance(form, str) else as_expr(form).text


def _form(form: Any) -> Form:
    if not isinstance(form, Form):
        raise TypeError(f"a Form is needed, not {type(form).__name__}: Chart.form makes one")
    return form


def wedge(first: Form, *others: FormLike) -> Form:
    """The wedge product of forms."""
    product = _form(first)
    for other in others:
        text = _text(other, product.chart)
        product = product.chart.form(f"({product.text}) /\\ ({text})")
    return product


def d(form: Form) -> Form:
    """The differential of a form."""
    return _form(form).chart.form(f"d({form.text})")


def interior(field: VectorField, form: Form) -> Form:
    """The form with a field in its first slot, X ⌟ ω."""
    _same(field.chart, _form(form).chart)
    names = list(form.chart.coordinates)
    return Form(form.chart, *_galilei.interior(names, field._texts, form.text))


def lie(field: VectorField, form: Form | VectorField) -> Any:
    """The Lie derivative along a field, of a form or of another field."""
    if isinstance(form, VectorField):
        return bracket(field, form)
    _same(field.chart, _form(form).chart)
    names = list(form.chart.coordinates)
    return Form(form.chart, *_galilei.lie(names, field._texts, form.text))


def bracket(first: VectorField, second: VectorField) -> VectorField:
    """The bracket [X, Y] of vector fields, with [X, Y]f = X(Yf) − Y(Xf)."""
    _same(first.chart, second.chart)
    names = list(first.chart.coordinates)
    texts = _galilei.bracket(names, first._texts, second._texts)
    return VectorField(first.chart, [Expr(t) for t in texts])


def pullback(form: Form, source: Chart, map: Mapping[str, ExprLike]) -> Form:
    """The pull-back of a form by a map from another chart: every coordinate of the form's chart as a
    function of the coordinates of ``source``; those that are not given keep their name.

    >>> from galilei import Chart, d, pullback, wedge
    >>> plane, polar = Chart("x y"), Chart("r phi")
    >>> area = plane.form(r"d(x) /\\ d(y)")
    >>> pullback(area, polar, {"x": "r*cos(phi)", "y": "r*sin(phi)"}) == polar.form(r"r*d(r) /\\ d(phi)")
    True
    """
    target = _form(form).chart.coordinates
    unknown = [name for name in map if name not in target]
    if unknown:
        raise KeyError(f"the chart has no coordinate {', '.join(repr(n) for n in unknown)}")
    texts = [as_expr(map.get(name, name)).text for name in target]
    made = _galilei.pullback(list(source.coordinates), list(target), texts, form.text)
    return Form(source, *made)
