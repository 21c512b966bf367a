"""A small cipher with a known key, as files, and a way to run commands as the console script does."""

from contextvars import copy_context
from dataclasses import dataclass

import numpy as np
import pytest

from labelfree import Alphabet, NGramLM
from labelfree.cli import run

LETTERS = "abcdef"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def labelfree(capfd):
    def ran(*arguments):
        capfd.readouterr()
        code = copy_context().run(run, [str(one) for one in arguments])  # what a command sets ends with it
        return Ran(code, *capfd.readouterr())

    return ran


@pytest.fixture
def refused(labelfree):
    """Run a command that must be refused; gives its one line."""

    def ran(*arguments):
        found = labelfree(*arguments)
        assert found.code == 2, found
        assert found.out == ""
        assert found.err.startswith("labelfree: error: ")
        assert found.err.count("\n") == 1
        return found.err

    return ran


def markov_text(n_positions, seed):
    rng = np.random.default_rng(0)
    steps = rng.dirichlet(np.full(len(LETTERS), 0.3), size=len(LETTERS)).cumsum(axis=1)
    labels = np.zeros(n_positions, dtype=np.int64)
    for t, draw in enumerate(np.random.default_rng(seed).random(n_positions - 1), start=1):
        labels[t] = min(np.searchsorted(steps[labels[t - 1]], draw), len(LETTERS) - 1)
    return labels


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    """data.npz (a cipher), features.npz (the same through noise), text.txt, lm.arpa.gz, and model/ fitted to it."""
    folder = tmp_path_factory.mktemp("workshop")
    y = markov_text(4000, seed=1)
    key = np.random.default_rng(2).permutation(len(LETTERS)) + 40
    lengths = np.full(80, 50)
    np.savez(folder / "data.npz", X=key[y], lengths=lengths, y=y, alphabet=LETTERS)
    noise = 0.2 * np.random.default_rng(3).normal(size=(4000, len(LETTERS)))
    np.savez(folder / "features.npz", X=np.eye(len(LETTERS))[y] + noise, lengths=lengths, y=y, alphabet=LETTERS)
    text = "".join(LETTERS[i] for i in markov_text(20_000, seed=4))
    (folder / "text.txt").write_text(text)
    NGramLM.from_text(text, Alphabet(LETTERS)).write_arpa(folder / "lm.arpa.gz")
    code = run(
        ["fit", str(folder / "data.npz"), "--lm", str(folder / "lm.arpa.gz"), "-o", str(folder / "model"), "--quiet"]
    )
    assert code == 0
    return folder


@pytest.fixture
def model(workshop, tmp_path):
    """A copy of the fitted model, to be spoilt."""
    import shutil

    return shutil.copytree(workshop / "model", tmp_path / "model")
