"""Every command as its own help tells of it, for pages that are made from that: `python -m labelfree.cli.manual`.

Prints the man page; `make man` writes it to man/labelfree.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer.main

from labelfree._version import __version__

_EXIT = (
    ("0", "done"),
    ("1", "finished, but the result is not believed; or a test of labelfree doctor failed"),
    ("2", "bad input, or nowhere to write: one line"),
    ("70", "a defect of labelfree: one line that names the file with the details"),
    ("130", "stopped: one line that tells what is kept and how to go on"),
)


@dataclass(frozen=True)
class Entry:
    """A command and its help.

    Attributes
    ----------
    name : str
        With the commands above it: "labelfree ocr run".
    about : str
        Paragraphs, the first of them a summary.
    usage : str
    options : tuple of (str, str)
        Arguments and options with what they do.
    below : tuple of str
        Names of the commands below it.
    """

    name: str
    about: str
    usage: str
    options: tuple[tuple[str, str], ...]
    below: tuple[str, ...]

    @property
    def summary(self) -> str:
        """Its first paragraph, on one line."""
        return " ".join(self.about.partition("\n\n")[0].split())


def entries() -> Iterator[Entry]:
    """All commands, each followed by those below it.

    Examples
    --------
    >>> [entry.name for entry in entries()][:2]
    ['labelfree', 'labelfree fit']
    """
    from labelfree.cli import app

    yield from _entries(typer.main.get_command(app), "labelfree")


def man_page() -> str:
    """All of it as one page for `man`."""
    first, *others = entries()
    lines = [
        f'.TH LABELFREE 1 "" "labelfree {__version__}" "User Commands"',
        ".SH NAME",
        _roff(f"labelfree - {first.summary[:1].lower()}{first.summary[1:].rstrip('.')}"),
        *_section(first, "DESCRIPTION"),
        ".SH COMMANDS",
    ]
    for entry in others:
        lines += _section(entry, entry.name)
    lines.append(".SH EXIT STATUS")
    for code, says in _EXIT:
        lines += [".TP", f".B {code}", _roff(says)]
    return "\n".join(lines) + "\n"


def _entries(command: Any, name: str) -> Iterator[Entry]:
    context = command.context_class(command, info_name=name)
    records = (each.get_help_record(context) for each in command.get_params(context))
    below: dict[str, Any] = getattr(command, "commands", {})
    yield Entry(
        name,
        str(command.help or "").strip(),
        " ".join(command.get_usage(context).removeprefix("Usage:").split()),
        tuple((str(option), str(does)) for option, does in filter(None, records)),
        tuple(f"{name} {each}" for each in below),
    )
    for each, lower in below.items():
        yield from _entries(lower, f"{name} {each}")


def _section(entry: Entry, title: str) -> Iterator[str]:
    yield f".SH {title}" if title.isupper() else f'.SS "{title}"'
    yield from (".B " + _roff(entry.usage), ".PP")
    for paragraph in entry.about.split("\n\n"):
        yield from (_roff(" ".join(paragraph.split())), ".PP")
    for option, does in entry.options:
        yield from (".TP", ".B " + _roff(option), _roff(does))


def _roff(text: str) -> str:
    """Text with nothing in it that is a command of roff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    print(man_page(), end="")
