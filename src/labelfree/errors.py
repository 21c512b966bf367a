"""What can go wrong, as a few types; every message names what was found, what was wanted and the next step."""


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
