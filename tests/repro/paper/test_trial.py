"""Trials: errors as one counts them by hand, and labels that reach no method but the supervised one."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.fitting.auto import Auto
from labelfree.lm import NGramLM
from labelfree.models import Linear
from labelfree.ocr.glyphs.tiles import SIDE, Tiles
from labelfree.repro.paper.methods import (
    Budget,
    fit_em,
    fit_gradient,
    fit_majority,
    fit_ours,
    fit_supervised,
    gradient_methods,
)
from labelfree.repro.paper.trial import Part, Trial, print_trial, spelling_trial
from labelfree.repro.tasks.printed import PrintTask, TileSequences
from labelfree.repro.tasks.spelling import Sequences, SpellingTask
from labelfree.solvers import SGD, SPDG

from .trials import chain_trial, reader, right_reader, with_train_labels

METHODS = {
    "ours": lambda trial: fit_ours(trial, 0),
    "em": lambda trial: fit_em(trial, 0, Budget()),
    "majority": fit_majority,
    **{
        method.name: (
            lambda trial, method=method: fit_gradient(
                method.make(5e-3), trial, 0, Budget(20, 10_000, starts=2, feature_starts=2, feature_steps=20)
            )
        )
        for method in gradient_methods()
        if method.name
        in ("SPDG, log dual alone", "SPDG, paper's dual", "2016, weight 1", "SGD, batch 10", "full batch")
    },
}


def small_trial(order: int = 2) -> Trial:
    lm = NGramLM.from_text("abcab ca bcaab cab " * 20, Alphabet("abc"), order=order)
    train = Part(torch.tensor([0, 1, 2, 2, 1]), np.array([0, 1, 2, 2, 1]), np.array([3, 2]))
    test = Part(torch.tensor([0, 1, 2, 0, 1]), np.array([0, 2, 2, 1, 1]), np.array([3, 2]))
    return Trial(train, test, lm, order)


def other_labels(part: Part) -> Part:
    return replace(part, labels=(part.labels + 1) % 8)


def test_error_is_the_share_of_test_positions_read_wrongly():
    trial = small_trial()
    model = reader({0: 0, 1: 1, 2: 0}, 3, 3)  # reads 0 1 0 0 1 where 0 2 2 1 1 is true
    assert trial.read(model).tolist() == [0, 1, 0, 0, 1]
    assert trial.error(model) == 3 / 5


def test_error_over_features_is_that_of_the_start_asked_for():
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [2.0, 1.0]])
    part = Part(rows, np.array([0, 1, 2, 0]), np.array([4]))
    trial = Trial(part, part, NGramLM.from_text("abc" * 9, order=2))
    model = Linear(n_starts=2, n_inputs=2, n_classes=3)
    weights = np.array([[[1.0, 0.0, -1.0], [0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
    with torch.no_grad():
        model.weight.copy_(torch.from_numpy(weights))
        model.bias.zero_()
    for start in range(2):
        wanted = (rows.numpy() @ weights[start]).argmax(1)
        assert trial.read(model, start).tolist() == wanted.tolist()
        assert trial.error(model, start) == (wanted != part.labels).mean()
    assert trial.error(model, 0) == 0.0 < trial.error(model, 1)


@pytest.mark.parametrize("lm_weight", [0.5, 1.0])
def test_decoded_error_is_that_of_the_likeliest_of_all_readings(lm_weight):
    trial = small_trial()
    model = reader({}, 3, 3)
    with torch.no_grad():
        model.weight[0] = torch.tensor([[0.1, 0.0, 0.05], [0.0, 0.08, 0.1], [0.04, 0.0, 0.06]])
        posteriors = model(trial.problem.inputs)[0].exp().numpy().astype(np.float64)[trial.test.inputs.numpy()]
    prior = posteriors.mean(0)
    wrong, first = 0, 0
    for length in trial.test.lengths:
        rows, labels = posteriors[first : first + length], trial.test.labels[first : first + length]

        def score(reading, rows=rows):
            seen = sum(np.log(rows[i, c]) - lm_weight * np.log(prior[c]) for i, c in enumerate(reading))
            return seen + lm_weight * trial.lm.log_probabilities(np.array(reading)).sum()

        best = max(itertools.product(range(3), repeat=int(length)), key=score)
        wrong += int((np.array(best) != labels).sum())
        first += length
    assert trial.decoded_error(model, lm_weight=lm_weight) == wrong / 5


def test_a_longer_language_model_decodes_where_it_is_given():
    trial = small_trial()
    model = reader({}, 3, 3)  # knows nothing: what comes out is the language's own text
    bees = NGramLM.from_text("b" * 200 + "ac", Alphabet("abc"), order=1)
    assert replace(trial, decoder=bees).decoded_error(model) == 3 / 5


@pytest.mark.parametrize(("n", "lengths"), [(4, [3, 1]), (3, [3]), (5, [3, 2]), (99, [3, 2])])
def test_less_to_learn_from_ends_within_a_sequence_and_leaves_the_test_alone(n, lengths):
    trial = small_trial()
    less = trial.first(n)
    assert less.train.lengths.tolist() == lengths
    assert less.train.inputs.tolist() == trial.train.inputs.tolist()[:n]
    assert less.train.labels.tolist() == trial.train.labels.tolist()[:n]
    assert less.test is trial.test
    assert len(less.problem.positions) == min(n, 5)


def test_another_language_changes_what_is_matched_and_nothing_else():
    trial = small_trial()
    lm = NGramLM.from_text("cba" * 30, Alphabet("abc"), order=3)
    other = trial.with_language(lm, 3)
    assert (other.order, other.problem.order, other.problem.lm) == (3, 3, lm)
    assert other.train is trial.train
    assert replace(trial, decoder=lm).with_language(lm, 2).decoder is None
    assert trial.problem.order == 2


def test_a_symbol_that_only_the_test_holds_is_read_as_one_that_is_known():
    train = Sequences(np.array([0, 1, 1]), np.array([3, 4, 4]), np.array([3]))
    test = Sequences(np.array([0, 7]), np.array([3, 5]), np.array([2]))
    lm = NGramLM.from_text("abc" * 9, PAPER_ALPHABET, 2)
    trial = spelling_trial(SpellingTask(train, test, ()), lm)
    assert trial.test.inputs.tolist() == [0, 1]
    assert trial.error(reader({0: 3, 1: 4}, 2, 29)) == 0.5


def test_print_is_centred_and_scaled_by_what_is_learned_from():
    rng = np.random.default_rng(0)

    def part(n):
        tiles = Tiles(rng.integers(0, 256, (n, SIDE, SIDE), dtype=np.uint8), rng.random((n, 4)).astype(np.float32))
        return TileSequences(tiles, rng.integers(0, 29, n), np.array([n]))

    task = PrintTask(part(60), part(10), (), PAPER_ALPHABET)
    trial = print_trial(task, NGramLM.from_text("abc" * 9, PAPER_ALPHABET, 2), features="pixels")
    assert not trial.is_table
    assert trial.train.inputs.mean(0).abs().max() < 1e-4
    assert trial.train.inputs.square().sum(1).mean() == pytest.approx(200, rel=1e-4)
    assert trial.test.inputs.shape == (10, trial.train.inputs.shape[1])


@pytest.mark.parametrize("name", METHODS)
def test_no_label_reaches_a_method(name):
    trial = chain_trial(n_train=3_000 if name == "ours" else 500)
    shuffled = with_train_labels(trial, np.random.default_rng(0).permutation(trial.train.labels))
    fit, other = METHODS[name](trial), METHODS[name](replace(shuffled, test=other_labels(trial.test)))
    for field in ("kl", "steps", "symbols", "believed"):
        assert getattr(fit, field) == getattr(other, field)
    assert [look.kl for look in fit.looks] == [look.kl for look in other.looks]
    assert fit.error != other.error


def test_no_label_reaches_a_method_over_features():
    trial = chain_trial(n_train=800, as_features=True)
    shuffled = with_train_labels(trial, np.random.default_rng(0).permutation(trial.train.labels))
    models = [Auto(rounds=1).solve(each.problem, starts=3, seed=0).model for each in (trial, shuffled)]
    for one, other in zip(*(model.parameters() for model in models), strict=True):
        assert torch.equal(one, other)
    assert trial.error(models[0]) < 0.1


def test_the_supervised_yardstick_sees_them():
    trial = chain_trial(n_train=1_500)
    shuffled = with_train_labels(trial, np.random.default_rng(0).permutation(trial.train.labels))
    assert fit_supervised(trial).error == 0.0
    assert fit_supervised(shuffled).error > 0.3


def test_ours_solves_what_the_majority_guess_does_not():
    trial = chain_trial()
    ours, majority = fit_ours(trial, 0), fit_majority(trial)
    assert ours.error == trial.error(right_reader()) == 0.0
    assert ours.decoded == 0.0
    assert ours.believed
    assert ours.symbols == len(np.unique(trial.test.labels))
    commonest = int(np.argmax(np.asarray(trial.lm.joint(1))))
    assert majority.error == (trial.test.labels != commonest).mean() > 0.5
    assert majority.symbols == 1


def test_em_reads_groups_of_features():
    fit = fit_em(chain_trial(n_train=1_500, as_features=True), 0, Budget())
    assert fit.error < 0.9
    assert 1 <= fit.symbols <= 8


def test_a_gradient_method_is_watched_to_its_last_step_and_the_best_start_is_judged():
    trial = chain_trial(n_train=1_500)
    fit = fit_gradient(SPDG(batch_size=100), trial, 0, Budget(steps=60, positions=10**9, starts=3))
    steps = [look.step for look in fit.looks]
    assert steps == sorted(steps)
    assert (steps[-1], fit.steps) == (60, 60)
    assert (fit.looks[-1].kl, fit.looks[-1].error) == (fit.kl, fit.error)
    assert fit.looks[0].kl > fit.kl


@pytest.mark.parametrize(
    ("batch", "n", "wanted"),
    [(10, 10**6, 500), (1_000, 10**6, 100), (None, 2_000, 50), (None, 10**6, 20), (10**6, 5, 20)],
)
def test_a_budget_is_steps_and_positions_whichever_ends_first_and_never_nothing(batch, n, wanted):
    assert Budget(steps=500, positions=100_000).of(batch, n) == wanted


def test_a_budget_is_kept():
    trial = chain_trial(n_train=1_500)
    budget = Budget(steps=1_000, positions=45_000)
    assert fit_gradient(SGD(batch_size=None), trial, 0, budget).steps == 30
    assert fit_gradient(SGD(batch_size=1_500), trial, 0, budget).steps == 30
