"""Utility: what a release still tells. One file per family of measures."""

from antifaz.core.registry import Registry
from antifaz.utility.classes import Ambiguity, ClassSize, Discernibility, average_class_size, discernibility
from antifaz.utility.classification import Classification
from antifaz.utility.entropy import Divergence, Entropy, NormalizedEntropy
from antifaz.utility.heights import Climb, LevelSum, height, precision
from antifaz.utility.ks import ks, ks_counts
from antifaz.utility.loss import Loss, loss
from antifaz.utility.ncp import Penalty, gcp
from antifaz.utility.quality import Quality

BUILTIN: tuple[type[Quality], ...] = (
    Loss,
    LevelSum,
    Climb,
    Discernibility,
    ClassSize,
    Entropy,
    NormalizedEntropy,
    Ambiguity,
    Divergence,
    Penalty,
    Classification,
)
QUALITIES: Registry[Quality] = Registry("quality model", BUILTIN, group="antifaz.qualities")

#: What evidence says of every full-domain release, by name.
MEASURES = {
    "loss": loss,
    "gcp": gcp,
    "height": height,
    "precision": precision,
    "discernibility": discernibility,
    "average_class_size": average_class_size,
    "ks": ks,
}

__all__ = [
    "BUILTIN",
    "MEASURES",
    "QUALITIES",
    "Ambiguity",
    "ClassSize",
    "Classification",
    "Climb",
    "Discernibility",
    "Divergence",
    "Entropy",
    "LevelSum",
    "Loss",
    "NormalizedEntropy",
    "Penalty",
    "Quality",
    "average_class_size",
    "discernibility",
    "gcp",
    "height",
    "ks",
    "ks_counts",
    "loss",
    "precision",
]
