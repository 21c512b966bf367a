"""Options that several verbs share, and what they stand for."""

from __future__ import annotations

import os
from contextlib import ExitStack
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from labelfree.lm import NGramLM
    from labelfree.storage.datafile import DataFile

Solver = Literal["auto", "spdg", "full_batch", "sgd", "likelihood", "em", "majority"]
Model = Literal["auto", "table", "linear", "mlp", "cnn"]

DataArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="An .npz file with X and lengths, or a .npy file or a folder of shards.",
    ),
]
ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that `labelfree fit` wrote.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Same seed, same result.")]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Threads to use; by default all cores.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Hands at work, the same result with any number; by default all cores."),
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Have a Dask cluster do the work, such as tcp://host:8786."),
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write a report too, one HTML file to look at and send.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with work that was stopped.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show every look at the score.")]


words_given: ContextVar[tuple[str, ...]] = ContextVar("words_given", default=())
"""The words of the command that is run, to tell how it is taken up again."""

until_end: ContextVar[ExitStack] = ContextVar("until_end")
"""What ends with the command that is run."""


def use_threads(threads: int | None) -> None:
    """Hold all libraries to so many threads; of effect on those that are not imported yet, and on torch."""
    if threads is None:
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    import torch

    torch.set_num_threads(threads)


def use_workers(workers: int | None, scheduler: str | None = None) -> None:
    """Hold all libraries to one thread each, and have work done by so many workers, or by a cluster."""
    from labelfree.errors import InputError

    if workers is not None and scheduler is not None:
        raise InputError("--workers and --scheduler found, one of them wanted: a cluster has its own workers")
    use_threads(1)
    share_work(workers, scheduler)


def use_threads_or_workers(threads: int | None, workers: int | None, scheduler: str | None) -> None:
    """As `use_threads`, or as `use_workers` where workers or a cluster are asked for."""
    if workers is None and scheduler is None:
        use_threads(threads)
        return
    from labelfree.errors import InputError

    if threads is not None:
        raise InputError("--threads found with --workers or --scheduler, one of them wanted: a worker has one thread")
    use_workers(workers, scheduler)


def share_work(workers: int | None, scheduler: str | None) -> None:
    """Have work done by so many workers, or by a cluster, until the command ends."""
    from labelfree import workers as hands

    if scheduler is None:
        hands.use_workers(workers)
    else:
        from labelfree.scale import connected

        until_end.get().enter_context(connected(scheduler))


def language_model(lm: Path | None, lang: str | None, order: int, data: DataFile | None = None) -> NGramLM:
    """The model that `--lm` or `--lang` names; a language's is over the data's own alphabet where that has one."""
    from labelfree.alphabet import Alphabet
    from labelfree.errors import InputError
    from labelfree.lm import NGramLM

    if (lm is None) == (lang is None):
        found = "neither" if lm is None else "both"
        raise InputError(f"found {found} of --lm and --lang, one wanted; name an ARPA file or a language such as en")
    if lm is not None:
        return NGramLM.read_arpa(lm)
    if data is None or data.alphabet is None:
        return NGramLM.from_language(str(lang), order=order)
    data.check_language(NGramLM.from_language(str(lang), order=1).alphabet)  # its list of words holds foreign ones, too
    return NGramLM.from_language(str(lang), Alphabet(data.alphabet), order=order)
