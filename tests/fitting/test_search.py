"""Many starts, thinned out by the label-free score."""

import itertools

import numpy as np
import pytest
import torch

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.fitting.search import search
from labelfree.lm import NGramLM
from labelfree.progress import History, observed_by
from labelfree.repro.tasks.spelling import spelling_task
from labelfree.solvers.ladder import Rung
from labelfree.solvers.problem import Problem

from ..solvers.substitution import substitution

LADDER = (Rung(120, 200, 1 / 2), Rung(100, 400, 1 / 4))


@pytest.fixture(scope="module")
def task():
    return substitution(n_symbols=8, n_positions=6_000)


@pytest.fixture(scope="module")
def solution(task):
    return solved(task)[0]


@pytest.fixture(scope="module")
def history(task):
    return solved(task)[1]


def solved(task):
    history = History()
    with observed_by(history):
        return search(task.problem(), starts=16, ladder=LADDER, polish_steps=150), history.records


def test_the_winner_reads_without_error(task, solution):
    assert task.error(solution) == 0


def test_every_start_has_a_score_and_the_winner_the_lowest(task, solution):
    assert len(solution.restarts) == 16
    assert solution.kl == min(solution.restarts)
    assert solution.kl == pytest.approx(float(task.problem().kl(solution.model)))


def test_the_best_half_goes_on_and_the_worst_keep_the_score_they_left_with(solution, history):
    first_rung = max((r for r in history if len(r.scores) == 16), key=lambda r: r.step)
    second_rung = max((r for r in history if r.stage == "spdg" and len(r.scores) == 8), key=lambda r: r.step)
    assert np.isin(sorted(first_rung.scores)[8:], solution.restarts).all()
    assert np.isin(sorted(second_rung.scores)[2:], solution.restarts).all()


def test_each_rung_keeps_its_share(history):
    alive = [n for n, _ in itertools.groupby(len(record.scores) for record in history)]
    assert alive == [16, 8, 2]


def test_steps_and_seconds_rise_within_each_stage(solution, history):
    for _, records in itertools.groupby(history, key=lambda record: record.stage):
        steps, seconds = zip(*((r.step, r.seconds) for r in records), strict=True)
        assert all(np.diff(steps) > 0)
        assert all(np.diff(seconds) >= 0)
    assert solution.n_steps == 120 + 100 + 150


def test_the_same_seed_finds_the_same_and_a_single_start_is_enough_to_run(task):
    problem = task.problem()
    one, again = (search(problem, starts=1, seed=5, ladder=LADDER[:1], polish_steps=10) for _ in range(2))
    assert one.restarts == again.restarts == (one.kl,)


def test_a_problem_over_features_grouped_first_is_solved(task):
    grouped = task.feature_problem(noise=0.1).compressed(task.x, 8)
    found = search(grouped, starts=16, ladder=LADDER, polish_steps=150)
    assert task.error(found) == 0


def test_the_papers_spelling_task_is_read_without_error(english_segments):

    task = spelling_task(english_segments, seed=0)
    lm = NGramLM.from_text(task.in_domain, PAPER_ALPHABET, order=2)
    solution = search(Problem.from_sequences(torch.from_numpy(task.train.x), task.train.lengths, lm, 2))
    read = solution.model(torch.from_numpy(task.test.x)).argmax(-1)[0].numpy()
    assert (read != task.test.y).mean() == 0
