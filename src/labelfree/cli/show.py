"""How results reach a terminal or a program."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

_WIDE = 200  # columns where no terminal sets a limit


def as_json(result: Any) -> None:
    """Print an object as one line of JSON; numbers that JSON does not know become null."""
    print(json.dumps(_plain(result), ensure_ascii=False))


def as_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; every column but the first is aligned to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", header_style="dim")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else _WIDE)
    console.print(Text(title, style="bold"))
    console.print(table)


def as_facts(facts: Sequence[tuple[str, object]]) -> None:
    """Print names and values, one a line."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        print(f"{name:<{width}}  {value}")


def warn(message: str) -> None:
    """Say on stderr, in one line, what the user should know."""
    print(f"labelfree: warning: {' '.join(message.split())}", file=sys.stderr)


def percent(share: float, digits: int = 2) -> str:
    """A share as text.

    Examples
    --------
    >>> percent(0.0123), percent(float("nan"))
    ('1.23%', '-')
    """
    return "-" if math.isnan(share) else f"{share:.{digits}%}"


def quoted(symbol: str) -> str:
    """A symbol as it can be seen: the space and what does not print in quotes.

    Examples
    --------
    >>> quoted("a"), quoted(" ")
    ('a', "' '")
    """
    return symbol if symbol.isprintable() and not symbol.isspace() else repr(symbol)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
