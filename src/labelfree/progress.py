"""Events of long work: emitted wherever it stands, seen by whoever observes, and no way back to the work.

Work calls `stage` and `look`; who wants to show, count or store what happens wraps the work in `observed_by`. Observers
belong to the context that they were set in, so that no function has to pass them on.

>>> history = History()
>>> with observed_by(history):
...     look("search", step=100, scores=[0.4, 0.1])
>>> history.records[0].best
0.1
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """A look at the label-free scores: stage, step, the scores of the starts still alive, seconds since it began."""

    stage: str
    step: int
    scores: tuple[float, ...]
    seconds: float

    @property
    def best(self) -> float:
        """The lowest score."""
        return min(self.scores)


class Observer:
    """Sees events; does nothing with them unless a subclass does."""

    def stage(self, name: str, done: int, total: int) -> None:
        """See how far a stage has come; a total of 0 says that nobody knows."""

    def look(self, record: Record) -> None:
        """See the scores."""

    def plan(self, parts: Sequence[tuple[str, float]]) -> None:
        """See the parts that the whole has, and about how many seconds each takes on an idle machine."""

    def part(self, name: str) -> None:
        """See that a part of the plan begins."""


class History(Observer):
    """Keeps every look at the scores, in `records`."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def look(self, record: Record) -> None:
        """Keep a record."""
        self.records.append(record)


class Printer(Observer):
    """Prints stage, step, best score and seconds in aligned columns."""

    def look(self, record: Record) -> None:
        """Print one line."""
        print(f"{record.stage:<12} {record.step:>6} {record.best:>10.4f} {record.seconds:>8.1f}s")


class Plan:
    """The parts of the whole: what each is expected to cost, and how fast that is worked off here."""

    def __init__(self, parts: Sequence[tuple[str, float]]) -> None:
        self._costs = dict(parts)
        self._ended: list[str] = []
        self._began = self._part_began = time.perf_counter()
        self.current = ""

    @property
    def seconds_of_part(self) -> float:
        """Seconds since the part began."""
        return time.perf_counter() - self._part_began

    def begin(self, name: str) -> None:
        """Note that a part begins, and so that the one before has ended."""
        self._ended += [self.current] if self.current else []
        self.current, self._part_began = name, time.perf_counter()

    def seconds_left(self, share: float) -> float | None:
        """Seconds until the whole is done, of the present part a share being done; None where it cannot be told."""
        own = self._costs.get(self.current, 0.0)
        ended = sum(self._costs.get(name, 0.0) for name in self._ended)
        rest = sum(cost for name, cost in self._costs.items() if name not in self._ended and name != self.current)
        if not self._costs or not self.current:
            return None
        now = time.perf_counter()
        pace = (self._part_began - self._began) / ended if ended else 1.0  # seconds here to one expected
        if share > 0:
            in_part = (now - self._part_began) * (1 - share) / share
        else:
            in_part = max(0.0, pace * own - (now - self._part_began))
        return in_part + pace * rest


_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())
_began: ContextVar[float | None] = ContextVar("began", default=None)


@contextmanager
def observed_by(*observers: Observer, seconds: float = 0.0) -> Iterator[None]:
    """Let observers see all that the block emits, besides those that see it already.

    Parameters
    ----------
    observers : Observer
    seconds : float
        That the work took before, where it is taken up again.
    """
    began = _began.get()
    tokens = _observers.set((*_observers.get(), *observers)), _began.set(began or time.perf_counter() - seconds)
    try:
        yield
    finally:
        _observers.reset(tokens[0])
        _began.reset(tokens[1])


def stage(name: str, done: int = 0, total: int = 0) -> None:
    """Say how far a stage has come; a total of 0 says that nobody knows."""
    for observer in _observers.get():
        observer.stage(name, done, total)


def look(stage: str, step: int, scores: Sequence[float]) -> None:
    """Show the scores of all starts alive at this step."""
    if _observers.get():
        began = _began.get()
        show(Record(stage, step, tuple(scores), 0.0 if began is None else time.perf_counter() - began))


def show(record: Record) -> None:
    """Show scores that were taken earlier, as those of a checkpoint."""
    for observer in _observers.get():
        observer.look(record)


def plan(parts: Sequence[tuple[str, float]]) -> None:
    """Tell the parts that the whole has, in order, and about how many seconds each takes on an idle machine."""
    for observer in _observers.get():
        observer.plan(parts)


def part(name: str) -> None:
    """Say that a part of the plan begins."""
    for observer in _observers.get():
        observer.part(name)
