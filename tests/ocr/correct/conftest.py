"""English sentences, and a model of half of them."""

import re

import pytest

from labelfree.lm import NGramLM
from labelfree.repro.tasks.spelling import standard_library_english


@pytest.fixture(scope="package")
def sentences() -> list[str]:
    paragraphs = sorted({" ".join(each.split()) for each in standard_library_english()})
    return [each for each in paragraphs if len(each) > 60 and re.fullmatch("[A-Za-z ,.']+", each)]


@pytest.fixture(scope="package")
def lm(sentences) -> NGramLM:
    return NGramLM.from_text("\n".join(sentences[::2]), order=4, outside="break")
