"""What the verdict on a release goes by, counted in the released rows, by nothing that the method uses."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Codes, Ints
from antifaz.core.messages import Message
from antifaz.core.recoding import Recoding
from antifaz.core.recount import Recount
from antifaz.core.roles import Role
from antifaz.core.text_identifiers import count_marks
from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.engines.engine import Data
from antifaz.pipeline.attack import read_back
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.state import Recoded
from antifaz.proposals.hipaa import hipaa_identifier
from antifaz.proposals.recognition import reaches_people
from antifaz.proposals.value_kinds import is_missing
from antifaz.releases.hand_over import PeopleInClasses, ReleaseMeasures

#: Where rows stay on a server, columns of more rows are not counted: each takes a grouping of all rows there.
_MOST_ROWS_ELSEWHERE = 100_000
#: In more rows than this nothing is counted here.
_MOST_ROWS = 2_000_000
#: About how many bytes a cell takes while it is counted.
_BYTES_PER_CELL = 100
#: Released cells of a column that are looked at for e-mail addresses and the like.
_LOOKED_AT = 2_000
#: An identifier with as many rows per value is no number of a person; with fewer, two people share a name.
_ROWS_PER_PERSON = (1.05, 200)
#: The least share of the rows that have a value of it.
_PRESENT = 0.1
#: Numbers of several columns are put together in one below this.
_LARGEST_KEY = 1 << 62


def measure_release(state: Recoded, place: Any, counted: Recount) -> ReleaseMeasures:
    """Count who is alone by columns that are released exact, and how many people are in a class."""
    plan = state.plan
    with state.progress.step("verify", Message("progress.counting-exact-columns")):
        exact = _exact_columns(plan, counted.columns)
        too_many = counted.rows > (_MOST_ROWS if _is_here(place) else _MOST_ROWS_ELSEWHERE)
        need = state.data.program_memory + counted.rows * len(counted.columns) * _BYTES_PER_CELL
        too_many = too_many or (state.data.memory is not None and need > state.data.memory)
        alone, in_class, reaching = ({}, {}, {}) if too_many else _alone(state, place, exact)
        return ReleaseMeasures(
            reaching=reaching,
            alone=alone,
            alone_in_class=in_class,
            not_counted=exact if too_many else (),
            emptied=_emptied(state, counted),
            people=_people(state),
            redacted=_redacted(plan, place, counted.columns, too_many=too_many),
            listed=_listed(plan, place, counted.columns, too_many=too_many),
        )


def _redacted(plan: Plan, place: Any, released: tuple[str, ...], *, too_many: bool) -> dict[str, dict[str, int] | None]:
    """Count the marks in released columns of redacted text, by kind; None where they can't be counted here."""
    texts = [n for n, done in plan.operations.items() if n in released and any(each.leaves_text for each in done)]
    if not texts or too_many or not _is_here(place):
        return dict.fromkeys(texts)
    table = _read(place, [texts])
    return {name: count_marks(table[name].to_pylist()) for name in texts}


def _listed(plan: Plan, place: Any, released: tuple[str, ...], *, too_many: bool) -> dict[str, frozenset[str] | None]:
    """Return the different values of released columns that a rule has something to say of: places and dates."""
    if plan.preset is None:
        return {}
    dates = {c.name for c in plan.schema if c.type in (DataType.DATE, DataType.DATETIME)}
    names = [name for name in released if hipaa_identifier(name) in ("places", "dates") or name in dates]
    if not names or too_many or not _is_here(place):
        return dict.fromkeys(names)
    table = _read(place, [names])
    return {name: frozenset(map(str, table[name].unique().drop_null().to_pylist())) for name in names}


def _exact_columns(plan: Plan, released: tuple[str, ...]) -> list[str]:
    """Return the columns that are released with the values that people have, neither moved nor turned into codes."""
    changed = {name for each in plan.perturbed for name in each["columns"]}
    changed |= {n for n, done in plan.operations.items() if any(each.personal or each.whole_columns for each in done)}
    roles = {Role.SENSITIVE, Role.INSENSITIVE} | ({Role.QUASI_IDENTIFIER} if plan.light else set())
    return [c.name for c in plan.schema if c.role in roles and c.name in released and c.name not in changed]


def _alone(state: Recoded, place: Any, exact: list[str]) -> tuple[dict[str, int], dict[str, int], dict[str, str]]:
    """Return who is alone by each column, and with the quasi-identifiers; and columns whose values reach people."""
    plan = state.plan
    harmless = [] if plan.light else [name for name in exact if plan.schema[name].role is Role.INSENSITIVE]
    combinations = [*((name,) for name in exact), *((*plan.quasi_identifiers, name) for name in harmless)]
    if not combinations:
        return {}, {}, {}
    table = _read(place, combinations) if _is_here(place) else None
    if table is None:
        found = state.data.auditor().count_unique(place, combinations)
    else:
        coded = {name: _numbered(table[name]) for name in table.column_names}
        found = [_count_unique([coded[name] for name in names]) for names in combinations]
    # What only others' rows could tell stays with the roles that were given.
    forms = {} if table is None else {name: _form(table[name]) for name in exact}
    reaching = {name: form for name, form in forms.items() if form is not None}
    return dict(zip(exact, found, strict=False)), dict(zip(harmless, found[len(exact) :], strict=True)), reaching


def _form(column: pa.ChunkedArray) -> str | None:
    """Return the form by which the first values of a column reach people."""
    return reaches_people([str(value) for value in column.slice(0, _LOOKED_AT).unique().drop_null().to_pylist()])


def _is_here(place: Any) -> bool:
    return isinstance(place, pa.Table) or (isinstance(place, str | os.PathLike) and Path(place).is_file())


def _read(place: Any, combinations: Sequence[Sequence[str]]) -> pa.Table:
    """Read the columns that are counted, as they were written, once."""
    names = list(dict.fromkeys(name for columns in combinations for name in columns))
    if isinstance(place, pa.Table):
        return place.select(names)
    return pa.concat_tables(table.select(names) for table in read_back(place)).unify_dictionaries()


def _numbered(column: pa.ChunkedArray) -> tuple[Codes, int]:
    """Return a number for each different value of a column, and how many there are; what is missing has the last."""
    coded = column.combine_chunks().dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    missing, numbers = len(coded.dictionary), coded.indices.cast(pa.int32())
    return (numbers.fill_null(missing) if numbers.null_count else numbers).to_numpy(), missing


def _count_unique(columns: Sequence[tuple[Codes, int]]) -> int:
    """Count the records with whom no other shares these values, the last of them not missing."""
    last, missing = columns[-1]
    keys, size = np.zeros(last.size, np.int64), 1
    for numbers, values in columns:
        if size * (values + 1) >= _LARGEST_KEY:
            # What was met so far is numbered anew: of n records there are at most n.
            different, keys = np.unique(keys, return_inverse=True)
            size = different.size
        keys *= values + 1
        keys += numbers
        size *= values + 1
    # The last number is the lowest digit, and goes wherever its key goes.
    keys.sort()
    begins = np.ones(keys.size + 1, np.bool_)
    begins[1:-1] = keys[1:] != keys[:-1]
    alone = keys[begins[1:] & begins[:-1]]
    return int((alone % (missing + 1) != missing).sum())


def _emptied(state: Recoded, counted: Recount) -> list[str]:
    """Return the quasi-identifiers that had several values and of which the release says nothing."""
    if state.decided is None or not counted.rows:
        return []
    several = {d.column for d in state.decided.before.domains if d.size > 1}
    return [n for n, values in counted.values.items() if values <= {ANY, "'" + ANY, None} and n in several]


def _people(state: Recoded) -> list[PeopleInClasses]:
    """Look for identifiers whose values repeat; of such a one, count the different values in every class."""
    data, plan = state.data, state.plan
    if plan.person or data.engine != "local" or data.rows > _MOST_ROWS or not data.rows:
        return []
    found = {name: _row_counts(data, name) for name in plan.schema.of(Role.IDENTIFIER)}
    # What few rows have, a note or a sum beside the table, says whose row none of the others is.
    repeated = {n: counts for n, counts in found.items() if _repeats(counts) and counts.sum() >= _PRESENT * data.rows}
    if len(repeated) > 1 and not _repeats(data.count(list(repeated)).counts):
        return []  # people of one name who differ in what else names them
    return [
        PeopleInClasses(
            column=name, people=int(counts.size), most_rows=int(counts.max()), fewest=_fewest_people(state, name)
        )
        for name, counts in repeated.items()
    ]


def _row_counts(data: Data, name: str) -> Ints:
    """Return how many rows each value of a column has; what is missing, empty or a word for it ('NA') is none."""
    counted = data.count([name])
    there = np.array([not is_missing(value) for value in counted.values[0]], np.bool_)[counted.codes[0]]
    return counted.counts[there]


def _repeats(counts: Ints) -> bool:
    return counts.size > 1 and _ROWS_PER_PERSON[0] <= counts.sum() / counts.size <= _ROWS_PER_PERSON[1]


def _fewest_people(state: Recoded, identifier: str) -> int | None:
    """Release the identifier beside the classes, for nobody but this count, and see how many share each class."""
    decided = state.decided
    if decided is None or not decided.decision.table.in_memory or state.applied_recoding is None:
        return None
    kept = {identifier, *state.plan.quasi_identifiers}
    recoding: Recoding = replace(
        state.applied_recoding, dropped=tuple(c.name for c in state.plan.schema if c.name not in kept)
    )
    rows: pa.Table = state.data.apply(recoding, key=0).collect()
    classes = list(state.plan.quasi_identifiers)
    people = rows.group_by([*classes, identifier], use_threads=False).aggregate([])
    if not classes:
        return int(people.num_rows) or None
    sizes = people.group_by(classes, use_threads=False).aggregate([([], "count_all")])["count_all"]
    return int(pc.min(sizes).as_py()) if len(sizes) else None
