"""The whole road: symbols and features, what it notes, reproducibility, and awkward sizes."""

import numpy as np
import pytest
import torch

from labelfree.fitting import penalty
from labelfree.fitting.auto import Auto
from labelfree.fitting.compress import group_rows
from labelfree.progress import History, observed_by
from labelfree.solvers.problem import Problem
from labelfree.solvers.run import Companion, accompanied_by

from ..english import english
from ..solvers.substitution import substitution


class Lessons(Companion):
    """Notes the order, the kind of input and the steps of every run."""

    def __init__(self) -> None:
        self.lessons: list[tuple[int, bool, int]] = []

    def begin(self, run, steps):
        self.lessons.append((run.problem.order, run.problem.is_table, steps))
        return steps


@pytest.fixture(scope="module")
def cipher():
    return substitution(n_symbols=8, n_positions=6_000, seed=2)


@pytest.fixture(scope="module")
def print_():
    return english(n_positions=4_000, noise=0.4)


@pytest.fixture(scope="module")
def fitted(print_):
    lessons, history = Lessons(), History()
    with accompanied_by(lessons), observed_by(history):
        return Auto(rounds=2).solve(print_.problem(), starts=4, seed=1), lessons.lessons, history.records


@pytest.mark.parametrize("order", [2, 3])
def test_symbols_are_read_through_a_curriculum_of_orders(cipher, order):
    watch = Lessons()
    with accompanied_by(watch):
        found = Auto().solve(cipher.problem(order), starts=6, seed=2)
    assert cipher.error(found) == 0
    orders = [n for n, _, _ in watch.lessons]
    assert orders == sorted(orders)
    assert set(orders) == set(range(2, order + 1))
    assert found.n_steps == sum(steps for _, _, steps in watch.lessons)
    assert found.kl == pytest.approx(float(cipher.problem(order).kl(found.model)))
    assert len(found.restarts) == 6


def test_features_are_read_by_groups_first_and_the_real_classifier_after(print_, fitted):
    found, lessons, records = fitted
    assert print_.error(found.model) < 0.01
    kinds = [is_table for _, is_table, _ in lessons]
    assert kinds == sorted(kinds, reverse=True)
    assert set(kinds) == {True, False}
    assert found.kl == pytest.approx(float(print_.problem().kl(found.model)), rel=1e-4)
    assert found.n_steps == sum(steps for _, _, steps in lessons) - penalty._TRIAL_STEPS
    assert records[-1].stage == "refine"


def test_the_notes_say_what_was_chosen(print_, fitted):
    groups, strength, disagreement = fitted[0].notes
    assert groups == "48 groups of alike inputs"
    assert strength.startswith("l2 ")
    assert strength.endswith(", chosen on held-out sequences")
    assert disagreement.startswith("classifier and decoder disagree at ")
    told = Auto(n_groups=30, l2=0.01, rounds=0).solve(print_.problem(), starts=1)
    assert told.notes == ("30 groups of alike inputs", "l2 0.01")


def test_retraining_is_held_by_the_same_penalty(print_, monkeypatch):
    seen = []

    def watched(_problem, model, *, l2, **_):
        seen.append(l2)
        return model, (0.0,)

    monkeypatch.setattr("labelfree.fitting.auto.refine", watched)
    Auto(l2=0.02).solve(print_.problem(), starts=1)
    assert seen == [0.02]


def test_the_same_seed_gives_the_same_bits_over_features(print_, fitted):
    again = Auto(rounds=2).solve(print_.problem(), starts=4, seed=1)
    for name, parameter in fitted[0].model.named_parameters():
        assert torch.equal(parameter, again.model.get_parameter(name))
    assert again.restarts == fitted[0].restarts
    assert again.notes == fitted[0].notes


def test_the_same_seed_gives_the_same_bits_over_symbols_and_another_seed_others(cipher):
    first, again, other = (Auto().solve(cipher.problem(), starts=1, seed=seed) for seed in (5, 5, 6))
    assert torch.equal(first.model.weight, again.model.weight)
    assert first.restarts == again.restarts
    assert first.restarts != other.restarts


def test_one_long_sequence_is_enough(print_):
    whole = Problem.from_sequences(torch.from_numpy(print_.features), [len(print_.y)], print_.lm, 2)
    assert print_.error(Auto(l2=0.003, rounds=0).solve(whole, starts=4, seed=1).model) < 0.01


def test_sequences_shorter_than_the_order_are_read_too(print_):
    n = 4_000
    lengths = np.array([1, 2, 197] * (n // 200))
    problem = Problem.from_sequences(torch.from_numpy(print_.features[:n]), lengths, print_.lm, 3)
    found = Auto(rounds=0).solve(problem, starts=10, seed=1)
    read = found.model(problem.inputs)[0].argmax(-1).numpy()
    is_short = np.repeat(lengths < 3, lengths)
    assert (read != print_.y[:n])[is_short].mean() < 0.05
    assert (read != print_.y[:n]).mean() < 0.02


def test_fewer_rows_than_groups_are_grouped_one_by_one(print_):
    few = Problem.from_sequences(torch.from_numpy(print_.features[:60]), [60], print_.lm, 2)
    found = Auto(n_groups=100).solve(few, starts=2)
    assert found.notes[0] == "60 groups of equal inputs"
    assert torch.isfinite(found.model(few.inputs)).all()


def test_alike_rows_share_a_group_and_groups_count_from_zero_without_gaps(print_):
    groups = group_rows(print_.features, 24, seed=0)
    assert not groups.exact
    assert np.unique(groups.labels).tolist() == list(range(groups.n_groups))
    common = [np.bincount(print_.y[groups.labels == g]).max() for g in range(groups.n_groups)]
    assert sum(common) / len(print_.y) > 0.9
    exact = group_rows(np.eye(12)[print_.y], 24)
    assert exact.exact
    assert exact.n_groups == 12


def test_a_few_distinct_inputs_are_read_as_symbols_and_nothing_is_refined(cipher, monkeypatch):
    def never(*_, **__):
        raise AssertionError("nothing is left to learn")

    monkeypatch.setattr("labelfree.fitting.auto.choose_l2", never)
    monkeypatch.setattr("labelfree.fitting.auto.refine", never)
    rows = torch.from_numpy(np.random.default_rng(0).normal(size=(8, 12)).astype(np.float32))
    symbols = cipher.problem()
    problem = Problem.from_sequences(rows[torch.from_numpy(symbols.positions)], symbols.lengths, symbols.lm, 2)
    found = Auto().solve(problem, starts=6, seed=2)
    table = Auto().solve(symbols, starts=6, seed=2)
    assert found.notes == ("8 groups of equal inputs", "a linear classifier says the same of every group")
    assert torch.equal(found.model(rows)[0].argmax(-1), table.model(symbols.inputs)[0].argmax(-1))
    assert found.kl == pytest.approx(table.kl, abs=1e-3)


def test_distinct_inputs_that_no_linear_classifier_tells_apart_are_refined(cipher):
    symbols = cipher.problem()
    on_a_line = torch.arange(8.0)[:, None] ** 2  # one number each: linear scores order them
    problem = Problem.from_sequences(on_a_line[torch.from_numpy(symbols.positions)], symbols.lengths, symbols.lm, 2)
    found = Auto(l2=1e-4, rounds=1).solve(problem, starts=6, seed=2)
    assert found.notes[1] == "l2 0.0001"
