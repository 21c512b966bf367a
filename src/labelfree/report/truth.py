"""What was read against the truth, where that lies beside the scans or in a folder that a person names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from labelfree.errors import InputError
from labelfree.ocr.export import output_stems
from labelfree.ocr.metrics import Score, score_texts
from labelfree.ocr.types import Document

_MOST_BYTES = 2**24
_CONFUSIONS = 16


@dataclass(frozen=True)
class Change:
    """A stretch of a line: what was read, and the truth where that differs."""

    read: str
    truth: str

    @property
    def is_right(self) -> bool:
        """Whether both are the same."""
        return self.read == self.truth


@dataclass(frozen=True)
class Compared:
    """A document held against the truth; `lines` has the changes of each line, by the number of its page."""

    score: Score
    lines: Mapping[int, tuple[tuple[Change, ...], ...]]


def compare(document: Document, folder: Path | None = None) -> Compared | None:
    """Hold pages against their true texts, in a folder or else beside the scans; None where there are none.

    The truth of a page is NAME.gt.txt, or in a folder also NAME.txt, for the NAME that its own files have.
    """
    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder} is no folder; name the one that the true texts are in")
    stems = output_stems([page.key for page in document.pages])
    texts: dict[int, tuple[str, str]] = {}
    for p, (page, stem) in enumerate(zip(document.pages, stems, strict=True)):
        beside = [page.source.parent / f"{stem.name}.gt.txt"]
        named = [folder / f"{name}{end}" for name in (stem, stem.name) for end in (".gt.txt", ".txt")] if folder else []
        path = next((path for path in (named if folder else beside) if path.is_file()), None)
        if path is not None:
            texts[p] = (stem.name, _text(path))
    if not texts:
        if folder is not None:
            raise InputError(f"{folder} holds no truth such as {stems[0].name}.gt.txt; name the folder of true texts")
        return None
    if not any(truth.strip() for _, truth in texts.values()):
        return None
    score = score_texts([(name, document.pages[p].text, truth) for p, (name, truth) in texts.items()], top=_CONFUSIONS)
    lines = {p: changes([line.text for line in document.pages[p].lines], truth) for p, (_, truth) in texts.items()}
    return Compared(score, lines)


def changes(lines: Sequence[str], truth: str) -> tuple[tuple[Change, ...], ...]:
    r"""What of the truth stands against each line that was read.

    Examples
    --------
    >>> changes(["tbe cat", "sat"], "the cat\nsat.")[0]
    (Change(read='t', truth='t'), Change(read='b', truth='h'), Change(read='e cat', truth='e cat'))
    """
    true = "\n".join(line.rstrip() for line in truth.splitlines()).rstrip()
    read = "\n".join(lines)
    found: list[list[Change]] = [[]]
    for op in Levenshtein.opcodes(read, true):
        was, wanted = read[op.src_start : op.src_end], true[op.dest_start : op.dest_end]
        parts = was.split("\n")
        for i, part in enumerate(parts):
            if i:
                found.append([])
            stands = part if op.tag == "equal" else (wanted if i == len(parts) - 1 else "").replace("\n", "⏎")
            if part or stands:
                found[-1].append(Change(part, stands))
    return tuple(tuple(line) for line in found)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(
                f"{path} is larger than {_MOST_BYTES // 2**20} MB, the text of a page wanted; leave it out"
            )
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8; text in UTF-8 wanted: convert it") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}); name another folder") from None
