"""`labelfree fit`: from unlabelled sequences to a model folder."""

from __future__ import annotations

import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelfree.cli.options import (
    DataArgument,
    Force,
    Json,
    Model,
    Quiet,
    ReportFile,
    Scheduler,
    Seed,
    Solver,
    Threads,
    Verbose,
    Workers,
    language_model,
    use_threads_or_workers,
)

if TYPE_CHECKING:
    from labelfree.estimator import SequenceClassifier
    from labelfree.storage.checkpoint import Checkpoint
    from labelfree.storage.datafile import DataFile
    from labelfree.verdict import Remedy


def fit(
    data: DataArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The folder to write.")],
    lm: Annotated[Path | None, typer.Option("--lm", metavar="FILE", help="A language model in an ARPA file.")] = None,
    lang: Annotated[str | None, typer.Option("--lang", metavar="CODE", help="Or a language, such as en.")] = None,
    solver: Annotated[Solver, typer.Option("--solver", help="How to search; auto needs no tuning.")] = "auto",
    order: Annotated[int, typer.Option("--order", min=1, max=9, help="Length of the N-grams to match.")] = 2,
    model: Annotated[Model, typer.Option("--model", help="What reads one position.")] = "auto",
    n_init: Annotated[int, typer.Option("--n-init", min=1, help="Random starts.")] = 10,
    max_iter: Annotated[
        int | None, typer.Option("--max-iter", min=1, help="Steps at most, of all solvers but auto.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    checkpoint_every: Annotated[
        float, typer.Option("--checkpoint-every", min=0, metavar="SECONDS", help="How often to save a long fit.")
    ] = 60.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a fit that was stopped.")] = False,
    report: ReportFile = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Learn to label sequences from a language model of the labels, without a single label.

    Example: labelfree fit data.npz --lang en -o model

    Several processes that share every batch: torchrun --nproc-per-node 2 -m labelfree fit data.npz --solver spdg ...

    While it runs, its state is kept in MODEL.checkpoint; if it is stopped, the same command with --resume goes on and
    gives the very same result. Exit code 1 says that it finished but does not believe its result.
    """
    use_threads_or_workers(threads, workers, scheduler)
    from labelfree.cli.progress import Progress
    from labelfree.cli.show import warn
    from labelfree.cli.stopping import keeping
    from labelfree.estimator import SequenceClassifier
    from labelfree.files import check_free, output_at
    from labelfree.scale.ranks import joined
    from labelfree.storage import save
    from labelfree.storage.datafile import read_data
    from labelfree.storage.folder import is_model_folder

    with ExitStack() as stack:
        is_first = stack.enter_context(joined()).rank == 0  # of several processes one writes and prints
        if is_first:
            stack.enter_context(output_at(output, force=force, may_replace=is_model_folder))
        if report is not None and is_first:
            check_free(report, force=force)
        sequences = read_data(data)
        sequences.check_variety()
        language = language_model(lm, lang, max(order, 3), sequences)
        sequences.check_language(language.alphabet)
        classifier = SequenceClassifier(
            language, solver, order, model=model, n_init=n_init, max_iter=max_iter, random_state=seed
        )
        checkpoint = _checkpoint(classifier, sequences, output, checkpoint_every, resume=resume, force=force)
        with keeping(lambda: _kept(checkpoint)):
            quiet = quiet or json or not is_first
            with Progress(sys.stderr, quiet=quiet, verbose=verbose and is_first), checkpoint.keeping():
                messages = _fit(classifier, sequences)
            if not is_first:
                return
            save(classifier, output, force=force)
            checkpoint.path.unlink(missing_ok=True)
        if report is not None:
            from labelfree.report.fit import write_fit_report

            write_fit_report(classifier, sequences, report)
    verdict = classifier.diagnosis_
    said = verdict.line(_advice())
    for message in messages:
        warn(f"{data}: {said if message == verdict.message else message}")
    _report(classifier, output, is_json=json)
    if not classifier.converged_:
        raise typer.Exit(1)


def _advice() -> dict[Remedy, str]:
    from labelfree.verdict import Remedy

    return {
        Remedy.MORE_DATA: "more data",
        Remedy.MORE_STARTS: "more starts (--n-init)",
        Remedy.NEARER_TEXT: "a language model of nearer text (--lm FILE)",
        Remedy.OTHER_LANGUAGE: "another language (--lang CODE)",
        Remedy.HIGHER_ORDER: "--order 2 or more",
    }


def _checkpoint(
    classifier: SequenceClassifier, data: DataFile, output: Path, every: float, *, resume: bool, force: bool
) -> Checkpoint:
    from labelfree.errors import InputError
    from labelfree.storage.checkpoint import Checkpoint

    path = output.with_name(output.name + ".checkpoint")
    if path.exists() and not (resume or force):
        raise InputError(
            f"{path} is there, of a fit that was stopped; give --resume to go on with it, or --force to begin anew"
        )
    return Checkpoint.of_fit(classifier, data.X, data.lengths, path, every=every, resume=resume)


def _kept(checkpoint: Checkpoint) -> str:
    from labelfree.cli.stopping import go_on_with

    if not checkpoint.path.exists():
        return "nothing is kept yet; the same command begins anew"
    return f"kept in {checkpoint.path}. {go_on_with()}"


def _fit(classifier: SequenceClassifier, data: DataFile) -> list[str]:
    """Fit, and return what there was to warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier.fit(data.X, lengths=data.lengths)
    return [str(one.message) for one in caught]


def _report(classifier: SequenceClassifier, output: Path, *, is_json: bool) -> None:
    from labelfree.cli.show import as_facts, as_json

    verdict = classifier.diagnosis_
    if is_json:
        as_json(
            {
                "model": str(output),
                **verdict.as_dict(),
                "kl": classifier.kl_,
                "n_iter": classifier.n_iter_,
                "restarts": classifier.restarts_,
                "notes": classifier.notes_,
                "seconds": classifier.history_[-1].seconds,
            }
        )
        return
    as_facts(
        [
            ("converged", "yes" if classifier.converged_ else "no"),
            ("because", verdict.reason),
            ("expected error", f"{verdict.expected_error:.1%}"),
            ("KL from the language", f"{verdict.kl:.4f}, below {verdict.wanted_kl:.4f} usual"),
            ("language that comes out", f"{verdict.coverage:.0%}"),
            ("model", f"{output}"),
        ]
    )
