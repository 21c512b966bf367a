"""Templates to one self-contained file: every text escaped, nothing fetched, and no script runs but the one within."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from labelfree._version import __version__
from labelfree.errors import InputError
from labelfree.files import unwritable, write_aside
from labelfree.report.curves import percent, shown

_TEMPLATES = "labelfree.report"


@cache
def _environment() -> Environment:
    loader = PackageLoader(_TEMPLATES)
    found = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters |= {"percent": percent, "shown": shown}
    return found


def rendered(template: str, **view: Any) -> str:
    """A report of this template."""
    environment = _environment()
    script = environment.get_template("script.js").render().strip()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template(template).render(**view, script=script, script_digest=digest, version=__version__)


def write_page(path: Path, text: str) -> Path:
    """Write a report aside and put it in its place."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path.parent, error) from None
    if path.is_dir():
        raise InputError(f"{path} is a folder, the name of a report wanted; name a file such as {path / 'report.html'}")
    write_aside(path, text.encode("utf-8", "replace"))
    return path
