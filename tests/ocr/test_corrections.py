"""Readings of lines are put right by the tiles of the same lines."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.correct.corrections import put_right, revised
from labelfree.ocr.line_reader.self_training import LineReading

LINES = ["the cat sat on the tin hat", "a tin cat ate that oat", "the hat that sat on a cat"] * 12
LM = NGramLM.from_text("\n".join(LINES), order=4, outside="break")


def printed(true: list[str], read: list[str]) -> tuple[np.ndarray, list[SimpleNamespace], list[LineReading]]:
    """Rows of tiles that show lines as they are, with a speck after each; the cut lines; what they were read as."""
    rng = np.random.default_rng(0)
    looks = dict(zip(LM.alphabet.symbols, rng.normal(0, 4, (len(LM.alphabet), 10)), strict=True))
    rows, cut, found = [], [], []
    for line, said in zip(true, read, strict=True):
        boxes = np.array([[10 * i, 0, 10 * i + 8, 12] for i in range(len(line))])
        speck = np.array([[10 * len(line) + 40, 0, 10 * len(line) + 42, 3]])  # far from every character
        cut.append(SimpleNamespace(tiles=range(len(line) + 1), boxes=np.concatenate([boxes, speck])))
        rows += [looks[symbol] + rng.normal(0, 0.2, 10) for symbol in line] + [rng.normal(0, 4, 10)]
        found.append(LineReading(LM.alphabet.encode(said), np.full(len(line), 0.9), boxes))
    return np.array(rows), cut, found


def test_a_letter_read_as_another_is_found_by_its_tiles_though_some_tiles_show_nothing() -> None:
    found = revised(*printed(LINES, [line.replace("c", "s") for line in LINES]), LM)
    assert [LM.alphabet.decode(line.labels) for line in found] == LINES


def test_words_of_a_finished_reading_are_put_right_and_stand_where_they_stood() -> None:
    true = ["the cat sat on that tin hat", *LINES]
    wrong = ["the cat sat on thac tin hat", *LINES]
    rows, cut, lines = printed(true, wrong)
    found = put_right(rows, cut, lines, LM, words=WordList.from_text(" ".join(LINES)))
    assert [LM.alphabet.decode(line.labels) for line in found] == true
    assert all((a.boxes == b.boxes).all() and (a.sure == b.sure).all() for a, b in zip(found, lines, strict=True))
    as_it_was = put_right(rows, cut, lines, LM)
    assert [LM.alphabet.decode(line.labels) for line in as_it_was] == wrong
