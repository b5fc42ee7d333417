"""What is asked of which columns: k of all of them together, and so many of every combination of a few."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations as subsets

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.counting.frequencies import group_codes
from antifaz.methods.suppression.match_blanking import blank_until_matching
from antifaz.risk.keys import check_k

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
#: So many records for this set of columns.
Round = tuple[int, tuple[int, ...]]


def rounds(what: str, width: int, k: int | None, combinations: Mapping[int, int] | None) -> list[Round]:
    """Return how many records each set of columns must be shared by, the largest sets first; `what` is for errors."""
    if k is None and not combinations:
        raise ParameterError("method.neither-k-nor-combinations", what=what)
    if combinations is not None and not isinstance(combinations, Mapping):
        raise ParameterError("method.combinations-not-a-mapping", what=what)
    asked = dict(combinations or {})
    if k is not None:
        if width in asked:
            raise ParameterError("method.combinations-and-k", what=what, width=width)
        asked[width] = k
    for size in asked:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= width:
            raise ParameterError("method.combinations-out-of-bounds", what=what, width=width, size=size)
    return [
        (check_k(what, asked[size]), places)
        for size in sorted(asked, reverse=True)
        for places in subsets(range(width), size)
    ]


def distinct(codes: Codes, counts: Ints) -> tuple[Codes, Ints, Ints]:
    """The distinct rows of codes, which of them each row is, and the sum of the counts of each."""
    columns = [np.ascontiguousarray(column) + np.int32(1) for column in codes.T]
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    first, group, summed = group_codes(columns, sizes, counts)
    return codes[first], group, summed


def blank_rounds(codes: Codes, counts: Ints, asked: list[Round], first: Ints, *, strictly: bool) -> Codes:
    """Return the codes of tuples with cells blanked until each matches what is asked, a blank matching anything.

    A blank never takes a match away, so what was reached for some columns stays so.
    """
    blanked = codes.copy()
    for needed, places in asked:
        part = [place for place in first.tolist() if place in places]
        tuples, group, many = distinct(blanked[:, part], counts)
        blanked[:, part] = blank_until_matching(tuples, many, needed, np.arange(len(part)), strictly=strictly)[group]
    return blanked
