"""The benchmark of tuned numbers on settings and readings made up for it."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from labelfree.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
import sensitivity
import tuned_numbers
from sample import SampleBook


@dataclass(frozen=True)
class Inner:
    weight: float = 0.2
    rounds: int = 5
    share: float = 0.8
    sizes: tuple[float, ...] = (1.6, 0.5)
    name: str = "builtin"

    def __post_init__(self) -> None:
        if self.weight > 0.5:
            raise InputError("weight is too large")


@dataclass(frozen=True)
class Settings:
    tiles: Inner = field(default_factory=Inner)
    lines: Inner = field(default_factory=lambda: Inner(weight=0.4))
    floor: float = -3.0
    strict: bool = True


BOOKS = tuple(SampleBook(f"book {i}", "nowhere", "line", "en", (), False, 100) for i in range(8))
PATHS = [f"{room}.{name}" for room in ("tiles", "lines") for name in ("weight", "rounds", "share", "sizes")] + ["floor"]


def test_every_number_is_found_by_its_path():
    found = tuned_numbers.numbers_of(Settings())
    assert list(found) == PATHS
    assert found["lines.weight"] == 0.4


@pytest.mark.parametrize("path", PATHS)
def test_one_number_is_changed_and_no_other(path):
    changed = tuned_numbers.with_number(Settings(), path, 0.3)
    before, after = tuned_numbers.numbers_of(Settings()), tuned_numbers.numbers_of(changed)
    assert after[path] == 0.3
    assert {key for key in before if before[key] != after[key]} == {path}


@pytest.mark.parametrize(
    ("value", "halved", "doubled"),
    [
        (5, 2, 10),
        (1, 1, 2),
        (0, 0, 0),
        (-3.0, -1.5, -6.0),
        (-3, -1, -6),
        (0.4, 0.2, 0.8),
        (0.8, 0.4, 0.999),
        (1.5, 0.75, 3.0),
        ((None, 10), (None, 5), (None, 20)),
        (float("inf"), float("inf"), float("inf")),
    ],
)
def test_numbers_are_scaled_within_their_kind(value, halved, doubled):
    assert tuned_numbers.scaled(value, 0.5) == halved
    assert tuned_numbers.scaled(value, 2.0) == doubled
    assert type(tuned_numbers.scaled(value, 2.0)) is type(value)


def test_numbers_that_are_looked_at_are_noted():
    seen: set[str] = set()
    settings = tuned_numbers.watched(Settings(), seen)
    assert not seen
    assert settings.tiles.name == "builtin"
    assert settings.lines.weight + settings.floor == pytest.approx(-2.6)
    assert seen == {"lines.weight", "floor"}
    assert isinstance(settings, Settings)
    assert pickle.loads(pickle.dumps(settings)) == Settings()  # noqa: S301 - our own


def test_noise_is_twice_the_standard_error_of_a_change_that_does_nothing():
    rng = np.random.default_rng(0)
    deviation, changes, noises = 0.02, [], []
    for _ in range(400):
        default = {(book.name, seed): rng.normal(0.1, deviation) for book in BOOKS for seed in range(3)}
        changed = {(book.name, 0): rng.normal(0.1, deviation) for book in BOOKS}
        changes.append(tuned_numbers.mean_change(changed, default))
        noises.append(tuned_numbers.noise_of(changed, default))
    assert np.mean(noises) == pytest.approx(2 * np.std(changes), rel=0.15)
    assert np.mean(np.abs(changes) > noises) < 0.12


def test_more_seeds_make_less_noise():
    default = {(book.name, seed): 0.1 + 0.01 * seed for book in BOOKS for seed in range(3)}
    one = tuned_numbers.noise_of([(book.name, 0) for book in BOOKS], default)
    three = tuned_numbers.noise_of(default, default)
    assert three == pytest.approx(one / np.sqrt(3))


def reading(run: sensitivity.Run) -> dict:
    """Errors that depend on `tiles.weight` strongly, on `tiles.rounds` not at all, and on nothing of `lines`."""
    drawn = crc32(repr((run.book.name, run.seed, run.path == "tiles.share")).encode())
    error = 0.05 + drawn % 100 / 10_000
    settings = Settings() if not run.path else tuned_numbers.with_number(Settings(), run.path, run.value)
    if settings.tiles.sizes[0] > 3:
        raise ZeroDivisionError("sizes")
    error += abs(settings.tiles.weight - 0.2)
    seen = ["tiles.weight", "tiles.rounds", "tiles.share", "tiles.sizes"]
    return {"cer": error, "digest": f"{error}", "seen": seen, "seconds": 0.0}


class FakeBench:
    def __init__(self):
        self.runs = []

    def __call__(self, runs):
        runs = list(runs)
        self.runs += runs
        found = []
        for run in runs:
            try:
                found.append(reading(run))
            except ZeroDivisionError as error:
                found.append({"error": str(error)})
        return found


@pytest.fixture
def bench():
    return FakeBench()


@pytest.fixture
def baseline(bench):
    return sensitivity.baseline_of(BOOKS, 3, True, bench)


def test_a_number_that_moves_the_error_is_kept_after_a_few_runs(bench, baseline):
    row = sensitivity.row_of("tiles.weight", Settings(), baseline, bench)
    assert row["verdict"] == "keep"
    assert row["halved"] == pytest.approx(0.1, abs=0.01)
    assert row["doubled"] == pytest.approx(0.2, abs=0.01)
    assert row["runs"] == 2 * sensitivity.PROBE


def test_a_number_that_changes_no_reading_is_inert_and_run_with_one_seed(bench, baseline):
    row = sensitivity.row_of("tiles.rounds", Settings(), baseline, bench)
    assert (row["verdict"], row["same"], row["halved"], row["doubled"]) == ("inert", True, 0.0, 0.0)
    assert row["runs"] == 2 * len(BOOKS)


def test_a_number_that_makes_noise_is_inert_after_all_seeds(bench, baseline):
    row = sensitivity.row_of("tiles.share", Settings(), baseline, bench)
    assert row["runs"] == 2 * 3 * len(BOOKS)
    assert not row["same"]


def test_a_number_that_breaks_reading_is_kept(bench, baseline):
    row = sensitivity.row_of("tiles.sizes", Settings(), baseline, bench)
    assert (row["verdict"], row["broken"]) == ("keep", "doubled")


def test_a_number_that_no_book_looks_at_is_not_run(bench, baseline):
    before = len(bench.runs)
    row = sensitivity.row_of("lines.weight", Settings(), baseline, bench)
    assert (row["verdict"], row["room"]) == ("unused", "lines")
    assert len(bench.runs) == before


def test_a_value_that_settings_refuse_is_not_run():
    assert sensitivity.is_allowed(Settings(), "tiles.weight", 0.4)
    assert not sensitivity.is_allowed(Settings(), "lines.weight", 0.8)


def test_books_that_are_not_read_tell_nothing(baseline):
    results = {key: {**result, "cer": 0.9 if key == ("book 3", 2) else 0.1} for key, result in baseline.results.items()}
    readable = sensitivity.Baseline(baseline.books, 3, True, results).readable
    assert [book.name for book in readable] == [book.name for book in BOOKS if book.name != "book 3"]


def test_results_are_kept(tmp_path):
    done = []

    def work(run):
        done.append(run)
        return reading(run)

    runs = [sensitivity.Run(book, 0, True) for book in BOOKS]
    with ThreadPoolExecutor(2) as pool:
        first = sensitivity.Bench(pool, tmp_path, work)(runs)
        again = sensitivity.Bench(pool, tmp_path, work)([*runs, sensitivity.Run(BOOKS[0], 1, True)])
    assert again[:-1] == first
    assert len(done) == len(BOOKS) + 1


def test_a_run_that_fails_is_told_unless_nothing_was_changed(tmp_path):
    def work(run):
        raise ZeroDivisionError("of no use")

    with ThreadPoolExecutor(1) as pool:
        bench = sensitivity.Bench(pool, tmp_path, work)
        assert bench([sensitivity.Run(BOOKS[0], 0, True, "floor", 1.0)]) == [{"error": "ZeroDivisionError: of no use"}]
        with pytest.raises(ZeroDivisionError):
            bench([sensitivity.Run(BOOKS[0], 0, True)])


def test_numbers_of_settings_and_constants_are_counted(tmp_path):
    (tmp_path / "layout.py").write_text(
        "LIMIT = 3\n_NAME = 'x'\n"
        "class PageSettings:\n    gap: float = 0.5\n    name: str = 'a'\n    sides: tuple = (1, 2)\n"
        "class Other:\n    size: int = 3\n"
    )
    assert tuned_numbers.count_numbers(tmp_path) == (2, 1)
