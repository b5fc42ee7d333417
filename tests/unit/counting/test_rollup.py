"""Rolling up, against grouping the rows anew at every node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.counting import rollup
from antifaz.counting.frequencies import KeyLayout, layout
from antifaz.counting.rollup import Ladder, LazyRollUp, Levels, PackedKeys, RollUp, layouts
from antifaz.kernels import grouping

Codes = tuple[int, ...]


def ladder(a: int, size: int, widths: Sequence[int]) -> Ladder:
    """Return a ladder over 0 … size - 1 in which level h joins `widths[h]` neighbours; the last joins all."""
    up = [np.arange(size, dtype=np.int32) // width for width in (1, *widths, size)]
    return Ladder(
        column=f"q{a}",
        labels=tuple(tuple(str(i) for i in range(int(codes.max()) + 1)) for codes in up),
        up=tuple(codes.astype(np.int32) for codes in up),
        shares=tuple(np.ones(int(codes.max()) + 1) for codes in up),
        leaves=size,
    )


def packed(counted: Counter[Codes], place: KeyLayout) -> PackedKeys:
    keys = np.zeros((len(counted), place.words), np.uint64)
    for i, codes in enumerate(counted):
        for a, code in enumerate(codes):
            keys[i, place.word[a]] |= np.uint64(code) << place.shift[a]
    return PackedKeys(keys, np.array(list(counted.values()), np.int64))


def unpacked(table: PackedKeys, place: KeyLayout) -> Counter[Codes]:
    columns = [
        ((table.keys[:, place.word[a]] >> place.shift[a]) & place.field[a]).tolist() for a in range(place.word.size)
    ]
    keys = list(zip(*columns, strict=True))
    assert len(set(keys)) == len(keys)  # no class twice
    return Counter(dict(zip(keys, table.counts.tolist(), strict=True)))


def brute_force(counted: Counter[Codes], ladders: Sequence[Ladder], levels: Levels) -> Counter[Codes]:
    found: Counter[Codes] = Counter()
    for codes, count in counted.items():
        found[tuple(int(ladders[a].up[levels[a]][code]) for a, code in enumerate(codes))] += count
    return found


def roll_up_of(counted: Counter[Codes], ladders: Sequence[Ladder], place: KeyLayout) -> RollUp:
    """Return what counts these tuples from their lowest levels, wherever it wants them packed."""

    def pack(levels: Levels) -> PackedKeys:
        raised = [tuple(int(step.up[h][c]) for step, h, c in zip(ladders, levels, one, strict=True)) for one in counted]
        keys = np.concatenate([packed(Counter([one]), place).keys for one in raised])
        return PackedKeys(keys, np.array(list(counted.values()), np.int64))

    return RollUp(pack, ladders, place, (0,) * len(ladders))


def ladders_of(sizes: Sequence[int], widths: Sequence[Sequence[int]]) -> list[Ladder]:
    return [ladder(a, size, width) for a, (size, width) in enumerate(zip(sizes, widths, strict=True))]


#: Few bits; several words; and attributes so large that each fills half a word (most codes never occur).
SHAPES = {
    "narrow": ladders_of([1, 2, 5, 12], [(), (), (2,), (2, 4)]),
    "two words": ladders_of([40] * 12, [(2, 8)] * 12),
    "three words": ladders_of([3000] * 12 + [1], [(7,)] * 12 + [()]),
    "constant at the end of a full word": ladders_of([256] * 8 + [1], [(16,)] * 8 + [()]),
}


@pytest.mark.parametrize("moving", [False, True], ids=["lowest stays", "lowest moves"])
@pytest.mark.parametrize("remembered", [8_000_000, 0, 7], ids=["all", "nothing", "little"])
@pytest.mark.parametrize("shape", SHAPES)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_any_node_in_any_order_with_any_memory(shape: str, remembered: int, moving: bool, data: st.DataObject) -> None:
    ladders = SHAPES[shape]
    place = layout([step.size(0) for step in ladders])
    near = [
        st.sampled_from(sorted({0, 1, step.size(0) // 2, step.size(0) - 1} & {*range(step.size(0))}))
        for step in ladders
    ]
    rows = data.draw(st.lists(st.tuples(*near), min_size=1, max_size=30))
    counted = Counter(rows)
    asked = data.draw(st.lists(st.tuples(*(st.integers(0, step.height) for step in ladders)), min_size=1, max_size=12))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollup, "REMEMBERED", remembered)
        patch.setattr(rollup, "_WIDE", 5)  # so that tables are counted in between
        if moving:
            for name, value in (("LARGE", 1), ("_ASKED", 2), ("_GAIN", 1)):
                patch.setattr(rollup, name, value)
        rolled = roll_up_of(counted, ladders, place)
        for levels in asked:
            assert unpacked(rolled.at(levels), place) == brute_force(counted, ladders, levels)


#: Room for a sensitive value leaves one word, or spreads the attributes over two.
ROOM = {1: 2, 2: 2**60}


@pytest.mark.parametrize("fallbacks", [False, True], ids=["kernels", "fallbacks"])
@pytest.mark.parametrize("words", ROOM)
def test_all_nodes_upwards_and_downwards_agree(words: int, fallbacks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if fallbacks:  # what counts a small table where Numba is not loaded
        for name in ("group_keys", "raise_codes", "roll_up", "smallest_below"):
            monkeypatch.setattr(grouping, name, getattr(grouping, f"_{name}"))
        monkeypatch.setattr(grouping, "roll_up_one", grouping._roll_up)
    ladders = SHAPES["narrow"]
    place = layout([step.size(0) for step in ladders], ROOM[words])
    assert place.words == words
    random = np.random.default_rng(3)
    counted = Counter(zip(*(random.integers(0, step.size(0), 80).tolist() for step in ladders), strict=True))
    nodes = list(np.ndindex(*(step.height + 1 for step in ladders)))
    upwards, downwards = (roll_up_of(counted, ladders, place) for _ in range(2))
    found = {levels: unpacked(upwards.at(levels), place) for levels in nodes}
    assert found == {levels: unpacked(downwards.at(levels), place) for levels in reversed(nodes)}
    assert found == {levels: brute_force(counted, ladders, levels) for levels in nodes}


@pytest.mark.parametrize("words", ROOM)
def test_more_keys_than_the_workspace_begins_with(words: int) -> None:
    ladders = ladders_of([60, 60, 60], [(3,), (5, 10), (2,)])
    place = layout([60, 60, 60], ROOM[words])
    assert place.words == words
    random = np.random.default_rng(4)
    counted = Counter(zip(*(random.integers(0, 60, 20_000).tolist() for _ in range(3)), strict=True))
    rolled = roll_up_of(counted, ladders, place)
    for levels in [(0, 0, 1), (0, 1, 1), (1, 1, 1), (0, 0, 2), (1, 0, 0), (2, 3, 2), (2, 1, 1)]:
        assert unpacked(rolled.at(levels), place) == brute_force(counted, ladders, levels)


def test_the_lowest_table_moves_up_to_what_is_asked_for_and_down_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ladders = ladders_of([60, 60], [(3, 30), (5, 10)])
    place = layout([60, 60])
    counted = Counter((i % 60, i // 60 % 60) for i in range(900))
    monkeypatch.setattr(rollup, "LARGE", 1)
    rolled, packs = roll_up_of(counted, ladders, place), list[Levels]()
    pack = rolled._pack
    rolled._pack = lambda levels: packs.append(levels) or pack(levels)
    labels = np.ones(2, np.bool_)
    for _ in range(rollup._ASKED):  # a part is of the lowest table, as long as the whole is not counted
        assert rolled.part((2, 1), 0, labels) is not None
    assert packs == [(2, 1)]
    for levels in [(2, 1), (2, 2), (1, 1), (2, 1), (0, 0)]:
        assert unpacked(rolled.at(levels), place) == brute_force(counted, ladders, levels)
    assert packs == [(2, 1), (1, 1), (0, 0)]


def test_what_was_counted_is_not_counted_again() -> None:
    ladders = SHAPES["narrow"]
    place = layout([step.size(0) for step in ladders])
    rolled = roll_up_of(Counter([(0, 1, 2, 3), (0, 0, 2, 3)]), ladders, place)
    assert rolled.at((1, 0, 1, 1)) is rolled.at((1, 0, 1, 1))


# -- one word wherever the levels allow it


def rolled_of(counted: Counter[Codes], ladders: Sequence[Ladder], values: int = 1) -> tuple[LazyRollUp, list[int]]:
    """Return what counts these tuples, and a list of how many words keys were packed in, each time."""
    asked: list[int] = []

    def pack(place: KeyLayout, levels: Levels) -> np.ndarray:
        asked.append(place.words)
        raised = [tuple(int(step.up[h][c]) for step, h, c in zip(ladders, levels, one, strict=True)) for one in counted]
        return np.concatenate([packed(Counter([one]), place).keys for one in raised])

    counts = np.array(list(counted.values()), np.int64)
    return LazyRollUp(pack, counts, ladders, layouts(ladders, values)), asked


@pytest.mark.parametrize("values", [1, 200])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_node_is_the_same_in_one_word_or_several(shape: str, values: int) -> None:
    ladders = SHAPES[shape]
    random, places = np.random.default_rng(5), layouts(ladders, values)
    counted = Counter(zip(*(random.integers(0, min(step.size(0), 9), 60).tolist() for step in ladders), strict=True))
    rolled, _ = rolled_of(counted, ladders, values)
    heights = tuple(step.height for step in ladders)
    asked = [tuple(random.integers(0, h + 1) for h in heights) for _ in range(20)]
    asked += [tuple(map(max, levels, places.lowest)) for levels in asked]
    for levels in [places.lowest, *asked, heights, places.lowest, (0,) * len(ladders)]:
        assert unpacked(rolled.at(levels), places.at(levels)) == brute_force(counted, ladders, levels)
        assert (places.at(levels).words == 1) == (places.whole.words == 1 or levels >= places.lowest) or levels in asked


def test_one_word_is_enough_from_the_lowest_levels_on_that_leave_room() -> None:
    places = layouts(SHAPES["two words"], 1)  # 12 times 6 bits; 5 and 3 bits further up
    assert (places.whole.words, places.lowest) == (2, (1,) * 8 + (0,) * 4)
    assert places.at((1,) * 8 + (0,) * 4).words == places.at((3,) * 12).words == 1
    assert places.at((3,) * 7 + (0,) * 5).words == 2
    narrow = layouts(SHAPES["narrow"], 1)
    assert (narrow.short, narrow.at((0, 0, 0, 0))) == (None, narrow.whole)
    # Attributes that never get fewer labels: one word is never enough.
    never = layouts([replace(ladder(a, 3000, ()), labels=(("x",) * 3000,)) for a in range(6)], 1)
    assert (never.short, never.at((0,) * 6).words) == (None, 2)


def test_keys_of_several_words_are_not_packed_before_they_are_asked_for() -> None:
    ladders = SHAPES["two words"]
    rolled, asked = rolled_of(Counter([(0,) * 12, (1,) * 12, (39,) * 12]), ladders)
    assert asked == []
    rolled.at((2,) * 12)
    rolled.at((1,) * 12)
    assert asked == [1]
    rolled.at((0,) * 12)
    assert asked == [1, 2]


def test_what_is_kept_is_there_and_the_rest_is_counted_anew() -> None:
    ladders, counted = SHAPES["two words"], Counter([(0,) * 12, (1,) * 12, (39,) * 12])
    rolled, asked = rolled_of(counted, ladders)
    kept = rolled.at((2,) * 12)
    rolled.at((0,) * 12)
    rolled.keep_only((2,) * 12)
    assert rolled.at((2,) * 12) is kept
    assert asked == [1, 2]
    place = layouts(ladders, 1).at((3,) * 12)
    assert unpacked(rolled.at((3,) * 12), place) == brute_force(counted, ladders, (3,) * 12)
    assert asked == [1, 2, 1]


# -- a part of a large table


def test_a_part_has_the_classes_of_its_labels_and_only_of_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    ladders = SHAPES["narrow"]
    place = layout([step.size(0) for step in ladders])
    random = np.random.default_rng(6)
    counted = Counter(zip(*(random.integers(0, step.size(0), 80).tolist() for step in ladders), strict=True))
    labels = np.array([False, True, True])
    assert roll_up_of(counted, ladders, place).part((1, 1, 1, 1), 3 - 1, labels) is None
    monkeypatch.setattr(rollup, "LARGE", len(counted))
    for levels in [(1, 1, 1, 1), (0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 1, 3), (1, 0, 1, 2), (0, 1, 1, 1)]:
        rolled = roll_up_of(counted, ladders, place)
        whole = brute_force(counted, ladders, levels)
        for _ in range(2):  # what was taken is remembered
            found = rolled.part(levels, 2, labels)
            assert found is not None
            part, source = found
            wanted = {codes: count for codes, count in whole.items() if labels[codes[2]]}
            assert (unpacked(part, place), source) == (wanted, len(counted))
        assert unpacked(rolled.at(levels), place) == whole
        assert rolled.part(levels, 2, labels) is None  # it is counted


# -- which table it starts from


def table_of(size: int) -> PackedKeys:
    return PackedKeys(np.zeros((size, 1), np.uint64), np.ones(size, np.int64))


def remembering(*sizes: tuple[Levels, int], bottom: int = 5000) -> rollup._Memory:
    memory = rollup._Memory((0, 0, 0), table_of(bottom))
    for levels, size in sizes:
        memory.add(levels, table_of(size))
    return memory


def test_the_smallest_that_lies_below_is_taken_and_of_equals_the_first() -> None:
    far = ((0, 0, 1), 10)
    assert remembering(((1, 0, 1), 299), far).smallest_below((1, 1, 1)) == (0, 0, 1)
    assert remembering(((0, 1, 1), 200), ((1, 0, 1), 200)).smallest_below((1, 1, 1)) == (0, 1, 1)
    assert remembering(((1, 0, 1), 300), ((0, 0, 1), 301)).smallest_below((1, 1, 1)) == (1, 0, 1)
    assert remembering(((0, 2, 0), 10), ((0, 0, 2), 10), ((2, 0, 0), 10)).smallest_below((1, 1, 1)) == (0, 0, 0)
    assert remembering(far).smallest_below((0, 0, 1)) == (0, 0, 1)
    assert rollup._Memory((1, 0, 0), table_of(5)).smallest_below((0, 1, 1)) is None


def test_what_two_nodes_can_be_rolled_up_from_is_counted_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollup, "_WIDE", 200)
    ladders = ladders_of([12, 12, 12], [(2, 4)] * 3)
    place = layout([12, 12, 12])
    counted = Counter(np.ndindex(12, 12, 12))
    rolled = roll_up_of(counted, ladders, place)
    for levels in [(2, 1, 0), (1, 2, 1)]:
        assert unpacked(rolled.at(levels), place) == brute_force(counted, ladders, levels)
    assert list(rolled._memory.tables) == [(0, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 1)]
    # From a table that is small itself nothing is.
    for levels in [(3, 3, 2), (3, 2, 3)]:
        assert unpacked(rolled.at(levels), place) == brute_force(counted, ladders, levels)
    assert list(rolled._memory.tables)[4:] == [(3, 3, 2), (3, 2, 3)]


def test_once_many_were_counted_any_neighbour_is_taken() -> None:
    other = [((0, 0, 2 + i), 1) for i in range(1497)]
    memory = remembering(((1, 0, 1), 4000), ((0, 0, 1), 10), *other)
    assert memory.smallest_below((1, 1, 1)) == (0, 0, 1)
    memory.add((9, 9, 9), table_of(1))
    assert memory.smallest_below((1, 1, 1)) == (1, 0, 1)
    # Without a neighbour all are looked through, however many.
    assert memory.smallest_below((3, 3, 1)) == (0, 0, 1)


def test_the_oldest_are_forgotten_where_it_gets_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollup, "REMEMBERED", 100)
    memory = remembering(((1, 0, 0), 40), ((0, 1, 0), 60))
    assert list(memory.tables) == [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    memory.add((0, 0, 1), table_of(1))
    assert list(memory.tables) == [(0, 0, 0), (0, 1, 0), (0, 0, 1)]
    # What is forgotten is no longer started from, as a neighbour or otherwise.
    assert memory.smallest_below((2, 0, 0)) == (0, 0, 0)
    assert memory.smallest_below((3, 0, 0)) == (0, 0, 0)
    # One that is too large alone stays until the next.
    memory.add((2, 0, 0), table_of(101))
    assert list(memory.tables) == [(0, 0, 0), (2, 0, 0)]
    memory.add((2, 1, 0), table_of(99))
    assert list(memory.tables) == [(0, 0, 0), (2, 1, 0)]
    memory.add((2, 1, 1), table_of(1))
    assert list(memory.tables) == [(0, 0, 0), (2, 1, 0), (2, 1, 1)]


def test_the_workspace_has_room_for_twice_what_made_it_grow_unless_that_is_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rollup, "LARGE", 3000)
    scratch = rollup._Scratch(1)
    assert scratch._counts.size == 1024
    one = (np.zeros(1, np.int64), np.zeros(1, np.uint64), np.array([3], np.uint64), np.zeros(1, np.int64))
    steps = (~np.uint64(3), *one, np.zeros(4, np.uint64))
    for rows, room in [(1024, 1024), (1025, 2050), (2050, 2050), (2999, 5998), (6000, 6000)]:
        found = scratch.roll_up(table_of(rows), steps)
        assert (scratch._counts.size, scratch._slots.size) == (room, 1 << (2 * room - 1).bit_length())
        assert found.counts.tolist() == [rows]


@pytest.mark.parametrize(("words", "fields", "name"), [(1, 1, "roll_up_one"), (1, 2, "roll_up"), (2, 1, "group_keys")])
def test_a_small_table_takes_few_slots_and_the_quickest_way(
    words: int, fields: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = []
    real = getattr(grouping, name)

    def watched(*given: np.ndarray) -> int:
        used.append(next(part.size for part in given if part.dtype == np.int32))
        return int(real(*given))

    monkeypatch.setattr(grouping, name, watched)
    scratch = rollup._Scratch(words)
    # Fields of two bits each, from the lowest on.
    shift, mask = np.arange(fields, dtype=np.uint64) * np.uint64(2), np.full(fields, 3, np.uint64)
    stays, zeros = ~np.bitwise_or.reduce(mask << shift), np.zeros(fields, np.int64)
    steps = (stays, zeros, shift, mask, np.arange(fields) * 4, np.zeros(4 * fields, np.uint64))
    for rows in (1, 8, 9, 16, 17):
        keys = np.arange(rows * words, dtype=np.uint64).reshape(rows, words) << np.uint64(4)
        assert len(scratch.roll_up(PackedKeys(keys, np.ones(rows, np.int64)), steps)) == rows
    assert used == [16, 16, 32, 32, 64]
