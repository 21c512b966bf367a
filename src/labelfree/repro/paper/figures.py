"""Surfaces and lines as pictures for print."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from labelfree.files import write_aside
from labelfree.repro.paper.interactive import COLOURS
from labelfree.repro.paper.surfaces import Line, Surface

ELEVATION = 28.0
RED = "#e5141f"
_DOTS_PER_INCH = 200
STYLE: Any = {  # settings of matplotlib, which names each of its own in its types
    "font.family": "serif",
    "mathtext.fontset": "dejavuserif",
    "font.size": 9,
    "axes.labelsize": 12,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_surface(path: Path, surface: Surface, *, angles: int, columns: int = 3) -> Path:
    """Draw a surface from all sides, clockwise from its open one, contours below, a red dot at its mark.

    Parameters
    ----------
    path : Path
        A PNG file.
    surface : Surface
    angles : int
        How many pictures.
    columns : int
        How many pictures stand side by side.
    """
    rows = -(-angles // columns)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(3.3 * columns, 3.0 * rows))
        for k in range(angles):
            axes: Any = figure.add_subplot(rows, columns, k + 1, projection="3d")
            plot_surface(axes, surface, surface.open_side - 360.0 * k / angles)
            axes.text2D(0.5, -0.08, f"({chr(ord('a') + k)})", transform=axes.transAxes, ha="center")
        figure.subplots_adjust(left=0.0, right=0.96, bottom=0.05, top=1.0, wspace=0.08, hspace=0.1)
        return _save(path, figure)


def plot_surface(axes: Any, surface: Surface, azimuth: float) -> None:
    """Put a surface on three-dimensional axes, seen from an azimuth in degrees."""
    low, high = float(surface.z.min()), float(surface.z.max())
    floor = low - 0.45 * (high - low)
    x, y = np.meshgrid(surface.x, surface.y, indexing="ij")
    axes.computed_zorder = False  # the dot is seen also where the surface would hide it
    axes.contour(x, y, surface.z, 14, zdir="z", offset=floor, cmap=COLOURS, linewidths=0.7, zorder=1)
    axes.plot_surface(x, y, surface.z, cmap=COLOURS, rcount=64, ccount=64, linewidth=0, antialiased=False, zorder=2)
    mark = (*surface.mark, surface.mark_height)
    axes.plot(*([at, at] for at in mark[:2]), [floor, mark[2]], color=RED, linewidth=0.7, linestyle=":", zorder=3)
    axes.plot(*([at] for at in mark), "o", color=RED, markersize=5, markeredgecolor="white", zorder=4)
    axes.set_zlim(floor, high)
    axes.set_xlabel(_math(surface.labels[0]), labelpad=-5)
    axes.set_ylabel(_math(surface.labels[1]), labelpad=-5)
    axes.set_zlabel(_math(surface.labels[2]), labelpad=-5)
    axes.tick_params(pad=-2)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.view_init(elev=ELEVATION, azim=azimuth)


def draw_line_figure(path: Path, line: Line) -> Path:
    """Draw J and L along one line, circles at the optimum.

    Parameters
    ----------
    path : Path
        A PNG file.
    line : Line
    """
    with mpl.rc_context(STYLE | {"xtick.labelsize": 9, "ytick.labelsize": 9}):
        figure = Figure(figsize=(5.2, 3.4), layout="constrained")
        axes = figure.add_subplot()
        at = int(np.abs(line.x).argmin())
        for label, values, colour, style in (
            (r"$J(\theta)$", line.cost, "#31688e", "-"),
            (r"$L(\theta, V^\star)$", line.saddle, "#d1690e", "--"),
        ):
            axes.plot(line.x, values, color=colour, linestyle=style, linewidth=1.6, label=label)
            axes.plot(line.x[at], values[at], "o", markersize=9, markerfacecolor="none", markeredgecolor=RED)
        axes.set_xlabel(r"$\lambda_p$")
        axes.set_ylabel("cost (nats)")
        axes.margins(x=0)
        axes.grid(color="#dddddd", linewidth=0.5)
        axes.legend(frameon=False)
        return _save(path, figure)


def _math(label: str) -> str:
    return f"${label}$"


def _save(path: Path, figure: Figure) -> Path:
    FigureCanvasAgg(figure)
    held = io.BytesIO()
    figure.savefig(held, format="png", dpi=_DOTS_PER_INCH)
    write_aside(path, held.getvalue())
    return path
