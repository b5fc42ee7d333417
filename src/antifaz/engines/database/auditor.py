"""Count released rows again in the database, from the table that was written: the evidence that the gate judges.

One plain grouping on the server, and the policy of `engines.recount`. Nothing of what counted and made the rows is
used. What comes out are the classes, the sensitive values in them, and how often each occurs.
"""

# Statements are put together from quoted names and names made here (q0, s1).
# ruff: noqa: S608
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.core.messages import Message
from antifaz.engines import recount as policy
from antifaz.engines.database.connection import ServerTable
from antifaz.engines.database.errors import database_errors
from antifaz.engines.engine import Applied, Auditor

_READING = Message("table.checked-not-readable")


class DatabaseAuditor(Auditor):
    """Counts tables on a server; files and frames are another auditor's.

    Keep it from `recount` to `describe`: the fingerprint comes with the counts, so the rows are read once.
    """

    def __init__(self, files: Auditor) -> None:
        """`files` counts what is on this machine."""
        self._files = files
        self._fingerprints: dict[str, int] = {}

    def recount(
        self,
        place: Any,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        *,
        classes: bool = False,
        fingerprint: bool = False,
        population: Applied | None = None,
    ) -> policy.Recount:
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
        if place.table not in self._fingerprints:
            with database_errors(_READING):
                self._atoms(place, (), ())
        return self._fingerprints[place.table]

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
        dialect, described = place.connection.dialect, place.connection.described(place.table)
        columns = tuple(name for name, _ in described)
        policy.require_columns([*qis, *sensitive], columns)
        kinds = dict(described)
        keys = [*((f"q{i}", name) for i, name in enumerate(qis)), *((f"s{i}", n) for i, n in enumerate(sensitive))]
        names = [key for key, _ in keys]
        inner = [f"{dialect.audit_key(dialect.quote(name), kinds[name])} AS {key}" for key, name in keys]
        inner += [f"{dialect.quote(name)} AS h{i}" for i, name in enumerate(columns)]
        total = dialect.hash_sum([f"h{i}" for i in range(len(columns))])
        by = f"GROUP BY {', '.join(names)}" if keys else ""
        grouped = (
            f"SELECT {', '.join([*names, 'count(*) AS n', f'{total} AS total'])} "
            f"FROM (SELECT {', '.join(inner)} FROM {place.table}) AS t {by}"
        )
        texts = [f"{dialect.audit_text(key, kinds[name])} AS {key}" for key, name in keys]
        statement = f"SELECT {', '.join([*texts, 'n', 'total'])} FROM ({grouped}) AS g"
        types = [*(pa.string() for _ in keys), pa.int64(), pa.string()]
        table = place.connection.table(statement, types).rename_columns([*names, "n", "total"])
        self._fingerprints[place.table] = sum(int(total) for total in table.column("total").to_pylist())
        return columns, table.drop_columns(["total"]).filter(pc.field("n") > 0)


def _with_people(atoms: pa.Table, people: Any, quasi_identifiers: Sequence[str]) -> policy.Recount:
    """Count released rows and the people of a population together, in classes of the released ones."""
    qis = [f"q{i}" for i in range(len(quasi_identifiers))]
    texts = pa.table([people.column(name).cast(pa.string()) for name in quasi_identifiers], names=qis)
    counted = texts.group_by(qis, use_threads=False).aggregate([([], "count_all")]).rename_columns([*qis, "n"])
    parts = [
        part.append_column("s0", pa.array([kind] * part.num_rows, pa.string()))
        for part, kind in ((atoms.select([*qis, "n"]), policy.RELEASED), (counted, policy.PERSON))
    ]
    names = (*quasi_identifiers, policy.ROW_KIND)
    return _collect(pa.concat_tables(parts), names, quasi_identifiers, [policy.ROW_KIND])


def _collect(
    atoms: pa.Table, columns: tuple[str, ...], quasi_identifiers: Sequence[str], sensitive: Sequence[str]
) -> policy.Recount:
    counts = atoms.column("n").to_numpy().astype(np.int64)
    classes, number_of_classes = _classes(atoms, len(quasi_identifiers))
    sizes = np.zeros(number_of_classes, np.int64)
    np.add.at(sizes, classes, counts)
    cells = {name: _cells(atoms.column(f"s{i}"), classes, counts) for i, name in enumerate(sensitive)}
    values = {name: frozenset(atoms.column(f"q{i}").unique().to_pylist()) for i, name in enumerate(quasi_identifiers)}
    return policy.Recount(int(sizes.sum()), columns, sizes, cells, values)


def _classes(atoms: pa.Table, width: int) -> tuple[NDArray[np.int64], int]:
    """Return the class of every atom, classes in the order of their values, missing last; and how many there are."""
    if not width or not atoms.num_rows:
        return np.zeros(atoms.num_rows, np.int64), min(atoms.num_rows, 1)
    ranks = [np.asarray(pc.rank(atoms.column(f"q{i}"), tiebreaker="dense")) for i in range(width)]
    _, classes = np.unique(np.stack(ranks, axis=1), axis=0, return_inverse=True)
    classes = classes.reshape(-1).astype(np.int64)
    return classes, int(classes.max()) + 1


def _coded(atoms: pa.Table, quasi_identifiers: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Return the value of every class as a number, -1 where it is missing."""
    classes, many = _classes(atoms, len(quasi_identifiers))
    codes = {name: np.empty(many, np.int64) for name in quasi_identifiers}
    for i, own in enumerate(codes.values()):
        own[classes] = policy.coded(atoms.column(f"q{i}"))
    return codes


def _cells(column: pa.ChunkedArray, classes: NDArray[np.int64], counts: NDArray[np.int64]) -> policy.SensitiveCounts:
    """Fold the different spellings of one sensitive column, and count what they mean in each class."""
    spellings = column.to_pylist()
    distinct = list(dict.fromkeys(spellings))
    labels, meanings = policy.fold_spellings(distinct)
    ids = dict(zip(distinct, meanings, strict=True))
    values = np.array([ids[spelling] for spelling in spellings], np.int64)
    width = max(len(labels), 1)
    pairs, inverse = np.unique(classes * width + values, return_inverse=True)
    summed = np.zeros(pairs.size, np.int64)
    np.add.at(summed, inverse.reshape(-1), counts)
    return policy.SensitiveCounts(pairs // width, pairs % width, summed, labels)
