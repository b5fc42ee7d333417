"""People in several tables that can be joined by their key: what is known of them holds in all tables together."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Flags, Ints
from antifaz.core.changes import Sampling
from antifaz.core.errors import PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.core.values import same_text
from antifaz.counting.people import People, people_of
from antifaz.counting.person_rows import rare_people
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.row_classes import class_of_rows
from antifaz.pipeline.state import Attacked, Planned, Recoded, RepeatedAttribute
from antifaz.privacy.model import PrivacyModel
from antifaz.releases.evidence import JoinedPeople
from antifaz.releases.joined_gate import JoinedTable, examine_join

Decide = Callable[[Mapping[str, Planned]], dict[str, Recoded]]

#: For how many times k each table is decided, one after the other.
_STRICTER = (1, 2, 4, 8, 16)
#: How often tables are decided on again without the people whom too few are like.
_ROUNDS = 10


@dataclass(frozen=True, kw_only=True)
class PersonJoin:
    """Tables that have the key of the same people, which is released; and what must hold of them together."""

    name: str
    #: Per table the column with the key.
    columns: Mapping[str, str]
    k: int
    rows: int | Literal["all"]
    #: Models of values that are asked of a table; they are judged in its classes, and not in the join.
    not_joined: tuple[str, ...] = ()

    @property
    def covers_everything(self) -> bool:
        """Whether only k is asked, and as many rows may be known as a joined row is made of: one of each table."""
        return not self.not_joined and (self.rows == "all" or self.rows >= len(self.columns))


def person_joins(repeated: Iterable[RepeatedAttribute], plans: Mapping[str, Plan]) -> list[PersonJoin]:
    """Return the repeated attributes that are the released key of people in tables of which k is asked."""
    found = []
    for attribute in repeated:
        own = {table: plans[table] for table in attribute.columns}
        if all(_judged(plan, attribute.columns[table]) for table, plan in own.items()):
            asked = [model for plan in own.values() for model in plan.models]
            sized = [model for model in asked if _is_joined(model)]
            known = [model.known_rows for model in sized]
            rows: int | Literal["all"] = "all" if "all" in known else max(int(n) for n in known)
            found.append(
                PersonJoin(
                    name=attribute.name,
                    columns=attribute.columns,
                    k=max(model.least for model in sized),
                    rows=rows,
                    not_joined=tuple(sorted({model.name for model in asked if not _is_joined(model)})),
                )
            )
    return found


def _judged(plan: Plan, key: str) -> bool:
    asked = any(map(_is_joined, plan.models))
    return not plan.light and plan.person == (key,) and key not in plan.identifiers and asked and not plan.sets


def _is_joined(model: PrivacyModel) -> bool:
    return model.counts_items and not model.needs_values


@dataclass(frozen=True, kw_only=True)
class JoinAttempt:
    """How tables come to hold k together: what they are then, for how many times k each was decided, who is missing."""

    planned: dict[str, Planned]
    recoded: dict[str, Recoded]
    stricter: int = 1
    left_out: int = 0


def hold_together(join: PersonJoin, first: JoinAttempt, decide: Decide) -> JoinAttempt:
    """Decide so that k people share what may be known of anybody in all tables.

    Those whom too few are like are left out, as many as the methods may; where that is not enough, every table is
    decided on for larger classes. Where nothing helps, the tables are as they would be by themselves.
    """
    if not all(first.planned[table].data.by_row for table in join.columns):
        return first
    attempt = first
    for stricter in _STRICTER:
        with suppress(PrivacyNotReached):
            if stricter > 1:
                planned = {name: _stricter(join, name, state, stricter) for name, state in first.planned.items()}
                attempt = JoinAttempt(planned=planned, recoded=decide(planned), stricter=stricter)
            if (held := _leave_out(join, attempt, decide)) is not None:
                return held
    return first


def _stricter(join: PersonJoin, name: str, state: Planned, stricter: int) -> Planned:
    return replace(state, plan=replace(state.plan, stricter=stricter)) if name in join.columns else state


def _leave_out(join: PersonJoin, attempt: JoinAttempt, decide: Decide) -> JoinAttempt | None:
    """Decide again without those of whom too few share what may be known, until nobody is left of them."""
    planned, recoded, left_out = attempt.planned, attempt.recoded, 0
    allowed = min(_suppression(planned[table].plan) for table in join.columns)
    everybody = len({key for table, column in join.columns.items() for key in _keys(planned[table], column)})
    for _ in range(_ROUNDS):
        gone = _too_few(join, recoded)
        if not gone:
            return replace(attempt, planned=planned, recoded=recoded, left_out=left_out)
        left_out += len(gone)
        if left_out > allowed * everybody + 1e-9:
            return None
        planned = {n: _without(s, join.columns[n], gone) if n in join.columns else s for n, s in planned.items()}
        recoded = decide(planned)
    return None


def _suppression(plan: Plan) -> float:
    return float(plan.method.parameters().get("suppression") or 0.0)


def _keys(state: Planned, column: str) -> list[str]:
    return [same_text(text) for text in state.data.records([column]).values[0]]


def _without(state: Planned, column: str, gone: set[str]) -> Planned:
    told = state.data.records([column])
    stays = np.array([same_text(text) not in gone for text in told.values[0]], np.bool_)
    kept: Flags = stays[told.codes[0]]
    data = state.data.changed((), Sampling(number=int(kept.sum()), key=0, kept=kept))
    data.notes.append(Message("note.people-left-out-of-join", rows=int((~kept).sum()), name=column))
    return replace(state, data=data)


def _too_few(join: PersonJoin, recoded: Mapping[str, Recoded]) -> set[str]:
    """Return the keys of those who share what may be known with fewer than k; without them, others may be fewer."""
    number: dict[str, int] = {}
    classes, persons, start = [], [], 0
    for table, column in join.columns.items():
        own, texts = _classes(recoded[table], column)
        told = pc.dictionary_encode(texts.combine_chunks(), null_encoding="encode")
        place = [number.setdefault(same_text(text), len(number)) for text in told.dictionary.to_pylist()]
        classes.append(own + start)
        persons.append(np.array(place, np.int64)[told.indices.to_numpy()])
        start += int(own.max(initial=-1)) + 1
    people = people_of(
        np.concatenate(classes), np.concatenate(persons), np.ones(sum(map(len, persons)), np.int64), start, {}
    )
    gone = np.zeros(len(number), np.bool_)
    while (rare := _rare(people, gone, join)).size:
        gone[rare] = True
    return {key for key, i in number.items() if gone[i]}


def _rare(people: People, gone: Flags, join: PersonJoin) -> Ints:
    there = ~gone[people.persons]
    left = replace(
        people, owners=people.owners[there], persons=people.persons[there], counts=people.counts[there]
    )  # fmt: skip
    return rare_people(left, join.rows, join.k)


def _classes(state: Recoded, column: str) -> tuple[Ints, pa.ChunkedArray]:
    """Return the class and the key of every row that is to be released."""
    plan, recoding = state.plan, state.applied_recoding
    if recoding is None:
        raise AssertionError("a table of people was decided on")
    dropped = tuple(name for name in plan.schema.names if name not in (*plan.quasi_identifiers, column))
    rows: pa.Table = state.applied.data.apply(replace(recoding, dropped=dropped), key=0).collect()
    return class_of_rows(rows, plan.quasi_identifiers), rows.column(column).cast(pa.string())


def judge_join(join: PersonJoin, released: Mapping[str, Attacked], attempt: JoinAttempt) -> JoinedPeople | None:
    """Judge the join from what was written; None where that is in no file here."""
    states = {table: released[table] for table in join.columns}
    if not all(isinstance(state.rows, str | Path) and state.data.by_row for state in states.values()):
        return None
    tables = {
        table: JoinedTable(
            auditor=state.data.auditor(), place=state.rows, quasi_identifiers=state.plan.quasi_identifiers,
            key=join.columns[table],
        )
        for table, state in states.items()
    }  # fmt: skip
    how = {"stricter": attempt.stricter, "left_out": attempt.left_out, "not_joined": list(join.not_joined)}
    return examine_join(join.name, tables, join.k, join.rows, **how)
