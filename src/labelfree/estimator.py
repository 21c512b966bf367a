"""`SequenceClassifier`: the scikit-learn face over problem, solvers, refinement and decoding."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from labelfree.decode import forward_backward, likelihoods_from_posteriors, viterbi
from labelfree.errors import InputError
from labelfree.fitting import Auto
from labelfree.fitting.harden import HIGHEST_ORDER
from labelfree.fitting.refine import retrain
from labelfree.lengths import as_lengths
from labelfree.lm import NGramLM
from labelfree.models import KINDS, ModelKind, feature_scale, tile_side
from labelfree.notebook import bars, card
from labelfree.progress import History, Printer, observed_by
from labelfree.scale.rows import Inputs, Rows, ScaledRows, blocks, scaled
from labelfree.solvers import EM, SGD, SPDG, FullBatch, Likelihood, Majority, Problem
from labelfree.solvers.symbol_counts import SymbolCounts
from labelfree.verdict import judge_fit

SOLVERS: Mapping[str, Any] = {
    "auto": Auto,
    "spdg": SPDG,
    "full_batch": FullBatch,
    "sgd": SGD,
    "likelihood": Likelihood,
    "em": EM,
    "majority": Majority,
}
_WITHOUT_LABELS = ("em", "majority")
_LEAST_LOG_POSTERIOR = -15.0
_SHOWN = 20  # starts in a notebook


def _counts_symbols(classifier: SequenceClassifier) -> bool:
    """Whether `partial_fit` is there: only counts of symbols add up."""
    if classifier.model != "table" or classifier.solver == "em":
        raise AttributeError(
            f"partial_fit adds up counts of symbols; found model={classifier.model!r}, solver={classifier.solver!r}: "
            "set model='table' and another solver than 'em', or fit all sequences at once"
        )
    return True


class SequenceClassifier(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns to label sequences from a language model of the labels, without a single label.

    Parameters
    ----------
    lm : NGramLM
        The language of the output.
    solver : {"auto", "spdg", "full_batch", "sgd", "likelihood", "em", "majority"}
        ``"auto"`` compresses, searches from many starts, settles on the real classifier and refines it; it needs no
        tuning. The others are single methods, for research: the gradient methods among them go down
        `labelfree.solvers.method.LADDER` on features, and `labelfree.solvers.SPDG` and its like have all the settings.
    order : int
        N, the length of the N-grams to match; at most that of the language model.
    model : {"auto", "table", "linear", "mlp", "cnn"}
        ``"auto"`` is a table for one column of integers (the symbols of a cipher) and linear for features. ``"mlp"`` is
        a network with one hidden layer; ``"cnn"`` reads rows that begin with a square picture, row by row, and may go
        on with other measures, fewer than would make a larger square.
    n_init : int
        Random starts.
    max_iter : int, optional
        Steps of a single method in all; by default those of its ladder, or 1,000. ``"auto"`` plans its own, and refuses
        a number.
    l2 : float, optional
        Penalty on the classifier's squared weights; ``"auto"`` chooses it on held-out sequences, the ladder begins at
        0.003.
    n_groups : int, optional
        Groups of inputs that ``"auto"`` searches over.
    refine : bool or int
        Whether ``"auto"`` decodes and retrains in the end, or how many rounds it may take at most. Without, a network
        is trained on the cost alone.
    random_state : int, RandomState or None
        Same seed, same bits.
    verbose : int
        1 prints a line at every look at the score.

    Attributes
    ----------
    classes_ : array of shape (C,)
        0 to C - 1, the numbers of the language's symbols; ``lm.alphabet.decode(labels)`` makes them text.
    kl_ : float
        Divergence of the output's N-grams from the language's: the label-free score.
    converged_ : bool
        Whether the fit is to be believed.
    n_iter_ : int
        Steps taken.
    restarts_ : array
        The label-free score of every start.
    history_ : list of Record
        Every look at the scores.
    diagnosis_ : FitVerdict
        The verdict in numbers, the reason for it and what would help.

    Examples
    --------
    A text under a substitution, read with no key:

    >>> from labelfree.lm import NGramLM
    >>> from labelfree.repro.tasks.spelling import segments_of, spelling_task, standard_library_english
    >>> task = spelling_task(segments_of(standard_library_english()), seed=0)
    >>> lm = NGramLM.from_language("en", task.alphabet)
    >>> reader = SequenceClassifier(lm, random_state=0).fit(task.train.x[:, None], lengths=task.train.lengths)
    >>> reader.converged_
    True
    >>> reader.score(task.test.x[:, None], task.test.y)
    1.0
    """

    def __init__(
        self,
        lm: NGramLM,
        solver: str = "auto",
        order: int = 2,
        *,
        model: str = "auto",
        n_init: int = 10,
        max_iter: int | None = None,
        l2: float | None = None,
        n_groups: int | None = None,
        refine: bool | int = True,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.lm = lm
        self.solver = solver
        self.order = order
        self.model = model
        self.n_init = n_init
        self.max_iter = max_iter
        self.l2 = l2
        self.n_groups = n_groups
        self.refine = refine
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike | Rows,
        y: object = None,
        *,
        lengths: ArrayLike | None = None,
        known: ArrayLike | None = None,
        evidence: ArrayLike | None = None,
        **unknown: object,
    ) -> Self:
        """Learn from unlabelled sequences.

        Parameters
        ----------
        X : array-like of shape (n_positions, n_features)
            One row a position, all sequences stacked. One column of integers is read as symbols. A memory map stays
            where it is: it is read block by block, with the same result.
        y : ignored
            Here for pipelines; a warning says that it is not used.
        lengths : array-like of int, optional
            Length of each sequence; by default all positions are one.
        known : array-like of int of shape (n_positions,), optional
            The label of a position where a person gave one, -1 elsewhere: they join the cost as a supervised term. By
            default there is none.
        evidence : array-like of shape (n_positions, C), optional
            What another source says of every symbol at each position, as log-likelihoods: where features are read and
            refined, it is heard beside the classifier. By default there is none.
        **unknown
            Nothing: a ``sample_weight`` is refused, for the statistics of a sequence have no weights of positions.
        """
        _refuse(unknown)
        self._check_settings()
        if y is not None:
            warnings.warn(
                "y is not used: fit learns without labels; give those of some positions as known=..., -1 elsewhere",
                UserWarning,
                stacklevel=2,
            )
        rows = self._checked(X, reset=True, least=2)
        sizes = as_lengths(lengths, len(rows))
        self.__dict__.pop("counts_", None)
        self._learn_scale(rows)
        problem = Problem.from_sequences(self._inputs(rows), sizes, self.lm, self.order)
        if known is not None:
            problem = dataclasses.replace(problem, known=self._known(known, len(rows)))
        if evidence is not None:
            if self.solver != "auto" or problem.is_table:
                what = "symbols" if problem.is_table else f"solver={self.solver!r}"
                raise InputError(f"evidence given for {what}, which use none; use features and solver='auto'")
            problem = dataclasses.replace(problem, evidence=self._other(evidence, len(rows)))
        return self._solve(problem)

    @available_if(_counts_symbols)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: ArrayLike, y: object = None, *, lengths: ArrayLike | None = None, **unknown: object
    ) -> Self:
        """Learn from a piece of a stream of symbols, and from all pieces before it; only their counts are kept.

        What is learned is what `fit` learns from all of them together, and each call takes as long as that search:
        give large pieces. Available with ``model="table"``; a call of `fit` forgets the stream.

        Parameters
        ----------
        X : array-like of int of shape (n_positions, 1)
            Whole sequences of symbols, stacked.
        y : ignored
            Here for pipelines.
        lengths : array-like of int, optional
            Length of each sequence; by default the piece is one.
        **unknown
            Nothing: a ``sample_weight`` is refused.

        Examples
        --------
        >>> from labelfree.lm import NGramLM
        >>> lm = NGramLM.from_text("abc" * 30, order=2)
        >>> reader = SequenceClassifier(lm, model="table", random_state=0)
        >>> for _ in range(3):
        ...     _ = reader.partial_fit([[7], [5], [6]] * 30)
        >>> lm.alphabet.decode(reader.predict([[7], [5], [6]]))
        'abc'
        """
        _refuse(unknown)
        self._check_settings()
        before: SymbolCounts | None = getattr(self, "counts_", None)
        rows: NDArray[Any] = validate_data(self, X, dtype="numeric", ensure_min_samples=2, reset=before is None)
        self._learn_scale(rows)
        longest = max(self.order, 2, min(self.lm.order, HIGHEST_ORDER))
        piece = SymbolCounts.of(rows[:, 0], as_lengths(lengths, len(rows)), longest)
        self.counts_ = piece if before is None else before + piece
        self.symbols_ = self.counts_.symbols
        return self._solve(Problem.from_counts(self.counts_, self.lm, self.order))

    def _solve(self, problem: Problem) -> Self:
        """Fit the problem, and judge what came of it."""
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        kind: ModelKind | None = None if self.model == "auto" else self.model  # type: ignore[assignment]
        history = History()
        with observed_by(history, *([Printer()] if self.verbose else [])):
            solution = self._method().solve(problem, kind=kind, starts=self.n_init, seed=seed)
        self.classifier_ = solution.model
        self.classes_ = np.arange(len(self.lm.alphabet))
        self.kl_ = solution.kl if problem.known is None else float(problem.kl(solution.model)[0])
        self.n_iter_ = max(1, solution.n_steps)
        self.restarts_ = np.array(solution.restarts)
        self.history_ = history.records
        self.notes_ = solution.notes
        self.unseen_ = np.asarray(self.lm.joint(1))
        self.prior_ = problem.survey(solution.model)[1][0].numpy().astype(np.float64)
        self.diagnosis_ = judge_fit(problem, solution.model, seed=seed)
        self.converged_ = self.diagnosis_.converged
        if self.diagnosis_.message:
            warnings.warn(self.diagnosis_.message, ConvergenceWarning, stacklevel=3)
        return self

    def self_trained(self, X: ArrayLike, labels: ArrayLike) -> Self:
        """A copy that went on learning from labels that are believed, such as its own reading, corrected.

        Parameters
        ----------
        X : array-like of shape (n_positions, n_features)
            Features, as `fit` was given.
        labels : array-like of int of shape (n_positions,)
            The number of the symbol that each position is believed to show, -1 where that is not known.
        """
        check_is_fitted(self)
        rows = self._checked(X)
        if self._is_table:
            raise InputError("symbols of a cipher found, features wanted to train on; fit again with known labels")
        believed, inputs = self._as_labels(labels, len(rows)), self._inputs(rows)
        soft = np.zeros((len(rows), len(self.classes_)), np.float32)
        soft[believed >= 0, believed[believed >= 0]] = 1.0
        found = copy.copy(self)
        found.classifier_ = copy.deepcopy(self.classifier_)
        retrain(found.classifier_, inputs[:], torch.from_numpy(soft), l2=self.l2 or 0.0)
        found.prior_ = found._row_posteriors(inputs).mean(0)
        return found

    def predict_proba(self, X: ArrayLike | Rows, *, lengths: ArrayLike | None = None) -> NDArray[np.float64]:
        """Posterior of every symbol at every position, each position by itself.

        Returns
        -------
        array of shape (n_positions, C)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        rows = self._checked(X)
        as_lengths(lengths, len(rows))
        return self._posteriors(rows)

    def _posteriors(self, rows: NDArray[Any] | Rows) -> NDArray[np.float64]:
        posteriors = self._row_posteriors(self._inputs(rows))
        if self._is_table:
            posteriors[~np.isin(rows[:][:, 0], self.symbols_)] = self.unseen_
        return posteriors

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """`predict_proba`, for pipelines; a column a symbol, as a data frame where `set_output` asks for one."""
        return self.predict_proba(X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """The symbols, names of the columns that `transform` gives."""
        check_is_fitted(self)
        return np.array(list(self.lm.alphabet), dtype=object)

    def predict(self, X: ArrayLike | Rows, *, lengths: ArrayLike | None = None) -> NDArray[np.int64]:
        """The number of the most probable symbol at every position, each position by itself."""
        check_is_fitted(self)
        rows = self._checked(X)
        as_lengths(lengths, len(rows))
        return np.concatenate([self._posteriors(rows[block]).argmax(1) for block in blocks(len(rows))])

    def decode(
        self,
        X: ArrayLike | Rows,
        *,
        lengths: ArrayLike | None = None,
        lm_weight: float = 0.5,
        order: int | None = None,
        evidence: ArrayLike | None = None,
    ) -> NDArray[np.int64]:
        """The most probable sequence of symbol numbers, classifier and language model together.

        Parameters
        ----------
        X : array-like of shape (n_positions, n_features)
        lengths : array-like of int, optional
        lm_weight : float
            How much the language model counts against the classifier.
        order : int, optional
            Of the language model; by default all it has.
        evidence : array-like of shape (n_positions, C), optional
            What another source says, as in `fit`.
        """
        seen = self._evidence(X, lm_weight, evidence)
        return viterbi(seen, self.lm, lengths=as_lengths(lengths, len(seen)), order=order, weight=lm_weight)

    def decode_proba(
        self,
        X: ArrayLike | Rows,
        *,
        lengths: ArrayLike | None = None,
        lm_weight: float = 0.5,
        order: int | None = None,
        evidence: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Posterior of every symbol at every position, classifier and language model together.

        Parameters are those of `decode`.

        Returns
        -------
        array of shape (n_positions, C)
        """
        seen = self._evidence(X, lm_weight, evidence)
        sizes = as_lengths(lengths, len(seen))
        return forward_backward(seen, self.lm, lengths=sizes, order=order, weight=lm_weight).marginals

    def score(self, X: ArrayLike, y: ArrayLike, *, lengths: ArrayLike | None = None) -> float:
        """Share of positions read rightly; ``y`` holds numbers of symbols, or the symbols themselves."""
        truth = np.asarray(y).reshape(-1)
        if truth.dtype.kind in "US":
            truth = np.array([self.lm.alphabet.index(symbol) for symbol in truth.tolist()])
        return float((self.predict(X, lengths=lengths) == truth).mean())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Show it in a notebook: once it is fitted, what became of it."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        facts: list[tuple[str, object]] = [
            ("solver", self.solver),
            ("order", self.order),
            ("symbols", f"{len(self.lm.alphabet):,}"),
        ]
        if not hasattr(self, "diagnosis_"):
            return card("SequenceClassifier, not fitted", facts)
        starts = sorted(score for score in self.restarts_.tolist() if np.isfinite(score))
        facts += [
            ("believes itself", "yes" if self.converged_ else "no"),
            ("divergence from the language", f"{self.kl_:.4f} nats"),
            ("steps", f"{self.n_iter_:,}"),
            *([("says", self.diagnosis_.message)] if self.diagnosis_.message else []),
        ]
        scores = bars([(str(i), score) for i, score in enumerate(starts[:_SHOWN], 1)], "divergence of each start")
        return card("SequenceClassifier", facts, scores)

    def _evidence(self, X: ArrayLike | Rows, lm_weight: float, other: ArrayLike | None) -> NDArray[np.float64]:
        """What the classifier has seen of each symbol at each position, its prior left to the language model."""
        log_posteriors = np.log(np.maximum(self.predict_proba(X), np.exp(_LEAST_LOG_POSTERIOR)))
        seen = likelihoods_from_posteriors(log_posteriors, lm_weight * np.log(np.maximum(self.prior_, 1e-9)))
        return seen if other is None else seen + self._other(other, len(seen))

    @property
    def _is_table(self) -> bool:
        return hasattr(self, "symbols_")

    def _checked(self, X: ArrayLike | Rows, *, reset: bool = False, least: int = 1) -> NDArray[Any] | Rows:
        """Rows as scikit-learn wants them; those in files are looked at block by block and stay there."""
        if not isinstance(X, (Rows, np.memmap)) or X.ndim != 2:
            rows: NDArray[Any] = validate_data(self, X, dtype="numeric", reset=reset, ensure_min_samples=least)
            return rows
        validate_data(self, np.asarray(X[:least]), dtype="numeric", reset=reset, ensure_min_samples=least)
        for block in blocks(len(X)):
            if not np.isfinite(X[block]).all():
                raise InputError(
                    f"X holds NaN or infinity in rows {block.start} to {block.stop}, finite numbers wanted; "
                    "fill or remove them"
                )
        return X

    def _learn_scale(self, X: NDArray[Any] | Rows) -> None:
        """Note the distinct symbols of a cipher, or the centre and spread of features."""
        for name in ("symbols_", "center_", "scale_"):
            self.__dict__.pop(name, None)
        is_symbols = X.shape[1] == 1 and X.dtype.kind in "iu"
        if self.model == "table" and not is_symbols:
            raise InputError(
                f"model='table' reads one column of integers; found {X.shape[1]} columns of {X.dtype}; "
                "give integers or model='linear'"
            )
        if is_symbols and self.model in ("auto", "table"):
            self.symbols_ = np.unique(X[:][:, 0])
            return
        if self.solver == "em":
            raise InputError(
                f"solver='em' reads one column of integers; found {X.shape[1]} columns of {X.dtype}; "
                "give group numbers, or use solver='auto'"
            )
        if self.model == "cnn":
            tile_side(X.shape[1])
        self.center_, self.scale_ = feature_scale(X)

    def _inputs(self, X: NDArray[Any] | Rows) -> Inputs:
        """What the classifier reads: numbers of symbols, or scaled features."""
        if self._is_table:
            numbers = np.searchsorted(self.symbols_, X[:][:, 0]).clip(0, len(self.symbols_) - 1)
            return torch.from_numpy(numbers.astype(np.int64))
        if isinstance(X, (Rows, np.memmap)):
            return ScaledRows(X, self.center_, self.scale_)
        return scaled(X, self.center_, self.scale_)

    def _row_posteriors(self, inputs: Inputs) -> NDArray[np.float64]:
        posteriors = np.empty((len(inputs), len(self.classes_)))
        with torch.no_grad():
            for block in blocks(len(inputs)):
                posteriors[block] = self.classifier_(inputs[block])[0].exp().numpy()
        return posteriors

    def _known(self, known: ArrayLike, n_positions: int) -> NDArray[np.int64]:
        """Known labels as integers that fit the data and the language."""
        if self.solver in _WITHOUT_LABELS:
            raise InputError(f"known labels given to solver={self.solver!r}, which uses none; use solver='auto'")
        return self._as_labels(known, n_positions)

    def _as_labels(self, given: ArrayLike, n_positions: int) -> NDArray[np.int64]:
        """Labels as integers that fit the data and the language."""
        labels, n_classes = np.asarray(given), len(self.lm.alphabet)
        if labels.shape != (n_positions,) or labels.dtype.kind not in "iu":
            raise InputError(
                f"labels are an array of {labels.dtype} with shape {labels.shape}, whole numbers of shape "
                f"({n_positions},) wanted; give one a position, -1 where the label is not known"
            )
        if labels.min() < -1 or labels.max() >= n_classes:
            raise InputError(
                f"labels run from {labels.min()} to {labels.max()}, -1 to {n_classes - 1} wanted; "
                "give indices into the language model's alphabet"
            )
        return labels.astype(np.int64)

    def _other(self, evidence: ArrayLike, n_positions: int) -> NDArray[np.float32]:
        """What another source says, as log-likelihoods that fit the data and the language."""
        logs = np.asarray(evidence, np.float32)
        wanted = (n_positions, len(self.lm.alphabet))
        if logs.shape != wanted or not np.isfinite(logs).all():
            raise InputError(
                f"evidence is an array of shape {logs.shape}, finite log-likelihoods of shape {wanted} wanted; "
                "give one row a position and one column a symbol"
            )
        return logs

    def _method(self) -> Any:
        """The solver with the settings that it knows."""
        method = SOLVERS[self.solver]
        known = _fields(method)
        settings = {"steps": self.max_iter, "l2": self.l2, "n_groups": self.n_groups, "order": self.order}
        if self.refine is not True:
            settings["rounds"] = int(self.refine)
        for name, field in (("max_iter", "steps"), ("l2", "l2"), ("n_groups", "n_groups"), ("refine", "rounds")):
            if field not in known and settings.get(field):  # refine=False asks for what single methods do anyway
                others = ", ".join(repr(other) for other, kind in SOLVERS.items() if field in _fields(kind))
                raise InputError(
                    f"{name} is {getattr(self, name)!r}, but solver={self.solver!r} has no such setting; leave it out, "
                    f"or use one of {others}"
                )
        return method(**{name: value for name, value in settings.items() if name in known and value is not None})

    def _check_settings(self) -> None:
        if not isinstance(self.lm, NGramLM):
            raise InputError(
                f"lm is a {type(self.lm).__name__}, an NGramLM wanted; build one with NGramLM.from_text(...) "
                "or NGramLM.from_language('en')"
            )
        _check_choice("solver", self.solver, SOLVERS)
        _check_choice("model", self.model, ("auto", *KINDS))
        for name, least in (("n_init", 1), ("order", 1), ("max_iter", 1), ("n_groups", 2)):
            value = getattr(self, name)
            if value is None and name in ("max_iter", "n_groups"):
                continue
            if not isinstance(value, (int, np.integer)) or value < least:
                raise InputError(f"{name} is {value!r}, a whole number of at least {least} wanted")
        if self.l2 is not None and not 0 <= self.l2 < np.inf:
            raise InputError(f"l2 is {self.l2!r}, a number of 0 or more wanted")


def _fields(method: Any) -> set[str]:
    return {field.name for field in dataclasses.fields(method)}


def _refuse(unknown: Mapping[str, object]) -> None:
    """Say what to do instead of weighing positions, and refuse arguments that are not there."""
    if unknown.get("sample_weight") is not None:
        raise InputError(
            "sample_weight given, none wanted: the N-grams of a sequence have no weights of single positions; "
            "leave sequences out, or stack a sequence twice to count it double"
        )
    names = sorted(unknown.keys() - {"sample_weight"})
    if names:
        raise TypeError(f"unexpected argument {names[0]!r}; wanted are lengths, known and evidence")


def _check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    if value not in list(choices):
        raise InputError(f"{name} is {value!r}, one of {', '.join(map(repr, choices))} wanted")
