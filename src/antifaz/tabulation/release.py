"""A table of counts or sums as a release: counted, protected, written, read back, attacked, and only then published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from antifaz.core.errors import CheckFailed, ParameterError
from antifaz.core.messages import Message, messages_in
from antifaz.core.progress import Progress
from antifaz.core.randomness import check_seed, fresh_seed, generator, shuffle_key
from antifaz.core.version import VERSION
from antifaz.engines.engine import Data
from antifaz.hierarchies import HierarchyBuilder
from antifaz.ledger.budget import PrivacySpent
from antifaz.ledger.check import LedgerCheck
from antifaz.ledger.drafts import fingerprints
from antifaz.ledger.ledger import Ledger
from antifaz.ledger.verdict import ledger_warnings
from antifaz.releases.atomic import staging
from antifaz.reports.table_report import table_report_html
from antifaz.sources.frames import to_kind
from antifaz.tabulation import audit as auditor
from antifaz.tabulation.audit_cells import TableTruth, recount
from antifaz.tabulation.audit_reading import ReadCell, read_cells
from antifaz.tabulation.cells import count_cells
from antifaz.tabulation.contributions import Contributions, contributions
from antifaz.tabulation.differential_privacy import limit_cells
from antifaz.tabulation.protection import Protected, Protection, ProtectionTask
from antifaz.tabulation.rule import Needs, SensitivityRule
from antifaz.tabulation.table import CellTable
from antifaz.tabulation.writing import FORMATS, STATUS, as_arrow, column_names, value_column, write


@dataclass(frozen=True, kw_only=True)
class TabulationRequest:
    """What is asked for, before any row is counted."""

    dimensions: Mapping[str, HierarchyBuilder]
    measure: str | None = None
    person: tuple[str, ...] = ()
    rules: tuple[SensitivityRule, ...] = ()
    protection: Protection
    seed: int | None = None
    name: str = "table"

    def check(self) -> None:
        """Refuse what can't be meant."""
        protection = self.protection
        check_seed("tabulate", self.seed)
        column_names(tuple(self.dimensions), self.measure)
        if protection.needs_rules and not self.rules:
            raise ParameterError("tabulation.no-rules", protection=protection.name)
        if self.measure is not None and not protection.sums:
            raise ParameterError("tabulation.protection-of-counts-only", protection=protection.name)
        if protection.privacy_spent is not None and self.rules:
            raise ParameterError("tabulation.private-without-rules", protection=protection.name)
        if protection.needs_keys and not self.person:
            raise ParameterError("tabulation.protection-needs-person", protection=protection.name)


class TableRelease:
    """A protected table. It was read back and attacked before it is here; `save` does so again with the file."""

    def __init__(self, data: Data, request: TabulationRequest, progress: Progress | None = None) -> None:
        """Made by `tabulate`."""
        self._request, self._kind = request, data.kind
        self._progress = progress or Progress()
        self._found, self._table, self._needs, self._protected = _protect(data, request, self._progress)
        self._notes, self._rows_read = list(data.notes), data.rows
        self._rows = as_arrow(self._table, self._protected, omits_hidden=request.protection.omits_hidden)
        self._judged: tuple[Mapping[tuple[str | None, ...], ReadCell], auditor.AuditResult] | None = None
        self._judge(self._rows)
        self.evidence = self._describe()

    @property
    def frame(self) -> Any:
        """The cells, one a row, as the same kind of object that came in."""
        return to_kind(self._rows, cast("Any", self._kind))

    @property
    def intervals(self) -> pa.Table:
        """Between which values each attacked cell lies, as anybody can compute it from what is published."""
        found = self._result.intervals
        names = [dimension.column for dimension in self._table.dimensions]
        labels = {name: [own[place] for own in found] for place, name in enumerate(names)}
        ends = {"low": [low for low, _ in found.values()], "high": [high for _, high in found.values()]}
        text = {name: pa.array(own, pa.string()) for name, own in labels.items()}
        return pa.table(text | {name: pa.array(own, pa.float64()) for name, own in ends.items()})

    def save(
        self,
        folder: str | Path,
        format: str = "csv",
        *,
        language: str = "en",
        ledger: Ledger | None = None,
        dataset: str = "",
        to: str | None = "",
    ) -> Path:
        """Write the cells, evidence.json and report.html into a folder: all of them or none.

        The cells are written to a private place as release.csv or release.parquet, read back and attacked there, and
        only then moved to the folder. With a `ledger`, the table is registered there as handed out `to` somebody; with
        None it is a draft, which `hand_out` hands out later. A differentially private one spends of the budget of the
        `dataset`; beyond that `LedgerRefused` is raised.
        """
        if format not in FORMATS:
            raise ParameterError("tabulation.unknown-format", format=format, formats=FORMATS)
        with staging(Path(folder)) as stage:
            path = stage.folder / f"release.{format}"
            write(self._rows, path, self._table.decimals)
            with self._progress.step("verify", Message("progress.counting-again")):
                self._judge(path)
            content = path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            evidence = self._describe() | {
                "released": {"file": path.name, "bytes": len(content), "sha256": digest},
            }
            check = None if ledger is None else ledger.new_check(dataset=dataset, to=to)
            evidence = self._with_ledger(evidence, check)
            stage.write_text("evidence.json", json.dumps(evidence, indent=2, ensure_ascii=False) + "\n")
            stage.write_text("report.html", table_report_html(evidence, language))
            files = fingerprints(stage.folder, {path.name: digest})
            with nullcontext() if check is None else check.publishing(Path(folder), files):
                stage.publish()
        self.evidence = evidence
        return Path(folder)

    def _with_ledger(self, evidence: dict[str, Any], check: LedgerCheck | None) -> dict[str, Any]:
        """Return the evidence with what the ledger says; raise where the budget of the data set is exceeded."""
        evidence = evidence | {"state": "draft" if check is None else check.state}
        if check is not None:
            spent = self._request.protection.privacy_spent
            wanted = None if spent is None else PrivacySpent(epsilon=spent[0], delta=spent[1])
            said = check.settle(check.examine_table(self._request.name, self._rows.num_rows, wanted))
            evidence |= {"ledger": said, "warnings": [*evidence["warnings"], *ledger_warnings(said)]}
        return evidence | {"messages": messages_in(evidence)}

    @property
    def _result(self) -> auditor.AuditResult:
        if self._judged is None:
            raise CheckFailed("tabulation.audit-file-unclear")
        return self._judged[1]

    def _judge(self, place: Path | pa.Table) -> None:
        """Read the cells back and attack them; the same cells are not attacked twice."""
        columns = [dimension.column for dimension in self._table.dimensions]
        cells = read_cells(place, columns, value_column(self._table.measure), STATUS, self._table.decimals)
        if self._judged is None or self._judged[0] != cells:
            protection = self._request.protection
            asked = {**protection.parameters(), **self._protected.details, "name": protection.name}
            rules = [{**rule.parameters(), "name": rule.name} for rule in self._request.rules]
            self._judged = (cells, auditor.audit(cells, _truth(self._found), rules, asked))

    def _describe(self) -> dict[str, Any]:
        table, request, protected = self._table, self._request, self._protected
        people = {} if self._found.persons is None else {"people": int(np.unique(self._found.persons).size)}
        document: dict[str, Any] = {
            "antifaz": 1,
            "version": VERSION,
            "kind": "table",
            "project": request.name,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "rows": {"read": self._rows_read, "without_amount": self._found.without_amount},
            **people,
            "table": {
                "dimensions": [{"column": own.column, "labels": own.size} for own in table.dimensions],
                "measure": table.measure,
                "decimals": table.decimals,
                "cells": table.size,
                "shown": int(protected.shown.sum()),
                "suppressed": int((~protected.shown).sum()),
                "adds_up": table.additive,
            },
            "rules": [
                {"rule": rule.name, **rule.parameters(), "sensitive": int(rule.needs(table).sensitive.sum())}
                for rule in request.rules
            ],
            "protection": {"name": request.protection.name, **request.protection.parameters(), **protected.details},
            "audit": self._result.as_dict(),
            "warnings": list(protected.warnings),
            "notes": self._all_notes(),
            "seconds": {name: round(spent, 3) for name, spent in self._progress.seconds.items()},
        }
        return document | {"messages": messages_in(document)}

    def _all_notes(self) -> list[str]:
        found, notes = self._found, list(self._notes)
        if found.without_amount and found.measure is not None:
            notes.append(Message("tabulation.rows-without-amount", rows=found.without_amount, column=found.measure))
        if found.rounded and found.measure is not None:
            notes.append(Message("tabulation.amounts-rounded", column=found.measure, decimals=found.decimals))
        if not self._table.additive:
            notes.append(Message("tabulation.people-in-several-cells"))
        return notes


def _protect(
    data: Data, request: TabulationRequest, progress: Progress
) -> tuple[Contributions, CellTable, Needs, Protected]:
    """Count the table, find what is sensitive, and protect it."""
    request.check()
    protection = request.protection
    with progress.step("count", Message("progress.counting")), data.snapshot():
        found = contributions(
            data, request.dimensions, measure=request.measure, person=request.person, secret=protection.secret()
        )
        digest = data.digest()
    seed = fresh_seed() if request.seed is None else request.seed
    # The data's digest goes in because a seed such as 1 can be guessed, and so could what was drawn.
    random = generator(shuffle_key(seed, digest))
    found = limit_cells(found, protection.cells_per_person, random)
    with progress.step("decide", Message("progress.protecting-cells")):
        table = count_cells(found, max((rule.largest for rule in request.rules), default=0))
        if protection.needs_additive and not table.additive:
            raise ParameterError("tabulation.not-additive", protection=protection.name)
        needs = reduce(or_, (rule.needs(table) for rule in request.rules), Needs.nothing(table.size))
        protected = protection.protect(ProtectionTask(table=table, needs=needs, random=random, progress=progress))
    return found, table, needs, protected


def _truth(found: Contributions) -> TableTruth:
    """Hand the auditor what was counted, as plain entries and trees of labels."""
    columns: dict[str, pa.Array] = {}
    trees, totals = [], []
    for place, (bound, codes) in enumerate(zip(found.dimensions, found.codes, strict=True)):
        dimension = bound.dimension
        leaves = pa.array([dimension.labels[node] for node in bound.nodes[-1].tolist()], pa.string())
        columns[str(place)] = leaves.take(pa.array(codes))
        labels, parents = dimension.labels, dimension.parents
        trees.append({labels[node]: labels[parents[node]] for node in range(1, dimension.size)})
        totals.append(labels[0])
    persons, keys = found.persons, found.keys
    many = found.amounts.size
    columns["person"] = pa.nulls(many, pa.int64()) if persons is None else pa.array(persons)
    columns["amount"], columns["records"] = pa.array(found.amounts), pa.array(found.records)
    columns["key"] = pa.array(keys[persons] if persons is not None and keys.size else np.zeros(many, np.int64))
    entries, counts = pa.table(columns), found.measure is None
    return recount(entries, trees, tuple(totals), counts=counts, decimals=found.decimals)
