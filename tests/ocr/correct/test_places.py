"""Which tile shows a character."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.lm import NGramLM
from labelfree.ocr.correct.places import labels_of_tiles, tile_of_each

from ..books import book_of, boxes_of, reading_of


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=8), st.integers(0, 40))
def test_no_tile_shows_two_characters(edges, shift) -> None:
    characters, tiles = (np.array([[x + s, 0, x + s + w, 9] for x, w in edges]).reshape(-1, 4) for s in (0, shift))
    found = tile_of_each(characters, tiles)
    shown = found[found >= 0]
    assert len(set(shown.tolist())) == len(shown)
    middle = lambda box: (box[:, 0] + box[:, 2]) / 2  # noqa: E731
    assert (np.abs(middle(characters)[found >= 0] - middle(tiles)[shown]) < 6).all()


def test_a_tile_has_the_label_of_the_character_that_it_shows_or_none() -> None:
    book = book_of(np.zeros((5, 3)), [3, 2], NGramLM.from_text("ab ba " * 20, order=2))
    first, second = boxes_of(3), boxes_of(2)
    reading = reading_of([np.array([1, 2]), np.array([2, 0])], [first[[0, 2]], second])
    assert labels_of_tiles(book, reading).tolist() == [1, -1, 2, 2, 0]
