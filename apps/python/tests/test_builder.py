"""Models written in Python are those of the language."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from conftest import model_file

import galilei
from galilei import System, as_expr, cos, functions, pi, sin, symbols, t


def test_kapitzas_pendulum_is_that_of_the_file() -> None:
    theta, m, l, g, a, w, c, pivot = symbols("theta m l g a w c pivot")  # noqa: E741
    built = (
        System("Kapitza pendulum")
        .param(m=(0.2, "kg"), l=(0.5, "m"), g=(9.81, "m/s^2"))
        .param(a=(0.02, "m"), w=(250, "rad/s"), c=(0.003, "N*m*s"))
        .coord("theta", unit="rad")
        .let(pivot, a * cos(w * t))
        .let("bob", (l * sin(theta), pivot - l * cos(theta)))
        .particle("bob", mass=m, at="bob")
        .gravity((0, -g))
        .force({theta: -c * theta.velocity}, "friction")
        .initial({theta: 3.0, theta.velocity: 0})
        .simulate(to=10)
        .build()
    )
    read = galilei.load(model_file("kapitza-pendulum"))
    assert built.lagrangian == read.lagrangian
    assert built.equations == read.equations
    assert built.parameters == read.parameters
    assert np.array_equal(built.simulate(to=1).state, read.simulate(to=1).state)


def test_every_statement() -> None:
    x, y, phi, k, q = symbols("x y phi k q")
    members = {q[1]: "d", q[2]: "e", q[3]: "f"}
    system = (
        System("All of them")
        .const(n=3)
        .param("free", unit="kg")
        .param(m=1, M=2, J=0.5, k=4, l=(50, "cm"), **{"c[i in 1..n]": "i"})
        .coord("x", "y")
        .coord("phi", unit="rad")
        .coord("q[1..n]")
        .let("f(s)", "s^2")
        .function("V(r)")
        .assume(as_expr("m") > 0)
        .particle("p", mass="m", at=(x, y))
        .particle(mass=1, at=(x, 0))
        .body("disk", mass="M", inertia="J", at=(x, y), angle=phi)
        .gravity((0, -9.81))
        .spring("s", stiffness=k, ends=((0, 0), (x, y)), length=0.1)
        .spring(stiffness=1, ends=((0, 0), (x, y)))
        .damper("d", coefficient=0.1, ends=((0, 0), (x, y)))
        .repeat("i", 1, "n", lambda s: s.kinetic("q[i]'^2/2").potential("c[i]*q[i]^2", "p[i]"))
        .kinetic("x'^2", "more")
        .lagrangian("-x^4")
        .vector_potential({x: -y}, "field")
        .metric({(x, x): 1, (y, y): 2})
        .reference({x: y})
        .reference({x: 1}, "wind")
        .force({x: "-x'"}, "drag")
        .force((1, 0), at=(x, y))
        .force(0.1, "motor", on="disk")
        .dissipation("y'^2", "loss")
        .constraint("q[1]'", "q[2]'", "gear")
        .constraint("q[3]")
        .dependent("q[2]'")
        .chart("polar(r, a, b, d, e, f)", {x: "r*cos(a)", y: "r*sin(a)", phi: "b"} | members)
        .symmetry({phi: 1, "t": 0}, "turn")
        .initial({x: 1, y: 1, "q[1]'": 0.5, "q[2]'": 0.5})
        .output("h", y)
        .event("node", x, direction="rising", terminal=True)
        .simulate(to=2 * pi, from_=0, every=0.1, method="taylor", tolerance=1e-10)
    )
    wanted = """system "All of them"
const n = 3
param free [kg]
param m = 1, M = 2, J = 0.5, k = 4, l = 50 [cm], c[i in 1..n] = i
coord x, y
coord phi [rad]
coord q[1..n]
let f(s) = s^2
function V(r)
assume m > 0
particle p: mass m at (x, y)
particle: mass 1 at (x, 0)
body disk: mass M inertia J at (x, y) angle phi
gravity: (0, -9.81)
spring s: stiffness k length 0.1 from (0, 0) to (x, y)
spring: stiffness 1 from (0, 0) to (x, y)
damper d: coefficient 0.1 from (0, 0) to (x, y)
for i in 1..n {
  kinetic: q[i]'^2/2
  potential p[i]: c[i]*q[i]^2
}
kinetic more: x'^2
lagrangian: -x^4
vector potential field: x = -y
metric: x x = 1, y y = 2
reference: x = y
reference wind: x = 1
force drag: x = -x'
force: (1, 0) at (x, y)
force motor: torque 0.1 on disk
dissipation loss: y'^2
constraint gear: q[1]' = q[2]'
constraint: q[3] = 0
dependent q[2]'
chart polar(r, a, b, d, e, f): x = r*cos(a), y = r*sin(a), phi = b, q[1] = d, q[2] = e, q[3] = f
symmetry turn: phi = 1, t = 0
initial x = 1, y = 1, q[1]' = 0.5, q[2]' = 0.5
output h: y
event node: x rising terminal
simulate to 2*pi from 0 every 0.1 method taylor tolerance 1e-10"""
    assert system.text == wanted
    model = system.build()
    assert model.title == "All of them" and model.charts == ("polar",)
    assert model.coordinates == ("x", "y", "phi", "q[1]", "q[2]", "q[3]")
    assert set(model.constraints) == {"gear", "constraint 1"}
    assert model.outputs == ("h",) and model.events == ("node",)
    assert model.parameters["l"] == "1/2" and model.parameters["free"] is None
    assert model.parameters["c[3]"] == "3"
    assert model.check()
    body = System().body(mass=1, inertia=(1, 2, 3), at=(x, y, 0), rotation="zxz(phi, 0.1, 0)")
    assert body.text == "body: mass 1 inertia (1, 2, 3) at (x, y, 0) rotation zxz(phi, 0.1, 0)"


def test_precedence_is_that_of_python() -> None:
    a, b, c = symbols("a b c")
    cases = {
        "(a + b)*c": (a + b) * c,
        "a + b*c": a + b * c,
        "a - (b - c)": a - (b - c),
        "a - b - c": a - b - c,
        "a/(b*c)": a / (b * c),
        "a/b/c": a / b / c,
        "a/(b/c)": a / (b / c),
        "(a^b)^c": (a**b) ** c,
        "a^(b^c)": a ** (b**c),
        "(-a)^2": (-a) ** 2,
        "-a^2": -(a**2),
        "-a*b": -(a * b),
        "-(a + b)": -(a + b),
        "a*(-b)": a * -b,
        "a + -b": a + -b,
        "2^(-1)": as_expr(2) ** -1,
        "1/3*a": Fraction(1, 3) * a,
        "(a*b)^2": (a * b) ** 2,
        "1.5*a": Decimal("1.5") * a,
        "2*a": np.float64(2) * a,
        "abs(a)": abs(a),
        "a <= b + c": a <= b + c,
        "if(a < b, 1, 2)": functions.if_(a < b, 1, 2),
        "(a, b).x": as_expr((a, b)).x,
        "(a + b, c)": as_expr([a + b, c]),
        "a*(b + 1)": a * "b + 1",
    }
    for text, e in cases.items():
        assert e.text == text
    # Python's own arithmetic is the witness of what the language makes of the text.
    values = {"a": 1.3, "b": 0.7, "c": 2.1}
    for text, e in cases.items():
        if not set("<,") & set(text):
            direct = eval(text.replace("^", "**"), {}, values)
            assert float(e.to_sympy().subs(values)) == pytest.approx(direct)


def test_numbers_are_exact() -> None:
    model = System().param(k=0.1, s=1e-20, h=1e20).coord("x").kinetic("x'^2").build()
    assert model.parameters == {"k": "1/10", "s": "1/" + "1" + "0" * 20, "h": "1" + "0" * 20}
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="no number"):
            as_expr(wrong)


def test_what_is_no_expression_is_refused() -> None:
    for wrong in (None, True, object(), {}):
        with pytest.raises(TypeError):
            as_expr(wrong)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(as_expr("x") > 0)
    with pytest.raises(ValueError, match="quotes"):
        System('a "title"')
    with pytest.raises(TypeError, match="force"):
        System().force((1, 0))


def test_expressions_are_drawn_and_differentiated() -> None:
    e = as_expr("m*theta'^2/2 - V(r)")
    assert e._repr_latex_().startswith("$") and "\\dot{\\theta}" in e.latex
    assert e.diff("theta'") == "m*theta'" and e.diff("r") == "-V[1](r)"
    assert as_expr((1, 2))._repr_latex_() is None


def test_results_are_expressions() -> None:
    model = galilei.load(model_file("chaplygin-sleigh"))
    assert model.constraints == {"blade": "y'*cos(theta) - x'*sin(theta)"}
    assert model.reactions["x"] == "-multiplier(blade)*sin(theta)"
    assert set(model.multipliers) == {"blade"} and set(model.accelerations) == {"x", "y", "theta"}
    pendulum = galilei.load(model_file("double-pendulum"))
    assert pendulum.reactions == {} == pendulum.multipliers
    assert galilei.decide(f"{pendulum.mass_matrix[0][1]} = {pendulum.mass_matrix[1][0]}")
    hessian = pendulum.lagrangian.diff("th1'").diff("th2'")
    assert galilei.decide(f"{pendulum.mass_matrix[0][1]} = {hessian}")
    assert "p(th1)" in pendulum.hamiltonian.text
    # L without a Hamiltonian in closed form says why.
    fast = galilei.load(model_file("relativistic-particle"))
    with pytest.warns(galilei.GalileiWarning), pytest.raises(AttributeError, match="numerically"):
        fast.hamiltonian


def test_derivations_read_and_drawn() -> None:
    model = galilei.load(model_file("kapitza-pendulum"))
    d = model.derive("lagrange", "energy")
    assert list(d) == ["lagrange", "energy"] and len(d) == 2
    assert d["lagrange"].theorems == ("T-49",)
    assert d.latex == d._repr_latex_() and d.latex.startswith("\\begin{align*}")
    assert d.html == d._repr_html_() and "<math display=" in d.html
    assert "θ̈" in d["lagrange"].text and "components" in d["lagrange"].entries()
    assert list(model.derive()) == ["lagrange", "energy"]
    everything = model.derive("all")
    assert len(everything) >= 20
    assert everything["nonholonomic"].reason
    rolled = galilei.load(model_file("kepler-cartesian"))
    assert (
        rolled.charts and rolled.derive("lagrange", chart=rolled.charts[0])["lagrange"].components
    )


def test_checks() -> None:
    check = galilei.load(model_file("kapitza-pendulum")).check()
    assert check and check.ok and check.dimension == 1 and check.time_dependent and check.quadratic
    assert not check.forces["friction"]["potential"] and check.constraints is None
    assert {f.status for f in check.findings} <= {
        "proved", "certified", "sampled", "undecided", "fails", "not applicable",
    }  # fmt: skip
    assert any(f.theorem == "T-47" and f.status == "proved" for f in check.findings)
    assert "Kapitza" in repr(check)
    verdict = galilei.decide("x = x + 1e-30")
    assert not verdict and verdict.verdict == "refuted" and verdict.witness is not None
