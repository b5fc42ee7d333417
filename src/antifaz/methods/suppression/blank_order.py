"""What is asked of which columns, and which of them are blanked first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations as subsets
from itertools import islice
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError, hint
from antifaz.counting.frequencies import group_codes
from antifaz.risk.keys import check_k

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
#: So many records for this set of columns.
RequiredCombination = tuple[int, tuple[int, ...]]
Importance = Mapping[str, float] | Sequence[str] | None


def blank_first(importance: Importance, columns: Sequence[str], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the positions of the columns, the one to be blanked first first.

    `importance` names columns, the most important first, or gives each a number, greater for the more important; those
    not named are the least important. Without it, columns with many values are blanked first: each of their values says
    little of many people, and they are what makes records rare.
    """
    many, last = -np.array(sizes, np.int64), -np.arange(len(columns))
    if importance is None:
        return np.lexsort((last, many))
    if isinstance(importance, str):
        importance = [importance]
    if not isinstance(importance, (Mapping, Sequence)):
        raise ParameterError("method.importance-not-a-list")
    for name in importance:
        if name not in columns:
            raise ParameterError("method.importance-names-unknown-column", name=name, hint=hint(str(name), columns))
    if isinstance(importance, Mapping):
        if not all(isinstance(weight, (int, float)) and isfinite(weight) for weight in importance.values()):
            raise ParameterError("method.importance-not-a-number")
        given = {name: float(weight) for name, weight in importance.items()}
    else:
        given = {name: float(len(importance) - place) for place, name in enumerate(importance)}
        if len(given) < len(importance):
            raise ParameterError("method.importance-names-column-twice")
    least = min(given.values(), default=0.0) - 1
    return np.lexsort((last, many, np.array([given.get(name, least) for name in columns])))


def sets_in_order(width: int, most: int) -> list[tuple[int, ...]]:
    """Return the sets of places below `width`, smaller ones first, then those with low places; at most so many.

    The set of all is always among them.
    """
    found: list[tuple[int, ...]] = []
    for size in range(1, width + 1):
        if len(found) >= most:
            break
        # By their highest place, then the next: the column to be kept longest decides.
        found += sorted(islice(subsets(range(width), size), most), key=lambda places: places[::-1])
    found = found[:most]
    everything = tuple(range(width))
    return found if everything in found else [*found, everything]


def required_combinations(
    what: str, width: int, k: int | None, combinations: Mapping[int, int] | None
) -> list[RequiredCombination]:
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
