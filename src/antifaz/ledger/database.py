"""The ledger's tables: every release with its state, and its people as keyed hashes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.messages import Message
from antifaz.ledger.entry import Entry, pack_entry
from antifaz.storage.database import Database, current_user, now

TABLES = (
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
VERSION = 1
_SHOWN = (
    "id, number, state, dataset, part, project, made, made_by, place, k, records, classes, verdict, despite, forgotten"
)
#: What counts: a release that is being published may be out any moment.
_COUNTS = "state IN ('pending', 'released')"


def is_there(place: str, release: str) -> bool:
    """Say whether a release stands where it was to be; where that can't be seen, it is taken to be there."""
    if "://" in place:
        return True
    try:
        evidence = json.loads((Path(place) / "evidence.json").read_text(encoding="utf-8"))
        return bool(evidence["ledger"]["release"] == release)
    except (FileNotFoundError, NotADirectoryError, KeyError, TypeError, ValueError):
        return False
    except OSError:
        return True


def earlier_releases(database: Database) -> list[dict[str, Any]]:
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


def register_pending(database: Database, about: dict[str, Any], entry: Entry | None, held: str, seen: int) -> None:
    """Note that a release is about to be published; not if another came since the ledger was looked at."""
    with database.writing():
        number = last_number(database)
        if number != seen:
            raise InputError("ledger.other-release-meanwhile")
        row = {"made_by": current_user(), **about, "number": number + 1, "state": "pending", "made": now()}
        row["held"] = held
        marks = ", ".join("?" * len(row))
        database.rows(f"INSERT INTO antifaz_release ({', '.join(row)}) VALUES ({marks})", *row.values())  # noqa: S608
        for name, content in pack_entry(entry).items() if entry is not None else ():
            database.rows(
                "INSERT INTO antifaz_release_part (release, name, content) VALUES (?, ?, ?)",
                *(about["id"], name, content),
            )


def confirm_release(database: Database, release: str, published: bool) -> None:
    """Note how the publication ended; what never appeared is erased."""
    if published:
        database.rows("UPDATE antifaz_release SET state = 'released' WHERE id = ?", release)
    else:
        database.rows("DELETE FROM antifaz_release_part WHERE release = ?", release)
        database.rows("DELETE FROM antifaz_release WHERE id = ?", release)


def all_releases(database: Database) -> list[dict[str, Any]]:
    """Return every release, the first one first."""
    return database.rows(f"SELECT {_SHOWN} FROM antifaz_release ORDER BY number")  # noqa: S608


def find_release(database: Database, release: str) -> dict[str, Any]:
    """Return the one release whose name begins so, or raise."""
    found = [row for row in all_releases(database) if release and row["id"].startswith(release)]
    if len(found) != 1:
        which = Message("ledger.several-releases-begin") if found else Message("ledger.no-release-begins")
        raise InputError("ledger.no-single-release", which=which, release=release)
    return found[0]


def describe_release(row: dict[str, Any], whole: bool = False) -> dict[str, Any]:
    """Return a release as data; with the verdict of its day if the whole is wanted."""
    verdict = json.loads(row["verdict"])
    document = {
        "release": row["id"],
        **{key: row[key] for key in ("state", "dataset", "project", "made", "made_by", "place", "k", "records")},
        "classes": row["classes"],
        "smallest_intersection": verdict.get("smallest_intersection"),
        "despite": json.loads(row["despite"]) if row["despite"] else None,
        "forgotten": json.loads(row["forgotten"]) if row["forgotten"] else None,
    }
    return document | ({"verdict": verdict} if whole else {})
