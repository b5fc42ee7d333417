"""The hand-out of releases: what was checked is registered with who gets it, or refused; one after another."""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError, LedgerRefused
from antifaz.ledger.budget import require_budget, spending, spent_by
from antifaz.ledger.check import checked_reason, checked_recipient, given_despite, refusal, table_notes
from antifaz.ledger.database import add_recipient, add_release, all_releases, confirm_release, parts_of, recipients_of
from antifaz.ledger.drafts import Draft, promise_document, read_draft, read_promise, remove_draft
from antifaz.ledger.entry import unpack_entry
from antifaz.ledger.judgement import JudgedRelease, judge_with_earlier
from antifaz.ledger.ledger import Ledger
from antifaz.storage.database import Database

#: What evidence has of a draft that stays as it was: how it was recognized, or why nothing was checked.
_STAYS = ("release", "dataset", "kind", "checked", "known_by", "notes", "earlier", "compared")


@dataclass(frozen=True, kw_only=True)
class ReleasedFolder:
    """A folder that is to be handed out: its releases, each under its table's name or the empty one, and its files."""

    place: str
    releases: Mapping[str, str]
    #: The SHA-256 of each file by its path in the folder; None where it can't be read from here.
    files: Mapping[str, str] | None
    #: Files that may be there too: other formats of the rows.
    other_formats: Collection[str] = ()


Documents = Mapping[str, bytes]


def hand_out(
    ledger: Ledger,
    folder: ReleasedFolder,
    to: str,
    *,
    despite: str | None = None,
    rewritten: Callable[[Mapping[str, Mapping[str, Any]]], Documents],
) -> tuple[dict[str, dict[str, Any]], Documents]:
    """Register the releases of a folder with who gets them; raise where something speaks against it.

    `rewritten` returns the documents of the folder as they are to be from now on, given what the ledger says of each
    table; they are returned with that, and their fingerprints are registered before anybody writes them.
    """
    recipient, reason = checked_recipient(to), None if despite is None else checked_reason(despite)
    with ledger.opened() as database, database.writing():
        known = {part: _find(ledger, database, release) for part, release in folder.releases.items()}
        _refuse_changed(folder, known)
        evidence = {part: _judge_for_recipient(database, draft, recipient, reason) for part, draft in known.items()}
        documents = rewritten(evidence)
        for part, draft in known.items():
            _register(database, draft, evidence[part], folder, documents, (recipient, ledger.user))
    return evidence, documents


def forget_drafts(ledger: Ledger, folder: ReleasedFolder) -> None:
    """Remove the drafts of a folder that was handed out."""
    for release in folder.releases.values():
        remove_draft(ledger.drafts(), release)


def _find(ledger: Ledger, database: Database, release: str) -> Draft:
    """Return a release: as it is registered, or its draft."""
    for row in all_releases(database):
        if row["id"] == release:
            if row["state"] == "forgotten":
                raise InputError("ledger.release-forgotten-before", id=release)
            parts = parts_of(database, release)
            # Of the first version nothing can be compared.
            entry = unpack_entry(parts) if parts and row["run"] else None
            return Draft(about=row, promise=read_promise(json.loads(row["promise"] or "null")), entry=entry)
    draft = read_draft(ledger.drafts(), release)
    if draft is None:
        raise InputError("ledger.no-draft", release=release)
    return draft


def _refuse_changed(folder: ReleasedFolder, known: Mapping[str, Draft]) -> None:
    """Refuse a folder whose files are not those that were checked."""
    if folder.files is None:
        return
    checked: dict[str, list[str]] = json.loads(next(iter(known.values())).about["files"])
    if not checked:
        return  # registered by the first version, which kept no fingerprints
    names = checked.keys() | {name for name in folder.files if name not in folder.other_formats}
    wrong = [name for name in sorted(names) if folder.files.get(name) not in checked.get(name, [])]
    if wrong:
        raise InputError("ledger.folder-changed", place=Path(folder.place).name, files=wrong[:5])


def _judge_for_recipient(database: Database, draft: Draft, recipient: str, reason: str | None) -> dict[str, Any]:
    """Return what the ledger says of a release for a recipient now; raise where it speaks against it."""
    about, release = draft.about, draft.about["id"]
    before: dict[str, Any] = json.loads(about["verdict"])
    if recipient in _recipients(database, release):
        return before | {"recipient": recipient}
    evidence = {key: before[key] for key in _STAYS if key in before} | {"recipient": recipient}
    if draft.entry is not None and draft.promise is not None:
        subject = JudgedRelease(
            release=release, dataset=about["dataset"], run=about["run"], entry=draft.entry, promise=draft.promise
        )
        evidence |= judge_with_earlier(subject, database, recipient)
    if before.get("kind") == "table":
        # Others may have been handed out since it was made.
        evidence["notes"] = table_notes(
            database, about["dataset"], about["run"], [release, *before.get("compared", ())]
        )
    require_budget(database, about["dataset"], release, spent_by(before))
    evidence |= spending(database, about["dataset"], release, spent_by(before))
    if evidence.get("holds", True):
        return evidence
    despite = json.loads(about.get("despite") or "null") if reason is None else given_despite(reason)
    if despite is None:
        raise LedgerRefused(refusal(evidence))
    return evidence | {"despite": despite}


def _recipients(database: Database, release: str) -> list[str]:
    return [one["recipient"] for one in recipients_of(database).get(release, [])]


def _register(
    database: Database,
    draft: Draft,
    evidence: Mapping[str, Any],
    folder: ReleasedFolder,
    documents: Documents,
    between: tuple[str, str],
) -> None:
    """Note a release, and who gets it from whom."""
    release = draft.about["id"]
    files: dict[str, list[str]] = json.loads(draft.about["files"])
    for name, content in documents.items():
        known = files.setdefault(name, [])
        known.append(hashlib.sha256(content).hexdigest())
    despite = json.dumps(evidence["despite"], ensure_ascii=False) if "despite" in evidence else None
    verdict = json.dumps(evidence, ensure_ascii=False)
    row = {"verdict": verdict, "files": json.dumps(files), "place": folder.place, "despite": despite}
    if any(one["id"] == release for one in all_releases(database)):
        database.rows(
            "UPDATE antifaz_release SET verdict = ?, files = ?, place = ?, despite = coalesce(?, despite) WHERE id = ?",
            *(*row.values(), release),
        )
        confirm_release(database, release, "handed out")
    else:
        promise = json.dumps(promise_document(draft.promise))
        add_release(database, draft.about | row, draft.entry, state="handed out", promise=promise)
    add_recipient(database, release, between, verdict, despite)
