"""Decode, retrain, repeat: what is kept, when it stops, and that it helps."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.fitting.penalty import fit_penalised
from labelfree.fitting.refine import Decoded, _retrain, read, refine, repeat_rounds
from labelfree.models import Table
from labelfree.progress import History, observed_by

from ..english import english
from ..solvers.substitution import substitution


@pytest.fixture(scope="module")
def symbols():
    return substitution(n_symbols=4, n_positions=400)


@pytest.fixture(scope="module")
def noisy():
    return english(n_positions=8_000, noise=0.7)


@pytest.fixture(scope="module")
def spoiled(noisy):
    return fit_penalised(noisy.problem(), noisy.soft_labels(0.3), "linear", 0.003, seed=0)


def rounds_with(scores: list[float], believed: list[bool], problem) -> tuple[int, tuple[float, ...], History]:
    """Rounds with these scores; which round's model comes back, the score list and what was told."""
    readings = iter(Decoded(np.ones((1, 1)), score, 0.0) for score in scores)
    verdicts = iter(SimpleNamespace(converged=verdict) for verdict in believed)

    def mark(_problem, model, _marginals, _l2):
        model.weight.data += 1.0

    given_model, history = Table(1, 4, 4), History()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelfree.fitting.refine.read", lambda *_, **__: next(readings))
        patch.setattr("labelfree.fitting.refine._retrain", mark)
        patch.setattr("labelfree.fitting.refine.diagnose", lambda *_: next(verdicts))
        with observed_by(history):
            best, disagreements = repeat_rounds(problem, given_model, len(scores) - 1, 0.5, 0.0)
    assert (given_model.weight == 0).all()
    return int(best.weight[0, 0, 0].item()), disagreements, history


@settings(max_examples=200)
@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), min_size=1, max_size=12), st.data())
def test_the_best_believed_round_is_kept_and_three_without_a_fall_are_the_last(symbols, scores, data):
    believed = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    kept, disagreements, history = rounds_with(scores, believed, symbols.problem())
    n = len(disagreements)
    assert disagreements[kept] == scores[kept] == min(disagreements)
    assert list(disagreements) == [
        score if i == 0 or believed[i - 1] else math.inf for i, score in enumerate(scores[:n])
    ]
    assert math.inf not in disagreements[:-1]
    lows = [i for i in range(n) if disagreements[i] < min([*disagreements[:i], math.inf])]
    assert n - 1 - lows[-1] <= 3
    is_stuck = disagreements[-1] == math.inf
    assert is_stuck or n - 1 - lows[-1] == 3 or n == len(scores)
    assert [record.step for record in history.records] == list(range(n))
    assert [record.best for record in history.records] == scores[:n]


def test_a_score_that_only_trickles_down_does_not_go_on_for_ever(symbols):
    scores = [0.5 * 0.999**i for i in range(20)]
    kept, disagreements, _ = rounds_with(scores, [True] * 20, symbols.problem())
    assert kept == 3
    assert len(disagreements) == 4


def test_the_language_model_counts_in_full_first_and_half_at_last(noisy, spoiled):
    weights = []

    def note(problem, model, *, lm_weight):
        weights.append(lm_weight)
        return read(problem, model, lm_weight=lm_weight)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelfree.fitting.refine.read", note)
        refine(noisy.problem(), spoiled, rounds=6, l2=0.003)
    assert weights[0] == 1.0
    assert weights[-1] == 0.5
    assert weights == sorted(weights, reverse=True)


def test_no_round_leaves_the_model_itself(noisy, spoiled):
    kept, disagreements = refine(noisy.problem(), spoiled, rounds=0)
    assert kept is spoiled
    assert len(disagreements) == 1


def test_a_spoiled_classifier_gets_better_and_the_given_one_stays_as_it_was(noisy, spoiled):
    before = [parameter.detach().clone() for parameter in spoiled.parameters()]
    error = noisy.error(spoiled)
    refined, disagreements = refine(noisy.problem(), spoiled, rounds=3, l2=0.003)
    assert 0.02 < error < 0.1
    assert noisy.error(refined) < 0.8 * error
    assert min(disagreements) < disagreements[0]
    assert read(noisy.problem(), refined, lm_weight=0.5).disagreement == pytest.approx(min(disagreements))
    for parameter, old in zip(spoiled.parameters(), before, strict=True):
        assert torch.equal(parameter, old)


def test_without_a_penalty_few_data_are_learned_by_heart_mistakes_included():
    task = english(n_positions=4_000, n_noise=200, noise=0.6)
    problem = task.problem()
    model = fit_penalised(problem, task.soft_labels(0.3), "linear", 0.003, seed=0)
    by_heart, falling = refine(problem, model, rounds=3, l2=1e-4)
    held, _ = refine(problem, model, rounds=3, l2=0.003)
    assert falling[-1] < 0.6 * falling[0]
    assert task.error(by_heart) > task.error(model)
    assert task.error(held) < 0.9 * task.error(model)


def test_a_table_takes_the_average_of_its_symbols_marginals(symbols):
    problem = symbols.problem()
    rng = np.random.default_rng(0)
    marginals = rng.dirichlet(np.ones(4), size=len(symbols.x))
    table = Table(1, 4, 4)
    _retrain(problem, table, torch.from_numpy(marginals), 0.0)
    found = table(problem.inputs)[0].exp().detach().numpy()
    for symbol in range(4):
        np.testing.assert_allclose(found[symbol], marginals[symbols.x == symbol].mean(0), atol=1e-6)


def test_a_symbol_that_never_stands_anywhere_keeps_its_row(symbols):
    part = symbols.problem().compressed(np.array([0, 1, 2, 4]), 5)  # group 3 is empty
    table = Table(1, 5, 4)
    table.weight.data[0, 3] = torch.tensor([0.0, 0.1, 0.0, 0.0])
    before = table.weight.detach().clone()
    _retrain(part, table, torch.tensor([[0.7, 0.1, 0.1, 0.1]] * len(symbols.x)), 0.0)
    assert torch.equal(table.weight[0, 3], before[0, 3])
    assert not torch.allclose(table.weight[0, 4], before[0, 4], atol=0.01)


def test_a_sure_and_right_classifier_is_read_as_it_is(symbols):
    table = Table(1, 4, 4)
    table.weight.data[0, torch.from_numpy(symbols.x), torch.from_numpy(symbols.y)] = 2.0
    right = read(symbols.problem(), table)
    np.testing.assert_array_equal(right.marginals.argmax(1), symbols.y)
    assert right.disagreement == 0
    table.weight.data = table.weight.data.roll(1, -1)  # sure and wrong
    assert right.information > read(symbols.problem(), table).information + 0.1
