"""Section 2.3: the Empirical-ODM cost seeks coverage, the 2016 cost seeks a mode."""

import itertools

import numpy as np
import pytest
import torch

from labelfree.core import (
    Target,
    Windows,
    expected_likelihood_cost,
    expected_ngrams,
    kl_divergence,
    merge_windows,
    odm_cost,
    subsequences,
)

EPSILONS = [10.0**-power for power in (1, 2, 4, 8, 16, 32, 64, 128, 256)]
GRAM = torch.tensor([[0, 1]])  # the pair whose probability goes to zero


def language(rare: float) -> tuple[Target, torch.Tensor]:
    """p_LM of pairs, and ln p_LM of the second given the first, where 1 follows 0 with probability ``rare``."""
    conditional = torch.tensor([[1 - rare, rare], [0.5, 0.5]], dtype=torch.float64)
    return Target(conditional / 2, n_classes=2), conditional.log()


def output(rare: float) -> torch.Tensor:
    """p_bar of a classifier that follows 0 with 1 at a rate that goes to zero with ``rare``; the rest stays."""
    first, second = torch.tensor([[0.5, 0.5], [1 - rare, rare]], dtype=torch.float64)
    apart = torch.tensor([[0.0, 1.0], [0.0, 1.0]], dtype=torch.float64)
    return expected_ngrams(torch.stack([first, second, *apart]), subsequences([2, 2], order=2))


def costs(p_bar: torch.Tensor, target: Target, log_conditional: torch.Tensor) -> dict[str, float]:
    """Both costs, and of each the term of the one N-gram, as the cost over a support of that N-gram alone."""
    cell = tuple(GRAM.T)
    alone = Target(target.probability[cell], n_classes=2, ids=GRAM)
    return {
        "J": odm_cost(p_bar, target).item(),
        "J term": odm_cost(p_bar[cell], alone).item(),
        "2016": expected_likelihood_cost(p_bar, log_conditional).item(),
        "2016 term": expected_likelihood_cost(p_bar[cell], log_conditional[cell]).item(),
    }


def column(rows: list[dict[str, float]], name: str) -> list[float]:
    return [row[name] for row in rows]


def test_saying_what_the_language_never_says_costs_the_2016_cost_everything_and_odm_nothing():
    p_bar = output(0.5)
    rows = [costs(p_bar, *language(epsilon)) for epsilon in EPSILONS]
    assert column(rows, "2016") == sorted(column(rows, "2016"))
    assert rows[-1]["2016"] > 50
    assert column(rows, "J term") == sorted(column(rows, "J term"), reverse=True)
    assert 0 < rows[-1]["J term"] < 1e-200
    limit = costs(p_bar, *language(0.0))
    assert limit["2016"] == limit["2016 term"] == np.inf
    assert limit["J term"] == 0
    assert rows[-1]["J"] == pytest.approx(limit["J"])
    assert np.isfinite(limit["J"])


def test_never_saying_what_the_language_says_costs_odm_everything_and_the_2016_cost_nothing():
    target, log_conditional = language(0.3)
    whole = odm_cost(output(0.3), target).item()
    rows = [costs(output(epsilon), target, log_conditional) for epsilon in EPSILONS]
    assert column(rows, "2016 term") == sorted(column(rows, "2016 term"), reverse=True)
    assert 0 < rows[-1]["2016 term"] < 1e-200
    assert column(rows, "J term") == sorted(column(rows, "J term"))
    assert rows[-1]["J"] > whole + 50
    limit = costs(output(0.0), target, log_conditional)
    assert limit["2016 term"] == 0
    assert limit["J"] == limit["J term"] == np.inf
    assert rows[-1]["2016"] == pytest.approx(limit["2016"])
    assert np.isfinite(limit["2016"])


@pytest.fixture(scope="module")
def cipher() -> tuple[Windows, Target, torch.Tensor]:
    """A text over three symbols as its own language: merged windows, p_LM and ln p_LM of a symbol given the last."""
    chain = np.array([[0.70, 0.20, 0.10], [0.30, 0.10, 0.60], [0.65, 0.30, 0.05]])
    rng = np.random.default_rng(0)
    text = [0]
    for _ in range(600):
        text.append(rng.choice(3, p=chain[text[-1]]))
    windows = merge_windows(subsequences([len(text)], order=2), text, n_groups=3)
    joint = expected_ngrams(torch.eye(3, dtype=torch.float64), windows)
    return windows, Target(joint, n_classes=3), (joint / joint.sum(1, keepdim=True)).log()


def readings(doubt: float = 0.0) -> dict[tuple[int, ...], torch.Tensor]:
    """All 27 ways to read three signs as three symbols, each held with a little doubt."""
    soft = (1 - doubt) * torch.eye(3, dtype=torch.float64) + doubt / 3
    return {key: soft[list(key)] for key in itertools.product(range(3), repeat=3)}


@pytest.mark.parametrize("doubt", [0.0, 1e-3])
def test_the_2016_cost_prefers_one_constant_symbol_where_odm_prefers_the_truth(cipher, doubt):
    windows, target, log_conditional = cipher
    truth, most_probable = (0, 1, 2), (0, 0, 0)
    p_bar = {key: expected_ngrams(reading, windows) for key, reading in readings(doubt).items()}
    likelihood = {key: expected_likelihood_cost(value, log_conditional).item() for key, value in p_bar.items()}
    odm = {key: odm_cost(value, target).item() for key, value in p_bar.items()}
    assert min(likelihood, key=likelihood.__getitem__) == most_probable
    assert likelihood[most_probable] < likelihood[truth] - 0.1
    assert min(odm, key=odm.__getitem__) == truth
    assert odm[most_probable] > odm[truth] + 1
    if doubt == 0:
        assert abs(kl_divergence(p_bar[truth], target).item()) < 1e-12
        assert odm[most_probable] == np.inf


def test_descent_on_the_2016_cost_collapses_where_descent_on_odm_keeps_every_symbol(cipher):
    windows, target, log_conditional = cipher
    starts = torch.randn(8, 3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def descend(cost) -> torch.Tensor:
        logits = starts.clone().requires_grad_()
        optimizer = torch.optim.Adam([logits], lr=0.3)
        for _ in range(100):
            optimizer.zero_grad()
            cost(expected_ngrams(torch.softmax(logits, -1), windows)).sum().backward()
            optimizer.step()
        share = windows.weight @ torch.softmax(logits.detach(), -1)[:, windows.rows[:, 0]]
        return share.amin(-1)  # how much of the output the rarest symbol has, a start

    wanted = target.probability.sum(1).min()
    assert (descend(lambda p_bar: expected_likelihood_cost(p_bar, log_conditional)) < wanted / 20).all()
    assert (descend(lambda p_bar: odm_cost(p_bar, target)) > wanted / 2).all()
