"""VGG19's 4096-wide layer as features of tiles: the second fully connected layer, after its ReLU.

The weights come from a file the user names, with the tensors named as in torchvision's ``vgg19``. One tile is twenty
thousand million multiplications, so tiles that look the same are computed once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn

from labelfree.errors import InputError

CHANNELS = (64, 128, 256, 512, 512)
HIDDEN = 4096
_CONVOLUTIONS = (2, 2, 4, 4, 4)  # before each halving
_INPUT_SIDE = 224
_LAST_SIDE = _INPUT_SIDE // 2 ** len(_CONVOLUTIONS)
_IMAGENET_MEAN = (0.485, 0.456, 0.406)
_IMAGENET_DEVIATION = (0.229, 0.224, 0.225)
_BATCH = 16


class VGG19(nn.Module):
    """The network up to its second fully connected layer, names of parameters as in torchvision.

    Parameters
    ----------
    channels : tuple of five int
        Of the convolutions before each halving.
    hidden : int
        Width of both fully connected layers.
    """

    def __init__(self, channels: tuple[int, ...] = CHANNELS, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.hidden = hidden
        layers: list[nn.Module] = []
        before = 3
        for n_convolutions, width in zip(_CONVOLUTIONS, channels, strict=True):
            for _ in range(n_convolutions):
                layers += [nn.Conv2d(before, width, 3, padding=1), nn.ReLU()]
                before = width
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(before * _LAST_SIDE**2, hidden), nn.ReLU(), nn.Dropout(), nn.Linear(hidden, hidden), nn.ReLU()
        )

    def forward(self, pictures: Tensor) -> Tensor:
        """From pictures (n, 3, 224, 224) to features (n, hidden)."""
        features: Tensor = self.classifier(self.features(pictures).flatten(1))
        return features


def vgg19_features(images: NDArray[np.uint8], weights: Path) -> NDArray[np.float32]:
    """Turn tiles into rows of 4096 features.

    Parameters
    ----------
    images : array of shape (n, side, side), uint8
        0 for paper, 255 for ink.
    weights : Path
        A file of safetensors. What ``torch.save`` wrote is refused: it may hold code.
    """
    return features_of(load_vgg19(weights), images)


def load_vgg19(path: Path, channels: tuple[int, ...] = CHANNELS, hidden: int = HIDDEN) -> VGG19:
    """Read the weights of a network, every name and shape checked; further tensors in the file are left aside."""
    with torch.device("meta"):
        network = VGG19(channels, hidden)
    found = _read_tensors(path)
    state = {}
    for name, parameter in network.state_dict().items():
        tensor = found.pop(name, None)
        if not isinstance(tensor, Tensor):
            raise InputError(
                f"{path}: no tensor {name!r} found; name a file of VGG19's weights in torchvision's layout"
            )
        if tensor.shape != parameter.shape:
            raise InputError(
                f"{path}: {name} has shape {tuple(tensor.shape)}, {tuple(parameter.shape)} wanted; "
                "name a file of VGG19's weights"
            )
        if not tensor.is_floating_point() or not tensor.isfinite().all():
            raise InputError(f"{path}: {name} holds values that are no finite fractions; fetch the file again")
        state[name] = tensor.to(torch.float32, copy=True)  # results depend on how a file's bytes lie in memory
    network.load_state_dict(state, assign=True)
    return network.requires_grad_(False).eval()


def features_of(network: VGG19, images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A row of features for each tile, paper white and ink black as in a photograph."""
    if images.ndim != 3 or images.dtype != np.uint8:
        raise InputError(
            f"tiles of shape {images.shape} and type {images.dtype} found, (n, side, side) of uint8 wanted"
        )
    distinct, where = np.unique(images, axis=0, return_inverse=True)
    rows = np.empty((len(distinct), network.hidden), np.float32)
    with torch.no_grad():
        for start in range(0, len(distinct), _BATCH):
            rows[start : start + _BATCH] = network(pictures_of(distinct[start : start + _BATCH])).numpy()
    return rows[where.reshape(-1)]


def pictures_of(images: NDArray[np.uint8]) -> Tensor:
    """Tiles as ImageNet's pictures: 224 x 224, three equal channels, less the mean colour, over its deviation."""
    white = 1 - torch.from_numpy(images).to(torch.float32)[:, None] / 255
    size = (_INPUT_SIDE, _INPUT_SIDE)
    large = nn.functional.interpolate(white, size=size, mode="bilinear", align_corners=False)
    mean, deviation = (torch.tensor(values).reshape(1, 3, 1, 1) for values in (_IMAGENET_MEAN, _IMAGENET_DEVIATION))
    return (large - mean) / deviation


def _read_tensors(path: Path) -> dict[str, Tensor]:
    if not path.is_file():
        raise InputError(f"{path} is no file; name a file of VGG19's weights")
    try:
        return load_file(path)
    except Exception:  # whatever is wrong with it
        raise InputError(
            f"{path} is no file of safetensors; where you trust it, "
            "write its state_dict with safetensors.torch.save_file"
        ) from None
