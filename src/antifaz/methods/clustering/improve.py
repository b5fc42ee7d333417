"""Improvement of a grouping: records moved, exchanged and grouped anew for as long as that lowers the loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.clustering import Table, gather, new_state
from antifaz.kernels.improvement import exchange, neighbours, regroup

#: Rounds of exchanges and regroupings after which it is enough, gain or not: the least, the most, and the number of
#: records looked at in all that lies between, because a round takes time in proportion to the records.
FEWEST, MOST, LOOKS = 4, 24, 150_000
#: A group is compared with so many of its nearest; with all where there are fewer than `FEW` groups.
NEAREST, FEW = 24, 300
#: With how many neighbours a group is grouped anew, round by round.
WIDTHS = (1, 2, 3, 4)
#: A round that gains less than this per record gained nothing worth another.
LEAST = 1e-6


def improve_groups(
    table: Table, groups: NDArray[np.int64], k: int, kinds: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], int]:
    """Return groups of at least k records that lose no more than the given, and how many rounds it took.

    Groups of 2k or more are split. Then, in rounds, each record is moved to another group or exchanged with a record
    of one, where that gains most, and neighbouring groups are united and split anew where that gains. With `kinds`, one
    per record, groups keep their size and what they have of each kind: records are exchanged with their like only.
    """
    kept = np.zeros(0, np.int64) if kinds is None else kinds
    groups = groups.copy() if kept.size else split_large(table, groups, k)
    state, spare = new_state(table), new_state(table)
    idle = 0
    rounds = min(max(LOOKS // table.numbers.shape[0], FEWEST), MOST)
    for turn in range(rounds):
        count = int(groups.max()) + 1
        if count == 1:
            return groups, turn
        near = neighbours(table, state, groups, count, count - 1 if count <= FEW else NEAREST)
        gained = exchange(table, state, spare, groups, count, k, near, kept)
        width = min(WIDTHS[turn % len(WIDTHS)], near.shape[1])
        if not kept.size:
            gained += regroup(table, state, spare, groups, count, k, near[:, :width].copy(), turn)
        idle = 0 if gained > LEAST * table.numbers.shape[0] else idle + 1
        if idle == (1 if kept.size else len(WIDTHS)):
            return groups, turn + 1
    return groups, rounds


def split_large(table: Table, groups: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Split groups of 2k records or more, greedily."""
    groups = groups.copy()
    count = int(groups.max(initial=-1)) + 1
    for g in np.flatnonzero(np.bincount(groups, minlength=count) >= 2 * k):
        rows = np.flatnonzero(groups == g)
        parts = gather(table, new_state(table), rows, k, 0)
        groups[rows] = np.where(parts == 0, g, count + parts - 1)
        count += int(parts.max())
    return groups
