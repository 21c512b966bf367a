"""What the paper leaves open: batch size, amount of data, quality of the language, number of classes, the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from labelfree.repro.paper.amounts import (
    CLASSES,
    TEXT_SIZES,
    TILES,
    UNIFORM_SHARES,
    amounts_of_data,
    language_quality,
    numbers_of_classes,
)
from labelfree.repro.paper.folder import Result, Teller
from labelfree.repro.paper.methods import RATES
from labelfree.repro.paper.starts import BATCHES, agreement, batch_sizes
from labelfree.repro.paper.trial import Trial
from labelfree.repro.tasks.spelling import TEST_CHARACTERS, TRAIN_CHARACTERS


@dataclass(frozen=True)
class Sizes:
    """How much of everything the ablations take; the names are those of the functions' parameters."""

    batches: tuple[int | None, ...] = BATCHES
    rates: tuple[float, ...] = RATES
    batch_starts: int = 20
    batch_steps: int = 1_000
    tiles: tuple[int, ...] = TILES
    data_seeds: int = 1
    other_tiles: int = 40_000
    text_sizes: tuple[int, ...] = TEXT_SIZES
    uniform_shares: tuple[float, ...] = UNIFORM_SHARES
    classes: tuple[int, ...] = CLASSES
    class_characters: tuple[int, int] = (TRAIN_CHARACTERS, TEST_CHARACTERS)
    class_seeds: int = 3
    agreement_starts: int = 60


FULL = Sizes()
QUICK = Sizes(
    batches=(10, 200, 1_000, None),
    rates=(5e-3,),
    batch_steps=600,
    tiles=(1_500, 3_000),
    other_tiles=3_000,
    text_sizes=(1_000, 100_000),
    uniform_shares=(0.3,),
    classes=(10, 29, 40),
    class_seeds=1,
    agreement_starts=20,
)


def ablations(
    spelling: Trial,
    printed: Trial,
    text: str,
    paragraphs: Sequence[str],
    folder: Path,
    *,
    sizes: Sizes = FULL,
    seed: int = 0,
    tell: Teller = print,
) -> Iterator[Result]:
    """All of them, one after the other.

    Parameters
    ----------
    spelling : Trial
        A substitution.
    printed : Trial
        Tiles of print, as features.
    text : str
        Other text, for language models of several qualities.
    paragraphs : sequence of str
        Text with capitals, digits and marks, for substitutions over alphabets of several sizes.
    folder : Path
        Where the pictures go.
    sizes : Sizes
        `FULL`, or `QUICK` for less than a minute.
    seed : int
    tell : callable
        Hears of every fit as it is done.
    """
    yield batch_sizes(
        spelling,
        folder,
        batches=sizes.batches,
        rates=sizes.rates,
        starts=sizes.batch_starts,
        steps=sizes.batch_steps,
        seed=seed,
        tell=tell,
    )
    yield amounts_of_data(printed, folder, tiles=sizes.tiles, seeds=sizes.data_seeds, seed=seed, tell=tell)
    trials = {"substitution": spelling, "print": printed.first(sizes.other_tiles)}
    yield language_quality(
        trials,
        text,
        folder,
        text_sizes=sizes.text_sizes,
        uniform_shares=sizes.uniform_shares,
        seed=seed,
        tell=tell,
    )
    yield numbers_of_classes(
        paragraphs,
        folder,
        classes=sizes.classes,
        characters=sizes.class_characters,
        seeds=sizes.class_seeds,
        seed=seed,
        tell=tell,
    )
    yield agreement(trials, folder, starts=sizes.agreement_starts, seed=seed, tell=tell)
