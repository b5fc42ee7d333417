"""Key frequencies: how many records of the table, and about how many people, have a record's combination of values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.core.errors import DataError, ParameterError, SchemaError, hint, silence
from antifaz.counting.frequencies import group_codes
from antifaz.counting.matching import count_matches

#: What a blank is: a value of its own, which only other blanks share; or unknown, which any value matches.
Missing = Literal["value", "match"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Keys:
    """Some columns of all rows as codes, and their distinct tuples."""

    columns: tuple[str, ...]
    #: One row per distinct tuple, one column per key; codes follow the sorted values, -1 is missing.
    codes: Codes = field(repr=False)
    #: How many values each key has.
    sizes: tuple[int, ...]
    #: How many records have each tuple.
    counts: Ints = field(repr=False)
    #: Which tuple each record has.
    tuple_of: Ints = field(repr=False)

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.tuple_of.size


@dataclass(frozen=True, kw_only=True, eq=False)
class Frequencies:
    """Per record, in the order of the table: how many records look like it, and how many people they stand for."""

    #: Records of the table with the same key, the record itself included.
    sample: Ints = field(repr=False)
    #: The sum of their weights; without weights, their number.
    population: Floats = field(repr=False)
    missing: Missing

    def below(self, k: int) -> int:
        """Return how many records violate k-anonymity, in this reading of blanks."""
        return int((self.sample < check_k("frequencies", k)).sum())


def frequencies(
    frame: Any, columns: Sequence[str] | str, *, weights: Any = None, missing: Missing = "value"
) -> Frequencies:
    """Count for every record how many share its key, and estimate how many people do.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The key: columns whose values an intruder may know.
        weights: The name of a column, or one number per record: how many people of the population it stands for.
        missing: "value": a blank is a value of its own, as a reader of the table sees it (the strict reading, and what
            the gate counts). "match": a blank matches any value, as in sdcMicro; a record that is alone may then count
            as hidden because others are blank.
    """
    check_choice("frequencies", "missing", missing, get_args(Missing))
    table = arrow(frame)
    keys = read_keys(table, columns, "frequencies")
    return key_frequencies(keys, read_weights(table, weights, "frequencies"), missing)


def key_frequencies(keys: Keys, weights: Floats | None, missing: Missing) -> Frequencies:
    """Count keys that were read."""
    counts = keys.counts.copy()
    weighed = counts.astype(np.float64)
    if weights is not None:
        weighed = np.bincount(keys.tuple_of, weights=weights, minlength=counts.size).astype(np.float64)
    if missing == "match":
        counts, weighed = count_matches(keys.codes, counts, weighed)
    return Frequencies(sample=counts[keys.tuple_of], population=weighed[keys.tuple_of], missing=missing)


def arrow(frame: Any) -> Any:
    """Return a frame as an Arrow table."""
    from antifaz.sources.frames import to_arrow

    return to_arrow(frame)


def read_keys(table: Any, columns: Sequence[str] | str, what: str) -> Keys:
    """Read some columns of an Arrow table; `what` is said in errors."""
    from antifaz.sources.frames import column_names

    names = tuple(column_names(what, columns))
    read = [read_codes(table, name, what) for name in names]
    # Missing is -1, and codes to pack start at 0.
    shifted, sizes = [codes + np.int32(1) for codes, _ in read], [size for _, size in read]
    first, tuple_of, counts = group_codes(shifted, [size + 1 for size in sizes], np.ones(table.num_rows, np.int64))
    distinct = np.stack([codes[first] for codes, _ in read], axis=1).astype(np.int32)
    return Keys(columns=names, codes=distinct, sizes=tuple(sizes), counts=counts, tuple_of=tuple_of)


def read_codes(table: Any, name: str, what: str) -> tuple[Codes, int]:
    """Return the code of every row of a column, which follow its sorted values, -1 for missing; and how many."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if name not in table.column_names:
        raise SchemaError("column.unknown", name=name, hint=hint(str(name), table.column_names))
    try:
        column = pc.dictionary_encode(plain_column(table, name))
        order = pc.array_sort_indices(column.dictionary).to_numpy()
    except (pa.ArrowException, AttributeError, ValueError) as error:
        silence(error)
        raise SchemaError("risk.column-holds-no-single-values", what=what, name=name) from None
    rank = np.empty(order.size + 1, np.int32)
    rank[order], rank[-1] = np.arange(order.size), -1
    return rank[pc.fill_null(column.indices, -1).to_numpy()], order.size


def plain_column(table: Any, name: str) -> Any:
    """Return a column as one array: without a dictionary of its own, and text in a form that Arrow can work with."""
    import pyarrow as pa

    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        # It may hold values that do not occur, or twice.
        column = column.cast(column.type.value_type)
    if str(column.type) == "string_view":
        column = column.cast(pa.large_string())
    return column.combine_chunks()


def read_weights(table: Any, weights: Any, what: str) -> Floats | None:
    """Return the weight of every row: a column's, or what was given; None where nothing was."""
    if weights is None:
        return None
    if isinstance(weights, str):
        if weights not in table.column_names:
            raise SchemaError("column.unknown", name=weights, hint=hint(weights, table.column_names))
        weights = table.column(weights)
    try:
        numbers = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise DataError("risk.weights-not-numbers", what=what) from None
    if numbers.shape != (table.num_rows,):
        raise DataError("risk.weights-of-other-length", what=what, rows=table.num_rows)
    bad = int((~(np.isfinite(numbers) & (numbers > 0))).sum())
    if bad:
        raise DataError("risk.weights-not-positive", what=what, bad=bad)
    return numbers


def check_choice(what: str, parameter: str, value: object, known: Sequence[str]) -> None:
    """Refuse what is none of a few choices."""
    if value not in known:
        near = hint(str(value), known)
        raise ParameterError("parameter.not-one-of", what=what, parameter=parameter, value=value, hint=near)


def check_k(what: str, k: object) -> int:
    """Return k, a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError("parameter.k-below-1", what=what, k=k)
    return int(k)
