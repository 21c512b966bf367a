"""Adam steps as torch's does, and a fit does not import the compiler that torch's brings."""

import subprocess
import sys

import pytest
import torch

from labelfree.solvers.adam import Adam


def descended(optimizer, parameter, set_rate):
    generator = torch.Generator().manual_seed(0)
    for step in range(7):
        parameter.grad = torch.randn(parameter.shape, generator=generator)
        set_rate(0.1 / (step + 1))
        optimizer.step()
    return parameter.detach().clone()


def test_steps_are_those_of_torch_bit_for_bit():
    ours, theirs = (torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_() for _ in range(2))
    mine, reference = Adam([ours], 0.1), torch.optim.Adam([theirs], lr=0.1)

    def set_reference(rate):
        reference.param_groups[0]["lr"] = rate

    def set_mine(rate):
        mine.rate = rate

    assert torch.equal(descended(mine, ours, set_mine), descended(reference, theirs, set_reference))


def test_what_is_remembered_of_a_start_goes_with_it_and_comes_back():
    parameter = torch.zeros(3, 2, requires_grad=True)
    optimizer = Adam([parameter], 0.1)
    parameter.grad = torch.arange(6.0).reshape(3, 2)
    optimizer.step()
    optimizer.keep(torch.tensor([2, 0]))
    kept = optimizer.state("it")
    assert kept["it.0.exp_avg"].tolist() == [pytest.approx([0.4, 0.5]), pytest.approx([0.0, 0.1])]
    other = Adam([torch.zeros(2, 2, requires_grad=True)], 0.1)
    other.restore("it", kept)
    assert all(torch.equal(value, kept[name]) for name, value in other.state("it").items())


def test_a_parameter_without_a_gradient_stays():
    still = torch.ones(2, requires_grad=True)
    optimizer = Adam([still], 0.1)
    optimizer.step()
    assert still.tolist() == [1.0, 1.0]
    assert optimizer.state("it") == {}


_FIT = """
import sys
import labelfree
heavy = {"torch", "sklearn", "scipy", "numba", "numpy", "matplotlib", "pandas", "lxml"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
import warnings; warnings.simplefilter("ignore")
reader = labelfree.SequenceClassifier(labelfree.NGramLM.from_text("abc" * 30, order=2), random_state=0)
import numpy as np
reader.fit(np.eye(3)[[0, 1, 2] * 30] + np.arange(90)[:, None] % 7 / 50)
unwanted = {"torch._dynamo", "torch._inductor", "sympy", "matplotlib", "distributed"} & set(sys.modules)
assert not unwanted, unwanted
"""


def test_importing_labelfree_is_light_and_a_fit_imports_no_compiler():
    found = subprocess.run([sys.executable, "-c", _FIT], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
