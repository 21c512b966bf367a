"""A reader as a folder: a model folder, and beside the classifier how the book is cut and what reads whole lines."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.limits import read_bounded, read_json
from labelfree.lm.neural import NeuralLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import TypeModel
from labelfree.ocr.glyphs.features import DESCRIBED, TileFeatures
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.pipeline import Settings
from labelfree.ocr.scripts import SCRIPTS
from labelfree.ocr.segment import BookStyle
from labelfree.ocr.segment.codebook import COLUMNS, ROWS, Codebook
from labelfree.ocr.segment.spaces import GapModel
from labelfree.storage import folder as model_folder
from labelfree.verdict import ReadingVerdict

if TYPE_CHECKING:
    from labelfree.ocr.reader import Reader

CARD, ARRAYS, LINES = "ocr.json", "ocr.safetensors", "lines.safetensors"
NEURAL, WORDS = "neural.safetensors", "words.json"
_VERSION = 5
_FARTHEST = 100  # times its usual value that a setting of a folder may have
_SHAPE_WIDTH = ROWS * COLUMNS + 3

Arrays = dict[str, NDArray[np.float32]]


def save_parts(reader: Reader, folder: Path, *, force: bool) -> None:
    """Write a reader as a folder."""
    arrays, type_facts = _type_state(reader.type)
    card: dict[str, Any] = {
        "version": _VERSION,
        "language": reader.language.code,
        "script": reader.language.script.name,
        "type": type_facts,
        "doubt_power": reader.doubt_power,
        "has_shape_prior": reader.has_shape_prior,
        "transcribed": {key: labels.tolist() for key, labels in reader.transcribed.items()},
        "settings": dataclasses.asdict(reader.settings),
        "recogniser": None,
        "neural": None,
        "verdict": None if reader.verdict is None else reader.verdict.as_dict(),
    }
    files = {ARRAYS: packed(arrays)}
    if reader.recogniser is not None:
        tensors, card["recogniser"] = reader.recogniser.state()
        files[LINES] = packed(tensors)
    neural, words = reader.language.neural, reader.language.words
    if neural is not None and words is not None:
        tensors, card["neural"] = neural.state()
        files |= {NEURAL: packed(tensors), WORDS: json.dumps(dict(words.counts), ensure_ascii=False).encode()}
    files[CARD] = json.dumps(card, indent=1).encode()
    model_folder.save(reader.classifier, folder, force=force, more=files)


def load_parts(folder: Path) -> dict[str, Any]:
    """Read what a reader is made of from a folder, checking every part against every other."""
    classifier = model_folder.load(folder, parts=(CARD, ARRAYS))
    card = _card(folder / CARD)
    arrays = _load_tensors(folder / ARRAYS)
    settings: Settings = card["settings"]
    type_model = _type_from_state(arrays, card["type"], settings, folder / ARRAYS)
    wanted = (classifier.n_features_in_, DESCRIBED[type_model.features.kind])
    _check_shape(folder / ARRAYS, "components", type_model.features.components, wanted)
    words, neural = _neural(folder, card, classifier)
    transcribed = {key: np.array(labels, np.int64) for key, labels in card["transcribed"].items()}
    return {
        "classifier": classifier,
        "type": type_model,
        "language": BookLanguage(classifier.lm, card["language"], SCRIPTS[card["script"]], words, neural),
        "recogniser": _recogniser(folder, card, classifier),
        "doubt_power": card["doubt_power"],
        "has_shape_prior": card["has_shape_prior"],
        "transcribed": MappingProxyType(transcribed),
        "settings": settings,
        "verdict": card["verdict"],
    }


def _type_state(type_model: TypeModel) -> tuple[Arrays, dict[str, Any]]:
    """What was measured of a type, as arrays and as what JSON has; all that `_type_from_state` needs."""
    style, features = type_model.style, type_model.features
    arrays = {"mean": features.mean, "components": np.ascontiguousarray(features.components)}
    if style.codebook is not None:
        arrays |= {"shapes": style.codebook.shapes, "log_share": style.codebook.log_share}
    facts = {
        "features": features.kind,
        "x_height": style.x_height,
        "gaps": dataclasses.asdict(style.gaps),
        "spread": None if style.codebook is None else float(style.codebook.spread),
        "tall": type_model.tall,
        "shrinking": type_model.shrinking,
    }
    return arrays, facts


def _type_from_state(arrays: Arrays, facts: Mapping[str, Any], settings: Settings, path: Path) -> TypeModel:
    """Put together what `_type_state` gave; `path` names it in messages."""
    try:
        is_whole = isinstance(facts["shrinking"], int) and 1 <= facts["shrinking"] < 100
        is_whole &= 0 < facts["x_height"] < 1e4 and 0 < facts["tall"] < 1e3 and facts["features"] in DESCRIBED
        is_whole &= facts.get("segmenter", "builtin") == "builtin"  # older folders say what cut lines
        gaps = GapModel(**{name: float(value) for name, value in facts["gaps"].items()})
        features = TileFeatures(facts["features"], arrays["mean"], arrays["components"], settings.glyphs)
        codebook = None
        if "shapes" in arrays:
            _check_shape(path, "shapes", arrays["shapes"], (len(arrays["log_share"]), _SHAPE_WIDTH))
            codebook = Codebook(arrays["shapes"], arrays["log_share"], float(facts["spread"]), settings.segment)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} does not hold what was measured of a type ({error}); learn the model again") from None
    if not is_whole:
        raise InputError(f"{path} holds values of the wrong kind; learn the model again with this version")
    _check_shape(path, "mean", features.mean, (DESCRIBED[features.kind],))
    style = BookStyle(float(facts["x_height"]), gaps, codebook, settings.segment)
    return TypeModel(style, float(facts["tall"]), facts["shrinking"], features)


def packed(tensors: Mapping[str, NDArray[Any]]) -> bytes:
    """Arrays as a file of safetensors."""
    return save_arrays({name: np.asarray(tensor, order="C") for name, tensor in tensors.items()})


def _load_tensors(path: Path) -> Arrays:
    """Finite numbers of a file of safetensors."""
    try:
        arrays: Arrays = load_arrays(read_bounded(path, "model"))
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is damaged ({error}); learn the model again") from None
    if any(array.dtype != np.float32 or not np.isfinite(array).all() for array in arrays.values()):
        raise InputError(f"{path} holds numbers that are not finite float32; learn the model again")
    return arrays


def _check_shape(path: Path, name: str, array: NDArray[Any], wanted: tuple[int, ...]) -> None:
    if array.shape != wanted:
        raise InputError(f"{path}: {name} has shape {array.shape}, {wanted} wanted; learn the model again")


def _recogniser(folder: Path, card: dict[str, Any], classifier: SequenceClassifier) -> Recogniser | None:
    if card["recogniser"] is None:
        return None
    found = Recogniser.from_state(_load_tensors(folder / LINES), card["recogniser"])
    if found.n_symbols != len(classifier.lm.alphabet):
        raise InputError(
            f"{folder / LINES} knows {found.n_symbols} symbols, the {len(classifier.lm.alphabet)} of the language "
            "wanted; learn the model again"
        )
    return found


def _neural(
    folder: Path, card: dict[str, Any], classifier: SequenceClassifier
) -> tuple[WordList | None, NeuralLM | None]:
    if card["neural"] is None:
        return None, None
    neural = NeuralLM.from_state(_load_tensors(folder / NEURAL), card["neural"])
    if neural.alphabet != classifier.lm.alphabet:
        raise InputError(f"{folder / NEURAL} has other symbols than the language; learn the model again")
    try:
        _, counts = read_json(folder / WORDS, "learn the model again")
        words = WordList({word: int(count) for word, count in counts.items()})
    except (ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{folder / WORDS} is no list of words ({error}); learn the model again") from None
    return words, neural


def _like(usual: Any, found: Any) -> Any:
    """What JSON has of a value, in the type of a usual one: settings, numbers, names, or several of them.

    Settings that an older folder does not have are the usual ones.
    """
    if dataclasses.is_dataclass(usual) and not isinstance(usual, type):
        names = {field.name for field in dataclasses.fields(usual)}
        if not set(found) <= names:
            raise ValueError(f"settings {min(set(found) - names)!r} is not known")
        return type(usual)(**{name: _like(getattr(usual, name), value) for name, value in found.items()})
    if isinstance(usual, tuple):
        return tuple(_like(usual[0], each) for each in found)
    kind = (int, float) if isinstance(usual, float) else type(usual)
    if not isinstance(found, kind) or isinstance(found, bool) != isinstance(usual, bool):
        raise TypeError(f"{found!r} found where {usual!r} is usual")
    if not isinstance(usual, str) and abs(found) > _FARTHEST * max(abs(usual), 1):
        raise ValueError(f"{found!r} found where {usual!r} is usual, at most {_FARTHEST} times as much wanted")
    return type(usual)(found)


def _card(path: Path) -> dict[str, Any]:
    wanted = {
        "language": str,
        "script": str,
        "type": dict,
        "doubt_power": float,
        "has_shape_prior": bool,
        "transcribed": dict,
    }
    try:
        _, card = read_json(path, "learn the model again")
        if card["version"] != _VERSION:
            newer = isinstance(card["version"], int) and card["version"] > _VERSION
            advice = "pip install --upgrade labelfree" if newer else "learn the model again"
            raise InputError(f"{path} is of version {card['version']!r}, {_VERSION} wanted; {advice}")
        card["settings"].pop("segmenter", None)  # older folders have it, and a number of the other way to cut lines
        card["settings"]["segment"].pop("fills", None)
        card["settings"] = _like(Settings(), card["settings"])
        is_whole = all(isinstance(card[name], kind) for name, kind in wanted.items()) and card["script"] in SCRIPTS
        is_whole &= isinstance(card["recogniser"], dict | None) and isinstance(card["neural"], dict | None)
        is_whole &= all(
            isinstance(key, str) and all(isinstance(label, int) and label >= 0 for label in labels)
            for key, labels in card["transcribed"].items()
        )
        is_whole = is_whole and 0 < card["doubt_power"] <= 1
        verdict = card.get("verdict")  # older folders have none
        card["verdict"] = None if verdict is None else ReadingVerdict.from_dict(verdict)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is no card of a reader ({error}); learn the model again") from None
    if not is_whole:
        raise InputError(f"{path} holds values of the wrong kind; learn the model again with this version")
    found: dict[str, Any] = card
    return found
