"""What a child process tells while it learns, a JSON object a line: how far it is, and what it reads by now.

One line of the book is read again at every look at the scores, and each symbol of the alphabet is drawn as the mean of
what is taken for it by then.
"""

from __future__ import annotations

import base64
import io
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
import torch
from PIL import Image

from labelfree.ocr.book import Book, Ints, Reading
from labelfree.ocr.checkpoints import Checkpoints
from labelfree.ocr.correct.calibration import tempered
from labelfree.ocr.correct.places import labels_of_tiles
from labelfree.ocr.glyphs.repeats import are_repeats
from labelfree.ocr.pipeline import STAGES, Keeper, Stage, State
from labelfree.progress import Observer, Plan, Record
from labelfree.solvers.run import Companion, Run

_EVERY = 0.4  # seconds between two lines on how far it is
_EVERY_READING = 0.8  # and between two on what is read
_STEPS = 20  # of a search from one reading to the next, at least
_LEAST_TILES = 2  # that a symbol is drawn from
_SHOWN_TILES = 200  # that it is drawn from at most


class Teller:
    """Writes what happens, a line each."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def tell(self, event: str, **facts: Any) -> None:
        """Write one line."""
        print(json.dumps({"event": event, **facts}, ensure_ascii=True), file=self._stream, flush=True)


class ProgressTeller(Observer):
    """Tells how far the whole is."""

    def __init__(self, teller: Teller) -> None:
        self._teller, self._plan, self._costs = teller, Plan(()), [("", 0.0)]
        self._last, self._share = 0.0, 0.0

    def plan(self, parts: Sequence[tuple[str, float]]) -> None:
        """Note the parts of the whole."""
        self._plan, self._costs = Plan(parts), list(parts)

    def part(self, name: str) -> None:
        """Tell that a part begins."""
        self._plan.begin(name)
        self._tell(name, 0, 0)

    def stage(self, name: str, done: int, total: int) -> None:
        """Tell how far a stage is, unless that was told a moment ago."""
        if time.monotonic() - self._last >= _EVERY:
            self._tell(name, done, total)

    def look(self, record: Record) -> None:
        """Tell the score of the best start."""
        self._teller.tell("look", stage=record.stage, step=record.step, score=round(record.best, 4))

    def _tell(self, name: str, done: int, total: int) -> None:
        self._last = time.monotonic()
        left = self._plan.seconds_left(done / total if total else 0.0)
        parts = [part for part, cost in self._costs if cost > 0]
        number = parts.index(self._plan.current) + 1 if self._plan.current in parts else 0
        self._teller.tell(
            "stage",
            name=name,
            part=self._plan.current,
            number=number,
            parts=len(parts),
            done=done,
            total=total,
            left=None if left is None else round(left, 1),
        )


@dataclass(eq=False)
class ReadingTeller(Keeper, Companion):
    """Tells what is read by now, in the midst of a stage and after it; what a stage leaves is kept as ever."""

    teller: Teller
    kept: Checkpoints
    seed: int = 0

    def __post_init__(self) -> None:
        self._book: Book | None = None
        self._line = 0
        self._chosen = np.zeros(0, np.bool_)
        self._steps, self._last = 0, 0.0

    def restore(self, stage: Stage, state: State) -> State | None:
        """What was kept of a stage, which is told as if it were new."""
        self._see(state.book)
        found = self.kept.restore(stage, state)
        if found is not None:
            self._tell_state(stage, found)
        return found

    def keep(self, stage: Stage, before: State, after: State) -> None:
        """Keep what a stage left, and tell it."""
        self.kept.keep(stage, before, after)
        self._tell_state(stage, after)

    def stepped(self, run: Run, remaining: int) -> None:
        """Read the line again, where it is time to."""
        self._steps += 1
        if self._steps % _STEPS or time.monotonic() - self._last < _EVERY_READING or self._book is None:
            return
        if len(run.problem.positions) != int(self._chosen.sum()):
            return  # a part of the book, or something else
        with torch.no_grad():
            best = int(run.problem.kl(run.model).argmin())
            found = run.model(run.problem.inputs)[best].argmax(-1).numpy()[run.problem.positions]
        labels = np.full(len(self._chosen), -1, np.int64)
        labels[self._chosen] = found
        begin = int(self._book.starts[self._line])
        own = labels[begin : begin + int(self._book.lengths[self._line])]
        self._tell("search", own, labels)

    def _see(self, book: Book) -> None:
        if self._book is None:
            self._book = book
            self._line = _typical_line(book)
            settings = book.type.features.settings
            repeats = are_repeats(book.rows, book.lengths, book.in_capitals, self.seed, settings)
            self._chosen = np.repeat(~repeats & (book.lengths > 0), book.lengths)
            self.teller.tell("line", picture=_line_picture(book, self._line), tiles=len(book.tiles))

    def _tell_state(self, stage: Stage, state: State) -> None:
        self._book = state.book
        if state.reading is None or stage.name == "shape-prior":
            return
        calibrated = next(each for each in STAGES if each.name == "confidence").work(state)
        confidence = tempered(state.reading.confidence, calibrated.doubt_power)
        error = 1 - float(confidence.mean()) if len(confidence) else 1.0
        line = state.reading.lines[self._line].labels
        self._tell(stage.name, line, labels_of_tiles(state.book, state.reading), error=round(error, 4))

    def _tell(self, stage: str, line: Ints, labels: Ints, **facts: Any) -> None:
        assert self._book is not None  # noqa: S101 - there is one before anything is read
        self._last = time.monotonic()
        symbols = self._book.language.lm.alphabet.symbols
        text = "".join(symbols[label] if label >= 0 else "?" for label in line.tolist())
        self.teller.tell("read", stage=stage, text=text, alphabet=_alphabet(self._book, labels), **facts)


def _typical_line(book: Book) -> int:
    """A line of usual length, from the middle of the book."""
    full = np.flatnonzero(book.lengths >= np.quantile(book.lengths, 0.6))
    return int(full[len(full) // 2]) if len(full) else 0


def _line_picture(book: Book, line: int) -> str:
    return _uri(255 - book.lines[line].pixels)


def _alphabet(book: Book, labels: Ints) -> list[list[Any]]:
    """Each symbol that something is taken for, how often, and the mean of that."""
    found = []
    for label, symbol in enumerate(book.language.lm.alphabet.symbols):
        tiles = np.flatnonzero(labels == label)
        if len(tiles) < _LEAST_TILES or symbol.isspace():
            continue
        some = tiles[:: max(1, len(tiles) // _SHOWN_TILES)]
        mean = book.tiles.images[some].astype(np.float32).mean(0)
        found.append([symbol, len(tiles), _uri((255 - mean).astype(np.uint8))])
    return found


def _uri(grey: np.ndarray[Any, np.dtype[np.uint8]]) -> str:
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "PNG")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()


def reading_of(state: State) -> Reading:
    """What a pipeline that has ended reads."""
    assert state.reading is not None  # noqa: S101 - the stage of tiles leaves one
    return state.reading
