"""The paper's data sets as trials, at full size or in a quick cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.repro.paper.trial import Trial, print_trial, spelling_trial
from labelfree.repro.tasks.printed import FeatureKind, PrintTask
from labelfree.repro.tasks.rendered import TEST_TILES, TRAIN_TILES, rendered_task
from labelfree.repro.tasks.scans import BOXES_SUFFIX, scanned_task
from labelfree.repro.tasks.spelling import (
    TEST_CHARACTERS,
    TRAIN_CHARACTERS,
    folder_paragraphs,
    segments_of,
    spelling_task,
    standard_library_english,
)

ENGLISH_BOOKS = "english_books_dev"
MIXED_LINES = "uw3_500/lines"
ENGLISH_TEXTS = (
    "lm_english_novels/english_novels.txt.gz",
    "lm_english_speeches/us_speeches.txt.gz",
    "news_reuters21578/reuters_lm.txt.gz",
)
_QUICK = 6  # a quick cut holds a sixth of the data
DECODING_ORDER = 4


@dataclass(frozen=True)
class Settings:
    """What the commands have in common.

    Attributes
    ----------
    data : Path, optional
        A folder with scans and texts, as ``LABELFREE_DATA`` names one.
    text : Path, optional
        English to draw from instead of what ships with Python.
    lm_text : Path, optional
        Text for the language model; by default what is left of the pool, or all English texts of `data` for scans.
    quick : bool
        A smaller cut of everything.
    features : {"pixels", "hog", "vgg19"}
        Of tiles.
    weights : Path, optional
        Of VGG19.
    strength : float
        Of the damage to rendered print.
    """

    data: Path | None = None
    text: Path | None = None
    lm_text: Path | None = None
    quick: bool = False
    features: FeatureKind = "hog"
    weights: Path | None = None
    strength: float = 1.0

    @property
    def share(self) -> int:
        """The whole over the cut."""
        return _QUICK if self.quick else 1

    def data_folder(self) -> Path:
        """The folder of scans, which must be there."""
        if self.data is None or not self.data.is_dir():
            raise InputError(
                f"{self.data or 'no folder of scans'} found, a folder of line images with boxes wanted; "
                "name it with --data or the variable LABELFREE_DATA"
            )
        return self.data


@cache
def pool(text: Path | None) -> tuple[str, ...]:
    """The segments to draw from."""
    paragraphs = folder_paragraphs(text) if text is not None else standard_library_english()
    return tuple(sorted(set(segments_of(paragraphs))))


def language(settings: Settings, rest: tuple[str, ...], order: int) -> NGramLM:
    """The language of a task: the text asked for, or what is left of the pool."""
    source: Path | list[str] = settings.lm_text if settings.lm_text is not None else list(rest)
    return NGramLM.from_text(source, PAPER_ALPHABET, order, outside="break")


def spelling_trials(settings: Settings) -> Callable[[int], Trial]:
    """Another substitution and other segments for every seed; a 2-gram model of the rest."""

    def trial(seed: int) -> Trial:
        task = spelling_task(
            pool(settings.text),
            seed,
            train_characters=TRAIN_CHARACTERS // (2 if settings.quick else 1),
            test_characters=TEST_CHARACTERS,
        )
        return spelling_trial(task, language(settings, task.in_domain, 2))

    return trial


def rendered_trials(settings: Settings, order: int = 2) -> Callable[[int], Trial]:
    """Other segments, typefaces and damage for every seed; an N-gram model of the rest of the text."""

    def trial(seed: int) -> Trial:
        task = _rendered(settings, seed)
        lm, decoder = (language(settings, task.in_domain, n) for n in (order, DECODING_ORDER))
        return print_trial(task, lm, 2, decoder=decoder, features=settings.features, weights=settings.weights)

    return trial


def rendered_text(settings: Settings, seed: int) -> tuple[str, ...]:
    """What is left of the pool when the tiles of a seed are drawn: text of the same domain."""
    return _rendered(settings, seed).in_domain


def scan_trials(settings: Settings, books: list[Path], order: int = DECODING_ORDER) -> Callable[[int], Trial]:
    """Books mixed into one data set, other test lines for every seed; an N-gram model of other text."""
    lm, decoder = (scan_language(settings, n) for n in (order, DECODING_ORDER))

    def trial(seed: int) -> Trial:
        task = scanned_task(books, seed=seed)
        return print_trial(task, lm, 2, decoder=decoder, features=settings.features, weights=settings.weights)

    return trial


@cache
def scan_language(settings: Settings, order: int) -> NGramLM:
    """Of text that holds none of the books: novels, speeches and news together, unless another is asked for."""
    folder = settings.data_folder()
    source = [settings.lm_text] if settings.lm_text is not None else [folder / name for name in ENGLISH_TEXTS]
    return NGramLM.from_text(source, PAPER_ALPHABET, order, outside="break")


def boxed_books(settings: Settings) -> list[Path]:
    """The English books that have character boxes; the smallest one in a quick cut."""
    folder = settings.data_folder() / ENGLISH_BOOKS
    books = [file.with_name(file.name.removesuffix(BOXES_SUFFIX)) for file in sorted(folder.glob(f"*{BOXES_SUFFIX}"))]
    if not books:
        raise InputError(f"{folder}: no *{BOXES_SUFFIX} found, a folder of books with boxes wanted; see --data")
    return books if not settings.quick else [min(books, key=lambda book: sum(1 for _ in book.iterdir()))]


def _rendered(settings: Settings, seed: int) -> PrintTask:
    return rendered_task(
        pool(settings.text),
        seed=seed,
        strength=settings.strength,
        train_tiles=TRAIN_TILES // settings.share,
        test_tiles=TEST_TILES // settings.share,
    )
