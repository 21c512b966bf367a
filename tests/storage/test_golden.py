"""Model folders of every version so far, checked in: this one reads with them as they did, and refuses damage."""

import hashlib
import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from labelfree import load
from labelfree.cli import run
from labelfree.errors import InputError
from labelfree.ocr import Reader, read_lines
from labelfree.storage.card import signed

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = sorted(path.name for path in GOLDEN.iterdir())
KINDS = ("table", "linear", "mlp", "cnn")


def expected(version):
    return json.loads((GOLDEN / version / "expected.json").read_text())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_classifier_reads_as_it_did(version, kind):
    then, classifier = expected(version)[kind], load(GOLDEN / version / kind)
    assert classifier.predict(np.array(then["X"])).tolist() == then["labels"]
    np.testing.assert_allclose(classifier.predict_proba(np.array(then["X"]))[0], then["first"], rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["tiles", "lines"])
def test_a_reader_reads_as_it_did(version, kind):
    then = expected(version)[kind]["text"]
    text = Reader.load(GOLDEN / version / kind).read(read_lines([GOLDEN / version / "scans"], "line")).text
    assert Levenshtein.normalized_distance(text, then) < 0.1  # another machine may round otherwise


@pytest.fixture
def reader(tmp_path):
    return shutil.copytree(GOLDEN / VERSIONS[-1] / "lines", tmp_path / "reader")


def card_with(folder, name, **fields):
    """Change a part of a folder as a version to come might have written it, sums and all."""
    card = json.loads((folder / "model.json").read_text())
    del card["sha256"]
    if name == "model.json":
        card |= fields
    else:
        content = json.dumps(json.loads((folder / name).read_text()) | fields).encode()
        (folder / name).write_bytes(content)
        card["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "model.json").write_text(signed(card))


@pytest.mark.parametrize(("name", "field"), [("model.json", "format_version"), ("ocr.json", "version")])
def test_a_folder_of_a_version_to_come_is_refused_with_advice(reader, name, field):
    card_with(reader, name, **{field: 99})
    with pytest.raises(
        InputError, match=rf"{name}.*version is 99, 1 wanted|{name} is of version 99, \d wanted"
    ) as told:
        Reader.load(reader)
    assert "pip install --upgrade labelfree" in str(told.value)


@pytest.mark.parametrize("name", ["ocr.json", "ocr.safetensors"])
def test_a_part_that_the_card_does_not_list_is_not_believed(reader, name):
    card = json.loads((reader / "model.json").read_text())
    del card["sha256"], card["files"][name]
    (reader / "model.json").write_text(signed(card))
    with pytest.raises(InputError, match=f"reader holds no {name}, a model that reads print wanted"):
        Reader.load(reader)


def test_a_flipped_bit_in_any_file_is_refused_by_name(reader, tmp_path, capsys):
    """A few in each file; benchmarks/faults.py flips a thousand."""
    draws, scans = random.Random(0), GOLDEN / VERSIONS[-1] / "scans"
    np.savez(tmp_path / "data.npz", X=np.zeros((2, 5)), lengths=[2])
    commands = [
        ["info", reader],
        ["predict", reader, tmp_path / "data.npz"],
        ["evaluate", reader, tmp_path / "data.npz"],
        ["ocr", "read", scans, "-m", reader, "-o", tmp_path / "out"],
        ["ocr", "groups", scans, "-m", reader, "-o", tmp_path / "out.png"],
    ]
    for path in sorted(reader.iterdir()):
        content = path.read_bytes()
        for words in commands:
            place, bit = draws.randrange(len(content)), draws.randrange(8)
            path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
            assert run([str(word) for word in words]) == 2, (path.name, place, bit)
            assert path.name in capsys.readouterr().err
        path.write_bytes(content)
    assert run(["info", str(reader)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"reader", "data.npz"}
