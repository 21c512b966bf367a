"""The tuned numbers of the corrections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FormSettings:
    """How characters read as one symbol are told apart.

    Attributes
    ----------
    shape_size : int
        Characters that look alike and are taken together, on average.
    most_shapes : int
        Of a symbol; joining them takes the square of their number.
    least : int
        Characters of a form, and places at which room beside a mark is judged.
    near : int
        Shapes most like one that say something of it.
    repeated : float
        Power of how often a word occurs that its characters count with all together.
    agreement : float
        Weight of shapes that look alike against the text.
    cost : float
        Nats for a change, and again where neither text nor look speaks for it.
    cost_of_joining : float
        Nats besides for a change to the end of the letter before.
    least_chance : float
        Of any symbol at a place, since the text around it may be wrong.
    looks, changes : int
        Rounds at most, and changes that each makes, of other symbols.
    pairs : int
        Commonest pairs of letters that may touch.
    split : float
        Log-odds of a tile that is not just one letter.
    gain : float
        Nats a place by which lines must be likelier without a space beside a mark.
    """

    shape_size: int = 8
    most_shapes: int = 1000
    least: int = 3
    near: int = 8
    repeated: float = 0.25
    agreement: float = 2.0
    cost: float = 6.0
    cost_of_joining: float = 14.0
    least_chance: float = 1e-6
    looks: int = 60
    changes: int = 4
    pairs: int = 150
    split: float = -3.0
    gain: float = 1.0


@dataclass(frozen=True)
class WordSettings:
    """How words that the language does not have are corrected.

    Attributes
    ----------
    new : float
        Share of the words taken to be new at least: a book has names of its own.
    other_letters : int
        Letters of which one may be another, and of those at most so many.
    often : int
        Times that a word was read for every second letter to be another.
    margin : float
        Nats by which a word that the language has must lead.
    faint : float
        Of a tile's neighbours, shared by all letters that none of them shows.
    compared : int
        Characters to compare with.
    near : int
        Neighbours of a tile that speak for it, those of the same word left out.
    scale : float
        Squared distances between tiles most alike, beyond which one says little of another.
    """

    new: float = 0.02
    other_letters: int = 3
    often: int = 8
    margin: float = 9.0
    faint: float = 3e-4
    compared: int = 20_000
    near: int = 24
    scale: float = 4.0


@dataclass(frozen=True)
class PageNumberSettings:
    """How page numbers are found.

    Attributes
    ----------
    places : (int, int)
        Heads at least and at most.
    shape_size : int
        Characters of heads that look alike and are taken together, on average.
    shapes : (int, int)
        At least and at most.
    lines_a_page : tuple of float
        That are tried.
    shuffles : int
        Other orders of the same words in which nothing must be found.
    lead : float
        Nats by which a rise must explain more than these.
    mistake : float
        Nats for a shape that stands for another figure.
    steps : int
        Pages from one number to the next at most.
    beam : int
        Sequences that are followed.
    near : int
        Figures of page numbers that tell one elsewhere.
    reach : float
        Times the distance between figures that are alike, beyond which none tells.
    """

    places: tuple[int, int] = (8, 500)
    shape_size: int = 3
    shapes: tuple[int, int] = (10, 60)
    lines_a_page: tuple[float, ...] = (20.0, 28.0, 40.0)
    shuffles: int = 2
    lead: float = 10.0
    mistake: float = 4.0
    steps: int = 12
    beam: int = 4000
    near: int = 5
    reach: float = 2.0


@dataclass(frozen=True)
class CorrectSettings:
    """All of them."""

    forms: FormSettings = FormSettings()
    words: WordSettings = WordSettings()
    page_numbers: PageNumberSettings = PageNumberSettings()
