"""Is it read? What can be said of a reading without its truth, for classifiers, ciphers and print alike.

Chance is what has to be beaten: a reading is language only if the language explains more of it than whoever found it
was free to choose (`price`). A text is what has to be reached: a language model explains so much of its own text, and a
reading that it explains half as well is nearer to that than to symbols drawn one by one (`language`).
"""

from labelfree.verdict.fit import FitVerdict, judge_fit
from labelfree.verdict.key import KeySearched, KeyVerdict, judge_key
from labelfree.verdict.language import own_gain
from labelfree.verdict.language_found import LanguageFound
from labelfree.verdict.outcome import (
    LEAST_EXPLAINED,
    LEAST_SAVED,
    MOST_ERROR,
    Outcome,
    Remedy,
    Verdict,
    chance,
)
from labelfree.verdict.price import price_of_key
from labelfree.verdict.reading import ReadingVerdict, TextNorm

__all__ = [
    "LEAST_EXPLAINED",
    "LEAST_SAVED",
    "MOST_ERROR",
    "FitVerdict",
    "KeySearched",
    "KeyVerdict",
    "LanguageFound",
    "Outcome",
    "ReadingVerdict",
    "Remedy",
    "TextNorm",
    "Verdict",
    "chance",
    "judge_fit",
    "judge_key",
    "own_gain",
    "price_of_key",
]
