"""A page as somebody photographs it in an open book: turned, seen aslant, bent near the spine, in a shadow, as JPEG."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, map_coordinates

_TABLE = 0.12  # of the page's sides, that is seen of what it lies on
_PAPER, _INK = 222.0, 38.0  # grey levels in the best light
_NOISE = 4.0  # grey levels


@dataclass(frozen=True)
class Camera:
    """How a page is photographed.

    Attributes
    ----------
    turn : float
        Degrees.
    aslant : tuple of float
        By which the right and the lower edge are nearer than the left and the upper one, as shares.
    bend : float
        By which lines fall near the spine, as a share of the height.
    spine_left : bool
    shadow : float
        Share of the light that is missing where it is darkest.
    light_from : float
        Degrees.
    blur : float
        Deviation in pixels.
    quality : int
        Of the JPEG.
    """

    turn: float = 0.0
    aslant: tuple[float, float] = (0.0, 0.0)
    bend: float = 0.0
    spine_left: bool = True
    shadow: float = 0.0
    light_from: float = 0.0
    blur: float = 0.7
    quality: int = 45

    @classmethod
    def by_chance(cls, rng: np.random.Generator) -> Self:
        """A hand that is not quite still, on a sunny day."""
        return cls(
            turn=rng.uniform(-3, 3),
            aslant=(rng.uniform(-0.06, 0.06), rng.uniform(-0.06, 0.06)),
            bend=rng.uniform(0.005, 0.02),
            spine_left=bool(rng.random() < 0.5),
            shadow=rng.uniform(0.2, 0.5),
            light_from=rng.uniform(0, 360),
        )


def photograph(grey: NDArray[np.uint8], camera: Camera, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Photograph a page, 255 for paper, on a dark table.

    Examples
    --------
    >>> page = np.full((200, 150), 255, np.uint8)
    >>> page[90:110, 30:120] = 0
    >>> seen = photograph(page, Camera(shadow=0.4), np.random.default_rng(0))
    >>> seen.shape, bool(seen[124, 93] < 70), bool(seen[2, 2] < 80)
    ((248, 186), True, True)
    """
    height, width = grey.shape
    tall, wide = (round(side * (1 + 2 * _TABLE)) for side in grey.shape)
    down, across = np.meshgrid(np.linspace(-1, 1, tall), np.linspace(-1, 1, wide), indexing="ij")
    places = _places((down * tall / 2, across * wide / 2), (height, width), camera)
    paper = np.pad(grey / np.float32(255) * (_PAPER - _INK) + _INK, 1, constant_values=_INK)
    seen = map_coordinates(paper, [place + 1 for place in places], order=1, mode="nearest")
    seen = gaussian_filter(seen, camera.blur) * _light(down, across, camera) + rng.normal(0, _NOISE, seen.shape)
    return jpeg(np.clip(seen, 0, 255).astype(np.uint8), camera.quality)


def jpeg(grey: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """What is left of a picture that is kept as JPEG."""
    kept = BytesIO()
    Image.fromarray(grey).save(kept, "JPEG", quality=quality)
    return np.asarray(Image.open(kept))


def _places(
    at: tuple[NDArray[np.float64], NDArray[np.float64]], shape: tuple[int, int], camera: Camera
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where on the page each pixel of a photograph lies; pixels are counted from its middle."""
    y, x = at
    height, width = shape
    turn = np.deg2rad(camera.turn)
    x, y = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x
    nearer = 1 + camera.aslant[0] * x / width + camera.aslant[1] * y / height
    x, y = x / nearer, y / nearer
    from_spine = x / width + 0.5 if camera.spine_left else 0.5 - x / width
    y = y - camera.bend * height * np.exp(-np.clip(from_spine, 0, None) / 0.2)
    return y + height / 2, x + width / 2


def _light(down: NDArray[np.float64], across: NDArray[np.float64], camera: Camera) -> NDArray[np.float64]:
    """Less light away from where it comes from, and the edge of a shadow of the hand that holds the camera."""
    turn = np.deg2rad(camera.light_from)
    away = (np.cos(turn) * across + np.sin(turn) * down) / np.sqrt(2)
    hand = 1 / (1 + np.exp(-(away - 0.3) / 0.08))
    return np.asarray(1 - camera.shadow * (0.5 * (away + 1) / 2 + 0.5 * hand))
