"""Commands that the machine fails: streams, disks, names, other processes, defects. One line and the right code."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from labelfree import files
from labelfree.cli import info as info_verb
from labelfree.ocr.layout import scans as layout
from labelfree.storage import datafile

PROGRAM = "from labelfree.cli import main; main()"


def start(*words, before=None, **streams):
    command = [sys.executable, "-c", PROGRAM, *map(str, words)]
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.Popen(command, text=True, preexec_fn=before, **given)


def ran(*words, **how):
    with start(*words, **how) as process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def assert_one_line(err, *parts):
    assert err.count("\n") == 1, err
    assert err.startswith("labelfree: error: ")
    for part in parts:
        assert part in err


def test_a_full_stdout_is_bad_input():
    with Path("/dev/full").open("w") as full:
        code, _, err = ran("--version", stdout=full)
    assert code == 2
    assert_one_line(err, "stdout cannot be written: No space left on device; send it elsewhere")


def test_a_closed_stdout_is_bad_input():
    code, _, err = ran("--version", before=lambda: os.close(1))
    assert code == 2
    assert_one_line(err, "stdout cannot be written: Bad file descriptor")


def own_verb(body, **how):
    """Run a verb of our own, which imports nothing heavy, in another process."""
    program = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from labelfree import cli
        from labelfree.cli.decipher import read_ciphertext
        from labelfree.cli.show import warn
        cli.app.command("own")(lambda: {body})
        cli.main(["own"])
    """)
    return subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False, **how)


def test_a_closed_stdin_is_an_empty_one():
    found = own_verb("print(repr(read_ciphertext(Path('-'))))", preexec_fn=lambda: os.close(0))
    assert (found.returncode, found.stdout) == (0, "''\n")


@pytest.mark.parametrize("how", ["full", "closed"])
def test_work_goes_on_where_nobody_hears_of_it(how):
    with Path("/dev/full").open("w") as full:
        streams = {"stderr": full} if how == "full" else {"preexec_fn": lambda: os.close(2)}
        found = own_verb("(warn('a' * 99999), print(sys.stderr.isatty()))", **streams)
    assert (found.returncode, found.stdout) == (0, "False\n")


def test_a_full_disk_leaves_the_old_file(workshop, tmp_path):
    old = tmp_path / "lm.arpa"
    old.write_text("old")
    code, _, err = ran(
        *("lm", "build", workshop / "text.txt", "-o", old, "--force"),
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )
    assert code == 2
    assert_one_line(err, f"{old} cannot be written (File too large); name another place")
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["lm.arpa"]


def test_a_target_where_nothing_can_be_written_is_refused_before_any_work(refused):
    message = refused("fit", "nowhere.npz", "--lang", "en", "-o", "/proc/model")
    assert "/proc/model cannot be written" in message
    assert "name another place" in message


@pytest.mark.parametrize("words", [["fit", "x.npz", "--lang", "en"], ["lm", "build", "--lang", "en"]], ids=" ".join)
def test_a_name_that_no_file_can_bear_is_refused_before_any_work(refused, tmp_path, words):
    message = refused(*words, "-o", tmp_path / ("n" * 256))
    assert "is a name of 256 bytes, at most 255 wanted; give a shorter one" in message
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name_that_a_file_can_bear_is_written(labelfree, workshop, tmp_path):
    target = tmp_path / ("n" * 255)
    assert labelfree("predict", workshop / "model", workshop / "data.npz", "-o", target).code == 0
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_a_name_whose_checkpoint_no_file_can_bear_is_refused_before_any_work(refused, workshop, tmp_path):
    words = ["fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / ("n" * 250), "-q"]
    assert ".checkpoint: File name too long; give a shorter name" in refused(*words)
    assert list(tmp_path.iterdir()) == []


def test_inputs_with_names_that_cannot_be(refused, tmp_path):
    name = tmp_path / ("n" * 300)
    for words in (["predict", name, name], ["info", name], ["lm", "info", name], ["decipher", name]):
        assert "File name too long" in refused(*words)
    assert "File name too long" in refused("ocr", "run", name, "--lang", "en", "-o", tmp_path / "out")


@pytest.mark.parametrize("kind", ["device", "link", "pipe", "folder"])
@pytest.mark.parametrize("verb", ["predict", "lm build", "fit"])
def test_force_replaces_nothing_but_files_and_models(refused, workshop, tmp_path, verb, kind):
    place, target = tmp_path / "place", tmp_path / "target"
    target.write_text("mine")
    if kind == "link":
        place.symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
        (place / "diary").write_text("dear")
    else:
        place = Path("/dev/null")
    words = {
        "predict": ["predict", workshop / "model", workshop / "data.npz"],
        "lm build": ["lm", "build", "--lang", "en"],
        "fit": ["fit", workshop / "data.npz", "--lang", "en"],
    }[verb]
    message = refused(*words, "-o", place, "--force")
    assert f"{place} cannot be written: it is a" in message or f"{place} is there and is no model folder" in message
    assert target.read_text() == "mine"
    assert Path("/dev/null").is_char_device()
    assert kind != "folder" or (place / "diary").read_text() == "dear"


HOLDER = "import sys; from labelfree.files import *; context = claimed(Path(sys.argv[1])); context.__enter__(); "


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "nowhere.npz", "--lang", "en", "--force"],
        ["predict", "nowhere", "nowhere.npz"],
        ["lm", "build", "nowhere.txt"],
        ["lm", "mix", "nowhere.arpa"],
        ["ocr", "run", "nowhere", "--lang", "en"],
        ["ocr", "learn", "nowhere", "--lang", "en"],
        ["ocr", "read", "nowhere", "-m", "nowhere"],
        ["ocr", "groups", "nowhere"],
    ],
    ids=" ".join,
)
def test_what_another_process_writes_is_refused_before_any_work(refused, holder, words):
    process, place = holder
    message = refused(*words, "-o", place)
    assert f"out is being written by process {process.pid}; wait for it, or name another place" in message
    assert not place.exists()


@pytest.fixture(scope="module")
def holder(tmp_path_factory):
    """A process that writes somewhere, and where."""
    place = tmp_path_factory.mktemp("held") / "out"
    program = HOLDER + "print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "\n"
        yield process, place
        process.kill()


def test_two_fits_into_one_folder_and_what_the_first_leaves_when_it_is_killed(labelfree, refused, workshop, tmp_path):
    words = ["fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m", "-q"]
    with start(*words, "--n-init", 40, "--checkpoint-every", 0) as first:
        while not (tmp_path / "m.checkpoint").exists():
            assert first.poll() is None
        first.send_signal(signal.SIGSTOP)
        assert f"m is being written by process {first.pid}" in refused(*words, "--force")
        first.kill()
    assert labelfree(*words, "--force").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_a_defect_of_ours_is_exit_70_and_one_line_that_names_the_details(labelfree, workshop, tmp_path, monkeypatch):
    def fail(*about):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("labelfree.storage.load", fail)
    found = labelfree("info", workshop / "model")
    assert (found.code, found.out, found.err.count("\n")) == (70, "", 1)
    (log,) = tmp_path.iterdir()
    assert f"ZeroDivisionError at {Path(__file__).name}:" in found.err
    assert f"the details are in {log}; please report it" in found.err
    assert "ZeroDivisionError: a defect" in log.read_text()
    assert info_verb.__name__ in log.read_text()


def test_a_defect_whose_details_cannot_be_written_is_told_all_the_same(labelfree, workshop, monkeypatch):
    def full(**about):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("labelfree.cli.boundary.tempfile", SimpleNamespace(mkstemp=full))
    monkeypatch.setattr("labelfree.storage.load", lambda model: {}["key"])
    found = labelfree("info", workshop / "model")
    assert (found.code, found.err.count("\n")) == (70, 1)
    assert "the details could not be written (No space left on device): 'key'; please report it" in found.err


def test_a_lack_of_memory_is_no_defect(refused, workshop, monkeypatch):
    monkeypatch.setattr("labelfree.storage.load", lambda model: np.empty(2**45))
    assert "not enough memory (Unable to allocate" in refused("info", workshop / "model")


def test_an_input_that_vanishes_is_named(refused, workshop, monkeypatch, tmp_path):
    path = tmp_path / "data.npz"
    path.write_bytes((workshop / "data.npz").read_bytes())

    def vanish(*about):
        path.unlink()
        return path.read_bytes()

    monkeypatch.setattr(datafile, "read_data", vanish)
    line = refused("predict", workshop / "model", path)
    assert f"{path}: No such file or directory; check that nothing changes it meanwhile" in line


def test_the_name_of_a_file_cannot_write_to_the_terminal(refused, tmp_path):
    line = refused("info", tmp_path / "\x1b[2Jmodel\nlabelfree: all is well")
    assert "\x1b" not in line
    assert r"\x1b[2Jmodel labelfree: all is well is not there" in line


def test_a_stop_is_heard_in_the_midst_of_a_long_sum(tmp_path):
    """The main thread is in one call of C that lets other threads run, and comes back to Python after minutes."""
    program = textwrap.dedent("""
        import hashlib
        from labelfree import cli
        def long_sum():
            print("ready", flush=True)
            hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
        cli.app.command("sum")(long_sum)
        cli.main(["sum"])
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=15)
    assert process.returncode == 130
    assert re.fullmatch(r"labelfree: stopped; nothing is kept, and no file is half written\n", err)


def test_what_killed_runs_left_is_removed_by_the_next(labelfree, workshop, tmp_path):
    left = [tmp_path / f".labelfree-{'0' * 16}.part", tmp_path / f".labelfree-{'1' * 16}.lock"]
    for path in left:
        path.write_bytes(b"")
    assert labelfree("predict", workshop / "model", workshop / "data.npz", "-o", tmp_path / "out").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert files.check_free(tmp_path / "new", force=False) is None


GOLDEN = Path(__file__).parents[1] / "storage" / "golden"


@pytest.mark.parametrize("what", ["wrong", "gone"])
def test_one_bad_scan_among_many_is_named_and_left_out_whatever_is_wrong_with_it(
    labelfree, tmp_path, monkeypatch, what
):
    made = max(GOLDEN.iterdir())
    scans, lay_out = shutil.copytree(made / "scans", tmp_path / "scans"), layout.lay_out

    def spoil(request, reader):
        if request.source.name == "001.png":
            request.source.unlink()
            assert what == "gone", "nobody has thought of this"
        return lay_out(request, reader)

    monkeypatch.setattr(layout, "lay_out", spoil)
    words = ["ocr", "read", scans, "-m", made / "tiles", "--kind", "line", "--workers", 1, "-q", "-o", tmp_path / "out"]
    found = labelfree(*words)
    assert found.code in (0, 1)  # two lines are little to believe
    assert found.err.startswith(f"labelfree: warning: left out: {scans / '001.png'} ")
    assert found.err.count("left out") == 1
    assert what == "gone" or "AssertionError: nobody has thought of this" in found.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "000.txt",
        "002.txt",
        "book.txt",
        "pages.tsv",
        "reading.json.gz",
    ]


@pytest.mark.parametrize("form", ["page", "pairs"])
def test_scans_whose_texts_would_have_too_long_names_are_refused_before_any_work(refused, tmp_path, form):
    scan = tmp_path / f"{'n' * 248}.png"
    Image.new("L", (40, 40), 255).save(scan)
    message = refused("ocr", "read", scan, "-m", tmp_path / "nowhere", "-f", form, "-o", tmp_path / "out")
    assert "File name too long" in message or "at most 255 wanted" in message
