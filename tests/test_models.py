"""Classifiers of many starts at once."""

import pytest
import torch

from labelfree.models import MLP, Linear, Table, make_model

KINDS = ["table", "linear", "mlp"]
kinds = pytest.mark.parametrize("kind", KINDS)


def random_model(kind, n_starts=3):
    model = make_model(kind, n_starts, 5, 4, noise=0.3, generator=torch.Generator().manual_seed(0))
    if kind != "table":
        with torch.no_grad():
            model.bias.copy_(torch.randn(model.bias.shape, generator=torch.Generator().manual_seed(1)))
    return model


def some_inputs(kind, *shape):
    generator = torch.Generator().manual_seed(2)
    return (
        torch.randint(5, shape, generator=generator) if kind == "table" else torch.randn(*shape, 5, generator=generator)
    )


@kinds
def test_log_posteriors_of_every_start_input_and_class_sum_to_one(kind):
    found = random_model(kind)(some_inputs(kind, 7))
    assert found.shape == (3, 7, 4)
    torch.testing.assert_close(found.exp().sum(-1), torch.ones(3, 7))


@kinds
def test_sizes_are_told(kind):
    model = random_model(kind)
    assert (model.n_starts, model.n_classes) == (3, 4)


@kinds
def test_a_start_among_others_gives_what_it_gives_alone(kind):
    inputs, together = some_inputs(kind, 7), random_model(kind)
    for start in range(3):
        alone = random_model(kind)
        alone.keep(torch.tensor([start]))
        torch.testing.assert_close(alone(inputs)[0], together(inputs)[start])


@kinds
def test_inputs_of_its_own_for_each_start_are_read_as_shared_ones_are(kind):
    model, inputs = random_model(kind), some_inputs(kind, 3, 7)
    found = model(inputs)
    for start in range(3):
        torch.testing.assert_close(found[start], model(inputs[start])[start])


@kinds
def test_gamma_sharpens(kind):
    model, inputs = random_model(kind), some_inputs(kind, 7)
    scores = model.scores(inputs)
    for gamma in (1.0, 2.5):
        model.gamma = gamma
        torch.testing.assert_close(model(inputs), torch.log_softmax(gamma * scores, -1))


def test_a_linear_classifier_is_its_formula():
    model, inputs = random_model("linear"), some_inputs("linear", 7)
    torch.testing.assert_close(model.scores(inputs)[1], inputs @ model.weight[1] + model.bias[1])


def test_a_network_is_its_formula():
    model, inputs = random_model("mlp"), some_inputs("mlp", 7)
    hidden = (inputs @ model.weight_in[1] + model.bias_in[1]).clamp_min(0)
    torch.testing.assert_close(model.scores(inputs)[1], hidden @ model.weight[1] + model.bias[1])


@kinds
def test_keeping_starts_keeps_their_order_and_drops_gradients(kind):
    model, inputs = random_model(kind), some_inputs(kind, 7)
    wanted = model(inputs)[[2, 0]].detach()
    model(inputs).sum().backward()
    model.keep(torch.tensor([2, 0]))
    torch.testing.assert_close(model(inputs), wanted)
    assert all(parameter.grad is None for parameter in model.parameters())
    model(inputs).square().sum().backward()
    assert all(parameter.grad.shape[0] == 2 for parameter in model.parameters())


def test_squared_weights_leave_out_biases_and_count_gamma():
    linear = random_model("linear")
    linear.gamma = 3.0
    torch.testing.assert_close(linear.squared_weights(), 9 * linear.weight.square().sum((1, 2)))
    network = random_model("mlp")
    both = network.weight_in.square().sum((1, 2)) + network.weight.square().sum((1, 2))
    torch.testing.assert_close(network.squared_weights(), both)
    assert random_model("table").squared_weights().tolist() == [0.0, 0.0, 0.0]


@kinds
def test_without_noise_the_output_is_uniform_and_with_noise_starts_differ(kind):
    inputs = some_inputs(kind, 7)
    plain = make_model(kind, 2, 5, 4)(inputs).exp()
    torch.testing.assert_close(plain, torch.full_like(plain, 0.25))
    noisy = make_model(kind, 2, 5, 4, noise=0.1)(inputs)
    assert (noisy[0] - noisy[1]).abs().max() > 0.01


@kinds
def test_the_same_generator_gives_the_same_model(kind):
    one, two, other = (
        make_model(kind, 2, 5, 4, noise=0.1, generator=torch.Generator().manual_seed(seed)) for seed in (0, 0, 1)
    )
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one.weight, other.weight)


def test_kinds_are_their_classes():
    assert [type(make_model(kind, 1, 2, 3)) for kind in KINDS] == [Table, Linear, MLP]
