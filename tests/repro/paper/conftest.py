"""A small problem over features, solved with labels."""

import numpy as np
import pytest
import torch

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.solvers import Problem
from labelfree.solvers.supervised import Supervised

TEXT = "a bad cab had a dead deaf bee. a bee fed a cad a bead, a cafe, a face and a deed. " * 12


@pytest.fixture(scope="session")
def solved():
    """(problem, labels, classifier that saw the labels): noisy features of seven symbols."""
    lm = NGramLM.from_text(TEXT, Alphabet("abcdef "), order=2)
    labels = lm.alphabet.encode(TEXT)
    rng = np.random.default_rng(0)
    features = rng.standard_normal((len(lm.alphabet), 12))[labels] + 0.7 * rng.standard_normal((len(labels), 12))
    lengths = [300, 1, len(labels) - 301]
    problem = Problem.from_sequences(torch.from_numpy(features.astype(np.float32)), lengths, lm, order=2)
    return problem, labels, Supervised(labels, steps=50, l2=1e-4).solve(problem).model
