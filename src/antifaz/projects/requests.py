"""From a project file to what the pipeline is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.ledger.check import LedgerCheck
from antifaz.ledger.ledger import OFF, VARIABLE, Ledger
from antifaz.pipeline.operations import Operations
from antifaz.pipeline.request import RepeatedAttribute, TableRequest, TablesRequest
from antifaz.projects.project import LedgerUse, LoadedProject, Project, within
from antifaz.projects.tables import LoadedTables, Repeated
from antifaz.reports.report import report_options


def table_request(
    loaded: LoadedProject,
    *,
    out: Path | None = None,
    levels: Mapping[str, int] | None = None,
    report: Mapping[str, Any] | None = None,
) -> TableRequest:
    """Return what a project of one table asks for; `report` is laid over what it says of its report."""
    project, folder = loaded.project, loaded.folder
    target = out or within(folder, project.release.path)
    return TableRequest(
        name=project.name,
        source=project.source.place(folder),
        types={name: column.type for name, column in project.attributes.items() if column.type is not None},
        reading=project.source.options(),
        engine=_engine(project),
        roles={name: column.role for name, column in project.attributes.items()},
        hierarchies=loaded.hierarchies,
        models=loaded.models,
        method=loaded.method,
        levels=levels,
        missing={name: column.missing for name, column in project.attributes.items() if column.missing != "category"},
        operations=Operations(
            columns=loaded.operations,
            joint=loaded.perturbation,
            sample=loaded.sample,
            folder=folder,
            no_keys_in=_no_keys_in(loaded),
            places=loaded,
        ),
        light=project.kind == "light",
        hardened=project.hardened,
        seed=project.seed,
        controller=project.controller,
        folder=target,
        format=project.release.format,
        table=project.release.of_table(),
        report=report_options(**project.report.model_dump() | dict(report or {})),
    )


def tables_request(
    several: LoadedTables, *, out: Path | None = None, report: Mapping[str, Any] | None = None
) -> TablesRequest:
    """Return what a project of several tables asks for."""
    project = several.project
    folder = out or within(several.folder, project.release.path)
    if not isinstance(folder, Path):
        raise InputError("plan.several-tables-need-folder")
    laid_over = project.report.model_dump() | dict(report or {})
    return TablesRequest(
        name=project.name,
        tables={name: table_request(loaded, report=laid_over) for name, loaded in several.tables.items()},
        repeated=[_repeated(several, i, attribute) for i, attribute in enumerate(project.repeated)],
        folder=folder,
        seed=project.seed,
        report=report_options(**laid_over),
    )


def _repeated(several: LoadedTables, i: int, attribute: Repeated) -> RepeatedAttribute:
    given = attribute.operation if isinstance(attribute.operation, list) else [attribute.operation]
    return RepeatedAttribute(
        name=attribute.name,
        columns=attribute.columns,
        operations=None if attribute.operation is None else tuple(each["name"] for each in given),
        place=several.where(i),
        operation_place=several.where(i, "operation"),
    )


def _no_keys_in(loaded: LoadedProject) -> tuple[Path, ...]:
    """The folders of the data and of the release."""
    source, target = loaded.project.source.path, within(loaded.folder, loaded.project.release.path)
    places = [(loaded.folder / source).parent] if source is not None and "://" not in source else []
    return (*places, *([target] if isinstance(target, Path) else []))


def _engine(project: Project) -> dict[str, Any]:
    """Return which engine is meant, and its options."""
    options = project.engine.options()
    usual = "spark" if project.source.spark or project.engine.master or project.engine.tuples else "local"
    name = options.pop("name", "database" if project.source.url else usual)
    if (name in ("database", "sql")) != (project.source.url is not None):
        raise InputError("project.engine-does-not-open-source", name=name)
    return {"engine": name, **options}


def uses_ledger(loaded: LoadedProject, ledger: Ledger | str | Path | bool | None) -> bool:
    """Say whether a project's release is registered in a ledger.

    `True` means the ledger in the user's data folder; None that one only if the project speaks of a ledger.
    """
    settings = loaded.project.ledger
    wanted = ledger is not False and (settings.keep if settings is not None else ledger is not None)
    return wanted and (ledger not in (None, True) or os.environ.get(VARIABLE) != OFF)


def ledger_check_of(
    loaded: LoadedProject,
    ledger: Ledger | str | Path | bool | None,
    despite: str | None,
    *,
    whole: str = "",
    part: str = "",
) -> LedgerCheck | None:
    """Return the check of a project's release, or of one `part` of the `whole` of several tables."""
    if not uses_ledger(loaded, ledger):
        return None
    known = Ledger(os.environ.get(VARIABLE)) if ledger is None or isinstance(ledger, bool) else ledger
    known = known if isinstance(known, Ledger) else Ledger(known)
    use, source = loaded.project.ledger or LedgerUse(), loaded.project.source
    place = whole or " ".join(map(str, filter(None, (source.place(loaded.folder), source.schema_, source.table))))
    return known.new_check(
        dataset=use.dataset or known.name_of(place), part=part, person=use.person, despite=despite or use.despite
    )
