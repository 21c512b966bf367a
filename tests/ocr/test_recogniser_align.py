"""Places of symbols held against every path there is."""

from __future__ import annotations

from itertools import groupby, product

import numpy as np
import pytest

from labelfree.ocr.line_reader.ctc import align, best_path, extents
from labelfree.ocr.line_reader.network import STRIDE
from labelfree.ocr.line_reader.strips import HEIGHT, Strip


def spelled(path: tuple[int, ...], blank: int) -> list[int]:
    return [symbol for symbol, _ in groupby(path) if symbol != blank]


@pytest.mark.parametrize("labels", [[0], [1, 0], [0, 0], [1, 1, 0], [0, 1, 0]])
def test_the_likeliest_of_all_paths_is_found(labels):
    rng = np.random.default_rng(len(labels))
    for _ in range(10):
        frames = np.log(rng.dirichlet(np.ones(3) / 2, 6) + 1e-9)
        paths = [path for path in product(range(3), repeat=6) if spelled(path, 2) == labels]
        best = max(paths, key=lambda path: frames[np.arange(6), list(path)].sum())
        runs, start = [], 0
        for symbol, run in groupby(best):
            end = start + len(list(run))
            if symbol != 2:
                runs.append([start, end - 1])
            start = end
        longer = np.vstack([frames, np.log(np.full((3, 3), 1 / 3))])
        found = align(
            [frames[:0], frames, longer, frames], [np.array(labels), *[np.array(labels)] * 2, np.array([], int)]
        )
        assert found[1].tolist() == runs
        assert [len(places) for places in found] == [0, len(labels), len(labels), 0]


def test_labels_without_room_stay_within_the_line():
    frames = np.log(np.full((3, 4), 1 / 4))
    (places,) = align([frames], [np.array([0, 1, 2, 0, 1])])
    assert places.shape == (5, 2)
    assert 0 <= places.min() <= places.max() < 3


def test_the_best_path_is_spelled_by_the_likeliest_classes():
    frames = np.log(np.random.default_rng(0).dirichlet(np.ones(4), 40))
    assert best_path(frames).tolist() == spelled(tuple(frames.argmax(1)), 3)
    assert best_path(frames[:0]).tolist() == []


def test_neighbours_are_parted_where_there_is_no_ink():
    image = np.zeros((HEIGHT, 48), np.float32)
    image[10:20, 8:18] = image[10:20, 22:40] = 1
    frames = np.array([[3, 3], [7, 7]])
    found = extents(Strip(image, 1.0), frames)
    assert found[0, 0] == pytest.approx(0, abs=1)
    assert 10 <= found[0, 1] == found[1, 0] <= 14
    assert found[1, 1] == pytest.approx(32, abs=1)
    assert STRIDE * 7 < 40
    assert extents(Strip(image, 1.0), frames[:0]).shape == (0, 2)
