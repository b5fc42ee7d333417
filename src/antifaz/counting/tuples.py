"""What an engine counts: the distinct combinations of some columns' values, as read, and how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Tuples:
    """Distinct tuples in dictionary form: `values[c][codes[c][i]]` is column c of tuple i; None is missing."""

    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    codes: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """The number of records behind the tuples."""
        return int(self.counts.sum())
