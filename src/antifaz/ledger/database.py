"""The ledger's tables: every release that was handed out, to whom, and its people as keyed hashes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.messages import Message
from antifaz.ledger.entry import Entry, pack_entry
from antifaz.storage.database import Database, now

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
#: From the first version to the second: runs, files and recipients; hashes of the first can't be compared any more.
SECOND = (
    "ALTER TABLE antifaz_release ADD COLUMN run TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE antifaz_release ADD COLUMN files TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE antifaz_release ADD COLUMN promise TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE antifaz_hand_out (
        release TEXT NOT NULL REFERENCES antifaz_release (id) ON DELETE CASCADE, recipient TEXT NOT NULL,
        handed TEXT NOT NULL, handed_by TEXT NOT NULL, verdict TEXT NOT NULL, despite TEXT,
        PRIMARY KEY (release, recipient))""",
    "UPDATE antifaz_release SET state = 'handed out' WHERE state = 'released'",
    """INSERT INTO antifaz_hand_out (release, recipient, handed, handed_by, verdict, despite)
        SELECT id, '', made, made_by, verdict, despite FROM antifaz_release""",
    "UPDATE antifaz_ledger SET version = 2",
)
#: From the second version to the third: how much differentially private releases of a data set may spend.
THIRD = (
    """CREATE TABLE antifaz_budget (
        dataset TEXT PRIMARY KEY, epsilon DOUBLE PRECISION NOT NULL, delta DOUBLE PRECISION NOT NULL,
        made TEXT NOT NULL, made_by TEXT NOT NULL)""",
    "UPDATE antifaz_ledger SET version = 3",
)
#: What brings a ledger from each version to the next.
UPGRADES = {1: SECOND, 2: THIRD}
VERSION = 3
_SHOWN = (
    "id, number, state, dataset, part, project, made, made_by, place, k, records, classes, verdict, despite, "
    "forgotten, run, files, promise"
)
#: What counts: a release that is being published, or that was when its process ended, may be out.
_COUNTS = "state IN ('pending', 'unconfirmed', 'handed out')"


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


def earlier_releases(database: Database, recipient: str | None = None) -> list[dict[str, Any]]:
    """Return the releases that a new one is checked with: all, or those that one recipient has."""
    rows = database.rows(f"SELECT {_SHOWN} FROM antifaz_release WHERE {_COUNTS} ORDER BY number")  # noqa: S608
    if recipient is None:
        return rows
    theirs = database.rows("SELECT release FROM antifaz_hand_out WHERE recipient = ?", recipient)
    known = {row["release"] for row in theirs}
    return [row for row in rows if row["id"] in known]


def parts_of(database: Database, release: str, names: Sequence[str] = ()) -> dict[str, bytes]:
    """Return the arrays of a release as bytes, all or some."""
    chosen = f" AND name IN ({', '.join('?' * len(names))})" if names else ""
    rows = database.rows(
        f"SELECT name, content FROM antifaz_release_part WHERE release = ?{chosen}",  # noqa: S608
        *(release, *names),
    )
    return {row["name"]: bytes(row["content"]) for row in rows}


def last_number(database: Database) -> int:
    """Return the number of the last release, by which a newer one is noticed."""
    return int(database.rows("SELECT coalesce(max(number), 0) AS number FROM antifaz_release")[0]["number"])


def add_release(database: Database, about: Mapping[str, Any], entry: Entry | None, **more: Any) -> None:
    """Note a release with its people; within a block of `writing`."""
    row = {"held": "", "made": now(), **about, "number": last_number(database) + 1, **more}
    marks = ", ".join("?" * len(row))
    database.rows(f"INSERT INTO antifaz_release ({', '.join(row)}) VALUES ({marks})", *row.values())  # noqa: S608
    for name, content in pack_entry(entry).items() if entry is not None else ():
        database.rows(
            "INSERT INTO antifaz_release_part (release, name, content) VALUES (?, ?, ?)",
            *(about["id"], name, content),
        )


def add_recipient(
    database: Database, release: str, between: tuple[str, str], verdict: str, despite: str | None
) -> None:
    """Note who gets a release, and from whom; within a block of `writing`."""
    recipient, giver = between
    database.rows("DELETE FROM antifaz_hand_out WHERE release = ? AND recipient = ?", *(release, recipient))
    database.rows(
        "INSERT INTO antifaz_hand_out (release, recipient, handed, handed_by, verdict, despite) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        *(release, recipient, now(), giver, verdict, despite),
    )


def register_pending(
    database: Database, about: Mapping[str, Any], entry: Entry | None, lock_name: str, seen: int, recipient: str
) -> None:
    """Note that a release is about to be published; not if another came since the ledger was looked at."""
    with database.writing():
        if last_number(database) != seen:
            raise InputError("ledger.other-release-meanwhile")
        add_release(database, about, entry, state="pending", held=lock_name)
        between = (recipient, about["made_by"])
        add_recipient(database, about["id"], between, about["verdict"], about.get("despite"))


def confirm_release(database: Database, release: str, state: str | None) -> None:
    """Note how the publication ended; what never appeared, as its own process saw, is erased: None."""
    if state is not None:
        database.rows("UPDATE antifaz_release SET state = ? WHERE id = ?", *(state, release))
        return
    for statement in (
        "DELETE FROM antifaz_release_part WHERE release = ?",
        "DELETE FROM antifaz_hand_out WHERE release = ?",
        "DELETE FROM antifaz_release WHERE id = ?",
    ):
        database.rows(statement, release)


def resolve_pending(database: Database) -> None:
    """Find releases that were about to be published when their process ended.

    One that does not stand in its place may have been moved or sent away: it counts until somebody says that it never
    left.
    """
    pending = database.rows("SELECT id, place, held FROM antifaz_release WHERE state = 'pending'")
    for row in pending:
        if not database.is_locked(row["held"]):
            with database.writing():
                there = is_there(row["place"], row["id"])
                confirm_release(database, row["id"], "handed out" if there else "unconfirmed")


def all_releases(database: Database) -> list[dict[str, Any]]:
    """Return every release, the first one first."""
    return database.rows(f"SELECT {_SHOWN} FROM antifaz_release ORDER BY number")  # noqa: S608


def recipients_of(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Return who has each release, in the order in which they got it; by name within a second."""
    handed_out: dict[str, list[dict[str, Any]]] = {}
    for row in database.rows("SELECT * FROM antifaz_hand_out ORDER BY handed, recipient"):
        one = {key: row[key] for key in ("recipient", "handed", "handed_by")}
        handed_out.setdefault(row["release"], []).append(one)
    return handed_out


def find_release(database: Database, release: str) -> dict[str, Any]:
    """Return the one release whose name begins so, or raise."""
    matches = [row for row in all_releases(database) if release and row["id"].startswith(release)]
    if len(matches) != 1:
        which = Message("ledger.several-releases-begin") if matches else Message("ledger.no-release-begins")
        raise InputError("ledger.no-single-release", which=which, release=release)
    return matches[0]


def describe_release(
    row: Mapping[str, Any], recipients: Mapping[str, list[dict[str, Any]]], whole: bool = False
) -> dict[str, Any]:
    """Return a release as data; with the verdict of its day if the whole is wanted."""
    verdict = json.loads(row["verdict"])
    document = {
        "release": row["id"],
        **{key: row[key] for key in ("state", "dataset", "project", "made", "made_by", "place", "k", "records")},
        "classes": row["classes"],
        "recipients": recipients.get(row["id"], []),
        "smallest_intersection": verdict.get("smallest_intersection"),
        "despite": json.loads(row["despite"]) if row["despite"] else None,
        "forgotten": json.loads(row["forgotten"]) if row["forgotten"] else None,
    }
    return document | ({"verdict": verdict} if whole else {})
