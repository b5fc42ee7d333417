"""The check of a release with the ledger: a draft is looked up and kept, a hand-out is registered or refused."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from antifaz.core.errors import InputError, LedgerRefused, hint
from antifaz.core.machine import current_user
from antifaz.core.messages import Message
from antifaz.engines.engine import Applied, Data
from antifaz.ledger.budget import PrivacySpent, require_budget, spending, spent_by
from antifaz.ledger.database import confirm_release, earlier_releases, is_there, last_number, register_pending
from antifaz.ledger.drafts import Draft, promise_document, remove_draft, write_draft
from antifaz.ledger.entry import BYTES_PER_RECORD, Entry, EntryBuilder, EntryLayout
from antifaz.ledger.judgement import JudgedRelease, judge_with_earlier
from antifaz.ledger.verdict import Promise, conflicting_releases, finding
from antifaz.privacy.model import PrivacyModel
from antifaz.storage.database import Database, now

#: The share of a limit on memory that the ledger may take.
SHARE = 0.25
_AWAY = Message("warning.ledger-not-on-this-engine")


class OpenableLedger(Protocol):
    """What a check needs of a ledger: who uses it, its keys, its database, and where drafts are kept."""

    @property
    def user(self) -> str: ...  # noqa: D102
    def keys(self) -> tuple[bytes, bytes]: ...  # noqa: D102
    def opened(self) -> AbstractContextManager[Database]: ...  # noqa: D102
    def drafts(self) -> Path: ...  # noqa: D102


@dataclass(frozen=True, kw_only=True)
class NewRelease:
    """What the ledger must know of a release: what it promises, and the rows with what becomes of them."""

    project: str
    k: int
    #: Whether nothing is promised: operations were done to columns, and no privacy was evaluated.
    light: bool
    models: Sequence[PrivacyModel]
    quasi_identifiers: Sequence[str]
    identifiers: Sequence[str]
    sensitive: Sequence[str]
    #: The columns that operations or perturbations changed before.
    changed: frozenset[str]
    data: Data
    applied: Applied
    #: Whether people are counted, whom the identifiers tell apart.
    people: bool = False
    #: What a differentially private release spends; None for others.
    spends: PrivacySpent | None = None


@dataclass(kw_only=True)
class LedgerCheck:
    """One release on its way past the ledger."""

    ledger: OpenableLedger
    #: What the data set is called; of a path or an address, a keyed hash where nobody gave a name; empty: nothing.
    dataset: str = ""
    #: The run that the release is of, and the table of several in it.
    run: str = field(default_factory=lambda: secrets.token_hex(4))
    part: str = ""
    #: The columns that people are known by; the identifiers where left out.
    person: tuple[str, ...] = ()
    #: Why the release is to be handed out even if earlier ones break it.
    despite: str | None = None
    #: Who gets it; None for a draft, which is checked and kept and not registered.
    to: str | None = None
    release: str = field(default_factory=lambda: secrets.token_hex(4))

    def __post_init__(self) -> None:
        """Refuse a reason that says nothing, and find the ledger early: before the work, not after."""
        self.despite = None if self.despite is None else checked_reason(self.despite)
        self.to = None if self.to is None else checked_recipient(self.to)
        self.ledger.keys()
        self._entry: Entry | None = None
        self._about: dict[str, Any] = {}
        self._promise: Promise | None = None
        self._seen = 0

    @property
    def state(self) -> Literal["draft", "handed out"]:
        """What the release is when its run is over."""
        return "draft" if self.to is None else "handed out"

    def examine(self, new: NewRelease) -> dict[str, Any]:
        """Return what the ledger says of a release, as evidence; whether it may be made is `settle`'s to say."""
        evidence: dict[str, Any] = {"release": self.release, "dataset": self.dataset or "unnamed"}
        layout = self._layout(new)
        with self.ledger.opened() as database:
            self._seen = last_number(database)
            others = len(earlier_releases(database))
            why = _why_not(layout, new.data, others)
            trace = None if why else new.applied.traced(layout.quasi_identifiers, self.ledger.keys()[0], layout.person)
            if trace is None:
                evidence |= {"checked": False, "earlier": [], "notes": [why or _AWAY]}
            else:
                builder = EntryBuilder(layout, *self.ledger.keys())
                with trace as rows:
                    for batch in rows:
                        builder.add(batch)
                self._entry, least = builder.made(), _least(new.models)
                self._promise = Promise(k=new.k, light=new.light, sensitive=tuple(new.sensitive), least=least)
                evidence |= {"checked": True, "known_by": list(layout.person) or Message("ledger.whole-record")}
                evidence |= judge_with_earlier(self.subject(self._entry, self._promise), database, self.to)
            evidence |= spending(database, self.dataset, self.release, new.spends)
        records = new.data.rows if self._entry is None else self._entry.rows
        self._about = self._row(new.project, evidence, k=None if new.light else new.k, records=records)
        return evidence

    def examine_table(
        self, project: str, cells: int, spends: PrivacySpent | None, *, compared: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return what the ledger says of a table of counts or sums, which has nobody in it who could be known again.

        `compared` are the earlier tables of the data set that it was attacked with; the others are counted.
        """
        evidence: dict[str, Any] = {"release": self.release, "dataset": self.dataset or "unnamed", "kind": "table"}
        with self.ledger.opened() as database:
            self._seen = last_number(database)
            evidence |= {"checked": False, "earlier": [], "compared": list(compared)}
            evidence |= {"notes": table_notes(database, self.dataset, self.run, compared)}
            evidence |= {} if self.to is None else {"recipient": self.to}
            evidence |= spending(database, self.dataset, self.release, spends)
        self._about = self._row(project, evidence, k=None, records=cells)
        return evidence

    def subject(self, entry: Entry, promise: Promise) -> JudgedRelease:
        """Return the release as it is judged."""
        return JudgedRelease(release=self.release, dataset=self.dataset, run=self.run, entry=entry, promise=promise)

    def settle(self, evidence: dict[str, Any]) -> dict[str, Any]:
        """Raise where a hand-out's verdict does not hold, unless there is a reason; that goes into the evidence.

        A draft is never refused. What exceeds the budget of the data set is, whatever the reason: raise the limit.
        """
        if self.to is not None:
            with self.ledger.opened() as database:
                require_budget(database, self.dataset, self.release, spent_by(evidence))
        if evidence.get("holds", True):
            return evidence
        if self.despite is None:
            if self.to is None:
                return evidence
            raise LedgerRefused(refusal(evidence))
        despite = given_despite(self.despite)
        self._about["despite"] = json.dumps(despite, ensure_ascii=False)
        return evidence | {"despite": despite}

    @contextmanager
    def publishing(self, place: str | Path, files: Mapping[str, Sequence[str]] | None = None) -> Iterator[None]:
        """Keep a draft, or note a hand-out, before the block publishes it; confirm a hand-out after."""
        where = str(place) if "://" in str(place) else str(Path(place).absolute())
        about = self._about | {"place": where, "files": json.dumps(files or {})}
        if self.to is None:
            with self._keeping(about):
                yield
            return
        with self.ledger.opened() as database, database.process_lock() as lock_name:
            register_pending(database, about, self._entry, lock_name, self._seen, self.to)
            try:
                yield
            except BaseException:
                # It may stand there all the same: what failed may have come after.
                there = "://" not in where and is_there(where, self.release)
                with database.writing():
                    confirm_release(database, self.release, "handed out" if there else None)
                raise
            with database.writing():
                confirm_release(database, self.release, "handed out")

    @contextmanager
    def _keeping(self, about: dict[str, Any]) -> Iterator[None]:
        folder = self.ledger.drafts()
        write_draft(folder, Draft(about=about, promise=self._promise, entry=self._entry))
        try:
            yield
        except BaseException:
            remove_draft(folder, self.release)
            raise

    def after(self, number: int) -> None:
        """Expect that so many others of the same run are noted first."""
        self._seen += number

    def _layout(self, new: NewRelease) -> EntryLayout:
        names = new.data.schema.names
        if self.part:  # said for all tables; each has some of them
            self.person = tuple(name for name in self.person if name in names)
        for name in self.person:
            if name not in names:
                raise InputError("ledger.person-names-no-column", name=name, hint=hint(name, names))
            if name in new.changed:
                raise InputError("ledger.person-is-changed", name=name)
        person = self.person or tuple(name for name in new.identifiers if name not in new.changed)
        clear = [name for name in new.applied.columns if name not in new.quasi_identifiers]
        return EntryLayout(
            types={name: new.data.schema[name].type for name in names},
            quasi_identifiers=new.quasi_identifiers,
            person=person,
            kept=tuple(name for name in names if name not in new.changed or name in clear),
            clear=clear,
            changed=tuple(name for name in names if name in new.changed),
            people=new.people and bool(person) and set(person) <= {*names} - new.changed,
        )

    def _row(self, project: str, evidence: Mapping[str, Any], *, k: int | None, records: int) -> dict[str, Any]:
        entry = self._entry
        return {
            "id": self.release, "dataset": self.dataset, "part": self.part, "run": self.run, "project": project,
            "made_by": self.ledger.user, "made": now(), "k": k, "records": records,
            "classes": None if entry is None else int(entry.labels.size),
            "promise": json.dumps(promise_document(self._promise)),
            "verdict": json.dumps(evidence, ensure_ascii=False),
        }  # fmt: skip


def table_notes(database: Database, dataset: str, run: str, compared: Sequence[str]) -> list[str]:
    """Say how many releases of a data set, those of the same run aside, a table was not attacked with."""
    others = sum(
        row["dataset"] == dataset != "" and row["run"] != run and row["id"] not in compared
        for row in earlier_releases(database)
    )
    return [Message("warning.ledger-table-beside-others", others=others)] if others else []


def refusal(evidence: Mapping[str, Any]) -> Message:
    """Say why a hand-out is refused, and what can be done."""
    whose = (
        Message("ledger.with-what-others-have", to=evidence["recipient"])
        if evidence.get("holds_for_recipient")
        else Message("ledger.with-what-recipient-has")
    )
    return Message("ledger.refused", finding=finding(evidence), whose=whose, guilty=conflicting_releases(evidence)[0])


def given_despite(reason: str) -> dict[str, str]:
    """Return a reason as it is kept, with who gave it and when."""
    return {"reason": reason, "when": now(), "by": current_user()}


@contextmanager
def register_releases(
    checks: Sequence[LedgerCheck | None],
    places: Sequence[str | Path],
    files: Sequence[Mapping[str, Sequence[str]] | None],
) -> Iterator[None]:
    """Keep drafts, or note hand-outs, before the block publishes all of them, and confirm them after."""
    checked = [each for each in zip(checks, places, files, strict=True) if each[0] is not None]
    with ExitStack() as stack:
        for number, (check, place, own) in enumerate(checked):
            assert check is not None  # noqa: S101 - chosen so
            check.after(number)
            stack.enter_context(check.publishing(place, own))
        yield


def _least(models: Sequence[PrivacyModel]) -> dict[str, int]:
    """Return per sensitive attribute the most values that any model asks for."""
    least: dict[str, int] = {}
    for model in models:
        if model.least_values:
            least |= {name: max(model.least_values, least.get(name, 0)) for name in model.sensitive()}
    return least


def _why_not(layout: EntryLayout, data: Data, others: int) -> str | None:
    """Say why people can't be registered; None where they can."""
    if not layout.person and set(layout.kept) <= set(layout.changed):
        return Message("warning.ledger-recognizes-nobody")
    needed = data.rows * (BYTES_PER_RECORD + 4 * len(layout.kept)) * (1 + others)
    if data.memory is not None and needed > data.memory * SHARE:
        return Message("warning.ledger-needs-too-much-memory", rows=data.rows, needed=needed / 1e9)
    return None


def checked_reason(reason: str) -> str:
    """Return a reason as it is kept, or refuse one that says nothing."""
    text = " ".join(reason.split())
    if not text or len(text) > 1000:
        raise InputError("ledger.reason-needed")
    return text


def checked_recipient(recipient: str) -> str:
    """Return a recipient as it is kept; two spellings of one name are one."""
    text = " ".join(recipient.split())
    if len(text) > 200 or not text.isprintable():
        raise InputError("ledger.recipient-too-long")
    return text
