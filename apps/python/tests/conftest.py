"""Where models, oracles and documents lie."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
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


@pytest.fixture
def third_alarm() -> Iterator[None]:
    """Signals come all the time, and the third interrupts: a computation that hears only one, when it is
    over, is not interrupted."""
    heard = []

    def hear(*_: Any) -> None:
        heard.append(None)
        if len(heard) == 3:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, hear)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
