"""What the studio asks a child process to do, as a file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from labelfree.files import write_aside

AUTO = "auto"
"""In place of a language's code: which one it is is asked."""

_JOB = "job.json"


@dataclass(frozen=True)
class Wishes:
    """What a person chose before learning begins.

    Attributes
    ----------
    lang : str
        A code, or `AUTO`; it counts where no text is given.
    script : str
        The name of what the book is set in; empty for what the spelling tells.
    long_s : bool
    fast : bool
        Read character by character.
    spaces : bool
        Put word spaces into a plaintext that has none.
    """

    lang: str = AUTO
    script: str = ""
    long_s: bool = False
    fast: bool = True
    spaces: bool = True


@dataclass(frozen=True)
class Job:
    """One run: what is learned from, how, and where what comes of it goes."""

    scans: tuple[str, ...]
    texts: tuple[str, ...]
    wishes: Wishes
    out: str
    hints: str = ""  # as a file of hints has them

    @property
    def folder(self) -> Path:
        """Where what comes of it goes."""
        return Path(self.out)

    def write(self) -> Path:
        """Keep it in its folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / _JOB
        write_aside(path, json.dumps(asdict(self)).encode())
        return path

    @classmethod
    def read(cls, path: Path) -> Job:
        """Read what `write` kept."""
        kept: dict[str, Any] = json.loads(path.read_text("utf-8"))
        wishes = Wishes(**kept["wishes"])
        return cls(tuple(kept["scans"]), tuple(kept["texts"]), wishes, kept["out"], kept["hints"])
