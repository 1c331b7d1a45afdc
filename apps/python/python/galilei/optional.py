"""Packages that are needed for some methods only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["needed"]


def needed(package: str, by: str, install: str | None = None) -> Any:
    """A package that is not installed with this one.

    >>> needed("no_such_package", "Run.to_nowhere")
    Traceback (most recent call last):
    ImportError: Run.to_nowhere needs no_such_package: pip install no_such_package
    """
    try:
        return import_module(package)
    except ImportError as missing:
        message = f"{by} needs {package}: pip install {install or package}"
        raise ImportError(message, name=package) from missing
