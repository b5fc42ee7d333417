"""Utility: what a release still tells. One file per family of measures."""

from antifaz.core.registry import Registry
from antifaz.utility.classes import Ambiguity, ClassSize, Discernibility, average_class_size, discernibility
from antifaz.utility.classification import Classification
from antifaz.utility.differences import Compared, Differences, differences
from antifaz.utility.entropy import Divergence, Entropy, NormalizedEntropy
from antifaz.utility.heights import Climb, LevelSum, height, precision
from antifaz.utility.il1 import il1, il1s, il1s_by_column
from antifaz.utility.ks import KolmogorovSmirnov, ks, ks_columns, ks_counts
from antifaz.utility.loss import Loss
from antifaz.utility.lost_detail import lost_detail
from antifaz.utility.measures import MEASURES, gcp, loss
from antifaz.utility.ncp import Penalty
from antifaz.utility.propensity import Propensity, propensity
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

__all__ = [
    "BUILTIN",
    "MEASURES",
    "QUALITIES",
    "Ambiguity",
    "ClassSize",
    "Classification",
    "Climb",
    "Compared",
    "Differences",
    "Discernibility",
    "Divergence",
    "Entropy",
    "KolmogorovSmirnov",
    "LevelSum",
    "Loss",
    "NormalizedEntropy",
    "Penalty",
    "Propensity",
    "Quality",
    "average_class_size",
    "differences",
    "discernibility",
    "gcp",
    "height",
    "il1",
    "il1s",
    "il1s_by_column",
    "ks",
    "ks_columns",
    "ks_counts",
    "loss",
    "lost_detail",
    "precision",
    "propensity",
]
