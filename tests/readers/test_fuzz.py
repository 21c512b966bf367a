"""Mutated files through every reader: nothing but one line that says what is wrong, soon and in little memory."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import fuzz
from fuzzed import TARGETS

CASES = Path(__file__).parent / "cases"
"""Files that once did harm: a folder for each reader, in it a file or a folder of files for each input."""


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.filterwarnings("ignore")
def test_mutated_files_are_read_or_refused(name):
    row = fuzz.run_cases(name, 0, 300)
    assert row["found"] == []
    assert row["inputs"] == 300
    assert row.get("refused", 0) > 60


@pytest.mark.parametrize("path", sorted(CASES.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.filterwarnings("ignore")
def test_what_once_did_harm_does_none(path, tmp_path):
    files = {file.name: file.read_bytes() for file in (sorted(path.iterdir()) if path.is_dir() else [path])}
    assert fuzz.run_case(TARGETS[path.parent.name], files, tmp_path) in ("read", "refused")
