"""How large the report on a book of 50 pages is, how long it takes to make, and how soon a browser has shown it.

    python benchmarks/report.py [--pages 50] [--lines 40] [--doubtful 0.05] [--json]

Pages are set in a typeface that comes with matplotlib, with dirt, and taken as read with a share of doubtful
characters, each with three alternatives. Where Chromium and its driver are there, the time until the page is loaded is
told, too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from labelfree.lm import NGramLM
from labelfree.ocr.types import Box, Document, Glyph, Line, Page
from labelfree.progress import Record
from labelfree.report.book import write_report
from labelfree.report.grams import Grams
from labelfree.report.record import BookRecord
from labelfree.report.verdict import Verdict
from labelfree.repro.tasks.spelling import standard_library_english

MOST_BYTES = 5_000_000
_SIZE, _ROW, _MARGIN, _WIDTH = 40, 62, 120, 1500
_CHARACTERS = 52  # of a line
_DIRT = 0.002


def printed(folder: Path, n_pages: int, n_lines: int, doubtful: float) -> BookRecord:
    """A book as it is read."""
    words = " ".join(" ".join(standard_library_english()).split())
    face = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSerif.ttf"), _SIZE)
    rng, pages, at = np.random.default_rng(0), [], 0
    for number in range(n_pages):
        sheet = Image.new("L", (_WIDTH, 2 * _MARGIN + _ROW * n_lines), 230)
        pen, lines = ImageDraw.Draw(sheet), []
        for row in range(n_lines):
            text = words[at : at + _CHARACTERS].strip()
            at = (at + _CHARACTERS) % (len(words) - _CHARACTERS)
            lines.append(_line(pen, face, text, _MARGIN + _ROW * row, doubtful, rng))
        grey = np.asarray(sheet).copy()
        grey[rng.random(grey.shape) < _DIRT] = 40
        path = folder / f"{number:03}.png"
        Image.fromarray(grey).save(path)
        pages.append(Page(path, 0, *sheet.size, tuple(lines)))
    document = Document(tuple(pages), "en")
    others = {
        (p, i, g): (("c", 0.31), ("o", 0.12), ("ſ", 0.04))
        for p, page in enumerate(pages)
        for i, line in enumerate(page.lines)
        for g, glyph in enumerate(line.glyphs)
        if glyph.confidence < 0.9
    }
    lm = NGramLM.from_text(words[:200_000], order=2)
    read = [lm.alphabet.encode(line.text) for page in pages for line in page.lines]
    search = tuple(Record("spdg", i, tuple(rng.random(max(1, 10 >> i // 4))), 0.0) for i in range(16))
    return BookRecord(document, Verdict(True, "", doubtful / 3), others, search, (), Grams.compare(lm, read))


def _line(
    pen: ImageDraw.ImageDraw,
    face: ImageFont.FreeTypeFont,
    text: str,
    top: int,
    doubtful: float,
    rng: np.random.Generator,
) -> Line:
    glyphs, x = [], float(_MARGIN)
    for character in text:
        pen.text((x, top), character, font=face, fill=25)
        left, upper, right, lower = face.getbbox(character)
        box = Box(int(x + left), int(top + upper), int(x + max(right, left + 1)) + 1, int(top + lower) + 1)
        sure = rng.uniform(0.2, 0.9) if rng.random() < doubtful else 0.98
        glyphs.append(Glyph(character, box, round(float(sure), 3)))
        x += face.getlength(character)
    return Line(Box.around(glyph.box for glyph in glyphs), tuple(glyphs))


def seconds_to_show(path: Path) -> float | None:
    """Seconds until the browser has loaded the page, if there is one."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        return None
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        began = time.perf_counter()
        browser.get(path.as_uri())
        return time.perf_counter() - began
    finally:
        browser.quit()


def main() -> int:
    """Make the book, its report, and say how large that is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--doubtful", type=float, default=0.05)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record = printed(folder, given.pages, given.lines, given.doubtful)
        began = time.perf_counter()
        path = write_report(record, folder / "report.html")
        seconds = time.perf_counter() - began
        size, shown = path.stat().st_size, seconds_to_show(path)
        pictures = path.read_text("utf-8").count("<div class=picture>")
    row = {
        "book": f"{given.pages} pages of {given.lines} lines, {given.doubtful:.0%} doubtful",
        "bytes": size,
        "lines with pictures": pictures,
        "seconds to make": round(seconds, 1),
        "seconds to show": None if shown is None else round(shown, 2),
    }
    n_lines = given.pages * given.lines
    checks = [
        {"name": "bytes", "value": size, "wanted": f"below {MOST_BYTES}", "ok": size < MOST_BYTES},
        {"name": "lines with pictures", "value": pictures, "wanted": n_lines, "ok": pictures == n_lines},
    ]
    if given.json:
        print(json.dumps({"rows": [row], "checks": checks}))
    else:
        print("\n".join(f"{key:<22}{value}" for key, value in row.items()))
    return 0 if all(check["ok"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
