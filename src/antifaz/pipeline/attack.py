"""Attacks on a release within its own run: what a data protection officer is told of the three criteria.

The work is bounded. A sample of the rows would not do: among fewer people more are alone. So only the number of
attempts is limited, and where there are too many rows it is said that nothing was measured.
"""

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.core.arrays import Ints
from antifaz.core.errors import AntifazError
from antifaz.core.folding import persons
from antifaz.core.randomness import shuffle_key
from antifaz.core.recoding import Recoding
from antifaz.core.types import DataType
from antifaz.engines.engine import Applied, Data
from antifaz.engines.registry import open_data
from antifaz.pipeline.plan import Plan
from antifaz.releases.criteria_evidence import Reason
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import read
from antifaz.sources.text_options import WrittenFile
from antifaz.sources.written_forms import plain_where_written

#: In a table of more rows no attacks are tried within a run: they would take longer than the release.
MOST_ROWS = 100_000
#: About how many bytes the attackers take for each cell.
_BYTES_PER_CELL = 1_000


def attack_release(
    plan: Plan,
    original: Data,
    place: Any,
    applied: Applied,
    recoding: Recoding | None,
    attempts: int,
    changed: Data | None = None,
) -> tuple[list[dict[str, Any]], Reason | None]:
    """Try attacks on released rows; return their figures, or why there are none.

    `original` is the table as it came, before any operation, and `changed` the same after them; `place` is where the
    released rows are, or the rows, which `applied` made.
    """
    # A release may be a table of a database although its rows were decided on here.
    here = isinstance(place, str | os.PathLike | pa.Table)
    reason = _why_not(original, attempts) or (None if here else "rows_stay")
    if reason is not None:
        return [], reason
    from antifaz.risk.attacks import run_attacks

    try:
        with open_data(place) if isinstance(place, pa.Table) else reopened(place, {}) as released:
            there = {*released.schema.names} & {*original.schema.names}
            names = [
                c.name for c in plan.schema if c.name in there and not c.role.names_people and c.name not in plan.sets
            ]
            before, after = original.cells(names), released.cells(names)
        if not after.num_rows or not before.num_rows:
            return [], "no_rows"
        roles = {name: plan.schema[name].role for name in before.column_names}
        # The order of the rows comes from the plan's seed, so what follows from that stays inside.
        seed, whose = shuffle_key(plan.seed, b"attacks"), _persons(plan, original, changed, applied, place)
        told: dict[str, Any] = {"covers": _covers(plan, recoding), "persons": whose}
        attacks = run_attacks(before, after, roles, attacks=attempts, seed=seed, **told)
    except AntifazError:
        return [], "unfit"
    return [{key: value for key, value in attack.items() if key != "seed"} for attack in attacks], None


def _persons(
    plan: Plan, original: Data, changed: Data | None, applied: Applied, place: Any
) -> tuple[Ints, Ints] | None:
    """Number the people of the original and of the released rows; None where a row is taken for a person.

    A key that became a pseudonym is no longer the key of the original. Operations leave rows in their places, unless
    they or a limit leave out some: then it is not known which pseudonym was whose.
    """
    keyed: Data | None = original
    if set(plan.person) & set(plan.operations):
        keyed = changed if changed is not None and changed.rows == original.rows else None
    if not plan.person or keyed is None:
        return None
    before, after = keyed.cells(plan.person), applied.keyed(plan.person, place)
    if not isinstance(after, pa.Table):
        return None
    return number_people(before, after)


def number_people(before: pa.Table, after: pa.Table) -> tuple[Ints, Ints]:
    """Number the people of the rows of two tables by their keys."""
    texts = [pa.table({str(i): c.cast(pa.string()) for i, c in enumerate(each.columns)}) for each in (before, after)]
    numbers = persons(pa.concat_tables(texts))
    return numbers[: before.num_rows], numbers[before.num_rows :]


def _why_not(original: Data, attempts: int) -> Reason | None:
    if not attempts:
        return "not_asked"
    if original.engine != "local":
        return "rows_stay"
    if not original.rows:
        return "no_rows"
    if original.rows > MOST_ROWS:
        return "too_many"
    need = original.program_memory + original.rows * len(original.schema.names) * _BYTES_PER_CELL
    return "memory" if original.memory is not None and need > original.memory else None


def reopened(place: str | os.PathLike[str], types: Mapping[str, DataType]) -> Data:
    """Open rows that were written on this machine, as they were written."""
    written, options = _how_written(place)
    return open_data(Path(place), engine="local", types=types, written=written, **options)


def read_back(place: str | os.PathLike[str]) -> Iterator[pa.Table]:
    """Read rows that were written on this machine, as they were written, table by table."""
    written, options = _how_written(place)
    reader = read(Path(place), ReadOptions(folded=True, **options))
    tables = iter(reader.tables)
    tables = chain([next(tables, reader.schema.empty_table())], tables)
    yield from plain_where_written(tables, written) if written else tables


def _how_written(place: str | os.PathLike[str]) -> tuple[Mapping[str, str] | None, dict[str, Any]]:
    """Return the forms in which columns are written, and how the file is to be read."""
    path, told = Path(place), place.options() if isinstance(place, WrittenFile) else {}
    if path.suffix == ".parquet":
        return told.get("written"), {}
    between = told.get("delimiter") or ("\t" if path.suffix == ".tsv" else ",")
    options = {"delimiter": between, "quote": '"', "header": True, "encoding": told.get("encoding") or "utf-8"}
    return told.get("written"), options


def _covers(plan: Plan, recoding: Recoding | None) -> dict[str, dict[str, list[str]]]:
    """Return what words of a hierarchy stand for: attackers may know it. Other labels can be read as they are."""
    covers: dict[str, dict[str, list[str]]] = {}
    for column in recoding.columns if recoding is not None else ():
        if plan.types[column.column] is DataType.TEXT:
            for value, label in zip(column.values, column.labels, strict=True):
                if value is not None and label is not None and value != label:
                    covers.setdefault(column.column, {}).setdefault(label, []).append(value)
    return covers
