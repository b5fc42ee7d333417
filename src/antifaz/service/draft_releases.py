"""Releases that were made but have not left: the ledger knows of them when somebody takes them away.

On the page one tries things: most of what is run is looked at, judged, and run again. A run is checked with the
releases that left before, and what the ledger would have to know of it is kept beside it, as keyed hashes without a
cell. When its rows are taken away, it is checked once more, with what left in between, and registered.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import InputError, LedgerRefused
from antifaz.core.messages import Message
from antifaz.ledger.check import LedgerCheck, judge_with_earlier
from antifaz.ledger.database import confirm_release, earlier_releases, last_number, register_pending
from antifaz.ledger.ledger import OFF, VARIABLE, Ledger, default_ledger
from antifaz.ledger.verdict import Promise, finding

if TYPE_CHECKING:
    from antifaz.ledger.entry import Entry
    from antifaz.storage.database import Database

_ABOUT = "about.json"
_DAMAGED = Message("service.ledger-notes-lost")


class DraftLedger(Ledger):
    """The user's ledger for runs that do not leave yet."""

    def __init__(self, folder: Path, owner: str) -> None:
        """Take the folder where what must be known of a run is kept until it leaves."""
        super().__init__(os.environ.get(VARIABLE))
        self.folder, self.owner = folder, owner

    def new_check(self, **options: Any) -> LedgerCheck:
        """Return a check that looks the release up and lets it pass no further than the service."""
        return _DraftCheck(ledger=self, **options)


class _DraftCheck(LedgerCheck):
    """Keeps what the ledger must know, instead of noting it there."""

    def refusal(self, evidence: Mapping[str, Any]) -> str:
        return Message("service.ledger-refuses", finding=finding(evidence))

    @contextmanager
    def publishing(self, place: str | Path) -> Iterator[None]:
        assert isinstance(self.ledger, DraftLedger)  # noqa: S101 - it made this check
        about = self._about | {"made_by": self.ledger.owner}
        _write(self.ledger.folder / f"{self.release}.zip", DraftRelease(about, self._promise, self._entry))
        yield


def draft_ledger(folder: Path, owner: str) -> DraftLedger | bool:
    """Return the ledger for a run that stays here; False where the ledger is turned off."""
    return False if os.environ.get(VARIABLE) == OFF else DraftLedger(folder, owner)


@dataclass(frozen=True)
class DraftRelease:
    """One release that has not left: its row in the ledger, what it promises, and its people as keyed hashes."""

    about: dict[str, Any]
    promised: Promise | None
    entry: Entry | None

    @property
    def release(self) -> str:
        """Its name in the ledger."""
        return str(self.about["id"])

    def judged(self, database: Database, before: list[dict[str, Any]]) -> dict[str, Any]:
        """Return its row with what the ledger says of it now; raise where that speaks against it."""
        verdict: dict[str, Any] = json.loads(self.about["verdict"])
        if self.entry is None or self.promised is None:
            return self.about
        notes: list[str] = []
        others, own = [row for row in before if not self._together(row)], self.about["dataset"]
        verdict |= judge_with_earlier(self.entry, self.promised, own, database, others, notes).as_dict()
        verdict["notes"] = notes
        if not verdict.get("holds", True) and not self.about.get("despite"):
            raise LedgerRefused("service.released-since-run", finding=finding(verdict))
        return self.about | {"verdict": json.dumps(verdict, ensure_ascii=False)}

    def _together(self, row: Mapping[str, Any]) -> bool:
        """Whether another release is of another table of the same project: those go out together."""
        own = self.about
        return bool(own["part"] and row["part"] and row["dataset"] == own["dataset"] and row["part"] != own["part"])


def register_draft(folder: Path, place: Path) -> None:
    """Check the releases of a run that is about to leave once more, note all of them or none, and forget what was kept.

    `place` is where the release stands.
    """
    ledger = default_ledger()
    if ledger is None:
        return  # turned off since; once it is on again, it is registered with whatever leaves next
    drafts = [_read(path) for path in sorted(folder.glob("*.zip"))]
    with ledger.opened() as database, database.process_lock() as held:
        before, seen = earlier_releases(database), last_number(database)
        known = {row["id"] for row in before}
        rows = [(each, each.judged(database, before)) for each in drafts if each.release not in known]
        for number, (each, row) in enumerate(rows):
            where = place / row["part"] if row["part"] else place
            register_pending(database, row | {"place": str(where)}, each.entry, held, seen + number)
        with database.writing():
            for each, _ in rows:
                confirm_release(database, each.release, True)
    shutil.rmtree(folder, ignore_errors=True)


def hand_out(order: Mapping[str, Any]) -> None:
    """Do what must be done before a release leaves: first the format, because what can't be had does not leave."""
    if "target" in order:
        from antifaz.engines.local.convert import convert

        convert(Path(order["path"]), Path(order["target"]), order["format"], order["delimiter"])
    if "draft" in order:
        register_draft(Path(order["draft"]), Path(order["release"]))


def _write(path: Path, draft: DraftRelease) -> None:
    from antifaz.ledger.entry import pack_entry

    parts = {} if draft.entry is None else pack_entry(draft.entry)
    promised = None if draft.promised is None else asdict(draft.promised)
    about = {"about": draft.about, "promised": promised, "parts": list(parts)}
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        with zipfile.ZipFile(file, "w") as archive:  # the parts are compressed already, and named by columns
            archive.writestr(_ABOUT, json.dumps(about, ensure_ascii=False))
            for number, part in enumerate(parts.values()):
                archive.writestr(str(number), part)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> DraftRelease:
    from antifaz.ledger.entry import unpack_entry

    try:
        with zipfile.ZipFile(path) as archive:
            draft = json.loads(archive.read(_ABOUT))
            parts = {name: archive.read(str(number)) for number, name in enumerate(draft["parts"])}
        given = draft["promised"]
        promised = None if given is None else Promise(**given | {"sensitive": tuple(given["sensitive"])})
        return DraftRelease(draft["about"], promised, unpack_entry(parts) if parts else None)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise InputError(_DAMAGED) from None
