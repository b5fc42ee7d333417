"""Running a project of several tables: all of them are released, or none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.core.errors import InputError
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.types import DataType
from antifaz.core.version import VERSION
from antifaz.engines.engine import Data, Stage
from antifaz.engines.opening import open_data
from antifaz.ledger.check import LedgerCheck, registered
from antifaz.ledger.ledger import Ledger
from antifaz.pipeline.attack import reopened
from antifaz.pipeline.light import release_of
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.release import Release
from antifaz.pipeline.repeated_attributes import (
    Mapped,
    check_operations,
    generalized,
    mapped,
    settle,
    share_hierarchies,
    share_secrets,
)
from antifaz.projects.ledger_actions import ledger_check_of
from antifaz.projects.project import Loaded, within
from antifaz.projects.tables import LoadedTables, Repeated, pairs
from antifaz.releases.atomic import Staging, staging
from antifaz.releases.describe import peak_memory
from antifaz.releases.joins import Side, Values, check_join
from antifaz.reports.options import Report, report_of
from antifaz.reports.report import report_html, report_pdf

#: Opens a table.
Opening = Callable[[Loaded, Progress], Data]
#: Does a table's operations, and checks what is wanted against what comes out.
Planning = Callable[[Loaded, Data, Progress], AbstractContextManager[tuple[Plan, Data]]]


def run_tables(
    several: LoadedTables,
    opening: Opening,
    planning: Planning,
    *,
    out: Path | None = None,
    progress: Progress | None = None,
    ledger: Ledger | str | Path | bool | None = None,
    despite: str | None = None,
    report: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Run every table, check the joins, and publish all at once; return the evidence of the whole."""
    folder = out or within(several.folder, several.project.release.path)
    if not isinstance(folder, Path):
        raise InputError("plan.several-tables-need-folder")
    asked = report_of(**several.project.report.model_dump() | dict(report or {}))
    check_operations(several)
    whole_name = f"{several.folder} {several.project.name}"
    checks = {
        name: ledger_check_of(loaded, ledger, despite, whole=whole_name, part=name)
        for name, loaded in several.tables.items()
    }
    told = {name: Progress(_speaking(name, progress)) for name in several.tables}
    with ExitStack() as stack:
        stage = stack.enter_context(staging(folder))
        opened = {name: stack.enter_context(opening(loaded, told[name])) for name, loaded in several.tables.items()}
        before = _before(several, opened)
        share_secrets(several, before)
        planned = {
            name: stack.enter_context(planning(loaded, opened[name], told[name]))
            for name, loaded in several.tables.items()
        }
        data = {name: table for name, (_, table) in planned.items()}
        plans = {name: plan for name, (plan, _) in planned.items()}
        alike = generalized(several, plans)
        share_hierarchies(several, alike, plans, data)

        def decide(name: str, plan: Plan) -> Release:
            with several.tables[name].placed():
                return release_of(plan, data[name], told[name], opened[name])

        _refuse_tables(several, data)
        releases = settle(alike, plans, decide)
        parts = _staged(several, data, stage, stack)
        tables, after = _written(several, releases, parts, data, checks, asked)
        ways = {said.name: mapped(said, plans, alike) for said in several.project.repeated}
        joins = [_joins(said, ways[said.name], before, after) for said in several.project.repeated]
        whole = _whole(several, tables, joins, told)
        stage.write_text("evidence.json", json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
        stage.write_text("report.html", report_html(whole, asked.language))
        if asked.pdf:
            stage.write_bytes("report.pdf", report_pdf(whole, asked.language))
        with registered(list(checks.values()), [folder / name for name in checks]):
            next(iter(parts.values())).publish()
    return whole | {"folder": str(folder)}


def _speaking(table: str, progress: Progress | None) -> Callable[[str, float | None, str], None] | None:
    """Return who is told of a table's steps: the listener of the whole, with the table's name."""
    listener = progress.listener if progress else None
    if listener is None:
        return None
    return lambda step, share, message: listener(step, share, f"{table}: {message}")


def _before(several: LoadedTables, data: Mapping[str, Data]) -> dict[tuple[str, str], Values]:
    """Count the values of every repeated attribute in the sources."""
    wanted = [place for said in several.project.repeated for place in said.columns.items()]
    for table, column in wanted:
        with several.tables[table].placed():
            data[table].schema.require([column])
    return {(table, column): _values(data[table], column) for table, column in wanted}


def _values(data: Data, column: str) -> Values:
    counted = data.count([column])
    return {counted.values[0][code]: int(n) for code, n in zip(counted.codes[0], counted.counts, strict=True)}


class _Part:
    """The private place of one table's documents; publishing it publishes what comes after."""

    def __init__(self, own: Staging, then: Stage) -> None:
        self.folder: Any = own.folder
        self.write_text, self.write_bytes = own.write_text, own.write_bytes
        self.publish = then.publish


def _refuse_tables(several: LoadedTables, data: Mapping[str, Data]) -> None:
    """Say early that a release can't become the table it should."""
    for name, loaded in several.tables.items():
        target = loaded.project.release.of_table()
        if target:
            data[name].refuse_table(**target)


def _staged(several: LoadedTables, data: Mapping[str, Data], stage: Staging, stack: ExitStack) -> dict[str, Stage]:
    """Return the stage of every table; to publish the first is to publish all.

    Each publishes the next before it is done itself, and the last one the whole folder: where a table of a database
    can't be put in its place, those that were are taken back.
    """
    parts: dict[str, Stage] = {}
    then: Stage = stage
    for name in reversed(several.tables):
        then = _Part(stage.table(name), then)
        target = several.tables[name].project.release.of_table()
        if target:
            then = stack.enter_context(data[name].into_table(then, **target))
        parts[name] = then
    return {name: parts[name] for name in several.tables}


def _written(
    several: LoadedTables,
    releases: Mapping[str, Release],
    parts: Mapping[str, Stage],
    data: Mapping[str, Data],
    checks: Mapping[str, LedgerCheck | None],
    report: Report,
) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str], Values]]:
    """Write every table to its private place and judge it there; return the evidence, and repeated values there."""
    tables, after = {}, {}
    for name, release in releases.items():
        tables[name], place = release.write(
            parts[name], several.tables[name].project.release.format, checks[name], report
        )
        for said in several.project.repeated:
            column = said.columns.get(name)
            if column is not None and column in tables[name]["released"]["columns"]:
                after[name, column] = _read_back(place, column, data[name])
    return tables, after


def _joins(
    said: Repeated, way: Mapped, before: Mapping[tuple[str, str], Values], after: Mapping[tuple[str, str], Values]
) -> dict[str, Any]:
    """Compare what one repeated attribute has in the written releases with what it has in the sources."""
    told: dict[str, Any] = {"name": said.name, "columns": dict(said.columns), "mapping": way}
    if said.operation is not None:
        given = said.operation if isinstance(said.operation, list) else [said.operation]
        told["operation"] = [each["name"] for each in given]
    if way == "removed":
        return told | {"joins": []}
    sides = {
        table: Side(table=table, before=before[table, column], after=after[table, column])
        for table, column in said.columns.items()
    }
    found = [
        check_join(said.name, sides[one], sides[other], one_to_one=way == "one-to-one")
        for one, other in pairs(said.columns)
    ]
    return told | {"joins": found}


def _read_back(place: Any, column: str, data: Data) -> Values:
    """Count a column of a written release as it stands there."""
    if not isinstance(place, str | Path):
        # A table of a database: only this column comes here.
        types = (place.types[place.columns.index(column)],)
        with open_data(pa.table(replace(place, columns=(column,), types=types)), engine="local") as read:
            return _values(read, column)
    if data.engine == "spark":
        with data.beside(str(place), {column: DataType.TEXT}) as read:
            return _values(read, column)
    with reopened(Path(place), {column: DataType.TEXT}) as read:
        return _values(read, column)


def _whole(
    several: LoadedTables, tables: Mapping[str, Any], joins: list[dict[str, Any]], told: Mapping[str, Progress]
) -> dict[str, Any]:
    seconds: dict[str, float] = {}
    for progress in told.values():
        for step, spent in progress.seconds.items():
            seconds[step] = round(seconds.get(step, 0.0) + spent, 4)
    return {
        "antifaz": 1,
        "project": several.project.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": VERSION,
        "tables": dict(tables),
        "repeated": joins,
        "warnings": _linked(tables, joins),
        "seconds": seconds,
        "peak_memory_bytes": peak_memory(),
    }


def _linked(tables: Mapping[str, Any], joins: list[dict[str, Any]]) -> list[str]:
    """Say that what holds of each table need not hold of what a recipient joins."""
    linked = [said for said in joins if said["mapping"] == "one-to-one"]
    return [
        Message("warning.tables-can-be-joined", columns=" and ".join(said["columns"]), name=said["name"])
        for said in linked
        if any(tables[table].get("privacy") for table in said["columns"])
    ]
