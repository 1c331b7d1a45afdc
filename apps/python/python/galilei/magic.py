"""The cell magic ``%%galilei`` of notebooks: a cell with a model in the model language.

``%load_ext galilei`` makes it known. ``%%galilei pendulum`` reads the cell and binds the model to
the name ``pendulum``; ``--set m=2`` gives values to parameters; without a name the model is only
shown.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from .errors import GalileiError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["cell", "load_ipython_extension"]


def settings(words: list[str]) -> tuple[str | None, dict[str, str]]:
    """The name of the model and the values of parameters in the line of the magic.

    >>> settings(["pendulum", "--set", "m=2,l=0.3"])
    ('pendulum', {'m': '2', 'l': '0.3'})
    """
    name: str | None = None
    values: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if word == "--set" or word.startswith("--set="):
            text = word[6:] if word.startswith("--set=") else next(rest, "")
            for entry in filter(None, text.split(",")):
                key, sign, value = entry.partition("=")
                if not sign:
                    why = f"`{entry}` does not give a name a number: write --set m=2,l=0.3"
                    raise ValueError(why)
                values[key.strip()] = value.strip()
        elif name is None and word.isidentifier():
            name = word
        else:
            raise ValueError(f"`{word}` has no meaning here: write %%galilei NAME --set m=2")
    return name, values


def cell(line: str, text: str, namespace: dict[str, Any]) -> Model | None:
    """Reads the cell and binds the model to its name. Errors are shown without a traceback."""
    from .model import parse

    try:
        name, values = settings(shlex.split(line))
        model = parse(text, name=name or "cell", set=values)
    except (GalileiError, ValueError) as error:
        print(error, file=sys.stderr)
        return None
    if name is not None:
        namespace[name] = model
    return model


def load_ipython_extension(ipython: Any) -> None:
    """Makes ``%%galilei`` known: called by ``%load_ext galilei``."""

    def galilei(line: str, text: str) -> Model | None:
        return cell(line, text, ipython.user_ns)

    ipython.register_magic_function(galilei, magic_kind="cell")
