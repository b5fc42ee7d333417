"""A person key: what can be asked where a person has several rows."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from operator import ne
from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Flags
from antifaz.core.changes import ColumnChange, Sampling
from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.randomness import generator, shuffle_key
from antifaz.core.values import same_text
from antifaz.counting.people import limited, person_codes
from antifaz.engines.engine import Data
from antifaz.methods import METHODS
from antifaz.methods.method import Method
from antifaz.methods.operations.operation import Operation, protects
from antifaz.privacy import MODELS, PrivacyModel

#: What is left out where something fails: its rows, or everybody who has one of them, with all rows.
LeaveOut = Literal["rows", "people"]


def check_people(
    models: Sequence[PrivacyModel],
    method: Method,
    person: Sequence[str],
    *,
    hardened: bool,
    sets: Sequence[str] = (),
) -> None:
    """Raise where people can't be counted for these models by this method; records are never counted instead."""
    check_models(models, person, sets)
    if person and not method.counts_people:
        able = ", ".join(sorted(each.name for each in METHODS if each.counts_people))
        raise ParameterError("people.method-counts-records", method=method.name, able=able)
    if person and hardened:
        raise ParameterError("people.not-hardened")


def check_left_out(leave_out: str, person: Sequence[str]) -> None:
    """Raise where it is not known what is to be left out, or who has which rows."""
    if leave_out not in get_args(LeaveOut):
        raise ParameterError("people.unknown-leave-out", word=leave_out, hint=hint(leave_out, get_args(LeaveOut)))
    if leave_out == "people" and not person:
        raise ParameterError("people.leave-out-without-person")


def check_models(models: Sequence[PrivacyModel], person: Sequence[str], sets: Sequence[str] = ()) -> None:
    """Raise where a model can't be asked about people, or asks about rows of people where none are known.

    An item of a set is a row of its person.
    """
    for model in models:
        if model.known_rows != 1 and not person and not sets:
            raise ParameterError("people.rows-without-person", rows=model.known_rows)
        if person and not model.counts_people:
            able = ", ".join(sorted(each.name for each in MODELS if each.counts_people))
            raise ParameterError("people.model-counts-records", model=model.name, able=able)
        if person and model.in_classes().needs_values:
            raise ParameterError("people.model-compares-values", model=model.name)


def people_warnings(person: Sequence[str], operations: Mapping[str, Sequence[Operation]]) -> tuple[str, ...]:
    """Say that a pseudonym which is released tells which rows are of one person."""
    kept = [name for name in person if protects(operations.get(name, ()))]
    return (Message("warning.person-key-released", names=kept),) if kept else ()


def spell_keys(person: Sequence[str], data: Data) -> Data:
    """Return the data with one spelling of every person's key, for operations: a pseudonym must be the person's.

    Where nobody's key has several, it is the same data.
    """
    changes, respelled = [], {}
    for name in person:
        first: dict[str, str | None] = {"": None}
        spellings = sorted(text for text in data.count([name]).values[0] if text is not None)
        meant = [first.setdefault(same_text(text), text) for text in spellings]
        respelled[name] = sum(map(ne, spellings, meant))
        if respelled[name]:
            work = partial(_respelled, pa.array(spellings, pa.string()), pa.array(meant, pa.string()))
            changes.append(ColumnChange(column=name, needs=(name,), work=work))
    if not changes:
        return data
    made = data.changed(changes)
    made.notes.extend(Message("note.spellings-unified", number=n, name=name) for name, n in respelled.items() if n)
    return made


def _respelled(spellings: pa.Array, meant: pa.Array, arrays: Sequence[pa.Array]) -> pa.Array:
    return meant.take(pc.index_in(arrays[0], value_set=spellings))


def limit_rows(person: Sequence[str], most: int | None, data: Data, seed: int) -> Data:
    """Return the data with at most so many rows of every person, drawn with the seed; it is noted how many were."""
    if most is None:
        return data
    if not person:
        raise ParameterError("people.limit-without-person")
    told = data.records(person)
    persons = person_codes([(texts, codes) for texts, codes in zip(told.values, told.codes, strict=True)])
    kept = limited(persons, most, generator(shuffle_key(seed, b"limit-rows")))
    chosen = data.changed((), Sampling(number=int(kept.sum()), key=0, kept=kept))
    chosen.notes.append(Message("note.rows-limited", most=most, rows=chosen.rows, rows2=data.rows))
    return chosen


def without_people(person: Sequence[str], gone: Flags | None, data: Data) -> Data:
    """Return the data without the rows of some people, who are numbered as they were when they were counted."""
    if gone is None or not gone.any():
        return data
    told = data.records(person)
    kept = ~gone[person_codes([(texts, codes) for texts, codes in zip(told.values, told.codes, strict=True)])]
    return data.changed((), Sampling(number=int(kept.sum()), key=0, kept=kept))


def removed_people(file: Path) -> list[str]:
    """Say of a release that its people can't be counted again, because the key was removed."""
    evidence = file.parent / "evidence.json"
    with suppress(OSError, ValueError):
        document = json.loads(evidence.read_text("utf-8"))
        if (document.get("released") or {}).get("file") == file.name and document.get("people"):
            return [Message("note.people-not-counted-again", key=document["people"]["key"])]
    return []


def with_rows(data: Data) -> Data:
    """Return the data where each row can be told: rows of a database come here; raise where they stay away."""
    here = data.download()
    if not here.by_row:
        raise ParameterError("people.engine-keeps-rows", engine=data.engine)
    return here
