"""What the cells of a release say, in the form that attacks search: a stretch of a scale, or some categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.core.values import ANY, canonical
from antifaz.hierarchies.covers import cover
from antifaz.hierarchies.domain import OriginalDomain

#: What a cell is: some values; anything; missing in a person; blank in a release. Numbers of kernels/attacks.py.
SOME, ALL, MISSING, BLANK = 0, 1, 2, 3


@dataclass(frozen=True, kw_only=True, eq=False)
class CellMeanings:
    """What the codes of one side mean; on a scale the stretches come first, by their lower ends."""

    low: Floats
    high: Floats
    states: NDArray[np.int8]

    @property
    def size(self) -> int:
        """The number of codes."""
        return self.states.size


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """What the labels of a column say; of categories, the values that they cover, as offsets and a list."""

    cells: CellMeanings
    offsets: Ints
    members: Ints
    unknown: Flags


def read_labels(domain: OriginalDomain, labels: Sequence[str | None]) -> Labels:
    """Read the labels of one column; what nobody understands fits anything."""
    found = cover(domain, labels, np.zeros(len(labels), np.int64))
    blank = np.array([canonical(label) is None for label in labels], np.bool_)
    low, high = found.named_spans
    unknown = found.unknown & np.isnan(found.low)  # an interval where nobody is, is understood
    if domain.scale is None:
        # So is a code of which some signs are hidden.
        unknown &= np.array([label is None or ANY not in label for label in labels], np.bool_)
    states = np.where(blank, BLANK, np.where(unknown | found.anything, ALL, SOME)).astype(np.int8)
    some = states == SOME
    # What covers nobody is nowhere near anybody.
    low, high = (np.where(some, np.where(np.isnan(ends), np.inf, ends), np.nan) for ends in (low, high))
    held = (some & ~found.unknown)[found.owner] & (domain.scale is None)
    start, sizes = found.start[held], (found.stop - found.start)[held]
    members = np.repeat(start - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())
    many = np.bincount(found.owner[held], weights=sizes, minlength=len(labels)).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    return Labels(
        cells=CellMeanings(low=low, high=high, states=states), offsets=offsets, members=members.astype(np.int64),
        unknown=unknown,
    )  # fmt: skip


def are_words(labels: Sequence[str | None], domain: OriginalDomain, found: Labels) -> bool:
    """Whether labels that nobody had before stand for several values each, as words of a hierarchy do.

    Then they are fewer than the values that are not released as they were, and those are most of all. In a synthetic
    table, or one of other people, about as many values are new as old ones are gone.
    """
    values = domain.size - 1
    kept = len({label for label in map(canonical, labels) if label is not None} & domain.place.keys())
    return bool(2 * found.unknown.sum() <= values - kept and 2 * kept <= values)
