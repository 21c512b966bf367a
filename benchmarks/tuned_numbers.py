"""The numbers of nested settings: found, changed, watched and counted; and whether a change of the error is noise."""

from __future__ import annotations

import ast
import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

NEAR_ONE = 0.999


def numbers_of(settings: Any, path: str = "") -> dict[str, Any]:
    """Every number or tuple of numbers in nested frozen dataclasses, by its dotted path."""
    found: dict[str, Any] = {}
    for field in fields(settings):
        value, name = getattr(settings, field.name), f"{path}{field.name}"
        if is_dataclass(value):
            found |= numbers_of(value, f"{name}.")
        elif has_number(value):
            found[name] = value
    return found


def has_number(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(has_number, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def with_number(settings: Any, path: str, value: Any) -> Any:
    """Settings with the number at a path changed."""
    name, _, rest = path.partition(".")
    return replace(settings, **{name: with_number(getattr(settings, name), rest, value) if rest else value})


def scaled(value: Any, factor: float) -> Any:
    """A number times a factor: whole ones stay whole and above zero, shares stay below one; a tuple is scaled as a
    whole.
    """
    if isinstance(value, tuple):
        return tuple(scaled(each, factor) for each in value)
    if not has_number(value) or not math.isfinite(value):
        return value
    if isinstance(value, int):
        times = int(abs(value) * factor)
        return int(math.copysign(max(1, times), value)) if value else 0
    return min(value * factor, NEAR_ONE) if 0 < value < 1 else value * factor


def watched(settings: Any, seen: set[str], path: str = "") -> Any:
    """The same settings, which note in `seen` the path of every number that is looked at."""
    kind = type(settings)

    def look(self: Any, name: str) -> Any:
        value = object.__getattribute__(self, name)
        if name in names and has_number(value):
            seen.add(f"{path}{name}")
        return value

    def plain(self: Any) -> tuple[Any, tuple[Any, ...]]:
        """For another process, where nobody watches."""
        return kind, tuple(object.__getattribute__(self, field.name) for field in fields(kind))

    names = {field.name for field in fields(settings)}
    copy = object.__new__(type(kind.__name__, (kind,), {"__getattribute__": look, "__reduce__": plain}))
    for name in names:
        value = getattr(settings, name)
        nested = watched(value, seen, f"{path}{name}.") if is_dataclass(value) else value
        object.__setattr__(copy, name, nested)
    return copy


Errors = Mapping[tuple[str, int], float]
"""The error of each book and seed."""


def deviations(default: Errors) -> dict[str, float]:
    """The standard deviation of a book's error over seeds, of every book with two seeds or more."""
    by_book: dict[str, list[float]] = {}
    for (book, _), error in default.items():
        by_book.setdefault(book, []).append(error)
    return {book: statistics.stdev(errors) for book, errors in by_book.items() if len(errors) > 1}


def mean_change(changed: Errors, default: Errors) -> float:
    """By how much the error of books changed, on average, the same seed before and after."""
    by_book: dict[str, list[float]] = {}
    for (book, seed), error in changed.items():
        by_book.setdefault(book, []).append(error - default[book, seed])
    return statistics.mean(statistics.mean(changes) for changes in by_book.values())


def noise_of(pairs: Iterable[tuple[str, int]], default: Errors) -> float:
    """Twice the standard error of `mean_change` over books and seeds, if a change is no more than another seed."""
    runs: dict[str, int] = {}
    for book, _ in pairs:
        runs[book] = runs.get(book, 0) + 1
    by_book = deviations(default)
    variances = [2 * by_book[book] ** 2 / times for book, times in runs.items()]
    return 2 * math.sqrt(sum(variances)) / len(runs)


def count_numbers(room: Path) -> tuple[int, int]:
    """Numbers in the settings of a room, and constants of its modules that hold numbers."""
    in_settings = constants = 0
    for path in sorted(room.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
                in_settings += sum(
                    isinstance(part, ast.AnnAssign) and part.value is not None and _holds_number(part.value)
                    for part in node.body
                )
            elif isinstance(node, ast.Assign) and _holds_number(node.value):
                constants += sum(isinstance(name, ast.Name) and name.id.isupper() for name in node.targets)
    return in_settings, constants


def _holds_number(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Constant) and has_number(each.value) for each in ast.walk(node))
