"""What is made from the help: the man page, and what shells complete with."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from labelfree.cli.manual import entries, man_page

MAN = Path(__file__).parents[2] / "man" / "labelfree.1"


def test_the_man_page_is_the_help_of_today():
    assert MAN.read_text("utf-8") == man_page(), "make man writes it anew"


def test_the_man_page_has_every_command_and_option():
    page = man_page().replace("\\-", "-")
    for entry in entries():
        assert entry.usage in page
        for option, does in entry.options:
            assert option in page
            assert does[:40] in page.replace("\\&", "")


@pytest.mark.skipif(not shutil.which("man"), reason="no man")
def test_man_has_no_complaint():
    done = subprocess.run(["man", "--warnings", "-l", str(MAN)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "labelfree ocr run" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_take_what_they_complete_with(labelfree, shell, tmp_path):
    found = labelfree("completion", shell)
    assert found.code == 0
    assert found.out.startswith("# ")
    assert f"labelfree completion {shell}" in found.out.splitlines()[0]
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    (tmp_path / "script").write_text(found.out)
    subprocess.run([shell, "-n", "script"], cwd=tmp_path, check=True)


def test_bash_completes_a_command(labelfree, tmp_path):
    (tmp_path / "script").write_text(labelfree("completion", "bash").out)
    command = tmp_path / "labelfree"
    command.write_text(f"#!{sys.executable}\nfrom labelfree.cli import main\nmain()\n")
    command.chmod(0o755)
    asked = f"COMP_WORDS=(labelfree ocr re); COMP_CWORD=2; _labelfree_completion {command}; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(
        ["bash", "-c", f"source ./script; {asked}"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["read"]


def test_a_shell_that_is_none_is_refused(refused):
    assert "'csh' is not one of" in refused("completion", "csh")
