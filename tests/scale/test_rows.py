"""Features in files: the same rows, and the same fit, as in memory."""

import numpy as np
import pytest
import torch

from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.scale import rows as rows_module
from labelfree.scale.rows import Rows, ScaledRows, blocks, scaled

from ..english import english


@pytest.fixture
def parts():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(n, 3)).astype(np.float32) for n in (4, 1, 6)]


def test_rows_of_several_parts_are_those_of_one_array(parts):
    rows, whole = Rows(parts), np.concatenate(parts)
    assert rows.shape == whole.shape
    assert len(rows) == 11
    for first in range(12):
        for last in range(12):
            np.testing.assert_array_equal(rows[first:last], whole[first:last])
    numbers = np.array([10, 4, 0, 4, 3])
    np.testing.assert_array_equal(rows[numbers], whole[numbers])
    mask = np.arange(11) % 3 == 0
    np.testing.assert_array_equal(rows[mask], whole[mask])


def test_scaled_rows_are_those_of_a_tensor(parts):
    center, scale = np.array([1.0, 2.0, 3.0]), 0.5
    lazy, whole = ScaledRows(Rows(parts), center, scale), scaled(np.concatenate(parts), center, scale)
    assert lazy.shape == tuple(whole.shape)
    assert torch.equal(lazy[2:9], whole[2:9])
    numbers = torch.tensor([[1, 10], [4, 4]])
    assert torch.equal(lazy[numbers], whole[numbers])
    assert torch.equal(lazy.index_select(0, numbers[0]), whole[numbers[0]])
    assert torch.equal(lazy[torch.arange(11) % 2 == 0], whole[::2])


@pytest.fixture
def task():
    return english(n_positions=4_000, noise=0.4)


@pytest.fixture
def on_disk(task, tmp_path):
    np.save(tmp_path / "X.npy", task.features)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


def fitted(X, task, **settings):
    return SequenceClassifier(task.lm, n_init=3, random_state=1, **settings).fit(X, lengths=task.lengths)


@pytest.mark.filterwarnings("ignore:stuck:UserWarning")
@pytest.mark.parametrize("settings", [{"refine": 1}, {"solver": "spdg", "max_iter": 60}], ids=["auto", "spdg"])
def test_a_memory_map_is_fitted_as_an_array_in_memory_block_by_block(task, on_disk, monkeypatch, settings):
    monkeypatch.setattr(rows_module.blocks, "__defaults__", (1_000,))
    monkeypatch.setattr("labelfree.solvers.problem.BLOCK", 1_000)
    mapped, plain = fitted(on_disk, task, **settings), fitted(np.array(on_disk), task, **settings)
    for name, parameter in mapped.classifier_.named_parameters():
        assert torch.equal(parameter, plain.classifier_.get_parameter(name))
    assert mapped.kl_ == plain.kl_
    np.testing.assert_array_equal(mapped.predict(on_disk), plain.predict(np.array(on_disk)))


def test_the_blocks_of_a_survey_change_nothing(task, monkeypatch):
    problem = task.problem()
    model = fitted(task.features, task, refine=False, l2=0.01).classifier_
    whole = problem.survey(model)
    monkeypatch.setattr(rows_module.blocks, "__defaults__", (777,))
    monkeypatch.setattr("labelfree.solvers.problem.BLOCK", 777)
    for found, wanted in zip(problem.survey(model), whole, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-6)


def test_a_map_with_a_hole_in_it_is_refused(task, tmp_path):
    X = task.features.copy()
    X[3_999, 0] = np.nan
    np.save(tmp_path / "X.npy", X)
    with pytest.raises(InputError, match="X holds NaN or infinity in rows 0 to 4117, finite numbers wanted"):
        fitted(np.load(tmp_path / "X.npy", mmap_mode="r"), task)


def test_blocks_cover_all_rows_once():
    assert [i for block in blocks(10, 4) for i in range(10)[block]] == list(range(10))
    assert list(blocks(0)) == []
