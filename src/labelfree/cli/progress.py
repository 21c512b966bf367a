"""Progress of long work: a live line on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from labelfree.progress import Monitor, Record

if TYPE_CHECKING:
    from rich.live import Live

    from labelfree.solvers.run import Run

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


class Progress(Monitor):
    """Shows the score of the best start alive, the best so far, the time left in the stage, and how rounds scored.

    Parameters
    ----------
    stream : text stream
        Where to, usually stderr.
    quiet : bool
        Show nothing.
    verbose : bool
        A plain line at every look at the score, whatever the stream.
    every : float, optional
        Seconds between two lines; by default 0.2 on a terminal and 5 in a log.
    """

    def __init__(
        self, stream: TextIO, *, quiet: bool = False, verbose: bool = False, every: float | None = None
    ) -> None:
        super().__init__()
        self._stream = stream
        self._is_live = stream.isatty() and not (quiet or verbose)
        self._is_log = not (quiet or self._is_live)
        self._verbose = verbose and not quiet
        self._every = every if every is not None else (_LIVE_EVERY if self._is_live else _LOG_EVERY)
        self._live: Live | None = None
        self._shown = time.perf_counter()
        self._stage, self._steps, self._remaining = "", 0, 0
        self._stage_began = self._shown
        self._last: Record | None = None
        self._looked = False
        self._best: dict[str, float] = {}
        self._round_stage = ""
        self._round_scores: list[float] = []

    def __enter__(self) -> Self:
        if self._is_live:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(file=self._stream), auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def begin(self, run: Run, steps: int) -> int:
        """Note how long the stage is."""
        self._stage, self._steps, self._remaining = run.stage, steps, steps
        self._stage_began = time.perf_counter()
        return steps

    def stage(self, name: str, done: int, total: int) -> None:
        """Show where a stage without a score stands, at once where it is new to a terminal."""
        is_new = name != self._stage
        if is_new:
            self._stage, self._last, self._stage_began = name, None, time.perf_counter()
            self._best.pop(_SCORES.get(name, ""), None)
        self._steps, self._remaining = total, total - done
        if (is_new and self._is_live) or time.perf_counter() - self._shown >= self._every:
            self._print()

    def stepped(self, run: Run, remaining: int) -> None:
        """Show where the stage stands, if the last time is long enough ago."""
        self._remaining = remaining
        self._tick()
        self._looked = False

    def report(self, record: Record) -> None:
        """Note the scores."""
        self._last = record
        self._looked = True
        name = _SCORES.get(record.stage, "KL")
        self._best[name] = min(record.best, self._best.get(name, record.best))
        if record.stage in _ROUNDS:
            before = self._round_scores if record.stage == self._round_stage else []
            self._round_stage, self._round_scores = record.stage, [*before, record.best]
        if record.stage != self._stage:  # no run of steps: nothing will be stepped
            self._stage, self._steps, self._remaining = record.stage, 0, 0
        if not self._steps:
            self._tick()

    def line(self) -> str:
        """What there is to say now."""
        parts = [self._stage]
        if self._steps:
            parts.append(f"step {self._steps - self._remaining:,} of {self._steps:,}")
        if self._last is not None and self._last.stage not in _ROUNDS:
            name = _SCORES.get(self._last.stage, "KL")
            parts.append(f"{name} {self._last.best:.4f}, best so far {self._best[name]:.4f}")
        done = self._steps - self._remaining
        if done and self._remaining:
            left = (time.perf_counter() - self._stage_began) / done * self._remaining
            parts.append(f"{_duration(left)} left in this stage")
        if self._round_scores:
            whose = "" if self._stage == self._round_stage else f"{self._round_stage}: "
            scores = ", ".join(f"{score:.4f}" for score in self._round_scores)
            parts.append(f"{whose}{_SCORES[self._round_stage]} {scores}")
        return "; ".join(parts)

    def _tick(self) -> None:
        is_due = self._looked if self._verbose else time.perf_counter() - self._shown >= self._every
        if is_due:
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
