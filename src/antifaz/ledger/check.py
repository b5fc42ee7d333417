"""The guard of a release: looks it up in the ledger before it is published, and registers it when it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import InputError, LedgerRefused, hint
from antifaz.core.roles import Role
from antifaz.engines.engine import Applied, Data
from antifaz.ledger.ledger import (
    Ledger,
    checked_reason,
    confirm,
    default_ledger,
    earlier,
    is_there,
    last_number,
    new_id,
    note,
    parts_of,
)
from antifaz.ledger.messages import refusal
from antifaz.pipeline.plan import Plan
from antifaz.privacy import LDiversity
from antifaz.projects.project import LedgerUse, Loaded
from antifaz.projects.store import Database, current_user, now

if TYPE_CHECKING:
    from antifaz.ledger.entry import Entry, Layout
    from antifaz.ledger.verdict import LedgerVerdict

#: The share of a limit on memory that the ledger may take.
SHARE = 0.25
_AWAY = "The rows stay where they are on this engine, so people could not be registered, and nothing was checked."


@dataclass(kw_only=True)
class Guard:
    """One release on its way past the ledger."""

    ledger: Ledger
    #: What the data set is called; of a path or an address, a keyed hash where nobody gave a name.
    dataset: str = "unnamed"
    #: The table of several in one project.
    part: str = ""
    #: The columns that people are known by; the identifiers where left out.
    person: tuple[str, ...] = ()
    #: Why the release is to be made even if earlier ones break it.
    despite: str | None = None
    #: Whether somebody wants the release; else the verdict only is asked for.
    release: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        """Refuse a reason that says nothing, and find the ledger early: before the work, not after."""
        self.despite = None if self.despite is None else checked_reason(self.despite)
        self.ledger.keys()
        self._entry: Entry | None = None
        self._about: dict[str, Any] = {}
        self._promised: Promised | None = None
        self._seen = 0

    def examine(self, plan: Plan, data: Data, applied: Applied) -> dict[str, Any]:
        """Return what the ledger says of a release, as evidence; whether it may be made is `refuse`'s to say."""
        told: dict[str, Any] = {"release": self.release, "dataset": self.dataset}
        notes: list[str] = []
        layout = self._layout(plan, applied, data)
        with self.ledger.opened() as database:
            self._seen = last_number(database)
            before = [row for row in earlier(database) if not self._sibling(row)]
            why = _why_not(layout, data, len(before))
            trace = None if why else applied.traced(layout.quasi_identifiers)
            if trace is None:
                told |= {"checked": False, "earlier": [], "notes": [why or _AWAY]}
            else:
                with trace as rows:
                    self._entry = self._made(layout, rows)
                self._promised = Promised(plan.k, plan.light, tuple(plan.schema.of(Role.SENSITIVE)), _least(plan))
                verdict = judged_with(self._entry, self._promised, self.dataset, database, before, notes)
                told |= {"checked": True, "known_by": list(layout.person) or "the whole record"}
                told |= verdict.as_dict() | {"notes": notes}
        self._about = self._row(plan, data, told)
        return told

    def refuse(self, told: dict[str, Any]) -> dict[str, Any]:
        """Raise where the ledger's verdict does not hold, unless there is a reason; that goes into the evidence."""
        if told.get("holds", True):
            return told
        if self.despite is None:
            raise LedgerRefused(self.refusal(told))
        said = {"reason": self.despite, "when": now(), "by": current_user()}
        self._about["despite"] = json.dumps(said, ensure_ascii=False)
        return told | {"despite": said}

    def refusal(self, told: Mapping[str, Any]) -> str:
        """Say why the release is refused, and what can be done."""
        return refusal(told)

    @contextmanager
    def publishing(self, place: str | Path) -> Iterator[None]:
        """Note the release before the block publishes it, and confirm it after."""
        where = str(place) if "://" in str(place) else str(Path(place).absolute())
        with self.ledger.opened() as database, database.held() as held:
            note(database, self._about | {"place": where}, self._entry, held, self._seen)
            try:
                yield
            except BaseException:
                # It may stand there all the same: what failed may have come after.
                with database.writing():
                    confirm(database, self.release, "://" not in where and is_there(where, self.release))
                raise
            with database.writing():
                confirm(database, self.release, True)

    def after(self, number: int) -> None:
        """Expect that so many others of the same run are noted first."""
        self._seen += number

    def _sibling(self, row: Mapping[str, Any]) -> bool:
        """Whether a release is of another table of the same project: those go out together, by intent."""
        return bool(self.part and row["part"] and row["dataset"] == self.dataset and row["part"] != self.part)

    def _layout(self, plan: Plan, applied: Applied, data: Data) -> Layout:
        from antifaz.ledger.entry import Layout

        names = data.schema.names
        touched = {*plan.operations, *(column for each in plan.perturbed for column in each["columns"])}
        if self.part:  # said for all tables; each has some of them
            self.person = tuple(name for name in self.person if name in names)
        for name in self.person:
            if name not in names:
                raise InputError(f"The ledger's person names {name!r}, which is no column{hint(name, names)}.")
            if name in touched:
                raise InputError(f"The ledger can't know people by {name!r}: an operation changes it.")
        person = self.person or tuple(name for name in plan.schema.of(Role.IDENTIFIER) if name not in touched)
        return Layout(
            names=names,
            quasi_identifiers=plan.quasi_identifiers,
            person=person,
            original=tuple(name for name in names if name not in touched),
            clear=tuple(name for name in applied.columns if name not in plan.quasi_identifiers),
        )

    def _made(self, layout: Layout, rows: Any) -> Entry:
        from antifaz.ledger.entry import Maker
        from antifaz.ledger.hashing import words

        people_key, value_key = self.ledger.keys()
        maker = Maker(layout, words(people_key), words(value_key))
        for batch in rows:
            maker.add(batch)
        return maker.made()

    def _row(self, plan: Plan, data: Data, told: Mapping[str, Any]) -> dict[str, Any]:
        entry = self._entry
        return {
            "id": self.release,
            "dataset": self.dataset,
            "part": self.part,
            "project": plan.name,
            "k": None if plan.light else plan.k,
            "records": data.rows if entry is None else entry.rows,
            "classes": None if entry is None else int(entry.labels.size),
            "verdict": json.dumps(told, ensure_ascii=False),
        }


@dataclass(frozen=True)
class Promised:
    """What a release promises, which must hold beside the earlier ones too."""

    k: int
    light: bool
    sensitive: tuple[str, ...]
    least: Mapping[str, int]


def judged_with(
    entry: Entry,
    promised: Promised,
    dataset: str,
    database: Database,
    before: Sequence[Mapping[str, Any]],
    notes: list[str],
) -> LedgerVerdict:
    """Check a release with earlier ones; `notes` gets what could not be checked."""
    from antifaz.ledger.verdict import Wanted, judged

    found = [(row, other) for row in before if (other := _loaded(database, row, entry, dataset))]
    smallest = int(entry.sizes.min()) if entry.rows else promised.k
    # A light release promises nothing itself; it must not break what was promised before.
    most = max((row["k"] or 1 for row, _ in found), default=promised.k)
    k = most if promised.light else min(promised.k, smallest)
    wanted = Wanted(k=k, sensitive=promised.sensitive, least=promised.least)
    verdict = judged(entry, [(_briefly(row), other) for row, other in found], wanted)
    strangers = [told["release"] for told in verdict.earlier if not told["shared"]]
    if strangers:
        notes.append(
            f"Nobody of {', '.join(strangers)}, releases of the same data set, was found again in this one; if "
            "people are the same, say with ledger.person which columns they are known by."
        )
    blind = [row["id"] for row in before if row["classes"] is None and row["dataset"] == dataset]
    if blind:
        notes.append(f"Of {', '.join(blind)} no people were registered; these could not be checked with.")
    return verdict


def guarding(ledger: Ledger | Guard | str | Path | None, dataset: str, despite: str | None = None) -> Guard | None:
    """Return the guard of a release that is to be registered in a ledger; None where it is not."""
    if ledger is None or isinstance(ledger, Guard):
        return ledger
    known = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    return known.guard(dataset=dataset, despite=despite)


def guard_of(
    loaded: Loaded, ledger: Ledger | str | Path | bool | None, despite: str | None, *, whole: str = "", part: str = ""
) -> Guard | None:
    """Return the guard of a project's release, or of one `part` of the `whole` of several tables.

    `True` means the ledger in the user's data folder; None that one only if the project speaks of a ledger.
    """
    said = loaded.project.ledger
    if ledger is False or (said is not None and not said.keep) or (ledger is None and said is None):
        return None
    known = default_ledger() if ledger is None or ledger is True else ledger
    if known is None:
        return None
    known = known if isinstance(known, Ledger) else Ledger(known)
    use = said or LedgerUse()
    source = loaded.project.source
    place = whole or " ".join(map(str, filter(None, (source.place(loaded.folder), source.schema_, source.table))))
    return known.guard(
        dataset=use.dataset or known.name_of(place),
        part=part,
        person=use.person,
        despite=despite or use.despite,
    )


@contextmanager
def published(guards: Sequence[Guard | None], places: Sequence[str | Path]) -> Iterator[None]:
    """Note releases before the block publishes all of them, and confirm them after."""
    kept = [(guard, place) for guard, place in zip(guards, places, strict=True) if guard is not None]
    with ExitStack() as stack:
        for number, (guard, place) in enumerate(kept):
            guard.after(number)
            stack.enter_context(guard.publishing(place))
        yield


def _briefly(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"release": row["id"], "dataset": row["dataset"], "made": row["made"], "k": row["k"]}


def _least(plan: Plan) -> dict[str, int]:
    """Return per sensitive attribute how many values l-diversity asks for; well represented ones are two at least."""
    found: dict[str, int] = {}
    for model in plan.models:
        if isinstance(model, LDiversity):
            least = int(model.l) if model.kind == "distinct" else 2
            found |= {name: max(least, found.get(name, 0)) for name in model.sensitive()}
    return found


def _loaded(database: Database, row: Mapping[str, Any], new: Entry, dataset: str) -> Entry | None:
    """Return an earlier release; None for one of another data set with which no person is shared."""
    from antifaz.ledger.entry import unpacked
    from antifaz.ledger.overlap import meets

    if row["classes"] is None:
        return None
    try:
        people = parts_of(database, row["id"], ("people", "records"))
        if row["dataset"] != dataset and not meets(new, people):
            return None
        return unpacked(parts_of(database, row["id"]))
    except ValueError:
        raise InputError(
            f"The release {row['id']} in the ledger {database.place!r} is damaged; put a copy of the ledger there."
        ) from None


def _why_not(layout: Layout, data: Data, others: int) -> str | None:
    """Say why people can't be registered; None where they can."""
    from antifaz.ledger.entry import BYTES_PER_RECORD

    if not layout.person and not layout.original:
        return "Operations change every column, so nobody could be recognized in another release; nothing was checked."
    needed = data.rows * (BYTES_PER_RECORD + 4 * len(layout.clear)) * (1 + others)
    if data.memory is not None and needed > data.memory * SHARE:
        return (
            f"Checking {data.rows:,} records with the ledger takes about {needed / 1e9:.1f} GB, more than a quarter of "
            "the memory that may be used; nothing was checked."
        )
    return None
