"""The hierarchy of one attribute: what each value generalizes to, level by level, up to one root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.hierarchies.rows import encode, line_namer


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """What each value of an attribute generalizes to. Missing is never a leaf: the caller decides about it.

    `levels[h]` holds the labels of level h: the leaves at 0, the one root at the end. `up[h][leaf]` is the position in
    `levels[h]` of the label that the leaf generalizes to. The same text may be a label of several levels.
    """

    levels: tuple[tuple[str, ...], ...]
    up: tuple[NDArray[np.int32], ...]

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Sequence[str]],
        *,
        kind: DataType = DataType.TEXT,
        suppression: bool = False,
        lines: Sequence[int] | None = None,
        word: str = "line",
    ) -> Hierarchy:
        """Make a hierarchy from one row per leaf: the leaf, its label at level 1, …, the root; or say what is wrong.

        `kind` is the type of the column: leaves of a numeric column are spelled as its values are. `suppression` puts
        a level of '*' on top, so the rows themselves need no common root. `lines` and `word` say how errors name a
        row: by default as 'line 1', 'line 2', ….
        """
        levels, up = encode(rows, kind, line_namer(lines, word))
        made = cls(levels, up)
        if suppression:
            made = made.with_suppression()
        if len(made.levels[-1]) != 1:
            raise HierarchyError(
                "hierarchy.no-single-root",
                values=made.levels[-1],
                levels=len(made.levels[-1]),
            )
        return made

    @property
    def height(self) -> int:
        """How many levels there are above the leaves."""
        return len(self.levels) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values that the hierarchy covers, in their order."""
        return self.levels[0]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {leaf: position for position, leaf in enumerate(self.leaves)}

    def index(self) -> dict[str, int]:
        """Return the position of each leaf (made once; not to be changed)."""
        return self._index

    def parents(self, h: int) -> NDArray[np.int32]:
        """Return for each label of level h the position of its parent in level h + 1."""
        self._require(h, self.height - 1)
        parents = np.empty(len(self.levels[h]), dtype=np.int32)
        parents[self.up[h]] = self.up[h + 1]
        return parents

    def leaf_counts(self, h: int) -> NDArray[np.int64]:
        """Return for each label of level h how many leaves lie under it."""
        self._require(h, self.height)
        return np.bincount(self.up[h], minlength=len(self.levels[h])).astype(np.int64)

    def label(self, value: str, h: int) -> str:
        """Return what a value generalizes to at level h."""
        self._require(h, self.height)
        position = self._index.get(value)
        if position is None:
            raise HierarchyError("hierarchy.value-not-a-leaf", values=(value,))
        return self.levels[h][int(self.up[h][position])]

    def paths(self) -> list[tuple[str, ...]]:
        """Return one row per leaf: the leaf, its label at level 1, …, the root (what `from_rows` takes)."""
        columns = [_named(labels, codes) for labels, codes in zip(self.levels, self.up, strict=True)]
        return list(zip(*columns, strict=True))

    def with_suppression(self) -> Hierarchy:
        """Return the hierarchy with a level of '*' on top, or itself when its root is '*' already."""
        if self.levels[-1] == (ANY,):
            return self
        top = np.zeros(len(self.leaves), dtype=np.int32)
        return Hierarchy((*self.levels, (ANY,)), (*self.up, top))

    def missing_from(self, values: Iterable[str]) -> tuple[str, ...]:
        """Return, sorted, those of the values that are not leaves."""
        return tuple(sorted(set(values) - self._index.keys()))

    def cover(self, values: Iterable[str], column: str) -> None:
        """Raise unless every value is a leaf; the error's `values` holds those that are not."""
        missing = self.missing_from(values)
        if missing:
            count = len(missing)
            raise HierarchyError("hierarchy.misses-values", values=missing, column=column, count=count)

    def _require(self, h: int, most: int) -> None:
        if not 0 <= h <= most:
            raise HierarchyError("hierarchy.no-such-level", level=h, most=most)


def _named(labels: tuple[str, ...], codes: NDArray[Any]) -> list[str]:
    return [labels[code] for code in codes.tolist()]
