"""The command line: one file a verb. Heavy imports happen inside the verbs, so that `--help` answers at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated

import typer

from labelfree._version import __version__
from labelfree.cli import boundary, stopping
from labelfree.cli.completion import completion
from labelfree.cli.decipher import decipher
from labelfree.cli.demo import demo
from labelfree.cli.doctor import doctor
from labelfree.cli.evaluate import evaluate
from labelfree.cli.fit import fit
from labelfree.cli.info import info
from labelfree.cli.languages import languages
from labelfree.cli.lm_build import build
from labelfree.cli.lm_info import info as lm_info
from labelfree.cli.lm_mix import mix
from labelfree.cli.ocr import app as ocr_app
from labelfree.cli.options import until_end, words_given
from labelfree.cli.paper import app as paper_app
from labelfree.cli.predict import predict
from labelfree.cli.report import report
from labelfree.cli.serve import serve
from labelfree.errors import words_of_the_shell
from labelfree.limits import raise_limits, restoring_limits

_USAGE_ERROR = typer.BadParameter.__mro__[2]  # the base of all that can be wrong with a command's words

app = typer.Typer(
    name="labelfree",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
lm_app = typer.Typer(no_args_is_help=True)
app.add_typer(
    lm_app,
    name="lm",
    help="Build, look at and mix language models. Example: labelfree lm build --lang en -o en.arpa.gz",
)
app.add_typer(
    ocr_app,
    name="ocr",
    help="Read print without one transcription. Example: labelfree ocr run book/ --text novels.txt.gz -o out",
)
app.add_typer(
    paper_app,
    name="paper",
    help="Make the paper's tables and figures anew. Example: labelfree paper all --quick -o results",
)
_VERBS: tuple[Callable[..., None], ...] = (
    fit,
    predict,
    evaluate,
    info,
    decipher,
    report,
    serve,
    demo,
    languages,
    doctor,
    completion,
)
for _verb in _VERBS:
    app.command()(_verb)
lm_app.command("build")(build)
lm_app.command("info")(lm_info)
lm_app.command("mix")(mix)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"labelfree {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="NAME=SIZE", help="Read larger files: image=2G; SECURITY.md lists all limits."),
    ] = None,
) -> None:
    """Learn to label sequences without a single label, from the statistics of the output language alone.

    Example: labelfree fit data.npz --lang en -o model
    """
    for setting in limit or ():
        raise_limits(setting)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit.

    0 done, 1 finished but not believed, 2 bad input (one line on stderr), 70 a defect of ours (one line that names a
    file with the details), 130 stopped.
    """
    boundary.open_streams()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    words_given.set(tuple(arguments))
    with stopping.stoppable() as stop:
        try:
            with words_of_the_shell(), restoring_limits(), ExitStack() as resources:
                until_end.set(resources)
                code = app(arguments, prog_name="labelfree", standalone_mode=False, obj=tuple(arguments))
            boundary.flush()
        except KeyboardInterrupt:
            stop.say()
        except (Exception, SystemExit) as error:
            if not stop.asked:  # whatever fails after a stop fails because of it
                return _code_of(error)
    if code == stopping.CODE:  # what typer makes of a KeyboardInterrupt
        stop.say()
    return stopping.CODE if stop.asked else code if isinstance(code, int) else 0


def _code_of(error: BaseException) -> int:
    if isinstance(error, _USAGE_ERROR):
        where = getattr(getattr(error, "ctx", None), "command_path", "labelfree")
        told = str(error.format_message()).rstrip(". ")  # type: ignore[attr-defined]
        return boundary.refuse(f"{told}; see {where} --help")
    if isinstance(error, typer.Abort | SystemExit) and isinstance(error.__context__, OSError | EOFError):
        return boundary.code_of(error.__context__)  # what typer and rich make of an error in reading or writing
    if isinstance(error, SystemExit):
        raise error  # as after completing a word for the shell
    return boundary.code_of(error)
