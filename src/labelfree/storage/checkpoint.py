"""Checkpoints: a companion that saves a fit as it goes, and takes it up again where it stopped.

A fit is a row of calls of `Run.advance` with deterministic work between them. The calls are numbered; of each that has
ended the checkpoint holds the last state, and of the one under way the state of some step. A resumed fit does the work
between again, skips the calls that have ended, and goes on in the middle of the other: the same bits as if it had
never stopped.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as save_tensors
from torch import Tensor

from labelfree import progress
from labelfree.errors import InputError, asked
from labelfree.files import write_aside
from labelfree.limits import check, parse_json
from labelfree.progress import Observer, Record
from labelfree.scale.ranks import ranks
from labelfree.scale.rows import Rows, blocks
from labelfree.solvers.run import Companion, Run, accompanied_by
from labelfree.storage.card import as_record

if TYPE_CHECKING:
    from labelfree.estimator import SequenceClassifier

FORMAT = "labelfree checkpoint 1"
_KEY = "labelfree"


@dataclass
class _Call:
    """One call of `advance`: what it was, how far it came, what it looked at on the way, and its state there."""

    run: str
    steps: int
    remaining: int
    records: list[Record]
    state: dict[str, Tensor]


class Checkpoint(Companion, Observer):
    """Saves the state of a fit to a file every so often.

    Parameters
    ----------
    path : Path
        The file; replaced each time.
    every : float
        Seconds between two writes; the end of a stage is written always.
    fingerprint : str
        Of the data, the settings and the language model; see `fingerprint`.
    resume : bool
        Go on from the file, which must bear the same fingerprint.

    Examples
    --------
    >>> import tempfile
    >>> from labelfree import NGramLM, SequenceClassifier
    >>> X = np.array([[7], [5], [6]] * 30)
    >>> reader = SequenceClassifier(NGramLM.from_text("abc" * 30, order=2), n_init=2, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, mark = Path(folder) / "fit.checkpoint", fingerprint(reader, X, [90])
    ...     with Checkpoint(path, every=60, fingerprint=mark).keeping():
    ...         _ = reader.fit(X)
    ...     Checkpoint(path, every=60, fingerprint=mark, resume=True).steps_done == reader.n_iter_
    True
    """

    def __init__(
        self,
        path: Path,
        *,
        every: float,
        fingerprint: str,
        resume: bool = False,
    ) -> None:
        self.path = path
        self.every = every
        self.fingerprint = fingerprint
        self._calls: list[_Call] = []  # made in this process
        self._saved: list[_Call] = []  # read from the file
        self._is_restoring = False
        self._seconds = 0.0  # spent before
        self._began = time.perf_counter()
        if resume:
            self._seconds, self._saved = _read(path, fingerprint)
        self._written = time.perf_counter()

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep what is fitted in the block."""
        self._began = time.perf_counter()
        with progress.observed_by(self, seconds=self._seconds), accompanied_by(self):
            yield

    @property
    def steps_done(self) -> int:
        """Steps that the file holds the fruit of."""
        return sum(call.steps - call.remaining for call in self._saved)

    def begin(self, run: Run, steps: int) -> int:
        """Bring a run to where the file has it; returns the steps that are left."""
        name = f"{type(run).__name__} {run.stage}"
        call = _Call(name, steps, steps, [], {})
        number = len(self._calls)
        self._calls.append(call)
        if number >= len(self._saved):
            return steps
        saved = self._saved[number]
        if (saved.run, saved.steps) != (name, steps):
            raise InputError(
                f"{self.path}: stage {number} is {saved.steps} steps of {saved.run}, {steps} of {name} wanted; "
                f"{_without_resume()}"
            )
        try:
            run.restore(saved.state)
        except (KeyError, ValueError, RuntimeError, TypeError, IndexError, AttributeError) as error:
            raise InputError(
                f"{self.path}: the state of stage {number} does not fit ({error}); {_without_resume()}"
            ) from None
        call.remaining, call.state = saved.remaining, saved.state
        call.records = list(saved.records)
        self._is_restoring = True
        for record in saved.records:
            progress.show(record)
        self._is_restoring = False
        return saved.remaining

    def stepped(self, run: Run, remaining: int) -> None:
        """Write the state if it is time."""
        call = self._calls[-1]
        call.remaining = remaining
        if remaining == 0 or self.is_due():
            call.state = {name: tensor.detach().clone().contiguous() for name, tensor in run.state().items()}
            self.write()

    def look(self, record: Record) -> None:
        """Keep a record with its call."""
        if not self._is_restoring and self._calls and self._calls[-1].remaining > 0:
            self._calls[-1].records.append(record)

    def is_due(self) -> bool:
        """Whether the last write is long enough ago."""
        return time.perf_counter() - self._written >= self.every

    def write(self) -> None:
        """Write the file aside and move it into place; of several processes the first does."""
        self._written = time.perf_counter()
        if ranks().rank > 0:
            return
        tensors = {f"{i}/{name}": tensor for i, call in enumerate(self._calls) for name, tensor in call.state.items()}
        calls = [
            {
                "run": call.run,
                "steps": call.steps,
                "remaining": call.remaining,
                "records": [dataclasses.asdict(record) for record in call.records],
            }
            for call in self._calls
        ]
        seconds = self._seconds + time.perf_counter() - self._began
        about = {"format": FORMAT, "fingerprint": self.fingerprint, "seconds": seconds, "calls": calls}
        write_aside(self.path, save_tensors(tensors, {_KEY: json.dumps(about)}))

    @classmethod
    def of_fit(
        cls, classifier: SequenceClassifier, X: ArrayLike | Rows, lengths: ArrayLike, path: Path, **options: Any
    ) -> Self:
        """A checkpoint for just this fit; the options are those of the class."""
        return cls(path, fingerprint=fingerprint(classifier, X, lengths), **options)


def fingerprint(classifier: SequenceClassifier, X: ArrayLike | Rows, lengths: ArrayLike) -> str:
    """A sum over all that the outcome of a fit depends on: data, settings, language model.

    Examples
    --------
    >>> from labelfree import NGramLM, SequenceClassifier
    >>> reader = SequenceClassifier(NGramLM.from_text("aab" * 30, order=2), random_state=0)
    >>> fingerprint(reader, [[1], [2]], [2]) == fingerprint(reader, [[1], [3]], [2])
    False
    """
    settings = classifier.get_params(deep=False)
    lm = settings.pop("lm")
    settings.pop("verbose")
    if not isinstance(settings["random_state"], (int, np.integer)):
        raise InputError(
            f"random_state is {settings['random_state']!r}, a whole number wanted: "
            "without it a fit cannot be taken up again; give one"
        )
    digest = hashlib.sha256(repr((sorted(settings.items()), lm.alphabet.symbols, lm.order)).encode())
    rows = X if isinstance(X, Rows) else np.asarray(X)
    digest.update(repr((rows.dtype.str, rows.shape)).encode())
    for block in blocks(len(rows)):
        digest.update(np.ascontiguousarray(rows[block]).data)
    arrays = [np.asarray(lengths, np.int64)]
    arrays += [array for level in lm.backoff.levels for array in (level.codes, level.log_prob, level.log_backoff)]
    for array in arrays:
        digest.update(repr((array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _anew(path: Path) -> str:
    return asked("give --force to begin anew", f"remove {path} to begin anew")


def _without_resume() -> str:
    return f"begin anew without {asked('--resume', 'resume=True')}"


def _read(path: Path, wanted: str) -> tuple[float, list[_Call]]:
    """Read a checkpoint back: the seconds spent, and the calls."""
    if not path.is_file():
        raise InputError(f"{path} is not there, a checkpoint of this fit wanted; {_without_resume()}")
    try:
        check(f"{path} has", path.stat().st_size, "model")
        with safe_open(path, framework="pt") as file:
            about = parse_json((file.metadata() or {})[_KEY], infinite=True)
            if about["format"] != FORMAT:
                raise InputError(f"{path} is a {about['format']}, a {FORMAT} wanted; {_without_resume()}")
            if about["fingerprint"] != wanted:
                raise InputError(
                    f"{path} is of a fit with other data, settings or language model "
                    f"({about['fingerprint'][:8]} found, {wanted[:8]} wanted); "
                    f"give those it was begun with, or {_anew(path)}"
                )
            calls = [
                _Call(
                    call["run"],
                    call["steps"],
                    call["remaining"],
                    [as_record(record) for record in call["records"]],
                    {},
                )
                for call in about["calls"]
            ]
            if not all(0 <= call.remaining <= call.steps and isinstance(call.run, str) for call in calls):
                raise ValueError("steps that no run has")
            for key in file.keys():  # noqa: SIM118 - not a dict
                number, name = key.split("/", 1)
                calls[int(number)].state[name] = file.get_tensor(key).clone()
            return float(about["seconds"]), calls
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is no whole checkpoint ({error}); {_anew(path)}") from None
