"""`labelfree predict`: text from a model and data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelfree.cli.options import (
    DataArgument,
    Force,
    Json,
    ModelArgument,
    Scheduler,
    Threads,
    Workers,
    use_threads_or_workers,
)

if TYPE_CHECKING:
    from labelfree.estimator import SequenceClassifier
    from labelfree.storage.datafile import DataFile


def predict(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write; by default to stdout.")
    ] = None,
    decode: Annotated[bool, typer.Option("--decode", help="Let the language model read along.")] = False,
    threads: Threads = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Read sequences with a fitted model: text, one line a sequence.

    Example: labelfree predict model data.npz --decode -o text.txt
    """
    use_threads_or_workers(threads, workers, scheduler)
    from labelfree.files import output_at, write_aside

    if output is None:
        print(_read(model, data, decode=decode, json=json), end="")
        return
    with output_at(output, force=force):
        write_aside(output, _read(model, data, decode=decode, json=json).encode())


def _read(model: Path, data: Path, *, decode: bool, json: bool) -> str:
    """What there is to print or to write."""
    import json as encoder

    classifier, sequences = load_both(model, data)
    texts, confidence = read_texts(classifier, sequences, decode=decode)
    if not json:
        return "".join(f"{text}\n" for text in texts)
    lines = [{"text": text, "confidence": sure} for text, sure in zip(texts, confidence, strict=True)]
    return encoder.dumps({"sequences": lines, "converged": classifier.converged_}, ensure_ascii=False) + "\n"


def load_both(model: Path, data: Path) -> tuple[SequenceClassifier, DataFile]:
    """Load a model and data that fits it."""
    from labelfree.errors import InputError
    from labelfree.storage import load
    from labelfree.storage.datafile import read_data

    classifier = load(model)
    sequences = read_data(data)
    found, wanted = sequences.X.shape[1], classifier.n_features_in_
    if found != wanted:
        raise InputError(f"{data}: X has {found} columns, {wanted} wanted by {model}; give data as it was fitted to")
    if hasattr(classifier, "symbols_") and not sequences.is_symbols:
        raise InputError(f"{data}: X holds {sequences.X.dtype}, whole numbers wanted by {model}; give symbols")
    return classifier, sequences


def read_texts(classifier: SequenceClassifier, data: DataFile, *, decode: bool) -> tuple[list[str], list[float]]:
    """The text of each sequence, and the mean probability that the classifier alone gives what it would read."""
    from labelfree.workers import in_order

    texts: list[str] = []
    confidence: list[float] = []
    for some, sure in in_order(partial(_texts_of_part, classifier, decode), data.parts(), travels=True):
        texts += some
        confidence += sure
    return texts, confidence


def _texts_of_part(classifier: SequenceClassifier, decode: bool, part: DataFile) -> tuple[list[str], list[float]]:
    import numpy as np

    probability = classifier.predict_proba(part.X, lengths=part.lengths)
    labels = classifier.decode(part.X, lengths=part.lengths) if decode else probability.argmax(1)
    ends = np.cumsum(part.lengths)[:-1]
    texts = [classifier.lm.alphabet.decode(one) for one in np.split(labels, ends)]
    return texts, [float(one.mean()) for one in np.split(probability.max(1), ends)]
