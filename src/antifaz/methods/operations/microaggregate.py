"""Microaggregation: numbers are replaced by an average of the group of at least k records that they belong to."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.counting.microaggregation import group_numbers, normalized
from antifaz.methods.operations.grouped import GroupedPerturbation
from antifaz.methods.operations.operation import NumberPerturbation
from antifaz.sources.column_values import read_numbers, write_numbers

MicroaggregationMethod = Literal["mdav", "optimal", "single", "pca", "onedims"]
Aggregate = Literal["mean", "median", "mode"]


def _whole(k: Any) -> Any:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ValueError(Message("expected.whole-number-of-at-least-1"))
    return int(k)


def _one_of(choices: Any) -> BeforeValidator:
    known = get_args(choices)

    def known_one(value: Any) -> Any:
        if value not in known:
            raise ValueError(Message("expected.known-name", known=known, hint=hint(str(value), known)))
        return value

    return BeforeValidator(known_one)


class Microaggregate(NumberPerturbation, GroupedPerturbation):
    """Replaces numbers by the average of the group of at least k records that they belong to."""

    name: ClassVar[str] = "microaggregate"
    summary: ClassVar[str] = (
        "Numbers are replaced by the average of groups of at least k records that lie close together."
    )
    details: ClassVar[str] = (
        "Numbers only, none missing, all finite: a group that is averaged over fewer than k values would not hide k "
        "people. With fewer than 2k records all are one group; more than there are records is refused as k. Within "
        "strata that holds of each; of households, k are counted. With one column all methods but 'optimal' sort and "
        "cut into runs of k, the greatest values taking the remainder. Whole numbers that are kept so keep their sums "
        "only approximately."
    )
    formula: ClassVar[str] = "x' = mean{y : y in the group of x}, each group of k to 2k − 1 records"
    source: ClassVar[str] = (
        "J. Domingo-Ferrer, V. Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, 2005"
    )
    primary: ClassVar[str] = "k"
    draws: ClassVar[bool] = False

    k: Annotated[int, BeforeValidator(_whole)] = Field(ge=1, description="The least number of records in a group.")
    method: Annotated[MicroaggregationMethod, _one_of(MicroaggregationMethod)] = Field(
        default="mdav",
        description="'mdav' groups by all columns at once around the rows farthest from the average, each column "
        "weighted by one over its variance (constant columns have no say); 'pca' sorts by the first principal "
        "component; 'single' sorts by the first of the columns; 'onedims' groups every column by itself, so that rows "
        "share k values only column by column; 'optimal' loses least of all groupings, for one column only.",
    )
    aggregate: Annotated[Aggregate, _one_of(Aggregate)] = Field(
        default="mean",
        description="'mean', 'median' (of two in the middle their mean) or 'mode' (the median where it is not unique).",
    )

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Group the records and average."""
        if self.method == "optimal" and len(columns) > 1:
            raise ParameterError("operation.optimal-needs-one-column", name=self.name)
        if self.k > table.num_rows:
            raise ParameterError("operation.k-above-records", name=self.name, k=self.k, rows=table.num_rows)
        read = [read_numbers(self.name, table, name, missing=False) for name in columns]
        values = np.stack([column.values for column in read], axis=1)
        if self.method == "onedims":
            parts = [group_numbers(values[:, [c]], self.k, "mdav") for c in range(len(columns))]
        else:
            parts = [group_numbers(values, self.k, self.method)] * len(columns)
        for column, groups in zip(read, parts, strict=True):
            averages = _aggregated(column.values, groups, self.aggregate)
            table = write_numbers(self.name, table, column, averages, self.keep_type)
        return table


def _aggregated(column: Floats, groups: Ints, aggregate: Aggregate) -> Floats:
    small, power = normalized(column)
    sizes = np.bincount(groups)
    if aggregate == "mean":
        # Counted from one of the group's values: so the mean of equal values is that value.
        base = np.empty(sizes.size)
        base[groups] = small
        averages = base + np.bincount(groups, weights=small - base[groups]) / sizes
        return np.asarray(np.ldexp(averages, power)[groups])
    order = np.lexsort((small, groups))
    values, starts = small[order], np.cumsum(sizes) - sizes
    averages = np.asarray((values[starts + (sizes - 1) // 2] + values[starts + sizes // 2]) / 2)
    if aggregate == "mode":
        averages = _modes(values, groups[order], averages)
    return np.ldexp(averages, power)[groups]


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
