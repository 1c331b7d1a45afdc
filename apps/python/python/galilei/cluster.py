"""Sweeps whose parts are computed elsewhere: by processes, a cluster, a queue of jobs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ._galilei import __version__
from .errors import warn
from .optional import needed
from .sweep import Sweep, request

if TYPE_CHECKING:
    from .model import Model

__all__ = ["dask_sweep", "sweep_with"]

#: So many shards for every worker: the last to finish is not long alone.
SHARDS_PER_WORKER = 4

#: A request: a start, a span and the axes.
Asked = tuple[str, dict[str, Any], dict[str, Any]]

#: One shard, and the warnings.
Part = tuple[Sweep, list[dict[str, Any]]]


def sweep_with(
    executor: Any, model: Model, *, shards: int | None = None, **arguments: Any
) -> Sweep:
    """A sweep whose shards are computed by an executor: bit for bit what :meth:`Model.sweep` with the
    same ``arguments`` gives, however it is divided.

    The executor has ``submit``, whose results have ``result``, as in ``concurrent.futures``, or is
    joblib's ``Parallel``. The model travels as text, with its settings; workers need this package in
    the same version, and keep the models they have read. A shard computes in one thread unless
    ``threads`` says otherwise. Shards have equally many runs, up to one.

    >>> import galilei
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> m = galilei.parse("coord x\\nkinetic: x'^2/2\\ninitial x' = 1")
    >>> with ThreadPoolExecutor(2) as pool:
    ...     sweep = m.sweep(sample=100, vary={"x": (0, 1)}, to=1, executor=pool)
    >>> len(sweep), sweep.failed
    (100, 0)
    """
    submit = getattr(executor, "submit", None)
    if not callable(submit) and not callable(executor):
        raise TypeError(f"an executor has `submit`, or is joblib's Parallel; {executor!r} is neither")
    if arguments.get("shard") is not None:
        raise TypeError("give `shards`, their number; all of them are computed")
    if shards is None:
        shards = SHARDS_PER_WORKER * _workers(executor)
    if shards < 1:
        raise ValueError(f"a sweep has at least one shard, not {shards}")
    arguments.pop("shard", None)
    if arguments.get("threads") is None:
        arguments["threads"] = 1
    asked = [request(shard=(k, shards), **arguments) for k in range(1, shards + 1)]
    written = (model.source, model._model.name, tuple(model.settings.items()))
    if callable(submit):
        parts = _gathered([submit(_shard, __version__, written, a) for a in asked])
    else:
        parts = list(executor((_shard, (__version__, written, a), {}) for a in asked))
    warn(parts[0][1])
    return Sweep.union([sweep for sweep, _ in parts])


def _workers(executor: Any) -> int:
    """The number of workers of an executor, as far as it says so."""
    nthreads = getattr(executor, "nthreads", None)
    if callable(nthreads):  # Dask
        return max(1, int(sum(nthreads().values())))
    for name in ("_max_workers", "num_workers", "n_jobs"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return os.cpu_count() or 1


def _gathered(futures: Sequence[Any]) -> list[Part]:
    """The results in their order; if one fails, the others are cancelled."""
    try:
        return [future.result() for future in futures]
    except BaseException:
        for future in futures:
            cancel = getattr(future, "cancel", None)
            if callable(cancel):
                cancel()
        raise


def dask_sweep(
    model: Model, client: Any = None, *, shards: int | None = None, **arguments: Any
) -> Sweep:
    """:meth:`Model.sweep` by the workers of a Dask cluster. ``client`` is a
    ``dask.distributed.Client``, by default the current one.

    ``with dask.distributed.Client("scheduler:8786"): galilei.dask_sweep(model, sample=10**6, …)``
    """
    return sweep_with(_client(client), model, shards=shards, **arguments)


def _client(client: Any) -> Any:
    distributed = needed("distributed", "dask_sweep", '"dask[distributed]"')
    if client is None:
        return distributed.get_client()
    if not isinstance(client, distributed.Client):
        raise TypeError(f"a client of dask.distributed is needed, not {client!r}")
    return client


#: A model as it travels: text, name, settings.
Written = tuple[str, str, tuple[tuple[str, str], ...]]


@lru_cache(maxsize=16)
def _model(written: Written) -> Model:
    from .model import restored

    text, name, settings = written
    return restored(text, name, dict(settings))


def _shard(version: str, written: Written, asked: Asked) -> Part:
    """One shard, on a worker; and the warnings."""
    if version != __version__:
        raise RuntimeError(f"galilei {version} asks, galilei {__version__} is on the worker")
    found, warnings = _model(written)._model.sweep(*asked)
    return Sweep.of(found), warnings
