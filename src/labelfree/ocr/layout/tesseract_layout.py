"""Pages to lines with Tesseract's layout analysis in place of our own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.layout.outlines import outlined_lines
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.sources.images import PageImage
from labelfree.ocr.types import PageLines

_PROGRAM = "tesseract"
_LINE_LEVEL = 4
_SECONDS = 300


def tesseract_lines(page: PageImage, settings: LayoutSettings = DEFAULT, language: str = "eng") -> PageLines:
    """Find the lines of a page as the program ``tesseract`` sees them.

    Parameters
    ----------
    page : PageImage
        The page.
    settings : LayoutSettings, optional
    language : str
        Tesseract's code of a language that is installed; it reads the page too, though only its lines are used.
    """
    boxes = parse_lines(_run(page, language))
    corners = [np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float64) for x0, y0, x1, y1 in boxes]
    height, width = page.grey.shape
    return outlined_lines(page, corners, (width, height), settings)


def parse_lines(table: str) -> list[tuple[int, int, int, int]]:
    r"""Boxes of the lines in Tesseract's table of tab-separated values; what is no line is passed over.

    Examples
    --------
    >>> parse_lines("level\tpage_num\n4\t1\t1\t1\t1\t0\t10\t20\t300\t40\t-1\t\n5\t1\n")
    [(10, 20, 310, 60)]
    """
    boxes = []
    for row in table.splitlines():
        fields = row.split("\t")
        try:
            level, left, top, width, height = (int(fields[place]) for place in (0, 6, 7, 8, 9))
        except (ValueError, IndexError):
            continue
        if level == _LINE_LEVEL and width > 0 and height > 0:
            boxes.append((left, top, left + width, top + height))
    return boxes


def _run(page: PageImage, language: str) -> str:
    program = shutil.which(_PROGRAM)
    if program is None:
        raise InputError(
            f"no program {_PROGRAM} found for {page.source}; install it (Debian: apt install tesseract-ocr), "
            "or leave its layout out"
        )
    with tempfile.TemporaryDirectory(prefix="labelfree-") as folder:
        image = Path(folder) / "page.png"
        Image.fromarray(page.grey).save(image, compress_level=1, dpi=(300, 300))
        try:
            done = subprocess.run(  # noqa: S603
                [program, str(image), "stdout", "-l", language, "--psm", "3", "tsv"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"{page.source}: {_PROGRAM} failed ({error}); leave its layout out") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[-1] if said else f"exit code {done.returncode}"
        raise InputError(f"{page.source}: {_PROGRAM} failed ({reason}); check the language, or leave its layout out")
    return done.stdout.decode("utf-8", "replace")
