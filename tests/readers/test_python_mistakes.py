"""What people get wrong in Python: a right answer, or one line that says in Python's words what to do."""

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labelfree
from labelfree import Alphabet, NGramLM, SequenceClassifier
from labelfree.cli import run
from labelfree.decode import forward_backward, viterbi
from labelfree.errors import InputError
from labelfree.lm.counting import NGramCounts
from labelfree.lm.neural import NeuralLM
from labelfree.storage import load, save

X = np.random.default_rng(0).integers(0, 4, (60, 1))


@pytest.fixture(scope="module")
def lm():
    return NGramLM.from_text("abcabdacb" * 50, "abcd", order=2)


def test_a_string_does_where_an_alphabet_is_taken(lm):
    assert lm.alphabet == Alphabet("abcd")
    assert NGramLM.from_language("en", "abcdefghijklmnopqrstuvwxyz ", order=1).alphabet.symbols[-1] == " "
    assert NGramLM.from_text("hach ach", ["a", "ch", "h", " "], order=1).alphabet.symbols[1] == "ch"
    assert NGramLM.from_counts(NGramCounts.from_ids([0, 1, 1], [3], 2, 2), "ab").alphabet == Alphabet("ab")
    assert NeuralLM.from_text("abba " * 900, "ab ", symbols=100, hidden=2).alphabet == Alphabet("ab ")


@pytest.mark.parametrize("alphabet", [7, b"ab", ["a", 1], "", "aa"])
def test_an_alphabet_that_is_none_is_named(alphabet):
    with pytest.raises(InputError, match=r"symbols is|symbols holds|holds no symbol|more than once"):
        NGramLM.from_text("abab", alphabet)


def test_a_negative_length_is_named_with_its_place(lm):
    with pytest.raises(InputError, match=r"lengths\[1\] is -40, 0 or more wanted; give one length a sequence"):
        SequenceClassifier(lm).fit(X, lengths=[100, -40])


@pytest.mark.parametrize("lengths", [[[1], [2, 3]], ["a"], [1.5], [None], [[60]], "60", {60: 1}])
def test_lengths_that_are_no_whole_numbers_are_named(lm, lengths):
    with pytest.raises(InputError, match="lengths"):
        SequenceClassifier(lm).fit(X, lengths=lengths)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_labels_given_as_y_are_not_used_and_that_is_said(lm):
    settings = {"solver": "spdg", "max_iter": 3, "n_init": 1, "random_state": 0}
    with pytest.warns(UserWarning, match=r"y is not used: .* as known=\.\.\., -1 elsewhere"):
        told = SequenceClassifier(lm, **settings).fit(X, X[:, 0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        alone = SequenceClassifier(lm, **settings).fit(X)
    assert not any("y is not used" in str(one.message) for one in caught)
    np.testing.assert_array_equal(told.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_iter": 50}, r"max_iter is 50, but solver='auto' has no such setting; .* 'spdg', 'full_batch'"),
        ({"solver": "em", "l2": 0.1}, r"l2 is 0.1, but solver='em' has no such setting; .* one of 'auto', 'spdg'"),
        ({"solver": "spdg", "n_groups": 5}, r"n_groups is 5, but solver='spdg' has no such .* one of 'auto'"),
        ({"solver": "majority", "max_iter": 5}, "max_iter is 5, but solver='majority'"),
        ({"solver": "spdg", "refine": 3}, "refine is 3, but solver='spdg'"),
    ],
)
def test_a_setting_that_a_solver_does_not_know_is_an_error(lm, settings, message):
    with pytest.raises(InputError, match=message):
        SequenceClassifier(lm, **settings).fit(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_only_a_fitted_classifier_is_saved_and_the_advice_is_python_s(lm, tmp_path, capsys):
    features = np.random.default_rng(0).random((60, 3))
    pipeline = make_pipeline(StandardScaler(), SequenceClassifier(lm, "spdg", max_iter=2, n_init=1, random_state=0))
    pipeline.fit(features, sequenceclassifier__lengths=[30, 30])
    with pytest.raises(
        InputError, match=r"a Pipeline given to save .*, a SequenceClassifier wanted; .* pipeline\[-1\]"
    ):
        labelfree.save(pipeline, tmp_path / "model")
    with pytest.raises(InputError, match="a str given to save"):
        save("model", tmp_path / "model")
    with pytest.raises(InputError, match="is not fitted; call fit first"):
        save(SequenceClassifier(lm), tmp_path / "model")
    save(pipeline[-1], tmp_path / "model")
    with pytest.raises(InputError, match="or give force=True to replace it"):
        save(pipeline[-1], tmp_path / "model")
    scaled = pipeline[:-1].transform(features)
    np.testing.assert_array_equal(load(tmp_path / "model").predict(scaled), pipeline.predict(features))
    (tmp_path / "text").write_text("abba " * 99)
    assert run(["lm", "build", str(tmp_path / "text"), "-o", str(tmp_path / "text")]) == 2
    assert "give --force to replace it" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["auto", "spdg"])
def test_float32_and_float64_twins_agree(lm, solver):
    rows = np.random.default_rng(0).random((80, 3)).astype(np.float32)
    settings = {"n_init": 2, "random_state": 0} | ({"max_iter": 20} if solver == "spdg" else {})
    one, other = (
        SequenceClassifier(lm, solver, **settings).fit(rows.astype(kind)) for kind in (np.float32, np.float64)
    )
    np.testing.assert_allclose(one.predict_proba(rows), other.predict_proba(rows.astype(np.float64)), atol=1e-3)
    assert (one.predict(rows) == other.predict(rows)).mean() > 0.99


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sequences_of_no_position_and_of_one_are_taken(lm):
    settings = {"solver": "spdg", "max_iter": 5, "n_init": 1, "random_state": 0}
    plain = SequenceClassifier(lm, **settings).fit(X, lengths=[30, 30])
    empty = SequenceClassifier(lm, **settings).fit(X, lengths=[0, 30, 0, 30, 0])
    np.testing.assert_array_equal(plain.predict_proba(X), empty.predict_proba(X))
    ones = SequenceClassifier(lm, **settings).fit(X, lengths=[1] * 20 + [40])
    assert ones.decode(X, lengths=[1] * 60).shape == (60,)
    np.testing.assert_array_equal(plain.decode(X, lengths=[0, 60]), plain.decode(X, lengths=[60]))
    with pytest.raises(InputError, match="no window of 2 positions fits: the longest of 60 sequences has 1"):
        SequenceClassifier(lm, **settings).fit(X, lengths=[1] * 60)


def test_many_short_sequences_and_a_long_one_are_decoded():
    lm = NGramLM.from_text("abab" * 9, "ab", order=2, smoothing="additive", weight=0.5)
    scores = np.zeros((30_000, 2))
    scores[::3, 0] = 50.0
    short = viterbi(scores, lm, lengths=np.full(10_000, 3))
    np.testing.assert_array_equal(short.reshape(-1, 3), np.tile([0, 1, 0], (10_000, 1)))
    assert (viterbi(scores, lm)[::3] == 0).all()


def test_degenerate_language_models_give_right_answers():
    one = NGramLM.from_text("aaaa" * 9, "a", order=2)
    np.testing.assert_allclose(one.joint(2), [[1.0]])
    assert viterbi(np.zeros((3, 1)), one).tolist() == [0, 0, 0]
    np.testing.assert_allclose(forward_backward(np.zeros((3, 1)), one).marginals, 1.0)
    cycle = NGramLM.from_text("abcabc" * 30, "abc", order=2, smoothing="additive", weight=1e-9)
    np.testing.assert_allclose(cycle.joint(1), 1 / 3, atol=1e-6)
    seen = np.zeros((6, 3))
    seen[0, 1] = 1.0
    assert viterbi(seen, cycle).tolist() == [1, 2, 0, 1, 2, 0]
    unseen = NGramLM.from_text("aab" * 30, "abz", order=2)
    assert 0 <= unseen.joint(1)[2] < 0.1
    assert np.isfinite(unseen.log_probabilities([2, 2, 0])).all()
