"""Printed rules: thin strokes far longer than letters, which part columns and articles and are not read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.components import Components
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings

_SWELLING = 60  # lengths of a rule to its thickness at least


@dataclass(frozen=True, eq=False)
class Rules:
    """Which pieces are rules, and the boxes of those that run across and of those that run down."""

    is_rule: NDArray[np.bool_]
    across: NDArray[np.int64]  # (n, 4)
    down: NDArray[np.int64]  # (m, 4)


def find_rules(components: Components, letter: float, settings: LayoutSettings = DEFAULT) -> Rules:
    """Find the rules of a page; one that is broken counts as one where its pieces stand in a row.

    Examples
    --------
    >>> from labelfree.ocr.layout.components import find_components
    >>> ink = np.zeros((300, 300), bool)
    >>> ink[20:280, 150:153], ink[10:13, 10:290], ink[100:120, 40:55] = True, True, True
    >>> rules = find_rules(find_components(ink), letter=20)
    >>> rules.down.tolist(), rules.across.tolist(), rules.is_rule.tolist()
    ([[150, 20, 153, 280]], [[10, 10, 290, 13]], [True, True, False])
    """
    boxes, widths, heights = components.boxes, components.widths, components.heights
    thin = settings.rule * letter
    # What is left of a skew, and a rule that swells towards its middle, add to the height of a long one.
    across = (widths > settings.largest * letter) & (heights < thin + widths / _SWELLING)
    down = (heights > settings.largest / 2 * letter) & (widths < thin + heights / _SWELLING)
    return Rules(across | down, boxes[across], _joined(boxes[down], letter, settings))


def _joined(boxes: NDArray[np.int64], letter: float, settings: LayoutSettings) -> NDArray[np.int64]:
    """Boxes of upright rules, those put together that go on below one another."""
    whole: list[NDArray[np.int64]] = []
    for box in boxes[np.argsort(boxes[:, 1], kind="stable")]:
        for other in whole:
            beside = abs((box[0] + box[2]) - (other[0] + other[2])) / 2
            if beside < letter / 2 and box[1] - other[3] < settings.column * letter:
                other[0], other[2], other[3] = min(other[0], box[0]), max(other[2], box[2]), max(other[3], box[3])
                break
        else:
            whole.append(box.copy())
    return np.array(whole, np.int64).reshape(-1, 4)
