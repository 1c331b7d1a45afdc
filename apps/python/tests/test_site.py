"""The site of the package: it is built without a warning, and what it says is true."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import galilei

DOCS = ROOT / "apps/python/docs"
PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.parametrize("page", [p for p in PAGES if ">>>" in p.read_text("utf-8")], ids=lambda p: p.stem)
def test_the_examples_of_a_page(page: Path) -> None:
    if page.stem == "runs":
        pytest.importorskip("xarray")
        pytest.importorskip("pyarrow")
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    assert len(session.examples) >= 3
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(session, out=said.append)
    assert failed == 0, "".join(said)


def test_the_site_is_built(tmp_path: Path) -> None:
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    reference = (tmp_path / "reference.html").read_text(encoding="utf-8")
    # Every public name has an entry.
    for name in galilei.__all__:
        if name == "Neighbours" or not callable(getattr(galilei, name)):
            continue
        assert re.search(rf'id="galilei\.(\w+\.)?{name}"', reference), name
