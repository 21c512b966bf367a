"""Scans of all sorts made for tests: line images and pages in several scripts, photographs, noise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.repro.tasks.spelling import standard_library_english
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

_LINE = re.compile(r".{30,48}\s")
GERMAN = (
    "der alte müller ging am morgen über die brücke und sah, wie das wasser unter den bögen rauschte. "
    "niemand wußte, woher die fremden kamen, doch jeder im dorf hatte sie schon einmal gesehen. "
    "als der schnee geschmolzen war, fanden die kinder im garten einen schlüssel aus schwarzem eisen. "
    "die großmutter erzählte nichts davon, sondern legte ihn in die schublade zu den anderen. "
    "im herbst brannte jeden abend licht in der werkstatt, und man hörte das hämmern bis zum kirchplatz. "
)
GREEK = (
    "ο γέρος ψαράς κάθισε δίπλα στη βάρκα και κοίταζε τη θάλασσα ώσπου βράδιασε. κανείς δεν ήξερε από πού ήρθαν τα "
    "πουλιά, μα κάθε άνοιξη γύριζαν στην ίδια στέγη. το ψωμί ήταν ζεστό, το νερό κρύο και ο δρόμος μακρύς. "
    "η κόρη του μυλωνά έγραφε γράμματα που δεν έστελνε ποτέ σε κανέναν. "
)


@cache
def english_paragraphs() -> list[str]:
    """Paragraphs of small letters, commas and full stops."""
    paragraphs = sorted({" ".join(each.split()).lower() for each in standard_library_english()})
    return [each for each in paragraphs if len(each) > 200 and re.fullmatch("[a-z ,.]+", each)]


def english_lines(count: int) -> list[str]:
    """Lines of every third paragraph; the others are for the language model."""
    return [line.strip() for each in english_paragraphs()[::3] for line in _LINE.findall(each)][:count]


def english_text() -> str:
    """The paragraphs that `english_lines` leaves."""
    return "\n".join(each for i, each in enumerate(english_paragraphs()) if i % 3)


def lines_of(text: str, count: int, seed: int = 0) -> list[str]:
    """Lines of a text's words in random order."""
    rng = np.random.default_rng(seed)
    words = text.split()
    return [" ".join(rng.choice(words, 7)) for _ in range(count)]


def ink_of(text: str, seed: int, size: int = 32) -> NDArray[np.bool_]:
    """A line of print."""
    face = next(path for path in bundled_typefaces() if path.stem == "DejaVuSerif")
    return np.asarray(set_line(text, face, size, np.random.default_rng(seed), strength=0.1).ink >= 0.5)


def save_lines(folder: Path, lines: Iterable[str]) -> Path:
    """Line images with their truth beside them, in a new folder."""
    folder.mkdir()
    for i, line in enumerate(lines):
        Image.fromarray(~ink_of(line, i)).save(folder / f"{i:03}.png")
        (folder / f"{i:03}.gt.txt").write_text(line + "\n", encoding="utf-8")
    return folder


def page_of(lines: Iterable[str]) -> Image.Image:
    """A page of lines."""
    inks = [ink_of(line, i) for i, line in enumerate(lines)]
    width = max(ink.shape[1] for ink in inks)
    rows = [np.pad(ink, ((0, 0), (80, 80 + width - ink.shape[1]))) for ink in inks]
    return Image.fromarray(~np.pad(np.vstack(rows), ((80, 80), (0, 0))))


def photograph(side: int = 900) -> Image.Image:
    """Soft light, grain and blobs."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:side, 0:side] / side
    light = 140 + 70 * np.sin(3 * x + y) * np.cos(2 * y)
    for _ in range(25):
        (cx, cy), radius = rng.random(2), rng.uniform(0.02, 0.15)
        light += rng.uniform(-90, 60) * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / radius**2)
    return Image.fromarray(np.clip(light + rng.normal(0, 6, (side, side)), 0, 255).astype(np.uint8))
