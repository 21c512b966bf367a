"""The scikit-learn face: its checks, pipelines, honesty about failure, and reproducibility."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelfree import Alphabet, NGramLM, SequenceClassifier
from labelfree.errors import InputError
from labelfree.repro.tasks.spelling import segments_of, spelling_task, standard_library_english


@pytest.fixture(scope="module")
def tiny_lm():
    return NGramLM.from_text("abcabdacb" * 50, Alphabet("abcd"), order=2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        SequenceClassifier(
            NGramLM.from_text("abcabdacb" * 50, Alphabet("abcd"), order=2),
            solver="spdg",
            max_iter=20,
            n_init=2,
            random_state=0,
        ),
        SequenceClassifier(
            NGramLM.from_text("abcabdacb" * 50, Alphabet("abcd"), order=2), n_init=2, refine=1, random_state=0
        ),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def task():
    return spelling_task(segments_of(standard_library_english()), seed=3)


@pytest.fixture(scope="module")
def reader(task):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    return SequenceClassifier(lm, random_state=0).fit(task.train.x[:, None], lengths=task.train.lengths)


def test_a_substitution_is_read_perfectly_and_believed(reader, task):
    assert reader.converged_
    assert reader.score(task.test.x[:, None], task.test.y) == 1.0
    text = task.alphabet.decode(reader.decode(task.test.x[:, None], lengths=task.test.lengths))
    assert text == task.alphabet.decode(task.test.y)


def test_the_attributes_of_a_fit_are_there_and_sane(reader):
    assert reader.kl_ == pytest.approx(reader.diagnosis_.kl)
    assert reader.restarts_.shape == (10,)
    assert min(reader.restarts_) <= min(record.best for record in reader.history_ if record.stage == "full batch")
    assert reader.n_iter_ > 100
    assert list(reader.classes_) == list(range(29))


def test_the_language_model_has_its_say_in_posteriors_as_far_as_it_is_asked(task, reader):
    rows, lengths = task.test.x[:, None], task.test.lengths
    found = reader.decode_proba(rows, lengths=lengths)
    np.testing.assert_allclose(found.sum(1), 1.0)
    assert (found.argmax(1) == task.test.y).mean() > 0.999
    unasked = reader.decode_proba(rows, lengths=lengths, lm_weight=0.0)
    np.testing.assert_allclose(unasked, reader.predict_proba(rows), atol=1e-4)


def test_labels_given_to_fit_change_nothing(task, reader):
    again = clone(reader).fit(task.train.x[:, None], task.train.y, lengths=task.train.lengths)
    np.testing.assert_array_equal(again.predict_proba(task.test.x[:, None]), reader.predict_proba(task.test.x[:, None]))


def test_an_unseen_symbol_gets_the_language_s_own_frequencies(reader):
    np.testing.assert_allclose(reader.predict_proba([[999]])[0], reader.lm.joint(1))


def test_symbols_may_be_scored_as_text(reader, task):
    letters = np.array([task.alphabet.symbols[i] for i in task.test.y])
    assert reader.score(task.test.x[:, None], letters) == 1.0


def test_text_of_independent_symbols_is_not_believed(task):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    shuffled = np.random.default_rng(0).permutation(task.train.x)
    with pytest.warns(ConvergenceWarning, match=r"stuck: the language explains \d+% .* wanted"):
        unread = SequenceClassifier(lm, n_init=3, random_state=0).fit(shuffled[:, None], lengths=task.train.lengths)
    assert not unread.converged_


def smooth(n: int, lags: int) -> np.ndarray:
    """A smooth random signal, AR(1), its last values at every moment."""
    from scipy.signal import lfilter

    signal = lfilter([1.0], [1.0, -0.95], np.random.default_rng(0).normal(size=n + lags))
    return np.lib.stride_tricks.sliding_window_view(signal, lags)[:n]


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        (np.random.default_rng(0).normal(size=(200, 64)), "too little to know"),
        (np.random.default_rng(1).normal(size=(400, 64)), "too little to know"),
        (smooth(1_000, 16), "stuck"),
        (np.random.default_rng(0).integers(0, 150, (600, 1)), "stuck"),
        (np.random.default_rng(0).integers(0, 10, (2_000, 1)), "stuck"),
        (np.zeros((300, 1), np.int64), "stuck"),
    ],
    ids=["noise 200 x 64", "noise 400 x 64", "AR(1), 16 lags", "150 kinds", "10 kinds", "constant"],
)
def test_what_is_no_language_is_never_believed(task, inputs, outcome):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    with pytest.warns(ConvergenceWarning, match=outcome):
        unread = SequenceClassifier(lm, n_init=3, random_state=0).fit(inputs)
    assert not unread.converged_
    assert unread.diagnosis_.outcome == outcome
    assert unread.diagnosis_.expected_error == 1.0


def test_a_short_cipher_that_is_read_is_believed_though_its_pairs_are_few(task):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet, order=4)
    text = task.train.y[:2_000]
    reader = SequenceClassifier(lm, random_state=0).fit(np.random.default_rng(0).permutation(29)[text][:, None])
    assert (reader.predict(np.random.default_rng(0).permutation(29)[text][:, None]) == text).mean() > 0.97
    assert reader.converged_
    assert reader.diagnosis_.chance < 1e-9


def test_sequences_of_three_symbols_are_judged_by_what_text_cut_so_short_would_show(task):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    threes = task.train.x[: 3 * 9_000]
    reader = SequenceClassifier(lm, random_state=0).fit(threes[:, None], lengths=[3] * 9_000)
    assert reader.score(threes[:, None], task.train.y[: 3 * 9_000], lengths=[3] * 9_000) > 0.97
    assert reader.converged_
    assert 0.8 < reader.diagnosis_.explained < 1.2


def test_single_symbols_cannot_be_matched_at_order_one(task):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    with pytest.warns(ConvergenceWarning, match="order=1"):
        unread = SequenceClassifier(lm, order=1, n_init=2, random_state=0).fit(task.train.x[:, None])
    assert not unread.converged_


@pytest.mark.parametrize("order", [3, 4, 6])
def test_longer_ngrams_read_it_too(task, order):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet, order=order)
    reader = SequenceClassifier(lm, order=order, n_init=4, random_state=1)
    reader.fit(task.train.x[:, None], lengths=task.train.lengths)
    assert reader.converged_
    assert reader.score(task.test.x[:, None], task.test.y) == 1.0


@pytest.fixture(scope="module")
def noisy_features(task):
    """Every symbol a point in space, seen through noise."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(29, 24))
    n = 30_000
    lengths = np.minimum(task.train.lengths, np.maximum(n - np.cumsum(task.train.lengths) + task.train.lengths, 0))
    labels = task.train.y[: lengths.sum()]
    return points[labels] + 0.45 * rng.normal(size=(len(labels), 24)), labels, lengths[lengths > 0]


@pytest.mark.parametrize("model", ["linear", "mlp"])
def test_features_are_read_in_a_pipeline_after_pca(task, noisy_features, model):
    X, labels, lengths = noisy_features
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    pipe = Pipeline([("pca", PCA(20, random_state=0)), ("clf", SequenceClassifier(lm, model=model, random_state=0))])
    pipe.fit(X, clf__lengths=lengths)
    assert pipe["clf"].converged_
    assert pipe.score(X, labels) > 0.97


def test_one_hot_rows_are_read_like_symbols(task):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    reader = SequenceClassifier(lm, n_init=4, random_state=0)
    reader.fit(np.eye(29)[task.train.x], lengths=task.train.lengths)
    assert reader.converged_
    assert reader.score(np.eye(29)[task.test.x], task.test.y) > 0.999


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"solver": "magic"}, "solver is 'magic'"),
        ({"model": "magic"}, "model is 'magic'"),
        ({"n_init": 0}, "n_init is 0"),
        ({"order": 7}, "order 7 asked of a language model of order 2"),
        ({"model": "table"}, "one column of integers"),
        ({"solver": "em"}, "give group numbers"),
    ],
)
def test_bad_settings_are_named(tiny_lm, settings, message):
    with pytest.raises(InputError, match=message):
        SequenceClassifier(tiny_lm, **settings).fit(np.zeros((9, 2)))


@pytest.mark.parametrize("lengths", [[3, 3], [-1, 10], [4.5, 4.5], [[9]]])
def test_bad_lengths_are_named(tiny_lm, lengths):
    with pytest.raises(InputError, match="lengths"):
        SequenceClassifier(tiny_lm).fit(np.zeros((9, 2)), lengths=lengths)


def test_a_model_that_is_no_language_model_is_named():
    with pytest.raises(InputError, match="lm is a str"):
        SequenceClassifier("en").fit(np.zeros((9, 2)))


def test_features_too_large_to_square_are_named(tiny_lm):
    with pytest.raises(InputError, match=r"1e\+200"):
        SequenceClassifier(tiny_lm).fit(np.array([[1e200], [0.0]] * 20))


@pytest.mark.parametrize(
    ("solver", "known", "message"),
    [
        ("auto", [0, 1], r"shape \(2,\)"),
        ("auto", [0.5] * 90, "array of float64"),
        ("auto", [9] * 90, "labels run from 9 to 9, -1 to 2 wanted"),
        ("em", [-1] * 90, "which uses none; use solver='auto'"),
    ],
)
def test_known_labels_that_do_not_fit_are_refused(solver, known, message):
    classifier = SequenceClassifier(NGramLM.from_text("abc" * 30, order=2), solver)
    with pytest.raises(InputError, match=message):
        classifier.fit(np.array([[7], [5], [6]] * 30), known=known)


@pytest.fixture(scope="module")
def abc():
    """Features of 300 letters a, b and c, and a classifier of them."""
    rng = np.random.default_rng(0)
    text = "".join(rng.choice(["ab", "abc", "cab", "b"], 300).tolist())
    rows = np.eye(3)[["abc".index(letter) for letter in text[:300]]] + rng.normal(0, 0.3, (300, 3))
    lm = NGramLM.from_text(text, order=2)
    return rows, SequenceClassifier(lm, n_init=1, n_groups=6, l2=0.01, random_state=0).fit(rows)


@pytest.mark.parametrize("evidence", [np.zeros((299, 3)), np.zeros(300), np.full((300, 3), np.inf)])
def test_evidence_that_does_not_fit_is_refused(abc, evidence):
    rows, classifier = abc
    for use in (clone(classifier).fit, classifier.decode, classifier.decode_proba):
        with pytest.raises(InputError, match=r"log-likelihoods of shape \(300, 3\) wanted"):
            use(rows, evidence=evidence)


@pytest.mark.parametrize(("solver", "what"), [("auto", "symbols"), ("spdg", "solver='spdg'")])
def test_evidence_is_refused_where_it_is_not_heard(abc, solver, what):
    rows = abc[0] if solver == "spdg" else np.array([[7], [5], [6]] * 100)
    classifier = SequenceClassifier(abc[1].lm, solver, n_init=1)
    with pytest.raises(InputError, match=f"evidence given for {what}, which use none"):
        classifier.fit(rows, evidence=np.zeros((300, 3)))


def test_evidence_outweighs_what_a_decoded_position_looks_like(abc):
    rows, classifier = abc
    evidence = np.zeros((300, 3))
    assert (classifier.decode_proba(rows, evidence=evidence) == classifier.decode_proba(rows)).all()
    evidence[40] = np.where(np.arange(3) == 2, 90.0, 0.0)
    assert classifier.decode_proba(rows, evidence=evidence)[40].argmax() == 2
    assert classifier.decode(rows, evidence=evidence)[40] == 2


@pytest.fixture(scope="module")
def points():
    """Three kinds of points in the plane, the kind of each, and a classifier that was fitted to some of them."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(3, size=300)
    rows = np.eye(3)[kinds] + 0.1 * rng.normal(size=(300, 3))
    lm = NGramLM.from_text("abcacb" * 50, Alphabet("abc"), order=2)
    with pytest.warns(ConvergenceWarning):
        fitted = SequenceClassifier(lm, solver="spdg", max_iter=5, n_init=1, random_state=0).fit(rows)
    return rows, kinds, fitted


def test_a_copy_learns_what_labels_say_and_the_first_stays_as_it_was(points):
    rows, kinds, first = points
    before = first.predict_proba(rows)
    believed = np.where(np.arange(300) % 3 == 0, -1, kinds)
    taught = first.self_trained(rows, believed)
    assert (taught.predict(rows) == kinds).mean() > 0.99  # those left out, too
    assert taught.prior_ == pytest.approx(np.bincount(kinds) / 300, abs=0.05)
    assert (first.predict_proba(rows) == before).all()


def test_labels_to_learn_from_must_fit(points):
    rows, kinds, first = points
    with pytest.raises(InputError, match="labels run from 0 to 9, -1 to 2 wanted"):
        first.self_trained(rows, np.where(kinds == 2, 9, kinds))


def test_symbols_of_a_cipher_are_no_features_to_train_on(reader, task):
    with pytest.raises(InputError, match="features wanted"):
        reader.self_trained(task.train.x[:, None], np.zeros(len(task.train.x), np.int64))


@pytest.fixture(scope="module")
def pieces(task):
    """The sequences of a substitution in three streams."""
    ends = np.cumsum(task.train.lengths)
    cuts = [0, 5, 300, len(ends)]
    return [
        (task.train.x[ends[a] - task.train.lengths[a] : ends[b - 1], None], task.train.lengths[a:b])
        for a, b in itertools.pairwise(cuts)
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # five sentences are too few
@pytest.mark.parametrize("settings", [{}, {"solver": "spdg", "max_iter": 60}, {"solver": "likelihood", "max_iter": 20}])
def test_a_stream_taken_piece_by_piece_teaches_what_all_of_it_does_to_the_bit(task, pieces, settings):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    reader = SequenceClassifier(lm, model="table", n_init=4, random_state=0, **settings)
    whole = clone(reader).fit(task.train.x[:, None], lengths=task.train.lengths)
    for rows, lengths in pieces:
        reader.partial_fit(rows, lengths=lengths)
    rows = task.test.x[:, None]
    np.testing.assert_array_equal(reader.predict_proba(rows), whole.predict_proba(rows))
    np.testing.assert_array_equal(reader.decode(rows), whole.decode(rows))
    assert (reader.kl_, reader.converged_, reader.restarts_.tolist()) == (
        whole.kl_,
        whole.converged_,
        whole.restarts_.tolist(),
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_forgets_the_stream(task, pieces):
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    reader = SequenceClassifier(lm, model="table", solver="majority").partial_fit(pieces[2][0], lengths=pieces[2][1])
    reader.fit([[1], [2]])
    assert reader.symbols_.tolist() == [1, 2]
    assert reader.partial_fit([[5], [6]]).symbols_.tolist() == [5, 6]


@pytest.mark.parametrize("settings", [{}, {"model": "linear"}, {"model": "table", "solver": "em"}])
def test_a_stream_of_what_does_not_add_up_is_refused(tiny_lm, settings):
    reader = SequenceClassifier(tiny_lm, **settings)
    assert not hasattr(reader, "partial_fit")
    with pytest.raises(AttributeError) as refusal:
        reader.partial_fit([[1], [2]])
    assert "set model='table' and another solver than 'em'" in str(refusal.value.__cause__)


def test_weights_of_positions_are_refused_in_one_clear_line(tiny_lm):
    for use in (SequenceClassifier(tiny_lm).fit, SequenceClassifier(tiny_lm, model="table").partial_fit):
        with pytest.raises(InputError, match=r"sample_weight given, none wanted: .* stack a sequence twice"):
            use([[1], [2], [1]], sample_weight=np.ones(3))
        with pytest.raises(TypeError, match="unexpected argument 'weights'"):
            use([[1], [2], [1]], weights=np.ones(3))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_data_frames_come_in_and_go_out(task, reader):
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"sign": task.test.x[:500]}, index=np.arange(500) + 7)
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    fitted = SequenceClassifier(lm, solver="majority").fit(rows)
    assert fitted.feature_names_in_.tolist() == ["sign"]
    frame = fitted.set_output(transform="pandas").transform(rows)
    assert frame.columns.tolist() == list(task.alphabet)
    assert frame.index.tolist() == rows.index.tolist()
    np.testing.assert_array_equal(frame.to_numpy(), fitted.predict_proba(rows))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(rows.rename(columns={"sign": "other"}))
