"""Data files: what is read, and one line for everything that can be wrong with one."""

import io
import re
import zipfile

import numpy as np
import pytest

from labelfree import Alphabet
from labelfree.errors import InputError
from labelfree.storage.datafile import read_data

GOOD = {"X": np.array([[3], [1], [3]]), "lengths": np.array([2, 1])}


@pytest.fixture
def save(tmp_path):
    def saved(**arrays):
        path = tmp_path / "data.npz"
        np.savez(path, **arrays)
        return path

    return saved


def test_what_was_written_is_read(save):
    data = read_data(save(**GOOD, y=np.array([0, 1, 0], np.uint8), alphabet="ab"))
    assert data.is_symbols
    assert data.X.tolist() == [[3], [1], [3]]
    assert data.lengths.tolist() == [2, 1]
    assert data.y.tolist() == [0, 1, 0]
    assert data.alphabet == ("a", "b")


def test_one_dimension_is_one_column_and_bits_are_numbers(save):
    assert read_data(save(X=[3, 1, 3], lengths=[3])).X.shape == (3, 1)
    assert read_data(save(X=np.eye(3, dtype=bool), lengths=[3])).X.dtype == np.uint8


def test_labels_are_numbered_by_the_alphabet_of_the_language_model(save):
    data = read_data(save(**GOOD, y=[0, 1, 2], alphabet=np.array(["ch", "b", "é"])))
    labels, symbols = data.labels_in(Alphabet(["b", "a", "ch"]))
    assert symbols == ("b", "a", "ch", "é")
    assert [symbols[i] for i in labels] == ["ch", "b", "é"]


def test_labels_without_an_alphabet_are_the_language_model_s_own(save):
    data = read_data(save(**GOOD, y=[0, 1, 1]))
    assert data.labels_in(Alphabet("xy"))[0].tolist() == [0, 1, 1]
    with pytest.raises(InputError, match=r"y holds 1 at place 1 \(2 such labels\), 0 to 0 wanted"):
        data.labels_in(Alphabet("x"))


def test_labels_are_asked_for_where_there_are_none(save):
    with pytest.raises(InputError, match=r"data\.npz holds no y"):
        read_data(save(**GOOD)).labels_in(Alphabet("ab"))


NAN = np.array([[1.0], [np.nan], [np.inf]])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"lengths": [3]}, "holds lengths, but no X"),
        ({"X": GOOD["X"]}, "holds X, but no lengths"),
        ({"X": np.array(["a", "b"]), "lengths": [2]}, "X is an array of <U1, integers or floats wanted"),
        ({"X": np.array([1, None]), "lengths": [2]}, "X holds Python objects"),
        ({"X": np.zeros((2, 2, 2)), "lengths": [2]}, r"X has shape (2, 2, 2), (positions, features) wanted"),
        ({"X": np.zeros((0, 2)), "lengths": np.zeros(0, int)}, "X has shape (0, 2)"),
        ({"X": NAN, "lengths": [3]}, "X holds 2 values that are NaN or infinite, the first in row 1 (of 2 such rows)"),
        ({"X": GOOD["X"], "lengths": [2, 2]}, "lengths sum to 4, 3 wanted"),
        ({"X": GOOD["X"], "lengths": [4, -1]}, "lengths[1] is -1, 1 or more wanted"),
        ({"X": GOOD["X"], "lengths": [1.5, 1.5]}, "lengths is an array of float64"),
        ({**GOOD, "y": [0, 1]}, "y is an array of int64 with shape (2,), integers of shape (3,) wanted"),
        ({**GOOD, "y": [0.0, 1.0, 1.0]}, "y is an array of float64"),
        ({**GOOD, "y": [0, 1, 2], "alphabet": "ab"}, "y holds 2 at place 2 (1 such labels), 0 to 1 wanted"),
        ({**GOOD, "y": [0, -1, 0], "alphabet": "ab"}, "y holds -1 at place 1"),
        ({**GOOD, "alphabet": 7}, "alphabet is an array of int64 with shape (), a string wanted"),
        ({**GOOD, "alphabet": "aba"}, "alphabet: an alphabet holds 'a' more than once"),
    ],
)
def test_a_wrong_field_is_named_with_what_was_found(save, arrays, message):
    path = save(**arrays)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_data(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def cut(content):
    return content[: len(content) // 2]


def flipped(content):
    """One byte wrong inside the data of the first array: the archive's own sum tells."""
    return content[:200] + bytes([content[200] ^ 255]) + content[201:]


def no_array(content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("X.npy", b"nonsense")
        archive.writestr("lengths.npy", b"")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda content: b"", "is empty, an .npz file wanted"),
        (cut, "a whole .npz file wanted"),
        (flipped, "Bad CRC-32"),
        (lambda content: b"\x80\x04garbage" * 9, r"begins with b'\x80\x04garbag', a whole .npz file wanted"),
        (no_array, "X is no array, an array of numbers wanted"),
    ],
)
def test_a_file_that_is_no_archive_is_named(save, spoil, message):
    path = save(X=np.arange(200)[:, None], lengths=[200])
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_data(path)
    assert str(path) in str(caught.value)


def test_no_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(InputError, match="nothing is not there"):
        read_data(tmp_path / "nothing")
    with pytest.raises(InputError, match="is a folder"):
        read_data(tmp_path)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[4]], "X has 1 row, 2 or more wanted"),
        ([[4]] * 9, "X holds the same symbol, 4, in all 9 rows"),
        ([[0.5, 1.0]] * 9, "X holds the same features in all 9 rows"),
    ],
)
def test_data_without_variety_is_refused(save, X, message):
    data = read_data(save(X=X, lengths=[len(X)]))
    with pytest.raises(InputError, match=message):
        data.check_variety()


def test_varied_data_and_a_shared_symbol_are_enough(save):
    data = read_data(save(**GOOD, alphabet="aж"))
    data.check_variety()
    data.check_language(Alphabet("abc"))
    with pytest.raises(InputError, match=r"data\.npz: alphabet 'aж' shares no symbol with the language model's 'xyz'"):
        data.check_language(Alphabet("xyz"))
