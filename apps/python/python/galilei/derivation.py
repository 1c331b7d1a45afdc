"""Derivations: their sections, and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .errors import Diagnostic
from .expression import Expr

__all__ = ["Check", "Derivation", "Finding", "Section", "Verdict"]

#: Entries of a section that are no expressions.
_WORDS = ("latex", "text", "theorems", "reason", "where", "kind")


def _expressions(value: Any, where: Mapping[str, Expr]) -> Any:
    if isinstance(value, Mapping):
        return {name: _expressions(v, where) for name, v in value.items()}
    if isinstance(value, str):
        try:
            return Expr(value, where=where)
        except ValueError:  # A word, not an expression.
            return value
    return value


class Section:
    """A section of the derivation, with its theorem.

    ``latex``, ``text`` and ``html`` are for reading; ``components`` and the other entries are
    expressions, which can be calculated with.
    """

    def __init__(self, word: str, title: str, document: Mapping[str, Any], html: str) -> None:
        self.word = word
        self.title = title
        self.html: str = html
        self.latex: str = document["latex"]
        self.text: str = document["text"]
        self.theorems: tuple[str, ...] = tuple(document["theorems"])
        #: Why there is nothing here, if there is nothing.
        self.reason: str | None = document.get("reason")
        #: What abbreviations in the entries stand for.
        self.where: dict[str, Expr] = {k: Expr(v) for k, v in document.get("where", {}).items()}
        self._document = document

    def __getitem__(self, entry: str) -> Any:
        """An entry by its name in the JSON document: expressions, by coordinate where there are
        several."""
        if entry in _WORDS:
            raise KeyError(entry)
        return _expressions(self._document[entry], self.where)

    def entries(self) -> list[str]:
        """The names of the entries."""
        return [name for name in self._document if name not in _WORDS]

    @property
    def components(self) -> dict[str, Any]:
        """The components, by coordinate."""
        found: dict[str, Any] = self["components"]
        return found

    def __repr__(self) -> str:
        return f"{self.title}\n{self.text}"

    def _repr_latex_(self) -> str:
        return self.latex

    def _repr_html_(self) -> str:
        return self.html


class Derivation(Mapping[str, Section]):
    """Sections by topic, in the requested order."""

    def __init__(self, sections: Mapping[str, Section]) -> None:
        self._sections = dict(sections)

    def __getitem__(self, word: str) -> Section:
        return self._sections[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)

    @property
    def latex(self) -> str:
        """All sections as LaTeX."""
        return "\n".join(s.latex for s in self.values() if s.latex)

    @property
    def text(self) -> str:
        """All sections as text."""
        return "\n".join(s.text for s in self.values())

    @property
    def html(self) -> str:
        """All sections as HTML with MathML."""
        return "\n".join(s.html for s in self.values())

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.values()))

    def _repr_latex_(self) -> str:
        return self.latex

    def _repr_html_(self) -> str:
        return self.html


class Finding:
    """A finding of a check: ``proved``, ``certified``, ``sampled``, ``undecided``, ``fails`` or
    ``not applicable``. An observation about the form of a model (``not smooth: …``, ``watched: …``)
    is ``not applicable`` and has no theorem."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.name: str = document["name"]
        self.theorem: str = document["theorem"]
        self.status: str = document["status"]
        self.detail: str = document["detail"]
        self.witness: str | None = document["witness"]
        #: Whether the claim holds almost everywhere, but not or perhaps not everywhere.
        self.generic: bool = document["generic"]
        #: Where a generic claim fails; none if that could not be written.
        self.except_: str | None = document["except"]
        #: The sheets of the constraint set on which the claim holds; none for all.
        self.sheets: list[str] | None = document["sheets"]

    def __repr__(self) -> str:
        theorem = f" ({self.theorem})" if self.theorem else ""
        return f"{self.name}: {self.status}{theorem}"


class Check:
    """The findings of the check of a model."""

    def __init__(
        self, document: Mapping[str, Any], text: str, warnings: tuple[Diagnostic, ...]
    ) -> None:
        #: True if everything required was proved, false if something fails, none if something is open.
        self.ok: bool | None = document["ok"]
        self.dimension: int = document["dimension"]
        self.time_dependent: bool = document["time_dependent"]
        self.closed: bool = document["closed"]
        self.quadratic: bool = document["quadratic"]
        self.findings = tuple(Finding(f) for f in document["findings"])
        #: By name: whether it has potentials, which, and why not.
        self.forces: dict[str, dict[str, Any]] = {f["name"]: f for f in document["forces"]}
        #: Of the constraints: count, admissible, linear, integrable, regular; none without.
        self.constraints: dict[str, Any] | None = document["constraints"]
        self.text = text
        self.warnings = warnings

    def __bool__(self) -> bool:
        return self.ok is True

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from .display import check

        return check(self)


class Verdict:
    """The verdict on an identity. True only if it is ``proved`` or ``certified``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.verdict: str = document["verdict"]
        self.bound: str | None = document["bound"]
        self.witness: dict[str, str] | None = document["witness"]
        self.reason: str = document["reason"]

    def __bool__(self) -> bool:
        return self.verdict in ("proved", "certified")

    def __repr__(self) -> str:
        return f"{self.verdict}: {self.reason}"
