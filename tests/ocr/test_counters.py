"""Counters are paper that no path leads out of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from skimage.measure import label

from labelfree.ocr.glyphs.counters import measure_counters


@settings(deadline=None)
@given(arrays(np.bool_, (3, 6, 6)))
def test_counters_are_paper_that_no_path_leads_out_of(strokes: np.ndarray) -> None:
    counted, height = measure_counters(strokes)
    for inked, n, middle in zip(strokes, counted, height, strict=True):
        pieces = label(np.pad(~inked, 1, constant_values=True), connectivity=1)
        closed = [pieces == i for i in range(1, pieces.max() + 1) if i != pieces[0, 0]]
        assert n == len(closed)
        heights = [1 - (np.argwhere(piece)[:, 0].mean() - 0.5) / 6 for piece in closed]
        assert middle == pytest.approx(np.mean(heights) if heights else 0.0)


def test_no_picture_has_no_counter() -> None:
    counted, height = measure_counters(np.zeros((0, 4, 4), np.bool_))
    assert len(counted) == len(height) == 0
