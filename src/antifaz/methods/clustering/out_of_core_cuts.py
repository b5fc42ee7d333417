"""Where a part is cut, found from how often each place occurs in it; the same as `kernels.mondrian` finds from rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from antifaz.engines.boxes import Box, Margins

if TYPE_CHECKING:
    from antifaz.kernels.mondrian import Space

#: An attribute, and the first place that goes to the second side.
Cut = tuple[int, int]


def apart(space: Space, box: Box, margins: Margins, k: int) -> Cut | None:
    """Cut what is missing from what is known in the first attribute that allows it."""
    for a, counts in enumerate(margins):
        missing = int(counts[len(_known(space, box, counts, a)) :].sum())
        if missing >= k and int(counts.sum()) - missing >= k:
            return a, int(space.known[a])
    return None


def in_the_middle(space: Space, box: Box, margins: Margins, k: int) -> Cut | None:
    """Cut at the median of the widest attribute that can be cut, equal values on one side."""
    size = int(margins[0].sum())
    if size < 2 * k:
        return None
    widths = np.array([_width(space, box, counts, a) for a, counts in enumerate(margins)])
    while widths.max() > 0:
        a = int(np.argmax(widths))  # the first of equals
        known = _known(space, box, margins[a], a)
        reached = np.append(np.cumsum(known), size)
        at = int(np.searchsorted(reached, (size - 1) // 2, side="right"))
        below = int(reached[at - 1]) if at else 0
        upto = int(reached[at])
        # The median belongs to the left; where that leaves too few on the right, it is the first on the right.
        left, place = (upto, at + 1) if size - upto >= k else (below, at)
        if left >= k and size - left >= k:
            return a, int(box[a, 0]) + place
        widths[a] = 0.0
    return None


def _width(space: Space, box: Box, counts: NDArray[np.int64], a: int) -> float:
    """Return how wide an attribute is in a part, as a share of its width in the data."""
    occur = np.flatnonzero(_known(space, box, counts, a))
    if occur.size < 2:
        return 0.0
    if space.category[a]:
        width = float(occur.size - 1)
    else:
        places = space.places[space.starts[a] + box[a, 0] + occur[[0, -1]]]
        width = float(places[1] - places[0])
    return width / float(space.ranges[a])


def _known(space: Space, box: Box, counts: NDArray[np.int64], a: int) -> NDArray[np.int64]:
    return counts[: max(int(space.known[a]) - int(box[a, 0]), 0)]
