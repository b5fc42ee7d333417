"""Tables of counts and sums as a release: rules that find sensitive cells, protections, and an auditor."""

from antifaz.core.registry import Registry
from antifaz.tabulation.cell_key import CellKeyNoise
from antifaz.tabulation.differential_privacy import GaussianNoise, LaplaceNoise
from antifaz.tabulation.protection import Protection
from antifaz.tabulation.rounding import CellRounding
from antifaz.tabulation.rule import SensitivityRule
from antifaz.tabulation.rules import Dominance, PPercent, Threshold
from antifaz.tabulation.suppression import CellSuppression

BUILTIN_RULES: tuple[type[SensitivityRule], ...] = (Threshold, Dominance, PPercent)
RULES: Registry[SensitivityRule] = Registry("sensitivity rule", BUILTIN_RULES, group="antifaz.rules")

BUILTIN: tuple[type[Protection], ...] = (CellSuppression, CellRounding, CellKeyNoise, LaplaceNoise, GaussianNoise)
PROTECTIONS: Registry[Protection] = Registry("protection", BUILTIN, group="antifaz.protections")

__all__ = [
    "BUILTIN", "BUILTIN_RULES", "PROTECTIONS", "RULES", "CellKeyNoise", "CellRounding", "CellSuppression", "Dominance",
    "GaussianNoise", "LaplaceNoise", "PPercent", "Protection", "SensitivityRule", "Threshold",
]  # fmt: skip
