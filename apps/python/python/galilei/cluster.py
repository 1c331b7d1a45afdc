"""Sweeps that a cluster computes, with Dask."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ._galilei import __version__
from .errors import warn
from .sweep import Sweep, request

if TYPE_CHECKING:
    from .model import Model

__all__ = ["dask_sweep"]

#: So many shards for every thread of the cluster: the last to finish is not long alone.
SHARDS_PER_THREAD = 4


def dask_sweep(
    model: Model, client: Any = None, *, shards: int | None = None, **arguments: Any
) -> Sweep:
    """A sweep whose shards are computed by the workers of a Dask cluster: bit for bit what
    :meth:`Model.sweep` with the same ``arguments`` gives, however it is divided.

    ``client`` is a ``dask.distributed.Client``, by default the current one. The model travels as
    text, with its settings; workers need this package in the same version, and keep the models they
    have read. A shard computes in one thread unless ``threads`` says otherwise, as Dask counts on.
    Shards have equally many runs, up to one; without ``shards`` there are four for every thread of
    the cluster.

    ``with dask.distributed.Client("scheduler:8786"): galilei.dask_sweep(model, sample=10**6, …)``
    """
    client = _client(client)
    if "shard" in arguments:
        raise TypeError("give `shards`, their number; all of them are computed")
    if shards is None:
        shards = SHARDS_PER_THREAD * max(1, sum(client.nthreads().values()))
    if shards < 1:
        raise ValueError(f"a sweep has at least one shard, not {shards}")
    arguments = {"threads": 1} | arguments
    asked = [request(shard=(k, shards), **arguments) for k in range(1, shards + 1)]
    written = (model.source, model._model.name, tuple(model.settings.items()))
    futures = client.map(_shard, [__version__] * shards, [written] * shards, asked)
    try:
        parts = client.gather(futures)
    except BaseException:
        client.cancel(futures)
        raise
    warn(parts[0][1])
    return Sweep.union([sweep for sweep, _ in parts])


def _client(client: Any) -> Any:
    try:
        import distributed
    except ImportError as missing:
        message = 'dask_sweep needs Dask: pip install "dask[distributed]"'
        raise ImportError(message) from missing
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


def _shard(
    version: str, written: Written, asked: tuple[str, dict[str, Any], dict[str, Any]]
) -> tuple[Sweep, list[dict[str, Any]]]:
    """One shard, on a worker; and the warnings."""
    if version != __version__:
        raise RuntimeError(f"galilei {version} asks, galilei {__version__} is on the worker")
    found, warnings = _model(written)._model.sweep(*asked)
    return Sweep.of(found), warnings
