"""`NGramLM`: joints that agree with each other, lookups that agree with tables, perplexity by hand."""

from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramCounts, NGramLM, NGrams
from labelfree.lm.backoff import BackOff, Level
from labelfree.lm.smoothing import WEIGHTS

ENGLISH = " ".join(topics.values())


@settings(deadline=None)
@given(st.text(alphabet="abc", min_size=1, max_size=60), st.integers(1, 4), st.sampled_from(list(WEIGHTS)))
def test_joints_are_marginals_of_each_other(text, order, smoothing):
    lm = NGramLM.from_text(text, Alphabet("abc"), order, smoothing=smoothing)
    for n in range(1, 6):
        joint = lm.joint(n)
        assert joint.sum() == pytest.approx(1, abs=1e-9)
        assert (joint >= 0).all()
        if n > 1:
            np.testing.assert_allclose(joint.sum(axis=0), lm.joint(n - 1), atol=1e-9)
            np.testing.assert_allclose(joint.sum(axis=-1), lm.joint(n - 1), atol=1e-9)
        if n >= order:
            longer = lm.joint(n)
            before = longer.sum(axis=-1, keepdims=True)
            flat = (longer / before).reshape(-1, *(3,) * order)
            np.testing.assert_allclose(flat, np.broadcast_to(lm.conditional(order), flat.shape), atol=1e-6)


def chain(table: np.ndarray) -> NGramLM:
    size = table.shape[0]
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(table), -228.0)
    unigram = Level(np.arange(size), np.full(size, -np.log(size)), np.zeros(size))
    bigram = Level(np.arange(size**2), logs.ravel(), np.zeros(size**2))
    return NGramLM(Alphabet("abcdefgh"[:size]), BackOff(size, (unigram, bigram)))


def test_odd_chains():
    swing = chain(np.array([[0.0, 1.0], [1.0, 0.0]]))
    np.testing.assert_allclose(swing.joint(1), [0.5, 0.5], atol=1e-9)
    absorbed = chain(np.array([[1.0, 0.0], [0.5, 0.5]]))
    np.testing.assert_allclose(absorbed.joint(1), [1.0, 0.0], atol=1e-9)
    circle = chain(np.roll(np.eye(3), 1, axis=1))
    np.testing.assert_allclose(circle.joint(2), np.roll(np.eye(3), 1, axis=1) / 3, atol=1e-9)
    apart = chain(np.eye(2))
    assert apart.joint(1).sum() == pytest.approx(1)


def test_a_chain_that_hardly_mixes_is_solved():
    slow = chain(np.array([[1 - 1e-9, 1e-9], [3e-9, 1 - 3e-9]]))
    np.testing.assert_allclose(slow.joint(1), [0.75, 0.25], atol=1e-3)


def test_joints_are_those_of_the_text():
    lm = NGramLM.from_text(ENGLISH, PAPER_ALPHABET, 3)
    ids = PAPER_ALPHABET.encode(ENGLISH)
    space = PAPER_ALPHABET.index(" ")
    ids = ids[~((ids == space) & (np.concatenate(([-1], ids[:-1])) == space))]
    seen = np.bincount(ids[:-1] * 29 + ids[1:], minlength=841).reshape(29, 29) / (ids.size - 1)
    assert np.abs(lm.joint(2) - seen).sum() < 0.02
    kneser_ney = NGramLM.from_text(ENGLISH, PAPER_ALPHABET, 3, smoothing="kneser-ney")
    assert np.abs(kneser_ney.joint(2) - seen).sum() < 0.02


def test_sparse_joints(monkeypatch):
    lm = NGramLM.from_text(ENGLISH[:50000], PAPER_ALPHABET, 3, smoothing="absolute", weight=0.5)
    dense = lm.joint(3)
    best = lm.joint(3, top=50)
    assert isinstance(best, NGrams)
    np.testing.assert_allclose(best.probability, np.sort(dense.ravel())[::-1][:50])
    np.testing.assert_allclose(best.probability, dense[tuple(best.ids.T)])
    fourth = lm.joint(4, top=20)
    monkeypatch.setattr("labelfree.lm.stationary.DENSE_LIMIT", 900)
    monkeypatch.setattr("labelfree.lm.model.DENSE_LIMIT", 900)
    seen = lm.joint(3)
    assert isinstance(seen, NGrams)
    assert seen.ids.shape == (lm.backoff.levels[2].codes.size, 3)
    np.testing.assert_allclose(seen.probability, dense[tuple(seen.ids.T)])
    assert 0.97 < seen.mass < 1
    beyond = lm.joint(4, top=20)
    np.testing.assert_array_equal(beyond.ids, fourth.ids)
    np.testing.assert_allclose(beyond.probability, fourth.probability)
    with pytest.raises(InputError, match="give top="):
        lm.joint(4)
    with pytest.raises(InputError, match="use log_conditional"):
        lm.conditional(3)


def test_too_many_states_rest_on_a_lower_order(monkeypatch):
    whole = NGramLM.from_text(ENGLISH[:100000], PAPER_ALPHABET, 4, smoothing="absolute")
    monkeypatch.setattr("labelfree.lm.stationary.STATE_LIMIT", 1000)
    limited = NGramLM.from_text(ENGLISH[:100000], PAPER_ALPHABET, 4, smoothing="absolute")
    assert np.abs(whole.joint(3) - limited.joint(3)).sum() < 0.1
    assert limited.joint(4).sum() == pytest.approx(1)


def test_rows_equal_tables_and_sum_to_one():
    lm = NGramLM.from_text(ENGLISH[:60000], PAPER_ALPHABET, 5)
    rng = np.random.default_rng(1)
    for m in range(5):
        rows = lm.log_conditional(rng.integers(0, 29, (300, m)))
        assert rows.shape == (300, 29)
        np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1, atol=1e-9)
    short = NGramLM.from_text(ENGLISH[:60000], PAPER_ALPHABET, 3)
    contexts = rng.integers(0, 29, (300, 2))
    np.testing.assert_allclose(np.exp(short.log_conditional(contexts)), short.conditional(3)[tuple(contexts.T)])
    longer = rng.integers(0, 29, (300, 7))
    np.testing.assert_array_equal(lm.log_conditional(longer), lm.log_conditional(longer[:, -4:]))


@pytest.mark.parametrize("smoothing", ["absolute", "kneser-ney"])
def test_conditionals_below_the_order_are_those_of_the_language(smoothing):
    lm = NGramLM.from_text(ENGLISH[:60000], PAPER_ALPHABET, 4, smoothing=smoothing)
    pairs = lm.joint(2)
    np.testing.assert_allclose(lm.conditional(2), pairs / pairs.sum(axis=1, keepdims=True))
    direct = NGramLM.from_text(ENGLISH[:60000], PAPER_ALPHABET, 2).conditional(2)
    assert (pairs * np.abs(lm.conditional(2) - direct)).sum() < 0.015


def test_log_probabilities_go_symbol_by_symbol():
    lm = NGramLM.from_text(ENGLISH[:60000], PAPER_ALPHABET, 5)
    ids, lengths = PAPER_ALPHABET.encode("the quick. brown fox"), [3, 0, 1, 16]
    wanted = []
    for sequence in np.split(ids, np.cumsum(lengths)[:-1]):
        for place, symbol in enumerate(sequence):
            wanted.append(lm.log_conditional(sequence[None, max(place - 4, 0) : place])[0, symbol])
    np.testing.assert_allclose(lm.log_probabilities(ids, lengths), wanted)


def test_perplexity_by_hand():
    counts = NGramCounts.from_ids([0, 0, 1], [3], size=2, order=2)
    lm = NGramLM.from_counts(counts, Alphabet("ab"), smoothing="additive", weight=1.0)
    # p(a) = 3/5, p(b|a) = 2/4, p(a|b): b was never followed, so 3/5 again.
    assert lm.perplexity("a-B a") == pytest.approx((3 / 5 * 2 / 4 * 3 / 5) ** (-1 / 3))
    assert lm.perplexity("a-B a", outside="break") == pytest.approx((3 / 5 * 2 / 5 * 3 / 5) ** (-1 / 3))


def test_entropy_is_what_samples_cost():
    lm = NGramLM.from_text(ENGLISH[:30000], PAPER_ALPHABET, 3)
    drawn = lm.sample(20000, np.random.default_rng(0))
    assert -lm.log_probabilities(drawn).mean() == pytest.approx(lm.entropy, abs=0.03)


def test_arrays_belong_to_the_caller():
    lm = NGramLM.from_text("abracadabra" * 9, order=2)
    for give in (lambda: lm.joint(2), lambda: lm.conditional(2), lambda: lm.log_conditional([[0], [1]])):
        wanted = give().copy()
        give()[:] = 7.0
        np.testing.assert_array_equal(give(), wanted)


def test_same_text_same_bits():
    one, two = (NGramLM.from_text(ENGLISH[:30000], PAPER_ALPHABET) for _ in range(2))
    assert one.joint(3).tobytes() == two.joint(3).tobytes()


def test_mixtures():
    texts = ENGLISH[:40000], ENGLISH[100000:140000].upper().replace("E", "A")
    one, two = NGramLM.from_text(texts[0], PAPER_ALPHABET, 3), NGramLM.from_text(texts[1], PAPER_ALPHABET, 2)
    fused = NGramLM.interpolate([one, two], [3, 1])
    np.testing.assert_allclose(fused.conditional(3), 0.75 * one.conditional(3) + 0.25 * two.conditional(2)[None])
    held = ENGLISH[50000:60000]
    chosen = NGramLM.interpolate([one, two], held_out=held)
    assert chosen.perplexity(held) <= min(one.perplexity(held), fused.perplexity(held)) + 1e-6
    with pytest.raises(InputError, match="same alphabet"):
        NGramLM.interpolate([one, NGramLM.from_text("abc")])
    with pytest.raises(InputError, match="give one of them"):
        NGramLM.interpolate([one, two], [1, 1], held_out=held)
    with pytest.raises(InputError, match="give 2 numbers"):
        NGramLM.interpolate([one, two], [1, -1])


def test_mixtures_sum_to_one_where_not_all_is_listed(monkeypatch):
    monkeypatch.setattr("labelfree.lm.mixing.LIST_ALL", 29)
    models = [NGramLM.from_text(ENGLISH[at : at + 20000], PAPER_ALPHABET, 4) for at in (0, 100000)]
    fused = NGramLM.interpolate(models)
    np.testing.assert_allclose(fused.conditional(4).sum(axis=-1), 1, atol=1e-9)
    assert (fused.conditional(4) > 0).all()
    seen = models[0].joint(4, top=100).ids
    wanted = sum(model.conditional(4) for model in models) / 2
    np.testing.assert_allclose(fused.conditional(4)[tuple(seen.T)], wanted[tuple(seen.T)])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda lm: lm.joint(0), "n=0"),
        (lambda lm: lm.joint(2, top=0), "top=0"),
        (lambda lm: lm.conditional(3), "give 1 to 2"),
        (lambda lm: lm.log_conditional([[0.5]]), "float64"),
        (lambda lm: lm.log_conditional([0, 1]), r"shape \(2,\)"),
        (lambda lm: lm.log_conditional([[9]]), "index 9"),
        (lambda lm: lm.log_probabilities([0, -1]), "index -1"),
        (lambda lm: lm.log_probabilities([0, 1], [3]), "sum to 3"),
        (lambda lm: lm.perplexity("!"), "no symbol"),
        (lambda lm: NGramLM.from_text("!", lm.alphabet), "no symbol"),
        (lambda lm: NGramLM(Alphabet("abc"), lm.backoff), "2 symbols"),
    ],
)
def test_errors(call, said):
    with pytest.raises(InputError, match=said):
        call(NGramLM.from_text("abba", order=2))
