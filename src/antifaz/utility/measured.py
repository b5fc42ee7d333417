"""Every measure of a release that a method decided, by what kind of release it is."""

from __future__ import annotations

from typing import Any

from antifaz.counting.generalization import Generalization
from antifaz.counting.groups import Groups
from antifaz.counting.piecewise import Piecewise
from antifaz.utility import MEASURES
from antifaz.utility.groups import GROUP_MEASURES


def measured(table: Generalization | Groups | Piecewise) -> dict[str, Any]:
    """Measure what the release still tells, by what kind of release it is."""
    if isinstance(table, Piecewise):
        return table.measures
    if isinstance(table, Groups):
        # Some measures go by two names, and take long where there are many groups.
        found = {measure: measure(table) for measure in set(GROUP_MEASURES.values())}
        return {key: found[measure] for key, measure in GROUP_MEASURES.items()}
    return {key: measure(table) for key, measure in MEASURES.items()}
