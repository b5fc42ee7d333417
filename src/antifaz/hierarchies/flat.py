"""The smallest hierarchy: a value, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy


class Flat(HierarchyBuilder):
    """Generalizes every value to '*' in one step."""

    name: ClassVar[str] = "flat"
    summary: ClassVar[str] = "Each value as it is, or '*'."
    details: ClassVar[str] = "For attributes with few values and nothing between a value and all of them, such as sex."
    needs_data: ClassVar[bool] = True

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the values, sorted, each under '*'."""
        return self._made([(value, ANY) for value in sorted(set(values))], kind)
