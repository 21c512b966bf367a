"""What turns an input into log-posteriors: a table, a linear classifier, a small network, a tile network."""

from labelfree.models.base import Classifier, Network
from labelfree.models.dense import MLP, Linear, Table
from labelfree.models.make import KINDS, ModelKind, make_model
from labelfree.models.scale import feature_scale
from labelfree.models.tile_cnn import TileCNN, tile_side

__all__ = [
    "KINDS",
    "MLP",
    "Classifier",
    "Linear",
    "ModelKind",
    "Network",
    "Table",
    "TileCNN",
    "feature_scale",
    "make_model",
    "tile_side",
]
