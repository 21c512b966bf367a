"""Work in pieces by several hands: the same bits however many there are.

A piece runs on one thread of numerics, whoever does it, and what the pieces give comes in their order. Callers cut work
into pieces whose size does not depend on the number of workers, and sum in the order they get.

Threads (`in_order`) suffice for work inside torch and numpy, which let other threads run meanwhile; work that is mostly
Python needs processes (`in_processes`). Where hands elsewhere are in force (`given_to`), as those of a cluster, they do
what would be done by processes, and what `in_order` is told can travel.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from multiprocessing import connection
from typing import Any, Protocol, TypeVar

import torch
from threadpoolctl import ThreadpoolController

from labelfree.errors import InputError, WorkerError

_DIED = (
    "a worker process ended before its work was done, which a lack of memory may cause; "
    "free some, or go on with one worker"
)

Piece = TypeVar("Piece")
Found = TypeVar("Found")


class Hands(Protocol):
    """Hands elsewhere, which somebody else set up and will dismiss."""

    lost: tuple[type[BaseException], ...]
    """What is raised in place of a result when they are gone, besides errors of executors."""

    told: str
    """What is said then: what happened, and what to do."""

    def number(self) -> int:
        """How many pieces they can do at a time."""

    def sender(self, function: Callable[[Piece], Found]) -> Callable[[Piece], Future[Found]]:
        """What sends a piece to be done by the function, which is sent once where that is possible."""


class _Team:
    """So many workers, and maybe hands elsewhere; their threads begin when they are first needed."""

    def __init__(self, n: int, hands: Hands | None = None) -> None:
        self.n, self.hands = n, hands
        self._threads: ThreadPoolExecutor | None = None

    @property
    def threads(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.n, "labelfree")
        return self._threads

    def end(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()


_team: ContextVar[_Team | None] = ContextVar("team", default=None)


@contextmanager
def workers(n: int | None = None) -> Iterator[None]:
    """Have the work inside the block done by `n` workers; None is for as many as are in force around it.

    Threads are kept until the block ends, which serves a loop of many small pieces.

    Examples
    --------
    >>> with workers(3):
    ...     n_workers()
    3
    """
    if n is not None and n < 1:
        raise InputError(f"{n} workers asked for, 1 or more wanted; leave the number out for one a core")
    with _in_force(_Team(n or n_workers())):
        yield


@contextmanager
def given_to(hands: Hands) -> Iterator[None]:
    """Have the work inside the block that can travel done by hands elsewhere, the rest by as many workers as before."""
    with _in_force(_Team(n_workers(), hands)):
        yield


@contextmanager
def _in_force(team: _Team) -> Iterator[None]:
    token = _team.set(team)
    try:
        yield
    finally:
        _team.reset(token)
        team.end()


def use_workers(n: int | None) -> None:
    """Have all work from here on done by `n` workers, as `workers` does for a block."""
    workers(n).__enter__()


def n_workers() -> int:
    """The number of workers in force: that of `workers`, else the cores that this process may use."""
    team = _team.get()
    return team.n if team else _n_cores()


def _n_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Depth(threading.local):
    """How many blocks of `one_thread` the calling thread is in."""

    value = 0


class _Libraries:
    """The thread pools of numpy, scipy and scikit-learn: limited for all threads while any is in `one_thread`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limit: Any = None

    def hold(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._limit = _controller(len(sys.modules)).limit(limits=1)

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._limit.restore_original_limits()


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    """The libraries loaded so far; looked for again when more modules are, which takes a while."""
    return ThreadpoolController()


_depth, _libraries = _Depth(), _Libraries()


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch and the linear algebra of numpy and scipy on one thread inside the block; afterwards as before.

    Small tensors run faster so, and sums do not depend on how they would have been shared out. A block inside another
    costs nothing.

    Examples
    --------
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    _depth.value += 1
    try:
        if _depth.value > 1:
            yield
            return
        before = torch.get_num_threads()  # of the calling thread, as every thread has its own
        torch.set_num_threads(1)
        _libraries.hold()
        try:
            yield
        finally:
            _libraries.release()
            torch.set_num_threads(before)
    finally:
        _depth.value -= 1


def in_order(function: Callable[[Piece], Found], pieces: Iterable[Piece], *, travels: bool = False) -> Iterator[Found]:
    """What a function gives of each piece, in the order of the pieces, by as many threads as there are workers.

    Pieces are asked for as they are needed, a few ahead. An error in one is raised in its turn, and no other begins
    after it. Inside the function there is one worker.

    Parameters
    ----------
    function : callable
    pieces : iterable
    travels : bool
        Whether function and pieces can be pickled, so that hands elsewhere may do them.

    Examples
    --------
    >>> with workers(2):
    ...     list(in_order(len, ["a", "bcd", "ef"]))
    [1, 3, 2]
    """
    known = _team.get()
    team = known or _Team(_n_cores())
    if travels and team.hands is not None:
        return _sent(team.hands, function, pieces)
    if team.n == 1:
        return (alone(function, piece) for piece in pieces)
    end = (lambda: None) if known else team.end
    return _gathered(lambda piece: team.threads.submit(alone, function, piece), pieces, 2 * team.n, end)


def in_processes(function: Callable[[Piece], Found], pieces: Sequence[Piece]) -> Iterator[Found]:
    """As `in_order`, by processes.

    Parameters
    ----------
    function : callable
        Of a module, or a `partial` of one: each process is given it once, so what is large and shared belongs into the
        `partial`. It may be asked in this process as well, where one worker or one piece is all there is.
    pieces : sequence
        Each is pickled on its way, as is what becomes of it. To be stopped soon, pieces should take less than a second.

    Examples
    --------
    >>> with workers(2):
    ...     list(in_processes(len, ["a", "bcd", "ef"]))
    [1, 3, 2]
    """
    team = _team.get()
    if team and team.hands is not None and len(pieces) > 1:
        return _sent(team.hands, function, pieces)
    n = min(n_workers(), len(pieces))
    if n <= 1:
        return (alone(function, piece) for piece in pieces)
    # On Linux a child begins with all that its parent has loaded; elsewhere that is not safe.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(n, context, initializer=_begin, initargs=(function,))

    def submit(piece: Piece) -> Future[Found]:
        with warnings.catch_warnings():
            # A child keeps to one thread, so it never waits for one of its parent's that it lacks.
            warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
            return pool.submit(_do, piece)

    return _told_of_loss(_gathered(submit, pieces, 2 * n, pool.shutdown), (BrokenProcessPool,), _DIED)


def _sent(hands: Hands, function: Callable[[Piece], Found], pieces: Iterable[Piece]) -> Iterator[Found]:
    """Results of hands elsewhere."""
    found = _gathered(hands.sender(function), pieces, 2 * max(1, hands.number()), lambda: None)
    return _told_of_loss(found, (BrokenExecutor, CancelledError, *hands.lost), hands.told)


def _told_of_loss(found: Iterator[Found], lost: tuple[type[BaseException], ...], told: str) -> Iterator[Found]:
    """The same; where whoever works on it is gone, that is what is said."""
    try:
        yield from found
    except lost as error:
        raise WorkerError(told) from error


def alone(function: Callable[[Piece], Found], piece: Piece) -> Found:
    """What a function gives of one piece, with one worker on one thread: how whoever does it does it."""
    with workers(1), one_thread():
        return function(piece)


def _gathered(
    submit: Callable[[Piece], Future[Found]], pieces: Iterable[Piece], ahead: int, end: Callable[[], None]
) -> Iterator[Found]:
    """Results in order, no more than so many pieces ahead of them; whatever happens, no piece is left running."""
    waiting: deque[Future[Found]] = deque()
    try:
        for piece in pieces:
            waiting.append(submit(piece))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for each in waiting:
            each.cancel()
        wait(waiting)
        end()


_function: Callable[[Any], Any] | None = None  # of a child


def _begin(function: Callable[[Any], Any]) -> None:
    """Make a child ready: the parent alone is asked to stop, and if it is gone, so is the child."""
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # not what the parent does
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _do(piece: Any) -> Any:
    assert _function is not None  # noqa: S101 - set as the child began
    return alone(_function, piece)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
