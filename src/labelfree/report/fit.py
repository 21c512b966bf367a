"""The report on a fit: the verdict, how it was learned, what comes out, and the truth where the data hold it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labelfree.estimator import SequenceClassifier
from labelfree.report.curves import bars_plot, grams_plot, rounds_plot, search_plot
from labelfree.report.grams import Grams
from labelfree.report.parts import Part, level, parts
from labelfree.report.render import rendered, write_page
from labelfree.report.truth import Change
from labelfree.report.verdict import Verdict
from labelfree.storage.datafile import DataFile

_MOST_SEQUENCES, _MOST_POSITIONS = 60, 6_000  # that are shown
_MOST_BARS = 60
_CONFUSIONS = 16


@dataclass(frozen=True)
class SequenceView:
    """A sequence as it is shown: what is read, and against the truth where that is there."""

    number: int
    parts: tuple[Part, ...]
    changes: tuple[Change, ...] = ()

    @property
    def is_wrong(self) -> bool:
        """Whether the truth says otherwise."""
        return not all(change.is_right for change in self.changes)


@dataclass(frozen=True)
class Mistakes:
    """The share of positions that are wrong, and the commonest confusions: true symbol, read as, times."""

    error: float
    confusions: tuple[tuple[str, str, int], ...]


def write_fit_report(classifier: SequenceClassifier, data: DataFile, path: Path) -> Path:
    """Write the report on a fit as one HTML file."""
    return write_page(path, fit_report(classifier, data))


def fit_report(classifier: SequenceClassifier, data: DataFile) -> str:
    """The report on a fit as HTML; labels that the data hold are looked at now, after the fit."""
    labels = classifier.predict(data.X)
    ends = np.cumsum(data.lengths)
    grams = Grams.compare(classifier.lm, np.split(labels, ends[:-1]))
    truth = data.labels_in(classifier.lm.alphabet) if data.y is not None else None
    refined = [record.best for record in classifier.history_ if record.stage == "refine"]
    common = sorted(grams.symbols, key=lambda gram: -max(gram.wanted, gram.found))[:_MOST_BARS]
    return rendered(
        "fit.html",
        title=data.path.stem,
        verdict=Verdict.of_classifier(classifier),
        facts=[
            ("positions", f"{len(data.X):,}"),
            ("sequences", f"{len(data.lengths):,}"),
            ("inputs", "symbols" if data.is_symbols else f"{data.X.shape[1]:,} features"),
            ("symbols of the language", f"{len(classifier.lm.alphabet):,}"),
            ("starts", f"{len(classifier.restarts_):,}"),
        ],
        notes=list(classifier.notes_),
        mistakes=None if truth is None else _mistakes(labels, *truth, classifier),
        sequences=_sequences(classifier, data, truth),
        n_left_out=max(0, len(data.lengths) - _MOST_SEQUENCES),
        search=search_plot(classifier.history_),
        rounds=rounds_plot(refined),
        grams=grams,
        bars=bars_plot([gram for gram in grams.symbols if gram in common]),
        symbols_plot=grams_plot(grams.symbols, ()),
        pairs_plot=grams_plot(grams.pairs, grams.mismatches),
    )


def _mistakes(
    labels: NDArray[np.int64], truth: NDArray[np.int64], names: tuple[str, ...], classifier: SequenceClassifier
) -> Mistakes:
    symbols = classifier.lm.alphabet.symbols
    wrong = np.flatnonzero(labels != truth)
    counted = Counter(zip(truth[wrong].tolist(), labels[wrong].tolist(), strict=True))
    rows = tuple((names[true], symbols[read], count) for (true, read), count in counted.most_common(_CONFUSIONS))
    return Mistakes(len(wrong) / max(len(labels), 1), rows)


def _sequences(
    classifier: SequenceClassifier, data: DataFile, truth: tuple[NDArray[np.int64], tuple[str, ...]] | None
) -> list[SequenceView]:
    """The first sequences, read by classifier and language together."""
    lengths = data.lengths[:_MOST_SEQUENCES]
    lengths = lengths[: max(1, int(np.searchsorted(np.cumsum(lengths), _MOST_POSITIONS, side="right")))]
    if lengths[0] > _MOST_POSITIONS:
        lengths = np.array([_MOST_POSITIONS])
    n = int(lengths.sum())
    posteriors = classifier.decode_proba(data.X[:n], lengths=lengths)
    symbols = classifier.lm.alphabet.symbols
    views, begin = [], 0
    for number, length in enumerate(lengths.tolist(), 1):
        rows = posteriors[begin : begin + length]
        read, sure = rows.argmax(1), rows.max(1)
        others = np.argsort(-rows, 1)[:, 1:3] if rows.shape[1] > 2 else np.empty((length, 0), np.int64)
        changes: tuple[Change, ...] = ()
        if truth is not None:
            changes = _changes([symbols[i] for i in read], [truth[1][i] for i in truth[0][begin : begin + length]])
        shown = parts(
            Part(symbols[label], level(confidence), _told(confidence, rows[t], others[t], symbols))
            for t, (label, confidence) in enumerate(zip(read.tolist(), sure.tolist(), strict=True))
        )
        views.append(SequenceView(number, shown, changes))
        begin += length
    return views


def _told(confidence: float, row: NDArray[np.float64], others: NDArray[np.int64], symbols: tuple[str, ...]) -> str:
    listed = [f"{'␣' if symbols[i].isspace() else symbols[i]} {row[i]:.0%}" for i in others.tolist() if row[i] >= 0.02]
    return f"{confidence:.0%} sure" + (f"; or {', '.join(listed)}" if listed else "")


def _changes(read: list[str], true: list[str]) -> tuple[Change, ...]:
    """Position by position, equal ones that follow each other made one."""
    found: list[Change] = []
    for was, wanted in zip(read, true, strict=True):
        if found and (was == wanted) == found[-1].is_right:
            found[-1] = Change(found[-1].read + was, found[-1].truth + wanted)
        else:
            found.append(Change(was, wanted))
    return tuple(found)
