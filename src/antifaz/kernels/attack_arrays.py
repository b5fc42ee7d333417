"""What attackers are asked with: the costs of cells that do not fit, the states of cells, and the arrays of an index.

Costs are whole numbers, so that ties are ties on every machine. Per column 0 is a fit, `ONE` is the worst, `HINT` is
what a cell costs that says nothing, and `MISS` is added to every gap, so that the end of an interval that does not
belong to it is no fit.
"""

from typing import NamedTuple

from antifaz.kernels import Codes, Floats, Ints

ONE = 1_000_000
MISS = 100
HINT = 1
#: States of a cell: a stretch; anything; missing in a person; blank in a release.
SOME, ALL, MISSING, BLANK = 0, 1, 2, 3
#: What is where in a row of `asked`: the ends, the state, the cost of all that does not fit (-1: it depends), a unit's.
LOW, HIGH, STATE, SAME, UNIT = 0, 1, 2, 3, 4
#: Of a column with no more items than this, which of them fit is found out once and not for every tuple.
FEW = 4096
#: More than any sum of costs.
FAR = 1 << 60


class LeadArrays(NamedTuple):
    """Tuples in the order of one column: their codes, their numbers, where each item's are, the highest end so far."""

    codes: Codes
    order: Codes
    runs: Ints
    reach: Floats


class LabelArrays(NamedTuple):
    """What labels mean, those of a column from `base[c]` on: ends and state, and the categories that they cover."""

    base: Ints
    cells: Floats
    offsets: Ints
    members: Ints
