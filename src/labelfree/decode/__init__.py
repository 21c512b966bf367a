"""Labels read with the language model: the best path and the posteriors of a hidden Markov model of any order.

A sequence ``x_1 .. x_T`` labelled ``y_1 .. y_T`` scores

    sum_t log p(x_t | y_t)  +  weight * sum_t log p(y_t | y_{t-N+1} .. y_{t-1})

with shorter contexts at the start of a sequence: ``p(y_1)``, ``p(y_2 | y_1)`` and so on. `viterbi` finds the labels
that score best, `forward_backward` the share of all labellings, each with the exponential of its score, that name a
label at a position. Both are exact while the contexts of N - 1 labels are at most 4096. Beyond, labels and contexts far
behind the best of a position are passed over, and of the contexts left a beam is kept.
"""

import math
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.decode import dense, lattice
from labelfree.decode.checks import Scores, as_beam, as_margin, as_scores, as_transitions
from labelfree.decode.transitions import LanguageModel, Transitions
from labelfree.errors import InputError
from labelfree.lengths import as_lengths

__all__ = ["Posteriors", "forward_backward", "likelihoods_from_posteriors", "path_score", "viterbi"]

DEFAULT_BEAM = 64
DEFAULT_MARGIN = 9.0


@dataclass(frozen=True)
class Posteriors:
    """What `forward_backward` returns.

    Attributes
    ----------
    marginals : ndarray of shape (T, C)
        Probability of each label at each position, given the whole sequence; rows sum to 1.
    log_likelihood : ndarray of shape (n_sequences,)
        Log of the summed exponentials of the scores of all labellings of a sequence; 0 for an empty one.
    """

    marginals: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]


def viterbi(
    log_likelihoods: Scores,
    lm: LanguageModel,
    *,
    lengths: ArrayLike | None = None,
    order: int | None = None,
    weight: SupportsFloat = 1.0,
    beam: int | None = None,
    margin: SupportsFloat | None = None,
) -> NDArray[np.int64]:
    """Return the labels that score best together with the language model.

    Parameters
    ----------
    log_likelihoods : array or tensor of shape (T, C)
        Natural log of how well each label explains each position, up to a constant a position; -inf forbids a label.
    lm : NGramLM
        The model of the labels; its alphabet has C symbols.
    lengths : sequence of int, optional
        Where the stacked sequences end; all positions are one sequence if left out.
    order : int, optional
        Order at which the model is used, by default its own.
    weight : float, default 1.0
        Factor on the model's log probabilities.
    beam : int, optional
        Contexts kept at each position. By default all of them while they are at most 4096, else 64.
    margin : float, optional
        How many nats behind the best of its position a label or a context is passed over: a label by its
        log-likelihood and its share in the model, a context by all that leads to it. By default 9 where the beam does
        not hold all contexts, else infinite, which passes over none.

    Returns
    -------
    ndarray of int, shape (T,)
        Index of the best label at each position; `path_score` gives its score.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_text("abababab" * 9, order=2)
    >>> sure, unsure = [0.0, -9.0], [0.0, 0.0]
    >>> viterbi(np.array([sure, unsure, unsure]), lm).tolist()
    [0, 1, 0]
    """
    scores, ends, transitions, width, reach = _prepared(log_likelihoods, lm, lengths, order, weight, beam, margin)
    if width is None:
        return dense.viterbi(scores, ends, transitions)
    return lattice.viterbi(scores, ends, transitions, width, reach)


def forward_backward(
    log_likelihoods: Scores,
    lm: LanguageModel,
    *,
    lengths: ArrayLike | None = None,
    order: int | None = None,
    weight: SupportsFloat = 1.0,
    beam: int | None = None,
    margin: SupportsFloat | None = None,
) -> Posteriors:
    """Return the posterior probability of each label at each position, and the log-likelihood of each sequence.

    Parameters
    ----------
    log_likelihoods, lm, lengths, order, weight, beam, margin
        As for `viterbi`.

    Returns
    -------
    Posteriors
        ``marginals`` (T, C) and ``log_likelihood`` (n_sequences,).

    Examples
    --------
    >>> import numpy as np
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_text("abababab" * 9, order=2)
    >>> found = forward_backward(np.array([[0.0, -9.0], [0.0, 0.0]]), lm)
    >>> bool(found.marginals[1, 1] > 0.9)
    True
    """
    scores, ends, transitions, width, reach = _prepared(log_likelihoods, lm, lengths, order, weight, beam, margin)
    if width is None and not dense.fits_probabilities(transitions):
        width = transitions.n_states  # all states, in logs: slower and as exact
    if width is None:
        marginals, log_likelihood = dense.forward_backward(scores, ends, transitions)
    else:
        marginals, log_likelihood = lattice.forward_backward(scores, ends, transitions, width, reach)
    return Posteriors(marginals, log_likelihood)


def path_score(
    labels: ArrayLike,
    log_likelihoods: Scores,
    lm: LanguageModel,
    *,
    lengths: ArrayLike | None = None,
    order: int | None = None,
    weight: SupportsFloat = 1.0,
) -> NDArray[np.float64]:
    """Return the score of each sequence under the labels given: what `viterbi` makes as large as it can.

    Parameters
    ----------
    labels : array of int, shape (T,)
        A label for each position.
    log_likelihoods, lm, lengths, order, weight
        As for `viterbi`.

    Returns
    -------
    ndarray of shape (n_sequences,)
        The scores; 0 for an empty sequence.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_text("abababab" * 9, order=2)
    >>> flat = np.zeros((3, 2))
    >>> best = viterbi(flat, lm)
    >>> bool(path_score(best, flat, lm)[0] > path_score([1, 1, 1], flat, lm)[0])
    True
    """
    scores, ends, transitions, *_ = _prepared(log_likelihoods, lm, lengths, order, weight, None, None)
    path = np.asarray(labels)
    if path.shape != (len(scores),) or (path.size and path.dtype.kind not in "iu"):
        raise InputError(
            f"labels is a {path.dtype} array of shape {path.shape}, wanted integers of shape ({len(scores)},): "
            "pass one label a position"
        )
    if path.size and not (path.min() >= 0 and path.max() < transitions.n_labels):
        raise InputError(
            f"labels run from {path.min()} to {path.max()}, wanted 0 to {transitions.n_labels - 1}: "
            "pass indices into the model's alphabet"
        )
    path = path.astype(np.int64)
    n_before = np.arange(len(path)) - np.repeat(np.cumsum(ends) - ends, ends)
    given = np.empty(len(path))
    n_before = np.minimum(n_before, transitions.order - 1)
    for length in range(transitions.order):
        at = np.flatnonzero(n_before == length)
        contexts = np.zeros(len(at), dtype=np.int64)
        for back in range(length, 0, -1):
            contexts = contexts * transitions.n_labels + path[at - back]
        given[at] = transitions.pairs(contexts, path[at], length)
    total = scores[np.arange(len(path)), path] + given
    return np.bincount(np.repeat(np.arange(len(ends)), ends), total, len(ends)).astype(np.float64)


def likelihoods_from_posteriors(log_posteriors: Scores, log_prior: ArrayLike) -> NDArray[np.float64]:
    """Return scaled log-likelihoods, ``p(x | y)`` proportional to ``p(y | x) / p(y)``, from a classifier's output.

    Parameters
    ----------
    log_posteriors : array or tensor of shape (T, C)
        Natural log of the classifier's probability of each label at each position.
    log_prior : array of shape (C,)
        Natural log of the share of each label the classifier was trained on.

    Returns
    -------
    ndarray of shape (T, C)
        What `viterbi` and `forward_backward` take, up to a constant a position.

    Examples
    --------
    >>> import numpy as np
    >>> likelihoods_from_posteriors(np.log([[0.5, 0.5]]), np.log([0.8, 0.2])).round(3).tolist()
    [[-0.47, 0.916]]
    """
    posteriors = as_scores(log_posteriors, "log_posteriors")
    prior = np.asarray(log_prior, dtype=np.float64)
    if prior.shape != posteriors.shape[1:]:
        raise InputError(f"log_prior has shape {prior.shape}, wanted {posteriors.shape[1:]}: pass one log a label")
    if not np.isfinite(prior).all():
        label = int(np.flatnonzero(~np.isfinite(prior))[0])
        raise InputError(f"log_prior[{label}] is {prior[label]}, wanted a finite log: smooth the prior so none is 0")
    return posteriors - prior


def _prepared(
    log_likelihoods: Scores,
    lm: LanguageModel,
    lengths: ArrayLike | None,
    order: int | None,
    weight: SupportsFloat,
    beam: int | None,
    margin: SupportsFloat | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64], Transitions, int | None, float]:
    """Return checked scores, lengths and transitions, the beam, None where all states are kept, and the margin."""
    scores = as_scores(log_likelihoods, "log_likelihoods", len(lm.alphabet))
    ends = as_lengths(lengths, len(scores))
    transitions = as_transitions(lm, order, weight)
    width, reach = as_beam(beam), as_margin(margin)
    if width is None and transitions.n_states > dense.MAX_STATES:
        width = DEFAULT_BEAM
    whole = width is None or width >= transitions.n_states
    if reach is None:
        reach = math.inf if whole else DEFAULT_MARGIN
    if whole and math.isinf(reach) and transitions.n_states <= dense.MAX_STATES:
        width = None
    elif width is None:
        width = transitions.n_states
    return scores, ends, transitions, width, reach
