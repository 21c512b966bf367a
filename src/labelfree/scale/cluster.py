"""A Dask cluster: where it is, whether it is fit for the work, and how pieces get there.

A worker that dies loses nothing: its pieces are done anew by another. That holds for what they share too, which is why
the function goes there as a task of its own, that can be done again, and not as data that one worker holds.
"""

from __future__ import annotations

import os
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labelfree._version import __version__
from labelfree.errors import InputError
from labelfree.limits import VARIABLE
from labelfree.workers import Found, Piece, alone

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = 10  # seconds until a scheduler that does not answer counts as away


@dataclass(frozen=True)
class _Sealed:
    """What Dask hands on as it is, without looking for tasks in it."""

    content: Any


class Cluster:
    """The workers of a Dask client, as hands."""

    told = (
        "the scheduler is gone, or a piece of work ended every worker that it was given to, which a lack of memory may "
        "cause; see what the scheduler says, and go on with workers that have more"
    )

    def __init__(self, client: Client) -> None:
        from distributed import KilledWorker

        self._client = client
        self.lost: tuple[type[BaseException], ...] = (KilledWorker,)

    def number(self) -> int:
        """How many threads all workers have."""
        return sum(self._client.nthreads().values())

    def sender(self, function: Callable[[Piece], Found]) -> Callable[[Piece], Future[Found]]:
        """Send the function once, and then each piece to whoever is free."""
        from distributed.protocol.pickle import dumps

        executor = self._client.get_executor(pure=False)
        packed = _Sealed((dumps(function), os.environ.get(VARIABLE)))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # once, however many pieces there are
            shared = self._client.submit(_handed_on, packed, pure=False)

        def send(piece: Piece) -> Future[Found]:
            sent: Future[Found] = executor.submit(_do, shared, _Sealed(piece))
            return sent

        return send


def _handed_on(sealed: _Sealed) -> _Sealed:
    return sealed


def _do(shared: _Sealed, piece: _Sealed) -> Any:
    """A piece, on a worker, under the limits of who sent it."""
    packed, limits = shared.content
    if limits is not None:
        os.environ[VARIABLE] = limits
    return alone(_of_this_thread(packed), piece.content)


class _Unpacked(threading.local):
    """The function that a thread is at, and what it was unpacked from; it may keep things open between pieces."""

    packed: bytes | None = None
    function: Callable[[Any], Any]


_unpacked = _Unpacked()


def _of_this_thread(packed: bytes) -> Callable[[Any], Any]:
    from distributed.protocol.pickle import loads

    if _unpacked.packed != packed:
        _unpacked.packed, _unpacked.function = packed, loads(packed)
    return _unpacked.function


@contextmanager
def client_at(address: str) -> Iterator[Client]:
    """A client of the cluster at an address, whose workers are fit for the work."""
    from distributed import Client
    from distributed.comm.addressing import get_address_host_port

    try:
        socket.create_connection(get_address_host_port(address), _PATIENCE).close()  # a client would wait for one long
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(
            f"no scheduler answers at {address} ({reason}); start one with `dask scheduler`, or check the address"
        ) from None
    with client:
        _check_workers(client, address)
        yield client


def _check_workers(client: Client, address: str) -> None:
    """Refuse a cluster without workers, or with one that has another labelfree than this, or none."""
    try:
        found = client.run(_version_there)
    except Exception as error:
        raise InputError(
            f"the workers of {address} cannot run labelfree ({type(error).__name__}: {error}); "
            f"install labelfree {__version__} where they run"
        ) from None
    if not found:
        raise InputError(f"{address} has no worker, 1 or more wanted; start one with `dask worker {address}`")
    for worker, version in found.items():
        if version != __version__:
            raise InputError(f"worker {worker} has labelfree {version}, {__version__} wanted; install it there")


def _version_there() -> str:
    return __version__
