"""A surface as one HTML page that turns under the mouse: nothing to install, nothing fetched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib import colormaps

from labelfree.files import write_aside
from labelfree.repro.paper.surfaces import Surface

COLOURS = "viridis"
_STOPS = 33
_DIGITS = 5


def write_page(path: Path, surfaces: Mapping[str, Surface], *, title: str, caption: str) -> Path:
    """Write a page that shows one surface at a time, with a button for each where there are several.

    Parameters
    ----------
    path : Path
    surfaces : mapping of str to Surface
        By the names their buttons bear.
    title, caption : str
    """
    pages = Environment(loader=PackageLoader("labelfree.repro.paper"), autoescape=True, undefined=StrictUndefined)
    palette = np.asarray(colormaps[COLOURS](np.linspace(0, 1, _STOPS)))[:, :3]
    text = pages.get_template("surface.html").render(
        title=title,
        caption=caption,
        surfaces=[_plain(name, surface) for name, surface in surfaces.items()],
        palette=np.round(255 * palette).astype(int).tolist(),
    )
    write_aside(path, text.encode())
    return path


def _plain(name: str, surface: Surface) -> dict[str, object]:
    """A surface as lists of short numbers."""
    return {
        "name": name,
        "x": [_short(value) for value in surface.x],
        "y": [_short(value) for value in surface.y],
        "z": [[_short(value) for value in row] for row in surface.z],
        "mark": [*surface.mark, surface.mark_height],
        "labels": surface.labels,
        "azimuth": np.radians(surface.open_side),
    }


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
