"""Sweeps by executors of any kind: the same bits as here."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import galilei

MODEL = """
param w = 2
coord x, y
kinetic: (x'^2 + y'^2)/2
potential: w^2*(x^2 + y^2)/2 + x^2*y
initial x = 0.1
event node: y rising
"""
ASKED: dict[str, Any] = {"sample": 200, "seed": 3, "vary": {"y'": (-0.5, 0.5), "w": (1.5, 2.5)}, "to": 3}


def same(found: galilei.Sweep, whole: galilei.Sweep) -> None:
    assert found.columns == whole.columns and len(found) == len(whole) == 200
    assert found.rows.tobytes() == whole.rows.tobytes()
    assert found.events["node"].tobytes() == whole.events["node"].tobytes()


@pytest.mark.parametrize("shards", [None, 1, 7])
def test_threads(shards: int | None) -> None:
    model = galilei.parse(MODEL, set={"w": 1})
    with ThreadPoolExecutor(2) as pool:
        same(model.sweep(**ASKED, executor=pool, shards=shards), model.sweep(**ASKED))


def test_processes() -> None:
    model = galilei.parse(MODEL)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(model.sweep(**ASKED, executor=pool, shards=3), model.sweep(**ASKED))


def test_joblib() -> None:
    joblib = pytest.importorskip("joblib")
    model = galilei.parse(MODEL)
    same(model.sweep(**ASKED, executor=joblib.Parallel(n_jobs=2)), model.sweep(**ASKED))


class Queue:
    """Jobs that are computed when their results are asked for, like those of submitit."""

    num_workers = 2

    class Job:
        def __init__(self, work: Any, arguments: Any) -> None:
            self.work, self.arguments = work, arguments

        def result(self) -> Any:
            return self.work(*self.arguments)

    def submit(self, work: Any, *arguments: Any) -> Queue.Job:
        return self.Job(work, arguments)


def test_anything_with_submit() -> None:
    model = galilei.parse(MODEL)
    same(galilei.sweep_with(Queue(), model, **ASKED), model.sweep(**ASKED))


def test_a_failure_cancels_what_was_not_begun() -> None:
    futures: list[Future[Any]] = []

    class Broken:
        def submit(self, *_: Any) -> Future[Any]:
            future: Future[Any] = Future()
            if not futures:
                future.set_exception(OSError("no worker"))
            futures.append(future)
            return future

    with pytest.raises(OSError, match="no worker"):
        galilei.parse(MODEL).sweep(**ASKED, executor=Broken(), shards=4)
    assert [f.cancelled() for f in futures] == [False, True, True, True]


def test_what_is_no_executor() -> None:
    model = galilei.parse(MODEL)
    with pytest.raises(TypeError, match="`submit`"):
        model.sweep(**ASKED, executor=3)
    with pytest.raises(TypeError, match="give `executor`, too"):
        model.sweep(**ASKED, shards=3)
    with pytest.raises(TypeError, match="their number"):
        galilei.sweep_with(Queue(), model, shard=(1, 2), **ASKED)
    with pytest.raises(galilei.RequestError, match="nothing_varied"):
        model.sweep(sample=3, to=1, executor=Queue())
