"""Watching a solver: a monitor hears of every look at the label-free score and may be replaced."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labelfree.solvers.run import Run


@dataclass(frozen=True)
class Record:
    """One look at a run: its stage, step, the scores of the starts still alive, and seconds since it began."""

    stage: str
    step: int
    scores: tuple[float, ...]
    seconds: float

    @property
    def best(self) -> float:
        """The lowest score."""
        return min(self.scores)


class Monitor:
    """Keeps the history of a fit; subclass `report` to show it.

    Examples
    --------
    >>> monitor = Monitor()
    >>> monitor.look("search", step=100, scores=[0.4, 0.1])
    >>> monitor.history[0].best
    0.1
    """

    def __init__(self) -> None:
        self.history: list[Record] = []
        self._began = time.perf_counter()

    def look(self, stage: str, step: int, scores: Sequence[float]) -> None:
        """Note the scores of all starts alive at this step."""
        record = Record(stage, step, tuple(scores), time.perf_counter() - self._began)
        self.history.append(record)
        self.report(record)

    def begin(self, run: Run, steps: int) -> int:
        """Hear that a run is about to take so many steps; returns how many are left to take."""
        return steps

    def stepped(self, run: Run, remaining: int) -> None:
        """Hear that a step was taken."""

    def stage(self, name: str, done: int, total: int) -> None:
        """Hear how far a stage without a score has come; a total of 0 says that nobody knows."""

    def report(self, record: Record) -> None:
        """Show a record; silent by default."""


class PrintMonitor(Monitor):
    """Prints stage, step, best score and seconds in aligned columns."""

    def report(self, record: Record) -> None:
        """Print one line."""
        print(f"{record.stage:<12} {record.step:>6} {record.best:>10.4f} {record.seconds:>8.1f}s")
