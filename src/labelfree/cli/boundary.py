"""Where a command meets the shell: its streams, and what becomes of an error."""

from __future__ import annotations

import errno
import io
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labelfree._version import __version__
from labelfree.errors import LabelfreeError

REFUSED = 2
DEFECT = 70

_STDOUT = "<stdout>"
_EXTRA = {
    "distributed": "dask",
    "matplotlib": "repro",
    "starlette": "studio",
    "uvicorn": "studio",
}  # packages, and the extras they are of
_NO_MEMORY = "can't allocate memory"  # as torch says it


class _Patient(io.TextIOWrapper):
    """A stream that loses what cannot be written: a full log is no reason to lose the work."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


class _Named(io.TextIOWrapper):
    """A stream whose errors say that they are its own."""

    def write(self, text: str) -> int:
        with _named():
            return super().write(text)

    def flush(self) -> None:
        with _named():
            super().flush()


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = _STDOUT
        raise


def open_streams() -> None:
    """Make streams that are closed usable: stdin is empty, stdout cannot be written, what stderr is told is lost."""
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:  # else the next file that is opened would get its number
            handle = os.open(os.devnull, flags)
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding, is_terminal = sys.stdout.encoding, sys.stdout.isatty()
        errors = "surrogateescape" if encoding.lower() in ("utf-8", "utf8") else "strict"  # names of files as they are
        sys.stdout = _Named(sys.stdout.detach(), encoding=encoding, errors=errors, line_buffering=is_terminal)
    if isinstance(sys.stderr, io.TextIOWrapper):
        encoding = sys.stderr.encoding
        sys.stderr = _Patient(sys.stderr.detach(), encoding=encoding, errors="backslashreplace", line_buffering=True)


def code_of(error: BaseException) -> int:
    """Say in one line what went wrong, and return the exit code."""
    if isinstance(error, LabelfreeError):
        return refuse(str(error))
    if isinstance(error, MemoryError) or _NO_MEMORY in str(error):
        return refuse(f"not enough memory ({error or 'none left'}); give less at once, or use a machine with more")
    if isinstance(error, ModuleNotFoundError) and error.name in _EXTRA:
        return refuse(
            f"no package {error.name} found, which this command needs; pip install 'labelfree[{_EXTRA[error.name]}]'"
        )
    if isinstance(error, UnicodeEncodeError) and error.encoding == getattr(sys.stdout, "encoding", None):
        return _without_stdout(f"it takes {error.encoding} alone; set PYTHONUTF8=1")
    if isinstance(error, BrokenPipeError):  # whoever read our output has seen enough
        _leave_stdout()
        return 0
    if isinstance(error, OSError) and error.filename is not None:
        told = error.strerror or str(error)
        if error.filename == _STDOUT:
            return _without_stdout(f"{told}; send it elsewhere")
        advice = (
            "give a shorter name" if error.errno == errno.ENAMETOOLONG else "check that nothing changes it meanwhile"
        )
        return refuse(f"{error.filename}: {told}; {advice}")
    return _crashed(error)


def flush() -> None:
    """Write what is printed; raises OSError where that is not possible."""
    sys.stdout.flush()


def refuse(message: str) -> int:
    """Say in one line what is wrong, and return the exit code of bad input."""
    plain = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in " ".join(message.split()))
    with suppress(OSError):
        print(f"labelfree: error: {plain}", file=sys.stderr, flush=True)
    return REFUSED


def _without_stdout(reason: str) -> int:
    _leave_stdout()
    return refuse(f"stdout cannot be written: {reason}")


def _leave_stdout() -> None:
    """Let what could not be written be lost, so that leaving does not fail once more."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def told_of_defect(error: BaseException) -> str:
    """Write the details of a defect of ours to a file, and tell in a line what it is and where they are."""
    details = (
        f"labelfree {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"{sys.argv}\n\n{''.join(traceback.format_exception(error))}"
    )
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in last)
    try:
        handle, name = tempfile.mkstemp(prefix="labelfree-crash-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(details)
        told = f"the details are in {name}"
    except OSError as fault:
        told = f"the details could not be written ({fault.strerror}): {error}"
    return f"a defect of labelfree, {type(error).__name__} at {where}; {told}; please report it"


def _crashed(error: BaseException) -> int:
    with suppress(OSError):
        print(" ".join(f"labelfree: {told_of_defect(error)}".split()), file=sys.stderr, flush=True)
    return DEFECT
