"""The border of the decoders: arrays and options checked before any arithmetic."""

import math
from numbers import Integral
from typing import SupportsFloat

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from labelfree.decode.transitions import LanguageModel, Transitions
from labelfree.errors import InputError

Scores = ArrayLike | torch.Tensor


def as_scores(values: Scores, name: str, n_labels: int | None = None) -> NDArray[np.float64]:
    """Return a float64 (T, C) array of logs: below +inf, no NaN, in each row one label possible."""
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().to(torch.float64).numpy()
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 2:
        raise InputError(f"{name} has shape {scores.shape}, wanted (positions, labels): stack one row a position")
    if n_labels is not None and scores.shape[1] != n_labels:
        raise InputError(
            f"{name} has {scores.shape[1]} columns, wanted {n_labels}, one for each symbol of the model's alphabet: "
            "score every symbol or use the model of these labels"
        )
    if scores.shape[1] == 0:
        raise InputError(f"{name} has 0 columns, wanted one a label: pass scores of at least one label")
    for wrong, what in ((np.isnan(scores), "NaN"), (scores == np.inf, "+inf")):
        if wrong.any():
            row, label = np.argwhere(wrong)[0]
            raise InputError(
                f"{name}[{row}, {label}] is {what}, wanted a finite log or -inf: look at what scored position {row}"
            )
    dead = np.flatnonzero(scores.max(axis=1) == -np.inf)
    if len(dead):
        raise InputError(
            f"{name}[{dead[0]}] is -inf for every label, wanted at least one possible label: "
            f"give position {dead[0]} a finite score, or equal scores if nothing is known of it"
        )
    return scores


def as_transitions(lm: LanguageModel, order: int | None, weight: SupportsFloat) -> Transitions:
    """Return the model at the order and weight asked for."""
    chosen = lm.order if order is None else order
    if not isinstance(chosen, Integral) or not 1 <= chosen <= lm.order:
        raise InputError(
            f"order is {chosen!r}, wanted 1 to {lm.order}, the model's own: lower it or build a longer model"
        )
    if not (math.isfinite(weight) and float(weight) >= 0):
        raise InputError(f"weight is {weight!r}, wanted a finite number of 0 or more: 1.0 is the model as it is")
    if len(lm.alphabet) ** max(int(chosen), 2) >= 2**62:
        raise InputError(
            f"order is {chosen} over {len(lm.alphabet)} labels, wanted fewer than 2**62 N-grams: lower the order"
        )
    return Transitions(lm, int(chosen), float(weight))


def as_beam(beam: int | None) -> int | None:
    """Return the beam, a whole number of states or None."""
    if beam is not None and (not isinstance(beam, Integral) or beam < 1):
        raise InputError(
            f"beam is {beam!r}, wanted a whole number of states of 1 or more: leave it out for the default"
        )
    return None if beam is None else int(beam)


def as_margin(margin: SupportsFloat | None) -> float | None:
    """Return the margin, 0 or more nats, infinity included, or None."""
    if margin is not None and not float(margin) >= 0:
        raise InputError(f"margin is {margin!r}, wanted 0 nats or more: leave it out for the default")
    return None if margin is None else float(margin)
