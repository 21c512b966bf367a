"""The check of boxes: low where tiles can be told apart, high where they were cut elsewhere."""

import numpy as np
import pytest
import torch

from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import Tiles
from labelfree.repro.tasks.box_check import check_boxes

LINE = 20


def made_up_tiles(n_lines: int = 40, spoiled: float = 0.0, seed: int = 0) -> tuple[Tiles, list[str], list[int]]:
    """Six patterns under noise; a share of tiles shows another pattern than its label says."""
    rng = np.random.default_rng(seed)
    patterns = rng.random((6, 16, 16)) < 0.5
    labels = rng.integers(0, 6, n_lines * LINE)
    shown = np.where(rng.random(len(labels)) < spoiled, rng.integers(0, 6, len(labels)), labels)
    flipped = rng.random((len(labels), 16, 16)) < 0.1
    images = (255 * (patterns[shown] ^ flipped)).astype(np.uint8)
    return Tiles(images, np.zeros((len(labels), 4), np.float32)), ["abcdef"[i] for i in labels], [LINE] * n_lines


def test_clean_tiles_are_read_almost_without_error():
    found = check_boxes(*made_up_tiles())
    assert found.error < 0.02
    assert (found.trained, found.tested, found.classes) == (32 * LINE, 8 * LINE, 6)


def test_wrong_boxes_show_as_error():
    # half of the tiles show a pattern drawn anew, which is right by chance one time in six
    assert check_boxes(*made_up_tiles(spoiled=0.5)).error == pytest.approx(0.5 * 5 / 6, abs=0.12)


def test_height_tells_apart_what_looks_the_same():
    tiles, letters, lengths = made_up_tiles()
    labels = ["," if letter in "abc" else "'" for letter in letters]
    geometry = np.array([[0.2, -0.3, 0.2, 0.5] if label == "," else [1.4, 0.9, 0.2, 0.5] for label in labels])
    alike = Tiles(np.full_like(tiles.images, 200), geometry.astype(np.float32))
    assert check_boxes(alike, labels, lengths).error == 0


def test_no_line_is_on_both_sides():
    # every line has its own symbol, so none of a test line's was ever learned
    tiles, _, lengths = made_up_tiles()
    labels = [chr(0x4E00 + i // LINE) for i in range(len(tiles))]
    found = check_boxes(tiles, labels, lengths)
    assert (found.error, found.classes) == (1.0, 32)


def test_tiles_without_a_label_are_left_out():
    tiles, labels, lengths = made_up_tiles()
    half = ["" if i % 2 else label for i, label in enumerate(labels)]
    found = check_boxes(tiles, half, lengths)
    assert found.trained + found.tested == len(labels) // 2
    assert found.classes == 6


def test_a_seed_gives_the_same_result_and_leaves_the_random_state_alone():
    state = torch.random.get_rng_state()
    one, again = (check_boxes(*made_up_tiles(10, spoiled=0.3), seed=4) for _ in range(2))
    assert one == again
    assert torch.equal(torch.random.get_rng_state(), state)


def test_what_cannot_be_checked_is_refused():
    tiles, labels, lengths = made_up_tiles(4)
    with pytest.raises(InputError, match="80 tiles, 79 labels and lines of 80 tiles found"):
        check_boxes(tiles, labels[:-1], lengths)
    with pytest.raises(InputError, match="0 labelled tiles in 4 lines found"):
        check_boxes(tiles, [""] * 80, lengths)
    with pytest.raises(InputError, match="80 labelled tiles in 1 lines found"):
        check_boxes(tiles, labels, [80])
