"""Model folders: `model.safetensors`, `model.json` and `lm.arpa.gz`, written aside and renamed, checked when read."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from labelfree._version import __version__
from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.files import check_free, folder_aside, recover, write_aside
from labelfree.limits import check, read_bounded
from labelfree.lm import NGramLM
from labelfree.models import KINDS, Classifier, Table, make_model
from labelfree.storage.card import Card, as_record, read_card
from labelfree.verdict import FitVerdict

if TYPE_CHECKING:
    from labelfree.estimator import SequenceClassifier

WEIGHTS, CARD, LANGUAGE = "model.safetensors", "model.json", "lm.arpa.gz"
_SETTINGS = ("n_init", "max_iter", "l2", "n_groups", "refine", "random_state")


def save(
    classifier: SequenceClassifier,
    folder: str | Path,
    *,
    force: bool = False,
    more: Mapping[str, bytes] | None = None,
) -> None:
    """Write a fitted classifier as a folder.

    Parameters
    ----------
    classifier : SequenceClassifier
        After `fit`.
    folder : str or pathlib.Path
        Where to; it must not be there.
    force : bool
        Replace a model folder that is there, once the new one is whole.
    more : mapping, optional
        Names and contents of files that go with it.

    Examples
    --------
    >>> import tempfile
    >>> from labelfree import Alphabet, NGramLM, SequenceClassifier
    >>> lm = NGramLM.from_text("aab" * 30, Alphabet("ab"), order=2)
    >>> reader = SequenceClassifier(lm, random_state=0).fit([[7], [7], [5]] * 30)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(reader, Path(folder) / "model")
    ...     again = load(Path(folder) / "model")
    >>> again.predict([[7], [5]])
    array([0, 1])
    """
    path = Path(folder)
    from labelfree.estimator import SequenceClassifier

    if not isinstance(classifier, SequenceClassifier):
        what = f"a {type(classifier).__name__}"
        step = (
            "; save its last step, pipeline[-1], and make the other steps again" if hasattr(classifier, "steps") else ""
        )
        raise InputError(f"{what} given to save as {path}, a SequenceClassifier wanted{step or '; give one after fit'}")
    if not hasattr(classifier, "classifier_"):
        raise InputError(f"the classifier for {path} is not fitted; call fit first")
    check_free(path, force=force, may_replace=is_model_folder)
    with folder_aside(path, may_replace=is_model_folder) as aside:
        write_aside(aside / WEIGHTS, save_tensors(_tensors(classifier)))
        classifier.lm.write_arpa(aside / LANGUAGE)
        for name, content in (more or {}).items():
            write_aside(aside / name, content)
        sums = {name: _size_and_sum(aside / name) for name in (WEIGHTS, LANGUAGE, *(more or {}))}
        write_aside(aside / CARD, _card(classifier, sums).to_json().encode())


def load(folder: str | Path, *, parts: Collection[str] = ()) -> SequenceClassifier:
    """Read a model folder, checking every field of it against every other.

    Parameters
    ----------
    folder : str or pathlib.Path
    parts : collection of str, optional
        Names of files that must be among those it was written with.

    Returns
    -------
    SequenceClassifier
        Fitted, with the very same weights. See `save` for an example.
    """
    path = Path(folder)
    card = load_card(path, parts=parts)
    lm = _language(path / LANGUAGE, card)
    tensors = _checked_tensors(path / WEIGHTS, card)
    return _classifier(card, lm, tensors)


def load_card(folder: Path, *, parts: Collection[str] = ()) -> Card:
    """Read what a model folder says of itself, and check that the files in it are those it was written with."""
    recover(folder)
    if not folder.is_dir():
        found = "is a file" if folder.exists() else "is not there"
        raise InputError(f"{folder} {found}, a model folder wanted; name one that `labelfree fit` wrote")
    for name in (CARD, WEIGHTS, LANGUAGE):
        if not (folder / name).is_file():
            raise InputError(f"{folder} holds no {name}, which a model folder needs; copy the folder again")
    card = read_card(folder / CARD)
    for name in parts:
        if name not in card.files:
            raise InputError(f"{folder} holds no {name}, a model that reads print wanted; make one with ocr learn")
    for name in dict.fromkeys((WEIGHTS, LANGUAGE, *card.files)):
        if not (folder / name).is_file():
            raise InputError(f"{folder} holds no {name}, which {CARD} lists; copy the folder again")
        sums, wanted = _size_and_sum(folder / name), card.files.get(name, {})
        for key, unit in (("bytes", "bytes"), ("sha256", "as its SHA-256")):
            if sums[key] != wanted.get(key):
                raise InputError(
                    f"{folder / name} has {sums[key]} {unit}, {wanted.get(key)} wanted by {CARD}: "
                    "it was cut short, or belongs to another model; copy the folder again"
                )
    return card


def is_model_folder(path: Path) -> bool:
    """Whether a folder was written by `save`, and so may be replaced by it; or is empty."""
    if not path.is_dir() or path.is_symlink():
        return False
    names = {found.name for found in path.iterdir()}
    if not names or CARD not in names:
        return not names
    try:
        listed = read_card(path / CARD).files
    except InputError:  # a damaged card, or one of another version: what it owns is not known
        return names <= {CARD, WEIGHTS, LANGUAGE}
    return names <= {CARD, WEIGHTS, LANGUAGE, *listed}


def _tensors(classifier: SequenceClassifier) -> dict[str, Tensor]:
    """All numbers that a prediction depends on."""
    model: Classifier = classifier.classifier_
    tensors = {f"weights.{name}": value.data.contiguous() for name, value in model.named_parameters()}
    tensors["prior"] = torch.from_numpy(classifier.prior_)
    if isinstance(model, Table):
        tensors["symbols"] = torch.from_numpy(classifier.symbols_.astype(np.int64))
        tensors["unseen"] = torch.from_numpy(classifier.unseen_)
    else:
        tensors["center"] = torch.from_numpy(classifier.center_)
    return tensors


def _card(classifier: SequenceClassifier, sums: dict[str, dict[str, Any]]) -> Card:
    model: Classifier = classifier.classifier_
    kind = next(kind for kind, known in KINDS.items() if type(model) is known)
    settings = {name: getattr(classifier, name) for name in _SETTINGS}
    if not isinstance(settings["random_state"], (int, np.integer)):
        settings["random_state"] = None
    return Card(
        alphabet=list(classifier.lm.alphabet),
        fold_case=classifier.lm.alphabet.fold_case,
        order=int(classifier.order),
        lm_order=classifier.lm.order,
        solver=classifier.solver,
        model=kind,
        inputs="symbols" if kind == "table" else "features",
        n_inputs=len(classifier.symbols_) if kind == "table" else int(classifier.n_features_in_),
        n_features=int(classifier.n_features_in_),
        scale=None if kind == "table" else float(classifier.scale_),
        gamma=float(model.gamma),
        settings={name: value.item() if isinstance(value, np.generic) else value for name, value in settings.items()},
        kl=float(classifier.kl_),
        converged=bool(classifier.converged_),
        diagnosis=classifier.diagnosis_.as_dict(),
        n_iter=int(classifier.n_iter_),
        restarts=[float(score) for score in classifier.restarts_],
        notes=list(classifier.notes_),
        history=[dataclasses.asdict(record) for record in classifier.history_],
        files=sums,
        labelfree_version=__version__,
    )


def _language(path: Path, card: Card) -> NGramLM:
    lm = NGramLM.read_arpa(path, fold_case=card.fold_case)
    if lm.alphabet != Alphabet(card.alphabet, fold_case=card.fold_case):
        raise InputError(
            f"{path} is over the {len(lm.alphabet)} symbols {''.join(lm.alphabet)[:40]!r}, the {len(card.alphabet)} "
            f"symbols {''.join(card.alphabet)[:40]!r} of {CARD} wanted; copy the folder again"
        )
    if lm.order != card.lm_order:
        raise InputError(
            f"{path} is of order {lm.order}, {card.lm_order} wanted, lm_order in {CARD}; copy the folder again"
        )
    return lm


def _checked_tensors(path: Path, card: Card) -> dict[str, Tensor]:
    """The tensors of the file: those that the card calls for, of its shapes, finite, and no other."""
    try:
        tensors = load_tensors(read_bounded(path, "model"))
    except (SafetensorError, ValueError, KeyError, TypeError) as error:  # the last two for types torch does not know
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is no whole safetensors file ({error}); copy the folder again") from None
    wanted = _wanted(card)
    if tensors.keys() != wanted.keys():
        key = min(tensors.keys() ^ wanted.keys())
        found = "is there, but not wanted" if key in tensors else "is not there, but wanted"
        raise InputError(f"{path}: {key} {found} for a {card.model}, as {CARD} says; copy the folder again")
    for key, (shape, dtype) in wanted.items():
        tensor = tensors[key]
        if tuple(tensor.shape) != shape or tensor.dtype != dtype:
            raise InputError(
                f"{path}: {key} is {tensor.dtype} of shape {tuple(tensor.shape)}, {dtype} of shape {shape} wanted, "
                f"as {CARD} says; copy the folder again"
            )
        if not bool(torch.isfinite(tensor).all()):
            bad = int((~torch.isfinite(tensor)).sum())
            raise InputError(f"{path}: {key} holds {bad} values that are not finite, none wanted; fit it again")
    if "symbols" in tensors and bool((tensors["symbols"].diff() <= 0).any()):
        raise InputError(f"{path}: symbols do not rise, sorted symbols wanted; fit it again")
    for key in ("prior", "unseen"):
        if key in tensors and (float(tensors[key].min()) < 0 or abs(float(tensors[key].sum()) - 1) > 1e-3):
            raise InputError(f"{path}: {key} sums to {float(tensors[key].sum()):.4g}, 1 wanted; fit it again")
    return tensors


def _wanted(card: Card) -> dict[str, tuple[tuple[int, ...], torch.dtype]]:
    """Shape and type of every tensor, from the card alone."""
    n_inputs, n_classes = card.n_inputs, len(card.alphabet)
    doubles = {"prior": (n_classes,)} | (
        {"unseen": (n_classes,)} if card.model == "table" else {"center": (card.n_features,)}
    )
    if (least := 4 * n_inputs * n_classes ** (card.model in ("table", "linear"))) > card.files[WEIGHTS]["bytes"]:
        raise InputError(
            f"{WEIGHTS} has {card.files[WEIGHTS]['bytes']:,} bytes, at least {least:,} wanted for the {n_inputs:,} "
            f"inputs that {CARD} promises; copy the folder again"
        )
    with torch.device("meta"):  # shapes alone
        model = make_model(card.model, 1, n_inputs, n_classes)  # type: ignore[arg-type]
    wanted = {f"weights.{name}": (tuple(value.shape), torch.float32) for name, value in model.named_parameters()}
    if card.model == "table":
        wanted["symbols"] = ((n_inputs,), torch.int64)
    return wanted | {name: (shape, torch.float64) for name, shape in doubles.items()}


def _classifier(card: Card, lm: NGramLM, tensors: dict[str, Tensor]) -> SequenceClassifier:
    """Put the parts together, as `fit` leaves them."""
    from labelfree.estimator import SequenceClassifier

    asked: dict[str, Any] = {name: card.settings.get(name) for name in _SETTINGS if name in card.settings}
    found = SequenceClassifier(lm, card.solver, card.order, model=card.model, **asked)
    model = make_model(card.model, 1, card.n_inputs, len(card.alphabet))  # type: ignore[arg-type]
    model.gamma = card.gamma
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[f"weights.{name}"])
    found.classifier_ = model
    found.n_features_in_ = card.n_features
    found.classes_ = np.arange(len(card.alphabet))
    found.prior_ = tensors["prior"].numpy()
    if card.model == "table":
        found.symbols_, found.unseen_ = tensors["symbols"].numpy(), tensors["unseen"].numpy()
    else:
        found.center_, found.scale_ = tensors["center"].numpy(), float(card.scale or 1.0)
    found.kl_, found.converged_, found.n_iter_ = card.kl, card.converged, card.n_iter
    found.restarts_, found.notes_ = np.array(card.restarts), tuple(card.notes)
    found.diagnosis_ = FitVerdict.from_dict(card.diagnosis)
    found.history_ = [as_record(record) for record in card.history]
    return found


def _size_and_sum(path: Path) -> dict[str, Any]:
    digest = hashlib.sha256()
    size = 0
    try:
        check(f"{path} has", path.stat().st_size, "model")
        with path.open("rb") as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
                size += len(piece)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the file") from None
    return {"bytes": size, "sha256": digest.hexdigest()}
