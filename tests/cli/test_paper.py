"""`labelfree paper` as a user types it, in small cuts."""

import json
import os
from pathlib import Path

import pytest


@pytest.fixture(scope="module", autouse=True)
def cache_of_its_own(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def made(folder: Path, name: str) -> dict:
    found = json.loads((folder / f"{name}.json").read_text())
    assert found["made"]["command"].startswith("labelfree paper")
    assert found["made"]["seconds"] > 0
    assert {"labelfree", "torch", "numpy", "python"} <= set(found["made"]["versions"])
    return found


def test_spelling_is_solved_and_the_methods_that_fail_are_shown_failing(labelfree, tmp_path):
    found = labelfree("paper", "table1", "--task", "spelling", "--seeds", 1, "--quick", "--json", "-q", "-o", tmp_path)
    assert found.code == 0, found.err
    rows = {row["method"].partition(",")[0]: row for row in json.loads(found.out)["rows"]}
    assert rows["ours: SPDG"]["error"] == 0
    assert rows["supervised"]["error"] == 0
    assert 0.75 < rows["majority guess"]["error"] < 0.9
    kept = made(tmp_path, "table1-spelling")
    by_name = {row["method"]: row for row in kept["rows"]}
    collapsed = next(row for name, row in by_name.items() if name.startswith("2016, weight 0,"))
    assert collapsed["error"] > 0.6
    assert collapsed["symbols"] < 15
    assert all(check["ok"] for check in kept["checks"])
    assert (tmp_path / "table1-spelling.png").stat().st_size > 10_000
    page = (tmp_path / "table1-spelling.md").read_text()
    assert "| supervised | 0.00% |" in page
    assert "labelfree paper table1 --task spelling" in page


def test_profiles_are_drawn_and_turn_without_a_network(labelfree, tmp_path):
    found = labelfree("paper", "profiles", "--quick", "--points", 9, "--strength", 0.5, "-q", "-o", tmp_path)
    assert found.code == 0, found.err
    pictures = {path.name for path in tmp_path.iterdir()}
    assert {"plane-1.png", "plane-2.png", "plane-3.png", "saddle.png", "line.png", "complete.png"} <= pictures
    assert {"plane-1.html", "saddle.html", "line.html", "complete.html"} <= pictures
    assert {"plane-1.gif", "reading.gif"} <= pictures
    for page in tmp_path.glob("*.html"):
        assert "http" not in page.read_text()
    film = made(tmp_path, "reading")
    errors = [row["error"] for row in film["rows"]]
    assert errors[-1] < 0.5 * errors[0]


def test_scans_without_their_folder_are_refused(refused, tmp_path, monkeypatch):
    monkeypatch.delenv("LABELFREE_DATA", raising=False)
    message = refused("paper", "table1", "--task", "scans", "-q", "-o", tmp_path / "out")
    assert "--data" in message
    message = refused(
        "paper", "table1", "--task", "scans", "--data", tmp_path / "nowhere", "-q", "-o", tmp_path / "out"
    )
    assert "nowhere" in message


def test_a_missing_file_of_weights_is_named(refused, tmp_path):
    message = refused("paper", "table1", "--task", "rendered", "--features", "vgg19", "--quick", "-q", "-o", tmp_path)
    assert "weights" in message


@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="LABELFREE_DATA names no folder")
def test_a_real_book_is_read_without_labels_nearly_as_with_them():
    from labelfree.repro.paper.data import Settings, boxed_books, scan_trials
    from labelfree.repro.paper.methods import fit_ours, fit_supervised

    settings = Settings(data=Path(os.environ["LABELFREE_DATA"]))
    book = next(path for path in boxed_books(settings) if path.name == "lusitania")
    trial = scan_trials(settings, [book])(0)
    ours, supervised = fit_ours(trial, 0), fit_supervised(trial)
    assert ours.believed
    assert ours.error < supervised.error + 0.015
