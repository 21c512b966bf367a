"""Checkpoints of reading: what each stage of the pipeline left, and what each piece of lines was read as.

They lie in one folder, a safetensors file a stage or piece, each with a JSON file written last that holds the sums of
what belongs to it. A stage whose JSON file is not there, or whose files are not those, is run again; all work is the
same for a seed, so what was stopped ends in the same bits as what was not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays

from labelfree._version import __version__
from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.files import folder_aside, remove_folder, remove_leftovers, write_aside
from labelfree.limits import parse_json
from labelfree.lm import NGramLM
from labelfree.ocr.book import LineReading, Reading
from labelfree.ocr.correct.page_numbers import Figures
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.pipeline import Keeper, Stage, State
from labelfree.ocr.reader import PieceKeeper
from labelfree.ocr.reader_folder import packed
from labelfree.ocr.types import PageLines
from labelfree.storage import folder as model_folder

_MARK = "checkpoint.json"
_READINGS = ("tile_reading", "lesson", "reading")
_FIELDS = ("labels", "confidence", "boxes", "lengths")  # of a reading
_KEPT = ("classifier", *_READINGS, "figures", "recogniser", "scores", "doubt_power")

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Checkpoints(Keeper, PieceKeeper):
    """A folder of checkpoints."""

    folder: Path

    @classmethod
    def open(cls, folder: Path, mark: str, *, resume: bool, force: bool = False) -> Checkpoints:
        """Begin a folder of checkpoints, with `force` anew, or resume one that bears the same mark (`fingerprint`)."""
        check_begun(folder, resume=resume, force=force)
        if folder.is_dir() and not resume:
            remove_folder(folder)
        if folder.is_dir():
            remove_leftovers(folder)
            written = _json(folder / _MARK) or {}
            if written.get("fingerprint") != mark:
                raise InputError(
                    f"{folder} is of work with other scans, settings, language or version "
                    f"({str(written.get('fingerprint'))[:8]} found, {mark[:8]} wanted); give those it was begun with, "
                    "or --force to begin anew"
                )
        else:
            with folder_aside(folder, may_replace=lambda found: False) as aside:
                write_aside(aside / _MARK, json.dumps({"fingerprint": mark, "version": __version__}).encode())
        return cls(folder)

    def remove(self) -> None:
        """Remove the folder, once all work is done."""
        remove_folder(self.folder)

    @property
    def stages(self) -> list[str]:
        """Names of the stages that are kept."""
        return sorted(path.stem.removeprefix("stage-") for path in self.folder.glob("stage-*.json"))

    def restore(self, stage: Stage, state: State) -> State | None:
        """What was known after a stage, or None where it has to be run."""
        found = self._load(f"stage-{stage.name}")
        if found is None:
            return None
        arrays, facts = found
        changes: dict[str, Any] = {name: _reading(arrays, name) for name in _READINGS if f"{name}.labels" in arrays}
        changes |= {"doubt_power": facts["doubt_power"], "scores": tuple(facts["scores"])}
        if "figures" in arrays:
            changes["figures"] = Figures(state.book.rows, arrays["figures"])
        if facts["recogniser"] is not None:
            tensors = {key.removeprefix("lines."): value for key, value in arrays.items() if key.startswith("lines.")}
            changes["recogniser"] = Recogniser.from_state(tensors, facts["recogniser"])
        if facts["classifier"] is not None:
            classifier = self._classifier(stage, facts["classifier"])
            if classifier is None:
                return None
            classifier.lm = state.book.language.lm  # the very same, not as a file has it
            changes["classifier"] = classifier
        return replace(state, **changes)

    def _model(self, stage: Stage) -> Path:
        """Where the classifier of tiles that a stage left is kept."""
        return self.folder / f"{stage.name}.model"

    def _classifier(self, stage: Stage, card_sum: str) -> SequenceClassifier | None:
        """The classifier that a stage left, or None where it is not the one that was kept."""
        try:
            if _sum_of_card(self._model(stage)) == card_sum:
                return model_folder.load(self._model(stage))
        except (OSError, InputError):
            pass
        return None

    def keep(self, stage: Stage, before: State, after: State) -> None:
        """Keep what a stage changed; what a book is cut into is made anew from its lines."""
        changed = [name for name in _KEPT if getattr(after, name) is not getattr(before, name)]
        if not changed:
            return
        arrays: Arrays = {}
        for name in _READINGS:
            if name in changed:
                arrays |= _arrays(getattr(after, name), name)
        if "figures" in changed and after.figures is not None:
            arrays["figures"] = after.figures.of_tile
        settings = None
        if "recogniser" in changed and after.recogniser is not None:
            tensors, settings = after.recogniser.state()
            arrays |= {f"lines.{key}": value for key, value in tensors.items()}
        if "classifier" in changed:
            remove_folder(self._model(stage))
            model_folder.save(after.classifier, self._model(stage))  # type: ignore[arg-type]
        facts = {
            "doubt_power": after.doubt_power,
            "scores": list(after.scores),
            "recogniser": settings,
            "classifier": _sum_of_card(self._model(stage)) if "classifier" in changed else None,
        }
        self._save(f"stage-{stage.name}", arrays, facts)

    def restore_piece(self, number: int) -> list[LineReading] | None:
        """What a piece of lines was read as, or None where it has to be read."""
        found = self._load(f"piece-{number}")
        return None if found is None else list(_reading(found[0], "reading"))

    def keep_piece(self, number: int, lines: list[LineReading]) -> None:
        """Keep what a piece of lines was read as."""
        self._save(f"piece-{number}", _arrays(Reading.of_lines(lines), "reading"), {})

    def _save(self, name: str, arrays: Arrays, facts: dict[str, Any]) -> None:
        content = packed({"nothing": np.zeros(1), **arrays})
        write_aside(self.folder / f"{name}.safetensors", content)
        write_aside(self.folder / f"{name}.json", json.dumps(facts | {"sha256": _sum_of(content, facts)}).encode())

    def _load(self, name: str) -> tuple[Arrays, dict[str, Any]] | None:
        facts = _json(self.folder / f"{name}.json")
        if facts is None:
            return None
        try:
            content = (self.folder / f"{name}.safetensors").read_bytes()
            written = facts.pop("sha256")
            return (load_arrays(content), facts) if _sum_of(content, facts) == written else None
        except (OSError, KeyError, SafetensorError, ValueError):
            return None


def check_begun(folder: Path, *, resume: bool, force: bool) -> None:
    """Refuse to begin work anew that was stopped, unless told to."""
    if folder.is_dir() and not resume and not force:
        raise InputError(
            f"{folder} is there, of work that was stopped; give --resume to go on, or --force to begin anew"
        )


def fingerprint(pages: Iterable[PageLines], lm: NGramLM, *about: object) -> str:
    """A sum over all that the outcome of reading depends on: lines, language model, and how `about` is printed."""
    digest = hashlib.sha256(repr((__version__, lm.alphabet.symbols, lm.order, about)).encode())
    for level in lm.backoff.levels:
        for array in (level.codes, level.log_prob, level.log_backoff):
            digest.update(np.ascontiguousarray(array).data)
    for page in pages:
        size = page.width, page.height, len(page.lines)
        digest.update(repr((page.source.name, page.page, *size, page.regions)).encode())
        for line in page.lines:
            digest.update(repr((line.box, line.pixels.shape)).encode())
            digest.update(np.packbits(line.strokes).tobytes())
    return digest.hexdigest()


def _json(path: Path) -> dict[str, Any] | None:
    try:
        return parse_json(path.read_text("utf-8"), infinite=True)
    except (OSError, ValueError, RecursionError):
        return None


def _sum_of(content: bytes, facts: dict[str, Any]) -> str:
    """A sum over a file of arrays and the facts beside it."""
    return hashlib.sha256(content + json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _sum_of_card(model: Path) -> str:
    """A sum over the card of a model folder, which holds those of its other files."""
    return hashlib.sha256((model / model_folder.CARD).read_bytes()).hexdigest()


def _arrays(reading: Reading | None, name: str) -> Arrays:
    return {} if reading is None else {f"{name}.{field}": getattr(reading, field) for field in _FIELDS}


def _reading(arrays: Arrays, name: str) -> Reading:
    return Reading(*(arrays[f"{name}.{field}"] for field in _FIELDS))
