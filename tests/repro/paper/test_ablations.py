"""Ablations on small trials: what each table says against what can be counted apart from it."""

import itertools
from dataclasses import replace
from pydoc_data import topics

import numpy as np
import pytest
import torch

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.fitting.search import Rung
from labelfree.lm import NGramLM
from labelfree.repro.paper import amounts
from labelfree.repro.paper.ablations import FULL, QUICK, Sizes, ablations
from labelfree.repro.paper.amounts import amounts_of_data, divergence, language_quality, numbers_of_classes
from labelfree.repro.paper.folder import Folder
from labelfree.repro.paper.methods import Fit
from labelfree.repro.paper.starts import _rank_correlation, _share_in_order, agreement, batch_sizes, grouped
from labelfree.repro.tasks.english import sized_substitution
from labelfree.repro.tasks.spelling import segments_of, spelling_task

from .trials import chain_text, chain_trial

PNG = b"\x89PNG"
TINY = Sizes(
    batches=(50, None),
    rates=(5e-3,),
    batch_starts=3,
    batch_steps=60,
    tiles=(3_000,),
    other_tiles=3_000,
    text_sizes=(3_000,),
    uniform_shares=(),
    classes=(5,),
    class_characters=(5_000, 300),
    class_seeds=1,
    agreement_starts=3,
)


def silent(text: str) -> None:
    """Tell nobody."""


@pytest.fixture(scope="module")
def paragraphs():
    return [part for text in topics.topics.values() for part in text.split("\n\n")]


@pytest.fixture
def fits(monkeypatch):
    """Fits whose error is one over the positions to learn from, in place of real ones; returns their trials."""
    trials = []

    def ours(trial, seed):
        trials.append(trial)
        return Fit(1 / len(trial.train.labels), 0.1, 2.0 + seed, believed=seed == 0)

    monkeypatch.setattr(amounts, "fit_ours", ours)
    return trials


def test_every_ablation_gives_a_table_and_a_picture(tmp_path, paragraphs):
    trial = chain_trial()
    folder = Folder(tmp_path, "labelfree paper ablations", 0)
    text = chain_text(3_000, 8)
    results = list(ablations(trial, trial, text, paragraphs, tmp_path, sizes=TINY, tell=silent))
    assert [result.name.removeprefix("ablation-") for result in results] == [
        "batch",
        "data",
        "language",
        "classes",
        "agreement",
    ]
    for result in results:
        assert result.rows
        assert all(list(row) == list(result.rows[0]) for row in result.rows)
        assert result.pictures[0].parent == tmp_path
        assert result.pictures[0].read_bytes().startswith(PNG)
        assert folder.write(result).is_file()


def test_quick_is_less_of_everything():
    for name, quick in vars(QUICK).items():
        full = getattr(FULL, name)
        if isinstance(full, tuple):
            assert len(quick) <= len(full)
        else:
            assert quick <= full
    assert max(QUICK.tiles) < min(FULL.tiles)
    assert {10, 30, 100, 200, 500, 1_000, 5_000, None} == set(FULL.batches)
    assert (min(FULL.tiles), max(FULL.tiles)) == (5_000, 150_000)


def test_batches_of_every_size_and_rate_are_tried_and_solved_starts_counted(tmp_path):
    result = batch_sizes(
        chain_trial(), tmp_path, batches=(100, None), rates=(1e-6, 1e-2), starts=4, steps=300, tell=silent
    )
    assert [row["batch"] for row in result.rows] == [100, "all"]
    for row in result.rows:
        assert row["share solved, rate 1e-06"] == 0.0  # hardly moves
        assert row["share solved, rate 0.01"] in {0.0, 0.25, 0.5, 0.75, 1.0}
    assert result.rows[0]["share solved, rate 0.01"] > 0.0


def test_a_batch_ablation_sees_no_label(tmp_path):
    trial = chain_trial(n_train=1_000)
    other = replace(trial, train=replace(trial.train, labels=trial.train.labels[::-1].copy()))
    options = {"batches": (100,), "rates": (1e-2,), "starts": 3, "steps": 100, "tell": silent}
    name = "share solved, rate 0.01"
    rows = [batch_sizes(each, tmp_path, **options).rows[0][name] for each in (trial, other)]
    assert rows[0] == rows[1]


def test_each_amount_of_data_is_fitted_with_and_without_labels_and_what_is_too_much_left_out(fits, tmp_path):
    trial = chain_trial()
    result = amounts_of_data(trial, tmp_path, tiles=(100, 1_000, 50_000), seeds=2, tell=silent)
    assert [len(each.train.labels) for each in fits] == [100, 100, 1_000, 1_000]
    assert [row["tiles"] for row in result.rows] == [100, 1_000]
    assert [row["error"] for row in result.rows] == pytest.approx([0.01, 0.001])
    assert [row["supervised"] for row in result.rows] == [0.0, 0.0]
    assert result.rows[0]["ratio"] is None
    assert result.rows[0]["believed"] == "1/2"
    assert result.rows[0]["seconds"] == 2.5


def test_less_text_and_more_noise_are_further_from_the_truth(fits, tmp_path):
    trial = chain_trial()
    text = chain_text(30_000, 8)
    result = language_quality(
        {"chain": trial}, text, tmp_path, text_sizes=(50, 1_000, 10**9), uniform_shares=(0.2, 0.6), tell=silent
    )
    names = [row["language model"] for row in result.rows]
    assert names == [
        "50 characters",
        "1,000 characters",
        "30,000 characters",
        "30,000 characters, 20% uniform",
        "30,000 characters, 60% uniform",
    ]
    far, nearer, near, mixed, more_mixed = (row["kl to the truth"] for row in result.rows)
    assert far > nearer > near > 0
    assert near < mixed < more_mixed
    assert [each.lm.order for each in fits] == [2] * 5
    assert all(each.train is trial.train for each in fits)


def test_a_mixture_has_its_share_of_uniform_pairs(fits, tmp_path):
    language_quality(
        {"chain": chain_trial()}, chain_text(900, 8), tmp_path, text_sizes=(900,), uniform_shares=(1.0,), tell=silent
    )
    np.testing.assert_allclose(fits[-1].lm.joint(2), 1 / 64, atol=1e-9)


def test_divergence_is_the_sum_over_pairs():
    one = NGramLM.from_text("abacab" * 30, Alphabet("abc"), 2)
    other = NGramLM.from_text("abcabc" * 30, Alphabet("abc"), 2)
    p, q = one.joint(2), other.joint(2)
    wanted = sum(p[i, j] * np.log(p[i, j] / q[i, j]) for i, j in itertools.product(range(3), repeat=2))
    assert divergence(one, other) == pytest.approx(wanted)
    assert wanted > 0


def test_classes_are_counted_over_substitutions_of_their_own(fits, tmp_path, paragraphs):
    result = numbers_of_classes(paragraphs, tmp_path, classes=(6, 33), characters=(2_000, 300), seeds=2, tell=silent)
    assert [(row["classes"], row["solved"], row["believed"]) for row in result.rows] == [
        (6, "2/2", "1/2"),
        (33, "2/2", "1/2"),
    ]
    assert [len(each.lm.alphabet) for each in fits] == [6, 6, 33, 33]
    assert not torch.equal(fits[0].train.inputs, fits[1].train.inputs)


def test_merged_letters_keep_the_text_but_for_the_merging(paragraphs):
    sizes = {"train_characters": 3_000, "test_characters": 500}
    task = sized_substitution(paragraphs, 10, 4, **sizes)
    assert len(task.alphabet) == 10
    assert " " in task.alphabet
    assert "e" in task.alphabet
    assert set(np.unique(task.train.y)) == set(range(10))
    assert set("".join(task.in_domain)) == set(task.alphabet)
    whole, merged = sized_substitution(paragraphs, 29, 4, **sizes), task
    pairs = set(zip(whole.train.y.tolist(), merged.train.y.tolist(), strict=True))
    assert len(pairs) == len({letter for letter, _ in pairs})  # one class a letter


def test_twenty_nine_symbols_are_the_papers_own_task(paragraphs):
    sizes = {"train_characters": 3_000, "test_characters": 500}
    sized = sized_substitution(paragraphs, 29, 4, **sizes)
    paper = spelling_task(segments_of(paragraphs), 4, **sizes)
    texts = [task.alphabet.decode(task.train.y) + "|" + task.alphabet.decode(task.test.y) for task in (sized, paper)]
    assert texts[0] == texts[1]


def test_many_symbols_are_capitals_digits_and_marks_too(paragraphs):
    task = sized_substitution(paragraphs, 60, 0, train_characters=20_000, test_characters=2_000)
    symbols = set(task.alphabet)
    assert len(symbols) == 60
    assert {"T", "e", "1", "(", " "} <= symbols
    pairs = {*zip(task.train.x, task.train.y, strict=True), *zip(task.test.x, task.test.y, strict=True)}
    assert len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})
    assert task.train.lengths.sum() == 20_000
    assert min(map(len, task.in_domain)) > 100


@pytest.mark.parametrize(("n", "message"), [(1, "at least 2 wanted"), (5_000, "5000 wanted; give more text")])
def test_impossible_alphabets_are_refused(paragraphs, n, message):
    with pytest.raises(InputError, match=message):
        sized_substitution(paragraphs, n, 0)


def test_score_and_error_of_every_start_are_ranked(tmp_path):
    trials = {"symbols": chain_trial(), "points": chain_trial(n_train=1_000, as_features=True)}
    result = agreement(
        trials, tmp_path, starts=8, ladder=(Rung(60, 100, 0.5), Rung(40, 100, 0.5)), polish_steps=40, tell=silent
    )
    for row in result.rows:
        points = result.details[row["task"]]
        scores, errors = np.array(points["kl"]), np.array(points["error"])
        assert len(scores) == len(errors) == row["starts"] == 8  # none is dropped
        assert row["error of the lowest kl"] == errors[scores.argmin()]
        assert row["lowest error"] == errors.min()
        assert row["rank correlation"] == _rank_correlation(scores, errors)
        assert "after 60 steps" in row


def test_rank_correlation_by_hand():
    scores = np.array([0.1, 0.2, 0.3, 0.9])
    assert _rank_correlation(scores, np.array([0.0, 0.1, 0.5, 0.6])) == pytest.approx(1.0)
    assert _rank_correlation(scores, np.array([0.1, 0.0, 0.5, 0.6])) == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert _rank_correlation(scores, np.zeros(4)) is None


def test_pairs_in_order_by_hand():
    errors = np.array([0.0, 0.01, 0.8, 0.9])
    assert _share_in_order(np.array([0.1, 0.3, 0.2, 0.4]), errors) == 0.75
    assert _share_in_order(np.array([0.1, 0.2, 0.3, 0.4]), errors) == 1.0
    assert _share_in_order(np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(4)) is None


def test_points_are_grouped_alike_where_they_lie_together():
    trial = chain_trial(n_train=1_000, as_features=True)
    table = grouped(trial)
    assert table.is_table
    assert table.train.labels is trial.train.labels
    assert len(table.test.inputs) == len(trial.test.inputs)
    assert table.test.inputs.max() <= table.train.inputs.max()
    commonest = {
        int(group): np.bincount(table.train.labels[table.train.inputs.numpy() == group]).argmax()
        for group in table.train.inputs.unique()
    }
    read = np.array([commonest[int(group)] for group in table.test.inputs])
    assert (read != table.test.labels).mean() < 0.05
