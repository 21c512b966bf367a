"""Help, version, completion: quick, light, and with an example for everything."""

import os
import subprocess
import sys
from typing import get_args

import pytest
import typer.main

from labelfree import __version__
from labelfree.cli import app
from labelfree.cli.options import Model, Solver
from labelfree.estimator import SOLVERS


def commands(command=None, path=()):
    command = command or typer.main.get_command(app)
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_the_help_of_every_command_has_an_example(labelfree, path):
    found = labelfree(*path, "--help")
    assert found.code == 0
    example = " ".join(found.out.split()).partition("Example: ")[2]
    assert example.startswith(" ".join(("labelfree", *path)))


def test_all_verbs_are_there():
    found = {" ".join(path) for path in commands()}
    assert found >= {"fit", "predict", "evaluate", "info", "decipher", "demo", "lm build", "lm info", "lm mix"}


def test_help_imports_nothing_heavy():
    program = "import sys, labelfree.cli as cli; cli.run(['--help']); print(*sys.modules, file=sys.stderr)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(found.stderr.split())
    assert "Usage" in found.stdout
    assert "labelfree.cli.fit" in loaded
    assert loaded.isdisjoint({"torch", "sklearn", "scipy", "numpy", "matplotlib", "wordfreq", "safetensors"})


def test_help_answers_in_under_half_a_second():
    program = "from labelfree.cli import main; main(['--help'])"
    seconds = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        after = os.times()  # seconds of work: what else runs on the machine does not count
        seconds.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert min(seconds) < 0.5


def test_the_console_script_is_there_and_tells_its_version():
    script = sys.executable.replace("python3", "python").rpartition("/")[0] + "/labelfree"
    found = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"labelfree {__version__}\n"


def test_the_shell_can_complete_words(labelfree, monkeypatch):
    program = "from labelfree.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={"_LABELFREE_COMPLETE": "complete_bash", "COMP_WORDS": "labelfree ev", "COMP_CWORD": "1"},
    )
    assert found.stdout.split() == ["evaluate"]


def test_choices_are_those_of_the_estimator():
    assert get_args(Solver) == tuple(SOLVERS)
    assert get_args(Model) == ("auto", "table", "linear", "mlp", "cnn")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit"], "Missing argument"),
        (["fly"], "No such command 'fly'"),
        (["fit", "data.npz", "--lang", "en", "-o", "x", "--solver", "magic"], "'magic' is not one of 'auto', 'spdg'"),
        (["fit", "data.npz", "--lang", "en", "-o", "x", "--n-init", "0"], "Invalid value for '--n-init'"),
        (["fit", "data.npz", "--lang", "en", "-o", "x", "--seed", "one"], "Invalid value for '--seed'"),
        (["info", "model", "--fly"], "No such option: --fly"),
    ],
)
def test_a_wrong_word_gets_one_line(refused, arguments, message):
    line = refused(*arguments)
    assert message in line
    where = "labelfree" if arguments == ["fly"] else f"labelfree {arguments[0]}"
    assert line.endswith(f"; see {where} --help\n")


def test_no_command_shows_the_help(labelfree):
    assert "Usage" in labelfree().out + labelfree().err
