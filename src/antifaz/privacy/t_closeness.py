"""t-closeness with equal, ordered and hierarchical ground distance."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.privacy.model import SensitiveModel, largest, per_class

#: A class exactly at the limit must not fail by the last bit of a sum.
SLACK = 1e-12


class TCloseness(SensitiveModel):
    """The sensitive values of every class are distributed nearly as in the whole table."""

    name: ClassVar[str] = "t-closeness"
    summary: ClassVar[str] = "In every class the sensitive values are distributed nearly as in the whole table."
    details: ClassVar[str] = (
        "Whoever finds a person's class learns little that the whole table does not tell. equal: all different values "
        "are equally far apart. ordered: values are as far apart as their ranks (numbers by value, else by text). "
        "hierarchical: as far as the height of their lowest common ancestor; give the sensitive attribute a hierarchy. "
        "The whole table is the data before anyone is left out; in a table that is only checked, the table itself."
    )
    formula: ClassVar[str] = "earth mover's distance between the class's and the table's distribution ≤ t"
    source: ClassVar[str] = "N. Li, T. Li, S. Venkatasubramanian, t-closeness, ICDE 2007"
    primary: ClassVar[str] = "t"
    counts_people: ClassVar[bool] = True
    monotone_generalization: ClassVar[bool] = True
    #: A class that takes in others may drift away from the table.
    monotone_suppression: ClassVar[bool] = False

    t: float = Field(ge=0, le=1, description="The largest distance allowed.")
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal", description="How far apart two values are."
    )

    @property
    def divides_people(self) -> bool:
        """Distances are between distributions."""
        return True

    @property
    def needs_tree(self) -> bool:
        """Only the hierarchical distance asks how values are related."""
        return self.distance == "hierarchical"

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it is close enough to the whole table."""
        return self._distances(classes) <= self.t + SLACK

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the largest distance of a class."""
        return largest(self._distances(classes))

    def _distances(self, classes: ClassTable) -> NDArray[np.float64]:
        table = self.table(classes)
        if not classes.sizes.size:
            return np.zeros(0)
        whole = table.totals / table.totals.sum() if table.totals.sum() else table.totals.astype(np.float64)
        if self.distance == "equal":
            here = table.counts / classes.sizes[table.classes]
            return per_class(table, np.maximum(here - whole[table.values], 0.0))
        from antifaz.kernels.distances import hierarchical_distances, ordered_distances  # here: they bring Numba

        cells, out = (table.offsets, table.values, table.counts, whole), np.empty(classes.sizes.size, np.float64)
        if self.distance == "ordered":
            ordered_distances(*cells, out)
        else:
            hierarchical_distances(*cells, *_parents(table, self.name), out)
        return out


def _parents(table: SensitiveTable, model: str) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Turn 'which node is above each value, per level' into 'which node is above each node'."""
    if table.up is None:
        raise ParameterError("model.distance-needs-hierarchy", model=model)
    parts = []
    for low, high in zip(table.up[:-1], table.up[1:], strict=True):
        step = np.zeros(int(low.max()) + 1, np.int32)
        step[low] = high
        parts.append(step)
    starts = np.concatenate([[0], np.cumsum([part.size for part in parts])]).astype(np.int64)
    return np.concatenate(parts) if parts else np.zeros(0, np.int32), starts
