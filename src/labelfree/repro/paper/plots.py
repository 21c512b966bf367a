"""Plain pictures of tables: lines that fall or do not, and points that agree or do not."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labelfree.files import write_aside

Curve = tuple[Sequence[float], Sequence[float]]


def curves(
    path: Path,
    lines: Mapping[str, Curve],
    *,
    x: str,
    y: str,
    title: str,
    log_x: bool = False,
    percent: bool = True,
    points: bool = False,
) -> Path:
    """Draw lines, or points alone, over one pair of axes; returns the path.

    Parameters
    ----------
    path : Path
        A PNG file.
    lines : mapping
        From a name to its x and y values.
    x, y, title : str
    log_x : bool
        A logarithmic x axis.
    percent : bool
        y values are shares.
    points : bool
        Points that no line joins.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot()
    styles = ["-", "--", "-.", ":"]
    for i, (name, (xs, ys)) in enumerate(lines.items()):
        if points:
            axes.scatter(xs, ys, s=12, alpha=0.6, label=name)
        else:
            axes.plot(xs, ys, styles[i // 10 % len(styles)], marker="o", markersize=2.5, linewidth=1.2, label=name)
    axes.set(xlabel=x, ylabel=y)
    axes.set_title(title, fontsize=11, loc="left")
    if log_x:
        axes.set_xscale("log")
    if percent:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if len(lines) > 1:
        axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    write_aside(path, content.getvalue())
    return path
