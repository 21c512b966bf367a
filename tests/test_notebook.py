"""How values show themselves in a notebook: small, true, escaped."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import html
from sklearn.exceptions import ConvergenceWarning

from labelfree import Alphabet, NGramLM, SequenceClassifier
from labelfree.ocr.book import Book, LineReading, Reading
from labelfree.ocr.language import book_language
from labelfree.ocr.types import Box, TextLine

from .ocr.scans import english_lines, english_text, ink_of

MOST_BYTES = 20_000


def shown(value):
    text = value._repr_html_()
    assert len(text) < MOST_BYTES
    return html.fromstring(text)


def facts(page):
    return {row[0].text: row[1].text for row in page.xpath(".//tr")}


def test_a_language_model_shows_its_most_frequent_symbols():
    page = shown(NGramLM.from_text("aaaa bb <c>", Alphabet("ab< "), 2))
    assert facts(page)["symbols"] == "4"
    names = [each.text_content().strip() for each in page.xpath(".//span[@title]")]
    assert names[0] == "a"
    assert sorted(names) == sorted("ab<␣")
    assert not page.xpath(".//c")


def test_a_classifier_shows_what_became_of_it():
    text = "abcabdabcabd" * 60
    lm = NGramLM.from_text(text, order=2)
    classifier = SequenceClassifier(lm, n_init=3, random_state=0)
    assert "not fitted" in shown(classifier).text_content()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(np.array([[ord(c)] for c in text]))
    page = shown(classifier)
    assert facts(page)["believes itself"] == ("yes" if classifier.converged_ else "no")
    assert facts(page)["divergence from the language"] == f"{classifier.kl_:.4f} nats"
    assert len(page.xpath(".//span[@title]")) == 3
    bundle = classifier._repr_mimebundle_()
    assert bundle["text/html"] == classifier._repr_html_()
    assert bundle["text/plain"].startswith("SequenceClassifier(")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    text = tmp_path_factory.mktemp("text") / "text.txt"
    text.write_text(english_text())
    lines = []
    for i, words in enumerate(english_lines(30)):
        ink = ink_of(words, i)
        box = Box(0, 0, ink.shape[1], ink.shape[0])
        lines.append(TextLine(Path("<i>.png"), i, box, np.uint8(255) * ink.astype(np.uint8)))
    return Book.measure(lines, book_language([text], None))


def test_a_book_shows_some_of_its_lines(book):
    page = shown(book)
    assert facts(page)["lines"] == "30"
    assert facts(page)["tiles"] == f"{len(book.rows):,}"
    assert len(page.xpath(".//img[starts-with(@src, 'data:image/png;base64,')]")) == 3
    named = replace(book, language=replace(book.language, code="<b>x</b>"))
    assert not [each for each in shown(named).xpath(".//b") if each.text == "x"]


def test_a_reading_shows_how_sure_it_is():
    line = LineReading(np.array([1, 2, 3, 1]), np.array([0.95, 0.9, 0.15, 0.99]), np.zeros((4, 4), np.int64))
    page = shown(Reading.of_lines([line]))
    assert facts(page) == {"lines": "1", "symbols read": "4", "confidence": "74.8% on average"}
    titles = [each.get("title") for each in page.xpath(".//span[@title]")]
    assert titles[1] == ".1: 1"
    assert titles[9] == ".9: 3"
    assert facts(shown(Reading.of_lines([])))["confidence"] == "-"
