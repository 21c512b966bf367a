"""From the lines of a book to a reader of its type: a row of named stages, each of which adds to what is known.

`STAGES` *is* the pipeline: it is printed, skipped, timed and checkpointed stage by stage. Two readers are taught
without a label. One sees tiles: a classifier learns from the language what each shows, and then from its own reading,
corrected. The other sees whole lines and so no wrong cut. It learns from what the first one read, then from its own
reading, each time corrected, as long as the label-free score falls: the share of symbols at which the network alone and
the network with the language model differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

import numpy as np

from labelfree import progress
from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.ocr.book import Book, Ints, Reading
from labelfree.ocr.correct.calibration import disagreement, doubt_power
from labelfree.ocr.correct.corrections import CORRECTIONS, correct
from labelfree.ocr.correct.page_numbers import Figures, find_page_numbers
from labelfree.ocr.correct.places import labels_of_tiles
from labelfree.ocr.correct.settings import CorrectSettings
from labelfree.ocr.glyphs.settings import GlyphSettings
from labelfree.ocr.glyphs.shape_prior import ShapePriorSettings
from labelfree.ocr.hints import Hints, KnownLabels
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.layout.settings import LayoutSettings
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.line_reader.lines import LineImage, line_images, read_alone, read_images, train
from labelfree.ocr.line_reader.settings import LineReaderSettings
from labelfree.ocr.segment.settings import SegmentSettings
from labelfree.ocr.tile_reader import TileReaderSettings, learn_tiles, learn_tiles_again, read_tiles
from labelfree.ocr.types import PageLines

FAST = ("page-numbers", "lines", "lines-2", "lines-3")
"""The stages that reading character by character does without."""


@dataclass(frozen=True)
class Settings:
    """Every tuned number of learning and reading, room by room; those of a language are `LanguageSettings`.

    Attributes
    ----------
    layout : LayoutSettings
        By which `read_lines` finds lines before the pipeline begins.
    segment : SegmentSettings
    glyphs : GlyphSettings
    shape_prior : ShapePriorSettings
    tile_reader : TileReaderSettings
    line_reader : LineReaderSettings
    correct : CorrectSettings
    least_gain : float
        Times the lowest score so far that a round of the line reader may have for another round to follow.
    no_worse : float
        Times the lowest score that the last network may have to be kept: with a better teacher it is the better one.
    unread : float
        Share of the characters taken to be wrong at least where nothing was understood.
    """

    layout: LayoutSettings = field(default_factory=LayoutSettings)
    segment: SegmentSettings = field(default_factory=SegmentSettings)
    glyphs: GlyphSettings = field(default_factory=GlyphSettings)
    shape_prior: ShapePriorSettings = field(default_factory=ShapePriorSettings)
    tile_reader: TileReaderSettings = field(default_factory=TileReaderSettings)
    line_reader: LineReaderSettings = field(default_factory=LineReaderSettings)
    correct: CorrectSettings = field(default_factory=CorrectSettings)
    least_gain: float = 0.95
    no_worse: float = 1.5
    unread: float = 0.5


@dataclass(frozen=True, eq=False)
class State:
    """All that is known of a book so far."""

    book: Book
    seed: int = 0
    settings: Settings = field(default_factory=Settings)
    without: frozenset[str] = frozenset()  # names of stages and corrections that are left out
    known: KnownLabels | None = None  # what a person told
    classifier: SequenceClassifier | None = None  # of tiles
    tile_reading: Reading | None = None  # what the classifier reads
    figures: Figures | None = None  # what page numbers tell
    lesson: Reading | None = None  # what was first read, or what the line reader, once there is one, was first taught
    recogniser: Recogniser | None = None  # of lines
    reading: Reading | None = None  # the best so far
    scores: tuple[float, ...] = ()  # the label-free score of each round of the line reader
    doubt_power: float = 1.0  # makes confidence right on average (`calibration`)

    @property
    def is_settled(self) -> bool:
        """Whether the classifier came as close to the language as those that learned to read do."""
        return self.classifier is not None and bool(self.classifier.diagnosis_.settled)

    @property
    def known_lines(self) -> dict[int, Ints]:
        """The labels of lines that a person has read."""
        return self.known.lines if self.known else {}

    @cached_property
    def images(self) -> list[LineImage]:
        """The lines as the line reader sees them."""
        return line_images(self.book.lines, self.book.type.style, has_ascenders=self.book.language.script.ascenders)


@dataclass(frozen=True)
class Stage:
    """A named step of the pipeline."""

    name: str  # by which it is skipped
    about: str
    work: Callable[[State], State]
    seconds: float  # that it takes on an idle machine for ten thousand characters, to tell the time left


def _measure_shapes(state: State) -> State:
    return replace(state, book=state.book.with_shapes(state.settings.shape_prior))


def _learn_tiles(state: State) -> State:
    known, settings = state.known.tiles if state.known else None, state.settings.tile_reader
    classifier = learn_tiles(state.book, known, seed=state.seed, settings=settings)
    reading = read_tiles(state.book, classifier, settings)
    return replace(state, classifier=classifier, tile_reading=reading, lesson=reading, reading=reading)


def _find_page_numbers(state: State) -> State:
    if not state.is_settled or state.tile_reading is None:
        return state
    settings = state.settings.correct.page_numbers
    figures = find_page_numbers(state.book, state.tile_reading, seed=state.seed, settings=settings)
    return replace(state, figures=figures)


def _learn_tiles_again(state: State) -> State:
    """The classifier goes on with its own reading, corrected."""
    if not state.is_settled or state.classifier is None or state.tile_reading is None:
        return state
    believed = labels_of_tiles(state.book, _corrected(state, state.tile_reading))
    known = state.known.tiles if state.known else None
    classifier = learn_tiles_again(state.book, state.classifier, believed, known)
    reading = read_tiles(state.book, classifier, state.settings.tile_reader)
    return replace(state, classifier=classifier, tile_reading=reading, reading=reading)


def _learn_lines(state: State) -> State:
    """The first round: a fresh network learns what the tiles were read as, corrected."""
    if not state.is_settled or state.tile_reading is None:
        return state
    lesson = _corrected(state, state.tile_reading)
    return _taught(replace(state, lesson=lesson), lesson)


def _learn_lines_again(state: State) -> State:
    """A later round: the network goes on with its own reading, corrected."""
    if state.recogniser is None or state.reading is None:
        return state
    *before, last = state.scores
    is_worth_it = last < state.settings.least_gain * min(before, default=np.inf)
    return _taught(state, _corrected(state, state.reading)) if is_worth_it else state


def _corrected(state: State, reading: Reading) -> Reading:
    figures, settings = state.figures or Figures.none(state.book), state.settings.correct
    return correct(state.book, reading, figures, without=state.without, seed=state.seed, settings=settings)


def _taught(state: State, lesson: Reading) -> State:
    language, seed = state.book.language, state.seed + len(state.scores)
    recogniser = train(
        state.images,
        lesson,
        state.known_lines,
        len(language.lm.alphabet),
        start=state.recogniser,
        seed=seed,
        settings=state.settings.line_reader,
    )
    reading = read_images(recogniser, state.images, replace(language, neural=None), state.settings.line_reader)
    score = disagreement(read_alone(recogniser, state.images), reading.line_labels)
    scores = (*state.scores, score)
    progress.look("line reader", len(scores), [score])
    if score >= state.settings.no_worse * min(state.scores, default=np.inf):
        return replace(state, scores=scores)
    return replace(state, recogniser=recogniser, reading=reading, scores=scores)


def _rescore(state: State) -> State:
    if state.recogniser is None or state.book.language.neural is None:
        return state
    settings = state.settings.line_reader
    return replace(state, reading=read_images(state.recogniser, state.images, state.book.language, settings))


def _calibrate(state: State) -> State:
    """Confidence agrees with how much the reading differs from another, learned in another way.

    What a reader reads without the language differs less from that than it errs, and what it learned from differs
    more: the truth lies between. What tiles have wrong both times is odd in the language.
    """
    if state.reading is None or state.lesson is None or state.classifier is None:
        return state
    read = state.reading.line_labels
    expected_error = disagreement(state.lesson.line_labels, read)
    is_taught = not np.array_equal(state.lesson.labels, state.reading.labels)
    if state.scores:
        alone = min(state.scores)
    else:
        alone = disagreement(np.split(state.classifier.predict(state.book.rows), state.book.starts[1:]), read)
    expected_error = float(np.sqrt(expected_error * alone)) if is_taught else alone
    if state.recogniser is None:
        expected_error = min(1.0, expected_error + state.book.language.norm.odd_share(read))
    if not state.is_settled:
        expected_error = max(expected_error, state.settings.unread)
    return replace(state, doubt_power=doubt_power(state.reading.confidence, expected_error))


STAGES = (
    Stage("shape-prior", "measure how characters fit what all typefaces of the script share", _measure_shapes, 0.6),
    Stage("tiles", "learn from the language what each character is, and read character by character", _learn_tiles, 5),
    Stage("page-numbers", "learn figures from the numbers of the pages, which rise", _find_page_numbers, 1),
    Stage("tiles-2", "correct that reading, teach it to the classifier, and read again", _learn_tiles_again, 5),
    Stage(
        "lines", "correct it again, teach it to a network that sees whole lines, and read with that", _learn_lines, 12
    ),
    Stage("lines-2", "correct that reading, teach it to the network, and read again", _learn_lines_again, 6),
    Stage("lines-3", "the same once more, where it helped", _learn_lines_again, 6),
    Stage("rescoring", "choose among the best readings of each line with a neural language model", _rescore, 0),
    Stage("confidence", "make confidence right on average by how two readings differ", _calibrate, 0.1),
)
"""The pipeline."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What came of a book: all that is known of it, and the seconds that each stage took."""

    state: State
    seconds: dict[str, float]


class Keeper:
    """Keeps what each stage leaves, and gives it back to a run that is taken up again; this one keeps nothing."""

    def restore(self, stage: Stage, state: State) -> State | None:
        """What was known after a stage, or None where it has to be run."""
        return None

    def keep(self, stage: Stage, before: State, after: State) -> None:
        """Keep what a stage left."""


def stage_names() -> list[str]:
    """The names that can be left out: of stages, and of the corrections that some of them make."""
    return [stage.name for stage in STAGES] + [correction.name for correction in CORRECTIONS]


def run_pipeline(
    pages: Iterable[PageLines],
    language: BookLanguage,
    *,
    hints: Hints | None = None,
    without: Collection[str] = (),
    seed: int = 0,
    settings: Settings | None = None,
    keeper: Keeper | None = None,
) -> Learned:
    """Run all stages on the lines of one book, but those whose names, or those of corrections, are in `without`."""
    for name in without:
        if name not in stage_names():
            raise InputError(
                f"stage {name!r} found, one of {', '.join(stage_names())} wanted; see labelfree ocr stages"
            )
    pages, settings, keeper = list(pages), settings or Settings(), keeper or Keeper()
    lines = [line for page in pages for line in page.lines]
    transcribed = hints.line_labels(pages, language) if hints else {}
    marks = hints.mark_labels(pages, language) if hints else {}
    chosen = [stage for stage in STAGES if stage.name not in without]
    size = len(lines) * 35 / 10_000  # a guess at the characters, until they are cut
    progress.plan([("cut", 2 * size), *((stage.name, stage.seconds * size) for stage in chosen)])
    progress.part("cut")
    began = perf_counter()
    book = Book.measure(lines, language, seed=seed, segment=settings.segment, glyphs=settings.glyphs)
    known = KnownLabels.of(hints, transcribed, book, marks) if hints else None
    state = State(book, seed, settings, frozenset(without), known)
    seconds = {"cut": perf_counter() - began}
    for stage in chosen:
        progress.part(stage.name)
        began = perf_counter()
        found = keeper.restore(stage, state)
        if found is None:
            found = stage.work(state)
            keeper.keep(stage, state, found)
        state = found
        seconds[stage.name] = perf_counter() - began
    return Learned(state, seconds)
