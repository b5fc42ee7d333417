"""Utility: what a release still tells. One file per measure."""

from antifaz.utility.classes import average_class_size, discernibility
from antifaz.utility.heights import height, precision
from antifaz.utility.ks import ks, ks_counts
from antifaz.utility.loss import attribute_losses, loss
from antifaz.utility.ncp import gcp

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
    "MEASURES",
    "attribute_losses",
    "average_class_size",
    "discernibility",
    "gcp",
    "height",
    "ks",
    "ks_counts",
    "loss",
    "precision",
]
