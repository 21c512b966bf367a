"""Hands that a person has: an executor, a Dask client, a cluster by its address.

>>> from concurrent.futures import ThreadPoolExecutor
>>> from labelfree.workers import in_processes
>>> with ThreadPoolExecutor(2) as pool, using(pool):
...     list(in_processes(len, ["a", "bcd", "ef"]))
[1, 3, 2]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from labelfree.errors import InputError
from labelfree.workers import Found, Hands, Piece, alone, given_to, n_workers

if TYPE_CHECKING:
    from distributed import Client


def using(hands: Executor | Client) -> AbstractContextManager[None]:
    """Have the work inside the block that can travel done by an executor or a Dask client, with the same bits.

    Neither is ended afterwards. What is sent is pickled, unless the executor has threads.

    Parameters
    ----------
    hands : concurrent.futures.Executor or distributed.Client
    """
    return given_to(_hands(hands))


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Have the work inside the block that can travel done by the Dask cluster at an address, such as tcp://host:8786."""
    from labelfree.scale.cluster import Cluster, client_at

    with client_at(address) as client, given_to(Cluster(client)):
        yield


def _hands(given: Any) -> Hands:
    if isinstance(given, Executor):
        return _OfExecutor(given)
    if type(given).__module__.partition(".")[0] == "distributed":  # whoever has a client has the package
        from distributed import Client

        from labelfree.scale.cluster import Cluster

        if isinstance(given, Client) and not given.asynchronous:
            return Cluster(given)
    raise InputError(
        f"hands are a {type(given).__name__}, a concurrent.futures.Executor or a distributed.Client that is not "
        "asynchronous wanted; for a cluster by its address use labelfree.scale.connected"
    )


class _OfExecutor:
    """An executor's; the function goes there with each piece, as executors have no way to send it once."""

    lost: tuple[type[BaseException], ...] = ()
    told = "the executor ended before its work was done, which a lack of memory may cause; begin again with a new one"

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def number(self) -> int:
        # All executors of Python have it, and those of others that take its place; no interface tells it.
        return int(getattr(self._executor, "_max_workers", None) or n_workers())

    def sender(self, function: Callable[[Piece], Found]) -> Callable[[Piece], Future[Found]]:
        return lambda piece: self._executor.submit(alone, function, piece)
