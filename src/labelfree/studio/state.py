"""What a person said of lines, on disk after every action; nothing but an undo ever takes it back.

A line is known by its file and its place there, so that what was said of it stays when the book is read again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from labelfree.errors import InputError
from labelfree.ocr.types import Line

STATE = "studio.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS said (line TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS actions (number INTEGER PRIMARY KEY AUTOINCREMENT, line TEXT NOT NULL, before TEXT);
"""


def line_key(stem: Path, line: Line) -> str:
    """What tells a line from all others of a book, given the stem of its page's files."""
    return f"{stem.as_posix()}|{','.join(map(str, line.box))}"


class State:
    """A folder's corrections."""

    def __init__(self, folder: Path) -> None:
        path = folder / STATE
        try:
            self._base = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.executescript(_TABLES)
        except sqlite3.Error as error:
            raise InputError(f"{path} cannot be used ({error}); move it away, or name another folder") from None

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    @property
    def said(self) -> Mapping[str, str]:
        """The text of every line that a person has read."""
        return dict(self._base.execute("SELECT line, text FROM said").fetchall())

    @property
    def n_said(self) -> int:
        """How many these are."""
        return int(self._base.execute("SELECT COUNT(*) FROM said").fetchone()[0])

    def say(self, line: str, text: str) -> None:
        """Note the text of a line."""
        with self._base:
            self._base.execute("BEGIN IMMEDIATE")
            before = self._base.execute("SELECT text FROM said WHERE line = ?", (line,)).fetchone()
            self._base.execute("INSERT INTO actions (line, before) VALUES (?, ?)", (line, before and before[0]))
            self._base.execute("INSERT OR REPLACE INTO said (line, text) VALUES (?, ?)", (line, text))

    def undo(self) -> str | None:
        """Take the last action back; returns the line that it was of, None where there is nothing to take back."""
        with self._base:
            self._base.execute("BEGIN IMMEDIATE")
            last = self._base.execute(
                "SELECT number, line, before FROM actions ORDER BY number DESC LIMIT 1"
            ).fetchone()
            if last is None:
                return None
            number, line, before = last
            self._base.execute("DELETE FROM actions WHERE number = ?", (number,))
            if before is None:
                self._base.execute("DELETE FROM said WHERE line = ?", (line,))
            else:
                self._base.execute("INSERT OR REPLACE INTO said (line, text) VALUES (?, ?)", (line, before))
        return str(line)
