"""The paper's substitution task."""

import gzip
import itertools

import numpy as np
import pytest

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.errors import InputError
from labelfree.repro.tasks.spelling import folder_paragraphs, segments_of, spelling_task

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def made_up_segments(n: int, seed: int = 0, length: int = 150) -> list[str]:
    rng = np.random.default_rng(seed)
    symbols = np.array(list(LETTERS + " ,."))
    return ["".join(symbols[rng.integers(29, size=length + i % 40)]) for i in range(n)]


def texts(part) -> list[str]:
    ends = np.cumsum(part.lengths)
    return [PAPER_ALPHABET.decode(ids) for ids in np.split(part.y, ends[:-1])]


def test_sizes_are_exact():
    task = spelling_task(made_up_segments(100), seed=0, train_characters=7_001, test_characters=2_003)
    for part, wanted in ((task.train, 7_001), (task.test, 2_003)):
        assert len(part.x) == len(part.y) == part.lengths.sum() == wanted
        assert part.lengths.min() > 0


def test_train_test_and_in_domain_share_no_segment_and_come_from_the_pool():
    pool = made_up_segments(100)
    task = spelling_task(pool, seed=0, train_characters=7_001, test_characters=2_003)
    train, test = texts(task.train), texts(task.test)
    sources = [{s for s in pool if s.startswith(tuple(part))} for part in (train, test)]
    assert [len(source) for source in sources] == [len(train), len(test)]
    for one, other in itertools.combinations([*sources, set(task.in_domain)], 2):
        assert not one & other
    assert len(task.in_domain) == 100 - len(train) - len(test) > 10


def test_the_substitution_is_one_to_one_and_shared_by_train_and_test():
    task = spelling_task(made_up_segments(100), seed=0, train_characters=7_001, test_characters=2_003)
    pairs = {*zip(task.train.x, task.train.y, strict=True), *zip(task.test.x, task.test.y, strict=True)}
    assert len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs}) == 29
    assert any(x != y for x, y in pairs)


def test_a_seed_gives_the_same_task_and_another_seed_another():
    pool = made_up_segments(60)
    draw = {"train_characters": 4_000, "test_characters": 1_000}
    one, other = spelling_task(pool, 1, **draw), spelling_task(pool, 2, **draw)
    again = spelling_task(list(reversed(pool)) + pool[:5], 1, **draw)  # neither order nor repeats count
    for part in ("train", "test"):
        np.testing.assert_array_equal(getattr(one, part).x, getattr(again, part).x)
        np.testing.assert_array_equal(getattr(one, part).y, getattr(again, part).y)
    assert one.in_domain == again.in_domain
    assert not np.array_equal(one.train.x, other.train.x)
    assert not np.array_equal(one.train.y, other.train.y)


def test_a_small_pool_is_shared_out_in_proportion():
    pool = made_up_segments(20)
    task = spelling_task(pool, seed=0, train_characters=40_000, test_characters=10_000)
    available = sum(map(len, pool))
    assert len(task.train.x) == int(0.8 * available)
    assert 0.2 * available - 200 <= len(task.test.x) <= 0.2 * available  # a segment cut for one part ends there
    assert not task.in_domain


def test_too_small_a_pool_is_refused_with_its_size():
    with pytest.raises(InputError, match=r"^153 characters of usable segments found, .*name a folder"):
        spelling_task(["a" * 153], seed=0)


def test_segments_hold_only_allowed_characters_and_more_than_a_hundred():
    long = "The grey cat,\n  it sleeps on the warm stone by the well. " * 4
    found = list(segments_of([long + "7" + long[:60], "short.", "x" * 100, "x" * 101]))
    assert found == [" ".join(long.lower().split()).strip(" ,."), "x" * 101]


def test_folders_give_lines_of_plain_and_packed_text(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt").write_text("two\n", encoding="utf-8")
    with gzip.open(tmp_path / "a.txt.gz", "wt", encoding="utf-8") as file:
        file.write("one\n")
    (tmp_path / "c.md").write_text("three\n", encoding="utf-8")
    assert sorted(folder_paragraphs(tmp_path)) == ["one\n", "two\n"]
    assert list(folder_paragraphs(tmp_path / "deep" / "b.txt")) == ["two\n"]


def test_a_folder_without_text_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no \.txt or \.txt\.gz file found"):
        list(folder_paragraphs(tmp_path))
