"""The paper's figures of J and L, each a function that writes pictures and pages and gives the figures behind them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from labelfree.models import Classifier
from labelfree.repro.paper.figures import draw_line_figure, draw_surface
from labelfree.repro.paper.film import turning_film
from labelfree.repro.paper.interactive import write_page
from labelfree.repro.paper.surfaces import catching_up, climb, complete_cost, line, planes, rise, saddle_plane
from labelfree.repro.tasks.plane import plane_task
from labelfree.solvers.problem import Problem


@dataclass(frozen=True)
class Drawn:
    """The files of one figure, and the numbers that can be read off it."""

    paths: tuple[Path, ...]
    numbers: dict[str, float]


def draw_planes(
    problem: Problem, optimum: Classifier, folder: Path, *, seed: int = 0, examples: int = 3, points: int = 101
) -> Drawn:
    """J over planes through the optimum and two random points, from six sides each; the first one turns in a film.

    Parameters
    ----------
    problem : Problem
        Over features, at order 2.
    optimum : Classifier
        The linear classifier that saw labels.
    folder : Path
        Where the files go; it is there already.
    seed : int
        Of the first example; the others follow.
    examples, points : int
        How many planes, and how many points on each side of one.
    """
    paths: list[Path] = []
    numbers: dict[str, float] = {}
    for k in range(examples):
        cost, fixed_dual = planes(problem, optimum, seed + k, points=points)
        name = f"plane-{k + 1}"
        caption = (
            "J over the plane through the supervised solution (red dot) and two random classifiers, which lie at "
            "(1, 0) and (0, 1); its contours are below. L is drawn over the same plane with the dual fixed at V*."
        )
        paths += [
            draw_surface(folder / f"{name}.png", cost, angles=6),
            write_page(
                folder / f"{name}.html",
                {"J": cost, "L at V*": fixed_dual},
                title=f"J on a plane of classifiers, example {k + 1}",
                caption=caption,
            ),
        ]
        if k == 0:
            paths.append(turning_film(folder / f"{name}.gif", cost))
        numbers |= {
            f"{name} J at the supervised solution": cost.mark_height,
            f"{name} lowest J": float(cost.z.min()),
            f"{name} highest J": float(cost.z.max()),
            f"{name} local minima of J": cost.local_minima,
            f"{name} highest L above the supervised solution": float(fixed_dual.z.max()) - fixed_dual.mark_height,
        }
    return Drawn(tuple(paths), numbers)


def draw_saddle(problem: Problem, optimum: Classifier, folder: Path, *, seed: int = 0, points: int = 101) -> Drawn:
    """L over one direction of theta and one of V, from nine sides, the saddle point marked.

    Parameters
    ----------
    problem, optimum, folder, seed, points
        As in `draw_planes`.
    """
    surface = saddle_plane(problem, optimum, seed, points=points)
    caption = (
        "L near its saddle point (red dot): a valley in the direction of the classifier, a ridge in that of the dual. "
        "The supervised solution and its best dual lie at (0, 0), random ones at (1, 0) and (0, 1), out of sight."
    )
    paths = (
        draw_surface(folder / "saddle.png", surface, angles=9),
        write_page(folder / "saddle.html", {"L": surface}, title="L of classifier and dual", caption=caption),
    )
    through = surface.z[:, np.abs(surface.y).argmin()], surface.z[np.abs(surface.x).argmin()]
    numbers = {
        "L at the saddle point": surface.mark_height,
        "lowest L along theta less L at the saddle point": float(through[0].min()) - surface.mark_height,
        "highest L along V less L at the saddle point": float(through[1].max()) - surface.mark_height,
    }
    return Drawn(paths, numbers)


def draw_line(
    problem: Problem, optimum: Classifier, folder: Path, *, seed: int = 0, lines: int = 10, points: int = 101
) -> Drawn:
    """J and L along one line through the optimum; the page shows what lies between the two curves.

    Parameters
    ----------
    problem, optimum, folder, seed, points
        As in `draw_planes`.
    lines : int
        The heights of the barriers are means over so many random lines, of which the first is drawn.
    """
    caption = (
        "Between the two curves: L along a line through the supervised solution (red dot) and a random one at 1. "
        "At s = 0 the dual stays at V*; towards s = 1 it catches up with the classifier, and L becomes J."
    )
    surface = catching_up(problem, optimum, seed, points=points)
    paths = (
        draw_line_figure(folder / "line.png", line(problem, optimum, seed, points=4 * points)),
        write_page(folder / "line.html", {"L": surface}, title="From L to J along one line", caption=caption),
    )
    drawn = [line(problem, optimum, seed + k, points=points) for k in range(lines)]
    numbers = {}
    for name, measure in (("highest point above the optimum", rise), ("largest climb to the optimum", climb)):
        for of, values in (("J", "cost"), ("L", "saddle")):
            found = [measure(one.x, getattr(one, values)) for one in drawn]
            numbers[f"{name}, {of}, the line drawn"] = found[0]
            numbers[f"{name}, {of}, mean of {lines} lines"] = float(np.mean(found))
    return Drawn(paths, numbers)


def draw_complete(folder: Path, *, seed: int = 0, points: int = 101) -> Drawn:
    """All of J for the two-state problem in the plane, whose classifier has two parameters.

    Parameters
    ----------
    folder, seed, points
        As in `draw_planes`.
    """
    surface = complete_cost(plane_task(seed), points=points)
    caption = (
        "All of J for a classifier of two parameters, on a chain of two states that are Gaussian clouds in the plane. "
        "The supervised solution (red dot) lies in one valley; the other takes each state for the other, and a ridge "
        "parts the two."
    )
    paths = (
        draw_surface(folder / "complete.png", surface, angles=6),
        write_page(folder / "complete.html", {"J": surface}, title="All of J in two parameters", caption=caption),
    )
    w_1, w_2 = surface.mark
    numbers = {
        "complete J at the supervised solution": surface.at(w_1, w_2),
        "complete J with the states swapped": surface.at(-w_1, -w_2),
        "complete J on the ridge at 0": surface.at(0.0, 0.0),
    }
    return Drawn(paths, numbers)
