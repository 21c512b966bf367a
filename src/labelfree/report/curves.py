"""Curves and scatters as the coordinates that a template draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from labelfree.progress import Record
from labelfree.report.grams import Gram

WIDTH, HEIGHT = 640, 260
_LEFT, _RIGHT, _UPPER, _LOWER = 46, 10, 12, 30  # margins
_ROUNDS = ("refine", "line reader")  # whose scores are no divergences
_RAREST = 1e-5
_NAME = 60  # room that the name of a stage takes


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Curve:
    """A line through points: what `d` of an SVG path holds, and where it ends."""

    path: str
    end: tuple[float, float]
    is_winner: bool
    is_dropped: bool


@dataclass(frozen=True)
class Dot:
    """A point with what it stands for."""

    x: float
    y: float
    label: str
    is_worst: bool


@dataclass(frozen=True)
class Plot:
    """What a template needs to draw."""

    curves: tuple[Curve, ...]
    dots: tuple[Dot, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    upper: int = _UPPER
    lower: int = HEIGHT - _LOWER


@dataclass(frozen=True)
class Bar:
    """Two bars side by side."""

    x: float
    width: float  # of each
    wanted: float  # its height, as that of the other
    found: float
    name: str
    label: str


@dataclass(frozen=True)
class BarsPlot:
    """Pairs of bars, and the axes that they stand on."""

    bars: tuple[Bar, ...]
    axes: Plot


def lanes(records: Iterable[Record]) -> list[list[tuple[int, float]]]:
    """The scores of every start over the looks at it, the winner's last.

    Where fewer starts are left, they are the best of the look before, in the order of their scores.

    Examples
    --------
    >>> looks = [Record("spdg", 100, (3.0, 1.0, 2.0), 0.0), Record("spdg", 200, (0.5, 0.8), 0.0)]
    >>> lanes(looks)
    [[(0, 3.0)], [(0, 2.0), (1, 0.8)], [(0, 1.0), (1, 0.5)]]
    """
    found: list[list[tuple[int, float]]] = []
    alive: list[int] = []
    before: Sequence[float] = ()
    for look, record in enumerate(records):
        if len(record.scores) > len(alive):
            alive = list(range(len(found), len(found) + len(record.scores)))
            found += [[] for _ in record.scores]
        elif len(record.scores) < len(alive):
            alive = [alive[i] for i in np.argsort(before, kind="stable")[: len(record.scores)].tolist()]
        for lane, score in zip(alive, record.scores, strict=True):
            found[lane].append((look, score))
        before = record.scores
    return sorted(found, key=lambda lane: (len(lane) and lane[-1][0], -lane[-1][1]))


def search_plot(records: Sequence[Record]) -> Plot | None:
    """Every start's divergence from the language while it was searched; None where nothing was kept of that."""
    looks = [record for record in records if record.stage not in _ROUNDS and record.scores]
    looks = [record for record in looks if all(math.isfinite(score) and score > 0 for score in record.scores)]
    scores = [score for record in looks for score in record.scores]
    if len(looks) < 2:
        return None
    x = _linear(0, len(looks) - 1)
    low, high = min(scores) * 0.9, max(scores) * 1.1
    y = _logarithmic(low, high)
    every = lanes(looks)
    curves = [
        Curve(
            "M" + "L".join(f"{x(look):.1f} {y(score):.1f}" for look, score in lane),
            (round(x(lane[-1][0]), 1), round(y(lane[-1][1]), 1)),
            lane is every[-1],
            lane[-1][0] < len(looks) - 1,
        )
        for lane in every
    ]
    names = [record.stage for record in looks]
    begins = [i for i, name in enumerate(names) if not i or names[i - 1] != name]
    ticks = [Tick(round(x(i), 1), names[i], "start" if x(i) < WIDTH - _RIGHT - _NAME else "end") for i in begins]
    apart = [tick for i, tick in enumerate(ticks) if not i or tick.at - ticks[i - 1].at > _NAME]
    return Plot(tuple(curves), (), tuple(apart), tuple(_decades(low, high, y)))


def rounds_plot(scores: Sequence[float]) -> Plot | None:
    """Scores of rounds that follow each other."""
    if len(scores) < 2:
        return None
    x, high = _linear(0, len(scores) - 1), max(scores) * 1.1 or 1.0

    def y(score: float) -> float:
        return HEIGHT - _LOWER - score / high * (HEIGHT - _LOWER - _UPPER)

    points = [(round(x(i), 1), round(y(score), 1)) for i, score in enumerate(scores)]
    curve = Curve("M" + "L".join(f"{a} {b}" for a, b in points), points[-1], True, False)
    dots = tuple(
        Dot(*point, f"round {i + 1}: {score:.2%}", False)
        for i, (point, score) in enumerate(zip(points, scores, strict=True))
    )
    ticks = tuple(Tick(point[0], str(i + 1)) for i, point in enumerate(points))
    marks = tuple(Tick(round(y(high * part), 1), f"{high * part:.1%}") for part in (0, 0.45, 0.9))
    return Plot((curve,), dots, ticks, marks)


def grams_plot(grams: Sequence[Gram], worst: Sequence[Gram]) -> Plot | None:
    """Shares in the language against those that came out, both logarithmic."""
    if not grams:
        return None
    high = max(max(gram.wanted, gram.found) for gram in grams) * 1.3
    side = _logarithmic(_RAREST, high)

    def across(share: float) -> float:
        part = (side(max(share, _RAREST)) - (HEIGHT - _LOWER)) / (_UPPER - (HEIGHT - _LOWER))
        return _LEFT + part * (WIDTH - _LEFT - _RIGHT)

    named = {gram.symbols for gram in worst}
    dots = [
        Dot(
            round(across(gram.wanted), 1),
            round(side(max(gram.found, _RAREST)), 1),
            f"{shown(gram.symbols)}: language {percent(gram.wanted)}, read {percent(gram.found)}",
            gram.symbols in named,
        )
        for gram in {each.symbols: each for each in [*grams, *worst]}.values()
    ]
    marks = _decades(_RAREST, high, side, percent)
    x_ticks = tuple(Tick(round(across(10.0**power), 1), percent(10.0**power)) for power in range(-5, 0))
    return Plot((), tuple(dots), x_ticks, tuple(marks))


def bars_plot(grams: Sequence[Gram]) -> BarsPlot | None:
    """Shares in the language beside those that came out, a pair of bars for each symbol."""
    if not grams:
        return None
    high = max(max(gram.wanted, gram.found) for gram in grams) * 1.08 or 1.0
    each = (WIDTH - _LEFT - _RIGHT) / len(grams)
    room = HEIGHT - _LOWER - _UPPER
    bars = tuple(
        Bar(
            round(_LEFT + i * each, 2),
            round(each * 0.4, 2),
            round(gram.wanted / high * room, 1),
            round(gram.found / high * room, 1),
            gram.symbols[0],
            f"{shown(gram.symbols)}: language {percent(gram.wanted)}, read {percent(gram.found)}",
        )
        for i, gram in enumerate(grams)
    )
    ticks = tuple(Tick(round(HEIGHT - _LOWER - part * room, 1), percent(high * part)) for part in (0.25, 0.5, 0.75))
    return BarsPlot(bars, Plot((), (), (), ticks))


def shown(symbols: Sequence[str]) -> str:
    """Symbols as they can be seen.

    Examples
    --------
    >>> shown(("t", " ")), shown((" ",))
    ('t␣', '␣')
    """
    return "".join("␣" if symbol.isspace() else symbol for symbol in symbols)


def percent(share: float) -> str:
    """A share with two digits that tell something.

    Examples
    --------
    >>> percent(0.1234), percent(0.00123), percent(0.00001), percent(0.0)
    ('12%', '0.12%', '0.001%', '0%')
    """
    if share == 0:
        return "0%"
    digits = max(0, 1 - math.floor(math.log10(100 * share))) if share < 0.1 else 0
    text = f"{100 * share:.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def _linear(low: float, high: float) -> Callable[[float], float]:
    return lambda value: _LEFT + (value - low) / max(high - low, 1e-9) * (WIDTH - _LEFT - _RIGHT)


def _logarithmic(low: float, high: float) -> Callable[[float], float]:
    span = math.log(high / low)
    return lambda value: HEIGHT - _LOWER - math.log(value / low) / span * (HEIGHT - _LOWER - _UPPER)


def _decades(
    low: float, high: float, y: Callable[[float], float], label: Callable[[float], str] = "{:g}".format
) -> list[Tick]:
    """Ticks at 1, 2 and 5 of every power of ten, or at the powers alone where there are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1,) if high / low > 500 else (1, 2, 5)
    values = [step * 10.0**power for power in powers for step in steps]
    return [Tick(round(y(value), 1), label(value)) for value in values if low <= value <= high]
