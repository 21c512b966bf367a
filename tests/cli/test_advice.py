"""Advice names options that the command at hand has."""

import re

import pytest
import typer

from labelfree.cli import app
from labelfree.cli.decipher import _advice as decipher_advice
from labelfree.cli.fit import _advice as fit_advice
from labelfree.cli.ocr_report import ADVICE, ADVICE_TO_READERS
from labelfree.verdict import Outcome, Remedy, Verdict


def options(*words: str) -> set[str]:
    command = typer.main.get_command(app)
    for word in words:
        command = command.commands[word]
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize(
    ("advice", "command"),
    [
        (ADVICE, ("ocr", "run")),
        (ADVICE, ("ocr", "learn")),
        (ADVICE_TO_READERS, ("ocr", "read")),
        (decipher_advice(), ("decipher",)),
        (fit_advice(), ("fit",)),
    ],
    ids=["ocr run", "ocr learn", "ocr read", "decipher", "fit"],
)
def test_every_option_named_is_there(advice, command):
    named = set(re.findall(r"--[a-z-]+", " ".join(advice.values())))
    assert named <= options(*command)
    assert "n_init" not in " ".join(advice.values())
    assert set(advice) <= set(Remedy)


def test_what_helps_nobody_here_is_not_said():
    verdict = Verdict(Outcome.STUCK, "no", (Remedy.HIGHER_ORDER, Remedy.MORE_DATA))
    assert verdict.line(ADVICE) == "stuck: no; what would help: more lines of the same book"
