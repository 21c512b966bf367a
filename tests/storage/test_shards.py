"""Data files that are mapped: the numbers, and what verbs say, are those of memory; what is wrong is named."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from labelfree import SequenceClassifier, load, save
from labelfree.cli import run
from labelfree.errors import InputError
from labelfree.storage.datafile import read_data

from ..english import english


@pytest.fixture(scope="module")
def task():
    return english(n_positions=3_000, noise=0.4)


def shards(task, n):
    """Whole sequences, so many shards of them."""
    ends = np.cumsum(task.lengths)
    for some in np.array_split(np.arange(len(task.lengths)), n):
        rows = slice(ends[some[0]] - task.lengths[some[0]], ends[some[-1]])
        yield {"X": task.features[rows], "lengths": task.lengths[some], "y": task.y[rows].astype(np.int64)}


def written(task, folder, kind):
    folder.mkdir()
    if kind == "npy":
        np.save(folder / "X.npy", task.features)
        np.save(folder / "X.lengths.npy", task.lengths)
        np.save(folder / "X.y.npy", task.y.astype(np.int64))
        return folder / "X.npy"
    for i, shard in enumerate(shards(task, 3)):
        if kind == "npz":
            np.savez(folder / f"shard-{i}.npz", **shard, alphabet=str("".join(task.lm.alphabet)))
        else:
            text = "".join(task.lm.alphabet)
            save_file({name: np.ascontiguousarray(a) for name, a in shard.items()}, folder / f"shard-{i}.safetensors",
                      {"alphabet": text})  # fmt: skip
    return folder


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_shards_are_read_as_one_file(task, tmp_path, kind):
    data = read_data(written(task, tmp_path / "data", kind))
    np.testing.assert_array_equal(data.X[: len(data.X)], task.features)
    np.testing.assert_array_equal(data.lengths, task.lengths)
    np.testing.assert_array_equal(data.y, task.y)
    assert data.alphabet == (None if kind == "npy" else tuple(task.lm.alphabet))
    data.check_variety()
    assert not isinstance(data.X, np.ndarray)


def test_parts_are_whole_sequences(task, tmp_path, monkeypatch):
    monkeypatch.setattr("labelfree.storage.datafile.BLOCK", 500)
    parts = list(read_data(written(task, tmp_path / "data", "npz")).parts())
    assert len(parts) > 4
    np.testing.assert_array_equal(np.concatenate([part.X for part in parts]), task.features)
    np.testing.assert_array_equal(np.concatenate([part.lengths for part in parts]), task.lengths)
    assert all(len(part.X) == part.lengths.sum() for part in parts)


def test_verbs_say_the_same_of_shards_as_of_one_file(task, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("labelfree.storage.datafile.BLOCK", 500)
    folder = written(task, tmp_path / "data", "safetensors")
    [whole] = shards(task, 1)
    np.savez(tmp_path / "whole.npz", **whole, alphabet="".join(task.lm.alphabet))
    save(SequenceClassifier(task.lm, n_init=3, l2=0.01, refine=False, random_state=0).fit(
        task.features, lengths=task.lengths), tmp_path / "model")  # fmt: skip
    for verb in (["predict"], ["predict", "--decode", "--json"], ["evaluate", "--json"]):
        told = []
        for data in (folder, tmp_path / "whole.npz"):
            assert run([verb[0], str(tmp_path / "model"), str(data), *verb[1:]]) == 0
            told.append(capfd.readouterr().out)
        assert told[0] == told[1]
    model, whole = str(tmp_path / "model"), str(tmp_path / "whole.npz")
    assert run(["predict", model, whole, "--workers", "2"]) == run(["predict", model, whole, "--workers", "1"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]
    assert run(["predict", model, whole, "--workers", "2", "--threads", "2"]) == 2
    assert "--threads found with --workers" in capfd.readouterr().err
    task.lm.write_arpa(tmp_path / "lm.arpa")
    for name, data in (("mapped", folder), ("plain", tmp_path / "whole.npz")):
        common = ["--lm", str(tmp_path / "lm.arpa"), "--solver", "spdg", "--max-iter", "40", "--n-init", "2", "--quiet"]
        assert run(["fit", str(data), "-o", str(tmp_path / name), *common]) in (0, 1)
    mapped, plain = load(tmp_path / "mapped").classifier_, load(tmp_path / "plain").classifier_
    assert all((p == plain.get_parameter(name)).all() for name, p in mapped.named_parameters())


X = np.ones((4, 2), np.float32)
LENGTHS = np.array([4])


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            {"X": X, "lengths": LENGTHS},
            {"X": X[:, :1], "lengths": LENGTHS},
            "1 columns of float32, 2 of float32 wanted",
        ),
        ({"X": X, "lengths": LENGTHS}, {"X": X.astype(float), "lengths": LENGTHS}, "2 columns of float64"),
        ({"X": X, "lengths": LENGTHS}, {"X": X}, "but no lengths"),
        ({"X": X, "lengths": LENGTHS}, {"X": X, "lengths": LENGTHS, "y": np.zeros(4, int)}, "wanted as in the first"),
        ({"X": X, "lengths": LENGTHS}, {"X": X, "lengths": np.array([3])}, "lengths sum to 3, 4 wanted"),
        ({"X": X, "lengths": LENGTHS}, {"X": np.ones(4), "lengths": LENGTHS}, "a row a position, wanted"),
        ({"X": X, "lengths": LENGTHS}, {"X": np.array([None] * 4), "lengths": LENGTHS}, "cannot be mapped"),
    ],
)
def test_shards_that_do_not_fit_are_named(tmp_path, first, second, told):
    np.savez(tmp_path / "shard-0.npz", **first)
    np.savez(tmp_path / "shard-1.npz", **second)
    with pytest.raises(InputError, match=told) as error:
        read_data(tmp_path)
    assert "shard-1.npz" in str(error.value)


def test_what_cannot_be_mapped_is_named(tmp_path):
    with pytest.raises(InputError, match=r"is a folder without shard-\*\.npz"):
        read_data(tmp_path)
    with pytest.raises(InputError, match=r"X\.npy is not there"):
        read_data(tmp_path / "X.npy")
    np.savez_compressed(tmp_path / "shard-0.npz", X=X, lengths=LENGTHS)
    with pytest.raises(InputError, match=r"X is packed, which cannot be mapped; write shards with numpy\.savez"):
        read_data(tmp_path)
    (tmp_path / "shard-0.npz").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"no whole \.npz file"):
        read_data(tmp_path)
    (tmp_path / "shard-0.npz").unlink()
    for content in (b"", b"\xff" * 16, b"\x02\0\0\0\0\0\0\0{}", b'\x0c\0\0\0\0\0\0\0{"X": [1, 2]'):
        (tmp_path / "shard-0.safetensors").write_bytes(content)
        with pytest.raises(InputError, match=r"shard-0\.safetensors"):
            read_data(tmp_path)
    (tmp_path / "X.npy").write_bytes(b"\x93NUMPY\x01\0")
    with pytest.raises(InputError, match="cannot be mapped"):
        read_data(tmp_path / "X.npy")
