"""The store of projects: their texts, and every run with its evidence. No rows of data, no passwords.

One schema for SQLite and PostgreSQL. A store of an older version is brought up to date when it is opened; one of a
newer version is refused.
"""

import json
import os
import secrets
import socket
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError, hint
from antifaz.core.machine import current_user
from antifaz.core.messages import Message
from antifaz.storage.database import Database, connect, data_folder, now, upgrade
from antifaz.storage.secrets import refuse_passwords

#: Where the store is, if not in the user's data folder: a path, or postgresql://user@host/database.
VARIABLE = "ANTIFAZ_STORE"
FILE = "projects.sqlite"

#: What each version adds to the one before it; the version is how many of these were done.
VERSIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE antifaz_store (version INTEGER NOT NULL)",
        """CREATE TABLE antifaz_project (
            id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
            folder TEXT NOT NULL, file TEXT NOT NULL, made TEXT NOT NULL, changed TEXT NOT NULL,
            UNIQUE (owner, name))""",
        """CREATE TABLE antifaz_run (
            project TEXT NOT NULL REFERENCES antifaz_project (id) ON DELETE CASCADE, number INTEGER NOT NULL,
            state TEXT NOT NULL, text TEXT NOT NULL, host TEXT NOT NULL, process INTEGER NOT NULL, held TEXT NOT NULL,
            began TEXT NOT NULL, ended TEXT, seconds DOUBLE PRECISION, evidence TEXT, error TEXT,
            PRIMARY KEY (project, number))""",
    ),
)

_INTERRUPTED = Message("store.process-ended")
_PROJECT = "id, owner, name, text, folder, file, made, changed"
_RUN = "number, state, text, host, process, began, ended, seconds, evidence, error"


class NameTaken(InputError):
    """There is a project of that name."""

    def __init__(self, name: str) -> None:
        """Say so in one sentence; what else can be done about it, each face says in its own words."""
        super().__init__(Message("store.project-exists-already", name=name))


def default_place() -> str:
    """Return where the store is: what ANTIFAZ_STORE says, or a file in the user's data folder."""
    return os.environ.get(VARIABLE) or str(data_folder() / FILE)


def checked_name(name: str) -> str:
    """Return a project's name as it is kept: one spelling of each letter, no blanks around it."""
    name = unicodedata.normalize("NFC", name).strip()
    if not name or len(name) > 200 or not name.isprintable():
        raise InputError("store.project-name-wrong")
    return name


@contextmanager
def open_store(place: str | Path | None = None, owner: str | None = None) -> "Iterator[ProjectStore]":
    """Open the store of an owner, the current user if none is named; runs of dead processes are settled."""
    database = _connect(default_place() if place is None else str(place))
    try:
        upgrade(database, "antifaz_store", VERSIONS, InputError("store.newer-antifaz", place=database.place))
        store = ProjectStore(database, owner or current_user())
        store.settle()
        yield store
    finally:
        database.close()


def _connect(place: str) -> Database:
    if "://" in place and not place.startswith(("postgresql://", "postgres://")):
        raise InputError("store.place-not-a-path", variable=VARIABLE)
    refuse_passwords(place, VARIABLE)
    return connect(place, FILE)


class ProjectStore:
    """The projects of one owner. Made by `open_store`."""

    def __init__(self, database: Database, owner: str) -> None:
        self._database, self.owner = database, owner

    def settle(self) -> None:
        """Mark the runs that are said to go on but whose process is gone."""
        database = self._database
        going = database.rows("SELECT project, number, held FROM antifaz_run WHERE state = 'running'")
        dead = [run for run in going if not database.is_locked(run["held"])]
        if dead:
            with database.writing():
                for run in dead:
                    database.rows(
                        "UPDATE antifaz_run SET state = 'interrupted', error = ?"
                        " WHERE project = ? AND number = ? AND state = 'running'",
                        *(_INTERRUPTED, run["project"], run["number"]),
                    )
        database.sweep()

    def names(self) -> list[str]:
        """Return the names of the owner's projects."""
        rows = self._database.rows("SELECT name FROM antifaz_project WHERE owner = ?", self.owner)
        return sorted(row["name"] for row in rows)

    def projects(self) -> list[dict[str, Any]]:
        """Return the owner's projects by name, each with how many runs it has and how the last one ended."""
        rows = self._database.rows(
            """SELECT p.id, p.name, p.owner, p.folder, p.file, p.made, p.changed,
                (SELECT count(*) FROM antifaz_run r WHERE r.project = p.id) AS runs,
                (SELECT r.state FROM antifaz_run r WHERE r.project = p.id ORDER BY r.number DESC LIMIT 1) AS last_state,
                (SELECT r.began FROM antifaz_run r WHERE r.project = p.id ORDER BY r.number DESC LIMIT 1) AS last_run
            FROM antifaz_project p WHERE p.owner = ?""",
            self.owner,
        )
        return sorted(rows, key=lambda row: str(row["name"]))

    def project(self, name: str) -> dict[str, Any]:
        """Return one project with its text, or raise and name the nearest."""
        name = unicodedata.normalize("NFC", name).strip()
        row = self._where("name", name)
        if row is None:
            raise InputError("store.unknown-project", name=name, hint=hint(name, self.names()))
        return row

    def by_id(self, id: str) -> dict[str, Any] | None:
        """Return one of the owner's projects by its id, or None."""
        return self._where("id", id)

    def _where(self, key: str, value: str) -> dict[str, Any] | None:
        rows = self._database.rows(
            f"SELECT {_PROJECT} FROM antifaz_project WHERE owner = ? AND {key} = ?",  # noqa: S608 - columns of ours
            *(self.owner, value),
        )
        return rows[0] if rows else None

    def add(self, name: str, text: str, folder: str, file: str, *, replace: bool = False) -> None:
        """Keep a new project; with `replace`, the new text of one that is there, whose runs stay."""
        name = checked_name(name)
        with self._database.writing():
            known = self._where("name", name)
            if known is not None and not replace:
                raise NameTaken(name)
            if known is not None:
                self._database.rows(
                    "UPDATE antifaz_project SET text = ?, folder = ?, file = ?, changed = ? WHERE id = ?",
                    *(text, folder, file, now(), known["id"]),
                )
            else:
                self._insert(name, text, folder, file)

    def _insert(self, name: str, text: str, folder: str, file: str) -> None:
        made = now()
        self._database.rows(
            "INSERT INTO antifaz_project (id, owner, name, text, folder, file, made, changed)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            *(secrets.token_hex(16), self.owner, name, text, folder, file, made, made),
        )

    def copy(self, name: str, new: str) -> None:
        """Keep a project's text under another name too; its runs stay with the first."""
        with self._database.writing():
            row, new = self.project(name), self._free(new)
            self._insert(new, row["text"], row["folder"], row["file"])

    def rename(self, name: str, new: str) -> None:
        """Give a project another name; its runs go with it."""
        with self._database.writing():
            row = self.project(name)
            if row["name"] != checked_name(new):
                self._database.rows("UPDATE antifaz_project SET name = ? WHERE id = ?", self._free(new), row["id"])

    def _free(self, name: str) -> str:
        name = checked_name(name)
        if self._where("name", name) is not None:
            raise NameTaken(name)
        return name

    def delete(self, name: str) -> int:
        """Erase a project and its runs; return how many those were. Not while one is going on."""
        with self._database.writing():
            row = self.project(name)
            runs = self._database.rows("SELECT number, state FROM antifaz_run WHERE project = ?", row["id"])
            going = [str(run["number"]) for run in runs if run["state"] == "running"]
            if going:
                raise InputError("store.run-going-on", run=going[0], name=row["name"])
            self._database.rows("DELETE FROM antifaz_run WHERE project = ?", row["id"])
            self._database.rows("DELETE FROM antifaz_project WHERE id = ?", row["id"])
            return len(runs)

    def held(self) -> Any:
        """Hold the lock by which others see that a run goes on."""
        return self._database.process_lock()

    def begin(self, project: dict[str, Any], lock_name: str) -> int:
        """Note that a run of a project begins; return its number."""
        with self._database.writing():
            # Another process may have deleted or renamed it since it was read.
            if not self._database.rows("SELECT 1 AS there FROM antifaz_project WHERE id = ?", project["id"]):
                raise InputError("store.project-deleted-meanwhile", name=project["name"])
            last = self._database.rows(
                "SELECT coalesce(max(number), 0) AS number FROM antifaz_run WHERE project = ?", project["id"]
            )
            number = int(last[0]["number"]) + 1
            self._database.rows(
                "INSERT INTO antifaz_run (project, number, state, text, host, process, held, began)"
                " VALUES (?, ?, 'running', ?, ?, ?, ?, ?)",
                *(project["id"], number, project["text"], socket.gethostname(), os.getpid(), lock_name, now()),
            )
            return number

    def finish(
        self,
        project: str,
        number: int,
        state: str,
        *,
        seconds: float,
        evidence: Mapping[str, Any] | None = None,
        error: str | None = None,
    ) -> None:
        """Note how a run ended: done with its evidence, or failed or cancelled with a sentence."""
        written = json.dumps(evidence, ensure_ascii=False) if evidence else None
        with self._database.writing():
            self._database.rows(
                "UPDATE antifaz_run SET state = ?, ended = ?, seconds = ?, evidence = ?, error = ?"
                " WHERE project = ? AND number = ?",
                *(state, now(), round(seconds, 3), written, error, project, number),
            )

    def runs(self, name: str) -> list[dict[str, Any]]:
        """Return the runs of a project with their evidence, the first one first."""
        project = self.project(name)["id"]
        rows = self._database.rows(f"SELECT {_RUN} FROM antifaz_run WHERE project = ? ORDER BY number", project)  # noqa: S608
        return [row | {"evidence": json.loads(row["evidence"]) if row["evidence"] else None} for row in rows]

    def run(self, name: str, number: int) -> dict[str, Any]:
        """Return one run, or raise."""
        runs = {run["number"]: run for run in self.runs(name)}
        if number not in runs:
            known = Message("store.runs-so-far", number=max(runs)) if runs else Message("store.no-runs-yet")
            raise InputError("store.unknown-run", name=name, number=number, known=known)
        return runs[number]
