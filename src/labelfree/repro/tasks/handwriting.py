"""Handwriting: real text in letters that many people wrote, each drawn from a bank of single letters.

The bank is an ``.npz`` of 16 x 8 black-and-white pictures of the letters a to z, as the Kassel letters are kept:
``pixels`` (n, 16), the packed bits of each picture, ``labels`` (n,), 0 for a; and of each word that the letters were
written in, ``word_lengths`` (w,) and ``folds`` (w,), one of ten parts of the bank.
Test letters come from parts that no training letter comes from. A space is a picture without ink.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import N_MEASURES, SIDE, Tiles
from labelfree.repro.tasks.printed import PrintTask, TileSequences
from labelfree.repro.tasks.spelling import share_out

HANDWRITTEN_ALPHABET = Alphabet(" abcdefghijklmnopqrstuvwxyz")
TRAIN_TILES = 60_000
TEST_TILES = 15_000
_WIDTH = 8
_TEST_FOLDS = (0, 1)
_KEYS = ("pixels", "labels", "word_lengths", "folds")


@dataclass(frozen=True, eq=False)
class LetterBank:
    """Pictures of single letters.

    Attributes
    ----------
    images : array of shape (n, SIDE, SIDE), uint8
        0 for paper, 255 for ink.
    labels : array of shape (n,)
        0 for a.
    folds : array of shape (n,)
        The part of the bank that a letter belongs to.
    """

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]
    folds: NDArray[np.int64]


def read_letters(path: Path) -> LetterBank:
    """Read a bank of letters, every array checked."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = {key: np.asarray(arrays[key]) for key in _KEYS}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} holds no letters ({error}); an .npz with {', '.join(_KEYS)} wanted") from None
    pixels, labels, sizes, folds = found.values()
    if pixels.dtype != np.uint8 or pixels.ndim != 2 or pixels.shape[1] != SIDE * _WIDTH // 8:
        raise InputError(f"{path}: pixels is {pixels.dtype} of shape {pixels.shape}, uint8 of shape (n, 16) wanted")
    for key, n in (("labels", len(pixels)), ("word_lengths", sizes.size), ("folds", sizes.size)):
        array = found[key]
        if array.shape != (n,) or array.dtype.kind not in "iu":
            raise InputError(f"{path}: {key} is {array.dtype} of shape {array.shape}, {n} whole numbers wanted")
    if (sizes < 0).any() or int(sizes.sum(dtype=np.int64)) != len(pixels):
        raise InputError(
            f"{path}: word_lengths sum to {sizes.sum(dtype=np.int64)}, {len(pixels)} wanted, as pixels has"
        )
    if sorted(set(labels.tolist())) != list(range(26)):
        raise InputError(f"{path}: labels hold {len(set(labels.tolist()))} numbers, all of 0 to 25 wanted, a to z")
    ink = np.unpackbits(pixels, axis=1).reshape(-1, SIDE, _WIDTH).repeat(SIDE // _WIDTH, 2)
    return LetterBank(ink * np.uint8(255), labels.astype(np.int64), np.repeat(folds, sizes).astype(np.int64))


def handwritten_task(
    bank: LetterBank,
    segments: Iterable[str],
    *,
    seed: int = 0,
    train_tiles: int = TRAIN_TILES,
    test_tiles: int = TEST_TILES,
) -> PrintTask:
    """Write segments of text with letters drawn from a bank.

    Parameters
    ----------
    bank : LetterBank
    segments : iterable of str
        The pool; what is no letter and no space is left out.
    seed : int
        Of the draw of segments and letters.
    train_tiles, test_tiles : int
        Sizes of the two parts.
    """
    rng = np.random.default_rng(seed)
    pool = sorted({" ".join("".join(c if c.isalpha() else " " for c in text).split()) for text in segments})
    train_text, test_text, rest = share_out(pool, train_tiles, test_tiles, rng)
    is_test = np.isin(bank.folds, _TEST_FOLDS)
    return PrintTask(
        _written(train_text, bank, np.flatnonzero(~is_test), rng),
        _written(test_text, bank, np.flatnonzero(is_test), rng),
        tuple(rest),
        HANDWRITTEN_ALPHABET,
    )


def _written(texts: list[str], bank: LetterBank, usable: NDArray[np.int64], rng: np.random.Generator) -> TileSequences:
    """Every letter by some hand."""
    labels = HANDWRITTEN_ALPHABET.encode("".join(texts)).astype(np.int64)
    images = np.zeros((len(labels), SIDE, SIDE), np.uint8)
    for letter in range(26):
        at, written = np.flatnonzero(labels == letter + 1), usable[bank.labels[usable] == letter]
        if len(at) and not len(written):
            raise InputError(f"the bank has no {HANDWRITTEN_ALPHABET.decode([letter + 1])!r} in one of its two parts")
        if len(at):
            images[at] = bank.images[rng.choice(written, len(at))]
    tiles = Tiles(images, np.zeros((len(labels), N_MEASURES), np.float32))
    return TileSequences(tiles, labels, np.array([len(text) for text in texts]))
