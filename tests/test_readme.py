"""The README's examples run as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]


@pytest.fixture(scope="module")
def environment():
    import os

    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_the_python_example_reads_english_and_believes_itself(tmp_path, environment):
    code = block("python")
    assert len(code.strip().splitlines()) <= 10
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    text, verdict = done.stdout.strip("\n").splitlines()
    assert len(text) == 70
    assert verdict == "0.00% wrong; believes itself: True"


def test_the_shell_example_reads_the_cipher(tmp_path, environment):
    lines = block("sh")
    assert len(lines.strip().splitlines()) == 3
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Beautiful is better than ugly." in done.stdout
    assert '"converged": true' in (tmp_path / "found.json").read_text(encoding="utf-8")
