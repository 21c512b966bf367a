"""What can go wrong, as a few types; every message names what was found, what was wanted and the next step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class LabelfreeError(Exception):
    """Anything labelfree raises on purpose."""


class InputError(LabelfreeError, ValueError):
    """A value, array or file that cannot be used as it is."""


class UnknownLanguageError(LabelfreeError, LookupError):
    """A language code for which no word frequencies are known."""


class NonFiniteError(LabelfreeError, ArithmeticError):
    """A tensor stopped being finite; the message names the tensor and the step."""


class WorkerError(LabelfreeError, RuntimeError):
    """A worker process ended before its work was done."""


class _Tongue:
    """Whether messages name options of the shell, or arguments in Python."""

    is_shell = False


@contextmanager
def words_of_the_shell() -> Iterator[None]:
    """Have messages that arise in the block name the options of the command line."""
    before, _Tongue.is_shell = _Tongue.is_shell, True
    try:
        yield
    finally:
        _Tongue.is_shell = before


def asked(in_shell: str, in_python: str) -> str:
    """How a person asks for something: the words of the shell under the command line, Python's elsewhere.

    Examples
    --------
    >>> asked("--force", "force=True")
    'force=True'
    >>> with words_of_the_shell():
    ...     asked("--force", "force=True")
    '--force'
    """
    return in_shell if _Tongue.is_shell else in_python
