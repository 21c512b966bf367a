"""Locks that end with the process that holds them, however it ends."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_WAIT = 0.02  # seconds until a lock file is looked at again whose owner has not yet written its number
_LOOKS = 25


class HeldError(Exception):
    """Another process holds a lock; `process` is its number, or None where it does not say."""

    def __init__(self, process: int | None) -> None:
        super().__init__(process)
        self.process = process


@dataclass
class _Held:
    handle: int
    count: int


# A process that opens and closes a file that it has locked loses the lock, so it remembers which those are.
_held: dict[Path, _Held] = {}
_guard = threading.RLock()
os.register_at_fork(after_in_child=_held.clear)  # a child inherits no such lock


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold a lock file; gives whether this process did not hold it before. Raises `HeldError` where another does.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with held(Path(folder) / "lock") as outer, held(Path(folder) / "lock") as inner:
    ...         print(outer, inner, (Path(folder) / "lock").exists())
    ...     print((Path(folder) / "lock").exists())
    True False True
    False
    """
    with _guard:
        known = _held.get(path)
        if known is None:
            _held[path] = _Held(_taken(path), 1)
        else:
            known.count += 1
    try:
        yield known is None
    finally:
        with _guard:
            mine = _held.get(path)
            if mine is not None:
                mine.count -= 1
                if not mine.count:
                    _release(path)


def remove_if_free(path: Path) -> None:
    """Remove a lock file that no process holds."""
    with _guard, suppress(OSError, HeldError):
        if path not in _held:
            _held[path] = _Held(_taken(path, create=False), 1)
            _release(path)


def try_lock(handle: int) -> bool:
    """Lock an open file or folder that is about to be filled; children share the lock, and other processes see it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _taken(path: Path, *, create: bool = True) -> int:
    """The handle of a lock file that is locked, and still the one under its name."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT if create else 0), 0o644)
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            process = _owner(handle)
            os.close(handle)
            raise HeldError(process) from None
        except BaseException:
            os.close(handle)
            raise
        if _is_named(handle, path):
            os.ftruncate(handle, 0)
            os.pwrite(handle, b"%d\n" % os.getpid(), 0)
            return handle
        os.close(handle)


def _is_named(handle: int, path: Path) -> bool:
    """Whether an open file is the one that stands under a name; it may have been removed before it was locked."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False))  # noqa: PTH116 - not the target
    except FileNotFoundError:
        return False


def _owner(handle: int) -> int | None:
    for _ in range(_LOOKS):
        written = os.pread(handle, 32, 0).strip()
        if written.isdigit():
            return int(written)
        time.sleep(_WAIT)
    return None


def _release(path: Path) -> None:
    mine = _held.pop(path)
    with suppress(OSError):
        path.unlink()
    os.close(mine.handle)
