"""Binding: a hierarchy meets the values of a column and becomes the ladder that counting climbs."""

import numpy as np

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.core.values import ANY, canonical_values, sense
from antifaz.counting.domains import Domain
from antifaz.counting.records import require_differences
from antifaz.counting.rollup import Ladder
from antifaz.hierarchies.hierarchy import Hierarchy


def bind(domain: Domain, hierarchy: Hierarchy, kind: DataType = DataType.TEXT) -> Ladder:
    """Return what each code of the domain becomes at each level; raise for values the hierarchy does not cover.

    A missing value is a leaf of its own. It stays missing at every level, except under a top that says "anything".
    """
    found = list(map(hierarchy.index().get, domain.spellings))
    if None in found:  # leaves that nobody spelled for a column of this kind
        place = dict(zip(canonical_values(hierarchy.leaves, kind), range(len(hierarchy.leaves)), strict=True))
        hierarchy.cover((text for text in domain.spellings if text not in place), domain.column)
        found = [place[text] for text in domain.spellings]
    leaf_of = np.array(found, np.int64)
    leaves = len(hierarchy.leaves) + domain.has_missing
    rungs = [_rung(domain, hierarchy, h, leaf_of, leaves) for h in range(hierarchy.height + 1)]
    labels, up, shares = zip(*rungs, strict=True)
    spans = _spans(domain, kind, labels, up)
    return Ladder(column=domain.column, labels=labels, up=up, shares=shares, leaves=leaves, spans=spans)


def _rung(
    domain: Domain, hierarchy: Hierarchy, h: int, leaf_of: Ints, leaves: int
) -> tuple[tuple[str | None, ...], Codes, Floats]:
    """One level: the labels that occur, the position of each base code's label, and the labels' shares."""
    above = hierarchy.up[h][leaf_of]
    occurs = np.bincount(above, minlength=len(hierarchy.levels[h])) > 0
    present, positions = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[above]
    known = hierarchy.levels[h]
    labels: list[str | None] = [*known] if occurs.all() else [known[i] for i in present.tolist()]
    under = hierarchy.leaf_counts(h)[present].astype(np.float64)
    if domain.has_missing:
        joins = h == hierarchy.height and known == (ANY,)
        if joins and not labels:
            labels, under = [ANY], np.array([leaves - 1.0])
        if joins:
            under += 1
            positions = np.append(positions, 0)
        else:
            labels.append(None)
            under = np.append(under, 1.0)
            positions = np.append(positions, len(labels) - 1)
    return tuple(labels), positions.astype(np.int32), under / leaves


def _spans(
    domain: Domain, kind: DataType, labels: tuple[tuple[str | None, ...], ...], up: tuple[Codes, ...]
) -> tuple[Floats, ...] | None:
    """For a numeric column, the least and the greatest number under each label; NaN for missing."""
    if not kind.is_number or not domain.spellings:
        return None
    try:
        numbers = np.fromiter(map(float, domain.spellings), np.float64, len(domain.spellings))
    except ValueError:
        return None
    # What is infinite or not a number is a value like others, but no place on a scale.
    numbers[~np.isfinite(numbers)] = np.nan
    require_differences(domain.column, numbers)
    spans = []
    for names, positions in zip(labels, up, strict=True):
        known = positions[: numbers.size]
        low, high = np.full(len(names), np.nan), np.full(len(names), np.nan)
        np.fmin.at(low, known, numbers)
        np.fmax.at(high, known, numbers)
        spans.append(np.column_stack([low, high]))
    return tuple(spans)


def bind_sensitive(domain: Domain, hierarchy: Hierarchy) -> tuple[Codes, ...]:
    """Return, per level of a sensitive attribute's hierarchy, the node above each value; at level 0 the values.

    Leaves and values meet by sense; several leaves of one sense must have the same ancestors. A missing value is a
    branch of its own below the root.
    """
    paths: dict[str | None, tuple[int, ...]] = {}
    for i, leaf in enumerate(hierarchy.leaves):
        path = tuple(int(up[i]) for up in hierarchy.up[1:])
        if paths.setdefault(sense(leaf), path) != path:
            raise HierarchyError("hierarchy.spellings-in-two-places", values=(leaf,), column=domain.column)
    lost = tuple(text for text in domain.spellings if text not in paths)
    if lost:
        raise HierarchyError("hierarchy.misses-values", values=lost, column=domain.column, count=len(lost))
    levels = [np.arange(domain.size, dtype=np.int32)]
    for h in range(hierarchy.height):
        nodes = [paths[text][h] for text in domain.spellings]
        if domain.has_missing:
            nodes.append(0 if h == hierarchy.height - 1 else len(hierarchy.levels[h + 1]))
        levels.append(np.unique(np.array(nodes, np.int32), return_inverse=True)[1].astype(np.int32))
    if hierarchy.height == 0:
        # A single leaf is its own root; beside a missing value it needs one above both.
        levels.append(np.zeros(domain.size, np.int32))
    return tuple(levels)
