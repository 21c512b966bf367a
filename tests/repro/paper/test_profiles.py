"""Each figure writes its files and gives its numbers."""

import math

import pytest

from labelfree.repro.paper.profiles import draw_complete, draw_line, draw_planes, draw_saddle


def test_planes(solved, tmp_path):
    problem, _, optimum = solved
    drawn = draw_planes(problem, optimum, tmp_path, examples=2, points=11)
    names = ["plane-1.png", "plane-1.html", "plane-1.gif", "plane-2.png", "plane-2.html"]
    assert [path.name for path in drawn.paths] == names
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert (tmp_path / "plane-1.gif").stat().st_size < 3_000_000
    first, second = (drawn.numbers[f"plane-{k} J at the supervised solution"] for k in (1, 2))
    assert first == pytest.approx(second, rel=1e-6)
    assert all(math.isfinite(number) for number in drawn.numbers.values())


def test_saddle(solved, tmp_path):
    problem, _, optimum = solved
    drawn = draw_saddle(problem, optimum, tmp_path, points=11)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in drawn.paths)
    assert abs(drawn.numbers["highest L along V less L at the saddle point"]) < 1e-4


def test_line(solved, tmp_path):
    problem, _, optimum = solved
    drawn = draw_line(problem, optimum, tmp_path, lines=3, points=26)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["line.html", "line.png"]
    rise = {of: drawn.numbers[f"highest point above the optimum, {of}, mean of 3 lines"] for of in "JL"}
    assert rise["J"] > rise["L"] > 0


def test_complete(tmp_path):
    drawn = draw_complete(tmp_path, points=21)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["complete.html", "complete.png"]
    truth, swapped, ridge = drawn.numbers.values()
    assert truth < swapped < ridge
