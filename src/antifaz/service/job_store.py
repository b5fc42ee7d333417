"""What the queue keeps on the disk: jobs, their states, and where the page is in a project. No rows, no passwords."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.storage.sqlite import SqliteDatabase

FILE = "work.sqlite"

#: What each version adds to the one before it; the version is how many of these were done.
_VERSIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE antifaz_work (version INTEGER NOT NULL)",
        """CREATE TABLE antifaz_job (
            place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            project TEXT NOT NULL, kind TEXT NOT NULL, asked TEXT NOT NULL, text TEXT NOT NULL, file TEXT NOT NULL,
            dataset TEXT, again TEXT, server TEXT NOT NULL, state TEXT NOT NULL, number INTEGER,
            steps TEXT NOT NULL, message TEXT NOT NULL, error TEXT, queued TEXT NOT NULL, began TEXT, ended TEXT)""",
        "CREATE TABLE antifaz_page (project TEXT PRIMARY KEY, owner TEXT NOT NULL, dataset TEXT, step TEXT)",
    ),
)
#: The columns that hold JSON.
_JSON = ("asked", "again", "steps", "error")
#: States in which nothing changes any more.
OVER = ("done", "failed", "cancelled", "interrupted")


class JobStore:
    """The queue's file, opened for each question: several threads and services ask."""

    def __init__(self, folder: Path) -> None:
        """Make the file, readable by this user only, or bring it up to date."""
        self.path = folder / FILE
        with self._opened() as database, database.writing():
            version = _version(database)
            if version > len(_VERSIONS):
                raise InputError("service.work-folder-of-newer-version", folder=folder)
            for statements in _VERSIONS[version:]:
                for statement in statements:
                    database.rows(statement)
            if version < len(_VERSIONS):
                database.rows("DELETE FROM antifaz_work")
                database.rows("INSERT INTO antifaz_work (version) VALUES (?)", len(_VERSIONS))

    @contextmanager
    def _opened(self) -> Iterator[SqliteDatabase]:
        database = SqliteDatabase(self.path)
        try:
            yield database
        finally:
            database.close()

    def add(self, job: Mapping[str, Any]) -> None:
        """Keep a new job."""
        said = _written(job)
        marks = ", ".join("?" for _ in said)
        with self._opened() as database, database.writing():
            database.rows(f"INSERT INTO antifaz_job ({', '.join(said)}) VALUES ({marks})", *said.values())  # noqa: S608

    def jobs(self, **where: Any) -> list[dict[str, Any]]:
        """Return the jobs of which all that is said holds, the first one first."""
        asked = " AND ".join(f"{key} = ?" for key in where) or "1 = 1"
        with self._opened() as database:
            found = database.rows(f"SELECT * FROM antifaz_job WHERE {asked} ORDER BY place", *where.values())  # noqa: S608
        return [_read(row) for row in found]

    def change(self, id: str, states: Sequence[str], **values: Any) -> bool:
        """Change a job if it is in one of these states, and say whether it was: whoever is first decides its end."""
        said = _written(values)
        sets = ", ".join(f"{key} = ?" for key in said)
        marks = ", ".join("?" for _ in states)
        with self._opened() as database, database.writing():
            there = database.rows(
                f"SELECT 1 AS one FROM antifaz_job WHERE id = ? AND state IN ({marks})",  # noqa: S608
                *(id, *states),
            )
            if there:
                database.rows(f"UPDATE antifaz_job SET {sets} WHERE id = ?", *said.values(), id)  # noqa: S608
        return bool(there)

    def remove(self, id: str) -> None:
        """Forget a job."""
        with self._opened() as database, database.writing():
            database.rows("DELETE FROM antifaz_job WHERE id = ?", id)

    def page(self, project: str) -> dict[str, Any]:
        """Return where the page is in a project: its data set and its step, each None where nobody said."""
        with self._opened() as database:
            found = database.rows("SELECT dataset, step FROM antifaz_page WHERE project = ?", project)
        return found[0] if found else {"dataset": None, "step": None}

    def projects_of(self, dataset: str, owner: str) -> list[str]:
        """Return the projects of a person that are bound to a data set."""
        with self._opened() as database:
            found = database.rows("SELECT project FROM antifaz_page WHERE dataset = ? AND owner = ?", dataset, owner)
        return [str(row["project"]) for row in found]

    def set_page(self, project: str, owner: str, dataset: str | None, step: str | None) -> None:
        """Keep where the page is in a project."""
        with self._opened() as database, database.writing():
            database.rows("DELETE FROM antifaz_page WHERE project = ?", project)
            database.rows("INSERT INTO antifaz_page VALUES (?, ?, ?, ?)", project, owner, dataset, step)

    def unbind(self, dataset: str) -> None:
        """Note that a data set was erased: one that can be made again is not to come back by itself."""
        with self._opened() as database, database.writing():
            database.rows("UPDATE antifaz_page SET dataset = 'erased' WHERE dataset = ?", dataset)

    def forget_page(self, project: str) -> None:
        """Forget where the page is in a project."""
        with self._opened() as database, database.writing():
            database.rows("DELETE FROM antifaz_page WHERE project = ?", project)


def _version(database: SqliteDatabase) -> int:
    if "antifaz_work" not in database.tables():
        return 0
    found = database.rows("SELECT version FROM antifaz_work")
    return int(found[0]["version"]) if found else 0


def _written(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: json.dumps(value, ensure_ascii=False) if key in _JSON and value is not None else value
        for key, value in values.items()
    }


def _read(row: dict[str, Any]) -> dict[str, Any]:
    return row | {key: json.loads(row[key]) for key in _JSON if row[key] is not None}
