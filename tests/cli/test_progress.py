"""What a fit shows while it runs, on a terminal, in a log, and when told to be quiet."""

import io
import re

import pytest

from labelfree.cli.progress import Progress
from labelfree.progress import Record


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr("labelfree.cli.progress.time", clock)
    monkeypatch.setattr("labelfree.progress.time", clock)
    return clock


def go(progress, clock, steps=10, seconds=1.0):
    """A stage of so many steps, one a second, with a look at half time."""
    progress.stage("spdg", 0, steps)
    for done in range(1, steps + 1):
        clock.now += seconds
        if done == steps - steps // 2:
            progress.look(Record("spdg", 100, (0.75, 0.5), 1.0))
        progress.stage("spdg", done, steps)


def test_a_log_gets_a_plain_line_every_few_seconds(clock):
    log = io.StringIO()
    with Progress(log, every=5.0) as progress:
        go(progress, clock)
    assert log.getvalue().splitlines() == [
        "spdg; step 5 of 10; 5 s left in this stage; KL 0.5000, best so far 0.5000",
        "spdg; step 10 of 10; KL 0.5000, best so far 0.5000",
    ]


def test_the_best_so_far_stays_and_other_scores_are_kept_apart(clock):
    progress = Progress(io.StringIO())
    progress.stage("spdg", 0, 10)
    for score in (0.5, 0.25, 0.375):
        progress.look(Record("spdg", 1, (score, 0.9), 0.0))
    assert progress.line() == "spdg; step 0 of 10; KL 0.3750, best so far 0.2500"
    progress.look(Record("refine", 1, (0.0625,), 0.0))
    assert progress.line() == "refine; disagreement 0.0625"


def test_the_score_of_every_round_stays_while_the_next_is_under_way(clock):
    progress = Progress(io.StringIO())
    for number, score in enumerate((0.0625, 0.03125)):
        progress.stage("learning lines", 0, 10)
        clock.now += 2.0
        progress.stage("learning lines", 1, 10)
        progress.look(Record("learning lines", 1, (1.5 - number,), 0.0))
        progress.look(Record("line reader", number + 1, (score,), 0.0))
    assert progress.line() == "line reader; disagreement 0.0625, 0.0312"
    progress.stage("looking up words", 0, 2)
    assert progress.line() == "looking up words; step 0 of 2; line reader: disagreement 0.0625, 0.0312"


def test_a_loss_is_no_divergence_and_a_second_training_starts_anew(clock):
    progress = Progress(io.StringIO())
    progress.look(Record("spdg", 1, (0.125,), 0.0))
    for loss in (2.0, 1.0):
        progress.stage("learning lines", 0, 4)
        progress.stage("learning lines", 1, 4)
        progress.look(Record("learning lines", 1, (loss,), 0.0))
        clock.now += 1.0
        assert progress.line().endswith(f"; loss {loss:.4f}, best so far {loss:.4f}")
        progress.stage("looking again", 0, 2)


def test_time_left_counts_only_the_steps_left_of_a_resumed_stage(clock):
    progress = Progress(io.StringIO())
    progress.stage("spdg", 96, 100)
    clock.now += 3.0
    progress.stage("spdg", 97, 100)
    assert progress.line() == "spdg; step 97 of 100; 9 s left in this stage"


def test_with_a_plan_the_time_left_is_that_of_the_whole(clock):
    progress = Progress(io.StringIO())
    progress.plan([("cut", 2.0), ("learn", 6.0), ("read", 2.0)])
    progress.part("cut")
    clock.now += 4.0  # twice as slow as expected
    progress.part("learn")
    progress.stage("learning lines", 0, 4)
    assert progress.line() == "learning lines; step 0 of 4; 16 s left"
    clock.now += 3.0
    progress.stage("learning lines", 1, 4)
    assert progress.line() == "learning lines; step 1 of 4; 13 s left"


def test_verbose_shows_every_look_and_nothing_else(clock):
    log = io.StringIO()
    with Progress(log, verbose=True) as progress:
        go(progress, clock, seconds=100.0)
        progress.look(Record("refine", 0, (0.5,), 0.0))
    assert [line.partition(";")[0] for line in log.getvalue().splitlines()] == ["spdg", "refine"]


def test_a_stage_without_a_score_tells_the_time_left(clock):
    log = io.StringIO()
    with Progress(log, every=5.0) as progress:
        progress.look(Record("spdg", 1, (0.5,), 0.0))
        for done in range(1280):
            progress.stage("finding lines", done, 1280)
            clock.now += 1 / 128
        progress.stage("writing", 0, 0)
    assert log.getvalue().splitlines() == ["finding lines; step 640 of 1,280; 5 s left in this stage", "writing"]


def test_a_terminal_shows_a_new_stage_at_once(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    with Progress(screen) as progress:
        progress.stage("learning the language", 0, 0)
        assert "learning the language" in screen.getvalue()
        assert "left in this stage" not in screen.getvalue()


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_quiet_shows_nothing_anywhere(clock, stream):
    log = stream()
    with Progress(log, quiet=True, verbose=True, every=0.0) as progress:
        go(progress, clock)
        progress.stage("reading", 1, 2)
    assert log.getvalue() == ""


def test_a_terminal_gets_one_live_line_that_vanishes(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    with Progress(screen) as progress:
        go(progress, clock)
    shown = screen.getvalue()
    assert "step 5 of 10; 5 s left in this stage; KL 0.5000, best so far 0.5000" in re.sub(
        r"\x1b\[[0-9;?]*\w", "", shown
    )
    assert shown.count("\x1b[2K") >= 10  # the line is wiped before each new one
