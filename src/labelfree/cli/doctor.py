"""`labelfree doctor`: what this installation has, what it lacks, and whether it works."""

from __future__ import annotations

import platform
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from labelfree._version import __version__
from labelfree.cli.options import Json
from labelfree.files import scratch_folder

_LIBRARIES = (
    "torch",
    "numpy",
    "scipy",
    "scikit-learn",
    "safetensors",
    "pillow",
    "pypdfium2",
    "lxml",
    "jinja2",
    "wordfreq",
)
_PACKAGES = {
    "matplotlib": ("the paper's figures, and the print of the demo", "pip install 'labelfree[repro]'"),
    "starlette": ("the studio, labelfree serve", "pip install 'labelfree[studio]'"),
    "uvicorn": ("the studio, labelfree serve", "pip install 'labelfree[studio]'"),
    "ocrmypdf": ("searchable PDFs by OCRmyPDF", "pip install 'labelfree[ocrmypdf]'"),
}
_PROGRAMS = {"tesseract": ("--layout tesseract, and comparisons", "apt-get install tesseract-ocr")}
_PLAIN = (
    "when the long winter was over the people of the village walked down to the river to see whether the bridge had "
    "been carried away by the ice and found it still in its place with a few boards broken and a boat lying across the "
    "road where the water had left it and the children asked if they might keep it for the summer"
)
_KEY_STEP = 7


def doctor(
    json: Json = False,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the self-test.")] = False,
) -> None:
    """Tell what this installation has and lacks, and whether it works, in about ten seconds.

    Example: labelfree doctor

    Exit code 1 says that a test failed. What is optional may be missing.
    """
    from labelfree.cli.show import as_facts, as_json

    facts = _facts()
    optional = _optional()
    tests = [] if quick else [_tested(name, test) for name, test in _TESTS.items()]
    if json:
        as_json({**facts, "optional": optional, "tests": tests})
    else:
        as_facts(
            [
                *facts.items(),
                *((part["name"], _of_part(part)) for part in optional),
                *((test["name"], _of_test(test)) for test in tests),
            ]
        )
    if not all(test["ok"] for test in tests):
        raise typer.Exit(1)


def _facts() -> dict[str, object]:
    from labelfree.workers import n_workers

    libraries = {name: _version(name) for name in _LIBRARIES}
    missing = [name for name, found in libraries.items() if found is None]
    return {
        "labelfree": f"{__version__} in {Path(__file__).parents[1]}",
        "python": f"{platform.python_version()}, {sys.executable}",
        "system": platform.platform(),
        "cores": n_workers(),
        "libraries": ", ".join(f"{name} {found}" for name, found in libraries.items() if found),
        **({"missing": ", ".join(missing) + "; pip install labelfree"} if missing else {}),
    }


def _optional() -> list[dict[str, Any]]:
    packages = {name: _version(name) for name in _PACKAGES}
    programs = {name: shutil.which(name) for name in _PROGRAMS}
    return [
        {"name": name, "found": found, "for": purpose, "how": how}
        for found_of, about in ((packages, _PACKAGES), (programs, _PROGRAMS))
        for name, (purpose, how) in about.items()
        for found in (found_of[name],)
    ]


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _of_part(part: dict[str, Any]) -> str:
    return str(part["found"]) if part["found"] else f"not found, wanted for {part['for']}: {part['how']}"


def _of_test(test: dict[str, Any]) -> str:
    return (
        f"{'works' if test['ok'] else 'FAILS'}, {test['seconds']:.1f} s{': ' if test['found'] else ''}{test['found']}"
    )


def _tested(name: str, test: Callable[[], str]) -> dict[str, Any]:
    """Run a test; whatever it raises is what was found."""
    began = perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = test()
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return {"name": name, "ok": not found, "found": found, "seconds": perf_counter() - began}


def _cipher() -> str:
    """Break a cipher whose key is a shift."""
    from labelfree import NGramLM, decipher

    letters = "abcdefghijklmnopqrstuvwxyz"
    shifted = str.maketrans(letters, letters[_KEY_STEP:] + letters[:_KEY_STEP])
    read = decipher(_PLAIN.translate(shifted), NGramLM.from_language("en", order=4), seed=0).text.strip()
    wrong = sum(one != other for one, other in zip(read, _PLAIN, strict=False)) + abs(len(read) - len(_PLAIN))
    return "" if wrong <= len(_PLAIN) // 20 else f"{wrong} of {len(_PLAIN)} letters of a cipher read wrongly"


def _model() -> str:
    """Learn a small code, keep it, open it again, and read with it."""
    import numpy as np

    from labelfree import NGramLM, SequenceClassifier, load, save

    text = "abacabad" * 20 + "abcadaba" * 20
    X = np.array([[ord(sign) - 90] for sign in text])
    fitted = SequenceClassifier(NGramLM.from_text(text, order=3), order=3, n_init=3, random_state=0).fit(X)
    with scratch_folder() as folder:
        save(fitted, folder / "model")
        again = load(folder / "model")
    if not np.array_equal(again.predict_proba(X), fitted.predict_proba(X)):
        return "a model that was kept predicts otherwise than before"
    wrong = sum(sign != read for sign, read in zip(text, again.lm.alphabet.decode(again.predict(X)), strict=True))
    return "" if wrong <= len(text) // 20 else f"{wrong} of {len(text)} signs of a code read wrongly"


def _scan() -> str:
    """Find the lines of a page."""
    from PIL import Image, ImageDraw, ImageFont

    from labelfree.ocr import read_lines

    page = Image.new("L", (900, 420), 255)
    for number in range(4):
        ImageDraw.Draw(page).text((60, 60 + 80 * number), _PLAIN[:40], 0, ImageFont.load_default(36))
    with scratch_folder() as folder:
        page.save(folder / "page.png")
        n_found = sum(len(found.lines) for found in read_lines([folder / "page.png"], "page"))
    return "" if n_found == 4 else f"{n_found} lines found on a page of 4"


_TESTS: dict[str, Callable[[], str]] = {"a cipher": _cipher, "a model": _model, "a scan": _scan}
