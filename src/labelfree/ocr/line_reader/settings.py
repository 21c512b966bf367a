"""The tuned numbers of the line reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LineReaderSettings:
    """How a line reader is trained and how it reads."""

    channels: int = 16  # of the network's first convolution; every other layer is in proportion
    dropout: float = 0.2  # share of the values that go unseen while training, before and after the recurrent layer
    columns: int = 6_000_000  # columns of strips that a fresh network is trained on, each strip as often as it takes
    warm: float = 0.3  # share of these columns, and of the learning rate, for a network that has been trained before
    min_epochs: int = 4  # times that a strip is seen at least, however many there are
    max_epochs: int = 30  # times that a strip is seen at most, however few there are
    min_steps: int = 30  # batches of an epoch at least, smaller ones where strips are few
    batch_columns: int = 4_000  # columns of strips in a batch
    rate: float = 8e-3  # learning rate at its highest
    warm_up: float = 0.15  # share of all steps in which the rate rises; afterwards it falls
    held_out: float = 0.08  # share of the strips that are not trained on but tell which epoch's network to keep
    known_weight: float = 5.0  # strips read by the network that one read by a person outweighs
    variation: float = 0.06  # share by which a strip is widened or narrowed; it leans, moves and fades in proportion
    beam: int = 12  # prefixes of a line that are kept at each frame, and symbols that a frame proposes at most
    margin: float = 7.0  # nats behind the best at which a prefix, or a frame's symbol, is given up
    lm_weight: float = 0.3  # factor on the log-probabilities of the language model
    rivals: int = 4  # symbols that each one read is weighed against when its confidence is told
    cut_cost: float = 0.15  # ink that a cut must save to be a column further from the middle of two symbols


DEFAULT = LineReaderSettings()
