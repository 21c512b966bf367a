"""Files and folders written aside and moved into place, so that nobody ever sees half of one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from labelfree.errors import InputError


def check_free(path: Path, *, force: bool) -> None:
    """Refuse to write over what is there, unless told to, or where there is no folder to write in.

    Examples
    --------
    >>> check_free(Path("nowhere/model"), force=False)
    Traceback (most recent call last):
    labelfree.errors.InputError: nowhere is no folder; make it, or name another place for model
    """
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path.parent} is no folder; make it, or name another place for {path.name}")
    if not force and (path.exists() or path.is_symlink()):
        raise InputError(
            f"{path} exists already, a free name wanted; name another place, or give --force to replace it"
        )


def write_aside(path: Path, content: bytes) -> None:
    """Write a whole file beside its place and move it there.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_aside(Path(folder) / "text", b"once")
    ...     write_aside(Path(folder) / "text", b"again")
    ...     [(found.name, found.read_bytes()) for found in Path(folder).iterdir()]
    [('text', b'again')]
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    except OSError as error:
        raise unwritable(path, error) from None
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        aside.chmod(0o666 & ~_umask())
        aside.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def folder_aside(path: Path, *, may_replace: Callable[[Path], bool]) -> Iterator[Path]:
    """Give an empty folder to fill, which takes its place when the block ends well and vanishes otherwise.

    Parameters
    ----------
    path : Path
        Where the folder goes. What is there now stays until the new one is whole.
    may_replace : callable
        Says of a folder that is there whether it may go.
    """
    if (path.exists() or path.is_symlink()) and not may_replace(path):
        raise InputError(f"{path} is there and is no model folder; name another place, or remove it yourself")
    place = path.absolute()
    try:
        aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}."))
    except OSError as error:
        raise unwritable(path, error) from None
    former = aside.with_name(aside.name + ".former")
    try:
        yield aside
        aside.chmod(0o777 & ~_umask())
        if place.exists():
            place.rename(former)
        aside.rename(place)
    except OSError as error:
        if former.exists() and not place.exists():
            former.rename(place)
        raise unwritable(path, error) from None
    finally:
        for left in (aside, former):
            shutil.rmtree(left, ignore_errors=True)


def unwritable(path: Path, error: OSError) -> InputError:
    """One line for what the system said."""
    return InputError(f"{path} cannot be written ({error.strerror or error}); name another place")


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
