"""MDAV and its relatives: microaggregation of the quasi-identifiers, released as means."""

from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import DataError, ParameterError
from antifaz.counting.group_labels import Release
from antifaz.counting.microaggregation import GroupingMethod, group_numbers
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.methods.clustering.grouping import Grouping
from antifaz.methods.method import Task


class Mdav(Grouping):
    """Group records around those farthest from the average, and release every group as its mean."""

    numbers_only: ClassVar[bool] = True
    cells_per_second: ClassVar[int | None] = 20_000
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
    release: Release = Field(
        default="mean", description="A group is released as one value for all, or as the span of its values ([20, 29])."
    )

    def group(self, records: Records, task: Task) -> tuple[Ints, dict[str, Any]]:
        """Return the group of every record, and what was done."""
        columns = [_numbers(self.name, attribute) for attribute in records.attributes]
        if not columns:
            raise ParameterError("method.needs-a-number", name=self.name)
        if self.method == "optimal" and len(columns) > 1:
            raise ParameterError("method.optimal-needs-one-quasi-identifier", name=self.name, columns=len(columns))
        k = task.k
        return group_numbers(np.stack(columns, axis=1), k, self.method), {"k": k, "grouped by": self.method}


def _numbers(name: str, attribute: QuasiIdentifier) -> Floats:
    if attribute.scale is None or not attribute.kind.is_number:
        raise ParameterError(
            "method.quasi-identifier-not-numbers", name=name, column=attribute.column, kind=attribute.kind.value
        )
    numbers = attribute.scale[attribute.codes]
    missing = int(np.isnan(numbers).sum())
    if missing:
        raise DataError("method.column-has-missing-numbers", name=name, column=attribute.column, missing=missing)
    return numbers
