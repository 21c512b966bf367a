"""The tile network: its formula, its starts, what it reads a row as, and how print varies."""

import pytest
import torch
from torch.nn import functional

from labelfree.errors import InputError
from labelfree.models import TileCNN, make_model, tile_side
from labelfree.models.variation import vary_tiles

SIDE, MEASURES, CLASSES = 8, 3, 4
COLUMNS = SIDE * SIDE + MEASURES


def network(n_starts: int = 3, seed: int = 0) -> TileCNN:
    return make_model("cnn", n_starts, COLUMNS, CLASSES, noise=0.3, generator=torch.Generator().manual_seed(seed))


def rows(*shape: int) -> torch.Tensor:
    return torch.rand(*shape, COLUMNS, generator=torch.Generator().manual_seed(2))


def bars(n: int) -> torch.Tensor:
    """Pictures of one upright bar each, with three measures."""
    found = torch.zeros(n, COLUMNS)
    found[:, : SIDE * SIDE].reshape(n, SIDE, SIDE)[:, 1:7, 3:5] = 1.0
    found[:, SIDE * SIDE :] = torch.arange(3 * n).reshape(n, 3) / n
    return found


def test_a_network_is_its_formula():
    model, inputs = network(), rows(5)
    pictures = inputs[:, : SIDE * SIDE].reshape(5, 1, SIDE, SIDE)
    maps = functional.conv2d(pictures, model.weight_first[1], model.bias_first[1], padding=1).clamp_min(0)
    maps = functional.conv2d(
        functional.max_pool2d(maps, 2), model.weight_second[1], model.bias_second[1], padding=1
    ).clamp_min(0)
    seen = torch.cat([functional.max_pool2d(maps, 2).flatten(1), inputs[:, SIDE * SIDE :]], 1)
    hidden = (seen @ model.weight_in[1] + model.bias_in[1]).clamp_min(0)
    torch.testing.assert_close(model.scores(inputs)[1], hidden @ model.weight[1] + model.bias[1])


def test_inputs_of_its_own_for_each_start_are_read_as_shared_ones_are():
    model, inputs = network(), rows(3, 7)
    found = model(inputs)
    assert found.shape == (3, 7, CLASSES)
    for start in range(3):
        torch.testing.assert_close(found[start], model(inputs[start])[start])


def test_a_start_kept_alone_gives_what_it_gave_among_others():
    model, inputs = network(), rows(7)
    wanted = model(inputs)[[2, 0]].detach()
    model.keep(torch.tensor([2, 0]))
    torch.testing.assert_close(model(inputs), wanted)


@pytest.mark.parametrize("shape", [(9_000,), (2, 5_000)])
def test_many_rows_read_piece_by_piece_are_the_same(shape):
    model, inputs = network(2), rows(*shape)
    with torch.no_grad():
        found = model(inputs)
    torch.testing.assert_close(found, model(inputs).detach())


def test_every_weight_learns_and_is_penalised():
    model = network()
    model(rows(20))[..., 0].sum().backward()
    assert all(parameter.grad.abs().max() > 0 for parameter in model.parameters())
    weights = [parameter for name, parameter in model.named_parameters() if name.startswith("weight")]
    torch.testing.assert_close(model.squared_weights(), sum(weight.square().flatten(1).sum(1) for weight in weights))


def test_layers_keep_the_size_of_what_they_are_given():
    model = make_model("cnn", 1, 16 * 16, 5, generator=torch.Generator().manual_seed(0))
    for name in ("weight_first", "weight_second", "weight_in"):
        weight = getattr(model, name).detach()
        assert weight.square().mean() * model.fan_in(name) == pytest.approx(2.0, rel=0.4)
    assert torch.equal(model(torch.rand(2, 256)).exp().round(decimals=4), torch.full((1, 2, 5), 0.2))


def test_pictures_too_small_for_two_convolutions_are_refused():
    assert tile_side(8 * 8 + 16) == 8
    with pytest.raises(InputError, match="rows have 63 columns, at least 64 wanted"):
        tile_side(63)


def test_varied_print_differs_everywhere_and_stays_near():
    inputs = bars(50)
    found = network().varied(inputs, torch.Generator().manual_seed(0))
    assert found.shape == inputs.shape
    assert len(found.unique(dim=0)) == 50
    pictures = found[:, : SIDE * SIDE].reshape(50, SIDE, SIDE)
    assert pictures[:, 2:6, 3:5].mean() > 0.6
    assert pictures[:, :, [0, 7]].abs().mean() < 0.1
    assert (found[:, SIDE * SIDE :] - inputs[:, SIDE * SIDE :]).abs().max() < 0.5


def test_the_same_generator_varies_alike_and_the_given_rows_stay():
    inputs = bars(5)
    before = inputs.clone()
    one, two, other = (vary_tiles(inputs, SIDE, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert torch.equal(inputs, before)


def test_strokes_get_thicker_here_and_thinner_there_about_evenly():
    inputs = bars(400)
    found = vary_tiles(inputs, SIDE, torch.Generator().manual_seed(0))[:, : SIDE * SIDE].sum(1)
    ink = float(inputs[0, : SIDE * SIDE].sum())
    assert (found > 1.15 * ink).float().mean() > 0.15
    assert (found < 0.85 * ink).float().mean() > 0.15
