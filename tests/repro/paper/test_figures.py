"""Pictures and films hold what they say."""

import itertools

import numpy as np
import pytest
from PIL import Image

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import Tiles
from labelfree.repro.paper.figures import draw_line_figure, draw_surface
from labelfree.repro.paper.film import LineWatch, ReadFrame, reading_film, turning_film
from labelfree.repro.paper.surfaces import Line, Surface
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.run import accompanied_by

RED = (229, 20, 31)


def saddle_shape(points: int = 15) -> Surface:
    x = np.linspace(-1, 1, points)
    return Surface(x, x, x[:, None] ** 2 - x**2, (0.0, 0.0), ("λ_p", "λ_d", "L"))


def pixels(image: Image.Image) -> np.ndarray:
    return np.asarray(image.convert("RGB")).astype(int)


def reds(seen: np.ndarray) -> int:
    return int((np.abs(seen - RED).sum(-1) < 40).sum())


def test_a_surface_is_drawn_once_an_angle_with_a_dot_each(tmp_path):
    one, six = (pixels(Image.open(draw_surface(tmp_path / f"{n}.png", saddle_shape(), angles=n))) for n in (1, 6))
    assert six.shape[0] == 2 * one.shape[0]
    assert six.shape[1] == one.shape[1]
    assert reds(six) > 4 * reds(one) > 100


def test_two_curves_with_circles_at_the_optimum(tmp_path):
    x = np.linspace(-1, 1, 21)
    seen = pixels(Image.open(draw_line_figure(tmp_path / "line.png", Line(x, 1 + x**2, 1 + 0.1 * x**2))))
    assert reds(seen) > 50
    for colour in ((49, 104, 142), (209, 105, 14)):
        assert (np.abs(seen - colour).sum(-1) < 40).sum() > 200


def test_the_surface_turns_in_a_short_film(tmp_path):
    path = turning_film(tmp_path / "turn.gif", saddle_shape(), frames=5)
    with Image.open(path) as film:
        assert film.n_frames == 5
        assert film.info["loop"] == 0
        frames = []
        for k in range(5):
            film.seek(k)
            frames.append(pixels(film))
    assert all((one != other).any() for one, other in itertools.pairwise(frames))
    assert all((frame[0, 0] == 255).all() and reds(frame) > 10 for frame in frames)


def test_wrong_letters_are_red_and_tiles_stand_above(tmp_path):
    readings = [ReadFrame(0, "xx x", 1.5, 0.75), ReadFrame(100, "ab c", 0.01, 0.0)]
    images = np.zeros((4, 16, 16), np.uint8)
    images[[0, 1, 3]] = 255
    tiles = Tiles(images, np.tile(np.float32([1.0, 0.0, 1.0, 1.0]), (4, 1)))
    with Image.open(reading_film(tmp_path / "read.gif", readings, "ab c", tiles=tiles)) as film:
        first = pixels(film)
        film.seek(1)
        last = pixels(film)
    wrong = [((frame[..., 0] > 180) & (frame[..., 1] < 80)).sum() for frame in (first, last)]
    assert wrong[0] > 50
    assert wrong[1] == 0
    assert (last[60:80].max(-1) < 60).sum() > 3 * 8 * 8  # three black squares in the row of tiles


def test_readings_of_another_length_are_refused(tmp_path):
    for readings, truth in (([ReadFrame(0, "abc", 1.0, 0.5)], "ab"), ([], "ab"), ([ReadFrame(0, "", 1.0, 0.5)], "")):
        with pytest.raises(InputError, match="give those of one line"):
            reading_film(tmp_path / "read.gif", readings, truth)
    assert not list(tmp_path.iterdir())


def test_the_watch_notes_the_best_start_on_the_way(solved):
    problem, labels, optimum = solved
    watch = LineWatch(slice(5, 25), problem.lm.alphabet, labels, every=4)
    with accompanied_by(watch):
        FullBatch(steps=10).solve(problem, starts=3)
    assert [reading.step for reading in watch.readings] == [4, 8]
    watch.read(problem.part(np.array([True, False, True])), optimum)  # not all positions: nothing to see
    watch.read(problem, optimum)
    assert len(watch.readings) == 3
    last = watch.readings[-1]
    assert last.error < 0.1 < watch.readings[0].error
    assert last.kl == pytest.approx(float(problem.kl(optimum)[0]))
    truth = problem.lm.alphabet.decode(labels[5:25])
    assert sum(a != b for a, b in zip(last.text, truth, strict=True)) <= 4


def test_the_watch_reads_groups_too(solved):
    problem, labels, _ = solved
    groups = np.arange(len(labels)) % 9
    watch = LineWatch(slice(0, 9), Alphabet("abcdefg"), labels, every=1)
    with accompanied_by(watch):
        FullBatch(steps=2).solve(problem.compressed(groups, 9), starts=2)
    assert [len(reading.text) for reading in watch.readings] == [9, 9]
