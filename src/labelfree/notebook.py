"""How values show themselves in a notebook: a small card of HTML, everything in it escaped."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

_CARD = "font:13px/1.45 system-ui,sans-serif;border:1px solid #8884;border-radius:6px;padding:10px 14px;max-width:44em"
_BAR = "display:inline-block;width:1.5em;text-align:center;vertical-align:bottom;font-size:11px"
_FILL = "background:#8c2f1b;opacity:.8;width:70%;margin:0 auto"
_TALL = 46  # pixels of the highest bar


def card(title: str, facts: Iterable[tuple[str, object]], *parts: str) -> str:
    """A card with a title, names with values, and parts that are HTML already.

    Examples
    --------
    >>> "<b>&lt;i&gt;</b>" in card("<i>", [("lines", 3)])
    True
    """
    rows = "".join(
        f'<tr><td style="opacity:.65;text-align:left;padding:0 1.2em 0 0">{escape(name)}</td>'
        f'<td style="text-align:left;padding:0">{escape(str(value))}</td></tr>'
        for name, value in facts
    )
    table = f'<table style="margin:4px 0;border:0;font-size:13px">{rows}</table>' if rows else ""
    return f'<div style="{_CARD}"><b>{escape(title)}</b>{table}{"".join(parts)}</div>'


def bars(values: Sequence[tuple[str, float]], about: str) -> str:
    """A row of bars, each with its name below.

    Examples
    --------
    >>> bars([("a", 0.5), ("b", 0.25)], "shares").count("height:23px")
    1
    """
    high = max((value for _, value in values), default=0.0) or 1.0
    each = "".join(
        f'<span style="{_BAR}" title="{escape(name)}: {value:.3g}">'
        f'<span style="display:block;{_FILL};height:{value / high * _TALL:.0f}px"></span>{escape(name)}</span>'
        for name, value in values
    )
    return f'<div style="margin-top:6px">{each}<div style="opacity:.65;font-size:11px">{escape(about)}</div></div>'


def line_picture(pixels: NDArray[np.uint8], height: int = 30) -> str:
    """The picture of a line, 255 for ink, as an image that lies in the page."""
    from PIL import Image

    rows, columns = pixels.shape
    small = Image.fromarray(255 - pixels)
    if rows > height:
        small = small.resize((max(1, round(columns * height / rows)), height))
    stream = io.BytesIO()
    small.quantize(8).save(stream, "PNG", optimize=True)
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<div style="margin-top:4px"><img alt="" style="max-width:100%" src="data:image/png;base64,{data}"></div>'


def shown(symbol: str) -> str:
    """A symbol as it can be seen.

    Examples
    --------
    >>> shown(" "), shown("ch")
    ('␣', 'ch')
    """
    return "␣" if symbol.isspace() else symbol
