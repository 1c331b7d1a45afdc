"""Runs and sweeps as tables of other libraries, and what is said where these are missing."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import galilei

MODEL = "param w = 2\ncoord x\nkinetic: x'^2/2\npotential: w^2*x^2/2\ninitial x = 1\noutput e: x'^2 + 4*x^2"


@pytest.fixture
def run() -> galilei.Run:
    return galilei.parse(MODEL).simulate(to=2, every=0.25)


def test_a_run_as_a_dataset(run: galilei.Run) -> None:
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert list(data.data_vars) == ["x", "x'", "e"] and data.sizes == {"t": 9}
    assert data["x"].sel(t=0.5).item() == run["x"][2]
    assert data.attrs["method"] == "taylor" and data.attrs["status"] == "finished"


def test_a_run_as_an_arrow_table(run: galilei.Run) -> None:
    pa = pytest.importorskip("pyarrow")
    table = run.to_arrow()
    assert table.column_names == ["t", "x", "x'", "e"] and table.num_rows == 9
    assert np.array_equal(table["x'"].to_numpy(), run["x'"])
    stream = pa.RecordBatchReader.from_stream(run)
    assert stream.read_all().equals(table)


def test_a_sweep_in_all_of_them() -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("pyarrow")
    sweep = galilei.parse(MODEL).sweep(grid={"w": [1, 2, 3]}, to=1)
    data, table, frame = sweep.to_xarray(), sweep.to_arrow(), sweep.to_pandas()
    assert data.sizes == {"run": 3} and data["status"].dtype.kind == "i"
    assert table.column_names == list(sweep.columns)
    for name in ("w", "x", "x'", "e"):
        assert np.array_equal(data[name], sweep[name])
        assert np.array_equal(table[name].to_numpy(), sweep[name])
        assert np.array_equal(frame[name], sweep[name])


def test_sensitivities_as_a_dataset() -> None:
    pytest.importorskip("xarray")
    near = galilei.parse(MODEL).sensitivities(by=["w"], to=1, every=0.5)
    data = near.to_xarray()["derivative"]
    last = data.sel(t=1.0)
    assert last.sel(component="x", direction="x'(0)").item() == near.transition[0, 1]
    assert last.sel(component="x'", direction="w").item() == near.sensitivities["w"][1]


@pytest.mark.parametrize(
    ("package", "call"),
    [("pandas", "run.to_pandas()"), ("xarray", "run.to_xarray()"), ("pyarrow", "run.to_arrow()")],
)
def test_what_is_missing_is_named(package: str, call: str) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
import galilei
run = galilei.parse("coord x\\nkinetic: x'^2/2").simulate(to=1)
try:
    {call}
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    method = call.removeprefix("run.").removesuffix("()")
    assert said.stdout.strip() == f"Run.{method} needs {package}: pip install {package}"
