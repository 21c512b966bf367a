"""Spaces beside marks and between figures are left out where the language has none."""

from __future__ import annotations

from labelfree.lm import NGramLM
from labelfree.ocr.correct.punctuation import close_up


def test_spaces_stay_where_the_language_has_them_or_a_mark_is_rare() -> None:
    lm = NGramLM.from_text("He said, «no,» and «yes,» and «oh,» and no more. " * 9, order=3)
    lines = [lm.alphabet.encode(line) for line in ("He said, « no,» and", "«yes,» and no more.", "", " ")]
    assert [line.tolist() for line in close_up(lines, lm)] == [line.tolist() for line in lines]


def test_a_space_between_figures_is_left_out_where_the_language_has_none() -> None:
    lm = NGramLM.from_text("In 1786 he came, in 1791 he went, and 17 years on he was 11. " * 9, order=3)
    lines = [
        lm.alphabet.encode(line) for line in ("In 1 786 he", "in 1 791 he", "and 1 7 years", "he was 1 1.", "in 11 he")
    ]
    found = [lm.alphabet.decode(line) for line in close_up(lines, lm)]
    assert found == ["In 1786 he", "in 1791 he", "and 17 years", "he was 11.", "in 11 he"]
    spaced = NGramLM.from_text("at 1 7 and 1 8 and 1 9 and 1 7 and so on. " * 9, order=3)
    lines = [spaced.alphabet.encode(line) for line in ("at 1 7 and", "at 1 8 and", "and 1 9 and", "and 1 7 and")]
    assert [line.tolist() for line in close_up(lines, spaced)] == [line.tolist() for line in lines]
