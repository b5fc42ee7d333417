"""Utility of records released in groups: certainty penalties, class sizes, kept distributions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.groups import Groups
from antifaz.utility.ks import ks_counts


def group_penalties(table: Groups, a: int) -> NDArray[np.float64]:
    """Return the normalized certainty penalty of an attribute in every group.

    For numbers the width of the group over that of the data; for categories the distinct values, less one, over all
    distinct values, less one, or, where there is a hierarchy, the leaves under the lowest label that covers the group.
    A missing value beside others has the full penalty: the group says nothing about it.
    """
    attribute = table.records.attributes[a]
    if attribute.scale is not None:
        low, high = table.spans(a)
        width = np.nan_to_num(high - low) / attribute.range if attribute.range else np.zeros(table.count)
        return np.where(_mixed(table, a), 1.0, width)
    owner, codes, _ = table.pairs(a)
    if attribute.ladder is not None:
        return _by_ladder(table, a, owner, codes)
    values = attribute.domain.size
    share = (np.bincount(owner, minlength=table.count) - 1) / max(values - 1, 1)
    return np.where(_mixed(table, a), 1.0, share)


def _mixed(table: Groups, a: int) -> NDArray[np.bool_]:
    """Which groups hold missing values beside others."""
    attribute = table.records.attributes[a]
    names = attribute.domain.labels
    blank = np.array([name is None for name in names]) if attribute.scale is None else np.isnan(attribute.scale)
    if not blank.any():
        return np.zeros(table.count, np.bool_)
    owner, codes, _ = table.pairs(a)
    unknown = blank[codes]
    some = np.bincount(owner, weights=unknown, minlength=table.count) > 0
    return np.asarray(some & (np.bincount(owner, weights=~unknown, minlength=table.count) > 0))


def _by_ladder(table: Groups, a: int, owner: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    ladder = table.records.attributes[a].ladder
    if ladder is None or ladder.leaves <= 1:
        return np.zeros(table.count)
    first = np.searchsorted(owner, np.arange(table.count))
    found = np.full(table.count, np.nan)
    for level in range(ladder.height + 1):
        labels = ladder.up[level][codes]
        # One label for the whole group: the least and the greatest are the same.
        same = np.maximum.reduceat(labels, first) == np.minimum.reduceat(labels, first)
        share = (ladder.shares[level][labels[first]] * ladder.leaves - 1) / (ladder.leaves - 1)
        found = np.where(np.isnan(found) & same, share, found)
    return np.asarray(np.nan_to_num(found, nan=1.0))


def group_gcp(table: Groups) -> float:
    """Return the mean penalty over records and attributes; a record left out has penalty 1 in each."""
    attributes = len(table.records.attributes)
    if not table.rows or not attributes:
        return 0.0
    total = sum(float(np.dot(table.sizes, group_penalties(table, a))) for a in range(attributes))
    return (total + table.suppressed * attributes) / (table.rows * attributes)


def group_discernibility(table: Groups) -> int:
    """Return the sum over records of the number of records each can't be told from; those left out, from any."""
    return int(np.dot(table.sizes.astype(object), table.sizes)) + table.rows * table.suppressed if table.count else 0


def group_average(table: Groups) -> float:
    """Return the mean number of records per group."""
    return float(table.sizes.mean()) if table.count else 0.0


def group_ks(table: Groups) -> dict[str, float]:
    """Return the p-value per numeric attribute between the data and what groups are released as."""
    found = {}
    for attribute, points in zip(table.records.attributes, table.points, strict=False):
        if attribute.scale is None or points is None or not attribute.kind.is_number:
            continue
        before = np.bincount(attribute.codes, minlength=attribute.domain.size)
        known, told = ~np.isnan(attribute.scale), ~np.isnan(points)
        found[attribute.column] = ks_counts(attribute.scale[known], before[known], points[told], table.sizes[told])[1]
    return found


#: What evidence says of every release in groups, by name.
GROUP_MEASURES = {
    "loss": group_gcp,
    "gcp": group_gcp,
    "discernibility": group_discernibility,
    "average_class_size": group_average,
    "ks": group_ks,
}
