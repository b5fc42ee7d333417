"""What every hierarchy builder declares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.declaration import Declared
from antifaz.core.types import DataType
from antifaz.hierarchies.hierarchy import Hierarchy


class HierarchyBuilder(Declared):
    """Makes the hierarchy of one attribute, from what was declared or from the values in the data."""

    #: Whether the hierarchy is made from the values in the data; otherwise it is the same for any data.
    needs_data: ClassVar[bool]
    #: Whether it is made from how often each value occurs with each sensitive one: then only `learn` makes it.
    needs_target: ClassVar[bool] = False

    suppression: bool = Field(default=False, description="Put a level of '*' on top, above whatever is there.")

    @abstractmethod
    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the hierarchy; `values` are the distinct canonical values in the data, without missing."""

    def learn(self, values: Sequence[str], kind: DataType, counts: NDArray[np.int64]) -> Hierarchy:
        """Return the hierarchy; `counts[i, s]` says how often `values[i]` occurs with the sensitive value s."""
        return self.build(values, kind)

    def targets(self) -> tuple[str, ...]:
        """The attributes whose values the columns of `counts` are, taken together; none named: all sensitive ones."""
        return ()

    def _made(self, rows: Sequence[Sequence[str]], kind: DataType, **options: Any) -> Hierarchy:
        """Return the hierarchy of these rows, with '*' on top where the person asked for it."""
        return Hierarchy.from_rows(rows, kind=kind, **{"suppression": self.suppression, **options})
