"""`labelfree ocr` stopped and taken up again: killed, interrupted, on damaged checkpoints; and nothing replaced."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import replace

import pytest

from labelfree.cli import ocr_work
from labelfree.ocr import pipeline
from labelfree.ocr.book import PIECE
from labelfree.ocr.checkpoints import Checkpoints
from labelfree.ocr.pipeline import STAGES
from labelfree.ocr.reader import Reader

from .little import N_LINES, environment, files, learn_little, learn_once, print_book, run

NAMES = [stage.name for stage in STAGES]
PATIENCE = 2.0  # seconds that a person waits who stops the work
LONGEST = 300.0


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return print_book(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="module", autouse=True)
def _little():
    with pytest.MonkeyPatch.context() as patch:
        learn_little(patch.setattr)
        learn_once(patch.setattr)
        yield


def words(book, *more):
    return [str(book / "lines"), "--kind", "line", "--text", str(book / "text.txt"), "-q", *map(str, more)]


@pytest.fixture(scope="module")
def whole(book):
    """A run that nobody stopped: out/, and out.checkpoint as it was at the end."""
    place = book / "whole"
    place.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoints, "remove", lambda self: None)
        assert run("ocr", "run", *words(book), "-f", "txt,json", "-o", place / "out") == 0
    return place


@pytest.fixture(scope="module")
def model(book):
    """A model that reads character by character."""
    assert run("ocr", "learn", *words(book), "--fast", "-o", book / "model") == 0
    return book / "model"


@pytest.fixture
def worked(monkeypatch):
    """The names of the stages that are run, not restored."""
    names = []

    def noting(stage):
        return replace(stage, work=lambda state: names.append(stage.name) or stage.work(state))

    monkeypatch.setattr(pipeline, "STAGES", tuple(map(noting, STAGES)))
    return names


@pytest.fixture
def no_work(monkeypatch):
    """Fail where a language is counted, a model read, or a scan opened."""
    for name in ("book_language", "read_lines"):
        monkeypatch.setattr(ocr_work, name, None)
    monkeypatch.setattr(Reader, "load", None)


def kept_until(whole, last, place):
    """A folder of checkpoints as it is when work is stopped after a stage; gives the stages kept in it."""
    shutil.copytree(whole / "out.checkpoint", place)
    kept = [name for name in NAMES if (place / f"stage-{name}.json").exists()]
    for name in kept:
        if NAMES.index(name) > NAMES.index(last):
            for path in place.glob(f"stage-{name}.*"):
                path.unlink()
    return [name for name in kept if NAMES.index(name) <= NAMES.index(last)]


@pytest.mark.parametrize(
    "last", [name for name in ("tiles", "tiles-2", "lines", "lines-2", "confidence") if name in NAMES]
)
def test_work_stopped_after_any_stage_ends_in_the_same_bytes(labelfree, book, whole, worked, tmp_path, last):
    kept = kept_until(whole, last, tmp_path / "out.checkpoint")
    assert last in kept
    found = labelfree("ocr", "run", *words(book), "-f", "txt,json", "-o", tmp_path / "out", "--resume")
    assert (found.code, found.err) == (0, "")
    assert not set(worked) & set(kept)
    assert set(NAMES) == {*worked, *kept}
    assert files(tmp_path / "out") == files(whole / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def flip_a_digit(content, field):
    digit = re.search(rf'"{field}": [\[\d.]*?\d(\d)'.encode(), content)
    other = str((int(digit[1]) + 1) % 10).encode()
    return content[: digit.start(1)] + other + content[digit.end(1) :]


def flip_in_the_middle(content, _):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(
    ("name", "change", "field", "stage"),
    [
        ("stage-lines.safetensors", flip_in_the_middle, "", "lines"),
        ("stage-lines.json", flip_a_digit, "scores", "lines"),
        ("stage-confidence.json", flip_a_digit, "doubt_power", "confidence"),
        ("tiles.model/model.safetensors", flip_in_the_middle, "", "tiles"),
        ("tiles.model/model.json", flip_a_digit, "scale", "tiles"),
    ],
)
def test_a_damaged_checkpoint_is_not_used(labelfree, book, whole, worked, tmp_path, name, change, field, stage):
    kept = kept_until(whole, NAMES[-1], tmp_path / "out.checkpoint")
    file = tmp_path / "out.checkpoint" / name
    file.write_bytes(change(file.read_bytes(), field))
    found = labelfree("ocr", "run", *words(book), "-f", "txt,json", "-o", tmp_path / "out", "--resume")
    assert (found.code, found.err) == (0, "")
    assert set(worked) & set(kept) == {stage}
    assert files(tmp_path / "out") == files(whole / "out")


def test_checkpoints_of_other_work_are_refused_and_stay(refused, book, whole, tmp_path):
    kept_until(whole, NAMES[-1], tmp_path / "out.checkpoint")
    before = files(tmp_path / "out.checkpoint")
    (tmp_path / "other").mkdir()
    for path in sorted((book / "lines").glob("*.png"))[1:]:
        shutil.copy(path, tmp_path / "other")
    (tmp_path / "hints.txt").write_text("003: a word\n")
    other = [str(tmp_path / "other"), *words(book)[1:]]
    for arguments in (
        other,
        words(book, "--seed", "1"),
        words(book, "--fast"),
        words(book, "--without", "punctuation"),
        words(book, "--hints", tmp_path / "hints.txt"),
        words(book, "--script", "signs"),
    ):
        message = refused("ocr", "run", *arguments, "-o", tmp_path / "out", "--resume")
        assert "out.checkpoint is of work with other scans, settings, language or version" in message
        assert "--force to begin anew" in message
    assert files(tmp_path / "out.checkpoint") == before
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("verb", ["run", "learn", "read"])
def test_work_that_was_stopped_is_begun_anew_only_by_force(refused, no_work, book, tmp_path, verb):
    (tmp_path / "out.checkpoint").mkdir()
    arguments = words(book) if verb != "read" else [str(book / "lines"), "-m", str(tmp_path / "model"), "-q"]
    message = refused("ocr", verb, *arguments, "-o", tmp_path / "out")
    assert "out.checkpoint is there, of work that was stopped; give --resume to go on, or --force" in message


def test_force_begins_anew(labelfree, book, whole, worked, tmp_path):
    kept_until(whole, NAMES[-1], tmp_path / "out.checkpoint")
    assert labelfree("ocr", "run", *words(book, "--fast"), "-o", tmp_path / "out", "--force").code == 0
    assert "tiles" in worked
    assert not (tmp_path / "out.checkpoint").exists()


def test_what_is_not_begun_is_begun(labelfree, book, model, tmp_path):
    arguments = [book / "lines", "--kind", "line", "-m", model, "-o", tmp_path / "out", "-q"]
    assert labelfree("ocr", "read", *arguments, "--resume").code == 0
    assert (tmp_path / "out" / "000.txt").exists()


def start(command, environment):
    return subprocess.Popen(
        command,
        env=environment,
        shell=isinstance(command, str),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_killed_then_interrupted_then_gone_on_with_as_told(book, whole, tmp_path):
    """Three processes, the last of them begun by the very command that the second printed."""
    out, kept = tmp_path / "out", tmp_path / "out.checkpoint"
    command = ["labelfree", "ocr", "run", *words(book), "-f", "txt,json", "-o", str(out)]
    killed = start(command, environment(tmp_path / "killing", "die_after('tiles')"))
    killed.communicate(timeout=LONGEST)
    assert killed.returncode == -signal.SIGKILL
    assert (kept / "stage-tiles.json").exists()
    assert not out.exists()

    plain = environment(tmp_path / "plain")
    stopped = start([*command, "--resume"], plain)
    until = time.monotonic() + LONGEST
    while not (kept / "stage-page-numbers.json").exists() and time.monotonic() < until:
        time.sleep(0.01)
    began = time.monotonic()
    stopped.send_signal(signal.SIGINT)
    _, told = stopped.communicate(timeout=LONGEST)
    assert time.monotonic() - began < PATIENCE
    assert stopped.returncode == 130
    assert told.count("\n") == 1
    assert told.startswith(f"labelfree: stopped; kept in {kept}: page-numbers, ")
    assert not out.exists()

    last = start(told.partition("Go on with: ")[2].strip(), plain)
    _, said = last.communicate(timeout=LONGEST)
    assert (last.returncode, said) == (0, "")
    assert files(out) == files(whole / "out")
    assert not kept.exists()


def test_reading_killed_after_some_lines_goes_on_with_the_others(labelfree, book, model, monkeypatch, tmp_path):
    out = tmp_path / "out"
    arguments = ["ocr", "read", str(book / "lines"), "--kind", "line", "-m", str(model), "-f", "txt,json", "-q"]
    killed = start(["labelfree", *arguments, "-o", str(out)], environment(tmp_path / "killing", "die_after('piece 0')"))
    killed.communicate(timeout=LONGEST)
    assert killed.returncode == -signal.SIGKILL
    assert labelfree(*arguments, "-o", tmp_path / "whole").code == 0
    read, counted = Reader.read_lines, []
    monkeypatch.setattr(Reader, "read_lines", lambda self, lines: counted.append(len(lines)) or read(self, lines))
    assert labelfree(*arguments, "-o", out, "--resume").code == 0
    assert counted == [N_LINES - PIECE]
    assert files(out) == files(tmp_path / "whole")
    assert not (tmp_path / "out.checkpoint").exists()


def test_a_damaged_piece_is_read_again(labelfree, book, model, monkeypatch, tmp_path):
    arguments = ["ocr", "read", book / "lines", "--kind", "line", "-m", model, "-f", "txt,json", "-q"]
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "remove", lambda self: None)
        assert labelfree(*arguments, "-o", tmp_path / "whole").code == 0
    (tmp_path / "whole.checkpoint").rename(tmp_path / "out.checkpoint")
    piece = tmp_path / "out.checkpoint" / "piece-1.safetensors"
    piece.write_bytes(flip_in_the_middle(piece.read_bytes(), ""))
    read, counted = Reader.read_lines, []
    monkeypatch.setattr(Reader, "read_lines", lambda self, lines: counted.append(len(lines)) or read(self, lines))
    assert labelfree(*arguments, "-o", tmp_path / "out", "--resume").code == 0
    assert counted == [N_LINES - PIECE]
    assert files(tmp_path / "out") == files(tmp_path / "whole")


@pytest.fixture
def stop_in(monkeypatch):
    """Let a person stop the work, once, in a stage; the process is not ended if it takes long."""
    timers = []

    class Timer:
        def __init__(self, *about):
            timers.append(about)

        def start(self):
            pass

    def interrupting(stage):
        def work(state):
            if not timers:
                os.kill(os.getpid(), signal.SIGINT)
            return stage.work(state)

        return replace(stage, work=work)

    def stop(name):
        stages = tuple(interrupting(stage) if stage.name == name else stage for stage in STAGES)
        monkeypatch.setattr(pipeline, "STAGES", stages)
        monkeypatch.setattr(threading, "Timer", Timer)
        return timers

    return stop


@pytest.mark.parametrize("verb", ["run", "learn"])
def test_the_command_that_is_told_goes_on_with_forced_work(labelfree, book, model, stop_in, worked, tmp_path, verb):
    out = shutil.copytree(model, tmp_path / "out it is")
    timers = stop_in("confidence")
    found = labelfree("ocr", verb, *words(book, "--fast"), "-o", out, "--force")
    assert (found.code, found.out, found.err.count("\n")) == (130, "", 1)
    ((patience, end, codes),) = timers
    assert patience < PATIENCE
    assert (end, codes) == (os._exit, (130,))
    assert f"kept in {out}.checkpoint: tiles, tiles-2." in found.err
    assert files(out) == files(model)
    program, *arguments = shlex.split(found.err.partition("Go on with: ")[2])
    assert program == "labelfree"
    again = labelfree(*arguments)
    assert (again.code, again.err) == (0, "")
    assert (out / ("000.txt" if verb == "run" else "ocr.json")).exists()


@pytest.mark.parametrize("verb", ["run", "read"])
def test_files_are_not_replaced_and_that_is_said_before_any_work(refused, no_work, book, tmp_path, verb):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("001.txt", "007.txt", "notes.md"):
        (out / name).write_text("mine")
    how = ["--text", str(book / "text.txt")] if verb == "run" else ["-m", str(tmp_path / "model")]
    message = refused("ocr", verb, book / "lines", *how, "-o", out, "-q")
    assert f"{out / '001.txt'} exists already (2 in all)" in message
    assert "--force" in message
    message = refused("ocr", verb, book / "lines", *how, "-o", out / "notes.md", "-q")
    assert "notes.md is no folder" in message
    assert set(files(out).values()) == {b"mine"}
    assert not (tmp_path / "out.checkpoint").exists()


@pytest.mark.parametrize("verb", ["run", "read"])
def test_force_replaces_files_of_the_same_names_alone(labelfree, book, model, tmp_path, verb):
    out = tmp_path / "out"
    how = words(book, "--fast") if verb == "run" else [str(book / "lines"), "--kind", "line", "-m", str(model), "-q"]
    out.mkdir()
    (out / "notes.md").write_text("mine")
    assert labelfree("ocr", verb, *how, "-o", out).code == 0  # nothing is in the way
    before = files(out)
    (out / "000.txt").write_text("mine")
    assert labelfree("ocr", verb, *how, "-o", out).code == 2
    assert (out / "000.txt").read_text() == "mine"
    assert labelfree("ocr", verb, *how, "-o", out, "--force").code == 0
    assert files(out) == before


def test_a_folder_that_is_no_model_is_not_learned_into(refused, no_work, book, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "diary.txt").write_text("dear")
    message = refused("ocr", "learn", *words(book), "-o", tmp_path / "home", "--force")
    assert "home is there and is no model folder" in message
    assert "exists already" in refused("ocr", "learn", *words(book), "-o", tmp_path / "home")
    assert files(tmp_path / "home") == {"diary.txt": b"dear"}
