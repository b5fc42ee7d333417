"""Blanking until every record matches k, where a blank matches any value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.matching import count_matches
from antifaz.methods.suppression.blank_order import RequiredCombination, distinct

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
#: With more columns than this their sets are too many to try all of them for every tuple.
_WIDE = 12
#: Every rare tuple is compared with all others; beyond this many, only with those of its block.
_MANY, _BLOCK = 2**14, 2**12


def blank_until_matching(codes: Codes, counts: Ints, k: int, first: Ints, *, strictly: bool) -> Codes:
    """Return the codes of distinct tuples (-1 is blank) with cells blanked until each matches k records.

    `first` lists the columns, those to be blanked first first. Of sets of equally many cells that are enough, the one
    that helps most other tuples is blanked, or, `strictly`, the one that `first` prefers. Where tuples are very many,
    those that agree in the columns to be kept longest are dealt with by themselves, in the other columns.
    """
    blanked = np.ascontiguousarray(codes[:, first])
    if counts.size > _MANY:
        for inside, width in _blocks(blanked, np.arange(counts.size), first.size):
            if counts[inside].sum() >= k:
                part = np.ascontiguousarray(blanked[inside, :width])
                blanked[inside, :width] = _blank(part, counts[inside], k, strictly)
    blanked = _blank(blanked, counts, k, strictly)
    released = np.empty_like(blanked)
    released[:, first] = blanked
    return released


def _blocks(codes: Codes, inside: Ints, width: int) -> Iterator[tuple[Ints, int]]:
    """Yield tuples that agree from some column on, and the number of columns before it; blanks belong to no block."""
    if inside.size <= _BLOCK or width == 1:
        yield inside, width
        return
    last = codes[inside, width - 1]
    for value in np.unique(last[last >= 0]):
        yield from _blocks(codes, inside[last == value], width - 1)


def _blank(original: Codes, counts: Ints, k: int, strictly: bool) -> Codes:
    """Blank tuples whose columns are in the order in which they should be blanked."""
    from antifaz.kernels.match_blanking import blank_matching, restore_matching

    blanked, width = original.copy(), original.shape[1]
    found, _ = count_matches(original, counts)
    below = np.flatnonzero(found < k)
    # The rarest first: they are blanked in any case, cost few cells, and bring up others that would cost more.
    order = below[np.argsort(found[below], kind="stable")]
    sets = np.arange(1 << width if width <= _WIDE else 0)
    size = np.array([int(number).bit_count() for number in sets], np.int64)
    preferred = np.lexsort((sets, size))
    blank_matching(blanked, counts, found, k, order, sets[preferred], size[preferred], strictly)
    # What is to be kept longest is given back first.
    restore_matching(blanked, original, counts, found, k, order, np.arange(width)[::-1].copy())
    return blanked


def blank_combinations(
    codes: Codes, counts: Ints, asked: list[RequiredCombination], first: Ints, *, strictly: bool
) -> Codes:
    """Return the codes of tuples with cells blanked until each matches what is asked, a blank matching anything.

    A blank never takes a match away, so what was reached for some columns stays so.
    """
    blanked = codes.copy()
    for needed, places in asked:
        part = [place for place in first.tolist() if place in places]
        tuples, group, many = distinct(blanked[:, part], counts)
        blanked[:, part] = blank_until_matching(tuples, many, needed, np.arange(len(part)), strictly=strictly)[group]
    return blanked
