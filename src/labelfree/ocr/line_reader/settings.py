"""The tuned numbers of the line reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LineReaderSettings:
    """How a line reader is trained and how it reads.

    Attributes
    ----------
    channels : int
        Of the network's first convolution; every other layer is in proportion.
    dropout : float
        Share of the values that go unseen while training, before and after the recurrent layer.
    columns : int
        Columns of strips that a fresh network is trained on, each strip as often as it takes.
    warm : float
        Share of these columns, and of the learning rate, for a network that has been trained before.
    max_epochs : int
        Times that a strip is seen at most, however few there are.
    min_steps : int
        Batches of an epoch at least, smaller ones where strips are few.
    batch_columns : int
        Columns of strips in a batch.
    rate : float
        Learning rate at its highest.
    warm_up : float
        Share of all steps in which the rate rises; afterwards it falls.
    held_out : float
        Share of the strips that are not trained on but tell which epoch's network to keep.
    known_weight : float
        Strips read by the network that one read by a person outweighs.
    stretch : float
        Share by which a strip is made wider or narrower, and letters taller or lower, while training.
    slant : float
        Columns that a letter is made to lean for each row.
    shift : float
        Rows that a line is moved up or down.
    thicken : float
        Share of the way to strokes a pixel wider, or narrower, on all sides.
    noise : float
        Standard deviation of what is added to every pixel.
    beam : int
        Prefixes of a line that are kept at each frame, and symbols that a frame proposes at most.
    margin : float
        Nats behind the best at which a prefix is given up, or short of certainty at which a frame's symbol is.
    lm_weight : float
        Factor on the log-probabilities of the language model.
    rivals : int
        Symbols that each one read is weighed against when its confidence is told.
    cut_cost : float
        Ink that a cut between two symbols must save to be a column further from the middle between them.
    """

    channels: int = 16
    dropout: float = 0.2
    columns: int = 6_000_000
    warm: float = 0.3
    max_epochs: int = 30
    min_steps: int = 30
    batch_columns: int = 4_000
    rate: float = 8e-3
    warm_up: float = 0.15
    held_out: float = 0.08
    known_weight: float = 5.0
    stretch: float = 0.06
    slant: float = 0.12
    shift: float = 1.5
    thicken: float = 0.6
    noise: float = 0.06
    beam: int = 12
    margin: float = 7.0
    lm_weight: float = 0.3
    rivals: int = 4
    cut_cost: float = 0.15


DEFAULT = LineReaderSettings()
