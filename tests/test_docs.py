"""What the docs list is what there is: every dependency with its reason, every limit with its value."""

import re
import tomllib
from pathlib import Path

import pytest

from labelfree.limits import LIMITS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
UNITS = {"": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


@pytest.mark.parametrize("part", ["dependencies", *PROJECT["optional-dependencies"]])
def test_every_dependency_has_its_reason(part):
    wanted = PROJECT["dependencies"] if part == "dependencies" else PROJECT["optional-dependencies"][part]
    names = {re.match(r"[\w-]+", each)[0] for each in wanted} - {PROJECT["name"]}
    told = set(re.findall(r"`([\w-]+)`", (ROOT / "docs" / "DEPENDENCIES.md").read_text("utf-8")))
    assert names
    assert names <= told


def test_every_limit_is_told_as_it_is():
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) ?(\w*) \|", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)
    told = {name: int(number.replace(",", "")) * UNITS[unit] for name, number, unit in rows}
    assert told == {name: each.usual for name, each in LIMITS.items()}
