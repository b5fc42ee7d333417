"""Utility: what a release still tells. One file per measure."""

from antifaz.core.registry import Registry
from antifaz.utility.classes import average_class_size, discernibility
from antifaz.utility.heights import height, precision
from antifaz.utility.ks import ks, ks_counts
from antifaz.utility.loss import Loss, loss
from antifaz.utility.ncp import gcp
from antifaz.utility.quality import Quality

BUILTIN: tuple[type[Quality], ...] = (Loss,)
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
    "Loss",
    "average_class_size",
    "discernibility",
    "gcp",
    "height",
    "ks",
    "ks_counts",
    "loss",
    "precision",
]
