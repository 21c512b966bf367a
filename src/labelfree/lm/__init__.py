"""Language models of characters: counting, smoothing, joint and conditional N-grams, ARPA, languages."""

from labelfree.lm.counting import NGramCounts
from labelfree.lm.model import NGramLM
from labelfree.lm.smoothing import Smoothing
from labelfree.lm.stationary import DENSE_LIMIT, NGrams

__all__ = ["DENSE_LIMIT", "NGramCounts", "NGramLM", "NGrams", "Smoothing"]
