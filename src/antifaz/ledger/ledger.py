"""The ledger: what was released of whom, kept as keyed hashes, so that a new release can be checked with the old ones.

One SQLite file that only its owner can read, or a PostgreSQL server; the key of the hashes is in a file of its own, so
that who gets the one has not got the other. A release is noted before it is published and confirmed after: a crash in
between is found when the ledger is opened next, and settled by looking whether the release is there.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import InputError
from antifaz.methods.operations.keys import derived, new_key, read_key
from antifaz.projects.store import Database, current_user, data_folder, now
from antifaz.storage.secrets import refuse_passwords

if TYPE_CHECKING:
    from antifaz.ledger.check import Guard
    from antifaz.ledger.entry import Entry
    from antifaz.pipeline.release import Release

#: Where the ledger is, if not in the user's data folder: a path, postgresql://user@host/database, or "off".
VARIABLE = "ANTIFAZ_LEDGER"
#: Where its key is, if not beside it.
KEY_VARIABLE = "ANTIFAZ_LEDGER_KEY"
FILE = "ledger.sqlite"
OFF = "off"

_TABLES = (
    "CREATE TABLE antifaz_ledger (version INTEGER NOT NULL, proof TEXT NOT NULL)",
    """CREATE TABLE antifaz_release (
        id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, state TEXT NOT NULL, dataset TEXT NOT NULL,
        part TEXT NOT NULL, project TEXT NOT NULL, made TEXT NOT NULL, made_by TEXT NOT NULL, place TEXT NOT NULL,
        held TEXT NOT NULL, k INTEGER, records INTEGER NOT NULL, classes INTEGER, verdict TEXT NOT NULL, despite TEXT,
        forgotten TEXT)""",
    # BYTEA is PostgreSQL's word; SQLite takes any.
    """CREATE TABLE antifaz_release_part (
        release TEXT NOT NULL REFERENCES antifaz_release (id) ON DELETE CASCADE, name TEXT NOT NULL,
        content BYTEA NOT NULL, PRIMARY KEY (release, name))""",
)
_VERSION = 1
_SHOWN = (
    "id, number, state, dataset, part, project, made, made_by, place, k, records, classes, verdict, despite, forgotten"
)
#: What counts: a release that is being published may be out any moment.
_COUNTS = "state IN ('pending', 'released')"


def default_ledger() -> Ledger | None:
    """Return the ledger that ANTIFAZ_LEDGER names, or that in the user's data folder; None where it says "off"."""
    said = os.environ.get(VARIABLE)
    return None if said == OFF else Ledger(said)


class Ledger:
    """The releases that were made. `place` is a path or postgresql://user@host/database; the user's own if left out."""

    def __init__(self, place: str | Path | None = None, *, key: str | Path | None = None) -> None:
        """Say where it is; it is opened, and made where there is none, when it is first used."""
        self._place = str(place) if place else str(data_folder() / FILE)
        refuse_passwords(self._place, VARIABLE)
        if "://" in self._place and not self._place.startswith(("postgresql://", "postgres://")):
            raise InputError(f"{VARIABLE} should be a path, postgresql://user@host/database, or {OFF}.")
        self._key_place = key or os.environ.get(KEY_VARIABLE)
        self._key: bytes | None = None

    @property
    def place(self) -> str:
        """Where the ledger is."""
        return self._place

    def releases(self) -> list[dict[str, Any]]:
        """Return all releases, the first one first: whose data, when, where, its k, and its state."""
        with self.opened() as database:
            return [_told(row) for row in _all(database)]

    def show(self, release: str) -> dict[str, Any]:
        """Return one release with the verdict of its day; the beginning of its name is enough."""
        with self.opened() as database:
            return _told(_one(database, release), whole=True)

    def forget(self, release: str, reason: str) -> dict[str, Any]:
        """Take a release out of what new ones are checked with, because it never left the house.

        Its hashes are erased; that it was there, and the reason, stay.
        """
        why = checked_reason(reason)
        with self.opened() as database, database.writing():
            row = _one(database, release)
            if row["state"] == "pending":
                raise InputError(f"The release {row['id']} is being published; forget it when that is over.")
            if row["state"] == "forgotten":
                raise InputError(f"The release {row['id']} was forgotten before.")
            said = json.dumps({"reason": why, "when": now(), "by": current_user()}, ensure_ascii=False)
            database.rows("DELETE FROM antifaz_release_part WHERE release = ?", row["id"])
            database.rows(
                "UPDATE antifaz_release SET state = 'forgotten', forgotten = ? WHERE id = ?", *(said, row["id"])
            )
            return _told(_one(database, row["id"]), whole=True)

    def check(self, release: Release, *, person: Sequence[str] = ()) -> dict[str, Any]:
        """Return what this ledger would say of a release; nothing is registered, and nothing refused."""
        return release.examined(self.guard(person=tuple(person)))

    def guard(self, **said: Any) -> Guard:
        """Return a guard who lets one release pass by this ledger."""
        from antifaz.ledger.check import Guard

        return Guard(ledger=self, **said)

    def keys(self) -> tuple[bytes, bytes]:
        """Return the keys for hashes of people and of values; opens the ledger, which makes them the first time."""
        if self._key is None:
            with self.opened():
                pass
        if self._key is None:
            raise InputError(f"The ledger {self._place!r} has no key.")
        return derived(self._key, "ledger people"), derived(self._key, "ledger values")

    def name_of(self, place: str) -> str:
        """Return a data set's name where nobody gave one: a keyed hash of where it is."""
        return "data-" + hashlib.blake2b(place.encode(), key=self.keys()[1], digest_size=6).hexdigest()

    @contextmanager
    def opened(self) -> Iterator[Database]:
        """Open the database, make its tables where there are none, and settle what a crash left."""
        database = self._connect()
        try:
            self._prepare(database)
            self._settle(database)
            yield database
        finally:
            database.close()

    def _connect(self) -> Database:
        if "://" in self._place:
            from antifaz.storage.postgresql import Server

            return Server(self._place)
        from antifaz.storage.sqlite import Embedded

        path = Path(self._place).expanduser()
        return Embedded((path / FILE if path.is_dir() or self._place.endswith("/") else path).absolute())

    def _key_path(self, database: Database) -> Path:
        if self._key_place:
            return Path(self._key_place).expanduser().absolute()
        if not database.shared:
            return Path(f"{database.place}.key")
        folder = data_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder / f"ledger-{hashlib.blake2b(database.place.encode(), digest_size=6).hexdigest()}.key"

    def _prepare(self, database: Database) -> None:
        if "antifaz_ledger" not in database.tables():
            with database.writing():
                self._make(database)
        path, found = self._key_path(database), database.rows("SELECT version, proof FROM antifaz_ledger")
        if not found or found[0]["version"] > _VERSION:
            raise InputError(f"The ledger {database.place!r} is of a newer antifaz, or damaged; install that one.")
        if not path.exists():
            raise InputError(
                f"The key of the ledger, '{path}', is missing: put a copy of it there, or name it with {KEY_VARIABLE}; "
                "without it nobody in the ledger can be recognized."
            )
        key = read_key("The ledger", path)
        if derived(key, "ledger proof").hex() != found[0]["proof"]:
            raise InputError(f"'{path}' is not the key that the ledger {database.place!r} was made with.")
        self._key = key

    def _make(self, database: Database) -> None:
        tables = database.tables()
        if "antifaz_ledger" in tables:
            return  # another process was faster
        if tables and not database.shared:
            raise InputError(f"{database.place!r} is a database of something else; name another file.")
        path = self._key_path(database)
        if not path.exists():
            new_key(path)
        for statement in _TABLES:
            database.rows(statement)
        proof = derived(read_key("The ledger", path), "ledger proof").hex()
        database.rows("INSERT INTO antifaz_ledger (version, proof) VALUES (?, ?)", *(_VERSION, proof))

    def _settle(self, database: Database) -> None:
        """Find releases that were about to be published when their process ended, and see what became of them."""
        pending = database.rows("SELECT id, place, held FROM antifaz_release WHERE state = 'pending'")
        for row in pending:
            if not database.is_held(row["held"]):
                with database.writing():
                    confirm(database, row["id"], is_there(row["place"], row["id"]))


def checked_reason(reason: str) -> str:
    """Return a reason as it is kept, or refuse one that says nothing."""
    said = " ".join(reason.split())
    if not said or len(said) > 1000:
        raise InputError("A reason is needed that others will understand later, in 1 to 1,000 characters.")
    return said


def is_there(place: str, release: str) -> bool:
    """Say whether a release stands where it was to be; where that can't be seen, it is taken to be there."""
    if "://" in place:
        return True
    try:
        told = json.loads((Path(place) / "evidence.json").read_text(encoding="utf-8"))
        return bool(told["ledger"]["release"] == release)
    except (FileNotFoundError, NotADirectoryError, KeyError, TypeError, ValueError):
        return False
    except OSError:
        return True


def earlier(database: Database) -> list[dict[str, Any]]:
    """Return the releases that a new one is checked with."""
    return database.rows(f"SELECT {_SHOWN} FROM antifaz_release WHERE {_COUNTS} ORDER BY number")  # noqa: S608


def parts_of(database: Database, release: str, names: Sequence[str] = ()) -> dict[str, bytes]:
    """Return the arrays of a release as bytes, all or some."""
    chosen = f" AND name IN ({', '.join('?' * len(names))})" if names else ""
    found = database.rows(
        f"SELECT name, content FROM antifaz_release_part WHERE release = ?{chosen}",  # noqa: S608
        *(release, *names),
    )
    return {row["name"]: bytes(row["content"]) for row in found}


def last_number(database: Database) -> int:
    """Return the number of the last release, by which a newer one is noticed."""
    return int(database.rows("SELECT coalesce(max(number), 0) AS number FROM antifaz_release")[0]["number"])


def note(database: Database, about: dict[str, Any], entry: Entry | None, held: str, seen: int) -> None:
    """Note that a release is about to be published; not if another came since the ledger was looked at."""
    from antifaz.ledger.entry import packed

    with database.writing():
        number = last_number(database)
        if number != seen:
            raise InputError("Another release was registered in the ledger meanwhile; run this one again.")
        row = {"made_by": current_user(), **about, "number": number + 1, "state": "pending", "made": now()}
        row["held"] = held
        marks = ", ".join("?" * len(row))
        database.rows(f"INSERT INTO antifaz_release ({', '.join(row)}) VALUES ({marks})", *row.values())  # noqa: S608
        for name, content in packed(entry).items() if entry is not None else ():
            database.rows(
                "INSERT INTO antifaz_release_part (release, name, content) VALUES (?, ?, ?)",
                *(about["id"], name, content),
            )


def confirm(database: Database, release: str, published: bool) -> None:
    """Note how the publication ended; what never appeared is erased."""
    if published:
        database.rows("UPDATE antifaz_release SET state = 'released' WHERE id = ?", release)
    else:
        database.rows("DELETE FROM antifaz_release_part WHERE release = ?", release)
        database.rows("DELETE FROM antifaz_release WHERE id = ?", release)


def new_id() -> str:
    """Return a name for a release."""
    return secrets.token_hex(4)


def _all(database: Database) -> list[dict[str, Any]]:
    return database.rows(f"SELECT {_SHOWN} FROM antifaz_release ORDER BY number")  # noqa: S608


def _one(database: Database, release: str) -> dict[str, Any]:
    found = [row for row in _all(database) if release and row["id"].startswith(release)]
    if len(found) != 1:
        which = "several releases begin" if found else "no release begins"
        raise InputError(f"In the ledger {which} with {release!r}; 'antifaz ledger list' shows all.")
    return found[0]


def _told(row: dict[str, Any], whole: bool = False) -> dict[str, Any]:
    """Return a release as data; with the verdict of its day if the whole is wanted."""
    verdict = json.loads(row["verdict"])
    told = {
        "release": row["id"],
        **{key: row[key] for key in ("state", "dataset", "project", "made", "made_by", "place", "k", "records")},
        "classes": row["classes"],
        "smallest_intersection": verdict.get("smallest_intersection"),
        "despite": json.loads(row["despite"]) if row["despite"] else None,
        "forgotten": json.loads(row["forgotten"]) if row["forgotten"] else None,
    }
    return told | ({"verdict": verdict} if whole else {})
