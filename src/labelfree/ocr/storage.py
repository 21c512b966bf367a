"""A reader as a folder: a model folder and beside it how the book is cut, what makes features of tiles, and what reads
whole lines.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.lm.neural import NeuralLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.correct.rescoring import Rescorer
from labelfree.ocr.cutting import Segmenter
from labelfree.ocr.glyphs.features import DESCRIBED, TileFeatures
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.reader import Reader
from labelfree.ocr.scripts.symbols import LIGATURES
from labelfree.ocr.segment import BookStyle
from labelfree.ocr.segment.codebook import COLUMNS, ROWS, Codebook
from labelfree.ocr.segment.spaces import GapModel
from labelfree.storage import folder as model_folder

CARD, ARRAYS, LINES = "ocr.json", "ocr.safetensors", "lines.safetensors"
NEURAL, WORDS = "neural.safetensors", "words.json"
_VERSION = 3
_SHAPE_WIDTH = ROWS * COLUMNS + 3


def save_reader(reader: Reader, folder: Path, *, force: bool = False) -> None:
    """Write a reader as a folder.

    Parameters
    ----------
    reader : Reader
    folder : Path
        Where to; it must not be there.
    force : bool
        Replace a model folder that is there.
    """
    model_folder.save(reader.classifier, folder, force=force, more=_files(reader))


def load_reader(folder: Path) -> Reader:
    """Read a folder that `save_reader` wrote, checking every part against every other."""
    classifier = model_folder.load(folder)
    for name in (CARD, ARRAYS):
        if not (folder / name).is_file():
            raise InputError(f"{folder} holds no {name}, a model that reads print wanted; make one with ocr learn")
    card = _card(folder / CARD)
    arrays = _arrays(folder / ARRAYS)
    features = TileFeatures(card["features"], arrays["mean"], arrays["components"])
    n_described = DESCRIBED[features.kind]
    _check(folder / ARRAYS, "components", features.components, (classifier.n_features_in_, n_described))
    _check(folder / ARRAYS, "mean", features.mean, (n_described,))
    codebook = None
    if "shapes" in arrays:
        _check(folder / ARRAYS, "shapes", arrays["shapes"], (len(arrays["log_share"]), _SHAPE_WIDTH))
        codebook = Codebook(arrays["shapes"], arrays["log_share"], card["spread"])
    style = BookStyle(card["x_height"], GapModel(**card["gaps"]), codebook)
    language = BookLanguage(classifier.lm, card["language"], card["script"], _rescorer(folder, card, classifier))
    recogniser = _recogniser(folder, card, classifier)
    return Reader(
        classifier,
        features,
        language,
        style,
        segmenter=card["segmenter"],
        recogniser=recogniser,
        doubt_power=card["doubt_power"],
        shrinking=card["shrinking"],
    )


def _recogniser(folder: Path, card: dict[str, Any], classifier: SequenceClassifier) -> Recogniser | None:
    if card["recogniser"] is None:
        return None
    found = Recogniser.from_state(_load(folder / LINES), card["recogniser"])
    if found.n_symbols != len(classifier.lm.alphabet):
        raise InputError(
            f"{folder / LINES} knows {found.n_symbols} symbols, the {len(classifier.lm.alphabet)} of the language "
            "wanted; learn the model again"
        )
    return found


def _rescorer(folder: Path, card: dict[str, Any], classifier: SequenceClassifier) -> Rescorer | None:
    if card["neural"] is None:
        return None
    neural = NeuralLM.from_state(_load(folder / NEURAL), card["neural"])
    if neural.alphabet != classifier.lm.alphabet:
        raise InputError(f"{folder / NEURAL} has other symbols than the language; learn the model again")
    try:
        words = WordList(
            {str(word): int(count) for word, count in json.loads((folder / WORDS).read_text("utf-8")).items()}
        )
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{folder / WORDS} is no list of words ({error}); learn the model again") from None
    return Rescorer(neural, words)


def _files(reader: Reader) -> dict[str, bytes]:
    style = reader.style
    card = {
        "version": _VERSION,
        "features": reader.features.kind,
        "language": reader.language.code,
        "script": reader.language.script,
        "x_height": style.x_height,
        "gaps": dataclasses.asdict(style.gaps),
        "spread": None if style.codebook is None else float(style.codebook.spread),
        "segmenter": reader.segmenter,
        "doubt_power": reader.doubt_power,
        "shrinking": reader.shrinking,
        "recogniser": None,
        "neural": None,
    }
    arrays = {"mean": reader.features.mean, "components": np.ascontiguousarray(reader.features.components)}
    if style.codebook is not None:
        arrays |= {"shapes": style.codebook.shapes, "log_share": style.codebook.log_share}
    files = {ARRAYS: save_arrays(arrays)}
    if reader.recogniser is not None:
        tensors, card["recogniser"] = reader.recogniser.state()
        files[LINES] = _packed(tensors)
    rescorer = reader.language.rescorer
    if rescorer is not None:
        tensors, card["neural"] = rescorer.neural.state()
        files |= {NEURAL: _packed(tensors), WORDS: json.dumps(dict(rescorer.words.counts), ensure_ascii=False).encode()}
    return files | {CARD: json.dumps(card, indent=1).encode()}


def _packed(tensors: Mapping[str, NDArray[np.float32]]) -> bytes:
    return save_arrays({name: np.asarray(tensor, order="C") for name, tensor in tensors.items()})


def _card(path: Path) -> dict[str, Any]:
    wanted = {
        "features": str,
        "language": str,
        "script": str,
        "x_height": float,
        "gaps": dict,
        "doubt_power": float,
        "shrinking": int,
    }
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        GapModel(**{name: float(value) for name, value in card["gaps"].items()})
        is_whole = all(isinstance(card[name], kind) for name, kind in wanted.items()) and card["version"] == _VERSION
        is_whole &= card["segmenter"] in get_args(Segmenter) and isinstance(card["recogniser"], dict | None)
        is_whole &= isinstance(card["neural"], dict | None) and card["script"] in LIGATURES
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no card of a reader ({error}); learn the model again") from None
    in_range = is_whole and 0 < card["x_height"] < 1e4 and 0 < card["doubt_power"] <= 1 <= card["shrinking"] < 100
    if not in_range:
        raise InputError(f"{path} holds values of the wrong kind; learn the model again with this version")
    found: dict[str, Any] = card
    return found


def _arrays(path: Path) -> dict[str, NDArray[np.float32]]:
    arrays = _load(path)
    for name in ("mean", "components"):
        if name not in arrays:
            raise InputError(f"{path} holds no {name}; learn the model again")
    return arrays


def _load(path: Path) -> dict[str, NDArray[np.float32]]:
    try:
        arrays: dict[str, NDArray[np.float32]] = load_arrays(path.read_bytes())
    except (OSError, SafetensorError, ValueError) as error:
        raise InputError(f"{path} is damaged ({error}); learn the model again") from None
    if any(array.dtype != np.float32 or not np.isfinite(array).all() for array in arrays.values()):
        raise InputError(f"{path} holds numbers that are not finite float32; learn the model again")
    return arrays


def _check(path: Path, name: str, array: NDArray[np.float32], wanted: tuple[int, ...]) -> None:
    if array.shape != wanted:
        raise InputError(f"{path}: {name} has shape {array.shape}, {wanted} wanted; learn the model again")
