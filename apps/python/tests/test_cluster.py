"""Sweeps on a Dask cluster: the same bits as here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import galilei

distributed = pytest.importorskip("distributed", reason="dask.distributed cannot be imported")

MODEL = """
param w = 2, m = 1
const n = 1
coord x[1..n], y
kinetic: sum(k in 1..n: m*x[k]'^2/2) + m*y'^2/2
potential: w^2*(x[1]^2 + y^2)/2 + x[1]^2*y
initial x[1] = 0.1
output radius: sqrt(x[1]^2 + y^2)
event node: y rising
"""
ASKED: dict[str, Any] = {
    "sample": 1000,
    "seed": 3,
    "vary": {"y'": (-0.5, 0.5), "w": (1.5, 2.5)},
    "state": {"x[1]": 0.2},
    "to": 5,
}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes, on this machine alone."""
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=0,
    )
    with cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


@pytest.mark.parametrize("shards", [None, 1, 3, 50])
def test_the_union_of_the_shards_is_the_sweep(client: Any, shards: int | None) -> None:
    model = galilei.parse(MODEL, set={"m": 2})
    whole = model.sweep(**ASKED)
    found = galilei.dask_sweep(model, client, shards=shards, **ASKED)
    assert found.columns == whole.columns and len(found) == 1000
    assert found.rows.tobytes() == whole.rows.tobytes()
    nodes = whole.events["node"]
    assert len(nodes) > 500 and found.events["node"].tobytes() == nodes.tobytes()
    assert repr(found) == repr(whole) and found.stats["threads"] == 1
    assert list(found.to_pandas().index) == list(range(1000))


def test_the_current_client_both_workers_and_models_that_are_kept(client: Any) -> None:
    def reads() -> tuple[int, int]:
        from galilei.cluster import _model

        return _model.cache_info().misses, _model.cache_info().hits

    model = galilei.parse(MODEL).set(m=0.5).set(n=1)
    before = client.run(reads)
    galilei.dask_sweep(model, shards=8, **ASKED | {"sample": 8 * 256})
    after = client.run(reads)
    misses = [after[w][0] - before[w][0] for w in before]
    hits = [after[w][1] - before[w][1] for w in before]
    assert len(before) == 2 and all(m <= 1 for m in misses)
    assert sum(hits) + sum(misses) == 8


def test_a_refusal_comes_back_with_its_class(client: Any) -> None:
    model = galilei.parse(MODEL)
    with pytest.raises(galilei.RequestError, match="`z`") as caught:
        galilei.dask_sweep(model, client, grid={"z": [1]}, to=1)
    assert caught.value.code == "invalid_axis"
    with pytest.raises(TypeError, match="their number"):
        galilei.dask_sweep(model, client, shard=(1, 2), **ASKED)
    with pytest.raises(TypeError, match="smaple"):
        galilei.dask_sweep(model, client, smaple=3, to=1)
    with pytest.raises(ValueError, match="at least one shard"):
        galilei.dask_sweep(model, client, shards=0, **ASKED)
    with pytest.raises(TypeError, match="client of dask.distributed"):
        galilei.dask_sweep(model, "127.0.0.1:8786", **ASKED)  # type: ignore[arg-type]


def test_warnings_are_told_here(client: Any) -> None:
    model = galilei.parse("coord x, y\nlagrangian: x'*y' - x*y\n")
    with pytest.warns(galilei.GalileiWarning, match="metric_not_positive_definite") as told:
        galilei.dask_sweep(model, client, shards=2, grid={"x": [1, 2]}, to=1)
    assert len(told) == 1


def test_other_versions_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("galilei.cluster.__version__", "0.0.0")
    with pytest.raises(RuntimeError, match="galilei 0.0.0 asks, galilei "):
        galilei.dask_sweep(galilei.parse(MODEL), client, **ASKED)


def test_without_dask_that_is_said() -> None:
    script = (
        "import sys; sys.modules['distributed'] = None\n"
        "import galilei\n"
        "try: galilei.dask_sweep(galilei.parse('coord x\\nkinetic: x\\'^2'))\n"
        "except ImportError as e: print(e)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == 'dask_sweep needs distributed: pip install "dask[distributed]"'
