"""Differential forms and vector fields as Python objects."""

import pytest

import galilei
from galilei import Chart, bracket, d, interior, lie, pullback, wedge

ROOM = Chart("x y z")


def test_operators_obey_the_laws_of_exterior_calculus() -> None:
    x, y, z = ROOM.functions
    a = x * d(y) + "sin(z)" * d(x)
    b = y * d(z) - d(x) / 2
    assert (a ^ b) == -(b ^ a)
    assert d(wedge(a, b)) == (d(a) ^ b) - (a ^ d(b))
    assert d(d(a)) == ROOM.form("0")
    assert wedge(d(x), d(y), d(z)).degree == 3
    assert a.components[("y",)].text == "x"
    assert a + b != a


def test_vector_fields_act_on_functions_and_forms() -> None:
    turn, shift = ROOM.vector(x="-y", y="x"), ROOM.vector(x=1, z="x")
    a = ROOM.form("x*d(y) + y*z*d(x)")
    # Cartan's formula.
    assert lie(turn, a) == interior(turn, d(a)) + d(interior(turn, a))
    assert bracket(turn, shift) == lie(turn, shift)
    assert turn("x^2 + y^2") == galilei.Expr("0")
    f = ROOM.form("x*z")
    commutator = f"({turn(shift(f))}) - ({shift(turn(f))})"
    assert galilei.decide(f"{bracket(turn, shift)(f)} = {commutator}")
    assert a(turn) == interior(turn, a).function
    assert (turn + shift) - shift == turn
    assert 2 * turn == turn + turn


def test_forms_are_pulled_back() -> None:
    polar = Chart("r phi")
    plane = Chart("x y")
    map_ = {"x": "r*cos(phi)", "y": "r*sin(phi)"}
    area = plane.form(r"d(x) /\ d(y)")
    assert pullback(area, polar, map_) == polar.form("r*d(r)") ^ polar.form("d(phi)")
    a = plane.form("x*d(y)")
    assert pullback(d(a), polar, map_) == d(pullback(a, polar, map_))


def test_the_forms_of_a_model() -> None:
    model = galilei.parse(
        "param m = 2, c = 0.1\ncoord x, y\nkinetic: m*(x'^2 + x^2*y'^2)/2\nforce f: x = -c*x'"
    )
    omega, z = model.action_form, model.motion
    assert interior(z, omega) == model.state_space.form("0")
    assert d(omega) != model.state_space.form("0")
    theta = model.state_space.contact("x")
    assert interior(z, theta) == model.state_space.form("0")
    assert z.components["x'"].text != "0"
    again = galilei.parse(f"param m = 2, c = 0.1\ncoord x, y\naction form: {omega.text}")
    assert again.action_form == omega
    assert "\\wedge" in omega._repr_latex_()
    assert model.space_time.coordinates == ("t", "x", "y")


def test_wrong_forms_are_refused() -> None:
    x = ROOM.functions[0]
    with pytest.raises(galilei.QuantityError) as refused:
        d(x) + x
    assert refused.value.code == "degree_mismatch"
    with pytest.raises(ValueError):
        d(x) + d(Chart("x y").functions[0])
    with pytest.raises(galilei.NamesError):
        Chart("x x")
    with pytest.raises(KeyError):
        ROOM.vector(w=1)
    with pytest.raises(ValueError):
        d(x)(ROOM.vector(x=1), ROOM.vector(y=1))
