"""The type specimen: how each symbol looks on average, where it looks most like itself, and where least.

Glyphs are brought to one size by the book's x-height and laid on one baseline, so that their mean is sharp.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.ocr.types import Document, Glyph, Page
from labelfree.report.alternatives import Place
from labelfree.report.pictures import LineSheet, data_uri

LITTLE_SUPPORT = 5  # places below which a symbol may be a mistake
HEIGHT, WIDTH, BASELINE, X_HEIGHT = 64, 96, 45, 18  # of a glyph that was brought to size
_MOST_SAMPLES = 240  # of each symbol, half of them the least sure
_N_TYPICAL, _N_STRANGE = 3, 6
_SHIFTS = 1  # pixels by which a glyph may be moved, twice, to lie on the mean
_CONTEXT = 3.0  # x-heights shown on either side of a place
_CONTEXT_HEIGHT = 40
_GREYS_OF_MEAN = 16
_SAME = 0.7  # share of its ink that a symbol has in common with another that looks much like it
_SELDOM = 0.1  # times the places of that other that it has at most, to be taken for a mistake

Tile = NDArray[np.float32]


@dataclass(frozen=True)
class Sample:
    """A place where a symbol stands: its picture among its neighbours, and where in that it begins and ends, 0 to 1."""

    place: Place
    picture: str
    begin: float
    end: float
    confidence: float
    word: str


@dataclass(frozen=True)
class Specimen:
    """One symbol of the learned alphabet.

    Attributes
    ----------
    symbol : str
    count : int
        Places where it was read.
    confidence : float
        Mean over them.
    mean : str
        The mean of its glyphs as a picture, empty where no scan shows one.
    width : float
        Of the mean's ink, in x-heights.
    typical, strange : tuple of Sample
        Most and least like the mean.
    looks_like : str
        A far more frequent symbol that looks much the same; empty where there is none.
    """

    symbol: str
    count: int
    confidence: float
    mean: str = ""
    width: float = 0.0
    typical: tuple[Sample, ...] = ()
    strange: tuple[Sample, ...] = ()
    looks_like: str = ""

    @property
    def has_little_support(self) -> bool:
        """Whether it was read so seldom that it may be a mistake."""
        return self.count < LITTLE_SUPPORT

    @property
    def family(self) -> str:
        """Capitals, small letters, figures or points."""
        return family(self.symbol)


@dataclass(eq=False)
class _Seen:
    """What was gathered of a symbol."""

    tiles: list[Tile] = field(default_factory=list)
    samples: list[tuple[Place, LineSheet, int]] = field(default_factory=list)


def family(symbol: str) -> str:
    """What kind of symbol it is.

    Examples
    --------
    >>> [family(each) for each in ("A", "ch", "ſ", "7", ",", "α", "ب")]
    ['capitals', 'small letters', 'small letters', 'figures', 'points', 'small letters', 'letters']
    """
    kind = unicodedata.category(symbol[0]) if symbol else "Zs"
    kinds = {"Lu": "capitals", "Lt": "capitals", "Ll": "small letters", "Nd": "figures", "No": "figures"}
    return kinds.get(kind, "letters" if kind.startswith("L") else "points")


class SpecimenSheet:
    """Gathers glyphs while lines pass by, and then draws the alphabet."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._places = _places(document)
        self._chosen = {place for places in self._places.values() for place in _chosen(places, document)}
        self._x_height = x_height(document.pages)
        self._seen: dict[str, _Seen] = {symbol: _Seen() for symbol in self._places}

    def see(self, page_number: int, page: Page, sheets: Sequence[LineSheet | None]) -> None:
        """Take the glyphs that were chosen off a page's lines."""
        own_x_height = x_height([page]) if sum(len(line.glyphs) for line in page.lines) > 200 else self._x_height
        for i, (line, sheet) in enumerate(zip(page.lines, sheets, strict=True)):
            wanted = [g for g in range(len(line.glyphs)) if (page_number, i, g) in self._chosen]
            if sheet is None or not wanted:
                continue
            for g, tile in zip(wanted, glyph_tiles(sheet, wanted, own_x_height * sheet.scale), strict=True):
                if tile is not None:
                    seen = self._seen[line.glyphs[g].text]
                    seen.tiles.append(tile)
                    seen.samples.append(((page_number, i, g), sheet, g))

    def draw(self) -> tuple[Specimen, ...]:
        """Every symbol that was read, in the order of the alphabet."""
        means = {symbol: mean_glyph(np.stack(seen.tiles)) for symbol, seen in self._seen.items() if seen.tiles}
        twins = look_alikes({symbol: mean for symbol, (mean, _) in means.items()}, self._counts)
        return tuple(
            self._specimen(symbol, *means[symbol], twins.get(symbol, ""))
            if symbol in means
            else Specimen(symbol, self._counts[symbol], self._sure(symbol))
            for symbol in sorted(self._places, key=alphabetically)
        )

    @property
    def _counts(self) -> dict[str, int]:
        return {symbol: len(places) for symbol, places in self._places.items()}

    def _sure(self, symbol: str) -> float:
        return float(np.mean([self._confidence(place) for place in self._places[symbol]]))

    def _specimen(self, symbol: str, mean: Tile, distances: NDArray[np.float64], looks_like: str) -> Specimen:
        seen = self._seen[symbol]
        nearest = np.argsort(distances, kind="stable").tolist()
        n_strange = min(_N_STRANGE, max(len(nearest) - _N_TYPICAL, 0))
        furthest = nearest[::-1][:n_strange]
        columns = np.flatnonzero(mean.max(0) > 0.2)
        first, last = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, 1)
        cut = mean[:, max(first - 2, 0) : last + 2]
        picture = Image.fromarray(np.uint8(np.round(255 * (1 - np.clip(1.25 * cut, 0, 1)))))
        return Specimen(
            symbol,
            self._counts[symbol],
            self._sure(symbol),
            data_uri(picture, _GREYS_OF_MEAN),
            cut.shape[1] / X_HEIGHT,
            tuple(self._sample(*seen.samples[i]) for i in nearest[:_N_TYPICAL]),
            tuple(self._sample(*seen.samples[i]) for i in furthest),
            looks_like,
        )

    def _confidence(self, place: Place) -> float:
        p, i, g = place
        return self._document.pages[p].lines[i].glyphs[g].confidence

    def _sample(self, place: Place, sheet: LineSheet, g: int) -> Sample:
        p, i, _ = place
        line = self._document.pages[p].lines[i]
        x0, _, x1, _ = sheet.spans[g].tolist()
        around = _CONTEXT * self._x_height * sheet.scale
        rows, columns = sheet.grey.shape
        left, right = int(max(x0 - around, 0)), int(min(max(x1 + around, x0 + 1), columns))
        right = max(right, left + 1)
        cut = Image.fromarray(sheet.grey[:, left:right])
        small = cut.resize((max(1, round(cut.width * _CONTEXT_HEIGHT / rows)), _CONTEXT_HEIGHT))
        wide = right - left
        return Sample(
            place,
            data_uri(small),
            min(max((x0 - left) / wide, 0.0), 1.0),
            min(max((x1 - left) / wide, 0.0), 1.0),
            line.glyphs[g].confidence,
            word_at(line.glyphs, g),
        )


def mean_glyph(tiles: NDArray[np.float32]) -> tuple[Tile, NDArray[np.float64]]:
    """The mean of glyphs moved to lie on each other, and how far each is from it (0 alike, 1 nothing in common)."""
    mean = np.median(tiles, axis=0)
    for _ in range(2):
        tiles = _moved_onto(tiles, mean)
        mean = tiles.mean(0)
    shared = np.minimum(tiles, mean).sum((1, 2))
    distances = 1 - shared / np.maximum(np.maximum(tiles, mean).sum((1, 2)), 1e-6)
    close = np.argsort(distances, kind="stable")[: max(1, round(0.8 * len(tiles)))]
    return tiles[close].mean(0).astype(np.float32), distances.astype(np.float64)


def look_alikes(means: Mapping[str, Tile], counts: Mapping[str, int]) -> dict[str, str]:
    """For rare symbols that look much like a frequent one, that one: what was read wrongly shows so."""
    symbols = sorted(means, key=lambda symbol: (-counts[symbol], symbol))
    tiles = np.stack([means[symbol] for symbol in symbols]) if symbols else np.empty((0, HEIGHT, WIDTH), np.float32)
    found = {}
    for i, symbol in enumerate(symbols[1:], 1):
        others = _moved_onto(tiles[:i], tiles[i])
        alike = np.minimum(others, tiles[i]).sum((1, 2)) / np.maximum(np.maximum(others, tiles[i]).sum((1, 2)), 1e-6)
        twin = symbols[int(alike.argmax())]
        if alike.max() > _SAME and counts[symbol] <= _SELDOM * counts[twin]:
            found[symbol] = twin
    return found


def x_height(pages: Iterable[Page]) -> float:
    """The usual height of a glyph, in pixels of the page: most letters of a text are small ones."""
    heights = [
        glyph.box.height
        for page in pages
        for line in page.lines
        for glyph in line.glyphs
        if glyph.text[:1].islower() and glyph.text in "acemnorsuvwxzαειονσυω"
    ]
    heights = heights or [g.box.height for p in pages for line in p.lines for g in line.glyphs if not g.is_space]
    return max(4.0, float(np.median(heights))) if heights else 20.0


def _places(document: Document) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for p, page in enumerate(document.pages):
        for i, line in enumerate(page.lines):
            for g, glyph in enumerate(line.glyphs):
                if not glyph.is_space:
                    found.setdefault(glyph.text, []).append((p, i, g))
    return found


def _chosen(places: Sequence[Place], document: Document) -> list[Place]:
    """Some of the places from all over the book, and the least sure of the others."""
    half = _MOST_SAMPLES // 2
    if len(places) <= _MOST_SAMPLES:
        return list(places)
    spread = [places[i * len(places) // half] for i in range(half)]
    sure: Mapping[Place, float] = {(p, i, g): document.pages[p].lines[i].glyphs[g].confidence for p, i, g in places}
    return [*spread, *sorted(set(places) - set(spread), key=lambda place: (sure[place], place))[:half]]


def glyph_tiles(sheet: LineSheet, wanted: Sequence[int], x_height: float) -> list[Tile | None]:
    """Glyphs brought to size on one baseline, ink 1 and paper 0."""
    heights = sheet.spans[:, 3] - sheet.spans[:, 1]
    letters = sheet.spans[(heights > 0.7 * x_height) & (heights < 1.7 * x_height)]
    baseline = float(np.median(letters[:, 3])) if len(letters) else float(np.median(sheet.spans[:, 3]))
    picture, by = Image.fromarray(255 - sheet.grey), X_HEIGHT / x_height
    return [_tile(picture, sheet.spans[g], baseline, by) for g in wanted]


def _tile(picture: Image.Image, span: NDArray[np.float64], baseline: float, by: float) -> Tile | None:
    x0, _, x1, _ = span.tolist()
    if x1 - x0 < 1 or (x1 - x0) * by > 4 * WIDTH:
        return None
    middle = (x0 + x1) / 2
    window = (
        middle - WIDTH / 2 / by,
        baseline - BASELINE / by,
        middle + WIDTH / 2 / by,
        baseline + (HEIGHT - BASELINE) / by,
    )
    tile = picture.transform((WIDTH, HEIGHT), Image.Transform.EXTENT, window, Image.Resampling.BICUBIC, fillcolor=0)
    ink = np.asarray(tile, np.float32) / 255
    own = np.abs(np.arange(WIDTH) + 0.5 - WIDTH / 2) <= (x1 - x0) * by / 2 + 1.0
    ink = ink * own
    return ink if ink.max() > 0.3 else None


def _moved_onto(tiles: NDArray[np.float32], mean: NDArray[np.floating]) -> NDArray[np.float32]:
    """Every glyph moved by a few pixels to where it has most in common with the mean."""
    best = np.full(len(tiles), -np.inf)
    found = tiles.copy()
    for dy in range(-_SHIFTS, _SHIFTS + 1):
        for dx in range(-_SHIFTS, _SHIFTS + 1):
            score = np.einsum("nij,ij->n", tiles, np.roll(mean, (-dy, -dx), (0, 1))) - 1e-3 * (abs(dx) + abs(dy))
            better = score > best
            best[better] = score[better]
            found[better] = np.roll(tiles[better], (dy, dx), (1, 2))
    return found


def word_at(glyphs: Sequence[Glyph], g: int) -> str:
    """The word that a glyph stands in."""
    first, last = g, g
    while first > 0 and not glyphs[first - 1].is_space:
        first -= 1
    while last + 1 < len(glyphs) and not glyphs[last + 1].is_space:
        last += 1
    return "".join(glyph.text for glyph in glyphs[first : last + 1])


def alphabetically(symbol: str) -> tuple[int, str, str, str]:
    """What sorts symbols: by family, then as in a dictionary."""
    order = ("capitals", "small letters", "letters", "figures", "points")
    base = unicodedata.normalize("NFKD", symbol).casefold()
    return order.index(family(symbol)), base, symbol.casefold(), symbol
