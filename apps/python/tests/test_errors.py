"""What a wrong model or request gets: an exception whose class and text say it."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import galilei
from galilei.errors import CODES, in_python

CLI_TESTS = ROOT / "apps/cli/tests"
WRONG = sorted((CLI_TESTS / "wrong").glob("*.gal"))
FREE = "coord x, y\nkinetic: (x'^2 + y'^2)/2\n"


def documented() -> dict[str, list[str]]:
    """The codes of each chapter of the documentation."""
    text = (ROOT / "docs/diagnostics.md").read_text(encoding="utf-8")
    chapters = re.split(r"^## ", text, flags=re.M)[1:]
    return {c.splitlines()[0]: re.findall(r"^\| `(\w+)` \|", c, flags=re.M) for c in chapters}


def test_every_code_has_the_class_of_its_chapter() -> None:
    chapters = documented()
    assert list(map(len, chapters.values())) and len(chapters) == len(CODES)
    for (chapter, codes), known in zip(chapters.items(), CODES.values(), strict=True):
        assert set(codes) == known, chapter


@pytest.mark.filterwarnings("ignore::galilei.GalileiWarning")
@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_a_wrong_model_says_what_a_terminal_shows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CLI_TESTS)
    with pytest.raises(galilei.GalileiError) as caught:
        galilei.load(f"wrong/{path.name}").check()
    error = caught.value
    shown = path.with_suffix(".txt").read_text(encoding="utf-8")
    *diagnostics, _ = shown.split("\n\n")
    # Hints name arguments where the command has options.
    assert str(error).split("\n\n") == [in_python(d) for d in diagnostics]
    assert error.code in next(codes for kind, codes in CODES.items() if type(error) is kind)
    assert f"{error.first.code}]: {error.message}" in shown
    if error.line is not None:
        assert f"wrong/{path.name}:{error.line}:{error.column}" in shown


def test_all_classes_of_models_are_seen() -> None:
    assert len(WRONG) >= 90


REQUESTS: list[tuple[str, Callable[[], Any]]] = [
    ("cannot_read", lambda: galilei.load("nowhere.gal")),
    ("file_too_large", lambda: galilei.parse("#" * 2_000_000)),
    ("nesting_too_deep", lambda: galilei.parse(FREE + "potential: " + "(" * 300 + ")" * 300)),
    ("invalid_setting", lambda: galilei.parse(FREE, set={"m": "k"})),
    ("unknown_parameter", lambda: galilei.parse(FREE).set(mm=2)),
    ("unknown_parameter", lambda: galilei.parse(FREE).jacobi(by=["mm"], to=1)),
    ("invalid_state", lambda: galilei.parse(FREE).eval(q=1)),
    ("invalid_state", lambda: galilei.parse(FREE).simulate(to=1, state="x=")),
    ("missing_value", lambda: galilei.parse("param m\n" + FREE).eval()),
    ("missing_value", lambda: galilei.parse("param m\n" + FREE + "potential: m*x").rhs),
    ("undetermined_function", lambda: galilei.parse(FREE + "function V(r)\npotential: V(x)").rhs),
    ("not_defined_at_state", lambda: galilei.parse(FREE + "potential: 1/x").eval(x=0)),
    ("unknown_chart", lambda: galilei.parse(FREE).derive(chart="polar")),
    ("unknown_request", lambda: galilei.parse(FREE).derive("lagrang")),
    ("missing_end_time", lambda: galilei.parse(FREE).simulate()),
    ("wrong_setting", lambda: galilei.parse(FREE).simulate(to=1, every=-1)),
    ("wrong_setting", lambda: galilei.parse(FREE).simulate(to=1, tolerance=1e-30)),
    ("unknown_method", lambda: galilei.parse(FREE).simulate(to=1, method="euler")),
    ("not_available", lambda: galilei.parse(FREE + "simulate to 1 method dop853").jacobi()),
    (
        "several_multipliers",
        lambda: galilei.parse(
            FREE + "constraint c: (x', y') = (0, 0)\noutput f: multiplier(c)"
        ).simulate(to=1),
    ),
    (
        "state_violates_constraint",
        lambda: galilei.parse(FREE + "constraint c: x = y").simulate(to=1, state={"x": 1}),
    ),
    (
        "projection_failed",
        lambda: galilei.parse(FREE + "constraint c: atan(x) = 1.5\ninitial x = -50").simulate(
            to=1, project=True
        ),
    ),
    (
        "not_finite",
        lambda: galilei.parse("param k = 0\n" + FREE + "initial x = log(k)").simulate(to=1),
    ),
    ("nothing_varied", lambda: galilei.parse(FREE).sweep(sample=3, to=1)),
    ("missing_sample", lambda: galilei.parse(FREE).sweep(vary={"x": (0, 1)}, to=1)),
    ("invalid_axis", lambda: galilei.parse(FREE).sweep(grid={"z": [0, 1]}, to=1)),
    ("missing_end", lambda: galilei.parse(FREE).stationary(end={"x": 1}, to=1)),
    ("missing_end_time", lambda: galilei.parse(FREE).stationary(end="x=1, y=0")),
    ("invalid_state", lambda: galilei.parse(FREE).stationary(end={"x'": 1}, to=1)),
    ("unknown_functional", lambda: galilei.parse(FREE).stationary(functional="z", to=1)),
    ("unknown_coordinate", lambda: galilei.parse(FREE).stationary(free_end=["q"], to=1)),
    (
        "not_variational",
        lambda: galilei.parse(FREE + "constraint c: x' = x*y'").stationary(free_end="x, y", to=1),
    ),
    (
        "wrong_setting",
        lambda: galilei.parse(FREE).stationary(end="x=1, y=1", to=1, degree=99),
    ),
    ("wrong_setting", lambda: galilei.parse(FREE).sweep(grid={"x": [1]}, shard=(5, 4), to=1)),
    ("unknown_language", lambda: galilei.parse(FREE).export("cobol")),
    ("missing_value", lambda: galilei.parse("param m\n" + FREE + "potential: m*x").export("c")),
    ("expected_equation", lambda: galilei.decide("x + 1")),
    ("only_in_models", lambda: galilei.decide("(1, 2) = x")),
    ("expected_name", lambda: galilei.Expr("x^2").diff("x + 1")),
    ("expected_expression", lambda: galilei.Expr("x*")),
]


@pytest.mark.parametrize(("code", "request_"), REQUESTS, ids=[c for c, _ in REQUESTS])
def test_a_wrong_request_says_so(code: str, request_: Callable[[], Any]) -> None:
    with pytest.raises(galilei.GalileiError) as caught:
        request_()
    assert caught.value.code == code
    assert code in CODES[type(caught.value)]
    assert caught.value.message in str(caught.value)


@pytest.mark.parametrize(("code", "request_"), REQUESTS, ids=[c for c, _ in REQUESTS])
def test_no_error_names_an_option_of_the_command(code: str, request_: Callable[[], Any]) -> None:
    with pytest.raises(galilei.GalileiError) as caught:
        request_()
    assert "--" not in str(caught.value).replace("-->", "")


def test_every_option_in_a_hint_is_an_argument() -> None:
    """All hints of the compiled part that speak of options, translated."""
    sources = [p for p in (ROOT / "crates").glob("*/src/**/*.rs") if "test" not in p.name]
    hints = [h for p in sources for h in re.findall(r'"((?:[^"\\\\]|\\\\.)* --[a-z](?:[^"\\\\]|\\\\.)*)"', p.read_text("utf-8"))]
    assert len(hints) > 20
    for hint in hints:
        said = in_python(hint.replace('\\\\"', '"'))
        assert not re.search(r"(^|\s|`)--[a-z]", said), said


WRONG_TYPES: list[tuple[str, Callable[[], Any]]] = [
    ("to is a number, not 'soon'", lambda: galilei.parse(FREE).simulate(to="soon")),
    ("every is a number, not [1]", lambda: galilei.parse(FREE).simulate(to=1, every=[1])),
    ("method is a name in quotes, not 3", lambda: galilei.parse(FREE).simulate(to=1, method=3)),
    ("sample is a whole number, not 1.5", lambda: galilei.parse(FREE).sweep(sample=1.5, to=1)),
    ("shard is a pair of numbers such as (1, 4), not 3", lambda: galilei.parse(FREE).sweep(shard=3)),
    (
        "vary takes pairs of numbers such as (0.9, 1.1), not 3",
        lambda: galilei.parse(FREE).sweep(sample=2, vary={"x": 3}, to=1),
    ),
    ("starts is a whole number, not 'a'", lambda: galilei.parse(FREE).stationary(to=1, starts="a")),
    ("True is no expression", lambda: galilei.parse(FREE).eval(x=True)),
]


@pytest.mark.parametrize(("message", "request_"), WRONG_TYPES, ids=[m for m, _ in WRONG_TYPES])
def test_a_wrong_type_is_told_in_words_of_python(message: str, request_: Callable[[], Any]) -> None:
    with pytest.raises(TypeError) as caught:
        request_()
    assert str(caught.value) == message


def test_all_errors_are_told_together_with_their_places() -> None:
    with pytest.raises(galilei.NamesError) as caught:
        galilei.parse("coord θ\nkinetic: θ'^2*mm\npotential: cos(θ)*ψψ\n", name="two.gal")
    first, second = caught.value.diagnostics
    assert (first.line, first.column, first.end_column) == (2, 15, 17)
    assert (second.line, second.column, second.end_line, second.end_column) == (3, 19, 3, 21)
    assert " --> two.gal:3:19" in str(caught.value)


def test_an_error_survives_copying() -> None:
    with pytest.raises(galilei.ReadingError) as caught:
        galilei.parse("cord x")
    for other in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert type(other) is galilei.ReadingError
        assert str(other) == str(caught.value)
        assert other.hint == caught.value.hint != ""


def test_the_place_in_a_built_system_is_told() -> None:
    system = galilei.System("Two").coord("x", unit="m").kinetic("x'^2/2").potential("k*x^2")
    with pytest.raises(galilei.NamesError) as caught:
        system.build()
    assert (caught.value.line, caught.value.column) == (4, 12)
    assert "4 | potential: k*x^2" in str(caught.value)


def test_the_class_is_that_of_the_first_error_not_of_a_warning_before_it() -> None:
    model = galilei.parse("coord x, y\nlagrangian: x'*y' - x*y\n")
    with pytest.raises(galilei.RequestError) as caught:
        model.derive("lagrang")
    warning, error = caught.value.diagnostics
    assert warning.warning and warning.code == "metric_not_positive_definite"
    assert caught.value.code == error.code == "unknown_request"


def test_warnings_are_those_of_python() -> None:
    with pytest.warns(galilei.GalileiWarning, match="metric_not_positive_definite"):
        galilei.parse("coord x, y\nlagrangian: x'*y' - x*y\n").check()


def test_a_run_that_fails_keeps_what_it_has() -> None:
    # A fall into the centre.
    model = galilei.parse("coord x\nkinetic: x'^2/2\npotential: -1/x\ninitial x = 1")
    with pytest.raises(galilei.RunError, match="failed at t = 1.1") as caught:
        model.simulate(to=2)
    run = caught.value.run
    assert run.status == "failed"
    assert 1.1 < run.time < 1.1108  # π/√8
    assert len(run) > 10
    assert run(0.5).shape == (2,)
