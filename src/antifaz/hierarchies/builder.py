"""What every hierarchy builder declares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field

from antifaz.core.declaration import Declared
from antifaz.core.types import DataType
from antifaz.hierarchies.hierarchy import Hierarchy


class HierarchyBuilder(Declared):
    """Makes the hierarchy of one attribute, from what was declared or from the values in the data."""

    #: Whether the hierarchy is made from the values in the data; otherwise it is the same for any data.
    needs_data: ClassVar[bool]

    suppression: bool = Field(default=False, description="Put a level of '*' on top, above whatever is there.")

    @abstractmethod
    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the hierarchy; `values` are the distinct canonical values in the data, without missing."""

    def _made(self, rows: Sequence[Sequence[str]], kind: DataType, **options: Any) -> Hierarchy:
        """Return the hierarchy of these rows, with '*' on top where the person asked for it."""
        return Hierarchy.from_rows(rows, kind=kind, **{"suppression": self.suppression, **options})
