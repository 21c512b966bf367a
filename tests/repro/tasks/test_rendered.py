"""Rendered print: sizes, what the damage does, and the cache."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from sklearn.linear_model import LogisticRegression

from labelfree.errors import InputError
from labelfree.ocr.glyphs.settings import GlyphSettings
from labelfree.repro.tasks.rendered import rendered_task
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line, system_typefaces

POOL = [
    f"the {size} {colour} {thing} stood near the {place}, and nobody in the whole quiet village knew why it was left "
    f"there, so the {thing} waited for zero days in the jaws of a fox."
    for size in ("small", "large", "narrow")
    for colour in ("green", "black", "yellow")
    for thing in ("box", "chair", "cart", "quilt")
    for place in ("mill", "bridge", "harbour", "old well")
]


def small_task(tmp_path, **options):
    return rendered_task(POOL, train_tiles=3000, test_tiles=600, cache=tmp_path, **options)


def test_sizes_are_those_asked_and_sequences_end_where_segments_do(tmp_path):
    task = small_task(tmp_path)
    assert (len(task.train.y), len(task.test.y)) == (3000, 600)
    assert len(task.train.tiles) == task.train.lengths.sum() == 3000
    assert task.alphabet.decode(task.train.y[: task.train.lengths[0]]) in POOL


def test_at_least_eight_typefaces_come_with_matplotlib():
    assert len(bundled_typefaces()) >= 8
    assert all(path.suffix.lower() in (".ttf", ".otf") for path in system_typefaces())


def test_no_segment_is_in_two_parts(tmp_path):
    task = small_task(tmp_path)
    starts = [np.concatenate([[0], np.cumsum(part.lengths)[:-1]]) for part in (task.train, task.test)]
    train, test = (
        {task.alphabet.decode(part.y[a : a + n]) for a, n in zip(start, part.lengths, strict=True)}
        for part, start in zip((task.train, task.test), starts, strict=True)
    )
    assert not train & test
    assert not test & set(task.in_domain)


def test_damage_grows_with_its_strength(tmp_path):
    errors = []
    for strength in (0.0, 1.0, 2.0):
        task = small_task(tmp_path, strength=strength)
        x, x_test = task.features("pixels", settings=GlyphSettings(n_features=60))
        model = LogisticRegression(max_iter=200).fit(x, task.train.y)
        errors.append(1 - model.score(x_test, task.test.y))
    assert errors[0] < 0.01
    assert errors[0] < errors[1] < errors[2]


def test_the_same_seed_gives_the_same_tiles_with_and_without_the_cache(tmp_path):
    first = small_task(tmp_path / "one")
    kept = small_task(tmp_path / "one")
    afresh = small_task(tmp_path / "two")
    other = small_task(tmp_path / "one", seed=1)
    np.testing.assert_array_equal(first.train.tiles.images, kept.train.tiles.images)
    np.testing.assert_array_equal(first.train.tiles.images, afresh.train.tiles.images)
    assert (first.train.y != other.train.y).any()


def test_a_kept_task_is_read_and_not_made_again(tmp_path):
    lines = []
    small_task(tmp_path, progress=lambda done, total: lines.append((done, total)))
    assert lines[-1][0] == lines[-1][1] == len(lines)
    before = len(lines)
    small_task(tmp_path, progress=lambda done, total: lines.append((done, total)))
    assert len(lines) == before


@pytest.mark.parametrize("content", [b"", b"no archive at all", b"PK\x03\x04 cut short"])
def test_a_damaged_cache_is_made_again(tmp_path, content):
    good = small_task(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    again = small_task(tmp_path)
    np.testing.assert_array_equal(good.test.tiles.geometry, again.test.tiles.geometry)


def test_a_place_that_cannot_be_written_costs_only_the_cache(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert (
        len(rendered_task(POOL, train_tiles=2000, test_tiles=200, cache=tmp_path / "file" / "deeper").train.y) == 2000
    )


def test_a_broken_typeface_is_named(tmp_path):
    face = tmp_path / "broken.ttf"
    face.write_bytes(b"not a typeface")
    with pytest.raises(InputError, match=r"broken\.ttf is no typeface"):
        small_task(tmp_path, typefaces=[face])


def test_boxes_of_clean_print_hold_their_letters():
    line = set_line("ill moods", bundled_typefaces()[3], 30, np.random.default_rng(0), strength=0)
    widths = line.boxes[:, 2] - line.boxes[:, 0]
    assert widths[4] > 2 * widths[1]  # m and l
    space = line.boxes[3]
    assert not line.ink[:, space[0] + 1 : space[2] - 1].any()
    assert Image.fromarray((line.ink * 255).astype(np.uint8)).getbbox() is not None
