"""Where text comes from: strings, files, folders, streams and any mix of them, in pieces of bounded size."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeAlias

from labelfree.errors import InputError
from labelfree.limits import TextFile, check
from labelfree.lm.documents import HTML_SUFFIXES, XML_SUFFIXES, text_of_document
from labelfree.lm.epub import chapters

PIECE = 1 << 18
"""How many characters (or bytes, in files) are read at a time."""

GROUP = 1 << 24
"""How many bytes of files, at least, are counted together."""

TextSource: TypeAlias = str | bytes | Path | IO[str] | IO[bytes] | Iterable[Any]
"""Text itself (`str`, or UTF-8 in `bytes`), a file or folder, an open stream, or several of those.

Files are UTF-8, EPUB, HTML, hOCR, TEI, PAGE or ALTO, which their endings tell; each but EPUB may end in `.gz`.
"""

_LOOKED_AT = 4096  # bytes by which text is told from pictures and the like


def sequences_of_pieces(source: TextSource) -> Iterator[Iterator[str]]:
    """Give for each string, file and stream in a source the pieces of its text.

    Examples
    --------
    >>> [list(pieces) for pieces in sequences_of_pieces(["one text", b"another"])]
    [['one text'], ['another']]
    """
    if isinstance(source, str):
        yield _sliced(source)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        raw = bytes(source)
        yield _decoded((raw[at : at + PIECE] for at in range(0, len(raw), PIECE)), "the given bytes")
    elif isinstance(source, Path):
        for path in _files(source):
            yield _file(path)
    elif callable(getattr(source, "read", None)):
        yield _stream(source)  # type: ignore[arg-type]
    elif isinstance(source, Iterable):
        for part in source:
            if isinstance(part, int):
                raise InputError(f"text holds the number {part}; give strings, pathlib.Path objects or open streams")
            yield from sequences_of_pieces(part)
    else:
        raise InputError(
            f"text is {type(source).__name__}; give a string, a pathlib.Path, an open stream or an iterable of those"
        )


def groups_of_files(source: TextSource) -> list[list[Path]]:
    """The files of a source that is nothing but files, in groups that are counted together; else none."""
    listed = [source] if isinstance(source, Path) else source
    if not isinstance(listed, (list, tuple)) or not all(isinstance(each, Path) for each in listed):
        return []
    groups: list[list[Path]] = []
    size = GROUP
    for path in (path for each in listed for path in _files(each)):
        if size >= GROUP:
            groups.append([])
            size = 0
        groups[-1].append(path)
        size += path.stat().st_size
    return groups


def _sliced(text: str) -> Iterator[str]:
    for at in range(0, len(text), PIECE):
        yield text[at : at + PIECE]


def _files(path: Path) -> list[Path]:
    """List the files that a path stands for, in a fixed order; of a folder those that are text."""
    if path.is_dir():
        files = sorted(below for below in path.rglob("*") if below.is_file() and _is_text(below))
        if not files:
            raise InputError(f"{path} holds no file of text; name a folder with text in it")
        return files
    if not path.is_file():
        raise InputError(f"{path} is no file or folder; name one that exists")
    return [path]


def _is_text(path: Path) -> bool:
    """Whether a file of a folder is there to be read: it is not hidden, and is no picture or other data."""
    if path.name.startswith("."):
        return False
    if path.suffix.lower() in (".gz", ".epub"):
        return True
    try:
        with path.open("rb") as stream:
            return b"\0" not in stream.read(_LOOKED_AT)
    except OSError:
        return True  # whoever reads it says what is wrong


def _file(path: Path) -> Iterator[str]:
    kind = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if path.suffix.lower() == ".epub":
        yield from chapters(path)
        return
    with TextFile(path) as stream:
        if kind in (*HTML_SUFFIXES, *XML_SUFFIXES):
            content = bytearray()
            while piece := stream.read(PIECE):
                content += piece
                check(f"{path} has", len(content), "xml")
            yield text_of_document(bytes(content), str(path))
        else:
            yield from _decoded(iter(lambda: stream.read(PIECE), b""), str(path))


def _stream(stream: IO[str] | IO[bytes]) -> Iterator[str]:
    name = str(getattr(stream, "name", "the stream"))
    first: object = stream.read(PIECE)
    pieces: Iterator[Any] = chain([first], iter(lambda: stream.read(PIECE), type(first)()))
    if isinstance(first, bytes):
        yield from _decoded(pieces, name)
    elif isinstance(first, str):
        yield from pieces
    else:
        raise InputError(f"{name} gives {type(first).__name__} when read; open it as text or bytes")


def _decoded(pieces: Iterable[bytes], name: str) -> Iterator[str]:
    """Decode UTF-8 that may be cut anywhere."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    done = 0
    try:
        for piece in pieces:
            done += len(piece)
            text = decoder.decode(piece)
            if text:
                yield text
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.end].hex(" ")
        place = done - len(error.object) + error.start
        raise InputError(
            f"{name} is not UTF-8 near byte {place}: found {found} ({error.reason}); convert it to UTF-8"
        ) from None
