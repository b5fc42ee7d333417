"""Count released rows again in the database, from the table that was written: the evidence that the gate judges.

One plain grouping on the server, and the policy of `engines.recount`. Nothing of what counted and made the rows is
used. What comes out are the classes, the sensitive values in them, and how often each occurs.
"""

# Statements are put together from quoted names and names made here (q0, s1).
# ruff: noqa: S608
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.errors import DataError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.engines.database.errors import database_errors
from antifaz.engines.database.server_table import ServerTable
from antifaz.engines.engine import Applied, Auditor
from antifaz.engines.recount import PERSON, RELEASED, ROW_KIND, Recount, SensitiveCounts, coded, fold, number

_READING = Message("table.checked-not-readable")


class DatabaseAuditor(Auditor):
    """Counts tables on a server; files and frames are another auditor's.

    Keep it from `recount` to `describe`: the fingerprint comes with the counts, so the rows are read once.
    """

    def __init__(self, files: Auditor) -> None:
        """`files` counts what is on this machine."""
        self._files = files
        self._seen: dict[str, int] = {}

    def recount(
        self, place: Any, quasi_identifiers: Sequence[str], sensitive: Sequence[str] = (), *, classes: bool = False,
        fingerprint: bool = False, population: Applied | None = None,
    ) -> Recount:  # fmt: skip
        """Count the classes of a table, and each sensitive attribute in them."""
        if not isinstance(place, ServerTable):
            return self._files.recount(
                place, quasi_identifiers, sensitive, classes=classes, fingerprint=fingerprint, population=population
            )
        with database_errors(_READING):
            columns, atoms = self._atoms(place, quasi_identifiers, sensitive)
        counted = _collect(atoms, columns, quasi_identifiers, sensitive)
        if classes:
            counted = replace(counted, classes=_coded(atoms, quasi_identifiers))
        if population is not None:
            counted = replace(counted, population=_with_people(atoms, population.collect(), quasi_identifiers))
        return replace(counted, fingerprint=self._fingerprint(place)) if fingerprint else counted

    def _fingerprint(self, place: ServerTable) -> int:
        if place.made_here:
            return self._files.recount(place, (), fingerprint=True).fingerprint or 0
        if place.table not in self._seen:
            with database_errors(_READING):
                self._atoms(place, (), ())
        return self._seen[place.table]

    def describe(self, place: Any) -> dict[str, Any]:
        """Return the table's name and the fingerprint by which its rows can be told from others."""
        if not isinstance(place, ServerTable):
            return self._files.describe(place)
        description = {"table": place.shown, "file": place.shown, "format": "table"}
        if place.schema:
            description["schema"] = place.schema
        return description | {"fingerprint": f"{self._fingerprint(place):016x}"}

    def _atoms(
        self, place: ServerTable, qis: Sequence[str], sensitive: Sequence[str]
    ) -> tuple[tuple[str, ...], pa.Table]:
        """Read the rows once: count them by all columns asked for, and sum the hashes of their cells."""
        dialect, found = place.connection.dialect, place.connection.described(place.table)
        columns = tuple(name for name, _ in found)
        _known([*qis, *sensitive], columns)
        kinds = dict(found)
        keys = [*((f"q{i}", name) for i, name in enumerate(qis)), *((f"s{i}", n) for i, n in enumerate(sensitive))]
        chosen = [f"{dialect.audit_key(dialect.quote(name), kinds[name])} AS {key}" for key, name in keys]
        cells = [dialect.quote(name) for name in columns]
        texts = [dialect.audit_text(key, kinds[name]) for key, name in keys]
        inner = ", ".join([*chosen, *(f"{cell} AS h{i}" for i, cell in enumerate(cells))])
        by = f"GROUP BY {', '.join(key for key, _ in keys)}" if keys else ""
        total = dialect.hash_sum([f"h{i}" for i in range(len(cells))])
        named = [f"{text} AS {key}" for text, (key, _) in zip(texts, keys, strict=True)]
        grouped = ", ".join([*(key for key, _ in keys), "count(*) AS n", f"{total} AS total"])
        statement = (
            f"SELECT {', '.join([*named, 'n', 'total'])} FROM "
            f"(SELECT {grouped} FROM (SELECT {inner} FROM {place.table}) AS t {by}) AS g"
        )
        types = [*(pa.string() for _ in keys), pa.int64(), pa.string()]
        table = place.connection.table(statement, types).rename_columns([*(key for key, _ in keys), "n", "total"])
        self._seen[place.table] = sum(int(total) for total in table.column("total").to_pylist())
        atoms = table.drop_columns(["total"])
        return columns, atoms.filter(pa.compute.greater(atoms.column("n"), 0))


def _with_people(atoms: pa.Table, people: Any, quasi_identifiers: Sequence[str]) -> Recount:
    """Count released rows and the people of a population together, in classes of the released ones."""
    persons = people.select(list(quasi_identifiers)).rename_columns([f"q{i}" for i in range(len(quasi_identifiers))])
    texts = pa.table({name: persons.column(name).cast(pa.string()) for name in persons.column_names})
    counted = texts.group_by(texts.column_names, use_threads=False).aggregate([([], "count_all")])
    both = pa.concat_tables(
        [
            _of_kind(atoms.select([*texts.column_names, "n"]), RELEASED),
            _of_kind(counted.rename_columns([*texts.column_names, "n"]), PERSON),
        ]
    )
    return _collect(both, (*quasi_identifiers, ROW_KIND), quasi_identifiers, [ROW_KIND])


def _of_kind(atoms: pa.Table, kind: str) -> pa.Table:
    return atoms.append_column("s0", pa.array([kind] * atoms.num_rows, pa.string()))


def _known(names: Iterable[str], columns: Sequence[str]) -> None:
    if len(set(columns)) < len(columns):
        raise DataError("table.checked-has-column-twice")
    for name in names:
        if name not in columns:
            raise SchemaError("table.checked-lacks-column", name=name, hint=hint(name, columns))


def _collect(
    atoms: pa.Table, columns: tuple[str, ...], quasi_identifiers: Sequence[str], sensitive: Sequence[str]
) -> Recount:
    counts = atoms.column("n").to_numpy().astype(np.int64)
    classes, number_of_classes = _classes(atoms, len(quasi_identifiers))
    sizes = np.zeros(number_of_classes, np.int64)
    np.add.at(sizes, classes, counts)
    cells = {name: _cells(atoms.column(f"s{i}"), classes, counts) for i, name in enumerate(sensitive)}
    values = {name: frozenset(atoms.column(f"q{i}").unique().to_pylist()) for i, name in enumerate(quasi_identifiers)}
    return Recount(int(sizes.sum()), columns, sizes, cells, values)


def _classes(atoms: pa.Table, width: int) -> tuple[NDArray[np.int64], int]:
    """Return the class of every atom, classes in the order of their values; missing comes last."""
    if not width or not atoms.num_rows:
        return np.zeros(atoms.num_rows, np.int64), min(atoms.num_rows, 1)
    codes = np.empty((atoms.num_rows, width), np.int64)
    for i in range(width):
        values = atoms.column(f"q{i}").to_pylist()
        order = sorted(set(values), key=lambda value: (value is None, value or ""))
        ids = {value: place for place, value in enumerate(order)}
        codes[:, i] = [ids[value] for value in values]
    _, classes = np.unique(codes, axis=0, return_inverse=True)
    classes = classes.reshape(-1).astype(np.int64)
    return classes, int(classes.max()) + 1


def _coded(atoms: pa.Table, quasi_identifiers: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Return the value of every class as a number, -1 where it is missing."""
    classes, many = _classes(atoms, len(quasi_identifiers))
    found = {name: np.empty(many, np.int64) for name in quasi_identifiers}
    for i, name in enumerate(quasi_identifiers):
        found[name][classes] = coded(atoms.column(f"q{i}"))
    return found


def _cells(column: pa.ChunkedArray, classes: NDArray[np.int64], counts: NDArray[np.int64]) -> SensitiveCounts:
    """Fold the different spellings of one sensitive column, and count what they mean in each class."""
    spellings = column.to_pylist()
    meanings = {spelling: fold(spelling) for spelling in set(spellings)}
    labels = sorted(set(meanings.values()), key=lambda label: (label is None, label or ""))
    ids = {label: i for i, label in enumerate(labels)}
    values = np.array([ids[meanings[spelling]] for spelling in spellings], np.int64)
    pairs, inverse = np.unique(classes * max(len(labels), 1) + values, return_inverse=True)
    summed = np.zeros(pairs.size, np.int64)
    np.add.at(summed, inverse.reshape(-1), counts)
    known = [label for label in labels if label is not None]
    numeric = bool(known) and all(number(label) is not None for label in known)
    width = max(len(labels), 1)
    return SensitiveCounts(pairs // width, pairs % width, summed, tuple(labels), numeric)
