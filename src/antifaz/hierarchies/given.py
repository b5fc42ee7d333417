"""A hierarchy that exists already, where a builder is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field

from antifaz.core.types import DataType
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy


class Given(HierarchyBuilder):
    """Hands over a hierarchy made in Python; not for project files, so in no registry."""

    name: ClassVar[str] = "given"
    summary: ClassVar[str] = "A hierarchy made before."
    primary: ClassVar[str] = "hierarchy"
    needs_data: ClassVar[bool] = False

    hierarchy: Hierarchy = Field(description="The hierarchy.")

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the hierarchy as it is, or with '*' on top."""
        return self.hierarchy.with_suppression() if self.suppression else self.hierarchy

    def parameters(self) -> dict[str, Any]:
        """Return the hierarchy as the rows of a table."""
        return {"suppression": self.suppression, "rows": [list(path) for path in self.hierarchy.paths()]}
