"""Small books as if they had been read, for the tests of what is written."""

import unicodedata
from pathlib import Path

from hypothesis import strategies as st
from PIL import Image

from labelfree.ocr.types import Box, Document, Glyph, Line, Page

WIDTH, HEIGHT = 900, 300
CELL = 12
SCHOLARS = "Dieſer ſchöne Æon: weiß, œuvre, naïve & <so> „fort“ §7"
GREEK_AND_RUSSIAN = "Ἀρχή καὶ τέλος; всё ещё идёт снег"


def line_of(text: str, top: int = 10, left: int = 5, confidence: float = 0.9, name: str = "") -> Line:
    """A line whose characters stand in cells of the same width."""
    glyphs = tuple(
        Glyph(character, Box(left + CELL * i, top, left + CELL * i + CELL - 1, top + 20), confidence)
        for i, character in enumerate(text)
    )
    return Line(Box(left, top, left + CELL * max(len(text), 1), top + 20), glyphs, name)


def page_of(*texts: str, source: Path = Path("scan.png"), index: int = 0, angle: float = 0.0) -> Page:
    lines = tuple(line_of(text, top=10 + 30 * i) for i, text in enumerate(texts))
    return Page(source, index, WIDTH, HEIGHT, lines, angle)


def document_of(*texts: str, source: Path = Path("scan.png")) -> Document:
    return Document((page_of(*texts, source=source),), "de", {"kl": 0.02, "alphabet": "abc"})


def drawn_document(folder: Path, *texts: str) -> Document:
    """A book whose page is there as a picture."""
    Image.new("L", (WIDTH, HEIGHT), 255).save(folder / "scan.png")
    return document_of(*texts, source=folder / "scan.png")


def two_columns() -> Page:
    """A wide head, a column on the left, one on the right; a ligature, an empty line, marks that jut out."""
    ligature = Glyph("ch", Box(40, 60, 60, 80), 0.8)
    juts_out = Glyph("Q", Box(60, 55, 72, 95), 1.0)
    beyond_the_page = Glyph("–", Box(880, 150, 905, 170), 0.0)
    left = Line(Box(10, 60, 80, 82), (line_of("a", 60, 10).glyphs[0], Glyph(" ", Box(22, 60, 40, 80), 0.7), ligature))
    lines = (
        line_of("A head across", 10, name="head"),
        Line(left.box, (*left.glyphs, juts_out), "same"),
        line_of("left again", 110, name="same"),
        Line(Box(400, 60, 500, 80), (), "7 not a name"),
        Line(Box(600, 150, 900, 170), (*line_of("right", 150, 600).glyphs, beyond_the_page)),
    )
    return Page(Path("leaf.tif"), 3, WIDTH, HEIGHT, lines, angle=0.5)


def printable(character: str) -> bool:
    return not unicodedata.category(character).startswith(("C", "Z"))


letters = st.characters(codec="utf-8", exclude_categories=("C", "Z")).filter(printable)
words = st.text(letters, min_size=1, max_size=8).map(lambda text: unicodedata.normalize("NFC", text))
texts = st.lists(words, min_size=1, max_size=5).map(" ".join)
pages_of_text = st.lists(texts, min_size=1, max_size=3)
