"""The ledger: what was released of whom, kept as keyed hashes, so that a new release can be checked with the old ones.

One SQLite file that only its owner can read, or a PostgreSQL server; the key of the hashes is in a file of its own, so
that who gets the one has not got the other. A release that is handed out by its run is noted before it is published and
confirmed after: a crash in between is found when the ledger is opened next, and what does not stand in its place is
unconfirmed, and counts, until somebody says that it never left.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from antifaz.core.errors import InputError
from antifaz.core.keys import derived, new_key, read_key
from antifaz.core.machine import current_user
from antifaz.ledger.budget import PrivacySpent, all_budgets, budget_of, set_limit
from antifaz.ledger.check import LedgerCheck, NewRelease, checked_reason
from antifaz.ledger.database import (
    TABLES,
    UPGRADES,
    VERSION,
    all_releases,
    describe_release,
    earlier_releases,
    find_release,
    recipients_of,
    resolve_pending,
)
from antifaz.ledger.drafts import draft_at
from antifaz.storage.database import Database, connect, data_folder, now
from antifaz.storage.secrets import refuse_passwords

#: Where the ledger is, if not in the user's data folder: a path, postgresql://user@host/database, or "off".
VARIABLE = "ANTIFAZ_LEDGER"
#: Where its key is, if not beside it.
KEY_VARIABLE = "ANTIFAZ_LEDGER_KEY"
FILE = "ledger.sqlite"
OFF = "off"


class Releasable(Protocol):
    """What a ledger can be asked about: it tells what is about to be released."""

    def new_release(self) -> NewRelease: ...  # noqa: D102


def default_ledger() -> "Ledger | None":
    """Return the ledger that ANTIFAZ_LEDGER names, or that in the user's data folder; None where it says "off"."""
    place = os.environ.get(VARIABLE)
    return None if place == OFF else Ledger(place)


class Ledger:
    """The releases that were made. `place` is a path or postgresql://user@host/database; the user's own if left out."""

    def __init__(
        self, place: str | Path | None = None, *, key: str | Path | None = None, user: str | None = None
    ) -> None:
        """Say where it is; it is opened, and made where there is none, when it is first used.

        `user` is who hands out, where that is not the user that the system knows.
        """
        self.user = user or current_user()
        self._place = str(place) if place else str(data_folder() / FILE)
        refuse_passwords(self._place, VARIABLE)
        if "://" in self._place and not self._place.startswith(("postgresql://", "postgres://")):
            raise InputError("ledger.place-not-a-path", variable=VARIABLE, off=OFF)
        self._key_place = key or os.environ.get(KEY_VARIABLE)
        self._key: bytes | None = None
        self._drafts: Path | None = None

    @property
    def place(self) -> str:
        """Where the ledger is."""
        return self._place

    def releases(self) -> list[dict[str, Any]]:
        """Return all releases, the first one first: whose data, when, where, its k, its state, and who has it."""
        with self.opened() as database:
            recipients = recipients_of(database)
            return [describe_release(row, recipients) for row in all_releases(database)]

    def handed_out(self) -> list[dict[str, Any]]:
        """Return what new releases are checked with, as it is kept: id, data set, place, SHA-256 of files, …."""
        with self.opened() as database:
            return earlier_releases(database)

    def show(self, release: str) -> dict[str, Any]:
        """Return one release with the verdict of its day; the beginning of its name is enough."""
        with self.opened() as database:
            return describe_release(find_release(database, release), recipients_of(database), whole=True)

    def forget(self, release: str, reason: str) -> dict[str, Any]:
        """Stop checking new releases against this one, because it was never handed over.

        Its hashes are erased; that it was there, and the reason, stay.
        """
        why = checked_reason(reason)
        with self.opened() as database, database.writing():
            row = find_release(database, release)
            if row["state"] == "pending":
                raise InputError("ledger.release-being-published", id=row["id"])
            if row["state"] == "forgotten":
                raise InputError("ledger.release-forgotten-before", id=row["id"])
            forgotten = json.dumps({"reason": why, "when": now(), "by": self.user}, ensure_ascii=False)
            database.rows("DELETE FROM antifaz_release_part WHERE release = ?", row["id"])
            database.rows(
                "UPDATE antifaz_release SET state = 'forgotten', forgotten = ? WHERE id = ?", *(forgotten, row["id"])
            )
            return describe_release(find_release(database, row["id"]), recipients_of(database), whole=True)

    def budgets(self) -> list[dict[str, Any]]:
        """Return, per data set, what differentially private releases have spent, the limit, and what is left."""
        with self.opened() as database:
            return [budget.as_dict() for budget in all_budgets(database)]

    def set_budget(self, dataset: str, *, epsilon: float, delta: float) -> dict[str, Any]:
        """Limit what differentially private releases of a data set may spend together, and return its budget."""
        with self.opened() as database:
            set_limit(database, dataset, PrivacySpent(epsilon=epsilon, delta=delta), self.user)
            return budget_of(database, dataset).as_dict()

    def check(self, release: Releasable, *, person: Sequence[str] = ()) -> dict[str, Any]:
        """Return what this ledger would say of a release; nothing is registered, and nothing refused."""
        return self.new_check(person=tuple(person)).examine(release.new_release())

    def new_check(self, **options: Any) -> LedgerCheck:
        """Return the check of one release with this ledger."""
        return LedgerCheck(ledger=self, **options)

    def keys(self) -> tuple[bytes, bytes]:
        """Return the keys for hashes of people and of values; opens the ledger, which makes them the first time."""
        if self._key is None:
            with self.opened():
                pass
        if self._key is None:
            raise InputError("ledger.no-key", place=self._place)
        return derived(self._key, "ledger people"), derived(self._key, "ledger values")

    def name_of(self, place: str) -> str:
        """Return a data set's name where nobody gave one: a keyed hash of where it is."""
        return "data-" + hashlib.blake2b(place.encode(), key=self.keys()[1], digest_size=6).hexdigest()

    @contextmanager
    def opened(self) -> Iterator[Database]:
        """Open the database, make its tables or bring them up to date, and see what a crash left."""
        database = connect(self._place, FILE)
        try:
            self._prepare(database)
            resolve_pending(database)
            yield database
        finally:
            database.close()

    def drafts(self) -> Path:
        """Return the folder in which drafts are kept until they are handed out."""
        if self._drafts is None:
            with self.opened() as database:
                self._drafts = self._sibling_path(database, "drafts")
        return self._drafts

    def release_at(self, place: str) -> str:
        """Return the release that was made for a place: the one that is registered last, or the draft."""
        with self.opened() as database:
            known = [
                row["id"] for row in all_releases(database) if row["place"] == place and row["state"] != "forgotten"
            ]
        match = draft_at(self.drafts(), place) or (known[-1] if known else None)
        if match is None:
            raise InputError("ledger.no-release-at", place=place)
        return match

    def _key_path(self, database: Database) -> Path:
        return Path(self._key_place).expanduser().absolute() if self._key_place else self._sibling_path(database, "key")

    def _sibling_path(self, database: Database, what: str) -> Path:
        """Return a place beside the ledger's file; in the user's data folder where the ledger is on a server."""
        if not database.shared:
            return Path(f"{database.place}.{what}")
        folder = data_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder / f"ledger-{hashlib.blake2b(database.place.encode(), digest_size=6).hexdigest()}.{what}"

    def _prepare(self, database: Database) -> None:
        if "antifaz_ledger" not in database.tables():
            with database.writing():
                self._make(database)
        path, rows = self._key_path(database), database.rows("SELECT version, proof FROM antifaz_ledger")
        if not rows or rows[0]["version"] > VERSION:
            raise InputError("ledger.newer-or-damaged", place=database.place)
        if rows[0]["version"] < VERSION:
            self._upgrade(database)
        if not path.exists():
            raise InputError("ledger.key-missing", path=path, key_variable=KEY_VARIABLE)
        key = read_key("The ledger", path)
        if derived(key, "ledger proof").hex() != rows[0]["proof"]:
            raise InputError("ledger.key-of-another-ledger", path=path, place=database.place)
        self._key = key

    def _make(self, database: Database) -> None:
        tables = database.tables()
        if "antifaz_ledger" in tables:
            return  # another process was faster
        if tables and not database.shared:
            raise InputError("ledger.database-of-something-else", place=database.place)
        path = self._key_path(database)
        if not path.exists():
            new_key(path)
        for statement in TABLES:
            database.rows(statement)
        proof = derived(read_key("The ledger", path), "ledger proof").hex()
        database.rows("INSERT INTO antifaz_ledger (version, proof) VALUES (?, ?)", *(1, proof))
        self._bring_up_to_date(database)

    def _upgrade(self, database: Database) -> None:
        """Bring an older ledger up to date; hashes of people of the first version can't be compared any more."""
        with database.writing():
            self._bring_up_to_date(database)

    def _bring_up_to_date(self, database: Database) -> None:
        for version in range(int(database.rows("SELECT version FROM antifaz_ledger")[0]["version"]), VERSION):
            for statement in UPGRADES[version]:
                database.rows(statement)


def check_with(
    ledger: Ledger | LedgerCheck | str | Path | None, dataset: str, to: str | None, despite: str | None = None
) -> LedgerCheck | None:
    """Return the check of a release that is to be handed out `to` somebody; None where there is no ledger."""
    if ledger is None or isinstance(ledger, LedgerCheck):
        return ledger
    known = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    return known.new_check(dataset=dataset, despite=despite, to=to or "")
