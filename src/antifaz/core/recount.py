"""The result of a recount: what the auditors of all engines share. Nothing is shared with what methods count by.

The policy. Quasi-identifiers are compared byte by byte, because a recipient can tell apart whatever differs; missing is
a value of its own, and not the empty text. Columns that hold numbers as numbers are compared by value. Sensitive values
are folded first (`core.folding`), because a reader takes four spellings of one disease for one disease.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.counted_people import CountedPeople
from antifaz.core.errors import DataError, SchemaError, hint
from antifaz.core.folding import number

#: The attribute that tells released rows from people, and its two values; no file brings it along by accident.
ROW_KIND, RELEASED, PERSON = "antifaz side", "released", "person"


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """How often each sensitive value occurs in each class: one entry per pair that occurs, by class and value.

    `labels` says what each value id stands for, after folding; None is the missing value.
    """

    classes: Ints
    values: Ints
    counts: Ints
    labels: tuple[str | None, ...]

    @cached_property
    def numeric(self) -> bool:
        """Whether all values that are not missing are numbers."""
        known = [label for label in self.labels if label is not None]
        return bool(known) and all(number(label) is not None for label in known)

    @property
    def totals(self) -> dict[str | None, int]:
        """How often each value occurs in the whole table."""
        sums = np.zeros(len(self.labels), dtype=np.int64)
        np.add.at(sums, self.values, self.counts)
        return {label: int(total) for label, total in zip(self.labels, sums, strict=True)}


@dataclass(frozen=True, eq=False)
class Recount:
    """What a table holds, counted from its rows alone; classes are in the order of their values."""

    rows: int
    columns: tuple[str, ...]
    #: Records per class.
    sizes: Ints
    #: Per sensitive attribute.
    cells: Mapping[str, SensitiveCounts]
    #: Per quasi-identifier, every value that occurs, as text.
    values: Mapping[str, frozenset[str | None]] = field(default_factory=dict)
    #: Per quasi-identifier, the value of every class as a number, only where it was asked for: its place among `values`
    #: in the order of their texts, from 1 on, and -1 where it is missing.
    classes: Mapping[str, Ints] | None = None
    #: The sum of the hashes of all rows, as the writer took it; only where it was asked for.
    fingerprint: int | None = None
    #: The released rows and the people of a population counted together by the quasi-identifiers, where asked for; the
    #: one sensitive attribute says of each which of the two it is.
    population: "Recount | None" = None
    #: Who is in which class, where person keys were given.
    people: CountedPeople | None = None


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Rows that were counted where they are, for an auditor elsewhere to go on with.

    `atoms` is an Arrow table of texts: quasi-identifiers q0, q1, …, sensitive attributes s0, s1, …, where people are
    counted their keys p0, p1, …, and the count n.
    """

    columns: tuple[str, ...]
    atoms: Any


def require_columns(names: Iterable[str], columns: Sequence[str]) -> None:
    """Raise unless a table has columns of different names, these among them."""
    if len(set(columns)) < len(columns):
        raise DataError("table.checked-has-column-twice")
    if not columns:
        raise DataError("table.checked-no-columns")
    for name in names:
        if name not in columns:
            raise SchemaError("table.checked-lacks-column", name=name, hint=hint(name, columns))


def coded(column: Any) -> Ints:
    """Give every value of an Arrow column its place in the order of their texts, from 1 on, and -1 to missing ones."""
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(column.combine_chunks())
    texts = encoded.dictionary.cast("string").to_pylist()
    places = np.full(len(texts) + 1, -1, np.int64)
    places[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(1, len(texts) + 1)
    return places[np.asarray(pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False), np.int64)]
