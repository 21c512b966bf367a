"""Readings of lines are put right by the tiles of the same lines."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from labelfree.lm import NGramLM
from labelfree.ocr.corrections import revised
from labelfree.ocr.selftrain import LineReading

LINES = ["the cat sat on the tin hat", "a tin cat ate that oat", "the hat that sat on a cat"] * 12
LM = NGramLM.from_text("\n".join(LINES), order=4, outside="break")


def boxes_of(line: str) -> np.ndarray:
    return np.array([[10 * i, 0, 10 * i + 8, 12] for i in range(len(line))])


def test_a_letter_read_as_another_is_found_by_its_tiles_though_some_tiles_show_nothing() -> None:
    rng = np.random.default_rng(0)
    looks = dict(zip(LM.alphabet.symbols, rng.normal(0, 4, (len(LM.alphabet), 10)), strict=True))
    rows, cut, read = [], [], []
    for line in LINES:
        boxes = boxes_of(line)
        speck = np.array([[10 * len(line) + 40, 0, 10 * len(line) + 42, 3]])  # far from every character
        cut.append(SimpleNamespace(tiles=range(len(line) + 1), boxes=np.concatenate([boxes, speck])))
        rows += [looks[symbol] + rng.normal(0, 0.2, 10) for symbol in line] + [rng.normal(0, 4, 10)]
        labels = LM.alphabet.encode(line.replace("c", "s"))
        read.append(LineReading(labels, np.ones(len(labels)), boxes))
    found = revised(np.array(rows), cut, read, LM)
    assert [LM.alphabet.decode(line) for line in found] == LINES
