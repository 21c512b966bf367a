"""Smoothed models: closed forms, tiny alphabets, and the choice on held-out text."""

from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramCounts, NGramLM, Smoothing
from labelfree.lm.smoothing import WEIGHTS, choose, estimate
from labelfree.lm.text import count_text

KINDS = st.sampled_from([Smoothing(kind, weight) for kind, weights in WEIGHTS.items() for weight in weights])
ENGLISH = " ".join(topics.values())


@st.composite
def counted(draw):
    size = draw(st.integers(1, 3))
    ids = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=20))
    cut = draw(st.integers(0, len(ids)))
    return NGramCounts.from_ids(ids, [cut, len(ids) - cut], size, draw(st.integers(1, 4)))


@settings(deadline=None)
@given(counted(), KINDS)
def test_every_conditional_is_positive_and_sums_to_one(counts, smoothing):
    model = estimate(counts, smoothing)
    assert model.order == counts.order
    for n in range(1, model.order + 1):
        table = np.exp(model.table(n))
        assert (table > 0).all()
        np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-12)


def slow_probability(counts: NGramCounts, smoothing: Smoothing, gram: tuple[int, ...]) -> float:
    """The formulas of the module, one number at a time."""
    size, n, weight = counts.size, len(gram), smoothing.weight
    seen = {}
    for m in range(1, counts.order + 1):
        for code, times in zip(counts.codes[m - 1], counts.counts[m - 1], strict=True):
            seen[tuple(int(code) // size**p % size for p in range(m - 1, -1, -1))] = times
    if smoothing.kind == "kneser-ney" and n < counts.order:
        after = {one: max(sum((x, *one) in seen for x in range(size)), 1) for one in seen if len(one) == n}
    else:
        after = {one: times for one, times in seen.items() if len(one) == n}
    context = {one: times for one, times in after.items() if one[:-1] == gram[:-1]}
    lower = slow_probability(counts, smoothing, gram[1:]) if n > 1 else 1 / size
    if not context:
        return lower
    total, count = sum(context.values()), context.get(gram, 0)
    if smoothing.kind == "additive":
        return (count + weight) / (total + weight * size)
    if smoothing.kind == "witten-bell":
        return (count + weight * len(context) * lower) / (total + weight * len(context))
    return (max(count - weight, 0) + weight * len(context) * lower) / total


@settings(deadline=None)
@given(counted(), st.sampled_from(list(WEIGHTS)), st.sampled_from([0.3, 0.9]))
def test_tables_equal_the_formulas(counts, kind, weight):
    smoothing = Smoothing(kind, weight)
    table = np.exp(estimate(counts, smoothing).table(counts.order)).reshape((counts.size,) * counts.order)
    for gram in np.ndindex(*table.shape):
        assert table[gram] == pytest.approx(slow_probability(counts, smoothing, gram), rel=1e-9)


@given(st.text(alphabet="ab", min_size=1, max_size=12), st.integers(1, 6), st.sampled_from(["auto", *WEIGHTS]))
def test_short_texts_never_fail(text, order, smoothing):
    lm = NGramLM.from_text(text, Alphabet("ab"), order, smoothing=smoothing)
    np.testing.assert_allclose(lm.conditional(order).sum(axis=-1), 1, atol=1e-12)


def test_one_symbol_is_certain():
    lm = NGramLM.from_text("aaaa", order=3)
    assert lm.joint(3).shape == (1, 1, 1)
    assert lm.joint(3).sum() == pytest.approx(1)
    assert lm.conditional(3).sum() == pytest.approx(1)


def test_sparse_tables_equal_dense_ones(monkeypatch):
    dense = NGramLM.from_text(ENGLISH[:20000], PAPER_ALPHABET, 4, smoothing="absolute", weight=0.5)
    contexts = np.random.default_rng(0).integers(0, 29, (500, 3))
    ids = PAPER_ALPHABET.encode(ENGLISH[30000:31000])
    wanted = dense.log_conditional(contexts), dense.log_probabilities(ids)
    monkeypatch.setattr("labelfree.lm.backoff.TABLE_LIMIT", 29)
    sparse = NGramLM.from_text(ENGLISH[:20000], PAPER_ALPHABET, 4, smoothing="absolute", weight=0.5)
    np.testing.assert_allclose(sparse.log_conditional(contexts), wanted[0], rtol=1e-12)
    np.testing.assert_allclose(sparse.log_probabilities(ids), wanted[1], rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_choice_is_no_worse_than_any_fixed_kind_where_it_was_made(order):
    _, tally = count_text(ENGLISH[:60000], PAPER_ALPHABET, order)
    kept, held = tally.counts(held=False), tally.counts(held=True)

    def score(smoothing: Smoothing) -> float:
        return float(held.counts[-1] @ estimate(kept, smoothing).score(order, held.codes[-1]))

    chosen = score(choose(kept, held))
    for kind, weights in WEIGHTS.items():
        assert chosen >= max(score(Smoothing(kind, weight)) for weight in weights) - 1e-9


def test_the_choice_holds_on_other_text():
    train, test = ENGLISH[:200000], ENGLISH[200000:260000]
    auto = NGramLM.from_text(train, PAPER_ALPHABET, 4).perplexity(test)
    fixed = [NGramLM.from_text(train, PAPER_ALPHABET, 4, smoothing=k).perplexity(test) for k in WEIGHTS]
    assert auto <= 1.01 * min(fixed)


@pytest.mark.parametrize(
    ("kind", "weight", "said"),
    [
        ("magic", 1.0, "'magic'"),
        ("absolute", 1.5, "1.5; give a number between 0 and 1"),
        ("additive", 0.0, "0.0; give a positive number"),
        ("witten-bell", float("nan"), "nan"),
        ("auto", 0.5, "name the kind"),
    ],
)
def test_bad_smoothing(kind, weight, said):
    with pytest.raises(InputError, match=said):
        NGramLM.from_text("abc", smoothing=kind, weight=weight)
