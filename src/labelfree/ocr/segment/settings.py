"""The tuned numbers of cutting lines into characters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SegmentSettings:
    """How lines are cut into characters; lengths are in x-heights of the line, costs in nats."""

    plenty: float = 18.0  # pixels of x-height that are enough: finer scans are shrunk
    blocks: int = 24  # pieces of a line that slide against each other when it is straightened
    steepest: float = 0.04  # rows that a line rises or falls for each column at most
    level: float = 0.05  # share by which edges must pile up higher for a line to be taken for slanting
    x_height_prior: float = 8.75  # weight of a line's x-height being another than the book's, squared in logarithms
    ink_above: float = 0.003  # share of a line's ink above its tall letters at most
    capital: float = 1.5  # height of a capital; no gap counts as wider
    few: float = 10.0  # letters without which nothing is told of a line in capitals, or of a book's gaps
    few_large: float = 2.0  # the same where its letters are taller than the book's small ones
    clip_above: float = 2.4  # height above the baseline where the line before begins
    near: float = 0.08  # what is no farther from the baseline, from x-height or from a neighbouring line is at it
    upper: float = 0.8  # what lies above is a dot, an accent or a quote; no quote is as high
    speck: float = 0.3  # of the square of a stroke's width: less ink is no letter
    reach: float = 0.15  # what is clearly higher, lower or farther to the side than the small letters is so by this
    gap: float = 0.35  # paper within a letter, or between the halves of a quote, at most
    small: float = 0.6  # height and width of stops; quotes are as narrow, and higher
    geometry: float = 4.0  # weight of an x-height against that of a black cell
    surprise: float = 3.5  # cost of a letter's usual distance from its shape
    bonus: float = 4.0  # what each letter is spared, lest few wide ones always be cheaper
    wide: float = 6.0  # cost of the square of each x-height beyond the first in a letter's width
    least_spread: float = 1.0  # usual distance from a shape at least: clean print still has to bear a scratch
    letters_a_shape: int = 12  # letters for each shape of the codebook on average
    fits: float = 2.5  # usual distances from all shapes beyond which the half of a letter is no letter
    widest: float = 2.0  # width of a broken letter at most
    touch: float = 2.0  # cost of parting ink that hangs together
    seam: float = 8.0  # cost of each x-height of ink cut through, or of paper joined over
    strange: float = 20.0  # cost of each x-height of a shape that the codebook does not have
    whole: float = 16.0  # the same of one that hangs together and stands apart
    broken: float = 0.5  # cost of joining ink that lies apart
    least_width: float = 0.75  # width of ink that may be two letters
    least_piece: float = 0.22  # width of what is cut off a letter at least
    borrowed: float = 4.0  # gaps of the book that a line's own weigh against
    stop_space: float = 1.6  # times the width of other spaces that one before a stop has at least


DEFAULT = SegmentSettings()
