"""A fit that is stopped anywhere and taken up again ends in the same bits as one that never stopped."""

import dataclasses
import warnings
from contextlib import nullcontext

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from labelfree import Alphabet, NGramLM, SequenceClassifier
from labelfree.errors import InputError
from labelfree.solvers import SPDG, Likelihood, Problem
from labelfree.solvers.method import initial_model
from labelfree.storage.checkpoint import Checkpoint, fingerprint


class StoppedError(Exception):
    pass


class Stopping(Checkpoint):
    """Pulls the plug after so many steps."""

    left = 0

    def stepped(self, run, remaining):
        super().stepped(run, remaining)
        self.left -= 1
        if self.left == 0:
            raise StoppedError


class Irregular(Stopping):
    """Writes now and then, so that a stop mostly falls between two writes."""

    draws = np.random.default_rng(5)

    def is_due(self):
        return self.draws.random() < 0.05


@dataclasses.dataclass
class Data:
    X: np.ndarray
    lengths: np.ndarray
    lm: NGramLM


@pytest.fixture(scope="module")
def symbols():
    rng = np.random.default_rng(0)
    steps = rng.dirichlet(np.full(6, 0.3), size=6).cumsum(axis=1)
    y = np.zeros(3000, dtype=np.int64)
    for t, draw in enumerate(rng.random(2999), start=1):
        y[t] = min(np.searchsorted(steps[y[t - 1]], draw), 5)
    text = "".join("abcdef"[i] for i in y)
    lm = NGramLM.from_text(text, Alphabet("abcdef"), order=3)
    return Data(rng.permutation(6)[y][:, None] + 10, np.full(60, 50), lm)


@pytest.fixture(scope="module")
def features(symbols):
    rng = np.random.default_rng(1)
    X = np.eye(6)[symbols.X[:, 0] - 10] + 0.2 * rng.normal(size=(3000, 6))
    return Data(X, symbols.lengths, symbols.lm)


def fitted(data, checkpoint=None, **settings):
    reader = SequenceClassifier(data.lm, n_init=3, random_state=7, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with checkpoint.keeping() if checkpoint else nullcontext():
            return reader.fit(data.X, lengths=data.lengths)


def checkpoint_of(data, path, *, kind=Irregular, every=60.0, **settings):
    options = {name: settings.pop(name) for name in ("resume",) if name in settings}
    stop_after = settings.pop("stop_after", 0)
    reader = SequenceClassifier(data.lm, n_init=3, random_state=7, **settings)
    checkpoint = kind.of_fit(reader, data.X, data.lengths, path, every=every, **options)
    checkpoint.left = stop_after
    return checkpoint


def fingers(reader):
    """All that a fit says of itself, but the time."""
    looks = [(record.stage, record.step, record.scores) for record in reader.history_]
    weights = {name: value.data for name, value in reader.classifier_.named_parameters()}
    return weights, (reader.kl_, reader.restarts_.tolist(), reader.n_iter_, reader.notes_, looks)


def assert_same(one, other):
    (weights, rest), (other_weights, other_rest) = fingers(one), fingers(other)
    assert rest == other_rest
    for name, tensor in weights.items():
        assert torch.equal(tensor, other_weights[name])


def stop_and_resume(data, path, stops, **settings):
    """Fit with the plug pulled after each number of steps in turn."""
    resume = False
    for steps in stops:
        checkpoint = checkpoint_of(data, path, resume=resume, stop_after=steps, **settings)
        with pytest.raises(StoppedError):
            fitted(data, checkpoint, **{k: v for k, v in settings.items() if k not in ("kind", "every")})
        resume = resume or path.exists()
    checkpoint = checkpoint_of(data, path, resume=resume, **settings)
    return fitted(data, checkpoint, **{k: v for k, v in settings.items() if k not in ("kind", "every")}), checkpoint


@pytest.fixture(scope="module")
def unstopped_symbols(symbols):
    return fitted(symbols, order=3)


@pytest.fixture(scope="module")
def unstopped_features(features):
    return fitted(features)


# The road of symbols at order 3: 400 + 300 + 300 steps of search, 200 of polish, then the curriculum.
@pytest.mark.parametrize("stops", [[400], [401], [1203], [731, 222], [30, 500, 60, 444]], ids=str)
def test_symbols_end_in_the_same_bits_wherever_the_fit_was_stopped(symbols, unstopped_symbols, tmp_path, stops):
    resumed, checkpoint = stop_and_resume(symbols, tmp_path / "fit", stops, order=3)
    assert checkpoint.steps_done > 0
    assert_same(unstopped_symbols, resumed)


@pytest.mark.parametrize(("stops", "kind"), [([650], Irregular), ([1201, 50], Irregular), ([1250], Stopping)], ids=str)
def test_features_end_in_the_same_bits_wherever_the_fit_was_stopped(
    features, unstopped_features, tmp_path, stops, kind
):
    resumed, checkpoint = stop_and_resume(features, tmp_path / "fit", stops, kind=kind)
    assert checkpoint.steps_done > 0
    assert_same(unstopped_features, resumed)


def test_a_state_written_at_every_step_loses_no_step(symbols, tmp_path):
    settings = {"kind": Stopping, "every": 0.0, "solver": "spdg", "max_iter": 90}
    resumed, checkpoint = stop_and_resume(symbols, tmp_path / "fit", [17, 31], **settings)
    assert checkpoint.steps_done == 48
    assert_same(fitted(symbols, solver="spdg", max_iter=90), resumed)


@pytest.mark.parametrize("solver", ["sgd", "full_batch", "likelihood", "spdg"])
@pytest.mark.parametrize("model", ["linear", "mlp"])
def test_every_gradient_method_can_be_stopped(features, tmp_path, solver, model):
    settings = {"solver": solver, "max_iter": 40, "model": model}
    resumed, _ = stop_and_resume(features, tmp_path / "fit", [23], kind=Stopping, every=0.0, **settings)
    assert_same(fitted(features, **settings), resumed)


@pytest.mark.parametrize(
    "method", [SPDG(dual="paper", rate=0.005, dual_rate=0.05), Likelihood(batch_size=50)], ids=repr
)
def test_a_run_goes_back_to_any_state_with_all_its_memory(symbols, method):
    problem = Problem.from_sequences(torch.from_numpy(symbols.X[:, 0] - 10), symbols.lengths, symbols.lm, 2)
    run = method.start(problem, initial_model(problem, None, 3, 0), 1)
    run.advance(20)
    run.keep(torch.tensor([2, 0]))
    state = {name: tensor.detach().clone() for name, tensor in run.state().items()}
    run.advance(15)
    other = method.start(problem, initial_model(problem, None, 3, 9), 8)
    other.restore(state)
    other.advance(15)
    assert torch.equal(run.model.weight, other.model.weight)


def test_a_finished_fit_resumes_to_itself_without_a_step(symbols, tmp_path):
    whole = fitted(symbols, checkpoint_of(symbols, tmp_path / "fit"))
    again = checkpoint_of(symbols, tmp_path / "fit", resume=True, stop_after=1)
    assert_same(whole, fitted(symbols, again))


def test_the_history_goes_on_in_time(symbols, tmp_path):
    resumed, _ = stop_and_resume(symbols, tmp_path / "fit", [900])
    seconds = [record.seconds for record in resumed.history_]
    assert seconds == sorted(seconds)


@pytest.mark.parametrize("change", ["data", "lengths", "language", "settings"])
def test_another_fit_is_not_resumed(symbols, tmp_path, change):
    fitted(symbols, checkpoint_of(symbols, tmp_path / "fit"))
    other, settings = dataclasses.replace(symbols), {}
    if change == "data":
        other.X = symbols.X[::-1].copy()
    elif change == "lengths":
        other.lengths = np.full(100, 30)
    elif change == "language":
        other.lm = NGramLM.from_text("abcdef" * 9, Alphabet("abcdef"), order=3)
    else:
        settings = {"order": 3}
    with pytest.raises(InputError, match=r"fit is of a fit with other data.*\(\w{8} found, \w{8} wanted\)"):
        checkpoint_of(other, tmp_path / "fit", resume=True, **settings)


def test_a_fit_without_a_seed_cannot_be_taken_up_and_says_so(symbols):
    with pytest.raises(InputError, match="random_state is None, a whole number wanted"):
        fingerprint(SequenceClassifier(symbols.lm), symbols.X, symbols.lengths)


def test_no_checkpoint_or_a_broken_one_is_named(symbols, tmp_path):
    path = tmp_path / "fit"
    with pytest.raises(InputError, match="fit is not there"):
        checkpoint_of(symbols, path, resume=True)
    fitted(symbols, checkpoint_of(symbols, path))
    content = path.read_bytes()
    for broken in (b"", content[:100], content[: len(content) // 2], b"\xff" * 500):
        path.write_bytes(broken)
        with pytest.raises(InputError, match="fit is no whole checkpoint"):
            checkpoint_of(symbols, path, resume=True)
    save_file({"a": torch.zeros(1)}, path)
    with pytest.raises(InputError, match="fit is no whole checkpoint"):
        checkpoint_of(symbols, path, resume=True)


def test_a_checkpoint_whose_stages_are_others_is_named(symbols, tmp_path):
    path = tmp_path / "fit"
    fitted(symbols, checkpoint_of(symbols, path))
    with safe_open(path, framework="pt") as file:
        about = file.metadata()
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    save_file(tensors, path, {"labelfree": about["labelfree"].replace('"steps": 400', '"steps": 401')})
    with pytest.raises(InputError, match="stage 0 is 401 steps of LogDualRun spdg, 400 of LogDualRun spdg wanted"):
        fitted(symbols, checkpoint_of(symbols, path, resume=True))
    del tensors["0/dual"]
    save_file(tensors, path, about)
    with pytest.raises(InputError, match="state of stage 0 does not fit"):
        fitted(symbols, checkpoint_of(symbols, path, resume=True))
