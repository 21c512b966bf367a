"""A book of running text, the text kept apart for a language model, and the pictures of its lines."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PIL import Image

from labelfree.errors import InputError
from labelfree.repro.tasks.book import LINE_LENGTH, book_text, print_book

GOODS = ("apples", "blankets", "candles", "drums", "envelopes", "flour", "gloves", "hats", "ink", "jars")
PLACES = ("Arden", "Bath", "Crewe", "Dover", "Exeter")


def paragraphs():
    for i, goods in enumerate(GOODS):
        for j, place in enumerate(PLACES):
            yield (
                f'In {1800 + 7 * i + j} the carrier took {goods} to {place}; "nobody paid," says his ledger\n  of '
                f"{place} and {goods}. Did {place} keep the {goods}? The {goods} of {place} stayed in a barn "
                f"for {i + 3} years."
            )
    yield "The carrier's ledger is read with Ledger.read(path), which returns one row for each of the customers. " * 2


def passages(text):
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + 6]) for i in range(len(words) - 5)}


def test_lines_hold_print_of_about_the_size_asked():
    book = book_text(2000, paragraphs=paragraphs())
    assert 1900 < book.characters < 2400
    assert max(map(len, book.lines)) <= LINE_LENGTH
    text = " ".join(book.lines)
    assert {"“", "”", ";", "?", "1"} <= set(text)
    assert not {'"', "'", "\n"} & set(text)


def test_what_looks_like_code_is_in_other_text_only():
    everything = sum(len(" ".join(each.split())) for each in paragraphs() if "Ledger.read" not in each)
    book = book_text(everything, paragraphs=paragraphs())
    assert "Ledger" not in " ".join(book.lines)
    assert len(book.other) == 1
    assert "Ledger.read(path)" in book.other[0]


def test_other_text_repeats_no_passage_of_the_book():
    repeated = [*paragraphs(), next(paragraphs()) + " This was added to it by another hand in a later year."]
    for seed in range(5):
        book = book_text(1500, seed, paragraphs=repeated)
        own = passages(" ".join(book.lines))
        assert book.other
        assert all(own.isdisjoint(passages(each)) for each in book.other)


def test_the_english_of_python_gives_a_book_and_much_more_other_text():
    book = book_text(4500)
    assert 4000 < book.characters < 6000
    assert sum(map(len, book.other)) > 100_000
    letters = set("".join(book.lines))
    assert set("abcdefghijklmnoprstuvwxyz.,ACIT") <= letters


def test_the_seed_draws_the_book():
    one, again, other = (book_text(1500, seed, paragraphs=paragraphs()) for seed in (0, 0, 1))
    assert one == again
    assert one.lines != other.lines


@pytest.mark.parametrize("characters", [0, 10**6])
def test_a_size_that_cannot_be_had_is_refused(characters):
    with pytest.raises(InputError, match=f"a book of {characters} characters asked for, 1 to "):
        book_text(characters, paragraphs=paragraphs())


def test_pictures_lie_beside_their_truth(tmp_path):
    lines = ["The first line", "and the second one, which is longer."]
    print_book(lines, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "0001.gt.txt",
        "0001.png",
        "0002.gt.txt",
        "0002.png",
    ]
    assert (tmp_path / "0002.gt.txt").read_text() == lines[1] + "\n"
    first, second = (np.asarray(Image.open(tmp_path / f"000{i}.png")) for i in (1, 2))
    assert 2 * first.shape[1] < second.shape[1]
    assert 0.02 < 1 - first.mean() < 0.3


def test_the_same_letter_is_damaged_differently_every_time_and_alike_for_the_same_seed(tmp_path):
    for name, seed in (("one", 0), ("again", 0), ("other", 1)):
        (tmp_path / name).mkdir()
        print_book(["ooo"], tmp_path / name, seed=seed)
    one, again, other = ((tmp_path / name / "0001.png").read_bytes() for name in ("one", "again", "other"))
    assert one == again != other
