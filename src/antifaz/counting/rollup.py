"""Ladders, and rolling up: counting a generalization from the smallest one below it that was counted before."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.counting.frequencies import KeyLayout, slots_for

Levels = tuple[int, ...]

#: How many keys are remembered in all, 16 bytes each for keys of one word. Beyond that the oldest are forgotten.
REMEMBERED = 8_000_000

#: A neighbour with fewer keys than this is taken without looking further; so is any once this many were counted.
_SMALL, _MANY = 300, 1500
#: The size noted for a table that is no longer there: larger than any.
_FORGOTTEN = int(np.iinfo(np.int64).max)
_ZERO = np.zeros(1, np.int64)

#: For the fields that rise: word, shift, mask, where its table starts, and the tables of new codes.
_Steps = tuple[Ints, NDArray[np.uint64], NDArray[np.uint64], Ints, NDArray[np.uint64]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Ladder:
    """What each code of a column becomes, level by level.

    `labels[h]` are the labels that occur at level h (None is missing); `up[h][code]` is the position in `labels[h]` of
    what the base code becomes; `shares[h]` the share of the hierarchy's leaves under each label, which is what a
    loss is made of. Only labels that the data has are listed: fewer bits to pack.
    """

    column: str
    labels: tuple[tuple[str | None, ...], ...]
    up: tuple[Codes, ...]
    shares: tuple[Floats, ...]
    #: Number of leaves in the hierarchy (the data may have fewer).
    leaves: int
    #: Lower and upper end of the numbers under each label, per level; None for a column that is not numeric.
    spans: tuple[Floats, ...] | None = None
    _steps: dict[tuple[int, int, int], NDArray[np.uint64]] = field(default_factory=dict, repr=False)

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.labels) - 1

    def size(self, level: int) -> int:
        """The number of labels that occur at a level."""
        return len(self.labels[level])

    def bits(self, level: int) -> Floats:
        """Return what is lost of a value under each label of a level: log₂ of the leaves under it."""
        return np.log2(np.maximum(np.rint(self.shares[level] * self.leaves), 1))

    def step(self, low: int, high: int, shift: int) -> NDArray[np.uint64]:
        """Return for each label position at level `low` its position at level `high`, shifted into its field."""
        known = self._steps.get((low, high, shift))
        if known is None:
            known = np.zeros(self.size(low), np.uint64)
            known[self.up[low]] = self.up[high].astype(np.uint64) << np.uint64(shift)
            self._steps[low, high, shift] = known
        return known


def share_lost(ladders: Sequence[Ladder], bits: Sequence[Floats], size: int) -> Floats:
    """Return what is lost of all attributes together, given what is lost of each, as a share of all there is."""
    most = sum(math.log2(max(ladder.leaves, 1)) for ladder in ladders)
    return np.asarray(sum(bits, np.zeros(size)) / most if most else np.zeros(size), np.float64)


@dataclass(frozen=True, eq=False)
class Packed:
    """Distinct keys and how many records each stands for."""

    keys: NDArray[np.uint64]
    counts: Ints

    def __len__(self) -> int:
        """The number of distinct keys."""
        return self.counts.size


class RollUp:
    """Counts any generalization of one packed table; remembers what it counted."""

    def __init__(self, bottom: Packed, ladders: Sequence[Ladder], layout: KeyLayout) -> None:
        """Start from the table at the lowest levels."""
        self._ladders, self._layout = ladders, layout
        self._shifts: list[int] = layout.shift.tolist()
        self._memory = _Memory((0,) * len(ladders), bottom)
        self._scratch = _Scratch(layout.words)

    def at(self, levels: Levels) -> Packed:
        """Return the distinct keys at these levels."""
        known = self._memory.tables.get(levels)
        if known is not None:
            return known
        below = self._memory.smallest_below(levels)
        rolled = self._scratch.roll_up(self._memory.tables[below], self._steps(below, levels))
        self._memory.add(levels, rolled)
        return rolled

    def _steps(self, below: Levels, levels: Levels) -> _Steps:
        """Which fields rise, and their tables of new codes, one after another, shifted into place."""
        raised = [a for a, low in enumerate(below) if low != levels[a]]
        layout = self._layout
        tables = [self._ladders[a].step(below[a], levels[a], self._shifts[a]) for a in raised]
        if len(tables) == 1:
            a = raised[0]
            one = slice(a, a + 1)
            return layout.word[one], layout.shift[one], layout.field[one], _ZERO, tables[0]
        starts = np.zeros(len(raised), np.int64)
        np.cumsum([table.size for table in tables[:-1]], out=starts[1:])
        return layout.word[raised], layout.shift[raised], layout.field[raised], starts, np.concatenate(tables)


class _Memory:
    """The tables counted so far. The lowest is kept for good; of the others the oldest are forgotten first."""

    def __init__(self, bottom: Levels, table: Packed) -> None:
        self.tables: dict[Levels, Packed] = {bottom: table}
        self._place: dict[Levels, int] = {}
        #: The sizes of the tables, again: asking the tables themselves is slower, and a sweep asks for little else.
        self._counts: dict[Levels, int] = {}
        self._bottom = bottom
        self._held = 0
        self._rows = 0
        self._levels = np.zeros((64, len(bottom)), np.int16)
        self._sizes = np.zeros(64, np.int64)
        self._note(bottom, len(table))

    def smallest_below(self, levels: Levels) -> Levels:
        """Return the smallest table to start from: a direct neighbour, or any that lies below.

        Looking through all costs some microseconds: not worth it where a small neighbour is at hand, nor where so many
        were counted that a neighbour is nearly always the smallest.
        """
        best, size, counts = None, _FORGOTTEN, self._counts
        for a, level in enumerate(levels):
            if level:
                neighbour = levels[:a] + (level - 1,) + levels[a + 1 :]
                count = counts.get(neighbour, _FORGOTTEN)
                if count < size:
                    best, size = neighbour, count
        if best is not None and (size < _SMALL or self._rows > _MANY):
            return best
        below = (self._levels[: self._rows] <= np.array(levels, np.int16)).all(axis=1)
        found = int(np.argmin(np.where(below, self._sizes[: self._rows], _FORGOTTEN)))
        return tuple(self._levels[found].tolist())

    def add(self, levels: Levels, table: Packed) -> None:
        """Remember a table, and forget the oldest where it gets too much."""
        self.tables[levels] = table
        self._held += len(table)
        self._note(levels, len(table))
        while self._held > REMEMBERED and len(self.tables) > 2:
            oldest = next(key for key in self.tables if key != self._bottom)
            del self.tables[oldest]
            self._held -= self._counts.pop(oldest)
            self._sizes[self._place.pop(oldest)] = _FORGOTTEN

    def _note(self, levels: Levels, size: int) -> None:
        if self._rows == self._sizes.size:
            self._levels = np.concatenate([self._levels, np.zeros_like(self._levels)])
            self._sizes = np.concatenate([self._sizes, np.zeros_like(self._sizes)])
        self._levels[self._rows], self._sizes[self._rows] = levels, size
        self._place[levels], self._counts[levels] = self._rows, size
        self._rows += 1


class _Scratch:
    """Workspaces that are used again from table to table: allocating them would cost more than the roll-up."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._grow(1024)

    def _grow(self, rows: int) -> None:
        self._slots = slots_for(rows)
        self._keys = np.empty((rows, self._words), np.uint64)
        self._flat = self._keys.reshape(-1)
        self._counts = np.empty(rows, np.int64)

    def roll_up(self, table: Packed, steps: _Steps) -> Packed:
        from antifaz.kernels.grouping import group_keys, raise_codes, roll_up, roll_up_one

        rows = table.counts.size
        if rows > self._counts.size:
            self._grow(2 * rows)
        # A small table must not pay for clearing a large one's slots.
        slots = self._slots[: 1 << max(4, (2 * rows - 1).bit_length())]
        if self._words == 1:
            flat = table.keys.reshape(-1)
            roll = roll_up_one if steps[0].size == 1 else roll_up
            groups = roll(flat, table.counts, *steps[1:], slots, self._flat, self._counts)
        else:
            keys = np.empty_like(table.keys)
            raise_codes(table.keys, *steps, keys)
            into = np.empty(rows, np.int64)
            groups = group_keys(keys, table.counts, slots, self._keys, self._counts, into)
        return Packed(self._keys[:groups].copy(), self._counts[:groups].copy())
