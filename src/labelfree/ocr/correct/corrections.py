"""What the lines of a book were read as, put right by the language: of tiles and of whole lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.correct.page_numbers import Figures
from labelfree.ocr.correct.punctuation import close_up, join_quotes
from labelfree.ocr.correct.respelling import respell
from labelfree.ocr.correct.revision import revise, tile_of_each
from labelfree.ocr.correct.words import put_words_right
from labelfree.ocr.cutting import CutLine, near_the_one_before, of_each_tile
from labelfree.ocr.glyphs.shape_prior import Fits, fit
from labelfree.ocr.glyphs.tiles import stack
from labelfree.ocr.line_reader.self_training import LineReading

Ints = NDArray[np.int64]


def respelled(
    rows: NDArray[np.floating],
    cut: Sequence[CutLine],
    read: Sequence[Ints],
    lm: NGramLM,
    *,
    figures: Figures | None = None,
    script: str | None = None,
    seed: int = 0,
) -> list[Ints]:
    """What lines say whose tiles, with `rows` for features, were `read` one by one: whole shapes are put right."""
    labels = np.concatenate(read)
    told = figures.of_tile if figures else np.full(len(labels), -1)
    return respell(
        rows,
        np.where(told >= 0, told, labels),
        np.array([len(line.tiles) for line in cut], np.int64),
        lm,
        may_join=near_the_one_before(cut),
        in_capitals=of_each_tile([line.in_capitals for line in cut], cut),
        fits=_fits(cut, script),
        settled=told >= 0,
        seed=seed,
    )


def revised(
    rows: NDArray[np.floating],
    cut: Sequence[CutLine],
    read: Sequence[LineReading],
    lm: NGramLM,
    *,
    figures: Figures | None = None,
    words: WordList | None = None,
    script: str | None = None,
    seed: int = 0,
) -> list[LineReading]:
    """Lines that were `read` as a whole, with figures, words, forms of a symbol and marks put right."""
    read = put_right(rows, cut, read, lm, figures=figures, words=words, seed=seed)
    labels = [line.labels for line in read]
    tile_of = _tile_of_each(cut, read)
    settled = (tile_of >= 0) & _is_figure(lm)[np.concatenate(labels)] if figures else None
    labels = revise(
        labels,
        tile_of,
        rows,
        lm,
        words=words,
        fits=_fits(cut, script),
        settled=settled,
        seed=seed,
    )
    labels = close_up(join_quotes(labels, lm.alphabet), lm)
    return [line.relabelled(said) for line, said in zip(read, labels, strict=True)]


def _fits(cut: Sequence[CutLine], script: str | None) -> Fits | None:
    return None if script is None else partial(fit, stack([line.tiles for line in cut]), script=script)


def put_right(
    rows: NDArray[np.floating],
    cut: Sequence[CutLine],
    read: Sequence[LineReading],
    lm: NGramLM,
    *,
    figures: Figures | None = None,
    words: WordList | None = None,
    seed: int = 0,
) -> list[LineReading]:
    """Lines that were `read` as a whole, with figures that page numbers tell and words that the language has."""
    if figures:
        read = with_figures(cut, read, lm, figures)
    if words is not None:
        labels = [line.labels for line in read]
        labels = put_words_right(labels, _tile_of_each(cut, read), rows, lm, words, seed=seed)
        read = [replace(line, labels=said) for line, said in zip(read, labels, strict=True)]
    return list(read)


def with_figures(
    cut: Sequence[CutLine], read: Sequence[LineReading], lm: NGramLM, figures: Figures
) -> list[LineReading]:
    """Lines with the numbers that pages have, and with the figures elsewhere that look like theirs."""
    if not figures:
        return list(read)
    symbols = lm.alphabet.symbols
    is_space = np.array([symbol.isspace() for symbol in symbols])
    of_lines = np.split(figures.of_tile, np.cumsum([len(line.tiles) for line in cut])[:-1])
    read = [
        _with_number(found, line.boxes, of_line, is_space)
        for found, line, of_line in zip(read, cut, of_lines, strict=True)
    ]
    tile_of = _tile_of_each(cut, read)
    labels = np.concatenate([line.labels for line in read])
    asked = np.flatnonzero(_is_figure(lm)[labels] & (tile_of >= 0) & (figures.of_tile[tile_of] < 0))
    looks = figures.look_like(tile_of[asked])
    labels[asked] = np.where(looks >= 0, looks, labels[asked])
    ends = np.cumsum([len(line.labels) for line in read])[:-1]
    return [replace(line, labels=said) for line, said in zip(read, np.split(labels, ends), strict=True)]


def _is_figure(lm: NGramLM) -> NDArray[np.bool_]:
    return np.array([symbol.isdecimal() for symbol in lm.alphabet.symbols])


def _tile_of_each(cut: Sequence[CutLine], read: Sequence[LineReading]) -> Ints:
    """For each character of all lines the tile that shows it, or -1."""
    before = np.cumsum([0] + [len(line.tiles) for line in cut[:-1]])
    shown = [tile_of_each(found.boxes, line.boxes) for found, line in zip(read, cut, strict=True)]
    return np.concatenate([np.where(tile < 0, -1, start + tile) for start, tile in zip(before, shown, strict=True)])


def _with_number(read: LineReading, boxes: Ints, figure_of: Ints, is_space: NDArray[np.bool_]) -> LineReading:
    """A line with the figures of its number, in `boxes` of tiles, in place of what was read there."""
    number = np.flatnonzero(figure_of >= 0)
    if not len(number):
        return read
    middle, middle_of_tile = read.boxes[:, ::2].mean(1), boxes[:, ::2].mean(1)
    around = np.concatenate([[-np.inf], middle_of_tile, [np.inf]])[[number[0], number[-1] + 2]]
    kept = is_space[read.labels] | (middle < around[0]) | (middle > around[1])
    is_left = middle < middle_of_tile[number].mean()
    left, right = kept & is_left, kept & ~is_left
    return LineReading(
        np.concatenate([read.labels[left], figure_of[number], read.labels[right]]),
        np.concatenate([read.sure[left], np.ones(len(number)), read.sure[right]]),
        np.concatenate([read.boxes[left], boxes[number], read.boxes[right]]),
    )
