"""How large what is read may be, checked before memory is taken; whoever trusts a file may raise any of the limits.

A limit stands in `LIMITS` and is raised by the environment variable `LABELFREE_LIMITS`, such as ``image=2G,pages=1M``,
or by `labelfree --limit image=2G`, which sets that variable for one command.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from labelfree.errors import InputError, asked

VARIABLE = "LABELFREE_LIMITS"


class Limit(NamedTuple):
    """The usual value of a limit, and what it bounds."""

    usual: int
    bounds: str


LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "data": Limit(8 << 30, "bytes of an array of a data file, unpacked"),
        "ratio": Limit(200, "how many times its packed size a data file or gzip may have unpacked, beyond 64 MB"),
        "image": Limit(512 << 20, "bytes of a page's image, unpacked"),
        "pages": Limit(100_000, "pages of one file"),
        "xml": Limit(64 << 20, "bytes of a PAGE, ALTO, TEI or HTML file, or of a chapter of an EPUB"),
        "epub": Limit(512 << 20, "bytes of the chapters of an EPUB, unpacked"),
        "text": Limit(64 << 20, "bytes of a file of hints, or of a transcription"),
        "cipher": Limit(16 << 20, "bytes of a ciphertext"),
        "ngrams": Limit(100_000_000, "N-grams of one ARPA file"),
        "symbols": Limit(100_000, "symbols of one ARPA file"),
        "line": Limit(64 << 10, "bytes of a line of an ARPA file"),
        "card": Limit(64 << 20, "bytes of a JSON file of a model"),
        "model": Limit(4 << 30, "bytes of a file of arrays of a model, or of a checkpoint"),
    }
)
"""Every limit on what is read, by its name."""

_FREE = 64 << 20  # bytes that may be unpacked from however little
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SETTING = re.compile(r"\s*([a-z]+)\s*=\s*([0-9]{1,18})([KMGT]?)\s*")
_MOST_DIGITS = 18  # of a whole number in JSON


def limit(name: str) -> int:
    """The limit in force.

    Examples
    --------
    >>> limit("pages")
    100000
    """
    return _raised(os.environ.get(VARIABLE, "")).get(name, LIMITS[name].usual)


def raise_limits(settings: str) -> None:
    """Set limits for this process and those that it starts, such as ``image=2G,pages=1M``."""
    _raised(settings)
    before = os.environ.get(VARIABLE, "")
    os.environ[VARIABLE] = f"{before},{settings}" if before else settings


@contextmanager
def restoring_limits() -> Iterator[None]:
    """Have limits that are raised in the block be as before when it ends."""
    before = os.environ.get(VARIABLE)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before


def _raised(settings: str) -> dict[str, int]:
    found = {}
    for setting in filter(str.strip, settings.split(",")):
        match = _SETTING.fullmatch(setting)
        if match is None or match[1] not in LIMITS:
            raise InputError(
                f"limit {setting.strip()[:60]!r} found, NAME=SIZE wanted, such as image=2G, with one of the names "
                f"{', '.join(LIMITS)}; correct {asked('--limit', VARIABLE)}"
            )
        found[match[1]] = int(match[2]) * _UNITS[match[3]]
    return found


def how_to_raise(name: str, wanted: int) -> str:
    """What lets pass a file that is to be trusted, for the end of a message."""
    unit = next((unit for unit in "TGMK" if wanted >= _UNITS[unit]), "")
    setting = f"{name}={-(-wanted // _UNITS[unit])}{unit}"
    return f"allow {asked(f'labelfree --limit {setting} ...', f'{VARIABLE}={setting}')}"


def check(what: str, found: int, name: str, unit: str = "bytes", advice: str = "") -> None:
    """Refuse what is beyond a limit; `what` names it in the message, with a verb, `advice` comes first in its advice.

    Examples
    --------
    >>> check("a.pdf has", 3 << 20, "pages", "pages")
    Traceback (most recent call last):
    labelfree.errors.InputError: a.pdf has 3,145,728 pages, at most 100,000 wanted; allow LABELFREE_LIMITS=pages=3M
    """
    if found > (most := limit(name)):
        raise InputError(f"{what} {found:,} {unit}, at most {most:,} wanted; {advice}{how_to_raise(name, found)}")


def check_ratio(what: str, unpacked: int, packed: int) -> None:
    """Refuse what a file promises to become many times its size."""
    most = limit("ratio")
    if unpacked > max(_FREE, most * packed):
        times = -(-unpacked // max(packed, 1))
        raise InputError(
            f"{what} {unpacked:,} bytes unpacked, from {packed:,}: at most {most} times as much wanted; "
            f"{how_to_raise('ratio', times)}"
        )


def read_bounded(path: Path, name: str) -> bytes:
    """The content of a regular file that is no larger than a limit."""
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise InputError(f"{path} is no regular file, one wanted; name another")
            check(f"{path} has", status.st_size, name)
            return stream.read(status.st_size)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}); check the file") from None


def read_json(path: Path, advice: str) -> tuple[str, dict[str, Any]]:
    """The text of a JSON file, and what it holds; `advice` ends the message where it is none. See `parse_json`."""
    content = read_bounded(path, "card")
    try:
        text = content.decode("utf-8")
        return text, parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not whole JSON ({error}); {advice}") from None


def parse_json(text: str, *, infinite: bool = False) -> dict[str, Any]:
    """The object that a JSON text holds; its numbers fit 63 bits and, unless told, are finite.

    Its strings can be written as UTF-8.

    Examples
    --------
    >>> parse_json('{"kl": 1e400}')
    Traceback (most recent call last):
    ValueError: the number 1e400 is not finite
    """
    text.encode("utf-8")
    of_constant: Any = float if infinite else _no_constant
    found = json.loads(text, parse_int=_whole, parse_float=float if infinite else _finite, parse_constant=of_constant)
    if not isinstance(found, dict):
        raise ValueError(f"a {type(found).__name__} found, an object wanted")
    if "\\u" in text:  # a lone surrogate can be escaped in JSON, but not written as text
        json.dumps(found, ensure_ascii=False).encode("utf-8")
    return found


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits.lstrip('-'))} digits found, at most {_MOST_DIGITS} wanted")
    return int(digits)


def _finite(digits: str) -> float:
    found = float(digits)
    if not math.isfinite(found):
        raise ValueError(f"the number {digits[:40]} is not finite")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} found, a finite number wanted")


class TextFile(io.RawIOBase):
    """A file to read from its beginning to its end, unpacked where its name ends in `.gz`, but not without bound.

    What goes wrong is said in one line, with the name of the file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._n_read = 0
        try:
            self._raw = path.open("rb")
            self._packed = os.fstat(self._raw.fileno()).st_size
        except OSError as error:
            raise self._unreadable(error) from None
        self._is_packed = path.suffix == ".gz"
        self._stream: Any = gzip.GzipFile(fileobj=self._raw) if self._is_packed else self._raw

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or as much of it as there is."""
        view = memoryview(buffer)
        try:
            piece = self._stream.read(len(view))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{self._path} is not whole gzip data ({error}); write or compress it again") from None
        except OSError as error:
            raise self._unreadable(error) from None
        view[: len(piece)] = piece
        self._n_read += len(piece)
        if self._is_packed:
            check_ratio(f"{self._path} has", self._n_read, self._packed)
        return len(piece)

    def close(self) -> None:
        """Let go of the file."""
        self._raw.close()
        super().close()

    def _unreadable(self, error: OSError) -> InputError:
        return InputError(f"{self._path} cannot be read ({error.strerror or error}); check the file")
