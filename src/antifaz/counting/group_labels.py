"""What a group of records is released as, per attribute: a span, a set, a label of the hierarchy, or one value."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.core.machine import processors
from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.counting.groups import MOST_BITS, GroupedTable, GroupMembers
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.counting.rollup import Ladder

#: What a group of records is released as.
Release = Literal["interval", "mode", "median", "mean"]
#: With as many rows, attributes are labelled side by side.
_MANY = 200_000


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupLabels:
    """Per attribute: the labels, which of them each group has, and what is known of them as numbers."""

    labels: tuple[tuple[str | None, ...], ...]
    released: tuple[Ints, ...]
    #: The number that each group is released as, or the middle of its span; None for categories.
    points: tuple[Floats | None, ...]
    #: Whether all labels are values of the column's own type.
    numbers: tuple[bool, ...]


def label_groups(
    records: Records, groups: Ints, release: str, keep_type: bool, others: Mapping[str, str] | None = None
) -> GroupLabels:
    """Label every group in every attribute.

    `release` is "interval" (the span of numbers and dates, the set of categories), or "mode", "median", "mean": one
    value for all. A mode that is not unique gives way to the median. Categories have no median or mean: their mode is
    taken, the first in order of several. A missing value beside others makes a span or set say "*" and is left out of
    averages. `others` are columns that are released otherwise.
    """
    return label_table(GroupedTable(records, groups), release, keep_type, others)


def label_table(
    table: GroupedTable, release: str, keep_type: bool, others: Mapping[str, str] | None = None
) -> GroupLabels:
    """Label every group of a table in every attribute, as `label_groups` does."""
    ways = [(others or {}).get(attribute.column, release) for attribute in table.records.attributes]

    def label(a: int) -> _Made:
        return _label(table, a, ways[a], keep_type)

    if table.rows < _MANY:
        made = [label(a) for a in range(len(ways))]
    else:
        table.count_groups()
        with ThreadPoolExecutor(processors()) as pool:
            made = list(pool.map(label, range(len(ways))))
    labels, released, points, numbers = zip(*made, strict=True) if made else ((), (), (), ())
    return GroupLabels(labels=labels, released=released, points=points, numbers=numbers)


def merge_alike(groups: Ints, labelled: GroupLabels) -> tuple[Ints, GroupLabels]:
    """Make groups that have the same labels one, numbered as they first occur; each keeps the labels it had.

    New labels, made from the merged groups, could coincide with those of yet others.
    """
    if not labelled.released or not labelled.released[0].size:
        return groups, labelled
    from antifaz.kernels.group_summaries import merge_groups

    alike, many = labelled.released[0], len(labelled.labels[0])
    for names, released in zip(labelled.labels[1:], labelled.released[1:], strict=True):
        # Neither has more numbers than there are groups, so no product of two overflows.
        firsts, alike = _numbered(alike * len(names) + released)
        many = firsts.size
    merged, one_of = np.empty_like(groups), np.empty(many, np.int64)
    found = merge_groups(groups, alike, np.full(many, -1, np.int64), merged, one_of)
    one_of = one_of[:found]
    return merged, replace(
        labelled,
        released=tuple(part[one_of] for part in labelled.released),
        points=tuple(None if part is None else part[one_of] for part in labelled.points),
    )


_Made = tuple[tuple[str | None, ...], Ints, Floats | None, bool]


def _label(table: GroupedTable, a: int, release: str, keep_type: bool) -> _Made:
    attribute = table.records.attributes[a]
    if release == "interval":
        if attribute.scale is not None:
            return _spans(table, a)
        return (*(_sets(table, a) if attribute.ladder is None else _covers(table, a, attribute.ladder)), None, False)
    if attribute.scale is None:
        codes = _modes(table.members(a))[0]
        return (*_coded(codes, lambda first: [attribute.domain.labels[code] for code in codes[first]]), None, False)
    points = _average(table, a, release)
    if (keep_type and attribute.kind is DataType.INTEGER) or attribute.kind is DataType.DATE:
        # Half a person's age is no age: whole numbers stay whole, and days whole days. Of two in the middle the lower.
        points = np.rint(points) if release == "mean" else np.floor(points)
    texts, released = _coded(points.view(np.int64), lambda first: [attribute.spell(p) for p in points[first].tolist()])
    return texts, released, points, keep_type


_Coded = tuple[tuple[str | None, ...], Ints]


def _coded(keys: Ints, texts: Callable[[Ints], list[str | None]]) -> _Coded:
    """Number the labels of groups; there are far fewer than groups, and only they are made into text.

    Groups of one key have one label; `texts` makes those of the groups asked for.
    """
    firsts, released = _numbered(keys)
    return _unified(texts(firsts), released)


def _unified(texts: list[str | None], released: Ints) -> _Coded:
    """Give equal labels one number: what differs in the data may read the same."""
    if len(set(texts)) == len(texts):
        return tuple(texts), released
    place: dict[str | None, int] = {}
    numbers = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int64, len(texts))
    return tuple(place), numbers[released]


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Number the distinct keys as they first occur: return where each does, and the number of every key."""
    from antifaz.kernels.group_summaries import number_keys

    firsts, into = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    found = number_keys(keys, np.empty(1 << (2 * keys.size).bit_length(), np.int32), firsts, into)
    return firsts[:found], into


def _spans(table: GroupedTable, a: int) -> _Made:
    """The ends of each group as the data spells them, or rounded outward: [20, 29]; one value as itself."""
    attribute, ends = table.records.attributes[a], table.ends(a)
    none = ends.high < 0
    unclear = ends.some_unknown & ~none
    low, high = (np.append(ends.order, 0)[part].astype(np.int64) for part in (ends.low, ends.high))
    # Ends that read the same are the same, so that few spans do that are not.
    begins, begin = _read(attribute, low, 0)
    stops, stop = _read(attribute, high, 1)
    # Of one value the code, of a span what its ends read, after all codes.
    keys = np.where(low == high, low, ends.order.size + begin * len(stops) + stop)
    keys[none], keys[unclear] = -1, -2

    def texts(first: Ints) -> list[str | None]:
        there, spellings = keys[first], attribute.domain.spellings
        written = zip(there.tolist(), begin[first].tolist(), stop[first].tolist(), strict=True)
        return [
            f"[{begins[a]}, {stops[b]}]" if key >= ends.order.size else
            spellings[key] if key >= 0 else None if key == -1 else ANY
            for key, a, b in written
        ]  # fmt: skip

    least, greatest = ends.numbers(attribute)
    return (*_coded(keys, texts), (least + greatest) / 2, False)


def _read(attribute: QuasiIdentifier, codes: Ints, side: int) -> tuple[list[str | None], Ints]:
    """Return what the ends of spans read, each once, and which of these every code does."""
    used = np.zeros(attribute.domain.size, np.bool_)
    used[codes] = True
    used[len(attribute.domain.spellings) :] = False
    place: dict[str | None, int] = {}
    numbers = np.zeros(used.size, np.int64)
    texts = attribute.spell_ends(np.flatnonzero(used), side)
    numbers[used] = [place.setdefault(text, len(place)) for text in texts]
    return list(place), numbers[codes]


def _sets(table: GroupedTable, a: int) -> _Coded:
    """The set of each group's values: {a, b}; one value as itself."""
    from antifaz.kernels.group_summaries import number_lists

    names = table.records.attributes[a].domain.labels
    if len(names) <= MOST_BITS:
        sets = table.sets(a)
        return _coded(sets, lambda first: [_set_text(names, each) for each in sets[first].tolist()])
    members = table.members(a)
    firsts, released = np.empty(table.count, np.int64), np.empty(table.count, np.int64)
    slots = np.empty(1 << (2 * table.count).bit_length(), np.int32)
    found = number_lists(members.offsets, members.codes, slots, firsts, released)
    missing = names.index(None) if None in names else -1
    spelled = np.array(names, object)[members.codes].tolist()
    texts: list[str | None] = []
    for start, end in zip(*(members.offsets[firsts[:found] + i].tolist() for i in (0, 1)), strict=True):
        if end == start + 1:
            texts.append(spelled[start])
        else:
            # Missing has the last code.
            texts.append(ANY if members.codes[end - 1] == missing else "{" + ", ".join(spelled[start:end]) + "}")
    return _unified(texts, released)


def _set_text(names: tuple[str | None, ...], bits: int) -> str | None:
    held = [name for code, name in enumerate(names) if bits >> code & 1]
    texts = [name for name in held if name is not None]
    return held[0] if len(held) == 1 else ANY if len(texts) < len(held) else "{" + ", ".join(texts) + "}"


def _covers(table: GroupedTable, a: int, ladder: Ladder) -> _Coded:
    """The lowest label of the hierarchy that covers each group; one value as itself."""
    from antifaz.kernels.group_summaries import covering_levels

    names, members = table.records.attributes[a].domain.labels, table.members(a)
    up = np.stack(ladder.up)
    levels, first_code = np.empty(table.count, np.int64), members.codes[members.offsets[:-1]]
    covering_levels(members.offsets, members.codes, up, levels)
    levels[np.diff(members.offsets) == 1] = -1
    # At level -1 the value itself stands for its label; above all levels nothing does.
    places = np.concatenate([np.arange(len(names))[None], up, np.zeros((1, len(names)), up.dtype)])
    found = places[levels + 1, first_code]
    labels = (names, *ladder.labels, (ANY,))

    def texts(first: Ints) -> list[str | None]:
        return [labels[level + 1][place] for level, place in zip(levels[first], found[first], strict=True)]

    return _coded((levels + 1) * (int(places.max(initial=0)) + 1) + found, texts)


def _modes(members: GroupMembers) -> tuple[Ints, Flags]:
    """Return the most frequent code of each group, the first of several, and whether it is the only one."""
    from antifaz.kernels.group_summaries import group_modes

    codes, alone = np.empty(members.offsets.size - 1, np.int64), np.empty(members.offsets.size - 1, np.bool_)
    group_modes(members.offsets, members.codes, members.counts, codes, alone)
    return codes, alone


def _average(table: GroupedTable, a: int, release: str) -> Floats:
    """The mode, median or mean of the numbers of each group; NaN where all are missing."""
    from antifaz.kernels.group_summaries import group_middles

    scale, members = table.records.attributes[a].scale, table.members(a)
    if scale is None:
        return np.full(table.count, np.nan)
    middles = np.empty(table.count, np.float64)
    group_middles(members.offsets, members.codes, members.counts, scale, release == "mean", middles)
    if release != "mode":
        return middles
    codes, alone = _modes(members)
    return np.where(alone & ~np.isnan(scale[codes]), scale[codes], middles)
