"""What every Mondrian shares: the order in which attributes are cut, and cutting rows in memory by counting to k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.records import QuasiIdentifier, Records

if TYPE_CHECKING:
    from antifaz.kernels.mondrian import Space
    from antifaz.kernels.packed_mondrian import PackedRecords

#: The bits of a word that ranks may take: all but the sign.
WORD_BITS = 63
_Parts = tuple[Ints, Flags]


def cut_records(
    ranks: Sequence[Codes],
    order: Codes,
    space: Space,
    k: int,
    *,
    split: str,
    relaxed: bool,
    threads: int,
    grain: int = 50_000,
) -> tuple[Ints, int]:
    """Cut records in some order into parts: at the median as a word each where their ranks fit one, else as rows.

    What is returned is the same either way, and as `cut_rows` says.
    """
    if split == "median" and sum(_bits(space)) <= WORD_BITS:
        packed = _pack(ranks, order, space)
        return _cut_all(order.size, _cut_packed(packed, space, k, relaxed), partial(_number, packed), threads, grain)
    rows = np.empty((order.size, len(ranks) + 1), np.int32)
    for a, part in enumerate(ranks):
        rows[:, a] = part[order] if relaxed else part
    rows[:, -1] = order
    return cut_rows(rows, space, k, split=split, relaxed=relaxed, threads=threads, grain=grain)


def _bits(space: Space) -> list[int]:
    """How many bits the ranks of every attribute take, the one for missing included."""
    return [int(known).bit_length() for known in space.known]


def _pack(ranks: Sequence[Codes], order: Codes, space: Space) -> PackedRecords:
    from antifaz.kernels.packed_mondrian import PackedRecords, pack_ranks

    shift = np.cumsum([0, *_bits(space)], dtype=np.int64)
    field = [((1 << bits) - 1) << at for bits, at in zip(_bits(space), shift.tolist(), strict=False)]
    words = np.zeros(order.size, np.int64)
    for a, part in enumerate(ranks):
        pack_ranks(part, order, shift[a], words)
    return PackedRecords(
        words, order, np.empty_like(words), np.empty_like(order), shift[:-1], np.array(field, np.int64)
    )


def _number(packed: PackedRecords, *parts: Any) -> None:
    from antifaz.kernels.packed_mondrian import number_packed_parts

    number_packed_parts(packed.numbers, *parts)


def _cut_packed(packed: PackedRecords, space: Space, k: int, relaxed: bool) -> Callable[..., _Parts]:
    from antifaz.kernels.packed_mondrian import packed_median_parts

    def cut(bounds: Ints, final: Flags, *, once: bool) -> _Parts:
        most = int(bounds[-1] - bounds[0]) // k + 1
        ends, closed = np.empty(most, np.int64), np.empty(most, np.bool_)
        parts = packed_median_parts(packed, bounds, final, space, k, relaxed, once, ends, closed)
        return ends[:parts], closed[:parts]

    return cut


def cut_rows(
    rows: Codes,
    space: Space,
    k: int,
    *,
    split: str,
    relaxed: bool,
    threads: int,
    grain: int = 50_000,
    bounds: Ints | None = None,
) -> tuple[Ints, int]:
    """Cut rows (see `kernels.mondrian`) into parts, and return the part of each record and how many parts there are.

    With `bounds`, the rows are parts already, one after another, and each is cut by itself.
    """
    from antifaz.kernels.mondrian import number_parts

    cut = _cut(rows, space, k, split, relaxed)
    return _cut_all(len(rows), cut, partial(number_parts, rows), threads, grain, bounds)


def _cut_all(
    rows: int,
    cut: Callable[..., _Parts],
    number: Callable[[Ints, int, Ints, int], None],
    threads: int,
    grain: int = 50_000,
    bounds: Ints | None = None,
) -> tuple[Ints, int]:
    """Cut so many records by `cut`, and have `number` write the part of each.

    Stretches larger than `grain` and than an eighth of a thread's share are cut in rounds, side by side; then every
    thread finishes stretches of its own. No stretch knows of the others, and parts are numbered by where they come to
    lie, so the result is the same for any number of threads. Threads are Python's, because the kernels let others run:
    it may be called from any thread.

    Memory: the codes of the quasi-identifiers are the unit, four bytes a value. Beside them, rows and their buffer hold
    one column more each, and groups eight bytes a record: for six attributes less than four units in all. Words with
    their numbers and buffers take 24 bytes a record.
    """
    grain = max(grain, rows // (8 * threads)) if threads > 1 else max(rows, 1)
    bounds = np.array([0, rows]) if bounds is None else bounds
    final, done = np.zeros(bounds.size - 1, np.bool_), np.zeros(0, np.int64)
    with ThreadPoolExecutor(threads) as pool:
        while (large := np.flatnonzero(~final & (np.diff(bounds) > grain))).size:
            found = list(pool.map(partial(cut, once=True), *_stretches(bounds, final, large, large + 1)))
            done = np.concatenate([done, *(ends[closed] for ends, closed in found)])
            bounds = np.unique(np.concatenate([bounds, *(ends for ends, _ in found)]))
            final = np.isin(bounds[1:], done)
        first = np.flatnonzero(np.diff(bounds[:-1] // grain, prepend=-1))
        past = np.append(first[1:], final.size)
        found = list(pool.map(partial(cut, once=False), *_stretches(bounds, final, first, past)))
        parts = [ends for ends, _ in found]
        numbers = np.cumsum([0, *(ends.size for ends in parts)])
        groups = np.empty(rows, np.int64)
        list(pool.map(partial(number, groups), bounds[first], parts, numbers[:-1]))
    return groups, int(numbers[-1])


def _stretches(bounds: Ints, final: Flags, first: Ints, past: Ints) -> tuple[list[Ints], list[Flags]]:
    """Return the bounds of stretches that lie side by side, and whether each is final, for every task."""
    tasks = list(zip(first.tolist(), past.tolist(), strict=True))
    return [bounds[at : to + 1] for at, to in tasks], [final[at:to] for at, to in tasks]


def _cut(rows: Codes, space: Space, k: int, split: str, relaxed: bool) -> Callable[..., _Parts]:
    """Return what cuts stretches of rows into parts: it gives where each part ends, and whether it is done."""
    buffer = np.empty_like(rows)

    def cut(bounds: Ints, final: Flags, *, once: bool) -> _Parts:
        most = int(bounds[-1] - bounds[0]) // k + 1
        ends, closed = np.empty(most, np.int64), np.empty(most, np.bool_)
        if split == "median":
            from antifaz.kernels.mondrian import median_parts

            parts = median_parts(rows, buffer, bounds, final, space, k, relaxed, once, ends, closed)
        else:
            from antifaz.kernels.distribution_split import distribution_parts

            parts = distribution_parts(rows, buffer, bounds, final, space, k, once, ends, closed)
        return ends[:parts], closed[:parts]

    return cut


def rank_space(records: Records) -> tuple[list[Codes], Space]:
    """Rank the values of every attribute in the order in which it is cut, what is missing last."""
    from antifaz.kernels.mondrian import Space

    ranks, known, places, ranges, grids = [], [], [], [], []
    for attribute in records.attributes:
        order, values = place_order(attribute)
        rank = np.empty(order.size, np.int32)
        rank[order] = np.minimum(np.arange(order.size), values)
        # Codes are ranks already for nearly all data, and then need no copy.
        same = np.array_equal(rank, np.arange(rank.size))
        ranks.append(attribute.codes if same else rank[attribute.codes])
        known.append(values)
        place = np.zeros(values + 1)
        if attribute.scale is not None:
            inside = rank < values
            place[rank[inside]] = attribute.scale[inside]
        places.append(place)
        numbers = place[:values] if attribute.scale is not None else np.arange(values, dtype=np.float64)
        grids.append(_grid(numbers, records.rows))
        # A part that has any width at all lies in data that has some, so what stands in for none is never used.
        ranges.append((attribute.range if attribute.scale is not None else values - 1) or 1)
    return ranks, Space(
        known=np.array(known, np.int64),
        category=np.array([attribute.scale is None for attribute in records.attributes], np.bool_),
        places=np.concatenate(places),
        starts=np.concatenate([[0], np.cumsum([part.size for part in places])]).astype(np.int64),
        ranges=np.array(ranges, np.float64),
        grid=np.concatenate(grids),
    )


def _grid(places: Floats, rows: int) -> Ints:
    """Return places as whole numbers from 0, small enough that the squares of all rows can be summed; one for missing.

    Whole numbers stay exact where they are small enough; all else goes to the nearest of at least half a million steps
    (for up to 10 million rows).
    """
    steps = 2.0 ** ((62 - max(rows, 1).bit_length()) // 2)
    above = places - places.min() if places.size else places
    widest = float(above.max()) if places.size else 0.0
    if widest and (widest >= steps or np.any(above != np.rint(above))):
        above = above / widest * (steps - 1)
    return np.append(np.rint(above), 0).astype(np.int64)


def place_order(attribute: QuasiIdentifier) -> tuple[Codes, int]:
    """Return an attribute's codes in the order in which it is cut, missing ones last, and how many are known."""
    size = attribute.domain.size
    if attribute.scale is not None:
        unknown = np.isnan(attribute.scale)
        order = np.argsort(np.where(unknown, np.inf, attribute.scale), kind="stable")
    else:
        unknown = np.arange(size) >= len(attribute.domain.spellings)
        # Siblings side by side, from the top down: parts then lie under low labels.
        levels = list(attribute.ladder.up[1:]) if attribute.ladder is not None else []
        order = np.lexsort(np.array([np.arange(size), *levels, unknown]))
    return order.astype(np.int32), size - int(unknown.sum())


def sorted_rows(records: Records, ranks: list[Codes], space: Space) -> Codes:
    """Return the rows by their first attribute, equal ones by the second, and so on; last by what is sensitive."""
    from antifaz.kernels.mondrian import stable_order

    keys = [(part, int(known) + 1) for part, known in zip(ranks, space.known, strict=True)]
    keys += [(column.codes, column.domain.size) for column in records.sensitive.values()]
    order, other = np.arange(records.rows, dtype=np.int32), np.empty(records.rows, np.int32)
    for codes, size in reversed(keys):
        stable_order(codes, size, order, other)
        order, other = other, order
    return order
