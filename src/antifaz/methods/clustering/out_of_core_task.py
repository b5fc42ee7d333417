"""What Mondrian is handed when the records do not fit in memory, and what it is estimated to take."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.records import Records
from antifaz.engines.boxes import Boxes
from antifaz.methods.method import Task

#: Bytes of a distinct value while it is put in order: its text, its spelling, its number, its place in two tables.
_VALUE = 700


@dataclass(frozen=True, kw_only=True, eq=False)
class PartTask(Task):
    """A task about records that stay where they are."""

    #: What codes mean, and how many records there are; it holds none of them.
    whole: Records = field(repr=False)
    boxes: Boxes = field(repr=False)
    #: How many records may be held in memory at a time.
    fit: int
    #: Per attribute how many records have each code.
    totals: tuple[NDArray[np.int64], ...] = field(repr=False)


def bytes_in_memory(rows: int, attributes: int, columns: int) -> int:
    """Estimate what a run takes that holds all records, beside the program itself.

    Measured: a record takes up to 110 bytes per attribute that is counted (its texts and codes, where it comes to lie
    among the groups, its labels), and 30 per column of the released row.
    """
    return rows * (110 * attributes + 30 * columns)


def bytes_held(attributes: int) -> int:
    """Estimate what a record takes that is held while parts are finished.

    As a tuple: four bytes per attribute and twelve of count, in the chunk of every attribute and among the slices, and
    once more on the way. As a record: its ranks, a copy of them, its codes and its order by every attribute; its group,
    its labels, and room to count the members of groups.
    """
    tuples = (attributes + 3) * (4 * attributes + 12)
    record = 4 * (4 * attributes + 2) + 64
    return tuples + record


def bytes_of_values(distinct: int) -> int:
    """Estimate what the distinct values of all quasi-identifiers take."""
    return distinct * _VALUE
