"""The check of a release with the ledger: it is looked up there before it is published, and registered when it is."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from antifaz.core.errors import InputError, LedgerRefused, hint
from antifaz.core.messages import Message
from antifaz.engines.engine import Applied, Data
from antifaz.ledger.attacks import shares_people
from antifaz.ledger.database import confirm_release, earlier_releases, is_there, last_number, parts_of, register_pending
from antifaz.ledger.entry import BYTES_PER_RECORD, Entry, EntryBuilder, EntryLayout, unpack_entry
from antifaz.ledger.hashing import words
from antifaz.ledger.verdict import LedgerVerdict, Promise, judge_release, refusal
from antifaz.privacy.model import PrivacyModel
from antifaz.storage.database import Database, current_user, now

#: The share of a limit on memory that the ledger may take.
SHARE = 0.25
_AWAY = Message("warning.ledger-not-on-this-engine")


class OpenableLedger(Protocol):
    """What a check needs of a ledger: its keys, and its database."""

    def keys(self) -> tuple[bytes, bytes]: ...  # noqa: D102
    def opened(self) -> AbstractContextManager[Database]: ...  # noqa: D102


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


@dataclass(kw_only=True)
class LedgerCheck:
    """One release on its way past the ledger."""

    ledger: OpenableLedger
    #: What the data set is called; of a path or an address, a keyed hash where nobody gave a name.
    dataset: str = "unnamed"
    #: The table of several in one project.
    part: str = ""
    #: The columns that people are known by; the identifiers where left out.
    person: tuple[str, ...] = ()
    #: Why the release is to be made even if earlier ones break it.
    despite: str | None = None
    #: Whether somebody wants the release; else the verdict only is asked for.
    release: str = field(default_factory=lambda: secrets.token_hex(4))

    def __post_init__(self) -> None:
        """Refuse a reason that says nothing, and find the ledger early: before the work, not after."""
        self.despite = None if self.despite is None else checked_reason(self.despite)
        self.ledger.keys()
        self._entry: Entry | None = None
        self._about: dict[str, Any] = {}
        self._promise: Promise | None = None
        self._seen = 0

    def examine(self, new: NewRelease) -> dict[str, Any]:
        """Return what the ledger says of a release, as evidence; whether it may be made is `refuse`'s to say."""
        evidence: dict[str, Any] = {"release": self.release, "dataset": self.dataset}
        notes: list[str] = []
        layout = self._layout(new)
        with self.ledger.opened() as database:
            self._seen = last_number(database)
            before = [row for row in earlier_releases(database) if not self._sibling(row)]
            why = _why_not(layout, new.data, len(before))
            trace = None if why else new.applied.traced(layout.quasi_identifiers)
            if trace is None:
                evidence |= {"checked": False, "earlier": [], "notes": [why or _AWAY]}
            else:
                builder = EntryBuilder(layout, *map(words, self.ledger.keys()))
                with trace as rows:
                    for batch in rows:
                        builder.add(batch)
                self._entry, least = builder.made(), _least(new.models)
                self._promise = Promise(k=new.k, light=new.light, sensitive=tuple(new.sensitive), least=least)
                verdict = judge_with_earlier(self._entry, self._promise, self.dataset, database, before, notes)
                evidence |= {"checked": True, "known_by": list(layout.person) or Message("ledger.whole-record")}
                evidence |= verdict.as_dict() | {"notes": notes}
        self._about = self._row(new, evidence)
        return evidence

    def refuse(self, evidence: dict[str, Any]) -> dict[str, Any]:
        """Raise where the ledger's verdict does not hold, unless there is a reason; that goes into the evidence."""
        if evidence.get("holds", True):
            return evidence
        if self.despite is None:
            raise LedgerRefused(self.refusal(evidence))
        despite = {"reason": self.despite, "when": now(), "by": current_user()}
        self._about["despite"] = json.dumps(despite, ensure_ascii=False)
        return evidence | {"despite": despite}

    def refusal(self, evidence: Mapping[str, Any]) -> str:
        """Say why the release is refused, and what can be done."""
        return refusal(evidence)

    @contextmanager
    def publishing(self, place: str | Path) -> Iterator[None]:
        """Note the release before the block publishes it, and confirm it after."""
        where = str(place) if "://" in str(place) else str(Path(place).absolute())
        with self.ledger.opened() as database, database.process_lock() as held:
            register_pending(database, self._about | {"place": where}, self._entry, held, self._seen)
            try:
                yield
            except BaseException:
                # It may stand there all the same: what failed may have come after.
                with database.writing():
                    confirm_release(database, self.release, "://" not in where and is_there(where, self.release))
                raise
            with database.writing():
                confirm_release(database, self.release, True)

    def after(self, number: int) -> None:
        """Expect that so many others of the same run are noted first."""
        self._seen += number

    def _sibling(self, row: Mapping[str, Any]) -> bool:
        """Whether a release is of another table of the same project: those go out together, by intent."""
        return bool(self.part and row["part"] and row["dataset"] == self.dataset and row["part"] != self.part)

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
        return EntryLayout(
            names=names,
            quasi_identifiers=new.quasi_identifiers,
            person=person,
            original=tuple(name for name in names if name not in new.changed),
            clear=tuple(name for name in new.applied.columns if name not in new.quasi_identifiers),
        )

    def _row(self, new: NewRelease, evidence: Mapping[str, Any]) -> dict[str, Any]:
        entry = self._entry
        return {
            "id": self.release, "dataset": self.dataset, "part": self.part, "project": new.project,
            "k": None if new.light else new.k, "records": new.data.rows if entry is None else entry.rows,
            "classes": None if entry is None else int(entry.labels.size),
            "verdict": json.dumps(evidence, ensure_ascii=False),
        }  # fmt: skip


def judge_with_earlier(
    entry: Entry,
    promise: Promise,
    dataset: str,
    database: Database,
    before: Sequence[Mapping[str, Any]],
    notes: list[str],
) -> LedgerVerdict:
    """Check a release with earlier ones; `notes` gets what could not be checked."""
    loaded = [(row, other) for row in before if (other := _loaded(database, row, entry, dataset))]
    smallest = int(entry.sizes.min()) if entry.rows else promise.k
    # A light release promises nothing itself; it must not break what was promised before.
    most = max((row["k"] or 1 for row, _ in loaded), default=promise.k)
    k = most if promise.light else min(promise.k, smallest)
    briefly = [{"release": row["id"], **{key: row[key] for key in ("dataset", "made", "k")}} for row, _ in loaded]
    earlier = list(zip(briefly, (other for _, other in loaded), strict=True))
    verdict = judge_release(entry, earlier, replace(promise, k=k))
    strangers = [each["release"] for each in verdict.earlier if not each["shared"]]
    if strangers:
        notes.append(Message("warning.ledger-finds-nobody-again", strangers=strangers))
    blind = [row["id"] for row in before if row["classes"] is None and row["dataset"] == dataset]
    if blind:
        notes.append(Message("warning.ledger-without-people", blind=blind))
    return verdict


@contextmanager
def register_releases(checks: Sequence[LedgerCheck | None], places: Sequence[str | Path]) -> Iterator[None]:
    """Note releases before the block publishes all of them, and confirm them after."""
    kept = [(check, place) for check, place in zip(checks, places, strict=True) if check is not None]
    with ExitStack() as stack:
        for number, (check, place) in enumerate(kept):
            check.after(number)
            stack.enter_context(check.publishing(place))
        yield


def _least(models: Sequence[PrivacyModel]) -> dict[str, int]:
    """Return per sensitive attribute the most values that any model asks for."""
    least: dict[str, int] = {}
    for model in models:
        if model.least_values:
            least |= {name: max(model.least_values, least.get(name, 0)) for name in model.sensitive()}
    return least


def _loaded(database: Database, row: Mapping[str, Any], new: Entry, dataset: str) -> Entry | None:
    """Return an earlier release; None for one of another data set with which no person is shared."""
    if row["classes"] is None:
        return None
    try:
        people = parts_of(database, row["id"], ("people", "records"))
        if row["dataset"] != dataset and not shares_people(new, people):
            return None
        return unpack_entry(parts_of(database, row["id"]))
    except ValueError:
        raise InputError("ledger.release-damaged", id=row["id"], place=database.place) from None


def _why_not(layout: EntryLayout, data: Data, others: int) -> str | None:
    """Say why people can't be registered; None where they can."""
    if not layout.person and not layout.original:
        return Message("warning.ledger-recognizes-nobody")
    needed = data.rows * (BYTES_PER_RECORD + 4 * len(layout.clear)) * (1 + others)
    if data.memory is not None and needed > data.memory * SHARE:
        return Message("warning.ledger-needs-too-much-memory", rows=data.rows, needed=needed / 1e9)
    return None


def checked_reason(reason: str) -> str:
    """Return a reason as it is kept, or refuse one that says nothing."""
    text = " ".join(reason.split())
    if not text or len(text) > 1000:
        raise InputError("ledger.reason-needed")
    return text
