"""The example that is not text: what docs/activities.md says of it holds."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("activities", DOCS / "activities.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_activities_are_labelled_from_diaries_and_signals_alone(example):
    found = example.label(example.language(), seed=0)
    assert found["right"] > 0.9
    assert found["right, decoded"] > 0.97
    assert found["most frequent"] < 0.4
    assert found["believed"]
    assert found["never found"] == []


def test_the_page_names_the_activities_of_the_script_in_their_order(example):
    page = (DOCS / "activities.md").read_text(encoding="utf-8")
    named = re.search(r"Alphabet\(\[(.*?)\]\)", page)[1]
    assert tuple(re.findall(r'"(\w+)"', named)) == example.ACTIVITIES
