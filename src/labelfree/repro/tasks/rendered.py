"""Rendered print: real English in many typefaces, cut into tiles and degraded like a scan.

The sizes are the paper's, 153,221 tiles to learn from and 15,000 to test on. A sequence is a segment longer than 100
characters in one typeface and size. What is left of the text is for an in-domain language model.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.errors import InputError
from labelfree.files import write_aside
from labelfree.ocr.glyphs.tiles import SIDE, Tiles, stack
from labelfree.repro.tasks.boxed_line import cut_boxes
from labelfree.repro.tasks.printed import PrintTask, TileSequences
from labelfree.repro.tasks.spelling import segments_of, share_out, standard_library_english
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

TRAIN_TILES = 153_221
TEST_TILES = 15_000
SIZES = (24, 28, 32)  # pixels
_LAYOUT = 2  # of a cached file; another number for another way of setting or cutting


def rendered_task(
    segments: Iterable[str] | None = None,
    *,
    seed: int = 0,
    typefaces: Sequence[Path] | None = None,
    strength: float = 1.0,
    train_tiles: int = TRAIN_TILES,
    test_tiles: int = TEST_TILES,
    cache: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PrintTask:
    """Draw segments, set each in a typeface, degrade the lines and cut them into tiles.

    Parameters
    ----------
    segments : iterable of str, optional
        The pool, for example from `segments_of`; by default the English that ships with Python.
    seed : int
        Of the draw and the damage.
    typefaces : sequence of Path, optional
        By default those bundled with matplotlib.
    strength : float
        Of the damage; 0 for clean print.
    train_tiles, test_tiles : int
        Sizes of the two parts.
    cache : Path, optional
        A folder that keeps the tiles; by default the user's own, see `cache_folder`.
    progress : callable, optional
        Hears how many lines are done and how many there are.
    """
    pool = sorted(set(segments if segments is not None else segments_of(standard_library_english())))
    faces = tuple(typefaces) if typefaces is not None else bundled_typefaces()
    if not faces:
        raise InputError("no typeface given, at least one wanted; name .ttf or .otf files")
    train_text, test_text, rest = share_out(pool, train_tiles, test_tiles, np.random.default_rng(seed))
    texts = [*train_text, *test_text]
    key = _key(texts, faces, seed, strength)
    place = (cache_folder() if cache is None else cache) / f"rendered-{key}.npz"
    tiles = _cached(place, sum(map(len, texts)))
    if tiles is None:
        tiles = _set_and_cut(texts, faces, seed, strength, progress)
        _keep(place, tiles)
    n_train = sum(map(len, train_text))
    return PrintTask(
        _sequences(tiles[:n_train], train_text), _sequences(tiles[n_train:], test_text), tuple(rest), PAPER_ALPHABET
    )


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/labelfree``, or ``~/.cache/labelfree``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "labelfree"


def _set_and_cut(
    texts: list[str],
    faces: tuple[Path, ...],
    seed: int,
    strength: float,
    progress: Callable[[int, int], None] | None,
) -> Tiles:
    parts = []
    for i, text in enumerate(texts):
        rng = np.random.default_rng((seed, i))
        face, size = faces[rng.integers(len(faces))], int(rng.choice(SIZES))
        line = set_line(text, face, size, rng, strength=strength)
        parts.append(cut_boxes(line.ink, line.boxes))
        if progress is not None:
            progress(i + 1, len(texts))
    return stack(parts)


def _sequences(tiles: Tiles, texts: list[str]) -> TileSequences:
    labels = PAPER_ALPHABET.encode("".join(texts)).astype(np.int64)
    return TileSequences(tiles, labels, np.array([len(text) for text in texts]))


def _key(texts: list[str], faces: tuple[Path, ...], seed: int, strength: float) -> str:
    """A name for all that the tiles follow from."""
    digest = hashlib.sha256(repr((_LAYOUT, SIDE, SIZES, seed, strength, texts)).encode())
    for face in faces:
        digest.update(face.name.encode() + face.read_bytes() if face.is_file() else b"")
    return digest.hexdigest()[:20]


def _cached(place: Path, n_tiles: int) -> Tiles | None:
    """Tiles as they were kept, or None where there are none or they are damaged."""
    try:
        with place.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            tiles = Tiles(kept["images"], kept["geometry"])
    except Exception:  # whatever is wrong with a cached file, the tiles can be made again
        return None
    is_whole = tiles.images.shape == (n_tiles, SIDE, SIDE) and tiles.geometry.shape == (n_tiles, 4)
    return tiles if is_whole and tiles.images.dtype == np.uint8 else None


def _keep(place: Path, tiles: Tiles) -> None:
    """Keep tiles for the next time; a place that cannot be written is no reason to stop."""
    content = io.BytesIO()
    np.savez_compressed(content, images=tiles.images, geometry=tiles.geometry)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_aside(place, content.getvalue())
    except (OSError, InputError):
        return
