"""From SymPy, to SymPy, and SymPy's own mechanics beside."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from conftest import MODELS, model_file
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import galilei
from galilei import from_sympy, to_sympy

MODEL_FILES = sorted(
    p for p in MODELS.glob("*.gal") if p.stem not in ("whipple-bicycle", "andrews-squeezer")
)


@pytest.mark.filterwarnings("ignore::galilei.GalileiWarning")
@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda p: p.stem)
def test_there_and_back_means_the_same(path) -> None:
    if path.stem == "newtonian-without-lagrangian":
        pytest.skip("the system has no Lagrangian")
    if path.stem in ("quartic-hamiltonian", "coupled-quartic-hamiltonian"):
        pytest.skip("the Lagrangian has no closed form")
    model = galilei.load(path)
    there = to_sympy(model.lagrangian)
    names = {s.name for s in there.free_symbols}
    # The coordinates of a manifold are its charts' ones.
    assert any(name.endswith("'") for name in names)
    whole = from_sympy(there)
    # What was abbreviated was put in.
    plain = from_sympy(to_sympy(str(model.lagrangian))) if not model.lagrangian.where else whole
    assert galilei.decide(f"{whole} = {plain}")
    assert model.lagrangian.where or galilei.decide(f"{whole} = {model.lagrangian}")


def test_lagranges_method_of_sympy_gives_the_same_motion() -> None:
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g")
    a, b = dynamicsymbols("th1 th2")
    kinetic = (
        m1 * (l1 * a.diff()) ** 2 / 2
        + m2
        * (
            (l1 * a.diff() * sympy.cos(a) + l2 * b.diff() * sympy.cos(b)) ** 2
            + (l1 * a.diff() * sympy.sin(a) + l2 * b.diff() * sympy.sin(b)) ** 2
        )
        / 2
    )
    potential = -m1 * g * l1 * sympy.cos(a) - m2 * g * (l1 * sympy.cos(a) + l2 * sympy.cos(b))
    method = LagrangesMethod(kinetic - potential, [a, b])
    method.form_lagranges_equations()
    numbers = {m1: 1, m2: 0.7, l1: 0.8, l2: 1.1, g: 9.81}
    state = [a, b, a.diff(), b.diff()]
    matrix = sympy.lambdify(state, method.mass_matrix.subs(numbers))
    forcing = sympy.lambdify(state, method.forcing.subs(numbers))
    ours = (
        galilei.System()
        .param(**{s.name: v for s, v in numbers.items()})
        .coord("th1", "th2")
        .kinetic(kinetic)
        .potential(potential)
        .build()
    )
    for y in np.random.default_rng(5).normal(size=(20, 4)):
        wanted = np.linalg.solve(matrix(*y), forcing(*y).ravel())
        assert np.allclose(ours.rhs(0, y)[2:], wanted, rtol=1e-11)
    # The gallery's model is this one.
    assert np.allclose(
        galilei.load(model_file("double-pendulum")).rhs(0, [0.1, 0.2, 0.3, 0.4]),
        ours.rhs(0, [0.1, 0.2, 0.3, 0.4]),
        rtol=1e-13,
    )


def test_what_both_have() -> None:
    x, y, r = sympy.symbols("x y r")
    V = sympy.Function("V")
    cases = {
        "x/y": x / y,
        "1/sqrt(x)": 1 / sympy.sqrt(x),
        "x^(2/3)": x ** sympy.Rational(2, 3),
        "-x*y": -x * y,
        "x - y": x - y,
        "2*x/3": 2 * x / 3,
        "0.1*x": sympy.Float(0.1) * x,
        "exp(1)*pi": sympy.Mul(sympy.E, sympy.pi, evaluate=False),
        "abs(x)": sympy.Abs(x),
        "min(x, y)": sympy.Min(x, y),
        "atan2(y, x)": sympy.atan2(y, x),
        "if(x < y, x, y)": sympy.Piecewise((x, x < y), (y, True)),
        "V(r)": V(r),
        "V[1](r)": V(r).diff(r),
        "exp(-x)": sympy.exp(-x),
    }
    for text, e in cases.items():
        found = from_sympy(e)
        assert found.text == text
        assert sympy.simplify(to_sympy(found) - sympy.nsimplify(e)) == 0
    assert from_sympy(sympy.Matrix([x, y])).text == "(x, y)"
    q = dynamicsymbols("q")
    assert from_sympy(q.diff().diff()).text == "q''"
    assert to_sympy("q'' + q'", coordinates=["q"]) == q.diff().diff() + q.diff()


def test_abbreviations_are_put_in() -> None:
    x = sympy.Symbol("x")
    inner = galilei.Expr("c1^2 + x", where={"c1": galilei.Expr("x + 1")})
    outer = galilei.Expr("c1*c2", where={"c1": galilei.Expr("x + 1"), "c2": inner})
    assert to_sympy(outer) == (x + 1) * ((x + 1) ** 2 + x)
    assert dict((outer + 1).where) == dict(outer.where)
    with pytest.raises(ValueError, match="abbreviations"):
        outer.diff("x")
    with pytest.raises(ValueError, match="abbreviations"):
        galilei.System().kinetic(outer)


def test_symbols_of_ones_own() -> None:
    m = sympy.Symbol("m", positive=True)
    assert to_sympy("sqrt(m^2)", symbols={"m": m}) == m
    assert to_sympy("p(x)*multiplier(rod)").free_symbols == {
        sympy.Symbol("p(x)"),
        sympy.Symbol("multiplier(rod)"),
    }
    assert to_sympy("(1, x)") == sympy.Tuple(1, sympy.Symbol("x"))
    assert to_sympy("x = 2") == sympy.Eq(sympy.Symbol("x"), 2)


def test_what_only_one_has_is_refused() -> None:
    x = sympy.Symbol("x")
    for e in (
        sympy.gamma(x),
        sympy.Integral(x, x),
        sympy.I,
        sympy.oo,
        sympy.Derivative(sympy.sin(x), x),
    ):
        with pytest.raises((TypeError, ValueError)):
            from_sympy(e)
    with pytest.raises(TypeError, match="SymPy has nothing"):
        to_sympy("sum(k in 1..3: x)")


def test_long_formulas_with_abbreviations_have_the_numbers() -> None:
    model = galilei.load(model_file("whipple-bicycle"))
    assert model.derive("metric")["metric"].where
    values = model.eval()
    state = dict(zip(model.coordinates, map(float, values.position), strict=True))
    parameters: dict[str, float] = {}
    for name, value in model.parameters.items():
        parameters[name] = float(to_sympy(value, symbols=parameters).evalf(30))
    numbers = {n: sympy.Float(v, 30) for n, v in (parameters | state).items()}
    found = [[float(to_sympy(e, symbols=numbers)) for e in row] for row in model.mass_matrix]
    assert np.allclose(found, values.mass_matrix, rtol=1e-12, atol=1e-12)
