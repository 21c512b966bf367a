"""Every write: aside, flushed to the disk with its folder, and moved into place, so that nobody ever sees half of one.

What is written aside is called `.labelfree-*.part` and locked while it is filled. A killed process leaves it behind
without its lock; the next one that writes there removes it. A folder is replaced by exchanging two names at once.
Where a file system cannot do that, the former folder steps aside as `.labelfree-*.former`, and whoever next opens or
writes the folder puts it back if its successor did not arrive.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from labelfree import locks
from labelfree.errors import InputError, asked

_LONGEST_NAME = 255  # bytes, on all usual file systems
_PART = re.compile(r"\.labelfree-[0-9a-f]{16}\.part")
_LOCK = re.compile(r"\.labelfree-[0-9a-f]{16}\.lock")
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux

MayReplace = Callable[[Path], bool]
"""Says of a folder that is there whether it may go."""


def check_free(path: Path, *, force: bool, may_replace: MayReplace | None = None) -> None:
    """Refuse to write over what is there, unless told to, or where nothing of that name can be written.

    Parameters
    ----------
    path : Path
        Of a file, or of a folder where `may_replace` is given.
    force : bool
        Whether a regular file, or a folder that may go, may be replaced.
    may_replace : callable, optional

    Examples
    --------
    >>> check_free(Path("nowhere/model"), force=False)
    Traceback (most recent call last):
    labelfree.errors.InputError: nowhere is no folder; make it, or name another place for model
    """
    check_name(path)
    try:
        if not path.absolute().parent.is_dir():
            raise InputError(f"{path.parent} is no folder; make it, or name another place for {path.name}")
        is_there = os.path.lexists(path)
    except OSError as error:
        raise unwritable(path, error) from None
    if is_there and not force:
        raise InputError(
            f"{path} exists already, a free name wanted; name another place, or give "
            f"{asked('--force', 'force=True')} to replace it"
        )
    if is_there:
        _check_replaceable(path, may_replace)


@contextmanager
def output_at(path: Path, *, force: bool, may_replace: MayReplace | None = None) -> Iterator[None]:
    """Work on what will be written somewhere: as `check_free`, and no other process can write it meanwhile."""
    check_free(path, force=force, may_replace=may_replace)
    with claimed(path):
        check_free(path, force=force, may_replace=may_replace)  # as it is now that nobody else is at it
        yield


def write_aside(path: Path, content: bytes) -> None:
    """Write a whole file beside its place and move it there; it may replace a regular file, and nothing else.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_aside(Path(folder) / "text", b"once")
    ...     write_aside(Path(folder) / "text", b"again")
    ...     [(found.name, found.read_bytes()) for found in Path(folder).iterdir()]
    [('text', b'again')]
    """
    with file_aside(path) as stream:
        stream.write(content)


@contextmanager
def file_aside(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to fill, which takes its place when the block ends well and vanishes otherwise."""
    check_name(path)
    _check_replaceable(path)
    try:
        with _part(path.absolute().parent, is_folder=False) as (aside, handle):
            with os.fdopen(handle, "wb", closefd=False) as stream:
                yield stream
            os.fsync(handle)
            _check_replaceable(path)
            aside.replace(path)
            _sync(aside.parent)
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def folder_aside(path: Path, *, may_replace: MayReplace) -> Iterator[Path]:
    """Give an empty folder to fill, which takes its place when the block ends well and vanishes otherwise.

    Parameters
    ----------
    path : Path
        Where the folder goes. What is there now stays until the new one is whole.
    may_replace : callable
    """
    check_name(path)
    with claimed(path):
        _check_replaceable(path, may_replace)
        try:
            with _part(_real(path).parent, is_folder=True) as (aside, handle):
                yield aside
                os.fsync(handle)
                _install(aside, path, may_replace)
                _sync(aside.parent)
        except OSError as error:
            raise unwritable(path, error) from None


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Keep other processes from writing a file or folder, and clear away what killed ones left beside it."""
    place = _real(path)
    with ExitStack() as stack:
        try:
            if stack.enter_context(locks.held(_hidden(place, "lock"))):
                recover(path)
                remove_leftovers(place.parent)
        except locks.HeldError as other:
            whose = "another process" if other.process is None else f"process {other.process}"
            raise InputError(f"{path} is being written by {whose}; wait for it, or name another place") from None
        except OSError as error:
            raise unwritable(path, error) from None
        yield


def recover(path: Path) -> None:
    """Put a folder back under its name whose successor did not arrive, or remove it where that did."""
    place = _real(path)
    former = _hidden(place, "former")
    if not former.is_dir() or former.is_symlink():
        return
    with suppress(OSError, locks.HeldError), locks.held(_hidden(place, "lock")):
        if os.path.lexists(place):
            shutil.rmtree(former, ignore_errors=True)
        else:
            former.rename(place)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes had begun to write in a folder."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return
    for name in names:
        if _PART.fullmatch(name):
            _remove_part(folder / name)
        elif _LOCK.fullmatch(name):
            locks.remove_if_free(folder / name)


def remove_folder(path: Path) -> None:
    """Remove a folder and all in it; whenever that is stopped, it is there whole or not at all."""
    aside = path.absolute().with_name(_part_name())
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(path, error) from None
    shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder for files that are needed for a moment."""
    place = Path(tempfile.gettempdir())
    remove_leftovers(place)
    try:
        with _part(place, is_folder=True, mode=0o700) as (folder, _):
            yield folder
    except OSError as error:
        raise unwritable(place, error) from None


def unwritable(path: Path, error: OSError) -> InputError:
    """One line for what the system said."""
    return InputError(f"{path} cannot be written ({error.strerror or error}); name another place")


def check_name(path: Path) -> None:
    """Refuse a name that no file can bear."""
    size = len(os.fsencode(path.name))
    if size > _LONGEST_NAME:
        shown = f"{path.name[:40]}..."
        raise InputError(f"{shown} is a name of {size} bytes, at most {_LONGEST_NAME} wanted; give a shorter one")


def _check_replaceable(path: Path, may_replace: MayReplace | None = None) -> None:
    """Refuse to replace anything but a regular file, or a folder that may go."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(path, error) from None
    if may_replace is not None:
        if not stat.S_ISDIR(mode) or not may_replace(path):
            raise InputError(f"{path} is there and is no model folder; name another place, or remove it yourself")
    elif not stat.S_ISREG(mode):
        kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe"}
        kind = kinds.get(stat.S_IFMT(mode), "a device or a socket")
        raise InputError(
            f"{path} cannot be written: it is {kind}, a regular file or a free name wanted; name another place"
        )


@contextmanager
def _part(parent: Path, *, is_folder: bool, mode: int = 0o777) -> Iterator[tuple[Path, int]]:
    """A new file or folder with a name that tells what it is, open and locked; removed unless it was moved away."""
    aside, handle = _new_part(parent, is_folder, mode)
    try:
        yield aside, handle
    finally:
        _remove(aside)
        os.close(handle)


def _new_part(parent: Path, is_folder: bool, mode: int) -> tuple[Path, int]:
    while True:
        aside = parent / _part_name()
        if is_folder:
            aside.mkdir(mode)
            flags = os.O_RDONLY | os.O_DIRECTORY
        else:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        try:
            handle = os.open(aside, flags | os.O_NOFOLLOW, mode & 0o666)
        except FileNotFoundError:  # another process removed the folder as a leftover
            continue
        locks.try_lock(handle)  # where a file system has no locks, leftovers stay
        if aside.exists():  # nobody took it for a leftover before it was locked
            return aside, handle
        os.close(handle)


def _remove_part(aside: Path) -> None:
    """Remove what was written aside, unless a process is at it."""
    with suppress(OSError):
        handle = os.open(aside, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if locks.try_lock(handle):
                _remove(aside)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _install(aside: Path, path: Path, may_replace: MayReplace) -> None:
    """Move a folder to its place; what was there is aside afterwards, or gone."""
    place = _real(path)
    if not os.path.lexists(place):
        aside.rename(place)
    elif _exchange(aside, place):
        if not may_replace(aside):  # something came into the folder while the new one was filled
            _exchange(aside, place)
            _check_replaceable(path, may_replace)
    else:
        _check_replaceable(path, may_replace)
        former = _hidden(place, "former")
        place.rename(former)
        try:
            aside.rename(place)
        finally:
            recover(path)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    found = ctypes.get_errno()
    if found in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
        return False
    raise OSError(found, os.strerror(found), str(other))


def _sync(folder: Path) -> None:
    """Have the names in a folder written to the disk, where its file system can."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def _real(path: Path) -> Path:
    """Where a name leads, so that two names of one folder are known as one."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path} cannot be looked up ({error}); name another place") from None


def _hidden(place: Path, kind: str) -> Path:
    """Where the lock or the former folder of a place is."""
    return place.with_name(f".labelfree-{hashlib.sha256(os.fsencode(place.name)).hexdigest()[:16]}.{kind}")


def _part_name() -> str:
    return f".labelfree-{secrets.token_hex(8)}.part"
