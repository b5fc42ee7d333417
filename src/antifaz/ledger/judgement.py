"""A release judged with those that were handed out: who is in both, what the attacks find, and for whom."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from antifaz.core.errors import InputError
from antifaz.core.messages import Message
from antifaz.ledger.attacks import Overlap
from antifaz.ledger.database import earlier_releases, parts_of, recipients_of
from antifaz.ledger.entry import Entry, unpack_entry
from antifaz.ledger.recognition import Recognition, recognize
from antifaz.ledger.verdict import LedgerVerdict, Promise, judge_release
from antifaz.storage.database import Database


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRelease:
    """The release that is judged."""

    release: str
    #: The name of its data set; empty where it has none.
    dataset: str
    run: str
    entry: Entry
    promise: Promise


@dataclass(frozen=True, kw_only=True, eq=False)
class _Earlier:
    """An earlier release with whom of the subject it has."""

    row: Mapping[str, Any]
    entry: Entry
    recognition: Recognition

    def overlap(self, new: Entry) -> Overlap:
        return Overlap(new=new, old=self.entry, places=self.recognition.places)

    def is_repeated_by(self, new: Entry) -> bool:
        """Say whether the new release says nothing beyond this one: it has all of the people, in classes as fine."""
        places = self.recognition.places
        if not places.size or (places < 0).any():
            return False
        pairs = np.unique(np.stack([self.entry.classes[places], new.classes]), axis=1)
        return bool(np.unique(pairs[0]).size == pairs.shape[1])


def judge_with_earlier(subject: JudgedRelease, database: Database, recipient: str | None) -> dict[str, Any]:
    """Check a release with what all recipients have, and with what one has; return that as evidence.

    The verdict is that with all of them together. Where it does not hold, `holds_for_recipient` says whether it does
    with what the recipient has alone.
    """
    notes: list[str] = []
    rows = [row for row in earlier_releases(database) if row["id"] != subject.release and row["run"] != subject.run]
    known = [each for row in rows if (each := _recognize_earlier(subject, database, row, notes)) is not None]
    verdict = _judge_subject(subject, known, recipients_of(database))
    evidence = verdict.as_dict() | {"notes": notes}
    if recipient is None:
        return evidence
    theirs = {row["id"] for row in earlier_releases(database, recipient)}
    own = [each for each in known if each.row["id"] in theirs]
    alone = verdict.holds or _judge_subject(subject, own, {}).holds
    return evidence | {"recipient": recipient, "holds_for_recipient": alone}


def _judge_subject(
    subject: JudgedRelease, known: Sequence[_Earlier], recipients: Mapping[str, list[dict[str, Any]]]
) -> LedgerVerdict:
    repeated = {each.row["run"]: each.row["id"] for each in known if each.is_repeated_by(subject.entry)}
    earlier = []
    for each in known:
        row = each.row
        if row["run"] and repeated.get(row["run"], row["id"]) != row["id"]:
            continue  # it went out beside what is only repeated now
        about = {
            "release": row["id"],
            **{key: row[key] for key in ("made", "k")},
            "dataset": row["dataset"] or "unnamed",
        }
        about["recipients"] = [one["recipient"] for one in recipients.get(row["id"], [])]
        about["by"] = list(each.recognition.by)
        earlier.append((about, each.overlap(subject.entry)))
    return judge_release(subject.entry, earlier, subject.promise.kept_by(subject.entry))


def _recognize_earlier(
    subject: JudgedRelease, database: Database, row: Mapping[str, Any], notes: list[str]
) -> _Earlier | None:
    """Return an earlier release with whom it shares; None where that is nobody, and `notes` says what is in doubt."""
    same = bool(subject.dataset) and row["dataset"] == subject.dataset
    entry = _load_entry(database, row)
    if entry is None:
        if same and json.loads(row["verdict"]).get("kind") == "table":
            notes.append(Message("warning.ledger-earlier-table", release=row["id"]))
        elif same or row["classes"] is not None:
            notes.append(Message("warning.ledger-without-people", release=row["id"]))
        return None
    recognition = recognize(subject.entry, entry, same_dataset=same, release=row["id"])
    if recognition.doubt is not None:
        notes.append(recognition.doubt)
    elif same and not recognition.found:
        notes.append(Message("warning.ledger-finds-nobody-again", release=row["id"]))
    return _Earlier(row=row, entry=entry, recognition=recognition) if recognition.found or same else None


def _load_entry(database: Database, row: Mapping[str, Any]) -> Entry | None:
    """Return an earlier release; None where no people were registered, or by an antifaz whose hashes were others."""
    if row["classes"] is None or not row["run"]:
        return None
    try:
        return unpack_entry(parts_of(database, row["id"]))
    except ValueError:
        raise InputError("ledger.release-damaged", id=row["id"], place=database.place) from None
