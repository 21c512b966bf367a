"""Table 1 and the folder it goes to: rows against hand-computed figures, the grid, the promises kept or broken."""

import json
import platform
from pathlib import Path

import numpy as np
import pytest

import labelfree
from labelfree.repro.paper import table1 as module
from labelfree.repro.paper.folder import Check, Folder, Result, at_most, shown, spread
from labelfree.repro.paper.methods import RATES, Budget, Fit, gradient_methods
from labelfree.repro.paper.table1 import table1

from .trials import chain_trial

PNG = b"\x89PNG"
OURS = {0: 0.04, 1: 0.06}
SUPERVISED = 0.025


@pytest.fixture
def fits(monkeypatch):
    """Fits with known errors in place of real ones; returns the calls of gradient methods as (name, rate, seed)."""
    calls = []

    class Named:
        batch_size = 10

        def __init__(self, name, rate):
            self.name, self.rate = name, rate

    methods = tuple(
        type(method)(method.name, method.paper, lambda rate, name=method.name: Named(name, rate))
        for method in gradient_methods()
    )

    def gradient(method, trial, seed, budget):
        calls.append((method.name, method.rate, seed))
        return Fit(error=0.5 + 0.1 * seed, kl=abs(method.rate - 5e-3), seconds=2.0, steps=30, symbols=3)

    monkeypatch.setattr(module, "gradient_methods", lambda: methods)
    monkeypatch.setattr(module, "fit_gradient", gradient)
    monkeypatch.setattr(module, "fit_em", lambda trial, seed, budget: Fit(0.7, 0.3, 9.0))
    monkeypatch.setattr(module, "fit_majority", lambda trial: Fit(0.8, 0.9, 0.1, symbols=1))
    monkeypatch.setattr(module, "fit_supervised", lambda trial: Fit(SUPERVISED, 0.1, 0.5))
    monkeypatch.setattr(module, "fit_ours", lambda trial, seed: Fit(OURS[seed], 0.02, 10.0 + seed, 5, 8, True, 0.02))
    return calls


def run(task: str, folder: Path, **options) -> Result:
    trial = chain_trial(n_train=500)
    return table1(task, lambda seed: trial, folder, tell=lambda text: None, **options)


def row_of(result: Result, start: str) -> dict:
    return next(row for row in result.rows if row["method"].startswith(start))


def test_rows_hold_means_spreads_and_counts_over_seeds_beside_the_paper(fits, tmp_path):
    result = run("rendered", tmp_path, seeds=2)
    ours = row_of(result, "ours")
    assert ours["error"] == pytest.approx(0.05)
    assert ours["spread"] == pytest.approx(np.sqrt(2) * 0.01)
    assert ours["worst"] == 0.06
    assert ours["solved"] == "1/2"  # at most twice the supervised error
    assert ours["believed"] == "2/2"
    assert ours["decoded"] == pytest.approx(0.02)
    assert ours["seconds"] == pytest.approx(10.5)
    assert (ours["paper"], row_of(result, "supervised")["paper"]) == (0.0959, 0.0463)
    assert row_of(result, "SGD, batch 10,000")["paper"] == 0.5648
    assert row_of(result, "SPDG, paper's dual")["paper"] == 0.0959
    assert row_of(run("spelling", tmp_path, seeds=1), "ours")["paper"] == 0.0194
    assert all(list(row) == list(ours) for row in result.rows)


def test_every_method_of_the_paper_has_its_row(fits, tmp_path):
    names = [row["method"] for row in run("rendered", tmp_path, seeds=1).rows]
    for wanted in ("ours", "SPDG, paper's dual", "2016", "SGD, batch 10,", "SGD, batch 100,", "SGD, batch 1,000"):
        assert any(name.startswith(wanted) for name in names)
    for wanted in ("SGD, batch 10,000", "full batch", "EM", "supervised", "majority"):
        assert any(name.startswith(wanted) for name in names)
    assert sum(name.startswith("2016") for name in names) >= 3


def test_the_lowest_label_free_score_on_the_first_seed_chooses_the_rate(fits, tmp_path):
    result = run("spelling", tmp_path, seeds=2)
    for method in gradient_methods():
        tried = [(rate, seed) for name, rate, seed in fits if name == method.name]
        assert tried == [*((rate, 0) for rate in RATES), (5e-3, 1)]
        assert row_of(result, method.name)["method"] == f"{method.name}, rate 0.005"
        assert row_of(result, method.name)["error"] == pytest.approx(0.55)


def test_fewer_seeds_for_the_others_and_none_leaves_their_rows_out(fits, tmp_path):
    result = run("rendered", tmp_path, seeds=2, baseline_seeds=1)
    assert {seed for *_, seed in fits} == {0}
    assert row_of(result, "EM")["solved"] == "0/1"
    alone = run("rendered", tmp_path, seeds=2, baseline_seeds=0)
    assert [row["method"].split(":")[0] for row in alone.rows] == ["ours", "supervised", "majority guess"]
    assert not alone.pictures


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, set()),
        ({"error": 0.07}, {"error over supervised error, means over seeds"}),
        ({"believed": False}, {"seeds that did not converge"}),
        ({"seconds": 61.0}, {"seconds of the slowest fit"}),
        ({"decoded": 0.03}, {"decoded error less supervised error without decoding"}),
    ],
)
def test_promises_on_rendered_print_are_kept_or_missed_one_by_one(fits, monkeypatch, tmp_path, change, missed):
    found = {"error": 0.04, "kl": 0.02, "seconds": 10.0, "believed": True, "decoded": 0.01} | change
    monkeypatch.setattr(module, "fit_ours", lambda trial, seed: Fit(**found))
    result = run("rendered", tmp_path, seeds=1, baseline_seeds=0)
    assert {check.name for check in result.checks if not check.ok} == missed


@pytest.mark.parametrize(("error", "ok"), [(0.0, True), (1e-4, False)])
def test_spelling_promises_no_error_on_any_seed(fits, monkeypatch, tmp_path, error, ok):
    monkeypatch.setattr(module, "fit_ours", lambda trial, seed: Fit(error * seed, 0.0, 1.0))
    (check,) = run("spelling", tmp_path, seeds=2, baseline_seeds=0).checks
    assert (check.value, check.ok) == (error, ok)


def test_the_whole_table_on_a_small_substitution(tmp_path):
    trial = chain_trial(n_train=1_000)
    told = []
    result = table1(
        "spelling", lambda seed: trial, tmp_path, seeds=1, budget=Budget(20, 5_000, rates=(5e-3,)), tell=told.append
    )
    assert row_of(result, "ours")["error"] == row_of(result, "supervised")["error"] == 0.0
    assert row_of(result, "majority")["error"] > 0.5
    assert len(result.rows) == len(gradient_methods()) + 4
    assert [check.ok for check in result.checks] == [True]
    assert result.pictures[0].read_bytes().startswith(PNG)
    looks = result.details["full batch"][0]
    assert looks[-1]["step"] == 20
    assert looks[0].keys() == {"step", "seconds", "kl", "error", "symbols"}
    assert any("supervised" in text for text in told)
    json.loads(Folder(tmp_path, "c", 0).write(result).read_text())


def example(tmp_path: Path) -> Result:
    return Result(
        "example",
        "An example",
        [{"method": "one", "error": 0.0123, "solved": "1/2", "kl": None}, {"method": "two", "error": 0.5, "kl": 1.0}],
        [at_most("worst", 0.5, 0.6), Check("seconds", 61.0, "<= 60", False)],
        ["a word of warning"],
        [tmp_path / "example.png", tmp_path / "example.html"],
        {"array": np.arange(3), "place": Path("there")},
    )


def test_results_say_what_made_them(tmp_path):
    folder = Folder(tmp_path / "made" / "deep", "labelfree paper example -o made", 17)
    place = folder.write(example(tmp_path))
    found = json.loads(place.read_text(encoding="utf-8"))
    made = found["made"]
    assert place == tmp_path / "made" / "deep" / "example.json"
    assert (made["command"], made["seed"]) == ("labelfree paper example -o made", 17)
    assert 0 <= made["seconds"] < 60
    assert made["versions"]["labelfree"] == labelfree.__version__
    assert made["versions"]["python"] == platform.python_version()
    assert {"numpy", "torch", "scikit-learn"} <= made["versions"].keys()
    assert found["rows"][0] == {"method": "one", "error": 0.0123, "solved": "1/2", "kl": None}
    assert [check["ok"] for check in found["checks"]] == [True, False]
    assert found["pictures"] == ["example.png", "example.html"]
    assert found["details"] == {"array": [0, 1, 2], "place": "there"}


def test_the_page_shows_table_picture_verdicts_and_origin(tmp_path):
    folder = Folder(tmp_path, "labelfree paper example", 17)
    folder.write(example(tmp_path))
    lines = (tmp_path / "example.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "## An example"
    assert "| method | error | solved | kl |" in lines
    assert "| one | 1.23% | 1/2 |  |" in lines
    assert "| two | 50.00% |  | 1 |" in lines
    assert "![An example](example.png)" in lines
    assert not any("example.html" in line for line in lines)
    assert "- worst: 0.5, wanted <= 0.6: reached" in lines
    assert "- seconds: 61, wanted <= 60: **missed**" in lines
    assert "- a word of warning" in lines
    assert lines[-1].startswith("`labelfree paper example`, seed 17, 0 s, ")


def test_seconds_are_those_since_the_last_result(tmp_path, monkeypatch):
    clock = iter([100.0, 107.0, 107.0, 110.0, 110.0])
    monkeypatch.setattr("labelfree.repro.paper.folder.perf_counter", lambda: next(clock))
    folder = Folder(tmp_path, "c", 0)
    seconds = [
        json.loads(folder.write(Result(name, name, [])).read_text(encoding="utf-8"))["made"]["seconds"]
        for name in ("one", "two")
    ]
    assert seconds == [7.0, 3.0]


def test_cells_and_spread():
    assert shown("spread", 0.015) == "1.50%"
    assert shown("solved", "3/5") == "3/5"
    assert spread([0.3]) == 0.0
    assert spread([0.1, 0.3]) == pytest.approx(np.sqrt(0.02))
    assert at_most("x", 2.0, 2.0).ok
    assert not at_most("x", float("nan"), 2.0).ok
