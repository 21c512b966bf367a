"""The command line: one file a verb. Heavy imports happen inside the verbs, so that `--help` answers at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from labelfree._version import __version__
from labelfree.cli.decipher import decipher
from labelfree.cli.demo import demo
from labelfree.cli.evaluate import evaluate
from labelfree.cli.fit import fit
from labelfree.cli.info import info
from labelfree.cli.lm_build import build
from labelfree.cli.lm_info import info as lm_info
from labelfree.cli.lm_mix import mix
from labelfree.cli.ocr import app as ocr_app
from labelfree.cli.options import words_given
from labelfree.cli.paper import app as paper_app
from labelfree.cli.predict import predict
from labelfree.cli.report import report
from labelfree.cli.serve import serve
from labelfree.errors import LabelfreeError

_USAGE_ERROR = typer.BadParameter.__mro__[2]  # the base of all that can be wrong with a command's words

_EXTRA = {"matplotlib": "repro", "starlette": "studio", "uvicorn": "studio"}  # packages, and the extras they are of

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
_VERBS: tuple[Callable[..., None], ...] = (fit, predict, evaluate, info, decipher, report, serve, demo)
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
) -> None:
    """Learn to label sequences without a single label, from the statistics of the output language alone.

    Example: labelfree fit data.npz --lang en -o model
    """


def main(arguments: list[str] | None = None) -> None:
    """Run a command: exit 0 done, 1 finished but not converged, 2 bad input (one line on stderr), 130 interrupted."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    words_given.set(tuple(arguments))
    try:
        code = app(arguments, prog_name="labelfree", standalone_mode=False, obj=tuple(arguments))
        sys.stdout.flush()
    except LabelfreeError as error:
        return _refuse(str(error))
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except typer.Abort:
        return 130
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        return _refuse(
            f"no package {error.name} found, which this command needs; pip install 'labelfree[{_EXTRA[error.name]}]'"
        )
    except Exception as error:
        if isinstance(error, _USAGE_ERROR):
            where = getattr(getattr(error, "ctx", None), "command_path", "labelfree")
            told = str(error.format_message()).rstrip(". ")  # type: ignore[attr-defined]
            return _refuse(f"{told}; see {where} --help")
        raise
    return code if isinstance(code, int) else 0


def _refuse(message: str) -> int:
    print(f"labelfree: error: {' '.join(message.split())}", file=sys.stderr)
    return 2
