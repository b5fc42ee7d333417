"""Local suppression where a blank is a value of its own: which tuples to blank alike so that k records look the same.

Tuples that agree outside a set of attributes look the same when the set is blanked. A gathering is such a set and the
tuples that agree outside it. Rare tuples, those with fewer than k records, must go into one; where they are too few,
frequent ones lend records that they can spare. Gatherings are taken cheapest first: cells blanked per rare record.
"""

import numpy as np

from antifaz.kernels import Flags, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _cost(members: Ints, start: int, end: int, left: Ints, rare: Flags, k: int, width: int) -> float:
    """Return the cells that a gathering blanks per rare record; -1 where it can't reach k, or has nothing to do."""
    few, spare = 0, 0
    for i in range(start, end):
        t = members[i]
        if rare[t]:
            few += left[t]
        else:
            spare += max(0, left[t] - k)
    if few == 0 or few + spare < k:
        return -1.0
    return width * max(few, k) / few


@njit(cache=True, nogil=True)
def gather(  # noqa: C901
    members: Ints,
    starts: Ints,
    width: Ints,
    rare: Flags,
    k: int,
    limit: float,
    fineness: float,
    left: Ints,
    group: Ints,
    out_tuple: Ints,
    out_group: Ints,
    out_many: Ints,
) -> int:
    """Take gatherings, cheapest first, up to `limit` cells per rare record; return how many lines were written.

    Gathering e has the tuples `members[starts[e]:starts[e + 1]]` and blanks `width[e]` attributes. `left`, the records
    of every tuple that are in no group, shrinks; each line out says of a tuple how many of its records go into a group.
    `group[0]` is the next group's number. Costs only grow while records are taken away, so a gathering that is looked
    at too early is put back to where it belongs; `fineness` says how finely costs are told apart.
    """
    many = width.shape[0]
    last = int(limit * fineness)
    head, tail, after = np.full(last + 1, -1), np.full(last + 1, -1), np.full(many, -1)
    for e in range(many):
        cost = _cost(members, starts[e], starts[e + 1], left, rare, k, width[e])
        if 0 <= cost <= limit:
            at = int(cost * fineness)
            if head[at] < 0:
                head[at] = e
            else:
                after[tail[at]] = e
            tail[at] = e
    lines = 0
    for bucket in range(last + 1):
        e = head[bucket]
        while e >= 0:
            following = after[e]
            cost = _cost(members, starts[e], starts[e + 1], left, rare, k, width[e])
            at = int(cost * fineness)
            if 0 <= cost <= limit and at > bucket:
                after[e] = -1
                if head[at] < 0:
                    head[at] = e
                else:
                    after[tail[at]] = e
                tail[at] = e
            elif 0 <= cost <= limit:
                needed = k
                for rarely in (True, False):
                    for i in range(starts[e], starts[e + 1]):
                        t = members[i]
                        if rare[t] != rarely:
                            continue
                        taken = left[t] if rarely else min(max(0, left[t] - k), max(0, needed))
                        if taken > 0:
                            out_tuple[lines], out_group[lines], out_many[lines] = t, group[0], taken
                            lines += 1
                            left[t] -= taken
                            needed -= taken
                group[0] += 1
            # What was put back into this very bucket is found at its end.
            e = after[e] if at == bucket else following
    return lines
