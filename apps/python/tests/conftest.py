"""Where models, oracles and documents lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "models"


def oracle_files() -> list[Path]:
    """Systems derived by the classical route, without constraints and with."""
    found = sorted((MODELS / "oracles").glob("**/*.json"))
    assert len(found) == 31
    return found


@pytest.fixture(params=oracle_files(), ids=lambda path: path.stem)
def oracle(request: pytest.FixtureRequest) -> Any:
    """One of them."""
    return json.loads(request.param.read_text(encoding="utf-8"))


def model_file(name: str) -> Path:
    return MODELS / f"{name}.gal"
