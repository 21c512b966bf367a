"""Progress of long work: a live line on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from labelfree.progress import Observer, Plan, Record, observed_by

if TYPE_CHECKING:
    from rich.live import Live

_LIVE_EVERY = 0.2  # seconds
_LOG_EVERY = 5.0
_SCORES = {
    "refine": "disagreement",
    "line reader": "disagreement",
    "em": "-log-likelihood",
    "learning lines": "loss",
    "learning the language": "perplexity",
}
_ROUNDS = {"refine", "line reader"}  # each look is at the end of a round, and worth comparing with those before


class Progress(Observer):
    """Shows the score of the best start alive, the best so far, the time left, and how rounds scored.

    Where a plan is known the time left is that of the whole, else of the stage.

    Parameters
    ----------
    stream : text stream
        Where to, usually stderr.
    quiet : bool
        Show nothing.
    verbose : bool
        A plain line at every look at the score and at the end of every part, whatever the stream.
    every : float, optional
        Seconds between two lines; by default 0.2 on a terminal and 5 in a log.
    """

    def __init__(
        self, stream: TextIO, *, quiet: bool = False, verbose: bool = False, every: float | None = None
    ) -> None:
        self._stream = stream
        self._is_live = stream.isatty() and not (quiet or verbose)
        self._is_log = not (quiet or self._is_live)
        self._verbose = verbose and not quiet
        self._every = every if every is not None else (_LIVE_EVERY if self._is_live else _LOG_EVERY)
        self._live: Live | None = None
        self._shown = time.perf_counter()
        self._stage, self._done, self._total = "", 0, 0
        self._stage_began, self._stage_first = self._shown, 0
        self._plan = Plan(())
        self._last: Record | None = None
        self._best: dict[str, float] = {}
        self._round_stage = ""
        self._round_scores: list[float] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._is_live:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(file=self._stream), auto_refresh=False, transient=True)
            self._live.start()
            self._stack.callback(self._live.stop)
        self._stack.enter_context(observed_by(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._show_part()
        self._stack.close()

    def plan(self, parts: Sequence[tuple[str, float]]) -> None:
        """Note the parts of the whole and what each is expected to cost."""
        self._plan = Plan(parts)

    def part(self, name: str) -> None:
        """Note that a part of the plan begins."""
        self._show_part()
        self._plan.begin(name)

    def _show_part(self) -> None:
        """Tell the seconds of the part that ends, where everything is told."""
        if self._verbose and self._plan.current:
            print(f"{self._plan.current}: {self._plan.seconds_of_part:.1f} s", file=self._stream, flush=True)

    def stage(self, name: str, done: int, total: int) -> None:
        """Show where a stage stands, at once where it is new to a terminal."""
        is_new = name != self._stage
        if is_new or done < self._done:
            self._stage_began, self._stage_first = time.perf_counter(), done
        if is_new:
            self._stage, self._last = name, None
            self._best.pop(_SCORES.get(name, ""), None)
        self._done, self._total = done, total
        self._tick(at_once=is_new and self._is_live)

    def look(self, record: Record) -> None:
        """Note the scores."""
        if record.stage != self._stage:  # no stage of steps: nothing tells how far it is
            self._stage, self._done, self._total = record.stage, 0, 0
        self._last = record
        name = _SCORES.get(record.stage, "KL")
        self._best[name] = min(record.best, self._best.get(name, record.best))
        if record.stage in _ROUNDS:
            before = self._round_scores if record.stage == self._round_stage else []
            self._round_stage, self._round_scores = record.stage, [*before, record.best]
        if self._verbose or not self._total:
            self._tick(at_once=self._verbose)

    def line(self) -> str:
        """What there is to say now."""
        parts = [self._stage]
        if self._total:
            parts.append(f"step {self._done:,} of {self._total:,}")
        left = self._plan.seconds_left(self._done / self._total if self._total else 0.0)
        if left is not None:
            parts.append(f"{_duration(left)} left")
        elif self._stage_first < self._done < self._total:
            pace = (time.perf_counter() - self._stage_began) / (self._done - self._stage_first)
            left = pace * (self._total - self._done)
            parts.append(f"{_duration(left)} left in this stage")
        if self._last is not None and self._last.stage not in _ROUNDS:
            name = _SCORES.get(self._last.stage, "KL")
            parts.append(f"{name} {self._last.best:.4f}, best so far {self._best[name]:.4f}")
        if self._round_scores:
            whose = "" if self._stage == self._round_stage else f"{self._round_stage}: "
            scores = ", ".join(f"{score:.4f}" for score in self._round_scores)
            parts.append(f"{whose}{_SCORES[self._round_stage]} {scores}")
        return "; ".join(parts)

    def _tick(self, *, at_once: bool) -> None:
        if at_once or (not self._verbose and time.perf_counter() - self._shown >= self._every):
            self._print()

    def _print(self) -> None:
        self._shown = time.perf_counter()
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(self.line(), overflow="ellipsis", no_wrap=True), refresh=True)
        elif self._is_log:
            print(self.line(), file=self._stream, flush=True)


def _duration(seconds: float) -> str:
    """A time as people say it.

    Examples
    --------
    >>> _duration(7.4), _duration(200), _duration(9000)
    ('7 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
