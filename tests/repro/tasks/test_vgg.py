"""VGG19's features against its published layout and against convolutions by hand."""

import pickle

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from labelfree.errors import InputError
from labelfree.repro.tasks.vgg import HIDDEN, VGG19, features_of, load_vgg19, pictures_of

SMALL = {"channels": (2, 3, 2, 3, 2), "hidden": 5}
CONVOLUTIONS = {  # place in torchvision's `features`: channels in, channels out
    0: (3, 64), 2: (64, 64), 5: (64, 128), 7: (128, 128),
    10: (128, 256), 12: (256, 256), 14: (256, 256), 16: (256, 256),
    19: (256, 512), 21: (512, 512), 23: (512, 512), 25: (512, 512),
    28: (512, 512), 30: (512, 512), 32: (512, 512), 34: (512, 512),
}  # fmt: skip
HALVED_AFTER = (2, 7, 16, 25, 34)


@pytest.fixture
def state() -> dict[str, torch.Tensor]:
    """Random weights that neither die out nor blow up on the way."""
    draw = torch.Generator().manual_seed(3)
    shapes = {name: value.shape for name, value in VGG19(**SMALL).state_dict().items()}
    return {
        name: torch.randn(shape, generator=draw) * (2 / max(shape[1:].numel(), 1)) ** 0.5 if len(shape) > 1
        else 0.1 + 0.1 * torch.rand(shape, generator=draw)
        for name, shape in shapes.items()
    }  # fmt: skip


@pytest.fixture
def saved(state, tmp_path):
    path = tmp_path / "vgg.safetensors"
    save_file({**state, "classifier.6.weight": torch.ones(10, 5)}, path)
    return path


def some_tiles(n: int = 3) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (n, 16, 16), dtype=np.uint8)


def convolution(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(n, channels, rows, columns), 3 x 3, one pixel of zeros around."""
    rows, columns = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    total = np.zeros((len(x), len(weight), rows, columns))
    for i in range(3):
        for j in range(3):
            total += np.einsum("nchw,oc->nohw", padded[:, :, i : i + rows, j : j + columns], weight[:, :, i, j])
    return total + bias[:, None, None]


def by_hand(pictures: np.ndarray, state: dict[str, np.ndarray]) -> np.ndarray:
    x = pictures
    for place in CONVOLUTIONS:
        x = np.maximum(convolution(x, state[f"features.{place}.weight"], state[f"features.{place}.bias"]), 0)
        if place in HALVED_AFTER:
            x = np.maximum(
                np.maximum(x[..., ::2, ::2], x[..., 1::2, ::2]), np.maximum(x[..., ::2, 1::2], x[..., 1::2, 1::2])
            )
    x = x.reshape(len(x), -1)
    for place in (0, 3):
        x = np.maximum(x @ state[f"classifier.{place}.weight"].T + state[f"classifier.{place}.bias"], 0)
    return x


def test_full_size_has_the_names_and_shapes_of_torchvision():
    with torch.device("meta"):
        network = VGG19()
    wanted = {f"features.{at}.weight": (after, before, 3, 3) for at, (before, after) in CONVOLUTIONS.items()}
    wanted |= {f"features.{at}.bias": (after,) for at, (_, after) in CONVOLUTIONS.items()}
    wanted |= {"classifier.0.weight": (4096, 25088), "classifier.3.weight": (4096, 4096)}
    wanted |= {"classifier.0.bias": (4096,), "classifier.3.bias": (4096,)}
    assert {name: tuple(value.shape) for name, value in network.state_dict().items()} == wanted
    # 143,667,240 in all of VGG19, less its last layer's
    assert sum(value.numel() for value in network.parameters()) == 143_667_240 - 1000 * 4097
    assert network(torch.empty(2, 3, 224, 224, device="meta")).shape == (2, HIDDEN)


def test_one_convolution_equals_one_by_hand(saved, state):
    pictures = pictures_of(some_tiles(2))
    with torch.no_grad():
        found = load_vgg19(saved, **SMALL).features[0](pictures)
    wanted = convolution(
        pictures.double().numpy(), state["features.0.weight"].numpy(), state["features.0.bias"].numpy()
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_features_equal_the_whole_network_by_hand(saved, state):
    tiles = some_tiles()
    found = features_of(load_vgg19(saved, **SMALL), tiles)
    wanted = by_hand(
        pictures_of(tiles).double().numpy(), {name: value.double().numpy() for name, value in state.items()}
    )
    assert found.shape == (3, 5)
    assert found.dtype == np.float32
    assert np.ptp(wanted, axis=0).max() > 1e-3  # the tiles differ
    assert (wanted > 0).sum() > 5
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_pictures_are_large_grey_and_standardised():
    tiles = np.zeros((2, 16, 16), np.uint8)
    tiles[1] = 255
    paper, ink = pictures_of(tiles)
    assert paper.shape == (3, 224, 224)
    for channel, (mean, deviation) in enumerate([(0.485, 0.229), (0.456, 0.224), (0.406, 0.225)]):
        assert paper[channel].numpy() == pytest.approx((1 - mean) / deviation, abs=1e-5)
        assert ink[channel].numpy() == pytest.approx(-mean / deviation, abs=1e-5)


def test_batches_and_repeats_do_not_matter(saved):
    network = load_vgg19(saved, **SMALL)
    tiles = some_tiles(18)[[*range(18), 4, 4, 0]]  # more than a batch
    found = features_of(network, tiles)
    one_by_one = np.concatenate([features_of(network, tile[None]) for tile in tiles])
    np.testing.assert_allclose(found, one_by_one, rtol=1e-4, atol=1e-6)
    assert features_of(network, tiles[:0]).shape == (0, 5)


class Trap:
    def __reduce__(self):
        return print, ("sprung",)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 rubbish", bytes(range(256)), pickle.dumps(Trap())])
def test_rubbish_is_refused_and_never_run(tmp_path, capsys, content):
    path = tmp_path / "vgg.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"vgg.safetensors is no file of safetensors"):
        load_vgg19(path, **SMALL)
    assert "sprung" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features.34.bias": None}, "no tensor 'features.34.bias' found"),
        ({"features.5.weight": torch.zeros(1, 2)}, r"features.5.weight has shape \(1, 2\), \(3, 2, 3, 3\) wanted"),
        ({"features.0.bias": torch.tensor([0.0, torch.nan])}, "features.0.bias holds values that are no finite"),
        ({"features.0.bias": torch.tensor([1, 2])}, "features.0.bias holds values that are no finite"),
    ],
)
def test_other_tensors_are_refused_by_name(state, tmp_path, change, message):
    path = tmp_path / "vgg.safetensors"
    save_file({name: value for name, value in {**state, **change}.items() if value is not None}, path)
    with pytest.raises(InputError, match=message):
        load_vgg19(path, **SMALL)


def test_files_that_are_missing_or_pickled(tmp_path):
    with pytest.raises(InputError, match=r"none.safetensors is no file; name a file of VGG19's weights"):
        load_vgg19(tmp_path / "none.safetensors")
    torch.save({"features.0.bias": torch.zeros(2)}, tmp_path / "vgg.pth")
    with pytest.raises(InputError, match=r"vgg.pth is no file of safetensors; where you trust it"):
        load_vgg19(tmp_path / "vgg.pth")


def test_tiles_of_another_type_are_refused(saved):
    with pytest.raises(InputError, match=r"shape \(2, 16, 16\) and type float64"):
        features_of(load_vgg19(saved, **SMALL), np.zeros((2, 16, 16)))
