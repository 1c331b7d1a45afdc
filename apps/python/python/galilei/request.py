"""Requests to a model, as texts and plain values."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

from .expression import ExprLike, as_expr

__all__ = ["Names", "State", "integer", "names", "real", "settings", "span", "state_text", "texts"]

#: A state: entries by name, or a text such as ``"theta=0.1, theta'=-2"``.
State = Mapping[Any, ExprLike] | str | None

#: Names: a list, or a text such as ``"x, y"``.
Names = Iterable[Any] | str


def settings(values: Mapping[Any, ExprLike] | None) -> dict[str, str]:
    """Names with their values, all as texts."""
    return {as_expr(name).text: as_expr(value).text for name, value in (values or {}).items()}


def texts(entries: Mapping[str, str]) -> list[str]:
    """``name=value`` for each entry."""
    return [f"{name}={value}" for name, value in entries.items()]


def state_text(state: State, entries: Mapping[str, ExprLike] | None = None) -> str:
    """A state, with some entries replaced, as a text."""
    if isinstance(state, str):
        return ", ".join([*([state] if state.strip() else []), *texts(settings(entries))])
    return ", ".join(texts(settings(state) | settings(entries)))


def names(list_: Names) -> list[str]:
    """Names as texts."""
    if isinstance(list_, str):
        return [name.strip() for name in list_.split(",") if name.strip()]
    return [as_expr(name).text for name in list_]


def real(name: str, value: Any) -> float | None:
    """A real number that was given for a setting: also an expression without names.

    >>> real("to", "soon")
    Traceback (most recent call last):
    TypeError: to is a number, not 'soon'
    """
    if value is None:
        return None
    if not isinstance(value, (str, bytes, bool)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{name} is a number, not {value!r}")


def integer(name: str, value: Any) -> int | None:
    """A whole number, not negative, that was given for a setting."""
    if value is None:
        return None
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {value!r}") from None
    if whole < 0:
        raise ValueError(f"{name} is not negative: {whole}")
    return whole


def _word(name: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is a name in quotes, not {value!r}")


def span(
    to: float | None = None,
    from_: float | None = None,
    every: float | None = None,
    method: str | None = None,
    tolerance: float | None = None,
    step: float | None = None,
    project: bool = False,
    accept_balance: bool = False,
) -> dict[str, Any]:
    """The settings of a run."""
    return {
        "from": real("from_", from_),
        "to": real("to", to),
        "every": real("every", every),
        "method": _word("method", method),
        "tolerance": real("tolerance", tolerance),
        "step": real("step", step),
        "project": bool(project),
        "accept_balance": bool(accept_balance),
    }
