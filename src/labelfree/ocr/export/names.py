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

from labelfree.ocr.types import Page

WHOLE = "book"
"""Stem of the files that hold all pages."""


class FreeNames:
    """Names given out, none of them twice."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {str(Path(name)).casefold() for name in taken}

    def take(self, *wishes: Path) -> Path:
        """The first wish that is free, or the last one counted on."""
        counted = (wishes[-1].with_name(f"{wishes[-1].name}-{number}") for number in count(2))
        name = next(wish for wish in chain(wishes, counted) if str(wish).casefold() not in self._taken)
        self._taken.add(str(name).casefold())
        return name


def output_stems(pages: Sequence[Page]) -> list[Path]:
    """For each page the relative path of its files, without their ending.

    Examples
    --------
    >>> pages = [Page(Path(name), i, 9, 9, ()) for name, i in (("a/x.png", 0), ("a/y.tif", 0), ("a/y.tif", 1))]
    >>> [stem.as_posix() for stem in output_stems(pages)]
    ['x', 'y_0001', 'y_0002']
    """
    folders = _folders(dict.fromkeys(page.source for page in pages))
    pages_in = Counter(page.source for page in pages)
    free = FreeNames([WHOLE])
    stems = []
    for page in pages:
        number = f"_{page.index + 1:04d}" if pages_in[page.source] > 1 else ""
        folder = folders[page.source]
        stems.append(free.take(folder / (page.source.stem + number), folder / (page.source.name + number)))
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
