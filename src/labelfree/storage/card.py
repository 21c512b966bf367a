"""`model.json`: what a model folder says of itself, every field checked when it is read."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from labelfree.errors import InputError
from labelfree.fitting.diagnosis import Diagnosis
from labelfree.limits import read_json
from labelfree.models.tile_cnn import LEAST_SIDE
from labelfree.progress import Record
from labelfree.verdict import FitVerdict

FORMAT = "labelfree model"
FORMAT_VERSION = 1
KINDS = ("table", "linear", "mlp", "cnn")

Number = (int, float)
_SCHEMA: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "format_version": (int,),
    "labelfree_version": (str,),
    "alphabet": (list,),
    "fold_case": (bool,),
    "order": (int,),
    "lm_order": (int,),
    "solver": (str,),
    "model": (str,),
    "inputs": (str,),
    "n_inputs": (int,),
    "n_features": (int,),
    "scale": (*Number, NoneType),
    "gamma": Number,
    "settings": (dict,),
    "kl": Number,
    "converged": (bool,),
    "diagnosis": (dict,),
    "n_iter": (int,),
    "restarts": (list,),
    "notes": (list,),
    "history": (list,),
    "files": (dict,),
}
_SETTINGS: dict[str, Any] = {
    "n_init": int,
    "max_iter": int | None,
    "l2": float | None,
    "n_groups": int | None,
    "refine": bool | int,
    "random_state": int | None,
}
_LONGEST_SYMBOL = 100  # characters
_SUM = "sha256"
# What is kept of a verdict, and what former versions kept.
_VERDICTS = (
    get_type_hints(FitVerdict) | {"converged": bool, "message": str},
    get_type_hints(Diagnosis),
)
_SCORES = ("kl", "diagnosis", "restarts", "history")


@dataclass(frozen=True)
class Card:
    """The fields of `model.json`.

    Attributes
    ----------
    alphabet : list of str
        The output symbols, in order.
    fold_case : bool
        Whether capitals in a text are read as small letters.
    order, lm_order : int
        N of the fit, and of the language model beside it.
    solver : str
    model : {"table", "linear", "mlp", "cnn"}
    inputs : {"symbols", "features"}
    n_inputs : int
        Distinct symbols, or features.
    n_features : int
        Columns of X.
    scale : float or None
        What centred features are multiplied by.
    gamma : float
        Sharpness of the classifier.
    settings : dict
        What the fit was asked for; `random_state` is null where it was no whole number.
    kl, converged, diagnosis, n_iter, restarts, notes, history
        How the fit went; see `SequenceClassifier`.
    files : dict
        Of each other file of the folder its size in bytes and its SHA-256.
    """

    alphabet: list[str]
    fold_case: bool
    order: int
    lm_order: int
    solver: str
    model: str
    inputs: str
    n_inputs: int
    n_features: int
    scale: float | None
    gamma: float
    settings: dict[str, Any]
    kl: float
    converged: bool
    diagnosis: dict[str, Any]
    n_iter: int
    restarts: list[float]
    notes: list[str]
    history: list[dict[str, Any]]
    files: dict[str, dict[str, Any]]
    labelfree_version: str
    format: str = FORMAT
    format_version: int = FORMAT_VERSION

    def to_json(self) -> str:
        """The file's text; an infinite score stands as a string, since JSON knows no such number."""
        return signed(_without_infinities(dataclasses.asdict(self)))


def signed(fields: Mapping[str, Any]) -> str:
    """The text of a card with these fields, and last of all a sum over it by which damage is seen.

    Examples
    --------
    >>> json.loads(signed({"kl": 0.5}))["sha256"][:8]
    '2448ac24'
    """
    text = json.dumps({**fields, _SUM: ""}, ensure_ascii=False, indent=1) + "\n"
    before, _, after = text.rpartition('""')
    return f'{before}"{_sum_of(text)}"{after}'


def read_card(path: Path) -> Card:
    """Read a `model.json` and check every field by itself."""
    text, fields = read_json(path, "copy the model folder again")
    if fields.get("format") != FORMAT:
        raise InputError(f'{path} holds no "format": "{FORMAT}"; name a folder that `labelfree fit` wrote')
    found = fields.get("format_version")
    if found != FORMAT_VERSION:
        is_newer = isinstance(found, int) and found > FORMAT_VERSION
        raise InputError(
            f"{path}: format_version is {found!r}, {FORMAT_VERSION} wanted; "
            f"load it with labelfree {fields.get('labelfree_version', 'of another version')}"
            f"{' (pip install --upgrade labelfree)' if is_newer else ''}, or fit it again"
        )
    if not _is_as_written(text, fields):
        raise InputError(f"{path} is damaged: it is not what its {_SUM} says; copy the model folder again")
    fields |= {key: _with_infinities(fields[key]) for key in _SCORES if key in fields}
    for key, types in _SCHEMA.items():
        if key not in fields:
            raise InputError(f"{path} holds no {key}; copy the model folder again")
        is_right = isinstance(fields[key], types) and (bool in types or not isinstance(fields[key], bool))
        if not is_right:
            wanted = " or ".join(one.__name__ for one in types)
            raise _wrong(path, key, fields[key], wanted)
    card = Card(**{key: fields[key] for key in _SCHEMA})
    _check_values(path, card)
    return card


def _is_as_written(text: str, fields: Mapping[str, Any]) -> bool:
    """Whether a card has the sum that it bears; cards of former versions bear none."""
    if _SUM not in fields:
        return set(fields) <= set(_SCHEMA)
    before, written, after = text.rpartition(f'"{fields[_SUM]}"')
    return bool(written) and _sum_of(f'{before}""{after}') == fields[_SUM]


def _sum_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _check_values(path: Path, card: Card) -> None:
    checks = [
        ("alphabet", card.alphabet and all(isinstance(s, str) and s for s in card.alphabet), "a list of symbols"),
        ("alphabet", len(set(map(str, card.alphabet))) == len(card.alphabet), "each symbol once"),
        ("model", card.model in KINDS, f"one of {', '.join(KINDS)}"),
        ("inputs", card.inputs in ("symbols", "features"), "symbols or features"),
        ("inputs", (card.inputs == "symbols") == (card.model == "table"), f"what a {card.model} reads"),
        ("n_inputs", card.n_inputs >= 1, "1 or more"),
        ("n_inputs", card.model != "cnn" or card.n_inputs >= LEAST_SIDE**2, f"{LEAST_SIDE**2} or more for pictures"),
        ("n_features", card.n_features == (1 if card.model == "table" else card.n_inputs), "what n_inputs says"),
        ("order", 1 <= card.order <= card.lm_order, f"1 to lm_order, {card.lm_order}"),
        ("gamma", math.isfinite(card.gamma) and card.gamma > 0, "a number above 0"),
        ("scale", (card.scale is None) == (card.model == "table"), f"what a {card.model} needs"),
        ("scale", card.scale is None or (math.isfinite(card.scale) and card.scale > 0), "a number above 0"),
        ("files", all(isinstance(one, dict) for one in card.files.values()), "a size and a sum for each"),
        ("files", all(Path(name).name == name and len(name) < 100 for name in card.files), "names without folders"),
        ("alphabet", all(len(str(symbol)) <= _LONGEST_SYMBOL for symbol in card.alphabet), "symbols, not texts"),
        ("settings", _are_settings(card.settings), "the settings of a SequenceClassifier"),
        ("restarts", all(isinstance(one, Number) for one in card.restarts), "a list of numbers"),
        ("diagnosis", any(_fits(card.diagnosis, kinds) for kinds in _VERDICTS), "the fields of a verdict"),
        ("history", all(_fits(one, get_type_hints(Record)) for one in card.history), "a list of looks at the scores"),
        ("notes", all(isinstance(one, str) for one in card.notes), "a list of sentences"),
    ]
    for key, is_right, wanted in checks:
        if not is_right:
            raise _wrong(path, key, getattr(card, key), wanted)


def _are_settings(found: dict[str, Any]) -> bool:
    return all(name in _SETTINGS and _is_of(value, _SETTINGS[name]) for name, value in found.items())


def _fits(found: object, kinds: dict[str, Any]) -> bool:
    """Whether JSON has all of these fields, each of a type that it may have."""
    return (
        isinstance(found, dict)
        and found.keys() == kinds.keys()
        and all(_is_of(found[name], kind) for name, kind in kinds.items())
    )


def as_record(found: Any) -> Record:
    """A look at the scores, as JSON has it."""
    if not _fits(found, get_type_hints(Record)):
        raise ValueError(f"{str(found)[:60]} found, a look at the scores wanted")
    return Record(**{**found, "scores": tuple(found["scores"])})


def _is_of(found: object, kind: Any) -> bool:
    """Whether a value of JSON may stand for one of a type: a number, text, a choice of types, or a row of one."""
    if get_origin(kind) is tuple:
        return isinstance(found, list) and all(_is_of(one, get_args(kind)[0]) for one in found)
    if get_args(kind):
        return any(_is_of(found, one) for one in get_args(kind))
    if kind is float:
        kind = Number
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return found in list(kind)
    return isinstance(found, kind) and (kind is bool or not isinstance(found, bool))


def _wrong(path: Path, key: str, found: object, wanted: str) -> InputError:
    shown = repr(found)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return InputError(f"{path}: {key} is {shown}, {wanted} wanted; copy the model folder again, or fit it again")


def _without_infinities(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _without_infinities(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_infinities(one) for one in value]
    return value


def _with_infinities(value: Any) -> Any:
    """Read infinite scores back."""
    if value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, dict):
        return {key: _with_infinities(one) for key, one in value.items()}
    return [_with_infinities(one) for one in value] if isinstance(value, list) else value
