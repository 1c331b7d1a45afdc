"""Equilibria, modes, periodic motions, Lyapunov exponents."""

import math

import numpy as np
import pytest

import galilei

PENDULUM = "param g = 9.81\ncoord q\nkinetic: q'^2/2\npotential: -g*cos(q)\ninitial q = 0.3\n"


def test_modes_are_arrays():
    modes = galilei.parse(PENDULUM).modes({"q": 0})
    assert modes.A.shape == (2, 2) and list(modes.independent) == ["q", "q'"]
    assert np.allclose(modes.eigenvalues, [1j * math.sqrt(9.81), -1j * math.sqrt(9.81)])
    assert np.allclose(modes.A @ modes.vectors[0], modes.eigenvalues[0] * modes.vectors[0])
    assert "<table>" in modes._repr_html_() and "Hz" in repr(modes)


def test_equilibria():
    found = galilei.parse(PENDULUM).equilibria()
    assert [e.stable for e in found] == [True, False]
    assert found[1].formulas == {"q": "pi"} and found[1].verdict == "proved"
    assert "pi" in found._repr_html_()
    [free] = galilei.parse("param k = 1\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2 - x\n").equilibria(
        {"x": 4}, free="k", nearest=True
    )
    assert abs(free.parameters["k"] - 0.25) < 1e-12


def test_periodic_families():
    model = galilei.parse("coord x\nkinetic: x'^2/2\npotential: x^4/4\ninitial x = 1\n")
    [motion] = model.periodic(7)
    assert abs(motion.period - 7.416298709205487) < 1e-9
    family = model.periodic(7, vary=("energy", 0.25, 4))
    # Periods fall with the fourth root of the energy.
    assert np.allclose(family.periods * family.parameters**0.25, motion.period * 0.25**0.25)
    with pytest.raises(TypeError):
        model.periodic()
    with pytest.raises(galilei.errors.GalileiError):
        model.periodic(7, vary=("nothing", 0, 1))


def test_lyapunov():
    model = galilei.parse("coord x\nkinetic: x'^2/2\npotential: -x^2/2\n")
    found = model.lyapunov(to=40)
    assert np.allclose(found.exponents, [1, -1], atol=1e-3) and found.expected_sum == 0
    assert len(model.lyapunov(to=40, count=1).exponents) == 1


def test_plots():
    pytest.importorskip("matplotlib").use("Agg")
    model = galilei.parse(PENDULUM)
    assert model.modes({"q": 0}).plot().get_xlabel() == "real part"
    family = model.periodic(2, vary=("g", 9, 10))
    assert family.plot().get_ylabel() == "period" and family.plot(of="q").get_ylabel() == "q"
    assert family[0].plot().get_xlabel() == "real part"
    assert model.lyapunov(to=50).plot().get_xlabel() == "time"


def test_fits_of_several_runs():
    text = "param k = 3\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\noutput place: x\ninitial x = 0.4\n"
    t = np.linspace(0, 4, 41)
    runs = [{"t": t, "place": a * np.cos(2 * t) + 0.01 * np.sin(7 * np.arange(41) ** 2 + a)} for a in (0.5, 0.8)]
    fit = galilei.parse(text).fit(runs, ["k", "x"], profile=True, segments=2)
    assert list(fit.estimates) == ["k", "x@1", "x@2"] and fit.converged
    assert np.allclose(list(fit.estimates.values()), [4, 0.5, 0.8], atol=0.02)
    assert fit.covariance.shape == (3, 3) and len(fit.residuals) == 82
    # Student's quantile 97.5 % for 82 − 3 degrees of freedom.
    k = fit.parameters["k"]
    expected = [k["value"] + sign * 1.990450 * k["standard_error"] for sign in (-1, 1)]
    assert np.allclose(fit.profiles[0]["interval"], expected, atol=0.01 * k["standard_error"])
    assert "±" in repr(fit) and "<table>" in fit._repr_html_()
    with pytest.raises(galilei.GalileiError, match="41 times and 40 values"):
        galilei.parse(text).fit({"t": t, "place": t[1:]}, "k")


def test_a_fit_is_drawn():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    t = np.linspace(0, 4, 41)
    fit = galilei.parse(PENDULUM + "output angle: q\n").fit({"t": t, "angle": 0.3 * np.cos(3 * t)}, ["g"])
    above, below = fit.plot()
    assert len(above.lines) == 2 and len(below.lines) == 1
