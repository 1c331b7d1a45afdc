"""The cell magic of notebooks."""

from __future__ import annotations

from typing import Any

import pytest
from galilei import Model, load_ipython_extension
from galilei.magic import cell, settings

TEXT = "param k = 4\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\ninitial x = 1\n"


class Notebook:
    """The part of IPython's shell that an extension needs."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, magic_kind: str) -> None:
        assert magic_kind == "cell"
        self.magics[function.__name__] = function


def test_a_cell_is_a_model() -> None:
    notebook = Notebook()
    load_ipython_extension(notebook)
    shown = notebook.magics["galilei"]("oscillator --set k=9", TEXT)
    model = notebook.user_ns["oscillator"]
    assert isinstance(model, Model) and shown is model
    assert model.eval().acceleration[0] == -9


def test_a_wrong_cell_is_explained_and_binds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    assert cell("m", "coord x\nkinetic: y'^2", names) is None
    assert names == {}
    said = capsys.readouterr().err
    assert "unknown_name" in said and "2 | kinetic: y'^2" in said
    assert cell("m --fast", TEXT, names) is None
    assert "--fast" in capsys.readouterr().err


def test_without_a_name_the_model_is_shown() -> None:
    names: dict[str, Any] = {}
    assert isinstance(cell("", TEXT, names), Model)
    assert names == {}
    assert settings(["--set=k=2"]) == (None, {"k": "2"})
    with pytest.raises(ValueError, match="does not give a name a number"):
        settings(["--set", "k"])
