"""What a notebook shows."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from conftest import MODELS, model_file

import galilei


class Balanced(HTMLParser):
    """Fails where tags are not closed in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("br", "hr", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def shown(it: object) -> str:
    html: str = it._repr_html_()  # type: ignore[attr-defined]
    parser = Balanced()
    parser.feed(html)
    assert parser.open == [] and "<script" not in html
    return html


@pytest.mark.parametrize("name", ["kepler", "rolling-disk", "central-force", "double-pendulum"])
def test_a_model(name: str) -> None:
    model = galilei.load(model_file(name))
    html = shown(model)
    assert model.title in html and "<math" in html
    assert all(f"<code>{c}</code>" in html for c in model.coordinates)
    assert (MODELS / f"{name}.gal").exists()


def test_a_text_is_no_markup() -> None:
    model = galilei.parse('system "<b>x</b>"\n# <script>\ncoord x\nkinetic: x\'^2/2\nassume x > 0')
    html = shown(model)
    assert "&lt;b&gt;x&lt;/b&gt;" in html and "&lt;script&gt;" in html


def test_a_check() -> None:
    check = galilei.load(model_file("kepler")).check()
    html = shown(check)
    assert "Everything required holds." in html and "T-47" in html
    assert html.count("<tr>") == 1 + len(check.findings)


def test_a_run() -> None:
    run = galilei.parse("coord x\nkinetic: x'^2/2\ninitial x' = 1").simulate(to=2)
    html = shown(run)
    assert "Run to t = 2, finished" in html and "<code>x&#x27;</code>" in html


def test_an_expression_is_a_number_where_it_is_one() -> None:
    model = galilei.parse("param m = 250 [g], J = m/2 [kg], c\ncoord x\nkinetic: m*x'^2/2 + c*x'^2")
    assert float(model.parameters["m"]) == 0.25
    assert float(model.parameters["J"]) == 0.125 and model.parameters["J"].text == "m/2"
    assert model.parameters["c"] is None
    assert float(model.set(m=3).parameters["J"]) == 0.0015  # grams
    energy = model.lagrangian.subs(model.parameters | {"c": 0})
    assert energy.names == ("x'",) and float(energy.subs({"x'": 2})) == 0.5
    with pytest.raises(TypeError, match="subs gives values to c, m, x'"):
        float(model.lagrangian)
    with pytest.raises(galilei.ReadingError):
        model.lagrangian.subs({"m + c": 1})
