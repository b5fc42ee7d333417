"""Minimal sample uniques: for every record, the smallest sets of attributes by which nobody else is like it.

All sets of attributes are gone through in the order of their numbers (bit a stands for attribute a), so that every set
comes after all sets within it. The classes of a set are made from those of the set without its lowest attribute. A
class of one record is noted and left out: whoever is alone is alone in every larger set, and keeps nobody company
there. So the work shrinks with every attribute, and a branch without classes is not entered.
"""

import numpy as np

from antifaz.kernels import Codes, Floats, Ints, Words
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _refine(  # noqa: C901
    codes: Codes,
    counts: Ints,
    members: Codes,
    ends: Codes,
    classes: int,
    to: Codes,
    to_ends: Codes,
    room: Codes,
    alone: Codes,
) -> tuple[int, int]:
    """Split classes by an attribute; return how many are left with company, and how many records are alone.

    `codes` are those of the attribute; below 0 is skipped. `room` is all zero, as long as the attribute has codes.
    """
    made, single, start, at = 0, 0, 0, 0
    for c in range(classes):
        end = ends[c]
        for i in range(start, end):
            if codes[members[i]] >= 0:
                room[codes[members[i]]] += 1
        # From a number of members to the place where they go; those alone go nowhere.
        for i in range(start, end):
            t = members[i]
            code = codes[t]
            if code < 0:
                continue
            many = room[code]
            if many == 1:
                if counts[t] == 1:
                    alone[single] = t
                    single += 1
                room[code] = 0
            elif many > 1:
                # The first of its class: keep room for all of them, and remember where the next one goes.
                to[at] = t
                room[code] = -(at + 2)
                at += many
                to_ends[made] = at
                made += 1
            elif many < 0:
                to[-many - 1] = t
                room[code] -= 1
        for i in range(start, end):
            if codes[members[i]] >= 0:
                room[codes[members[i]]] = 0
        start = end
    return made, single


@njit(cache=True, nogil=True)
def _has_company(company: Words, whole: int, within: int) -> bool:
    """Say whether a tuple has company in every set that lacks one attribute of those in `within`."""
    left = within
    while left:
        lowest = left & -left
        part = whole ^ lowest
        if part and not company[part >> 6] >> np.uint64(part & 63) & np.uint64(1):
            return False
        left ^= lowest
    return True


@njit(cache=True, nogil=True)
def minimal_uniques(  # noqa: C901, PLR0915 - a kernel: its parts would hand a dozen arrays around
    codes: Codes,
    counts: Ints,
    sizes: Ints,
    worth: Floats,
    largest: int,
    company: Words,
    scores: Floats,
    shares: Floats,
) -> Ints:
    """Add to `scores` what the minimal sample uniques of every tuple are worth, and to `shares` per attribute.

    `codes` has one row per attribute and one column per distinct tuple; `worth[s]` is what a set of s attributes
    adds; sets of more than `largest` are not looked for. `company` is all zero: per tuple one bit for every set, to
    note in which it has company; without columns, the sets found so far are gone through instead, which takes longer
    and no room. Returns how many were found of every size.
    """
    width, tuples = codes.shape
    members = np.empty((width + 1, tuples), np.int32)
    ends = np.empty((width + 1, tuples), np.int32)
    many = np.zeros(width + 1, np.int64)
    rooms = np.zeros(max(1, sizes.max()), np.int32)
    alone = np.empty(tuples, np.int32)
    # The sets found so far of every tuple, as linked lists.
    first = np.full(tuples, -1, np.int64)
    before, sets = np.empty(1024, np.int64), np.empty(1024, np.int64)
    found = 0
    of_size = np.zeros(width + 1, np.int64)
    for t in range(tuples):
        members[0, t] = t
    ends[0, 0] = tuples
    many[0] = 1
    # The attributes of the set at hand, the highest first; `nexts[d]` is tried next at depth d.
    chosen = np.full(width + 1, -1, np.int64)
    depth, mask = 0, 0
    nexts = np.zeros(width + 1, np.int64)
    while depth >= 0:
        top = width if depth == 0 else chosen[depth]
        a = nexts[depth]
        if a >= top or depth >= largest:
            if depth > 0:
                mask ^= 1 << chosen[depth]
            depth -= 1
            continue
        nexts[depth] += 1
        made, single = _refine(
            codes[a], counts, members[depth], ends[depth], many[depth], members[depth + 1], ends[depth + 1],
            rooms, alone,
        )  # fmt: skip
        whole = mask | (1 << a)
        for i in range(single):
            t = alone[i]
            if company.shape[1]:
                minimal = _has_company(company[t], whole, mask)
            else:
                at, minimal = first[t], True
                while at >= 0 and minimal:
                    minimal = sets[at] & whole != sets[at]
                    at = before[at]
            if not minimal:
                continue
            if found == sets.shape[0]:
                before, sets = np.append(before, np.empty_like(before)), np.append(sets, np.empty_like(sets))
            sets[found], before[found] = whole, first[t]
            first[t] = found
            found += 1
            of_size[depth + 1] += 1
            scores[t] += worth[depth + 1]
            for b in range(width):
                if whole >> b & 1:
                    shares[b, t] += worth[depth + 1]
        if made:
            if company.shape[1]:
                bit, word = np.uint64(1) << np.uint64(whole & 63), whole >> 6
                for i in range(ends[depth + 1, made - 1]):
                    company[members[depth + 1, i], word] |= bit
            many[depth + 1] = made
            depth += 1
            chosen[depth] = a
            nexts[depth] = 0
            mask = whole
    return of_size
