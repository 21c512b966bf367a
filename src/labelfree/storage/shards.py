"""Features that need not fit memory: `.npy` files and folders of shards, mapped and not read.

A `.npy` file holds `X`; `NAME.lengths.npy` and `NAME.y.npy` beside it, if they are there, say where its sequences end
and what is true of them. A folder holds `shard-*.npz`, written by `numpy.savez` and so not packed, or
`shard-*.safetensors`; each has `X` and `lengths`, and maybe `y`. Shards follow each other in the order of their names;
no sequence goes on from one to the next.
"""

from __future__ import annotations

import json
import math
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.limits import check, parse_json
from labelfree.scale.rows import Rows

Arrays = dict[str, NDArray[Any]]

_KINDS = "shard-*.npz or shard-*.safetensors"
_LOCAL = struct.Struct("<4s5H3L2H")  # the header of a member of a zip file: name and extra field follow it
_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "<i1", "U8": "<u1", "I16": "<i2", "I32": "<i4", "I64": "<i8"}
_SMALL = ("lengths", "y", "alphabet")  # arrays of a shard that are read, X being mapped


def are_shards(path: Path) -> bool:
    """Whether this module reads what is there."""
    return path.suffix == ".npy" or path.is_dir()


def read_shards(path: Path) -> tuple[Rows, Arrays]:
    """The rows of a `.npy` file or of a folder, where they stand, and their other arrays, in memory."""
    found = [_npy(path)] if not path.is_dir() else [_READERS[shard.suffix](shard) for shard in _names(path)]
    first = found[0]
    for shard, arrays in zip(_names(path) if path.is_dir() else [path], found, strict=True):
        X, wanted = arrays["X"], first["X"]
        if X.ndim != 2 or X.dtype.kind not in "iuf" or 0 in X.shape:
            raise InputError(
                f"{shard}: X is {X.dtype} of shape {X.shape}, numbers, a row a position, wanted; convert it"
            )
        if (X.shape[1], X.dtype) != (wanted.shape[1], wanted.dtype):
            raise InputError(
                f"{shard}: X has {X.shape[1]} columns of {X.dtype}, {wanted.shape[1]} of {wanted.dtype} wanted as in "
                "the first shard; write all alike"
            )
        if arrays.keys() != first.keys():
            raise InputError(f"{shard} holds {sorted(arrays)}, {sorted(first)} wanted as in the first; write all alike")
        if int(arrays["lengths"].sum()) != len(X):
            raise InputError(f"{shard}: lengths sum to {int(arrays['lengths'].sum())}, {len(X)} wanted, the rows of X")
    others: Arrays = {
        name: np.concatenate([arrays[name] for arrays in found]) for name in ("lengths", "y") if name in first
    }
    if "alphabet" in first:
        others["alphabet"] = first["alphabet"]
    return Rows([arrays["X"] for arrays in found]), others


def _names(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.glob("shard-*") if path.suffix in _READERS)
    if not found:
        raise InputError(f"{folder} is a folder without {_KINDS}; write shards, or name a file")
    return found


def _npy(path: Path) -> Arrays:
    if not path.is_file():
        raise InputError(f"{path} is not there, a .npy file wanted; check the name")
    X = _mapped(path, 0, path.stat().st_size)
    found = {"X": X[:, None] if X.ndim == 1 else X, "lengths": np.array([len(X)])}
    for name in ("lengths", "y"):
        beside = path.with_suffix(f".{name}.npy")
        if beside.is_file():
            found[name] = np.array(_mapped(beside, 0, beside.stat().st_size))
    return found


def _npz(path: Path) -> Arrays:
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name != "X" and name not in _SMALL:
                    continue
                if info.compress_type != zipfile.ZIP_STORED:
                    raise InputError(
                        f"{path}: {name} is packed, which cannot be mapped; write shards with numpy.savez, not "
                        "savez_compressed"
                    )
                with path.open("rb") as stream:
                    stream.seek(info.header_offset)
                    header = _LOCAL.unpack(stream.read(_LOCAL.size))
                begin = info.header_offset + _LOCAL.size + header[-2] + header[-1]
                mapped = _mapped(path, begin, info.file_size)
                found[name] = mapped if name == "X" else np.array(mapped)
    except (zipfile.BadZipFile, OSError, struct.error) as error:
        raise InputError(f"{path} is no whole .npz file ({error}); write it again with numpy.savez") from None
    return _whole(path, found)


def _mapped(path: Path, begin: int, size: int) -> NDArray[Any]:
    """An array of numpy's format somewhere in a file, as a memory map."""
    try:
        with path.open("rb") as stream:
            stream.seek(begin)
            version = np.lib.format.read_magic(stream)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, is_fortran, dtype = read(stream)
            first = stream.tell()
        if dtype.hasobject:
            raise ValueError("it holds Python objects")
        if math.prod(shape) * dtype.itemsize != size - (first - begin):
            raise ValueError(f"{size - (first - begin):,} bytes for an array of {dtype} with shape {shape}")
        return np.memmap(path, dtype, "r", first, shape, "F" if is_fortran else "C")
    except (ValueError, OSError, SyntaxError) as error:
        told = " ".join(str(error)[:120].split())
        raise InputError(f"{path} cannot be mapped ({told}); write it with numpy.save or numpy.savez") from None


def _safetensors(path: Path) -> Arrays:
    found: Arrays = {}
    try:
        with path.open("rb") as stream:
            (size,) = struct.unpack("<Q", stream.read(8))
            check(f"{path}: its header has", size, "card")
            about = parse_json(stream.read(size).decode())
        for name, entry in about.items():
            if name not in ("X", "lengths", "y"):
                continue
            first, last = entry["data_offsets"]
            dtype, shape = np.dtype(_TYPES[entry["dtype"]]), tuple(entry["shape"])
            if last - first != math.prod(shape) * dtype.itemsize or path.stat().st_size < 8 + size + last:
                raise ValueError(f"{name} has {last - first} bytes")
            mapped = np.memmap(path, dtype, "r", 8 + size + first, shape)
            found[name] = mapped if name == "X" else np.array(mapped)
        alphabet = about.get("__metadata__", {}).get("alphabet")
    except (ValueError, KeyError, TypeError, OSError, struct.error, json.JSONDecodeError) as error:
        if isinstance(error, InputError):
            raise
        told = " ".join(str(error)[:120].split())
        raise InputError(f"{path} is no whole safetensors file ({told}); write it with safetensors.numpy") from None
    if alphabet is not None:
        found["alphabet"] = np.array(alphabet)
    return _whole(path, found)


def _whole(path: Path, found: Arrays) -> Arrays:
    for name in ("X", "lengths"):
        if name not in found:
            raise InputError(
                f"{path} holds {', '.join(sorted(found)) or 'nothing'}, but no {name}; write X and lengths"
            )
    return found


_READERS: dict[str, Callable[[Path], Arrays]] = {".npz": _npz, ".safetensors": _safetensors}
