"""A release as a new table: written under another name, counted again there, and only then renamed into place.

Where the database undoes the making of tables with everything else (PostgreSQL, SQLite), the whole release is one
transaction, and nothing of one that fails was ever there. Where it does not (MariaDB, MySQL), the staged table has
a name of ours and its maker holds a lock of that name; one whose lock nobody holds was left by a run that was killed,
and the next run removes it.
"""

# Names of tables and columns are quoted.
# ruff: noqa: S608
from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from antifaz.core.errors import InputError, ParameterError
from antifaz.engines.database.faults import guard
from antifaz.engines.database.place import Place
from antifaz.engines.engine import Stage, Written
from antifaz.engines.local.store import SOURCE

if TYPE_CHECKING:
    from antifaz.engines.database.apply import DatabaseApplied
    from antifaz.engines.database.data import DatabaseData
    from antifaz.engines.database.link import Link
    from antifaz.engines.local.apply import LocalApplied

_OURS = re.compile(r"antifaz_([0-9a-f]{16})_(staging|previous)")


def clean_leftovers(link: Link, schema: str | None) -> None:
    """Remove what killed runs left; what living ones are writing stays, and what this user may not see or drop."""
    if link.dialect.undoes_tables:
        return
    within = link.dialect.literal(schema) if schema else "DATABASE()"
    with suppress(Exception):
        rows = link.run(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = {within} "
            "AND table_name LIKE 'antifaz!_%' ESCAPE '!'"
        )
        for (name,) in rows:
            found = _OURS.fullmatch(str(name))
            if found and link.one(f"SELECT IS_FREE_LOCK('antifaz_{found[1]}')")[0] == 1:
                with suppress(Exception):
                    link.run(f"DROP TABLE IF EXISTS {link.dialect.qualified(str(name), schema)}")


def refuse(data: DatabaseData, table: str, schema: str | None, replace: bool) -> bool:
    """Raise where a release can't become this table; return whether a table stands there."""
    import sqlalchemy as sa

    if not table.strip() or len(table) > 63:
        raise ParameterError("database.table-name-too-long")
    if table == data.table and (schema or data.schema_name) == data.schema_name:
        raise InputError("database.table-is-the-source", table=table)
    with guard(f"The table {table!r} could not be looked for"):
        found = sa.inspect(data.link.connection)
        there = found.has_table(table, schema=schema)
        view = table in found.get_view_names(schema=schema)
    if view:
        raise InputError("database.is-a-view", table=table)
    if there and not replace:
        raise InputError("database.table-exists-already", table=table)
    return bool(there)


class TableTarget:
    """The staged table of a release; as the `folder` of a stage it is where rows are written to."""

    def __init__(self, data: DatabaseData, table: str, schema: str | None, replace: bool) -> None:
        """Made by `into_table`."""
        self._data, self.link = data, data.link
        self.table, self.schema, self._replace = table, schema, replace
        self._token = secrets.token_hex(8)
        self.staged = f"antifaz_{self._token}_staging"
        self._previous = f"antifaz_{self._token}_previous"
        self.published = False

    @property
    def quoted(self) -> str:
        """The staged table as statements name it."""
        return self.link.dialect.qualified(self.staged, self.schema)

    def begin(self) -> None:
        """Lock the name, or remember where to go back to."""
        if self.link.dialect.undoes_tables:
            self.link.run("SAVEPOINT antifaz_release")
            return
        clean_leftovers(self.link, self.schema)
        self.link.run(f"SELECT GET_LOCK('antifaz_{self._token}', 10)")

    def fill(self, applied: DatabaseApplied) -> Written:
        """Let the server write the rows, in their secret order; none of them comes here."""
        with applied.mapped() as released, guard(f"The table {self.table!r} could not be written"):
            noted = self.link.dialect.fill(self.link, self.quoted, released)
        place = Place(self.link, self.quoted, applied.columns, self.table, self.schema, released.arrow)
        return Written(place, int(noted))

    def take(self, applied: LocalApplied) -> Written:
        """Write rows that were made on this machine."""
        from antifaz.engines.local.duck import close, connect
        from antifaz.engines.local.fingerprint import Fingerprint

        checker = connect(**applied.data.limits)
        try:
            with applied.batches() as reader, guard(f"The table {self.table!r} could not be written"):
                noted = Fingerprint(checker, "*")
                types = [self._type(applied, column) for column in reader.schema]
                self._create(applied.columns, types)
                for batch in noted.passing(reader):
                    rows = list(zip(*(column.to_pylist() for column in batch.columns), strict=True))
                    self.link.load(self.quoted, rows, len(types))
                place = Place(
                    self.link, self.quoted, applied.columns, self.table, self.schema, tuple(reader.schema.types), True
                )  # fmt: skip
                return Written(place, noted.value)
        finally:
            close(checker)

    def publish(self, documents: Stage) -> None:
        """Rename the table into place and publish what goes with it; where that fails, undo the renaming."""
        there = refuse(self._data, self.table, self.schema, self._replace)
        dialect, link = self.link.dialect, self.link
        with guard(f"The table {self.table!r} could not be put in its place"):
            for statement in dialect.rename(self.staged, self.table, self.schema, self._previous if there else None):
                link.run(statement)
        try:
            documents.publish()
        except BaseException:
            self._undo(there)
            raise
        self.published = True
        with guard(f"The table {self.table!r} could not be put in its place"):
            if dialect.undoes_tables:
                link.run("COMMIT")
                dialect.begin(link)
            elif there:
                link.run(f"DROP TABLE {dialect.qualified(self._previous, self.schema)}")

    def end(self) -> None:
        """Leave nothing behind unless published; a lost connection is tried again."""
        if self.published:
            with suppress(Exception):
                if not self.link.dialect.undoes_tables:
                    self.link.run(f"SELECT RELEASE_LOCK('antifaz_{self._token}')")
            return
        if self.link.dialect.undoes_tables:
            with suppress(Exception):
                self.link.run("ROLLBACK TO SAVEPOINT antifaz_release")
            return
        drop = f"DROP TABLE IF EXISTS {self.quoted}"
        try:
            self.link.run(drop)
            self.link.run(f"SELECT RELEASE_LOCK('antifaz_{self._token}')")
        except Exception:  # the connection is lost: the table goes over another one, or at the next start
            with suppress(Exception):
                other = self.link.again()
                other.run(drop)
                other.connection.close()

    def _undo(self, there: bool) -> None:
        if self.link.dialect.undoes_tables:
            return  # `end` goes back to where all began
        quoted = self.link.dialect.qualified
        moves = [f"{quoted(self.table, self.schema)} TO {self.quoted}"]
        if there:
            moves.append(f"{quoted(self._previous, self.schema)} TO {quoted(self.table, self.schema)}")
        with suppress(Exception):
            self.link.run(f"RENAME TABLE {', '.join(moves)}")

    def _create(self, columns: tuple[str, ...], types: Any) -> None:
        declared = ", ".join(f"{self.link.dialect.quote(n)} {kind}" for n, kind in zip(columns, types, strict=True))
        self.link.run(f"CREATE TABLE {self.quoted} ({declared})")

    def _type(self, applied: LocalApplied, column: pa.Field) -> str:
        """Return the type of a column: its own, or text where it is generalized."""
        recoding, dialect = applied.recoding, self.link.dialect
        names = [one.column for one in recoding.columns]
        if column.name not in names or not pa.types.is_string(column.type):
            field = self._data.field(column.name)
            # An operation may have made something else of a column, or longer text than it was declared for.
            kept = column.type == field.arrow and (field.kind != "text" or applied.data.table == SOURCE)
            return dialect.declared(field) if kept else dialect.label_type(1 << 16)
        labels = recoding.released_labels().get(column.name)
        if labels is None:  # numbers that are held as text
            return dialect.label_type(1 << 16)
        return dialect.label_type(max((len(text.encode()) for text in labels if text), default=1))


class TableStage:
    """A stage whose rows become a table, and whose documents go where those of other releases go."""

    def __init__(self, target: Any, documents: Stage) -> None:
        """Made by `into_table`."""
        self.folder = target
        self._documents = documents

    def write_text(self, name: str, text: str) -> None:
        """Write one of the documents that go with the rows."""
        self._documents.write_text(name, text)

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write one of the documents that are no text."""
        self._documents.write_bytes(name, content)

    def publish(self) -> None:
        """Put the table and the documents in their places."""
        self.folder.publish(self._documents)


@contextmanager
def into_table(data: DatabaseData, stage: Stage, table: str, schema: str | None, replace: bool) -> Iterator[TableStage]:
    """Give a stage whose rows become a table; leaving it without `publish` leaves nothing."""
    refuse(data, table, schema, replace)
    target = TableTarget(data, table, schema, replace)
    with guard(f"The table {table!r} could not be written"):
        target.begin()
    try:
        yield TableStage(target, stage)
    finally:
        target.end()
