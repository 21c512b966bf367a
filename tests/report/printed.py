"""Small printed books as if they had been read: every glyph's box is known, some are doubtful."""

from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.ocr.types import Box, Document, Glyph, Line, Page
from labelfree.progress import Record
from labelfree.report.grams import Grams
from labelfree.report.record import BookRecord
from labelfree.report.verdict import Verdict

SIZE, HEIGHT, MARGIN = 34, 60, 40
TEXT = (
    "the ferry leaves the old harbour long before sunrise and nobody",
    "on the quay waves a lantern any more when quiet mills turn",
    "beside the river their wheels were mended in spring by six",
    "joiners from the next valley where a grey heron waits among",
)
SEARCH = (
    Record("spdg", 100, (0.9, 0.7, 0.8, 0.6), 0.0),
    Record("spdg", 200, (0.4, 0.5), 0.0),
    Record("full batch", 100, (0.1,), 0.0),
    Record("refine", 0, (0.3,), 0.0),
)


def print_pages(folder: Path, pages: list[tuple[str, ...]], *, names: list[str] | None = None) -> Document:
    """Draw pages and say what a perfect reader would, but for every seventh glyph, which it doubts."""
    face = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSerif.ttf"), SIZE)
    found = []
    for number, texts in enumerate(pages):
        sheet = Image.new("L", (1600, 2 * MARGIN + HEIGHT * len(texts)), 235)
        pen, lines = ImageDraw.Draw(sheet), []
        for i, text in enumerate(texts):
            lines.append(_line(pen, face, text, MARGIN + HEIGHT * i))
        source = folder / (names[number] if names else f"page{number}.png")
        sheet.save(source, "PNG")
        found.append(Page(source, 0, *sheet.size, tuple(lines)))
    return Document(tuple(found), "en", {"kl": 0.1})


def _line(pen: ImageDraw.ImageDraw, face: ImageFont.FreeTypeFont, text: str, top: int) -> Line:
    glyphs, x = [], float(MARGIN)
    for i, character in enumerate(text):
        pen.text((x, top), character, font=face, fill=20)
        left, upper, right, lower = face.getbbox(character)
        box = Box(int(x + left), int(top + upper), int(np.ceil(x + max(right, left + 1))), int(top + lower) + 1)
        glyphs.append(Glyph(character, box, (0.95, 0.8, 0.6, 0.3)[(i // 7) % 4] if i % 7 == 3 else 0.99))
        x += face.getlength(character)
    return Line(Box.around(glyph.box for glyph in glyphs), tuple(glyphs), f"line{top}")


def record_of(document: Document, *, believed: bool = True, reason: str = "It fits the language.") -> BookRecord:
    """A record as reading leaves it; doubtful glyphs might be an x."""
    text = "\n".join(line.text for page in document.pages for line in page.lines)
    alphabet = Alphabet("".join(sorted(set(text) - {"\n"} | {"z"})))
    lm = NGramLM.from_text("the quiet ferry waits z " + text, alphabet, 2)
    lines = [alphabet.encode(line) for line in text.splitlines()]
    others = {
        (p, i, g): (("x", 0.25), ("é", 0.1))
        for p, page in enumerate(document.pages)
        for i, line in enumerate(page.lines)
        for g, glyph in enumerate(line.glyphs)
        if glyph.confidence < 0.9
    }
    return BookRecord(
        document, Verdict(believed, reason, 0.025), others, SEARCH, (0.05, 0.03), Grams.compare(lm, lines)
    )


def misread(document: Document, was: str, now: str) -> Document:
    """The same with a word read as another of its length, throughout."""
    pages = []
    for page in document.pages:
        lines = []
        for line in page.lines:
            text = "".join(glyph.text for glyph in line.glyphs).replace(was, now)
            glyphs = tuple(replace(glyph, text=c) for glyph, c in zip(line.glyphs, text, strict=True))
            lines.append(replace(line, glyphs=glyphs))
        pages.append(replace(page, lines=tuple(lines)))
    return replace(document, pages=tuple(pages))
