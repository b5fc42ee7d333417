"""Changes: what operations do to the cells of columns, in a form that every engine can carry out where the rows are.

A change is a piece of work from arrays to an array. An engine hands it the cells of the columns it needs, in pieces of
any size; where the work depends on the values alone, the engine may as well hand it distinct values only and map every
row, as a database does by joining a table of values and results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Flags
from antifaz.core.types import DataType

#: Arrays of the same length in, an array of that length out. It must be possible to pickle it.
Work = Callable[[Sequence[pa.Array]], pa.Array]

#: So many rows are worked on at a time, so that no array of text outgrows Arrow's 32-bit offsets.
PIECE = 1 << 20
#: Up to so many distinct values are held at once for a change that should see each value once.
MOST_VALUES = 1 << 22
_TEXTS = (pa.string(), pa.large_string(), pa.string_view())


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnChange:
    """What becomes of one column."""

    column: str
    #: The columns that the work is handed, the changed one first.
    needs: tuple[str, ...]
    work: Work
    #: Whether the result depends on the needed values alone, so that it may be worked out for distinct values only.
    by_value: bool = True
    #: Whether each value costs so much that equal ones should be worked on once.
    costly: bool = False
    #: Where each cell's result is drawn: the secret from which a number between 0 and 1 follows for every row, whatever
    #: the order of rows and however they are partitioned; the work gets these as a last array. Only for Spark, whose
    #: rows have no order.
    key: int | None = None
    #: How the result is to be understood: text is then stored as text; None stays as it came, also in how it is stored.
    result: DataType | None = None

    def of(self, arrays: Sequence[pa.Array]) -> pa.Array:
        """Work out the new cells, the type of the result being what the change promises."""
        arrays = [plain(array) for array in arrays]
        if self.costly and self.by_value and len(arrays) == 1:
            encoded = arrays[0].dictionary_encode()
            made = self.work([encoded.dictionary]).take(encoded.indices)
        else:
            made = self.work(arrays)
        kind = stored(arrays[0].type, self.result)
        return made if made.type == kind else made.cast(kind)

    def known(self, values: pa.Array) -> "ColumnChange":
        """Return the same change with the work on all its distinct values done."""
        distinct = plain(values)
        return replace(self, work=partial(_look_up, distinct, self.of([distinct])), costly=False)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Which rows are kept: so many of them, chosen by a secret key, or those that are told."""

    number: int
    key: int
    kept: Flags | None = None


def _look_up(values: pa.Array, results: pa.Array, arrays: Sequence[pa.Array]) -> pa.Array:
    return results.take(pc.index_in(arrays[0], value_set=values))


def plain(array: pa.Array) -> pa.Array:
    """Return an array without a dictionary, its text in the one width that the works are written for."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array.cast(pa.string()) if array.type in _TEXTS else array


def stored(kind: pa.DataType, result: DataType | None) -> pa.DataType:
    """Return the Arrow type of a column of the type `kind` after a change with that result."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if kind in _TEXTS or result is DataType.TEXT:
        return pa.string()
    return pa.float64() if result is DataType.DECIMAL else kind
