"""Labels: what a group of records is released as, per attribute."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.counting.groups import Groups
from antifaz.counting.records import Attribute, Records


@dataclass(frozen=True, kw_only=True, eq=False)
class Labelled:
    """Per attribute: the labels, which of them each group has, and what is known of them as numbers."""

    labels: tuple[tuple[str | None, ...], ...]
    released: tuple[NDArray[np.int64], ...]
    #: The number that each group is released as, or the middle of its span; None for categories.
    points: tuple[NDArray[np.float64] | None, ...]
    #: Whether all labels are values of the column's own type.
    numbers: tuple[bool, ...]


def label_groups(records: Records, groups: NDArray[np.int64], release: str, keep_type: bool) -> Labelled:
    """Label every group in every attribute.

    `release` is "interval" (the span of numbers and dates, the set of categories), or "mode", "median", "mean": one
    value for all. A mode that is not unique gives way to the median. Categories have no median or mean: their mode is
    taken, the first in order of several. A missing value beside others makes a span or set say "*" and is left out of
    averages.
    """
    table = Groups(records, groups)
    made = [_label(table, a, release, keep_type) for a in range(len(records.attributes))]
    labels, released, points, numbers = zip(*made, strict=True) if made else ((), (), (), ())
    return Labelled(labels=labels, released=released, points=points, numbers=numbers)


def merge_alike(groups: NDArray[np.int64], labelled: Labelled) -> tuple[NDArray[np.int64], Labelled]:
    """Make groups that have the same labels one, numbered as they first occur; each keeps the labels it had.

    New labels, made from the merged groups, could coincide with those of yet others.
    """
    if not labelled.released or not labelled.released[0].size:
        return groups, labelled
    alike = np.unique(np.stack(labelled.released, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    kept = groups >= 0
    distinct, first, place = np.unique(alike[groups[kept]], return_index=True, return_inverse=True)
    rank = np.empty(distinct.size, np.int64)
    rank[np.argsort(first)] = np.arange(distinct.size)
    merged = np.full(groups.size, -1, np.int64)
    merged[kept] = rank[place.reshape(-1)]
    one_of = np.empty(distinct.size, np.int64)
    one_of[merged[kept]] = groups[kept]
    return merged, replace(
        labelled,
        released=tuple(part[one_of] for part in labelled.released),
        points=tuple(None if part is None else part[one_of] for part in labelled.points),
    )


_Made = tuple[tuple[str | None, ...], NDArray[np.int64], NDArray[np.float64] | None, bool]


def _label(table: Groups, a: int, release: str, keep_type: bool) -> _Made:
    attribute = table.records.attributes[a]
    if release == "interval":
        texts = _spans(table, a) if attribute.scale is not None else _sets(table, a)
        low, high = table.spans(a)
        points = None if attribute.scale is None else (low + high) / 2
        return (*_coded(texts), points, False)
    if attribute.scale is None or not attribute.kind.is_number:
        codes = _modes(table, a)[0]
        return (*_coded([attribute.domain.labels[code] for code in codes]), None, False)
    points = _average(table, a, release)
    if keep_type and attribute.kind is DataType.INTEGER:
        # Half a person's age is no age: whole numbers stay whole.
        points = np.rint(points)
    texts = [_number(attribute, point) for point in points]
    typed = keep_type and (attribute.kind is DataType.DECIMAL or all(text is None or "." not in text for text in texts))
    return (*_coded(texts), points, typed)


def _coded(texts: list[str | None]) -> tuple[tuple[str | None, ...], NDArray[np.int64]]:
    """Give equal labels one number: there are far fewer labels than groups."""
    place: dict[str | None, int] = {}
    released = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int64, len(texts))
    return tuple(place), released


def _spans(table: Groups, a: int) -> list[str | None]:
    """The least and the greatest value of each group as the data spells them: [20, 29]; one value as itself."""
    attribute = table.records.attributes[a]
    labels = attribute.domain.labels
    owner, codes, _ = table.pairs(a)
    unknown = np.isnan(attribute.scale[codes]) if attribute.scale is not None else np.zeros(codes.size, np.bool_)
    low = np.full(table.count, np.iinfo(np.int64).max)
    high = np.full(table.count, -1)
    # Codes follow the values' order, so the least code is the least value; missing has the last.
    np.minimum.at(low, owner[~unknown], codes[~unknown])
    np.maximum.at(high, owner[~unknown], codes[~unknown])
    missing = np.bincount(owner, weights=unknown, minlength=table.count) > 0
    texts: list[str | None] = []
    for first, last, some in zip(low.tolist(), high.tolist(), missing.tolist(), strict=True):
        if last < 0:
            texts.append(None)
        elif some:
            texts.append(ANY)
        else:
            texts.append(labels[first] if first == last else f"[{labels[first]}, {labels[last]}]")
    return texts


def _sets(table: Groups, a: int) -> list[str | None]:
    """The lowest label of the hierarchy that covers each group, or else the set of its values: {a, b}."""
    attribute = table.records.attributes[a]
    owner, codes, _ = table.pairs(a)
    first = np.searchsorted(owner, np.arange(table.count + 1))
    names = attribute.domain.labels
    texts: list[str | None] = []
    for group in range(table.count):
        members = codes[first[group] : first[group + 1]]
        if members.size == 1:
            texts.append(names[members[0]])
        elif attribute.ladder is not None:
            texts.append(_covering(attribute, members))
        elif any(names[code] is None for code in members):
            texts.append(ANY)
        else:
            texts.append("{" + ", ".join(str(names[code]) for code in members) + "}")
    return texts


def _covering(attribute: Attribute, members: NDArray[np.int64]) -> str | None:
    ladder = attribute.ladder
    for level in range(ladder.height + 1 if ladder else 0):
        labels = np.unique(ladder.up[level][members]) if ladder else members
        if labels.size == 1 and ladder:
            return ladder.labels[level][int(labels[0])]
    return ANY


def _modes(table: Groups, a: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the most frequent code of each group, the first of several, and whether it is the only one."""
    owner, codes, counts = table.pairs(a)
    order = np.lexsort((codes, -counts, owner))
    first = np.searchsorted(owner, np.arange(table.count))
    best, most = codes[order][first], counts[order][first]
    ties = np.bincount(owner, weights=counts == most[owner], minlength=table.count)
    return best, ties == 1


def _average(table: Groups, a: int, release: str) -> NDArray[np.float64]:
    """The mode, median or mean of the numbers of each group; NaN where all are missing."""
    attribute = table.records.attributes[a]
    scale = attribute.scale if attribute.scale is not None else np.zeros(0)
    owner, codes, counts = table.pairs(a)
    known = ~np.isnan(scale[codes])
    owner, codes, counts = owner[known], codes[known], counts[known]
    numbers = scale[codes]
    sizes = np.bincount(owner, weights=counts, minlength=table.count).astype(np.float64)
    if release == "mean":
        with np.errstate(invalid="ignore"):
            return np.asarray(np.bincount(owner, weights=counts * numbers, minlength=table.count) / sizes)
    median = _medians(table.count, owner, numbers, counts, sizes)
    if release == "median":
        return median
    codes_of, alone = _modes(table, a)
    return np.where(alone & ~np.isnan(scale[codes_of]), scale[codes_of], median)


def _medians(
    many: int,
    owner: NDArray[np.int64],
    numbers: NDArray[np.float64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The middle value of each group; of two the mean."""
    if not owner.size:
        return np.full(many, np.nan)
    order = np.lexsort((numbers, owner))
    owner, numbers, counts = owner[order], numbers[order], counts[order]
    ends = np.cumsum(counts)
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)
    low = np.minimum(np.searchsorted(ends, starts + (sizes.astype(np.int64) - 1) // 2, side="right"), numbers.size - 1)
    high = np.minimum(np.searchsorted(ends, starts + sizes.astype(np.int64) // 2, side="right"), numbers.size - 1)
    return np.where(sizes > 0, (numbers[low] + numbers[high]) / 2, np.nan)


def _number(attribute: Attribute, point: float) -> str | None:
    """Write a number as plain text; whole ones without a point."""
    if np.isnan(point):
        return None
    return str(int(point)) if float(point).is_integer() and abs(point) < 2**53 else repr(float(point))
