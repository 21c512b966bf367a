"""Short films as GIF: a surface that turns, and a classifier that learns to read."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.files import write_aside
from labelfree.models import Classifier
from labelfree.ocr.glyphs.tiles import Tiles
from labelfree.repro.paper.figures import ELEVATION, RED, STYLE, plot_surface
from labelfree.repro.paper.surfaces import Surface
from labelfree.solvers.problem import Problem
from labelfree.solvers.run import Companion, Run

_COLOURS = 128
_TURN_MILLISECONDS = 90
_READ_MILLISECONDS = 130
_LAST_MILLISECONDS = 2500
_COLUMNS = 44  # symbols side by side
_CELL, _ROW = 18, 74  # pixels
_BASELINE, _X_HEIGHT = 24, 11
_MARGIN, _HEAD = 24, 54
_RIGHT, _WRONG, _GREY = "#222222", "#d62828", "#777777"


@dataclass(frozen=True)
class ReadFrame:
    """What one line reads as at a step, the label-free score there, and the share of positions read wrong."""

    step: int
    text: str
    kl: float
    error: float


def turning_film(path: Path, surface: Surface, *, frames: int = 48) -> Path:
    """Turn a surface once around.

    Parameters
    ----------
    path : Path
        A GIF file.
    surface : Surface
    frames : int
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.8, 4.2), dpi=100)
        canvas: Any = FigureCanvasAgg(figure)
        axes: Any = figure.add_axes((0.0, 0.04, 0.94, 0.96), projection="3d")
        plot_surface(axes, surface, surface.open_side)
        pictures = []
        for k in range(frames):
            axes.view_init(elev=ELEVATION, azim=surface.open_side - 360.0 * k / frames)
            canvas.draw()
            pictures.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]))
    return _save(path, pictures, _TURN_MILLISECONDS, last=_TURN_MILLISECONDS)


class LineWatch(Companion):
    """Notes while a fit goes on what one line reads as, under the start that stands best at that step.

    Parameters
    ----------
    line : slice
        The positions of the line among those of the problem.
    alphabet : Alphabet
        Of the classes.
    labels : array of shape (T,)
        The class of every position. What is read is compared with them, and nothing is fed back.
    every : int
        Steps from look to look.
    """

    def __init__(self, line: slice, alphabet: Alphabet, labels: NDArray[np.int64], *, every: int = 25) -> None:
        self.readings: list[ReadFrame] = []
        self._line, self._alphabet, self._labels, self._every = line, alphabet, labels, every
        self._step = 0

    def stepped(self, run: Run, remaining: int) -> None:
        """Look, where it is time to."""
        self._step += 1
        if self._step % self._every == 0:
            self.read(run.problem, run.model)

    @torch.no_grad()
    def read(self, problem: Problem, model: Classifier) -> None:
        """Note what the line reads as; a problem over part of the positions tells nothing of it."""
        if len(problem.positions) != len(self._labels):
            return
        scores = problem.kl(model)
        best = int(scores.argmin())
        guesses = model(problem.inputs)[best].argmax(-1).numpy()[problem.positions]
        error = float((guesses != self._labels).mean())
        text = self._alphabet.decode(guesses[self._line])
        self.readings.append(ReadFrame(self._step, text, float(scores[best]), error))


def reading_film(path: Path, readings: Sequence[ReadFrame], truth: str, *, tiles: Tiles | None = None) -> Path:
    """Show how the reading of a line grows out of nothing, each symbol under its tile, wrong ones in red.

    Parameters
    ----------
    path : Path
        A GIF file.
    readings : sequence of ReadFrame
        One frame each, as a `LineWatch` notes them.
    truth : str
        The line, one character a symbol.
    tiles : Tiles, optional
        Of the line, drawn above what they read as.
    """
    found = {len(reading.text) for reading in readings} | ({len(tiles)} if tiles is not None else set())
    if not truth or not readings or found != {len(truth)}:
        raise InputError(
            f"readings and tiles of {sorted(found)} symbols found for a line of {len(truth)}, "
            "one or more of the same length wanted: give those of one line"
        )
    fonts = Path(mpl.get_data_path()) / "fonts" / "ttf"
    letters = ImageFont.truetype(str(fonts / "DejaVuSansMono.ttf"), 20)
    words = ImageFont.truetype(str(fonts / "DejaVuSans.ttf"), 16)
    paper = _paper(truth, tiles)
    frames = []
    for reading in readings:
        frame = paper.copy()
        pen = ImageDraw.Draw(frame)
        pen.text((_MARGIN, 16), f"step {reading.step:,}", font=words, fill=_GREY)
        score = f"KL {reading.kl:.3f}    error {100 * reading.error:.1f} %"
        pen.text((frame.width - _MARGIN, 16), score, font=words, fill=_GREY, anchor="ra")
        for i, (symbol, wanted) in enumerate(zip(reading.text, truth, strict=True)):
            x, y = _cell(i)
            shown = "␣" if symbol == " " and wanted != " " else symbol
            colour = _RIGHT if symbol == wanted else _WRONG
            pen.text((x + _CELL / 2, y + 54), shown, font=letters, fill=colour, anchor="ms")
        frames.append(frame)
    return _save(path, frames, _READ_MILLISECONDS, last=_LAST_MILLISECONDS)


def _paper(truth: str, tiles: Tiles | None) -> Image.Image:
    """The tiles of a line at their places and in their true sizes; blank paper without them."""
    rows = -(-len(truth) // _COLUMNS)
    columns = min(_COLUMNS, len(truth))
    paper = Image.new("RGB", (max(420, 2 * _MARGIN + _CELL * columns), _HEAD + _ROW * rows + 12), "white")
    if tiles is None:
        return paper
    for i, (picture, geometry) in enumerate(zip(tiles.images, tiles.geometry, strict=True)):
        top, _, width, height = (geometry * _X_HEIGHT).round().astype(int).tolist()
        if picture.any() and height > 0:
            size = min(_CELL, max(1, width)), height
            ink = Image.fromarray(255 - picture).resize(size, Image.Resampling.BILINEAR)
            x, y = _cell(i)
            paper.paste(ink, (x + (_CELL - size[0]) // 2, y + _BASELINE - top))
    return paper


def _cell(i: int) -> tuple[int, int]:
    row, column = divmod(i, _COLUMNS)
    return _MARGIN + _CELL * column, _HEAD + _ROW * row


def _save(path: Path, frames: Sequence[Image.Image], milliseconds: int, *, last: int) -> Path:
    """Write frames in the colours of the first and the last."""
    both = Image.new("RGB", (frames[0].width, 2 * frames[0].height))
    both.paste(frames[0], (0, 0))
    both.paste(frames[-1], (0, frames[0].height))
    palette = Image.new("P", (1, 1))
    palette.putpalette(
        [*ImageColor.getrgb("white"), *ImageColor.getrgb(RED), *(both.quantize(_COLOURS).getpalette() or [])]
    )
    first, *rest = (_reduced(frame, palette) for frame in frames)
    held = io.BytesIO()
    times = [milliseconds] * len(rest) + [last]
    first.save(held, format="GIF", save_all=True, append_images=rest, duration=times, loop=0)
    write_aside(path, held.getvalue())
    return path


def _reduced(frame: Image.Image, palette: Image.Image) -> Image.Image:
    """A frame in few colours, of which Pillow takes only roughly the nearest; white and red stay as they are."""
    reduced = frame.quantize(palette=palette, dither=Image.Dither.NONE)
    for k, colour in enumerate(("white", RED)):
        same = (np.asarray(frame) == ImageColor.getrgb(colour)).all(-1)
        reduced.paste(k, mask=Image.fromarray(same))
    return reduced
