"""The tuned numbers of the line reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LineReaderSettings:
    """How a line reader is trained and how it reads.

    Attributes
    ----------
    channels : int
        Of the first convolution; later ones have more.
    hidden : int
        Of the recurrent layer, in each direction.
    dropout : float
        Share of the values that go unseen while training, before and after the recurrent layer.
    columns, warm_columns : int
        Of strips to train on in all, from a fresh network and from a trained one.
    epochs : (int, int)
        At least and at most.
    patience : int
        Epochs without a lower loss on the strips held out.
    batch_columns : int
        Of strips that make one step, at most.
    least_steps : int
        Of an epoch, where strips are few.
    rate, warm_rate : float
        The highest step size, from a fresh network and from a trained one.
    rise : float
        Share of all steps in which the rate rises.
    decay : float
        Of the weights.
    longest_step : float
        Norm at which gradients are clipped.
    known_weight : float
        Strips read by the network that one read by a person outweighs.
    stretch : float
        Share of the width, and of the height, that a strip is varied by.
    slant : float
        Columns to a row.
    shift : float
        Rows up or down.
    thicken : float
        Share of the way to the next thicker or thinner stroke.
    fade : float
        Share of the ink that may be missing.
    noise : float
        Of every pixel, where ink is 1.
    beam : int
        Beginnings of a line that are followed.
    lm_weight : float
        Of the language model against the network.
    margin : float
        Nats behind the best beginning at which one is given up.
    """

    channels: int = 16
    hidden: int = 96
    dropout: float = 0.2
    columns: int = 6_000_000
    warm_columns: int = 2_500_000
    epochs: tuple[int, int] = (4, 30)
    patience: int = 4
    batch_columns: int = 4_000
    least_steps: int = 30
    rate: float = 8e-3
    warm_rate: float = 2e-3
    rise: float = 0.15
    decay: float = 1e-2
    longest_step: float = 5.0
    known_weight: float = 5.0
    stretch: float = 0.06
    slant: float = 0.12
    shift: float = 1.5
    thicken: float = 0.6
    fade: float = 0.25
    noise: float = 0.06
    beam: int = 12
    lm_weight: float = 0.3
    margin: float = 14.0


DEFAULT = LineReaderSettings()
