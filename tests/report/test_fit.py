"""The report on a fit: what is read, how it was learned, and the labels that the data hold, opened afterwards."""

import warnings

import numpy as np
import pytest
from lxml import html
from sklearn.exceptions import ConvergenceWarning

from labelfree.alphabet import Alphabet
from labelfree.estimator import SequenceClassifier
from labelfree.lm import NGramLM
from labelfree.report.curves import percent
from labelfree.report.fit import fit_report
from labelfree.storage.datafile import DataFile, read_data

LETTERS = "ab <&"
N, LENGTH = 4_000, 40


def draw(seed, n=N):
    steps = np.random.default_rng(0).dirichlet(np.full(len(LETTERS), 0.4), size=len(LETTERS)).cumsum(1)
    labels = np.zeros(n, np.int64)
    for t, number in enumerate(np.random.default_rng(seed).random(n - 1), 1):
        labels[t] = min(np.searchsorted(steps[labels[t - 1]], number), len(LETTERS) - 1)
    return labels


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    y = draw(1)
    path = tmp_path_factory.mktemp("fit") / "<i>data.npz"
    np.savez(path, X=y[:, None] + 7, lengths=np.full(N // LENGTH, LENGTH), y=y, alphabet=LETTERS)
    data = read_data(path)
    lm = NGramLM.from_text(Alphabet(LETTERS).decode(draw(2, 20_000)), Alphabet(LETTERS), 3)
    classifier = SequenceClassifier(lm, n_init=4, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so few letters: a report shows what is not believed, too
        classifier.fit(data.X, lengths=data.lengths)
    return classifier, data


def test_it_shows_the_sequences_the_search_and_the_mistakes(fitted):
    classifier, data = fitted
    page = html.fromstring(fit_report(classifier, data))
    read = page.xpath("//p[@class='read']")[0].text_content()
    assert read == classifier.lm.alphabet.decode(classifier.decode(data.X[:LENGTH], lengths=[LENGTH]))
    error = 1 - classifier.score(data.X, data.y)
    assert page.xpath("//section[@id='truth']/p/b")[0].text == percent(error)
    assert len(page.xpath("//section[@id='search']//*[name()='path' and @class='winner']")) >= 1
    assert len(page.xpath("//section[@id='search']//*[name()='path' and @class='start']")) >= 3
    assert page.xpath("//h1")[0].text == "<i>data"
    assert len(page.xpath("//script")) == 1


def test_without_labels_there_is_no_truth(fitted):
    classifier, data = fitted
    page = html.fromstring(fit_report(classifier, DataFile(data.path, data.X, data.lengths, None, None)))
    assert not page.xpath("//section[@id='truth']")
    assert not page.xpath("//ins")


def test_wrong_positions_are_shown_against_the_truth(fitted):
    classifier, data = fitted
    y = data.y.copy()
    y[3] = (y[3] + 1) % len(LETTERS)
    wrong = DataFile(data.path, data.X, data.lengths, y, data.alphabet)
    page = html.fromstring(fit_report(classifier, wrong))
    first = page.xpath("//li[contains(@class, 'line')]")[0]
    assert [each.text for each in first.xpath(".//ins")] == [LETTERS[y[3]]]
