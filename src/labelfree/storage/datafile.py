"""Data files: `.npz` with `X`, `lengths`, and optionally `y` and `alphabet`, every field checked before use.

Those that need not fit memory are `.npy` files and folders of shards (`shards`).
"""

from __future__ import annotations

import math
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.lengths import as_lengths
from labelfree.limits import check, check_ratio
from labelfree.scale.rows import BLOCK, Rows, blocks
from labelfree.storage.shards import are_shards, read_shards

_HOW = "write it with numpy.savez(file, X=..., lengths=...)"
_PIECE = 1 << 20
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_ODD_ARCHIVE = (NotImplementedError, RuntimeError, UnicodeDecodeError, ValueError, OverflowError, struct.error)


@dataclass(frozen=True, eq=False)
class DataFile:
    """Sequences from a file.

    Attributes
    ----------
    path : Path
    X : array or Rows of shape (n_positions, n_features)
        Finite numbers; one column of integers holds symbols. In memory, or where they stand.
    lengths : array of int64
        They sum to the number of positions.
    y : array of int64, or None
        The true label of every position: its place in `alphabet`, or in the language model's where there is none.
    alphabet : tuple of str, or None
        The symbols that `y` numbers.
    """

    path: Path
    X: NDArray[Any] | Rows
    lengths: NDArray[np.int64]
    y: NDArray[np.int64] | None = None
    alphabet: tuple[str, ...] | None = None

    @property
    def is_symbols(self) -> bool:
        """Whether `X` is one column of integers."""
        return self.X.shape[1] == 1 and self.X.dtype.kind in "iu"

    def parts(self) -> Iterator[DataFile]:
        """Whole sequences at a time, in memory: about so many positions that each takes little of it."""
        ends = np.cumsum(self.lengths)
        first = 0
        while first < len(self.lengths):
            begin = int(ends[first] - self.lengths[first])
            last = max(first + 1, int(np.searchsorted(ends, begin + BLOCK, side="right")))
            mine = slice(begin, int(ends[last - 1]))
            y = None if self.y is None else self.y[mine]
            yield DataFile(self.path, np.asarray(self.X[mine]), self.lengths[first:last], y, self.alphabet)
            first = last

    def check_variety(self) -> None:
        """Refuse data from which nothing can be learned: fewer than two positions, or all alike."""
        if len(self.X) < 2:
            raise InputError(f"{self.path}: X has {len(self.X)} row, 2 or more wanted; give more data")
        first = self.X[0:1]
        if not any((self.X[block] != first).any() for block in blocks(len(self.X))):
            found = f"the same symbol, {first[0, 0]}," if self.is_symbols else "the same features"
            raise InputError(
                f"{self.path}: X holds {found} in all {len(self.X)} rows, at least 2 different wanted; give other data"
            )

    def check_language(self, alphabet: Alphabet) -> None:
        """Refuse an alphabet that has no symbol in common with the language model's."""
        if self.alphabet is not None and not set(self.alphabet) & set(alphabet):
            raise InputError(
                f"{self.path}: alphabet {_shown(self.alphabet)} shares no symbol with the language model's "
                f"{_shown(alphabet.symbols)}; use a language model of the same script"
            )

    def labels_in(self, alphabet: Alphabet) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """Number the true labels by the language model's alphabet.

        Returns
        -------
        labels : array of int64
        symbols : tuple of str
            What the numbers stand for: the language model's symbols, then those that only the file has.
        """
        if self.y is None:
            raise InputError(f"{self.path} holds no y, the true labels wanted to evaluate; add y to the file")
        self.check_language(alphabet)
        if self.alphabet is None:
            _check_range(self.path, self.y, len(alphabet), "the language model's alphabet")
            return self.y, alphabet.symbols
        extra = tuple(symbol for symbol in self.alphabet if symbol not in alphabet)
        symbols = alphabet.symbols + extra
        place = {symbol: i for i, symbol in enumerate(symbols)}
        return np.array([place[symbol] for symbol in self.alphabet])[self.y], symbols


def read_data(path: str | Path) -> DataFile:
    """Read a data file, with pickling off.

    Parameters
    ----------
    path : str or pathlib.Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "data.npz", X=[[2], [0], [1]], lengths=[2, 1], y=[0, 1, 0], alphabet="ab")
    ...     data = read_data(Path(folder) / "data.npz")
    >>> data.lengths, data.labels_in(Alphabet("ba"))[0]
    (array([2, 1]), array([1, 0, 1]))
    """
    path = Path(path)
    X: NDArray[Any] | Rows
    if are_shards(path):
        X, arrays = read_shards(path)  # numbers are looked at as they are read
        X = X[:] if X.shape[1] == 1 else X  # symbols, which are few bytes
    else:
        arrays = _arrays(path)
        X = _checked_inputs(path, arrays["X"])
    lengths = _checked_lengths(path, arrays["lengths"], len(X))
    alphabet = _checked_alphabet(path, arrays["alphabet"]) if "alphabet" in arrays else None
    y = _checked_labels(path, arrays["y"], len(X), alphabet) if "y" in arrays else None
    return DataFile(path, X, lengths, y, alphabet)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of the file that have a meaning here."""
    if not path.is_file():
        found = "is a folder" if path.is_dir() else "is not there"
        raise InputError(f"{path} {found}, an .npz file wanted; check the name")
    arrays = {}
    try:
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty, an .npz file wanted; {_HOW}")
        if not zipfile.is_zipfile(path):
            with path.open("rb") as stream:
                head = stream.read(8)
            raise InputError(f"{path} begins with {head!r}, a whole .npz file wanted; {_HOW}")
        with zipfile.ZipFile(path) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            for key in ("X", "lengths"):
                if key not in members:
                    listed = ascii(", ".join(list(members)[:9])[:200] or "nothing")[1:-1]
                    raise InputError(f"{path} holds {listed}, but no {key}; {_HOW}")
            for key in ("X", "lengths", "y", "alphabet"):
                if key in members:
                    arrays[key] = _array(f"{path}: {key}", archive, members[key])
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise InputError(f"{path} cannot be read ({error}), a whole .npz file wanted; copy or {_HOW}") from None
    except _ODD_ARCHIVE as error:  # members that are encrypted, packed in rare ways or named in no known script
        raise InputError(f"{path} is no archive of arrays ({_one_line(error)}), an .npz file wanted; {_HOW}") from None
    return arrays


def _array(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    """An array of numbers or text, its size checked against the archive's before there is memory for it."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"{name} is packed in a way that numpy never does; {_HOW}")
    with archive.open(info) as member:
        shape, is_fortran, dtype = _header(name, member)
        size = math.prod(shape) * dtype.itemsize
        if size != info.file_size - member.tell():
            raise InputError(
                f"{name} has {info.file_size - member.tell():,} bytes, {size:,} wanted, as its header says for an "
                f"array of {dtype} with shape {shape}; {_HOW}"
            )
        check(f"{name} has", size, "data")
        check_ratio(f"{name} has", size, info.compress_size)
        content = np.empty(size, np.uint8)
        n_read = 0
        while n_read < size and (piece := member.read(min(_PIECE, size - n_read))):
            content[n_read : n_read + len(piece)] = np.frombuffer(piece, np.uint8)
            n_read += len(piece)
        if n_read < size or member.read(1):  # the archive's own sum is compared at the end of a member
            raise InputError(f"{name} holds {n_read:,} bytes of the {size:,} that the archive promises; copy it again")
    return content.view(dtype).reshape(shape, order="F" if is_fortran else "C")


def _header(name: str, member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type of an array, as its header says."""
    try:
        version = np.lib.format.read_magic(member)
        if version not in _HEADERS:
            raise ValueError(f"version {version} of numpy's format")
        shape, is_fortran, dtype = _HEADERS[version](member)
    except Exception as error:  # numpy reads headers with Python's own tokens and parser, which fail in many ways
        raise InputError(f"{name} is no array, an array of numbers wanted ({_one_line(error)}); {_HOW}") from None
    if dtype.hasobject:
        raise InputError(f"{name} holds Python objects, an array of numbers wanted; {_HOW}")
    if dtype.kind not in "biufU" or not dtype.itemsize or min(shape, default=0) < 0:
        raise InputError(f"{name} is an array of {dtype} with shape {shape}, an array of numbers wanted; {_HOW}")
    return shape, is_fortran, dtype


def _checked_inputs(path: Path, X: NDArray[Any]) -> NDArray[Any]:
    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: X is an array of {X.dtype}, integers or floats wanted; convert it")
    if X.ndim == 1:
        X = X[:, None]
    if X.ndim != 2 or 0 in X.shape:
        raise InputError(f"{path}: X has shape {X.shape}, (positions, features) wanted; one row a position")
    if X.dtype.kind == "b":
        return X.astype(np.uint8)
    if X.dtype.kind == "f" and not (finite := np.isfinite(X)).all():
        bad = np.flatnonzero(~finite.all(1))
        raise InputError(
            f"{path}: X holds {int((~finite).sum())} values that are NaN or infinite, the first in row {bad[0]} "
            f"(of {len(bad)} such rows), finite numbers wanted; fill or remove them"
        )
    return X


def _checked_lengths(path: Path, lengths: NDArray[Any], n_positions: int) -> NDArray[np.int64]:
    try:
        return as_lengths(lengths, n_positions, least=1)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _checked_alphabet(path: Path, alphabet: NDArray[Any]) -> tuple[str, ...]:
    if alphabet.dtype.kind != "U" or alphabet.ndim > 1:
        raise InputError(
            f"{path}: alphabet is an array of {alphabet.dtype} with shape {alphabet.shape}, "
            "a string wanted; one character a symbol"
        )
    points = np.frombuffer(alphabet.tobytes(), np.dtype(np.uint32).newbyteorder(alphabet.dtype.byteorder))
    wrong = points[(points > sys.maxunicode) | ((points >= 0xD800) & (points < 0xE000))]
    if wrong.size:
        raise InputError(f"{path}: alphabet holds the number {wrong[0]:#x}, which is no character; {_HOW}")
    try:
        return Alphabet(str(alphabet) if alphabet.ndim == 0 else alphabet.tolist()).symbols
    except InputError as error:
        raise InputError(f"{path}: alphabet: {error}") from None


def _checked_labels(
    path: Path, y: NDArray[Any], n_positions: int, alphabet: tuple[str, ...] | None
) -> NDArray[np.int64]:
    if y.dtype.kind not in "iu" or y.shape != (n_positions,):
        raise InputError(
            f"{path}: y is an array of {y.dtype} with shape {y.shape}, integers of shape ({n_positions},) wanted; "
            "give one label a position"
        )
    if alphabet is not None:
        _check_range(path, y, len(alphabet), "the file's alphabet")
    return y.astype(np.int64)


def _check_range(path: Path, y: NDArray[Any], n_symbols: int, whose: str) -> None:
    bad = np.flatnonzero((y < 0) | (y >= n_symbols))
    if bad.size:
        raise InputError(
            f"{path}: y holds {y[bad[0]]} at place {bad[0]} ({bad.size} such labels), 0 to {n_symbols - 1} wanted, "
            f"places in {whose}; correct y, or add the alphabet it numbers"
        )


def _shown(symbols: tuple[str, ...]) -> str:
    text = "".join(symbols[:30])
    return repr(text if len(symbols) <= 30 else f"{text}...")


def _one_line(error: Exception) -> str:
    return " ".join(str(error)[:120].split())
