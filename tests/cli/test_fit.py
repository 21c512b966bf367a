"""The main job from the shell: fit, look, read, evaluate; stop and resume."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors.torch import load_file

from labelfree import NGramLM, SequenceClassifier, load
from labelfree.storage.checkpoint import Checkpoint
from labelfree.storage.datafile import read_data


def decoded(workshop):
    data = np.load(workshop / "data.npz")
    letters = "".join(str(data["alphabet"])[i] for i in data["y"])
    return [letters[i : i + 50] for i in range(0, len(letters), 50)]


@pytest.mark.parametrize("options", [[], ["--decode"]], ids=str)
def test_a_cipher_is_read_from_the_shell(labelfree, workshop, options):
    found = labelfree("predict", workshop / "model", workshop / "data.npz", *options)
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == decoded(workshop)


def test_text_goes_to_a_file_that_is_not_written_over(labelfree, refused, workshop, tmp_path):
    target = tmp_path / "text.txt"
    command = ["predict", workshop / "model", workshop / "data.npz", "-o", target]
    assert labelfree(*command).out == ""
    assert target.read_text().splitlines() == decoded(workshop)
    target.write_text("mine")
    assert f"{target} exists already" in refused(*command)
    assert target.read_text() == "mine"
    assert labelfree(*command, "--force").code == 0
    assert target.read_text().splitlines() == decoded(workshop)


def test_predictions_as_json(labelfree, workshop):
    found = json.loads(labelfree("predict", workshop / "model", workshop / "data.npz", "--json").out)
    assert [one["text"] for one in found["sequences"]] == decoded(workshop)
    assert all(0.5 < one["confidence"] <= 1 for one in found["sequences"])
    assert found["converged"] is True


def test_a_fit_reports_as_json_and_shows_nothing_else(labelfree, workshop, tmp_path):
    found = labelfree(
        "fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m", "--json", "--n-init", 3
    )
    assert (found.code, found.err) == (0, "")
    report = json.loads(found.out)
    assert report["converged"] is True
    assert report["kl"] == load(tmp_path / "m").kl_
    assert len(report["restarts"]) == 3
    assert sorted(one.name for one in tmp_path.iterdir()) == ["m"]


def test_settings_reach_the_estimator_and_the_same_seed_gives_the_same_bits(labelfree, workshop, tmp_path):
    common = ["fit", workshop / "features.npz", "--lm", workshop / "lm.arpa.gz", "--quiet", "--threads", 1]
    common += ["--solver", "spdg", "--order", 3, "--n-init", 2, "--model", "linear"]
    for name, seed in (("one", 5), ("again", 5), ("other", 6)):
        assert labelfree(*common, "--seed", seed, "-o", tmp_path / name).code in (0, 1)
    one, again, other = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "again", "other"))
    assert all((one[key] == again[key]).all() for key in one)
    assert not (one["weights.weight"] == other["weights.weight"]).all()
    reader = load(tmp_path / "one")
    assert (reader.solver, reader.order, reader.n_init, reader.model, reader.random_state) == (
        "spdg",
        3,
        2,
        "linear",
        5,
    )


def test_a_fit_that_does_not_believe_itself_exits_1_and_is_saved(labelfree, workshop, tmp_path):
    data = np.load(workshop / "data.npz")
    np.savez(tmp_path / "noise.npz", X=np.random.default_rng(0).permutation(data["X"]), lengths=data["lengths"])
    found = labelfree("fit", tmp_path / "noise.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m", "--quiet")
    assert found.code == 1
    assert found.err.startswith(f"labelfree: warning: {tmp_path / 'noise.npz'}: stuck: the language explains")
    assert found.err.count("\n") == 1
    assert not load(tmp_path / "m").converged_
    assert "no: stuck: the language explains" in labelfree("info", tmp_path / "m").out


def test_a_language_by_name_takes_the_alphabet_of_the_data(labelfree, workshop, tmp_path):
    found = labelfree(
        "fit", workshop / "data.npz", "--lang", "en", "-o", tmp_path / "m", "--quiet", "--solver", "majority"
    )
    assert found.code == 1  # the majority never believes itself
    assert load(tmp_path / "m").lm.alphabet.symbols == tuple("abcdef")


def test_info_tells_what_is_inside(labelfree, workshop):
    found = labelfree("info", workshop / "model")
    assert found.code == 0
    for part in ("6 distinct symbols", "through a table", "6 symbols: a b c d e f", "auto, order 2", "converged"):
        assert part in found.out
    report = json.loads(labelfree("info", workshop / "model", "--json").out)
    assert report["alphabet"] == list("abcdef")
    assert report["settings"]["random_state"] == 0


def test_evaluation_of_a_perfect_reading(labelfree, workshop):
    found = labelfree("evaluate", workshop / "model", workshop / "data.npz")
    assert found.out.startswith("error rate 0.00%, 95% interval 0.00% to 0.00%\nover 4000 positions in 80 sequences;")
    assert "Symbols" not in found.out


@pytest.fixture
def mistaken(workshop, tmp_path):
    """The data with one truth in ten called something else: b turned into f, a symbol of its own among the labels."""
    data = dict(np.load(workshop / "data.npz"))
    wrong = np.flatnonzero(data["y"] == 1)[::10]
    data["y"][wrong] = 6
    data["alphabet"] = "abcdef€"
    np.savez(tmp_path / "mistaken.npz", **data)
    return tmp_path / "mistaken.npz", len(wrong)


def test_evaluation_shows_where_it_goes_wrong(labelfree, workshop, mistaken):
    path, n_wrong = mistaken
    out = labelfree("evaluate", workshop / "model", path).out
    assert f"error rate {n_wrong / 4000:.2%}" in out
    (worst,) = (
        line.split() for line in out.splitlines() if line.startswith("€") and "%" in line and len(line.split()) == 6
    )
    assert worst == ["€", str(n_wrong), str(n_wrong), "100.00%", "100.00%", "100.00%"]
    (confusion,) = (line.split() for line in out.splitlines() if line.split()[:2] == ["€", "b"])
    assert confusion == ["€", "b", str(n_wrong), "100.00%"]


def test_evaluation_as_json(labelfree, workshop, mistaken):
    path, n_wrong = mistaken
    found = json.loads(labelfree("evaluate", workshop / "model", path, "--json").out)
    assert found["error_rate"] == pytest.approx(n_wrong / 4000)
    assert found["interval"][0] < found["error_rate"] < found["interval"][1]
    counts = np.array(found["confusion"]["counts"])
    assert counts.shape == (7, 6)
    assert counts.sum() == 4000
    assert counts[6, 1] == n_wrong
    assert found["confusion"]["true"][6] == found["symbols"][6]["symbol"] == "€"


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=["killed", "interrupted", "terminated"]
)
def test_a_stopped_process_is_resumed_to_the_same_bits(labelfree, workshop, tmp_path, how):
    common = ["fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "--n-init", "40", "--threads", "1", "-q"]
    whole, stopped, checkpoint = (tmp_path / name for name in ("whole", "stopped", "stopped.checkpoint"))
    assert labelfree(*common, "-o", whole).code == 0
    command = [sys.executable, "-c", "from labelfree.cli import main; main()", *common, "-o", stopped]
    with subprocess.Popen(
        [*map(str, command), "--checkpoint-every", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background shell has it ignored
    ) as process:
        while not checkpoint.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(how)
        _, told = process.communicate()
        assert process.returncode == (-how if how == signal.SIGKILL else 130)
    if how != signal.SIGKILL:
        assert told.startswith(f"labelfree: stopped; kept in {checkpoint}. Go on with: labelfree fit ")
        assert told.endswith(" --resume\n")
        assert told.count("\n") == 1
    assert checkpoint.exists()
    assert not stopped.exists()
    found = labelfree(*common, "-o", stopped, "--resume")
    assert (found.code, found.err) == (0, "")
    assert not checkpoint.exists()
    for name in ("model.safetensors", "lm.arpa.gz"):
        assert (whole / name).read_bytes() == (stopped / name).read_bytes()


def test_a_checkpoint_left_behind_is_not_lost_by_accident(labelfree, refused, workshop, tmp_path):
    data = read_data(workshop / "data.npz")
    command = ["fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m", "--quiet"]
    reader = SequenceClassifier(NGramLM.read_arpa(workshop / "lm.arpa.gz"), random_state=9)
    left = Checkpoint.of_fit(reader, data.X, data.lengths, tmp_path / "m.checkpoint", every=60)
    left.write()
    before = left.path.read_bytes()
    assert "m.checkpoint is there, of a fit that was stopped; give --resume" in refused(*command)
    assert "m.checkpoint is of a fit with other data, settings" in refused(*command, "--resume")
    assert left.path.read_bytes() == before
    assert labelfree(*command, "--resume", "--seed", 9).code == 0
    assert [one.name for one in tmp_path.iterdir()] == ["m"]


def test_there_must_be_something_to_resume(refused, workshop, tmp_path):
    command = ["fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m", "--resume"]
    assert "m.checkpoint is not there" in refused(*command)


def test_a_reader_that_has_seen_enough_is_no_error(workshop):
    program = "from labelfree.cli import main; main()"
    command = [sys.executable, "-c", program, "predict", workshop / "model", workshop / "data.npz"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
