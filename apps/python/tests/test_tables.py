"""Runs and sweeps as tables of other libraries, and what is said where these are missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

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


def pushed(folder: Path, name: str, column: str = "f") -> galilei.Run:
    text = (
        f'coord x\nkinetic: x\'^2/2\ntable f(s) from "{name}" columns "t", "{column}" linear\n'
        "force: x = f(t)\noutput last: f(2.9)\nsimulate to 3\n"
    )
    (folder / "model.gal").write_text(text, encoding="utf-8")
    return galilei.load(folder / "model.gal").simulate()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"compression": "none"},
        {"compression": "gzip"},
        {"use_dictionary": False},
        {"data_page_version": "2.0"},
        {"data_page_version": "2.0", "compression": "gzip", "use_dictionary": False},
        {"row_group_size": 7, "data_page_size": 64},
        {"version": "1.0"},
    ],
    ids=str,
)
def test_tables_from_parquet(settings: dict[str, Any], tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    t = np.linspace(0, 3, 31)
    columns = {
        "f": np.sin(t),
        "g": np.sin(t).astype("f4"),
        "i": np.arange(31) % 4 - 2,
        "j": (np.arange(31) % 4).astype("u4"),
        "k": np.repeat([0.25, -1.5], [20, 11]),
    }
    required = pa.schema([pa.field("t", pa.float64(), nullable=False)])
    table = pa.table({"t": t}, schema=required)
    # Columns of a group stand between others.
    table = table.append_column("pair", pa.array([{"a": 1.0, "b": [2.0]}] * 31))
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    table = table.append_column("holes", pa.array([None if k == 4 else 1.0 for k in range(31)]))
    table = table.append_column("words", pa.array(["a"] * 31))
    parquet.write_table(table, tmp_path / "own.parquet", **settings)
    for name, values in columns.items():
        run = pushed(tmp_path, "own.parquet", name)
        assert run.outputs["last"][-1] == pytest.approx(values[29], rel=1e-12)
        # The double integral of the lines between the knots.
        h, f = t[1], values.astype(float)
        rate = np.append(0, np.cumsum(h * (f[1:] + f[:-1]) / 2))
        place = np.sum(h * rate[:-1] + h**2 * (2 * f[:-1] + f[1:]) / 6)
        assert run["x"][-1] == pytest.approx(place, rel=1e-11, abs=1e-12)
    with pytest.raises(galilei.GalileiError, match="row 5 of the column `holes`"):
        pushed(tmp_path, "own.parquet", "holes")
    with pytest.raises(galilei.GalileiError, match="row 1 of the column `words`"):
        pushed(tmp_path, "own.parquet", "words")
    with pytest.raises(galilei.GalileiError, match="no column `pair`"):
        pushed(tmp_path, "own.parquet", "pair")


def test_tables_from_compressed_archives(tmp_path: Path) -> None:
    t = np.linspace(0, 3, 3001)
    for values in (np.sin(t), np.round(np.sin(5 * t)), np.random.default_rng(1).normal(size=3001)):
        np.savez(tmp_path / "plain.npz", t=t, f=values)
        np.savez_compressed(tmp_path / "small.npz", t=t, f=values)
        plain, small = pushed(tmp_path, "plain.npz"), pushed(tmp_path, "small.npz")
        assert np.array_equal(plain.x[-1], small.x[-1])


def test_files_that_are_damaged_or_packed_otherwise(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table({"t": np.arange(4.0), "f": np.arange(4.0)})
    parquet.write_table(table, tmp_path / "other.parquet", compression="zstd")
    with pytest.raises(galilei.GalileiError, match="Zstandard"):
        pushed(tmp_path, "other.parquet")
    parquet.write_table(table, tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    rng = np.random.default_rng(2)
    for _ in range(100):
        part = bytearray(whole)
        for k in rng.integers(0, len(part), 3):
            part[k] = rng.integers(0, 256)
        (tmp_path / "broken.parquet").write_bytes(bytes(part[: rng.integers(1, len(part) + 1)]))
        # An answer of some kind, and no crash.
        try:
            pushed(tmp_path, "broken.parquet")
        except (galilei.GalileiError, galilei.RunError):
            pass
