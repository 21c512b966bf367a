"""Writes that are stopped at any instruction: the old or the new stands under the name, and nothing else is left."""

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from labelfree import NGramLM, SequenceClassifier, files, load, locks, save
from labelfree.errors import InputError

TRACED = {files.__file__, locks.__file__}


class Interrupter:
    """Raises KeyboardInterrupt, as a signal does, before the n-th line of the modules that write files."""

    def __init__(self, n):
        self.left = n

    def __enter__(self):
        sys.settrace(self.on_call)

    def __exit__(self, *about):
        sys.settrace(None)

    def on_call(self, frame, event, _):
        return self.on_line if frame.f_code.co_filename in TRACED else None

    def on_line(self, frame, event, _):
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self.on_line


@pytest.fixture(scope="module")
def readers():
    """Two fitted classifiers that are told apart by their seeds."""
    lm = NGramLM.from_text("abcab" * 30, order=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [SequenceClassifier(lm, "majority", random_state=seed).fit([[1], [2], [3]] * 9) for seed in (0, 1)]


@pytest.fixture(params=["exchange", "two renames"])
def _how(request, monkeypatch):
    if request.param == "two renames":
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)


def open_handles():
    return {int(path.name) for path in Path("/proc/self/fd").iterdir() if path.exists()}


def interrupted_everywhere(act, check):
    """Interrupt an act before each of its lines in turn, until it is done before that; gives how many there were."""
    for n in range(1, 2000):
        interrupter, before = Interrupter(n), open_handles()
        try:
            with interrupter:
                act()
        except KeyboardInterrupt:
            pass
        for handle in open_handles() - before:  # as if the process had ended
            os.close(handle)
        locks._held.clear()
        check()
        if interrupter.left > 0:
            return n
    raise AssertionError("it never ends")


@pytest.mark.usefixtures("_how")
def test_a_folder_that_is_replaced_is_there_whenever_that_is_interrupted(tmp_path):
    place, seen = tmp_path / "model", set()

    def replace():
        with files.folder_aside(place, may_replace=lambda found: True) as aside:
            (aside / "text").write_text("old" if "new" in seen else "new")

    def check():
        files.recover(place)  # as whoever opens a model does
        assert [path.name for path in place.iterdir()] == ["text"]
        seen.add((place / "text").read_text())
        files.remove_leftovers(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["model"]

    place.mkdir()
    (place / "text").write_text("old")
    assert interrupted_everywhere(replace, check) > 100
    assert seen == {"old", "new"}


def test_a_file_that_is_replaced_is_old_or_new_whenever_that_is_interrupted(tmp_path):
    place = tmp_path / "text"
    place.write_bytes(b"old")

    def check():
        files.remove_leftovers(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["text"]
        assert place.read_bytes() in (b"old", b"new" * 999)

    assert interrupted_everywhere(lambda: files.write_aside(place, b"new" * 999), check) > 20
    assert place.read_bytes() == b"new" * 999


PROGRAM = """
import os, signal, sys
from pathlib import Path
from labelfree import files, load, save
place = Path(sys.argv[1])
reader = load(place)
reader.random_state = 7
rename = Path.rename
def rename_and_die(self, target):
    rename(self, target)
    os.kill(os.getpid(), signal.SIGKILL)
files._exchange = lambda one, other: False
Path.rename = rename_and_die
save(reader, place, force=True)
"""


def test_a_folder_whose_replacement_was_killed_between_two_renames_is_put_back(readers, tmp_path):
    place = tmp_path / "model"
    save(readers[1], place)
    killed = subprocess.run([sys.executable, "-c", PROGRAM, str(place)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not place.exists()
    assert load(place).random_state == 1
    save(readers[0], place, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_comes_into_a_folder_while_it_is_replaced_is_not_lost(readers, tmp_path, monkeypatch):
    place = tmp_path / "model"
    save(readers[0], place)
    write = NGramLM.write_arpa

    def write_while_a_person_works(lm, path):
        (place / "notes.txt").write_text("mine")
        write(lm, path)

    monkeypatch.setattr(NGramLM, "write_arpa", write_while_a_person_works)
    with pytest.raises(InputError, match="model is there and is no model folder"):
        save(readers[1], place, force=True)
    assert (place / "notes.txt").read_text() == "mine"
    assert load(place).random_state == 0
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


HOLDER = """
import sys, time
from pathlib import Path
from labelfree import files
folder = Path(sys.argv[1])
with files.claimed(folder / "a"), files.file_aside(folder / "b"):
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_leftovers_go_but_not_what_a_process_is_at_nor_what_others_own(tmp_path):
    part, folder = tmp_path / f".labelfree-{'0' * 16}.part", tmp_path / f".labelfree-{'1' * 16}.part"
    lock = tmp_path / f".labelfree-{'2' * 16}.lock"
    own = [tmp_path / ".labelfree-notes", tmp_path / "x.part", tmp_path / ".labelfree-12.part"]
    for path in (part, lock, *own):
        path.write_bytes(b"1")
    (folder / "deep").mkdir(parents=True)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "ready\n"
        files.write_aside(tmp_path / "c", b"")
        files.remove_leftovers(tmp_path)
        kept = {path.name for path in tmp_path.iterdir()} - {path.name for path in own} - {"c"}
        assert len(kept) == 2
        assert {Path(name).suffix for name in kept} == {".part", ".lock"}
        with pytest.raises(InputError, match=rf"a is being written by process {holder.pid}; wait for it"):
            files.claimed(tmp_path / "a").__enter__()
        holder.kill()
    files.remove_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*(path.name for path in own), "c"}


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "folder"])
def test_nothing_but_a_regular_file_is_replaced(tmp_path, kind):
    place, target = tmp_path / "place", tmp_path / "target"
    target.write_text("mine")
    if kind == "link":
        place.symlink_to(target)
    elif kind == "dangling link":
        place.symlink_to(tmp_path / "nowhere")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    with pytest.raises(
        InputError, match=f"place cannot be written: it is a {'symbolic link' if 'link' in kind else kind}"
    ):
        files.write_aside(place, b"theirs")
    assert target.read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"place", "target"}


def test_a_device_is_not_replaced():
    with pytest.raises(InputError, match="/dev/null cannot be written: it is a device"):
        files.write_aside(Path("/dev/null"), b"")
    assert Path("/dev/null").is_char_device()


def test_files_are_made_as_the_system_is_told_to(tmp_path):
    before = os.umask(0o027)
    try:
        files.write_aside(tmp_path / "a", b"")
        with files.folder_aside(tmp_path / "b", may_replace=lambda found: False) as aside:
            (aside / "c").touch()
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o750
