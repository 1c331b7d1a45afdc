"""Exported source agrees with the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import MODELS, model_file

import galilei


@pytest.mark.parametrize("name", ["double-pendulum", "particle-on-sphere", "kapitza-pendulum"])
def test_the_exported_python_agrees_with_eval(name: str) -> None:
    model = galilei.load(model_file(name))
    there: dict[str, Any] = {}
    exec(model.export("python"), there)
    here = model.eval()
    x, u = list(here.position), list(here.velocity)
    accelerations, multipliers = there["accelerations"](0.0, x, u)
    close = {"rtol": 1e-12, "atol": 1e-12}
    assert np.allclose(accelerations, here.acceleration, **close)
    assert np.allclose(there["mass_matrix"](0.0, x, u), here.mass_matrix, **close)
    assert len(multipliers) == len(model.constraints)


def test_settings_are_the_defaults_of_the_source() -> None:
    model = galilei.parse("param k = 4\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2")
    there: dict[str, Any] = {}
    exec(model.set(k=9).export("python"), there)
    assert there["accelerations"](0, [2], [0])[0] == [-18]
    assert there["accelerations"](0, [2], [0], [1])[0] == [-2]


def test_the_initial_state_does_not_matter() -> None:
    # At the pole the mass matrix is singular.
    model = galilei.parse("coord a, b\nkinetic: (a'^2 + sin(a)^2*b'^2)/2\ninitial a = 0")
    with pytest.raises(galilei.MechanicsError):
        model.simulate(to=1)
    there: dict[str, Any] = {}
    exec(model.export("python"), there)
    accelerations, _ = there["accelerations"](0, [1, 0], [0, 2])
    assert accelerations == pytest.approx([4 * np.sin(1) * np.cos(1), 0])


@pytest.mark.parametrize(
    ("language", "sign"),
    [("c", "#include"), ("rust", "pub fn"), ("python", "def "), ("julia", "function ")],
)
def test_all_languages_are_written(language: str, sign: str) -> None:
    assert sign in galilei.load(MODELS / "double-pendulum.gal").export(language)
