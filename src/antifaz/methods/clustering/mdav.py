"""MDAV and its relatives: groups of at least k records that lie close together in their numbers."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import DataError, ParameterError
from antifaz.counting.records import Attribute, Records
from antifaz.methods.clustering.grouping import Grouping, smallest_size
from antifaz.methods.method import Task

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
GroupingMethod = Literal["mdav", "optimal", "single", "pca"]


class Mdav(Grouping):
    """Group records around those farthest from the average, and release every group as its mean."""

    numbers_only: ClassVar[bool] = True
    #: What the common checks try; `optimal` is for one column and has tests of its own.
    examples: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"method": "single"},
        {"method": "pca"},
        {"release": "interval"},
    )
    name: ClassVar[str] = "mdav"
    summary: ClassVar[str] = "Microaggregation: records with close numbers form groups of k, released as their mean."
    details: ClassVar[str] = (
        "For quasi-identifiers that are numbers without missing values; every column counts alike, whatever its unit. "
        "MDAV looks at all pairs of rows in the worst case, k times fewer in general; with one quasi-identifier, "
        "sorting does. 'optimal' finds the grouping of one column that loses least, 'single' sorts by the first "
        "quasi-identifier and 'pca' by the first principal component: fast, and coarser. Groups are made for k alone: "
        "other models are judged, and refused where they do not hold. Whole numbers are released as whole numbers "
        "unless keep_type is false, so sums are kept only approximately."
    )
    formula: ClassVar[str] = (
        "distance(x, y) = Σ_j (x_j − y_j)² / Var_j; groups = the k nearest to the row farthest from the centroid, and "
        "the k nearest to the row farthest from that, until fewer than 2k are left"
    )
    source: ClassVar[str] = (
        "J. Domingo-Ferrer and V. Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, "
        "DMKD 11, 2005; S. Hansen and S. Mukherjee, A polynomial algorithm for optimal univariate microaggregation, "
        "IEEE TKDE 15(4), 2003"
    )

    method: GroupingMethod = Field(
        default="mdav",
        description="How records are grouped: mdav, optimal (one quasi-identifier only), single, or pca.",
    )
    release: Literal["interval", "mode", "median", "mean"] = Field(
        default="mean",
        description="A group is released as one value for all, or as the span of its values ([20, 29]).",
    )

    def group(self, records: Records, task: Task) -> tuple[Ints, dict[str, Any]]:
        """Return the group of every record, and what was done."""
        columns = [_numbers(self.name, attribute) for attribute in records.attributes]
        if not columns:
            raise ParameterError("method.needs-a-number", name=self.name)
        if self.method == "optimal" and len(columns) > 1:
            raise ParameterError("method.optimal-needs-one-quasi-identifier", name=self.name, columns=len(columns))
        k = smallest_size(task)
        return group_numbers(np.stack(columns, axis=1), k, self.method), {"k": k, "grouped by": self.method}


def _numbers(name: str, attribute: Attribute) -> Floats:
    """The numbers of a quasi-identifier, one per row."""
    if attribute.scale is None or not attribute.kind.is_number:
        raise ParameterError(
            "method.quasi-identifier-not-numbers", name=name, column=attribute.column, kind=attribute.kind.value
        )
    numbers = attribute.scale[attribute.codes]
    missing = int(np.isnan(numbers).sum())
    if missing:
        raise DataError("method.column-has-missing-numbers", name=name, column=attribute.column, missing=missing)
    return numbers


def group_numbers(values: Floats, k: int, method: GroupingMethod) -> Ints:
    """Return the group (0, 1, …) of every row of `values`, finite numbers in rows and columns; 1 ≤ k ≤ rows.

    Every group has k rows or more, and fewer than 2k. Where there is one column, "mdav", "single" and "pca" are the
    same: sorted, cut into runs of k, the remainder in the last. "single" sorts by the first column. Of rows that
    tie in sorting, the earlier comes first.
    """
    rows, width = values.shape
    if k == 1:
        return np.arange(rows)
    if rows < 2 * k:
        return np.zeros(rows, np.int64)
    if method == "optimal":
        return _optimal(values[:, 0], k)
    if width == 1 or method == "single":
        return _runs(values[:, 0], k)
    columns = np.stack([normalized(column)[0] for column in values.T])
    if method == "pca":
        return _runs(_component(columns), k)
    from antifaz.kernels.microaggregation import mdav_groups

    groups = np.empty(rows, np.int64)
    mdav_groups(columns, _weights(columns), k, groups)
    return groups


def normalized(column: Floats) -> tuple[Floats, int]:
    """Return a column divided by a power of two so that all is within ±1, and the power.

    That changes no digit, and squares and sums of very large or small numbers stay finite.
    """
    power = int(np.frexp(np.abs(column).max(initial=0.0))[1])
    return np.ldexp(column, -power), power


def _weights(columns: Floats) -> Floats:
    """One over the population variance of every column; a constant column has no say."""
    constant = columns.max(axis=1) == columns.min(axis=1)
    return np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, columns.var(axis=1)))


def _runs(key: Floats, k: int) -> Ints:
    """Sort by a key and cut into runs of k; what remains joins the last run."""
    groups = np.empty(key.size, np.int64)
    groups[np.argsort(key, kind="stable")] = np.minimum(np.arange(key.size) // k, key.size // k - 1)
    return groups


def _optimal(column: Floats, k: int) -> Ints:
    from antifaz.kernels.microaggregation import optimal_groups

    order = np.argsort(column, kind="stable")
    runs, groups = np.empty(column.size, np.int64), np.empty(column.size, np.int64)
    optimal_groups(normalized(column[order])[0], k, runs)
    groups[order] = runs
    return groups


def _component(columns: Floats) -> Floats:
    """Every row's place on the first principal component of the standardized columns.

    A component has no sign of its own: the one is taken in which the loading of the greatest size (of equals the first)
    is positive.
    """
    standard = (columns - columns.mean(axis=1, keepdims=True)) * np.sqrt(_weights(columns))[:, None]
    loadings = np.linalg.eigh(standard @ standard.T / columns.shape[1])[1][:, -1]
    sizes = np.abs(loadings)
    # Nearly equal is equal: the last digits of a loading are another matter on every machine.
    if loadings[np.flatnonzero(sizes >= sizes.max() - 1e-9)[0]] < 0:
        loadings = -loadings
    # Added up column by column: a matrix product may give rows that are the same places that are not.
    place = np.zeros(columns.shape[1])
    for column, loading in zip(standard, loadings, strict=True):
        place += loading * column
    return place
