"""A trained recogniser: what it makes of strips, and how it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.ctc import align, best_path, confidences, extents
from labelfree.ocr.line_reader.network import LineNetwork, n_frames
from labelfree.ocr.line_reader.prefix_beam_search import best_readings
from labelfree.ocr.line_reader.rescoring import Rescorer
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.ocr.line_reader.strips import Strip, alike, padded
from labelfree.workers import in_order

_N_BEST = 24  # readings of a strip that a rescorer chooses among
_BATCH_COLUMNS = 8_000
_SIZES = ("n_symbols", "channels", "hidden")
_MOST_UNITS = 4_096  # symbols, channels or hidden units that a kept network may claim


@dataclass(frozen=True, eq=False)
class StripReading:
    """What a strip says."""

    labels: NDArray[np.int64]  # numbers of the symbols from left to right
    confidence: NDArray[np.float64]  # how sure each is, from 0 to 1
    columns: NDArray[np.float64]  # where each begins and ends, of shape (n, 2), in pixels of the line


@dataclass(frozen=True, eq=False)
class Recogniser:
    """A network that reads strips of one book's type."""

    network: LineNetwork

    def __post_init__(self) -> None:
        self.network.eval()

    @property
    def n_symbols(self) -> int:
        """Symbols that it knows; in what it says, one more class stands for none."""
        return self.network.n_symbols

    def log_posteriors(self, strips: Sequence[Strip]) -> list[NDArray[np.float32]]:
        """Log-posteriors of shape (frames, n_symbols + 1) for each strip, whatever other strips are asked beside it."""
        found: list[NDArray[np.float32]] = [np.empty((0, self.n_symbols + 1), np.float32)] * len(strips)
        batches = list(alike(strips, _BATCH_COLUMNS))
        chosen = ([strips[i] for i in batch] for batch in batches)
        asked = in_order(partial(_log_posteriors, self.network), chosen, travels=True)
        for batch, rows in zip(batches, asked, strict=True):
            for i, frames in zip(batch.tolist(), rows, strict=True):
                found[i] = frames[: n_frames(strips[i].width)]
        return found

    def read(
        self,
        strips: Sequence[Strip],
        lm: NGramLM | None = None,
        *,
        rescorer: Rescorer | None = None,
        settings: LineReaderSettings = DEFAULT,
    ) -> list[StripReading]:
        """Read strips with a language model; without one the likeliest class of each frame is taken."""
        frames = self.log_posteriors(strips)
        if lm is None:
            labels = [best_path(line) for line in frames]
        elif rescorer is None:
            labels = [found[0].labels for found in best_readings(frames, lm, settings=settings)]
        else:
            labels = rescorer.choose(best_readings(frames, lm, _N_BEST, settings), lm)
        places = align(frames, labels)
        sure = confidences(frames, labels, places, lm, settings)
        columns = (extents(strip, place, settings.cut_cost) for strip, place in zip(strips, places, strict=True))
        return [StripReading(*line) for line in zip(labels, sure, columns, strict=True)]

    def state(self) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Tensors and settings, all that `from_state` needs."""
        net = self.network
        tensors = {name: tensor.numpy().astype(np.float32) for name, tensor in net.state_dict().items()}
        return tensors, {name: getattr(net, name) for name in (*_SIZES, "dropout")}

    @classmethod
    def from_state(cls, tensors: Mapping[str, NDArray[np.floating]], settings: Mapping[str, Any]) -> Recogniser:
        """Put together what `state` gave, checking every tensor against the settings."""
        sizes: dict[str, Any] = {name: settings.get(name) for name in _SIZES}
        for name, found in sizes.items():
            if not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= _MOST_UNITS:
                raise InputError(
                    f"recogniser: {name} is {found!r}, a whole number from 1 to {_MOST_UNITS} wanted; "
                    "learn the model again"
                )
        dropout = settings.get("dropout")
        if not isinstance(dropout, float) or not 0 <= dropout < 1:
            raise InputError(f"recogniser: dropout is {dropout!r}, a share below 1 wanted; learn the model again")
        with torch.device("meta"):
            network = LineNetwork(**sizes, dropout=dropout)
        wanted = network.state_dict()
        if set(wanted) != set(tensors):
            strange = min(set(wanted) ^ set(tensors))
            raise InputError(f"recogniser: tensor {strange!r} is missing or not one of its own; learn the model again")
        for name, tensor in wanted.items():
            if tensors[name].shape != tuple(tensor.shape):
                raise InputError(
                    f"recogniser: {name} has shape {tensors[name].shape}, {tuple(tensor.shape)} wanted; "
                    "learn the model again"
                )
            if not np.isfinite(tensors[name]).all():
                raise InputError(f"recogniser: {name} holds numbers that are not finite; learn the model again")
        network.to_empty(device="cpu")
        network.load_state_dict({name: torch.from_numpy(np.array(tensors[name])) for name in wanted})
        return cls(network)


def _log_posteriors(network: LineNetwork, strips: Sequence[Strip]) -> NDArray[np.float32]:
    """Of a batch of strips, side by side."""
    with torch.inference_mode():
        rows: NDArray[np.float32] = network(padded(strips)).numpy()
    return rows
