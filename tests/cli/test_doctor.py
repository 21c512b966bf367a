"""`labelfree doctor`: what an installation has and lacks, and whether it works."""

import json
import shutil
import subprocess
import sys

import pytest

from labelfree import __version__
from labelfree.cli import doctor as verb

doctor = sys.modules[verb.__module__]


def test_an_installation_that_works_says_so(labelfree):
    found = labelfree("doctor", "--json")
    assert (found.code, found.err) == (0, "")
    told = json.loads(found.out)
    assert told["labelfree"].startswith(f"{__version__} in ")
    assert told["cores"] >= 1
    assert "torch " in told["libraries"]
    assert "missing" not in told
    assert {part["name"] for part in told["optional"]} == {
        "matplotlib",
        "starlette",
        "uvicorn",
        "ocrmypdf",
        "tesseract",
    }
    assert [(test["name"], test["ok"]) for test in told["tests"]] == [
        ("a cipher", True),
        ("a model", True),
        ("a scan", True),
    ]


def test_what_is_optional_may_be_missing_and_how_to_get_it_is_told(labelfree, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    found = labelfree("doctor", "--quick")
    assert found.code == 0
    lines = dict(line.split("  ", 1) for line in found.out.splitlines())
    assert "not found, wanted for --layout tesseract" in lines["tesseract"]
    assert "apt-get install tesseract-ocr" in lines["tesseract"]
    assert "a cipher" not in lines


@pytest.mark.parametrize("test", [lambda: "3 of 4 wrong", lambda: 1 / 0], ids=["wrong", "raises"])
def test_a_test_that_fails_is_told_and_exits_1(labelfree, monkeypatch, test):
    monkeypatch.setattr(doctor, "_TESTS", {"a cipher": test})
    found = labelfree("doctor")
    assert (found.code, found.err) == (1, "")
    assert "a cipher" in found.out
    assert "FAILS" in found.out
    assert ("3 of 4 wrong" in found.out) != ("ZeroDivisionError: division by zero" in found.out)


def test_a_library_that_is_missing_is_named(labelfree, monkeypatch):
    known = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "lxml" else known(name))
    assert "missing     lxml; pip install labelfree" in labelfree("doctor", "--quick").out


def test_the_doctor_comes_as_a_program():
    found = subprocess.run(
        [sys.executable, "-c", "from labelfree.cli import main; main()", "doctor", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Example: labelfree doctor" in found.stdout
