"""What the files written for each page are called.

A page's files have the stem of its image: ``scans/0001.png`` gives ``0001.txt``. The pages of a file with several are
counted: ``scan_0001``, ``scan_0002``. Where images in different folders share a stem, all files go into folders named
as those of the images, below the folder that holds them all. Images of one folder that differ only in their ending
keep it: ``0001.png.txt``. So does an image named ``book``, the name of the files for the whole. Names that differ only
in capitals count as the same, as some file systems have it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

from labelfree.ocr.types import PageKey

WHOLE = "book"
"""Stem of the files that hold all pages."""

RUNNING = f"{WHOLE}.text"
"""Stem of the file that holds them as running text."""


class FreeNames:
    """Names, none of them given twice."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {str(Path(name)).casefold() for name in taken}

    def take(self, *wishes: Path) -> Path:
        """The first wish that is free, or the last one counted on."""
        counted = (wishes[-1].with_name(f"{wishes[-1].name}-{number}") for number in count(2))
        name = next(wish for wish in chain(wishes, counted) if str(wish).casefold() not in self._taken)
        self._taken.add(str(name).casefold())
        return name


def output_stems(pages: Sequence[PageKey]) -> list[Path]:
    """For each page, given as file and index, the relative path of its files without their ending.

    Examples
    --------
    >>> [stem.as_posix() for stem in output_stems([(Path("a/x.png"), 0), (Path("a/y.tif"), 0), (Path("a/y.tif"), 1)])]
    ['x', 'y_0001', 'y_0002']
    """
    folders = _folders(dict.fromkeys(source for source, _ in pages))
    pages_in = Counter(source for source, _ in pages)
    free = FreeNames([WHOLE, RUNNING])
    stems = []
    for source, index in pages:
        number = f"_{index + 1:04d}" if pages_in[source] > 1 else ""
        folder = folders[source]
        stems.append(free.take(folder / (source.stem + number), folder / (source.name + number)))
    return stems


def _folders(sources: Iterable[Path]) -> dict[Path, Path]:
    """The folder for each source's files: the same for all unless two of the stems would meet there."""
    parents = {source: Path(os.path.normpath(source.absolute().parent)) for source in sources}
    homes: dict[str, set[Path]] = {}
    for source, parent in parents.items():
        homes.setdefault(source.stem.casefold(), set()).add(parent)
    if all(len(places) == 1 for places in homes.values()):
        return dict.fromkeys(parents, Path())
    shared = os.path.commonpath([*parents.values()])
    return {source: parent.relative_to(shared) for source, parent in parents.items()}
