"""Grouping of rows by numbers that lie close together: MDAV and its relatives, for groups of at least k rows."""

from typing import Literal

import numpy as np

from antifaz.core.arrays import Floats, Ints

GroupingMethod = Literal["mdav", "optimal", "single", "pca"]


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
        from antifaz.kernels.microaggregation import optimal_groups

        order = np.argsort(values[:, 0], kind="stable")
        runs, groups = np.empty(rows, np.int64), np.empty(rows, np.int64)
        optimal_groups(normalized(values[order, 0])[0], k, runs)
        groups[order] = runs
        return groups
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
