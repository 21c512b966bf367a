"""The tuned numbers of the corrections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FormSettings:
    """How characters read as one symbol are told apart, and how room beside marks is judged."""

    shape_size: int = 8  # characters that look alike and are taken together, on average
    most_shapes: int = 1000  # of a symbol: joining them takes the square of their number
    least: int = 3  # characters of a form, and places at which room beside a mark is judged
    near: int = 8  # shapes most like one that say something of it
    repeated: float = 0.25  # power of how often a word occurs that its characters count with all together
    agreement: float = 2.0  # weight of shapes that look alike against the text
    cost: float = 6.0  # nats for a change, and again where neither text nor look speaks for it
    cost_of_joining: float = 14.0  # nats besides for a change to the end of the letter before
    least_chance: float = 1e-6  # of any symbol at a place, since the text around it may be wrong
    split: float = -3.0  # log-odds of a tile that is the end of a letter
    gain: float = 1.0  # nats a place by which lines must be likelier without a space beside a mark


@dataclass(frozen=True)
class WordSettings:
    """How words that the language does not have are corrected."""

    new: float = 0.02  # share of the words taken to be new at least: a book has names of its own
    other_letters: int = 3  # letters of which one may be another, and of those at most so many
    often: int = 8  # times that a word was read for every second letter to be another
    margin: float = 9.0  # nats by which a word that the language has must lead
    faint: float = 3e-4  # of a tile's neighbours, shared by all letters that none of them shows
    compared: int = 20_000  # characters to compare with
    near: int = 24  # neighbours of a tile that speak for it, those of the same word left out
    scale: float = 4.0  # squared distances between tiles most alike, beyond which one says little of another


@dataclass(frozen=True)
class PageNumberSettings:
    """How page numbers are found, and what they tell of other figures."""

    places: tuple[int, int] = (8, 500)  # heads at least and at most
    shape_size: int = 3  # characters of heads that look alike and are taken together, on average
    shapes: tuple[int, int] = (10, 60)  # at least and at most
    lines_a_page: tuple[float, ...] = (20.0, 28.0, 40.0)  # that are tried
    shuffles: int = 2  # other orders of the same words in which nothing must be found
    lead: float = 10.0  # nats by which a rise must explain more than these
    mistake: float = 4.0  # nats for a shape that stands for another figure
    steps: int = 12  # pages from one number to the next at most
    beam: int = 1000  # sequences that are followed
    near: int = 5  # figures of page numbers that tell one elsewhere
    reach: float = 2.0  # times the distance between figures that are alike, beyond which none tells


@dataclass(frozen=True)
class CorrectSettings:
    """All of them."""

    forms: FormSettings = FormSettings()
    words: WordSettings = WordSettings()
    page_numbers: PageNumberSettings = PageNumberSettings()


DEFAULT = CorrectSettings()
