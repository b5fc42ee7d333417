"""What a run of a project file would do, without running it: its steps, and what its redaction of texts finds."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import InputError
from antifaz.core.progress import Progress
from antifaz.core.randomness import fresh_seed, generator
from antifaz.core.roles import Role
from antifaz.core.text_identifiers import count_marks
from antifaz.engines.engine import Data
from antifaz.pipeline.operations import operate
from antifaz.pipeline.state import Requested, TableRequest, TablesRequest
from antifaz.pipeline.steps import LIGHT_STEPS, STEPS, open_table
from antifaz.projects.loaded_project import load_project
from antifaz.projects.project_actions import table_request, tables_request, uses_ledger
from antifaz.projects.tables import LoadedTables, read_project


def explain(
    project: str | Path,
    *,
    out: str | Path | None = None,
    levels: dict[str, int] | None = None,
    ledger: bool | None = None,
    engine: Mapping[str, str] | None = None,
    report: Mapping[str, Any] | None = None,
    hardened: bool = False,
) -> dict[str, Any]:
    """Return the steps that a run of a project file would take, with what each would do; nothing is run."""
    loaded = read_project(project)
    loaded = loaded.as_hardened() if hardened else loaded
    if isinstance(loaded, LoadedTables):
        used = any(uses_ledger(table, ledger) for table in loaded.tables.values())
        steps = _explain_tables(tables_request(loaded, out=out, engine=engine, report=report), ledger=used)
    else:
        request = table_request(loaded, out=out, levels=levels, engine=engine, report=report)
        steps = _explain_table(request, ledger=uses_ledger(loaded, ledger))
    return {"project": loaded.project.name, "steps": steps}


def _explain_table(request: TableRequest, *, ledger: bool) -> list[dict[str, Any]]:
    """Return the steps of one table: each with its name, what it does, and with what for this table."""
    details, steps = _details(request, ledger), LIGHT_STEPS if request.light else STEPS
    return [{"step": step.name, "does": step.summary, "with": details.get(step.name, {})} for step in steps]


def _explain_tables(request: TablesRequest, *, ledger: bool) -> list[dict[str, Any]]:
    """Return the steps of several tables: each table's own, how joins are checked, and one publication for all."""
    of_tables = [
        {"table": name, **step}
        for name, table in request.tables.items()
        for step in _explain_table(table, ledger=ledger)
        if step["step"] != "publish"
    ]
    repeated = {each.name: dict(each.columns) for each in request.repeated}
    joins = {"step": "join", "does": "Check that joins of repeated attributes still hold.", "with": repeated}
    publish = {"step": "publish", "does": STEPS[-1].summary, "with": {"folder": str(request.folder), "ledger": ledger}}
    return [*of_tables, *([joins] if repeated else []), publish]


def _details(request: TableRequest, ledger: bool) -> dict[str, dict[str, Any]]:
    roles = {role: [name for name, own in request.roles.items() if own is role] for role in Role}
    models = [{"model": model.name, **model.parameters()} for model in request.models]
    operations, report = request.operations, request.report
    # Per column, or per columns together, the names of what is done to them.
    named = {name: [each.name for each in given] for name, given in operations.columns.items()}
    named |= {", ".join(each.columns): [each.perturbation.name] for each in operations.joint}
    return {
        "plan": {
            "source": str(request.source),
            **request.engine,
            **({"sample": operations.sample.parameters()} if operations.sample is not None else {}),
            **({"operations": named} if named else {}),
        },
        "prepare": {"quasi_identifiers": roles[Role.QUASI_IDENTIFIER], "missing": dict(request.missing)},
        "decide": {
            "method": {"name": request.method.name, **request.method.parameters()},
            "privacy": models,
            "hardened": request.hardened,
            **({"microaggregate": dict(request.microaggregate)} if request.microaggregate else {}),
            **({"levels": dict(request.levels)} if request.levels else {}),
        },
        "apply": {"identifiers": [*roles[Role.IDENTIFIER], *roles[Role.PERSON]]},
        "write": {"format": request.format, **request.text},
        "verify": {"privacy": models},
        "attack": {"attempts": report.attacks},
        "describe": {**report.evidence().document(), "recipient": report.recipient, "ledger": ledger},
        "publish": {"folder": str(request.folder), **request.table, "ledger": ledger},
    }


def redactions_of(
    project: str | Path, *, rows: int = 20, seed: int | None = None, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Redact the texts of a project and return, per column, counts and some cells before and after; nothing is written.

    For those who may see the data. In half of the cells nothing was found, where there are as many: what was missed
    is there, too.
    """
    request = table_request(load_project(project))
    texts = {
        name: tuple(each for each in own if each.leaves_text)
        for name, own in request.operations.columns.items()
        if any(each.leaves_text for each in own)
    }
    if not texts:
        raise InputError("project.redacts-nothing")
    random = generator(fresh_seed() if seed is None else seed)
    with ExitStack() as resources:
        requested = Requested(request=request, progress=progress or Progress(), resources=resources)
        # The rows of a server come in any order, and are compared: they come once.
        original = resources.enter_context(open_table(requested)).download()
        only_texts = replace(request.operations, columns=texts, joint=(), sample=None)
        done = resources.enter_context(operate(only_texts, original, 0, request.roles)[0])
        return [_redaction_sample(name, original, done, rows, random) for name in texts]


def _redaction_sample(name: str, original: Data, done: Data, rows: int, random: np.random.Generator) -> dict[str, Any]:
    before, after = (data.cells([name]).column(0).cast(pa.string()).to_pylist() for data in (original, done))
    there = [i for i, text in enumerate(before) if text]
    changed = [i for i in there if before[i] != after[i]]
    same = [i for i in there if before[i] == after[i]]
    left = min(len(same), max(rows // 2, rows - len(changed)))
    drawn = [*random.permutation(changed)[: rows - left].tolist(), *random.permutation(same)[:left].tolist()]
    return {
        "column": name, "cells": len(there), "changed": len(changed), "redacted": count_marks(after),
        "sample": [{"before": before[i], "after": after[i]} for i in drawn],
    }  # fmt: skip
