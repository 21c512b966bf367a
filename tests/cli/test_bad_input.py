"""Bad input through the real command: one line that names the file, exit 2, and nothing on disk has changed."""

import json
import shutil

import numpy as np
import pytest

TEXTS = {
    "empty": (b"", "holds no character"),
    "one symbol": (b"a", "found one symbol, 'a', at least 2 different wanted"),
    "one repeated symbol": (b"a" * 5000, "found one symbol, 'a', at least 2 different wanted"),
    "binary garbage": (bytes(range(256)) * 20, "is not UTF-8 near byte 128: found 80"),
    "wrong encoding": ("déjà vu, schön".encode("latin-1"), "is not UTF-8 near byte 1: found e9"),
    "UTF-16": ("hello world".encode("utf-16"), "is not UTF-8 near byte 0: found ff"),
}


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def unchanged(refused, tmp_path):
    """Run a command that must be refused, and check that it left all files as they were."""

    def ran(*arguments):
        before = snapshot(tmp_path)
        line = refused(*arguments)
        assert snapshot(tmp_path) == before
        return line

    return ran


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("options", [[], ["--lang", "en"]], ids=str)
def test_texts_to_build_from(unchanged, tmp_path, name, options):
    content, message = TEXTS[name]
    if name == "empty" and options:
        message = "holds no symbol of the alphabet"
    (tmp_path / "text.txt").write_bytes(content)
    line = unchanged("lm", "build", tmp_path / "text.txt", *options, "-o", tmp_path / "lm.arpa")
    assert str(tmp_path / "text.txt") in line
    assert message in line


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 400, b"hello\n", b"\x1f\x8bhalf"], ids=repr)
def test_language_models_that_are_none(unchanged, workshop, tmp_path, content):
    (tmp_path / "lm.arpa").write_bytes(content)
    line = unchanged("fit", workshop / "data.npz", "--lm", tmp_path / "lm.arpa", "-o", tmp_path / "m")
    assert f"{tmp_path / 'lm.arpa'}" in line
    assert "wanted" in line
    assert f"{tmp_path / 'lm.arpa'}" in unchanged("lm", "info", tmp_path / "lm.arpa")


X = np.array([[1], [2], [3], [1]])
DATA = {
    "one symbol": ({"X": X[:1], "lengths": [1]}, "X has 1 row, 2 or more wanted"),
    "one repeated symbol": ({"X": X[[0, 0, 0]], "lengths": [3]}, "X holds the same symbol, 1, in all 3 rows"),
    "NaN": (
        {"X": np.array([[1.0], [np.nan]]), "lengths": [2]},
        "1 values that are NaN or infinite, the first in row 1",
    ),
    "lengths": ({"X": X, "lengths": [2, 3]}, "lengths sum to 5, 4 wanted"),
    "foreign alphabet": ({"X": X, "lengths": [4], "alphabet": "жщю"}, "'жщю' shares no symbol with"),
    "objects": ({"X": np.array([[None], [1]]), "lengths": [2]}, "X holds Python objects"),
}


@pytest.mark.parametrize("name", DATA)
def test_data_to_fit(unchanged, workshop, tmp_path, name):
    arrays, message = DATA[name]
    np.savez(tmp_path / "data.npz", **arrays)
    line = unchanged("fit", tmp_path / "data.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m")
    assert str(tmp_path / "data.npz") in line
    assert message in line


def test_an_alphabet_that_shares_nothing_with_a_language_by_name(unchanged, tmp_path):
    np.savez(tmp_path / "data.npz", X=X, lengths=[4], alphabet="жщю")
    line = unchanged("fit", tmp_path / "data.npz", "--lang", "en", "-o", tmp_path / "m")
    assert f"{tmp_path / 'data.npz'}: alphabet 'жщю' shares no symbol with the language model's 'abc" in line


@pytest.mark.parametrize(
    "content", [b"", b"\x80\x04garbage" * 99, b"PK\x03\x04" + bytes(400)], ids=["empty", "noise", "zip"]
)
@pytest.mark.parametrize("verb", ["fit", "predict", "evaluate"])
def test_data_files_that_are_none(unchanged, workshop, tmp_path, content, verb):
    path = tmp_path / "data.npz"
    path.write_bytes(content)
    words = {
        "fit": ["fit", path, "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m"],
        "predict": ["predict", workshop / "model", path, "-o", tmp_path / "out"],
        "evaluate": ["evaluate", workshop / "model", path],
    }[verb]
    assert f"{path} " in unchanged(*words)


def test_a_gigabyte_in_one_line_is_no_data(refused, workshop, tmp_path):
    path = tmp_path / "data.npz"
    with path.open("wb") as file:
        file.truncate(1 << 30)  # takes no room on the disk
    assert f"{path} begins with" in refused("predict", workshop / "model", path)


@pytest.mark.parametrize("words", [[], ["--lm", "LM", "--lang", "en"]], ids=["neither", "both"])
def test_one_language_model_is_wanted(unchanged, workshop, tmp_path, words):
    named = [workshop / "lm.arpa.gz" if word == "LM" else word for word in words]
    assert "of --lm and --lang, one wanted" in unchanged("fit", workshop / "data.npz", *named, "-o", tmp_path / "m")


def test_a_language_that_nobody_speaks(unchanged, workshop, tmp_path):
    assert "xx" in unchanged("fit", workshop / "data.npz", "--lang", "xx", "-o", tmp_path / "m")


def test_an_order_beyond_the_language_model(unchanged, workshop, tmp_path):
    command = ["fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "-o", tmp_path / "m", "--quiet"]
    assert "order 5 asked of a language model of order 3" in unchanged(*command, "--order", 5)


def test_data_that_does_not_fit_the_model(unchanged, workshop, tmp_path):
    assert "X has 6 columns, 1 wanted" in unchanged("predict", workshop / "model", workshop / "features.npz")
    np.savez(tmp_path / "half.npz", X=[[0.5], [1.5]], lengths=[2])
    assert "X holds float64, whole numbers wanted" in unchanged("predict", workshop / "model", tmp_path / "half.npz")
    np.savez(tmp_path / "blind.npz", X=X, lengths=[4])
    assert "blind.npz holds no y" in unchanged("evaluate", workshop / "model", tmp_path / "blind.npz")


@pytest.mark.parametrize("name", ["model.json", "model.safetensors", "lm.arpa.gz"])
@pytest.mark.parametrize("spoil", ["missing", "truncated", "swapped"])
@pytest.mark.parametrize("verb", ["predict", "evaluate", "info"])
def test_spoilt_model_folders(unchanged, labelfree, workshop, model, tmp_path, name, spoil, verb):
    file = model / name
    if spoil == "missing":
        file.unlink()
    elif spoil == "truncated":
        file.write_bytes(file.read_bytes()[:-20])
    else:
        other = tmp_path / "other"
        labelfree("fit", workshop / "data.npz", "--lang", "en", "-o", other, "--solver", "majority", "--quiet")
        shutil.copy(other / name, file)
    line = unchanged(verb, model, *([] if verb == "info" else [workshop / "data.npz"]))
    assert str(model) in line
    assert name in line


def test_a_model_of_another_version(unchanged, model):
    card = json.loads((model / "model.json").read_text())
    card["format_version"] = 99
    (model / "model.json").write_text(json.dumps(card))
    line = unchanged("info", model)
    assert (
        f"{model / 'model.json'}: format_version is 99, 1 wanted; load it with labelfree {card['labelfree_version']}"
        in line
    )


def test_outputs_that_exist(unchanged, workshop, model, tmp_path):
    for command in (
        ["fit", workshop / "data.npz", "--lang", "en", "-o", model],
        ["lm", "build", "--lang", "en", "-o", model / "lm.arpa.gz"],
        ["lm", "mix", workshop / "lm.arpa.gz", "-o", model / "lm.arpa.gz"],
        ["predict", workshop / "model", workshop / "data.npz", "-o", model / "model.json"],
    ):
        assert f"{command[-1]} exists already, a free name wanted; name another place, or give --force" in unchanged(
            *command
        )


def test_force_replaces_a_model_but_nothing_else(labelfree, unchanged, workshop, model, tmp_path):
    command = ["fit", workshop / "data.npz", "--lang", "en", "--solver", "majority", "--force", "--quiet", "-o"]
    assert labelfree(*command, model).code == 1
    assert json.loads(labelfree("info", model, "--json").out)["solver"] == "majority"
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "diary").write_text("dear")
    assert "is no model folder" in unchanged(*command, tmp_path / "home")


def test_a_place_that_is_not_there(unchanged, workshop, tmp_path):
    line = unchanged("fit", workshop / "data.npz", "--lang", "en", "-o", tmp_path / "no" / "model")
    assert f"{tmp_path / 'no'} is no folder" in line
