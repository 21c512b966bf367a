"""Which tile shows a character."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.ocr.correct.places import tile_of_each


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=8), st.integers(0, 40))
def test_no_tile_shows_two_characters(edges, shift) -> None:
    characters, tiles = (np.array([[x + s, 0, x + s + w, 9] for x, w in edges]).reshape(-1, 4) for s in (0, shift))
    found = tile_of_each(characters, tiles)
    shown = found[found >= 0]
    assert len(set(shown.tolist())) == len(shown)
    middle = lambda box: (box[:, 0] + box[:, 2]) / 2  # noqa: E731
    assert (np.abs(middle(characters)[found >= 0] - middle(tiles)[shown]) < 6).all()
