"""Model folders: the same bits after loading, nothing half-written, every fault named."""

import json
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sklearn.exceptions import ConvergenceWarning

import labelfree
from labelfree import Alphabet, NGramLM, SequenceClassifier, load, save
from labelfree.errors import InputError
from labelfree.storage.card import FORMAT_VERSION, signed
from labelfree.storage.folder import _size_and_sum

SOURCE = Path(labelfree.__file__).parent
FILES = ("model.json", "model.safetensors", "lm.arpa.gz")


def english_lm(symbols="abcdefgh "):
    return NGramLM.from_text("a bad cab had a bed; he bade a cage fade. " * 30, Alphabet(symbols), order=2)


@pytest.fixture(scope="module")
def symbols():
    return np.random.default_rng(0).integers(3, 12, size=(600, 1))


@pytest.fixture(scope="module")
def features():
    return np.random.default_rng(1).normal(size=(600, 5))


@pytest.fixture(scope="module")
def tiles():
    return np.random.default_rng(2).normal(size=(600, 8 * 8 + 2))


@pytest.fixture(scope="module")
def readers(symbols, features, tiles):
    """One fit of each kind, stuck or not."""
    settings = {"solver": "spdg", "max_iter": 30, "n_init": 2, "random_state": 0}
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for kind, X in (("table", symbols), ("linear", features), ("mlp", features), ("cnn", tiles)):
            found[kind] = SequenceClassifier(english_lm(), model=kind, **settings).fit(X, lengths=[300, 300])
        found["majority"] = SequenceClassifier(english_lm(), "majority", random_state=1).fit(features)
    return found


@pytest.fixture
def folder(readers, tmp_path):
    save(readers["table"], tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("kind", ["table", "linear", "mlp", "cnn", "majority"])
def test_a_loaded_model_predicts_the_same_bits(readers, symbols, features, tiles, tmp_path, kind):
    reader = readers[kind]
    save(reader, tmp_path / "model")
    again = load(tmp_path / "model")
    X = {"table": np.vstack([symbols, [[999]]]), "cnn": tiles * 1.7}.get(kind, features * 1.7)
    np.testing.assert_array_equal(again.predict_proba(X), reader.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), reader.predict(X))
    np.testing.assert_array_equal(again.decode(X), reader.decode(X))


@pytest.mark.parametrize("kind", ["table", "mlp", "cnn"])
def test_a_loaded_model_knows_how_it_came_to_be(readers, tmp_path, kind):
    reader = readers[kind]
    save(reader, tmp_path / "model")
    again = load(tmp_path / "model")
    for name in ("kl_", "converged_", "n_iter_", "notes_", "history_", "diagnosis_", "order", "solver", "n_init"):
        assert getattr(again, name) == getattr(reader, name), name
    assert again.restarts_.tolist() == reader.restarts_.tolist()
    assert again.classes_.tolist() == reader.classes_.tolist()
    assert again.lm.alphabet == reader.lm.alphabet
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert card["settings"]["random_state"] == 0
    assert card["labelfree_version"] == labelfree.__version__


def test_an_infinite_score_and_a_symbol_that_reads_like_one_survive(readers, tmp_path):
    reader = SequenceClassifier(NGramLM.from_text("ainfainf", Alphabet(["a", "inf"]), order=2), "majority")
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        reader.fit([[1], [2]] * 9)
    reader.restarts_ = np.array([np.inf, 0.5])
    save(reader, tmp_path / "model")
    assert "Infinity" not in (tmp_path / "model" / "model.json").read_text()
    again = load(tmp_path / "model")
    assert again.restarts_.tolist() == [np.inf, 0.5]
    assert again.lm.alphabet.symbols == ("a", "inf")


def test_a_loaded_model_saves_to_the_same_bytes(folder, tmp_path):
    save(load(folder), tmp_path / "again")
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()


def test_an_unfitted_classifier_is_refused(tmp_path):
    with pytest.raises(InputError, match="not fitted"):
        save(SequenceClassifier(english_lm()), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_replaced_unless_forced(readers, folder):
    before = {name: (folder / name).read_bytes() for name in FILES}
    with pytest.raises(InputError, match=r"model exists already.*force=True"):
        save(readers["mlp"], folder)
    assert {name: (folder / name).read_bytes() for name in FILES} == before
    save(readers["mlp"], folder, force=True)
    assert load(folder).model == "mlp"
    assert [found.name for found in folder.parent.iterdir()] == ["model"]


def test_force_does_not_remove_what_is_no_model(readers, tmp_path):
    diary = tmp_path / "home" / "diary.txt"
    diary.parent.mkdir()
    diary.write_text("dear")
    for place in (diary.parent, diary):
        with pytest.raises(InputError, match="is no model folder"):
            save(readers["table"], place, force=True)
    assert diary.read_text() == "dear"


@pytest.mark.parametrize("force", [False, True])
def test_a_save_that_fails_leaves_all_as_it_was(readers, folder, monkeypatch, force):
    def full(*_):
        raise OSError(28, "No space left on device")

    before = {name: (folder / name).read_bytes() for name in FILES}
    place = folder if force else folder.parent / "new"
    monkeypatch.setattr(NGramLM, "write_arpa", full)
    with pytest.raises(InputError, match="cannot be written \\(No space left on device\\)"):
        save(readers["mlp"], place, force=force)
    assert [found.name for found in folder.parent.iterdir()] == ["model"]
    assert {name: (folder / name).read_bytes() for name in FILES} == before


def test_a_place_that_is_not_there_is_named(readers, tmp_path):
    with pytest.raises(InputError, match="nowhere is no folder"):
        save(readers["table"], tmp_path / "nowhere" / "model")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"model holds no {re.escape(name)}"):
        load(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_truncated_file_is_named(folder, name, share):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match=re.escape(name)):
        load(folder)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_model_of_the_same_shape_is_named(readers, folder, symbols, name):
    with pytest.warns(ConvergenceWarning, match="wanted"):
        twin = SequenceClassifier(english_lm("habcdefg "), "spdg", n_init=2, max_iter=29, random_state=3).fit(symbols)
    save(twin, folder.parent / "twin")
    shutil.copy(folder.parent / "twin" / name, folder / name)
    with pytest.raises(InputError, match=r"model.safetensors has .* wanted by model.json|lm.arpa.gz has"):
        load(folder)


def test_no_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="model is not there, a model folder wanted"):
        load(tmp_path / "model")
    (tmp_path / "model").write_text("hello")
    with pytest.raises(InputError, match="model is a file, a model folder wanted"):
        load(tmp_path / "model")


def change_card(folder, **fields):
    path = folder / "model.json"
    card = json.loads(path.read_text())
    card.update(fields)
    path.write_text(signed({key: value for key, value in card.items() if value is not ...}))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format_version": FORMAT_VERSION + 1}, "format_version is 2, 1 wanted"),
        ({"format": "other"}, 'holds no "format": "labelfree model"'),
        ({"order": ...}, "holds no order"),
        ({"order": "2"}, "order is '2', int wanted"),
        ({"order": True}, "order is True, int wanted"),
        ({"order": 9}, "order is 9, 1 to lm_order, 2 wanted"),
        ({"lm_order": 3}, "lm.arpa.gz is of order 2, 3 wanted"),
        ({"alphabet": list("habcdefg ")}, "lm.arpa.gz is over the 9 symbols 'abcdefgh ', the 9 symbols 'habcdefg '"),
        ({"alphabet": list("abc")}, "the 3 symbols 'abc'"),
        ({"alphabet": ["a", "a"]}, "each symbol once wanted"),
        ({"alphabet": [1, 2]}, "a list of symbols wanted"),
        ({"model": "linear"}, "inputs is 'symbols', what a linear reads wanted"),
        ({"model": "forest"}, "model is 'forest', one of table, linear, mlp, cnn wanted"),
        ({"n_inputs": 5}, "weights.weight is torch.float32 of shape (1, 9, 9), torch.float32 of shape (1, 5, 9)"),
        ({"n_inputs": 0}, "n_inputs is 0, 1 or more wanted"),
        ({"n_features": 3}, "n_features is 3"),
        ({"gamma": "inf"}, "gamma is 'inf', int or float wanted"),
        ({"gamma": -1.0}, "gamma is -1.0, a number above 0 wanted"),
        ({"scale": 2.0}, "scale is 2.0, what a table needs wanted"),
        ({"restarts": ["x"]}, "restarts is ['x'], a list of numbers wanted"),
        ({"diagnosis": {}}, "diagnosis is {}"),
        ({"history": [{}]}, "history is [{}]"),
        ({"files": {}}, "model.safetensors has"),
    ],
)
def test_every_field_is_checked_against_the_others(folder, fields, message):
    change_card(folder, **fields)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [('"fold_case": true', '"fold_case": false'), ('"gamma": 1', '"gamma": 2'), ('"sha256": "', '"sha257": "')],
)
def test_a_card_is_refused_whose_fields_are_not_those_it_was_written_with(folder, before, after):
    text = (folder / "model.json").read_text()
    assert text.count(before) > 0
    (folder / "model.json").write_text(after.join(text.rsplit(before, 1)))
    with pytest.raises(InputError, match=r"model\.json is damaged: it is not what its sha256 says"):
        load(folder)


def test_a_card_from_before_cards_had_a_sum_is_read(folder):
    card = json.loads((folder / "model.json").read_text())
    del card["sha256"]
    (folder / "model.json").write_text(json.dumps(card))
    assert load(folder).lm.alphabet.symbols == tuple(card["alphabet"])


def test_pictures_too_small_for_a_tile_network_are_named(readers, tmp_path):
    save(readers["cnn"], tmp_path / "model")
    change_card(tmp_path / "model", n_inputs=63, n_features=63)
    with pytest.raises(InputError, match=r"model\.json: n_inputs is 63, 64 or more for pictures wanted"):
        load(tmp_path / "model")


def change_tensors(folder, **changed):
    """Other tensors, with the card made to expect just that file."""
    path = folder / "model.safetensors"
    tensors = load_file(path) | changed
    save_file({key: value for key, value in tensors.items() if value is not None}, path)
    change_card(folder, files={name: _size_and_sum(folder / name) for name in FILES[1:]})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weights.weight": torch.full((1, 9, 9), torch.nan)}, "weights.weight holds 81 values that are not finite"),
        ({"weights.weight": torch.zeros(1, 9, 9, dtype=torch.float64)}, "weights.weight is torch.float64"),
        ({"weights.weight": torch.zeros(1, 9, 8)}, "weights.weight is torch.float32 of shape (1, 9, 8)"),
        ({"weights.weight": None}, "weights.weight is not there, but wanted for a table"),
        ({"extra": torch.zeros(1)}, "extra is there, but not wanted"),
        ({"symbols": torch.zeros(9, dtype=torch.int64)}, "symbols do not rise"),
        ({"prior": torch.ones(9, dtype=torch.float64)}, "prior sums to 9, 1 wanted"),
    ],
)
def test_every_tensor_is_checked_before_use(folder, changed, message):
    change_tensors(folder, **changed)
    with pytest.raises(InputError, match=re.escape(f"model.safetensors: {message}")):
        load(folder)


def test_weights_that_are_no_tensors_are_named(folder):
    (folder / "model.safetensors").write_bytes(b"\x80\x04garbage" * 20)
    change_card(folder, files={name: _size_and_sum(folder / name) for name in FILES[1:]})
    with pytest.raises(InputError, match=r"model\.safetensors is no whole safetensors file"):
        load(folder)


DANGEROUS = re.compile(
    r"\b(?:pickle|cPickle|dill|joblib|marshal|shelve)\b(?!\w)|torch\.load\((?!.*weights_only=True)|torch\.save\("
    r"|allow_pickle=True"
    r"|(?<![\w.])(?:eval|exec)\(|os\.(?:system|popen)\(|shell=True|\bsubprocess\b"
)
KNOWN = {
    "tesseract.py": "subprocess",  # one program, with a list of words
    "apprentice.py": "subprocess",  # ourselves, with a list of words
    "cluster.py": "distributed.protocol.pickle",  # what goes to a person's own cluster, as Dask sends it
}


def test_no_pickle_and_no_code_from_data_anywhere():
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if DANGEROUS.search(line.replace(KNOWN.get(path.name, "\n"), ""))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    ["import pickle", "torch.load(path)", "x = eval(text)", "np.load(f, allow_pickle=True)", "os.system('ls')"],
)
def test_the_search_for_pickle_would_find_it(line):
    assert DANGEROUS.search(line)
