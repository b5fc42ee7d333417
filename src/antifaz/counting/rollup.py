"""Ladders, and rolling up: counting a generalization from the smallest one below it that was counted before."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.frequencies import WORD, KeyLayout, bits, layout, slots_for

Levels = tuple[int, ...]

#: How many keys are remembered in all, 16 bytes each for keys of one word. Beyond that the oldest are forgotten.
REMEMBERED = 8_000_000

#: A table with as many keys is worth a smaller one between it and the nodes above.
_WIDE = 4_000
#: Once this many were counted, a neighbour is taken without looking further.
_MANY = 1500
#: Of a table with as many keys, a part is counted before the whole; so many parts are held for the next nodes.
LARGE, _PARTS = 100_000, 4
#: After so many counts from the lowest table it is packed higher, where that takes so many bits less.
_ASKED, _GAIN = 16, 4
#: The size noted for a table that is no longer there: larger than any.
_FORGOTTEN = int(np.iinfo(np.int64).max)
_EVERY_BIT = 2**WORD - 1
_NOTHING = np.zeros(0, np.uint64)

#: The bits of the fields that stay in keys of one word; and for the fields that rise: word, shift, mask, where its
#: table starts, and the tables of new codes.
_Steps = tuple[np.uint64, Ints, NDArray[np.uint64], NDArray[np.uint64], Ints, NDArray[np.uint64]]


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
class PackedKeys:
    """Distinct keys and how many records each stands for."""

    keys: NDArray[np.uint64]
    counts: Ints

    def __len__(self) -> int:
        """The number of distinct keys."""
        return self.counts.size


@dataclass(frozen=True, kw_only=True, eq=False)
class Layouts:
    """How the keys of a lattice are packed: in one word wherever the levels allow it, which takes half the time."""

    #: Where every key has its place.
    whole: KeyLayout
    #: One word, for levels that are nowhere below `lowest`; None where `whole` is one word, or one is never enough.
    short: KeyLayout | None
    lowest: Levels

    def at(self, levels: Levels) -> KeyLayout:
        """Return the layout of the keys at some levels."""
        if self.short is None or any(level < low for level, low in zip(levels, self.lowest, strict=True)):
            return self.whole
        return self.short


def layouts(ladders: Sequence[Ladder], values: int) -> Layouts:
    """Return the layouts of keys that leave room for a sensitive attribute with `values` values.

    For one word the attribute with most labels rises, level by level, until there is room: it must rise anyway.
    """
    lowest = [0] * len(ladders)
    whole = layout([ladder.size(0) for ladder in ladders], values)

    def sizes() -> list[int]:
        return [ladder.size(level) for ladder, level in zip(ladders, lowest, strict=True)]

    while bits(values) + sum(map(bits, sizes())) > WORD:
        rising = [a for a, ladder in enumerate(ladders) if lowest[a] < ladder.height]
        if not rising:
            return Layouts(whole=whole, short=None, lowest=tuple(lowest))
        lowest[max(rising, key=lambda a: ladders[a].size(lowest[a]))] += 1
    short = layout(sizes(), values) if any(lowest) else None
    return Layouts(whole=whole, short=short, lowest=tuple(lowest))


class LazyRollUp:
    """Counts any generalization of one table of tuples, which `pack` packs at some levels in a layout."""

    def __init__(
        self,
        pack: Callable[[KeyLayout, Levels], NDArray[np.uint64]],
        counts: Ints,
        ladders: Sequence[Ladder],
        layouts: Layouts,
    ) -> None:
        """Pack nothing before it is asked for: a search may never come to levels that take several words."""
        self._pack, self._counts, self._ladders, self._layouts = pack, counts, ladders, layouts
        self._kept: dict[Levels, PackedKeys] = {}

    def at(self, levels: Levels) -> PackedKeys:
        """Return the distinct keys at these levels."""
        kept = self._kept.get(levels)
        return self._of(levels).at(levels) if kept is None else kept

    def keep_only(self, levels: Levels) -> None:
        """Forget all that was counted but the keys at some levels; what else is asked for is counted anew."""
        self._kept = {levels: self.at(levels)}
        for packed in ("_whole", "_short"):
            self.__dict__.pop(packed, None)

    @property
    def is_large(self) -> bool:
        """Whether some nodes may be worth counting in part first."""
        return self._counts.size >= LARGE

    def part(self, levels: Levels, a: int, labels: Flags) -> tuple[PackedKeys, int] | None:
        """Return the classes with some labels of an attribute, as `RollUp.part` does."""
        return self._of(levels).part(levels, a, labels)

    def _of(self, levels: Levels) -> "RollUp":
        return self._whole if self._layouts.at(levels) is self._layouts.whole else self._short

    @cached_property
    def _whole(self) -> "RollUp":
        return self._roll_up(self._layouts.whole, (0,) * len(self._ladders))

    @cached_property
    def _short(self) -> "RollUp":
        return self._roll_up(self._layouts.at(self._layouts.lowest), self._layouts.lowest)

    def _roll_up(self, place: KeyLayout, lowest: Levels) -> "RollUp":
        return RollUp(lambda levels: PackedKeys(self._pack(place, levels), self._counts), self._ladders, place, lowest)


class RollUp:
    """Counts any generalization of one packed table; remembers what it counted.

    All is counted from the tuples, packed at the lowest levels that are asked for at present. A search asks for levels
    far above the values themselves, and codes of few labels are raised in half the time: they stay in the cache.
    """

    def __init__(
        self, pack: Callable[[Levels], PackedKeys], ladders: Sequence[Ladder], layout: KeyLayout, lowest: Levels
    ) -> None:
        """Start at the lowest levels; only at the level 0 of all attributes no key is packed twice."""
        self._pack, self._ladders, self._layout = pack, ladders, layout
        self._shifts: list[int] = layout.shift.tolist()
        #: The bits of each field.
        self._places = [field << shift for field, shift in zip(layout.field.tolist(), self._shifts, strict=True)]
        self._lowest, self._may_repeat = lowest, any(lowest)
        self._memory = _Memory(lowest, pack(lowest))
        self._scratch = _Scratch(layout.words)
        self._parts: dict[tuple[Levels, int, bytes], PackedKeys] = {}
        #: What was last rolled up from a table with many keys.
        self._risen: dict[Levels, Levels] = {}
        #: The tables of new codes that were needed so far, one after another, and where each begins.
        self._upward, self._starts = _NOTHING, dict[tuple[int, int, int], int]()
        #: How often the lowest table was counted from, and the highest levels from which all of that can be.
        self._asked, self._meet = 0, tuple(ladder.height for ladder in ladders)

    def at(self, levels: Levels) -> PackedKeys:
        """Return the distinct keys at these levels."""
        known = self._memory.tables.get(levels)
        if known is not None and not (levels == self._lowest and self._may_repeat):
            return known
        below = self._below(levels)
        size = len(self._memory.tables[below])
        if _WIDE < size < LARGE:
            # What two nodes in turn can be rolled up from is counted in between: more like them will come.
            between = tuple(map(min, levels, self._risen.get(below, levels)))
            self._risen[below] = levels
            if between not in (levels, below):
                if between not in self._memory.tables:
                    self._count(below, between)
                self._risen[between] = levels
                below = between
        return self._count(below, levels)

    def _count(self, below: Levels, levels: Levels) -> PackedKeys:
        rolled = self._scratch.roll_up(self._memory.tables[below], self._steps(below, levels))
        if levels == self._lowest:
            self._memory.forget(self._lowest)
            self._memory.set_lowest(levels, rolled)
            self._may_repeat = False
        else:
            self._memory.add(levels, rolled)
        return rolled

    def part(self, levels: Levels, a: int, labels: Flags) -> tuple[PackedKeys, int] | None:
        """Return the classes with some labels of an attribute, and how many keys all would be rolled up from.

        Only of a large table that is not counted yet: of others the whole is at hand, or soon is.
        """
        if levels in self._memory.tables or self._layout.words > 1:
            return None
        below = self._below(levels)
        table = self._memory.tables[below]
        if len(table) < LARGE:
            return None
        chosen = labels[self._ladders[a].step(below[a], levels[a], 0).astype(np.int64)]
        known = self._parts.get(place := (below, a, chosen.tobytes()))
        if known is None:
            while len(self._parts) >= _PARTS:
                del self._parts[next(iter(self._parts))]
            known = self._parts[place] = self._taken(table, a, chosen)
        return self._scratch.roll_up(known, self._steps(below, levels)), len(table)

    def _below(self, levels: Levels) -> Levels:
        """Return the levels of the table to count from; the lowest one moves to where it serves what is asked for."""
        below = self._memory.smallest_below(levels)
        if below is not None and (below != self._lowest or len(self._memory.tables[below]) < LARGE):
            return below
        self._asked, self._meet = self._asked + 1, tuple(map(min, self._meet, levels))
        if below is None or (self._asked == _ASKED and self._bits(self._meet) + _GAIN <= self._bits(self._lowest)):
            self._move(self._meet)
        return self._lowest

    def _bits(self, levels: Levels) -> int:
        return sum(bits(ladder.size(level)) for ladder, level in zip(self._ladders, levels, strict=True))

    def _move(self, levels: Levels) -> None:
        """Pack the tuples at other levels, and let go of those packed before."""
        self._parts.clear()
        self._memory.forget(self._lowest)
        self._memory.set_lowest(levels, self._pack(levels))
        self._lowest, self._may_repeat = levels, any(levels)

    def _taken(self, table: PackedKeys, a: int, chosen: Flags) -> PackedKeys:
        """The keys that have chosen codes of an attribute."""
        return self._scratch.take(table, self._layout.shift[a], self._layout.field[a], chosen)

    def _steps(self, below: Levels, levels: Levels) -> _Steps:
        """Which fields rise, and where their tables of new codes begin, which are shifted into place."""
        raised = [a for a, low in enumerate(below) if low != levels[a]]
        layout, stays = self._layout, np.uint64(0)
        if layout.words == 1:
            stays = np.uint64(_EVERY_BIT - sum(self._places[a] for a in raised))
            # What rises to one label for all has the code 0, and nothing is looked up.
            raised = [a for a in raised if len(self._ladders[a].labels[levels[a]]) > 1]
        starts = np.array([self._start(a, below[a], levels[a]) for a in raised], np.int64)
        which = slice(raised[0], raised[0] + 1) if len(raised) == 1 else raised
        return stays, layout.word[which], layout.shift[which], layout.field[which], starts, self._upward

    def _start(self, a: int, low: int, high: int) -> int:
        """Where the table of new codes of an attribute begins."""
        known = self._starts.get((a, low, high))
        if known is None:
            known = self._starts[a, low, high] = self._upward.size
            self._upward = np.concatenate([self._upward, self._ladders[a].step(low, high, self._shifts[a])])
        return known


class _Memory:
    """The tables counted so far. The lowest is kept for good; of the others the oldest are forgotten first."""

    def __init__(self, lowest: Levels, table: PackedKeys) -> None:
        self.tables: dict[Levels, PackedKeys] = {}
        self._place: dict[Levels, int] = {}
        #: The sizes of the tables, again: asking the tables themselves is slower, and a sweep asks for little else.
        self._counts: dict[Levels, int] = {}
        self._held = 0
        self._rows = 0
        self._levels = np.zeros((64, len(lowest)), np.int16)
        self._sizes = np.zeros(64, np.int64)
        self.set_lowest(lowest, table)

    def set_lowest(self, levels: Levels, table: PackedKeys) -> None:
        """Keep a table for good, or until it is forgotten."""
        if levels in self.tables:
            self._held -= self.forget(levels)
        self._lowest, self.tables[levels] = levels, table
        self._note(levels, len(table))

    def forget(self, levels: Levels) -> int:
        """Let go of a table; return the number of its keys."""
        del self.tables[levels]
        self._sizes[self._place.pop(levels)] = _FORGOTTEN
        return self._counts.pop(levels)

    def smallest_below(self, levels: Levels) -> Levels | None:
        """Return the smallest table to start from: any that lies below, or a direct neighbour; None if there is none.

        Looking through all is not worth it where so many were counted that a neighbour is nearly always the smallest.
        """
        from antifaz.kernels.grouping import smallest_below

        if self._rows > _MANY and (neighbour := self._smallest_neighbour(levels)) is not None:
            return neighbour
        found = smallest_below(self._levels[: self._rows], self._sizes, np.array(levels, np.int16))
        return None if found < 0 else tuple(self._levels[found].tolist())

    def _smallest_neighbour(self, levels: Levels) -> Levels | None:
        best, size, counts = None, _FORGOTTEN, self._counts
        for a, level in enumerate(levels):
            if level:
                neighbour = levels[:a] + (level - 1,) + levels[a + 1 :]
                count = counts.get(neighbour, _FORGOTTEN)
                if count < size:
                    best, size = neighbour, count
        return best

    def add(self, levels: Levels, table: PackedKeys) -> None:
        """Remember a table, and forget the oldest where it gets too much."""
        self.tables[levels] = table
        self._held += len(table)
        self._note(levels, len(table))
        while self._held > REMEMBERED and len(self.tables) > 2:
            self._held -= self.forget(next(key for key in self.tables if key != self._lowest))

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

    def _make_room(self, rows: int) -> None:
        if rows > self._counts.size:
            # A table above is smaller: of a large one twice the room would be used by none.
            self._grow(rows if rows >= LARGE else 2 * rows)

    def take(self, table: PackedKeys, shift: int, field: int, chosen: Flags) -> PackedKeys:
        """Return the keys of one word that have chosen codes in a field."""
        from antifaz.kernels.grouping import take_keys

        self._make_room(table.counts.size)
        many = take_keys(table.keys.reshape(-1), table.counts, shift, field, chosen, self._flat, self._counts)
        return PackedKeys(self._keys[:many].copy(), self._counts[:many].copy())

    def roll_up(self, table: PackedKeys, steps: _Steps) -> PackedKeys:
        from antifaz.kernels.grouping import group_keys, raise_codes, roll_up, roll_up_one

        rows = table.counts.size
        self._make_room(rows)
        # A small table must not pay for clearing a large one's slots.
        slots = self._slots[: 1 << max(4, (2 * rows - 1).bit_length())]
        if self._words == 1:
            flat = table.keys.reshape(-1)
            stays, words, *rising = steps
            roll = roll_up_one if words.size == 1 else roll_up
            groups = roll(flat, table.counts, stays, *rising, slots, self._flat, self._counts)
        else:
            keys = np.empty_like(table.keys)
            raise_codes(table.keys, *steps[1:], keys)
            into = np.empty(rows, np.int64)
            groups = group_keys(keys, table.counts, slots, self._keys, self._counts, into)
        return PackedKeys(self._keys[:groups].copy(), self._counts[:groups].copy())
