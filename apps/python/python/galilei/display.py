"""How notebooks show models, checks and runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .derivation import Check
    from .model import Model
    from .run import Run

__all__ = ["check", "model", "run"]

_COLOURS = {
    "proved": "#00755a",
    "certified": "#00755a",
    "sampled": "#9a6b00",
    "undecided": "#9a6b00",
    "fails": "#b44a00",
    "refuted": "#b44a00",
}


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table whose cells are HTML."""
    style = ' style="text-align:left"'
    top = "".join(f"<th{style}>{h}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td{style}>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _number(value: Any) -> str:
    try:
        return f"{float(value):.6g}"
    except (TypeError, ValueError):
        return "not given"


def model(of: Model) -> str:
    """The title, the equations of motion, coordinates and parameters."""
    from .errors import GalileiError

    try:
        equations = of._section("lagrange").html
    except GalileiError as error:
        equations = f"<p>{escape(error.message)}</p>"
    counts = [f"{len(of.coordinates)} coordinate{'s' * (len(of.coordinates) != 1)}"]
    if of.constraints:
        counts.append(f"{len(of.constraints)} constraint{'s' * (len(of.constraints) != 1)}")
    rows = [
        (f"<code>{escape(name)}</code>", escape(_number(value)))
        for name, value in of.parameters.items()
    ]
    table = ""
    if rows:
        inner = _table(("parameter", "value, SI"), rows)
        table = f"<details><summary>{len(rows)} parameters</summary>{inner}</details>"
    names = ", ".join(f"<code>{escape(name)}</code>" for name in of.coordinates)
    return (
        f"<h4>{escape(of.title)}</h4><p>{', '.join(counts)}: {names}</p>{equations}{table}"
        f"<details><summary>the model</summary><pre>{escape(of.source)}</pre></details>"
    )


def check(of: Check) -> str:
    """A summary, and the findings with their verdicts."""
    word = {True: "Everything required holds.", False: "Something required does not hold."}
    summary = word.get(of.ok, "Not everything required could be decided.")  # type: ignore[arg-type]
    colour = {True: _COLOURS["proved"], False: _COLOURS["fails"]}.get(of.ok, _COLOURS["sampled"])  # type: ignore[arg-type]
    held = sum(f.status in ("proved", "certified") for f in of.findings)
    rows = []
    for f in of.findings:
        detail = f"<br><small>{escape(f.detail)}</small>" if f.detail else ""
        status = f'<b style="color:{_COLOURS.get(f.status, "inherit")}">{escape(f.status)}</b>'
        rows.append((escape(f.name) + detail, status, escape(f.theorem)))
    inner = _table(("claim", "verdict", "theorem"), rows)
    opened = "" if of.ok else " open"
    return (
        f'<p><b style="color:{colour}">{summary}</b> {held} of {len(of.findings)} claims are proved '
        f"or certified.</p><details{opened}><summary>findings</summary>{inner}</details>"
    )


def run(of: Run) -> str:
    """The end of a run, its accuracy, and the last state."""
    s = of.stats
    rows = [
        (f"<code>{escape(name)}</code>", f"{float(of.rows[0][k]):.6g}", f"{float(of.rows[-1][k]):.6g}")
        for k, name in enumerate(of.names)
    ]
    inner = _table(("", "first", "last"), rows) if len(of) else ""
    return (
        f"<p>Run to t = {of.time:.6g}, {escape(of.status)}: {len(of)} states; {escape(s['method'])}, "
        f"{s['steps']} steps, energy balance {s['energy_balance']:.1e}</p>{inner}"
    )
