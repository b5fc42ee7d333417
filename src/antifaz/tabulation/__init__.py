"""Tables of counts and sums as a release: rules that find sensitive cells, protections, and an auditor."""

from collections.abc import Mapping, Sequence
from typing import Any

from antifaz.core.registry import Registry
from antifaz.tabulation.cell_key import CellKeyNoise
from antifaz.tabulation.differential_privacy import GaussianNoise, LaplaceNoise
from antifaz.tabulation.protection import Protection
from antifaz.tabulation.rounding import CellRounding
from antifaz.tabulation.rules import Dominance, PPercent, SensitivityRule, Threshold
from antifaz.tabulation.suppression import CellSuppression

BUILTIN_RULES: tuple[type[SensitivityRule], ...] = (Threshold, Dominance, PPercent)
RULES: Registry[SensitivityRule] = Registry("sensitivity rule", BUILTIN_RULES, group="antifaz.rules")

BUILTIN: tuple[type[Protection], ...] = (CellSuppression, CellRounding, CellKeyNoise, LaplaceNoise, GaussianNoise)
PROTECTIONS: Registry[Protection] = Registry("protection", BUILTIN, group="antifaz.protections")

__all__ = [
    "BUILTIN", "BUILTIN_RULES", "PROTECTIONS", "RULES", "CellKeyNoise", "CellRounding", "CellSuppression", "Dominance",
    "GaussianNoise", "LaplaceNoise", "PPercent", "Protection", "SensitivityRule", "Threshold", "protection_of",
    "rules_of",
]  # fmt: skip


def rules_of(rules: Sequence[Mapping[str, Any]]) -> list[SensitivityRule]:
    """Return rules that are given as data: each by its name under `rule`, with its parameters."""
    return [RULES.make(str(rule.get("rule", "")), _without(rule, "rule")) for rule in rules]


def protection_of(settings: Mapping[str, Any] | None) -> Protection:
    """Return a protection that is given as data, by its name; suppression where none is."""
    asked = settings or {"name": CellSuppression.name}
    return PROTECTIONS.make(str(asked.get("name", "")), _without(asked, "name"))


def _without(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key != name}
