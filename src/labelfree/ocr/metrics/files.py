"""Which text that was read belongs to which true text, by the names of their files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from labelfree.errors import InputError
from labelfree.limits import read_bounded
from labelfree.ocr.export import PAIRS_FOLDER
from labelfree.ocr.sources.names import RUNNING, WHOLE

_ENDING = re.compile(r"(\.gt)?\.txt$")


@dataclass(frozen=True)
class TextPairs:
    """What was read and what is true.

    Attributes
    ----------
    texts : tuple of (str, str or None, str)
        The name of each true text, what was read for it (None for nothing), and the truth.
    extra : tuple of str
        Names of what was read for which there is no truth.
    """

    texts: tuple[tuple[str, str | None, str], ...]
    extra: tuple[str, ...] = ()


def text_pairs(out: Path, truth: Path) -> TextPairs:
    """Read text files and their truth; the parameters are those of `score`."""
    if out.is_file() and truth.is_file():
        return TextPairs(((truth.name, _read(out), _read(truth)),))
    read, true = _texts_below(out, "read"), _texts_below(truth, "truth")
    if not true:
        raise InputError(f"{truth} holds no .txt or .gt.txt file; name the folder of the true texts")
    partner = _pair(read, true)
    if not partner:
        raise InputError(
            f"no file of {len(read)} in {out} has the name of one of the {len(true)} in {truth}, such as "
            f"{min(true)}.txt; name the folders whose files belong together"
        )
    used = set(partner.values())
    extra = [name for name in read if name not in {*used, WHOLE, RUNNING} and Path(name).parts[0] != PAIRS_FOLDER]
    texts = ((name, _read(read[partner[name]]) if name in partner else None, _read(true[name])) for name in true)
    return TextPairs(tuple(texts), tuple(extra))


def _texts_below(folder: Path, side: Literal["read", "truth"]) -> dict[str, Path]:
    """The text files of a folder by their path in it without ending; ``.gt.txt`` is first choice for the truth only."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; two folders of text files wanted, or two text files")
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.txt")):
        name = _ENDING.sub("", path.relative_to(folder).as_posix())
        first_choice = path.name.endswith(".gt.txt") == (side == "truth")
        if path.is_file() and (first_choice or name not in found):
            found[name] = path
    return found


def _pair(read: dict[str, Path], true: dict[str, Path]) -> dict[str, str]:
    """For names of the truth the name in the reading."""
    read_alone, true_alone = _alone(read), _alone(true)
    same_stem = {name: read_alone[stem] for stem, name in true_alone.items() if stem in read_alone}
    return same_stem | {name: name for name in true if name in read}


def _alone(texts: Iterable[str]) -> dict[str, str]:
    """The names by their last part, where no other name has the same."""
    names = [name for name in texts if Path(name).parts[0] != PAIRS_FOLDER]
    times = Counter(Path(name).name for name in names)
    return {Path(name).name: name for name in names if times[Path(name).name] == 1}


def _read(path: Path) -> str:
    try:
        return read_bounded(path, "text").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8; text in UTF-8 wanted: convert it") from None
