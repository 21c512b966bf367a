"""Reading character by character: a classifier of tiles, learned from the language alone."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelfree import progress
from labelfree.estimator import SequenceClassifier
from labelfree.lm.languages import known_languages, language_counts
from labelfree.ocr.book import Book, Floats, Ints, Reading, pieces
from labelfree.ocr.glyphs.capitals import capital_of
from labelfree.ocr.glyphs.repeats import are_repeats
from labelfree.ocr.language import LanguageSettings, book_language, unknown_language
from labelfree.ocr.segment.orientation import is_latin
from labelfree.ocr.types import PageLines
from labelfree.verdict import LanguageFound


@dataclass(frozen=True)
class TileReaderSettings:
    """How tiles are learned and read."""

    lm_weight: float = 0.2  # of the language model when tiles are read: it advises, as wrong cuts lead it astray
    order: int = 3  # of the N-grams then; longer ones take longer and, with so little weight, change nothing
    l2: float = 5e-4  # penalty on the classifier's weights
    rounds: int = 4  # of decoding and retraining at most: more make the classifier surer and no better
    starts: int = 10  # of the first search; twice as many where that failed
    clusters: tuple[float, ...] = (1.6, 0.6)  # clusters against the usual number in the searches after one that failed


DEFAULT = TileReaderSettings()

SAMPLED_LINES, SAMPLED_WORDS = 80, 200_000
"""Lines of a book, and words of a language, by which it is asked whether they belong together."""


def learn_tiles(book: Book, known: Ints | None, *, seed: int, settings: TileReaderSettings) -> SequenceClassifier:
    """Learn what each tile shows: the first attempt that converges, or else the one closest to the language.

    Of lines in capitals that say the same, as running heads do, one is learned from: a language model makes some text
    of letters that are rare elsewhere, and the classifier would learn that from every page. `known` has the label of
    each tile that a person told, -1 for the others.
    """
    lm = book.language.lm
    repeats = are_repeats(book.rows, book.lengths, book.in_capitals, seed, book.type.features.settings)
    is_new = ~repeats & (book.lengths > 0)
    chosen = np.repeat(is_new, book.lengths)
    evidence = book.log_fit(lm.alphabet.symbols)[chosen]
    attempts: list[SequenceClassifier] = []
    for clusters in (None, *settings.clusters):
        classifier = SequenceClassifier(
            lm,
            n_init=settings.starts if clusters is None else 2 * settings.starts,
            n_groups=None if clusters is None else max(2, int(clusters * 4 * len(lm.alphabet))),
            l2=settings.l2,
            refine=settings.rounds,
            random_state=seed + len(attempts),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(
                book.rows[chosen],
                lengths=book.lengths[is_new],
                known=None if known is None else known[chosen],
                evidence=evidence,
            )
        if classifier.diagnosis_.settled:
            return classifier
        attempts.append(classifier)
    return min(attempts, key=lambda classifier: float(classifier.kl_))


def learn_tiles_again(
    book: Book, classifier: SequenceClassifier, believed: Ints, known: Ints | None
) -> SequenceClassifier:
    """Go on learning from what tiles are believed to show, -1 for nothing; the classifier given stays as it is."""
    labels = believed if known is None else np.where(known >= 0, known, believed)
    return classifier.self_trained(book.rows, labels)


def which_language(
    pages: Sequence[PageLines], codes: Sequence[str] | None = None, *, script: str | None = None, seed: int = 0
) -> LanguageFound:
    """Tell the language of print: some lines are read with the pack of each, and their long words counted.

    Parameters
    ----------
    pages : sequence of PageLines
        Of which the lines that have most ink are tried.
    codes : sequence of str, optional
        The languages; by default all that are written in Latin letters, whose shapes are known.
    script : str, optional
        What it is set in, by default as each language is.
    seed : int
    """
    every = [line for page in pages for line in page.lines]
    places = np.sort(np.argsort([-int(line.strokes.sum()) for line in every], kind="stable")[:SAMPLED_LINES])
    book = Book.measure([every[i] for i in places], unknown_language(), seed=seed).with_shapes()
    settings = replace(DEFAULT, clusters=(), rounds=1)
    codes = codes or [
        code for code in known_languages() if is_latin(language_counts(code, order=1, wordlist="small")[0])
    ]
    found = []
    for done, code in enumerate(codes):
        progress.stage(f"asking whether it is {code}", done, len(codes))
        language = book_language((), code, script=script, settings=LanguageSettings(pack_words=SAMPLED_WORDS))
        tried = replace(book, language=language)
        read = read_tiles(tried, learn_tiles(tried, None, seed=seed, settings=settings), settings).line_labels
        said = language.norm.judge(read, expected_error=0.0, most_error=1.0)
        found.append((code, said.saved + min(said.explained, 1.0)))  # where none has words, what is explained decides
    return LanguageFound(tuple(sorted(found, key=lambda each: -each[1])))


def read_tiles(book: Book, classifier: SequenceClassifier, settings: TileReaderSettings = DEFAULT) -> Reading:
    """Read lines tile by tile."""
    lm = book.language.lm
    labels, confidence = np.zeros(len(book.rows), np.int64), np.zeros(len(book.rows))
    log_fit = book.log_fit(lm.alphabet.symbols)
    ends = np.append(book.starts, len(book.rows))
    for piece in pieces(len(book.lengths)):
        part = slice(int(ends[piece.start]), int(ends[piece.stop]))
        if part.stop > part.start:
            lengths = book.lengths[piece]
            posteriors = classifier.decode_proba(
                book.rows[part],
                lengths=lengths[lengths > 0],
                lm_weight=settings.lm_weight,
                order=min(lm.order, settings.order),
                evidence=log_fit[part],
            )
            in_capitals = book.is_tile_in_capitals[part]
            posteriors[in_capitals] = _as_capitals(posteriors[in_capitals], capital_of(lm.alphabet))
            labels[part], confidence[part] = posteriors.argmax(1), posteriors.max(1)
    return Reading(labels, confidence, book.boxes, book.lengths)


def _as_capitals(posteriors: Floats, capitals: Ints) -> Floats:
    """Posteriors with every symbol's share given to its capital."""
    found = np.zeros_like(posteriors)
    np.add.at(found.T, capitals, posteriors.T)
    return found
