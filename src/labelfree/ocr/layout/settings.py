"""The tuned numbers of the page layout."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LayoutSettings:
    """How lines of text are found; lengths are in heights of the page's common letters unless said otherwise."""

    least_contrast: int = 30  # grey levels between paper and ink, under which a picture is blank
    sauvola_k: float = 0.2  # how far under the mean of its neighbourhood a pixel must be where contrast is low
    surely_ink: float = 0.3  # grey of ink against even paper, whatever its neighbourhood: the inside of large letters
    surely_paper: float = 0.75  # and of paper
    faint: float = 0.5  # contrast of show-through at most, and of carbon copies at least, to that of the page's letters
    stroke_edge: float = 0.8  # deviations under that mean, where the blurred edge of a stroke is half ink
    negligible: float = 0.02  # share of grey pixels, of the darkest line's ink, and of a gain by turning a page
    paper_side: int = 500  # pixels of the longer side, at which strokes are thin and shadows are wide
    broadest_stroke: float = 0.04  # of the longer side of a page; what is dark over more is no stroke
    darkest_paper: float = 0.55  # grey of paper in a shadow, against the paper of the page
    survey_side: int = 1800  # pixels of the longer side, enough to judge size and skew by
    wanted_letter: float = 24.0  # pixels: letters half as high are enlarged to this
    least_letter: int = 4  # pixels of the lowest letters
    edge: int = 3  # pixels from the edge of a page at which ink may be the shadow of a scan
    steepest: float = 10.0  # degrees that a page may be turned
    least_line_angle: float = 0.3  # degrees under which the image of a single line is left as it is
    speck: float = 0.012  # area under which ink is dirt, of the letter height squared
    largest: float = 8.0  # height of the largest title, length of the shortest rule, and width of the widest letter
    rule: float = 0.35  # thickness of rules
    smallest: float = 0.5  # height of the smallest letter, and thickness of what joins letters of two lines
    pitch: float = 2.5  # height of the tallest letter, and distance from line to line
    space: float = 1.2  # white that parts columns, dirt from words, and accents from the line that they stand over
    column: float = 6.0  # height and width of the smallest column; a line reaches half as far beyond its ends
    gutter_area: float = 20.0  # of white between two columns at least
    off_line: float = 0.15  # distance from the baseline that still counts as on it
    cell: float = 0.125  # height of a cell of ink
    cell_width: float = 0.33  # its width
    blur: float = 0.32  # deviation of the blur, from line to line, that makes a line's ink a ridge
    reach: float = (
        0.75  # distance from a dot or an accent to its letter, and step from a line's end to where it goes on
    )
    enough: int = 8  # letters to judge a line, or the skew of a page, by
    aligned: float = 0.62  # share of letters on the baseline; print has 0.67 and more, rows in pictures rarely over 0.6
    among_text: float = 0.4  # the same for a line of a page of text, and share of letters that makes it one


DEFAULT = LayoutSettings()
