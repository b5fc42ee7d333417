"""Count released rows again in the database, from the table that was written: the evidence that the gate judges.

One plain grouping on the server; the groups are counted further as a file's are. Nothing of what counted and made the
rows is used. What comes out are the classes, the sensitive values in them, and how often each occurs.
"""

# Statements are put together from quoted names and names made here (q0, s1).
# ruff: noqa: S608
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core import recount as policy
from antifaz.core.messages import Message
from antifaz.engines.database.connection import ServerTable
from antifaz.engines.database.errors import database_errors
from antifaz.engines.engine import Auditor

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
        fingerprint: bool = False,
        **asked: Any,
    ) -> policy.Recount:
        """Count the classes of a table, and each sensitive attribute in them."""
        counted = (quasi_identifiers, sensitive)
        if not isinstance(place, ServerTable):
            return self._files.recount(place, *counted, fingerprint=fingerprint, **asked)
        with database_errors(_READING):
            grouped = self._grouped(place, *counted, asked.get("people") or ())
        found = self._files.recount(grouped, *counted, **asked)
        return replace(found, fingerprint=self._fingerprint(place)) if fingerprint else found

    def _fingerprint(self, place: ServerTable) -> int:
        if place.made_here:
            return self._files.recount(place, (), fingerprint=True).fingerprint or 0
        if place.table not in self._fingerprints:
            with database_errors(_READING):
                self._grouped(place)
        return self._fingerprints[place.table]

    def describe(self, place: Any) -> dict[str, Any]:
        """Return the table's name and the fingerprint by which its rows can be told from others."""
        if not isinstance(place, ServerTable):
            return self._files.describe(place)
        description = {"table": place.shown, "file": place.shown, "format": "table"}
        if place.schema:
            description["schema"] = place.schema
        return description | {"fingerprint": f"{self._fingerprint(place):016x}"}

    def count_unique(self, place: Any, combinations: Sequence[Sequence[str]]) -> list[int]:
        """Count, by each combination of columns, the rows that no other is like, in one statement."""
        if not isinstance(place, ServerTable):
            return self._files.count_unique(place, combinations)
        dialect, kinds = place.connection.dialect, dict(place.connection.described(place.table))
        counts: list[str] = []
        for names in combinations:
            keys = [f"{dialect.audit_key(dialect.quote(n), kinds[n])} AS c{i}" for i, n in enumerate(names)]
            by = [f"c{i}" for i in range(len(names))]
            alone = f"GROUP BY {', '.join(by)} HAVING count(*) = 1 AND count({by[-1]}) = 1"
            rows = f"SELECT 1 AS one FROM (SELECT {', '.join(keys)} FROM {place.table}) AS t {alone}"
            counts.append(f"(SELECT count(*) FROM ({rows}) AS g) AS n{len(counts)}")
        with database_errors(_READING):
            counted = place.connection.table(f"SELECT {', '.join(counts)}", [pa.int64()] * len(counts))
        return [column[0].as_py() for column in counted.columns]

    def _grouped(
        self, place: ServerTable, qis: Sequence[str] = (), sensitive: Sequence[str] = (), people: Sequence[str] = ()
    ) -> policy.GroupedRows:
        """Read the rows once: count them by all columns asked for, and sum the hashes of cells that are no keys."""
        dialect, described = place.connection.dialect, place.connection.described(place.table)
        columns = tuple(name for name, _ in described)
        kinds, asked = dict(described), {"q": qis, "s": sensitive, "p": people}
        keys = [(f"{kind}{i}", name) for kind, names in asked.items() for i, name in enumerate(names)]
        policy.require_columns([name for _, name in keys], columns)
        hashed = [name for name in columns if name not in people]
        names = [key for key, _ in keys]
        inner = [f"{dialect.audit_key(dialect.quote(name), kinds[name])} AS {key}" for key, name in keys]
        inner += [f"{dialect.quote(name)} AS h{i}" for i, name in enumerate(hashed)]
        total = dialect.hash_sum([f"h{i}" for i in range(len(hashed))])
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
        return policy.GroupedRows(columns, table.drop_columns(["total"]).filter(pc.field("n") > 0))
