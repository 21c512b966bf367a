"""Every block of code in the docs runs, from the first to the last of its page, in a folder of its own.

Blocks are marked python or sh; what is marked console needs a browser, a network or a cluster, and is not run. A page
whose head says `slow: true` runs in `make docs`; one that `needs` a book finds scans in book/ and text in novels.txt.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if re.search(r"^```(python|sh)$", path.read_text("utf-8"), re.M))
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def head_of(page):
    text = page.read_text("utf-8")
    return yaml.safe_load(text.split("---\n")[1]) if text.startswith("---\n") else {}


def script_of(page):
    """The page as one program."""
    parts = ["import subprocess as _subprocess"]
    for language, code in _BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            parts.append(code)
        elif language == "sh":
            parts.append(f"_subprocess.run(['bash', '-euo', 'pipefail', '-c', {code!r}], check=True)")
    return "\n".join(parts)


def make_book(folder):
    from labelfree.repro.tasks.book import book_text, print_book

    made = book_text(2_000)
    (folder / "book").mkdir()
    print_book(made.lines, folder / "book")
    (folder / "novels.txt").write_text("\n".join(made.other), encoding="utf-8")


def make_fraktur(folder):
    sys.path.insert(0, str(DOCS))
    from dataclasses import replace

    import fraktur

    from labelfree.repro.printer import print_book

    print_book(replace(fraktur.DESIGN, damage=0.2), [fraktur.TALE] * 4, folder / "book")


NEEDS = {"book": make_book, "fraktur": make_fraktur}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, id=str(page.relative_to(DOCS)), marks=[pytest.mark.slow] if head_of(page).get("slow") else []
        )
        for page in PAGES
    ],
)
def test_what_a_page_shows_runs(page, tmp_path):
    need = head_of(page).get("needs")
    if need:
        NEEDS[need](tmp_path)
    (tmp_path / "page.py").write_text(script_of(page), encoding="utf-8")
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    paths = os.pathsep.join([str(ROOT / "src"), str(DOCS)])
    done = subprocess.run(
        [sys.executable, "page.py"],
        cwd=tmp_path,
        env={**os.environ, "PATH": scripts, "PYTHONPATH": paths, "ITERATIONS": "20"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
