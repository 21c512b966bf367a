"""One folder of results: each a table or picture, with the command, seed, versions and seconds that made it."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from labelfree._version import __version__
from labelfree.files import write_aside

Row = dict[str, Any]
_LIBRARIES = ("numpy", "scikit-learn", "torch")


@dataclass(frozen=True)
class Check:
    """A figure that was promised."""

    name: str
    value: float
    wanted: str
    ok: bool


def at_most(name: str, value: float, limit: float) -> Check:
    """A check that a value does not pass a limit.

    Examples
    --------
    >>> at_most("seconds", 61.0, 60.0).ok
    False
    """
    return Check(name, float(value), f"<= {limit:g}", bool(value <= limit))


@dataclass(frozen=True, eq=False)
class Result:
    """What one command found.

    Attributes
    ----------
    name : str
        Stem of its files.
    title : str
    rows : list of dict
        Flat objects, all with the same keys in the same order.
    checks : list of Check
    notes : list of str
        What a reader should know of how it was measured.
    pictures : list of Path
        Written already.
    details : dict
        More than a table holds.
    """

    name: str
    title: str
    rows: list[Row]
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)


class Folder:
    """Where results go, and what made them.

    Parameters
    ----------
    path : Path
        Made where it is missing.
    command : str
        As a user would type it.
    seed : int
    """

    def __init__(self, path: Path, command: str, seed: int) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path, self.command, self.seed = path, command, seed
        self._began = perf_counter()

    def write(self, result: Result) -> Path:
        """Write ``name.json`` and ``name.md``; the seconds are those since the folder or the last result."""
        seconds, self._began = perf_counter() - self._began, perf_counter()
        made = {
            "command": self.command,
            "seed": self.seed,
            "seconds": round(seconds, 1),
            "versions": {"labelfree": __version__, "python": platform.python_version()}
            | {name: version(name) for name in _LIBRARIES},
            "machine": f"{platform.machine()}, {_cores()} cores",
        }
        content = {
            "name": result.name,
            "title": result.title,
            "rows": result.rows,
            "checks": [vars(check) for check in result.checks],
            "notes": result.notes,
            "pictures": [picture.name for picture in result.pictures],
            "details": result.details,
            "made": made,
        }
        place = self.path / f"{result.name}.json"
        write_aside(place, json.dumps(content, default=_plain, indent=1).encode())
        write_aside(self.path / f"{result.name}.md", as_markdown(content).encode())
        return place


def as_markdown(content: dict[str, Any]) -> str:
    """A result as a section of a page: table, pictures, checks, notes, and how it was made."""
    lines = [f"## {content['title']}", ""]
    if content["rows"]:
        columns = list(content["rows"][0])
        lines += [_line(columns), _line(["---"] * len(columns))]
        lines += [_line([shown(column, row.get(column)) for column in columns]) for row in content["rows"]]
        lines.append("")
    lines += [f"![{content['title']}]({picture})\n" for picture in content["pictures"] if _is_picture(picture)]
    for check in content["checks"]:
        verdict = "reached" if check["ok"] else "**missed**"
        lines.append(f"- {check['name']}: {check['value']:.4g}, wanted {check['wanted']}: {verdict}")
    lines += [f"- {note}" for note in content["notes"]]
    made = content["made"]
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    seconds = f"{made['seconds']:.0f} s"
    return "\n".join(
        [*lines, "", f"`{made['command']}`, seed {made['seed']}, {seconds}, {made['machine']}; {versions}", ""]
    )


def shown(column: str, value: object) -> str:
    """A cell as people read it: errors and shares in percent, by the column's name.

    Examples
    --------
    >>> shown("error", 0.0123), shown("seconds", 12.34), shown("kl", None)
    ('1.23%', '12.3', '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        is_share = any(
            word in column for word in ("error", "share", "spread", "worst", "paper", "decoded", "supervised")
        )
        return f"{value:.2%}" if is_share else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def spread(values: Sequence[float]) -> float:
    """Standard deviation over seeds; 0 for one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


Teller = Callable[[str], None]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _is_picture(name: str) -> bool:
    return name.endswith((".png", ".gif"))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def _cores() -> int:
    import torch

    return torch.get_num_threads()
