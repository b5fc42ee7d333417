"""Microaggregation: numbers are replaced by an average of the group of at least k records that they belong to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import DataError, ParameterError, SchemaError, hint
from antifaz.engines.local.frames import kind_of, to_arrow, to_kind
from antifaz.methods.clustering.mdav import group_numbers, normalized

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MicroaggregationMethod = Literal["mdav", "optimal", "single", "pca", "onedims"]
Aggregate = Literal["mean", "median", "mode"]

#: How Arrow spells the types that are numbers; booleans and dates are none.
_NUMBERS = ("int", "uint", "halffloat", "float", "double", "decimal")


def microaggregate(
    frame: Any,
    *,
    columns: Sequence[str] | str,
    k: int,
    method: MicroaggregationMethod = "mdav",
    aggregate: Aggregate = "mean",
    keep_type: bool = False,
    seed: int | None = None,
) -> Any:
    """Return a frame of the same kind in which numbers are replaced by the average of groups of at least k records.

    Rows keep their order and all other columns stay as they are, so whoever knows a person's place in the table still
    knows which row is theirs: what comes out is not a release. `frame` itself is not changed. As everywhere, the index
    of a pandas frame is not data and is left out.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The columns to replace: numbers, none missing, all finite. Missing values are refused, because a group
            that is averaged over fewer than k values would not hide k people.
        k: The least number of records in a group. With fewer than 2k records all are one group.
        method: "mdav" groups by all columns at once around the rows farthest from the average, each column weighted by
            one over its variance (constant columns have no say); "pca" sorts by the first principal component;
            "single" sorts by the first of `columns`; "onedims" groups every column by itself, so that rows share k
            values only column by column; "optimal" loses least of all groupings, for one column only. With one column
            all but "optimal" sort and cut into runs of k, the greatest values taking the remainder.
        aggregate: "mean", "median" (of two in the middle their mean) or "mode" (the median where it is not unique).
        keep_type: Keep each column's type: whole numbers are rounded (a half to even), and sums are then kept only
            approximately. Otherwise the columns become 64-bit floats.
        seed: Nothing here is random; taken so that all perturbations are called alike.
    """
    names = _names(columns)
    _choice("method", method, get_args(MicroaggregationMethod))
    _choice("aggregate", aggregate, get_args(Aggregate))
    if method == "optimal" and len(names) > 1:
        raise ParameterError("microaggregate: method 'optimal' is for one column; call it for each, or take 'mdav'.")
    table = to_arrow(frame)
    _check_size(k, table.num_rows)
    values = np.stack([_read(table, name) for name in names], axis=1)
    if method == "onedims":
        parts = [group_numbers(values[:, [c]], k, "mdav") for c in range(len(names))]
    else:
        parts = [group_numbers(values, k, method)] * len(names)
    for name, column, groups in zip(names, values.T, parts, strict=True):
        table = _write(table, name, _aggregated(column, groups, aggregate), keep_type)
    return to_kind(table, kind_of(frame) or "pyarrow")


def _names(columns: Sequence[str] | str) -> list[str]:
    if not isinstance(columns, Sequence):
        raise ParameterError("microaggregate: columns should be a column's name, or a list of names.")
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise ParameterError("microaggregate: columns should name at least one column.")
    if len(set(names)) < len(names):
        raise ParameterError("microaggregate: columns names a column twice.")
    return names


def _choice(parameter: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ParameterError(f"microaggregate: {parameter} can't be {value!r}{hint(str(value), known)}.")


def _check_size(k: int, rows: int) -> None:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"microaggregate: k should be a whole number of at least 1 (got {k!r}).")
    if k > rows:
        raise ParameterError(f"microaggregate: k = {k} is more than the {rows:,} records there are.")


def _read(table: Any, name: str) -> Floats:
    """A column of an Arrow table as numbers, or a sentence on what is wrong with it."""
    if name not in table.column_names:
        raise SchemaError(f"There is no column {name!r}{hint(str(name), table.column_names)}.")
    column = table.column(name)
    if not str(column.type).startswith(_NUMBERS):
        raise SchemaError(f"microaggregate: column {name!r} is not numbers but {column.type}.")
    if column.null_count:
        raise DataError(
            f"microaggregate: column {name!r} has {column.null_count:,} missing values; fill them or leave these rows "
            "out first."
        )
    try:
        values = np.asarray(column.cast("float64").to_numpy(), np.float64)
    except ValueError:
        # Its own message would quote a cell.
        raise DataError(
            f"microaggregate: column {name!r} has whole numbers beyond 2^53, which have no exact average."
        ) from None
    strange = int((~np.isfinite(values)).sum())
    if strange:
        raise DataError(f"microaggregate: column {name!r} has {strange:,} values that are infinite or not a number.")
    return values


def _write(table: Any, name: str, values: Floats, keep_type: bool) -> Any:
    """The table with a column replaced."""
    at, kind = table.column_names.index(name), table.column(name).type
    if not keep_type:
        return _forget(table.set_column(at, name, [values]), name)
    whole = np.rint(values) if str(kind).startswith(("int", "uint")) else values
    column = table.set_column(at, name, [whole]).column(name).cast(kind, safe=False)
    return table.set_column(at, table.schema.field(at), column)


def _forget(table: Any, name: str) -> Any:
    """Take a column out of the description that pandas attached: it would turn averages into whole numbers again."""
    metadata = dict(table.schema.metadata or {})
    if b"pandas" not in metadata:
        return table
    described = json.loads(metadata[b"pandas"])
    described["columns"] = [c for c in described.get("columns", []) if c.get("field_name", c.get("name")) != name]
    return table.replace_schema_metadata({**metadata, b"pandas": json.dumps(described).encode()})


def _aggregated(column: Floats, groups: Ints, aggregate: Aggregate) -> Floats:
    """The average of every row's group."""
    small, power = normalized(column)
    if aggregate == "mean":
        found = _means(small, groups)
    else:
        order = np.lexsort((small, groups))
        found = _medians(small[order], groups[order])
        if aggregate == "mode":
            found = _modes(small[order], groups[order], found)
    return np.ldexp(found, power)[groups]


def _means(column: Floats, groups: Ints) -> Floats:
    """The mean of every group, counted from one of its values: so the mean of equal values is that value."""
    sizes = np.bincount(groups)
    base = np.empty(sizes.size)
    base[groups] = column
    return base + np.bincount(groups, weights=column - base[groups]) / sizes


def _medians(ordered: Floats, groups: Ints) -> Floats:
    """The middle value of every group, of two their mean; by group, then by value."""
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    return np.asarray((ordered[starts + (sizes - 1) // 2] + ordered[starts + sizes // 2]) / 2)


def _modes(ordered: Floats, groups: Ints, otherwise: Floats) -> Floats:
    """The most frequent value of every group, or what is given otherwise where several are."""
    begins = np.concatenate([[True], (ordered[1:] != ordered[:-1]) | (groups[1:] != groups[:-1])])
    first = np.flatnonzero(begins)
    lengths = np.diff(np.append(first, ordered.size))
    owner = groups[first]
    most = np.maximum.reduceat(lengths, np.searchsorted(owner, np.arange(otherwise.size)))
    top = lengths == most[owner]
    modes = otherwise.copy()
    alone = top & (np.bincount(owner, weights=top) == 1)[owner]
    modes[owner[alone]] = ordered[first[alone]]
    return modes
