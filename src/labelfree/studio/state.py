"""What a person said and asked for, on disk after every action; nothing but an undo ever takes what was said back.

A line is known by its file and its place there, a character by its line and its own place, so that what was said of
them stays when the book is read again.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labelfree.errors import InputError
from labelfree.ocr.types import Box, Line

STATE = "studio.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS said (line TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS marks (line TEXT, box TEXT, symbol TEXT NOT NULL, PRIMARY KEY (line, box));
CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY AUTOINCREMENT, before TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""

Mark = tuple[str, str]  # the key of a line, and the box of a character on its page, as `box_key` has it


def line_key(stem: Path, line: Line) -> str:
    """What tells a line from all others of a book, given the stem of its page's files."""
    return f"{stem.as_posix()}|{box_key(line.box)}"


def box_key(box: Box) -> str:
    """The edges of a box as text.

    Examples
    --------
    >>> box_key(Box(3, 4, 10, 20)), box_of("3,4,10,20")
    ('3,4,10,20', Box(x0=3, y0=4, x1=10, y1=20))
    """
    return ",".join(map(str, box))


def box_of(key: str) -> Box:
    """The box that `box_key` wrote."""
    return Box(*map(int, key.split(",")))


class State:
    """A folder's corrections, and what else has to outlive the studio."""

    def __init__(self, folder: Path) -> None:
        path = folder / STATE
        self._lock = threading.RLock()
        self.version = 0  # counts what was changed since it was opened
        try:
            self._base = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.executescript(_TABLES)
        except sqlite3.Error as error:
            raise InputError(f"{path} cannot be used ({error}); move it away, or name another folder") from None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._base.close()

    @property
    def said(self) -> Mapping[str, str]:
        """The text of every line that a person has read."""
        with self._lock:
            return dict(self._base.execute("SELECT line, text FROM said").fetchall())

    @property
    def marks(self) -> Mapping[Mark, str]:
        """The symbol of every character that a person has named."""
        with self._lock:
            found = self._base.execute("SELECT line, box, symbol FROM marks ORDER BY line, box").fetchall()
        return {(line, box): symbol for line, box, symbol in found}

    @property
    def n_steps(self) -> int:
        """How many actions an undo can take back."""
        with self._lock:
            return int(self._base.execute("SELECT COUNT(*) FROM steps").fetchone()[0])

    def say(self, lines: Mapping[str, str] | None = None, marks: Mapping[Mark, str] | None = None) -> None:
        """Note the text of lines and the symbols of characters, as one action."""
        with self._writing():
            was: dict[str, Any] = {"said": {}, "marks": []}
            for line, text in (lines or {}).items():
                was["said"][line] = self._one("SELECT text FROM said WHERE line = ?", line)
                self._base.execute("INSERT OR REPLACE INTO said VALUES (?, ?)", (line, text))
            for (line, box), symbol in (marks or {}).items():
                before = self._one("SELECT symbol FROM marks WHERE line = ? AND box = ?", line, box)
                was["marks"].append([line, box, before])
                self._base.execute("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", (line, box, symbol))
            self._base.execute("INSERT INTO steps (before) VALUES (?)", (json.dumps(was),))

    def undo(self) -> bool:
        """Take the last action back; returns whether there was one."""
        with self._writing():
            last = self._base.execute("SELECT number, before FROM steps ORDER BY number DESC LIMIT 1").fetchone()
            if last is None:
                return False
            was = json.loads(last[1])
            self._base.execute("DELETE FROM steps WHERE number = ?", (last[0],))
            for line, text in was["said"].items():
                self._base.execute("DELETE FROM said WHERE line = ?", (line,))
                if text is not None:
                    self._base.execute("INSERT INTO said VALUES (?, ?)", (line, text))
            for line, box, symbol in was["marks"]:
                self._base.execute("DELETE FROM marks WHERE line = ? AND box = ?", (line, box))
                if symbol is not None:
                    self._base.execute("INSERT INTO marks VALUES (?, ?, ?)", (line, box, symbol))
            return True

    def fact(self, name: str, usual: Any = None) -> Any:
        """What was kept under a name."""
        with self._lock:
            found = self._one("SELECT value FROM facts WHERE name = ?", name)
        return usual if found is None else json.loads(found)

    def keep(self, **facts: Any) -> None:
        """Keep values under names, all of them or none."""
        with self._writing():
            for name, value in facts.items():
                self._base.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    def _one(self, query: str, *values: str) -> Any:
        found = self._base.execute(query, values).fetchone()
        return None if found is None else found[0]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let nobody else write, and take all back where something goes wrong."""
        with self._lock, self._base:
            self._base.execute("BEGIN IMMEDIATE")
            yield
            self.version += 1
