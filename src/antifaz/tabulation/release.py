"""A table of counts or sums as a release: counted, protected, written, read back, attacked, and only then published."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.files import file_sha256, json_text
from antifaz.core.messages import Message, messages_in
from antifaz.core.progress import Progress
from antifaz.core.randomness import fresh_seed, generator, shuffle_key
from antifaz.core.version import VERSION
from antifaz.engines.engine import Data
from antifaz.ledger.budget import PrivacySpent
from antifaz.ledger.check import LedgerCheck, register_releases
from antifaz.ledger.drafts import sha256_of_files
from antifaz.ledger.ledger import Ledger
from antifaz.ledger.verdict import ledger_warnings
from antifaz.releases.atomic import Staging, staging
from antifaz.reports.report import tabulation_report_html
from antifaz.sources.frames import to_kind
from antifaz.tabulation.audit_reading import ReadCell, read_cells
from antifaz.tabulation.cell_counts import CountedTable, TabulationRequest
from antifaz.tabulation.contributions import contributions
from antifaz.tabulation.differential_privacy import limit_cells
from antifaz.tabulation.earlier_tables import EarlierTable
from antifaz.tabulation.linked_tables import LinkedTables, add_earlier, add_joint
from antifaz.tabulation.table import Dimension
from antifaz.tabulation.writing import FORMATS, STATUS, as_arrow, value_column, write


class TabulationRelease:
    """A protected table. It was read back and attacked before it is here; `save` does so again with the file."""

    def __init__(
        self, data: Data, request: TabulationRequest, linked: LinkedTables, at: int, progress: Progress
    ) -> None:
        """Made by `release_tables`."""
        self._request, self._kind, self._progress = request, data.kind, progress
        self._link_tables, self._at = linked, at
        self._contributions, self._table = linked.new[at].contributions, linked.new[at].table
        self._protected = linked.protected[at]
        self._notes, self._rows_read = list(data.notes), data.rows
        self._rows = as_arrow(self._table, self._protected, omits_hidden=request.protection.omits_hidden)
        self._link_tables.cells.append(self._read(self._rows))

    def judge(self) -> Self:
        """Attack the table as it is in memory, and describe it."""
        self._result = self._link_tables.judge(self._at, self._read(self._rows))
        self.evidence = self._describe()
        return self

    @property
    def name(self) -> str:
        """What the table is called."""
        return self._request.name

    @property
    def frame(self) -> Any:
        """The cells, one a row, as the same kind of object that came in."""
        return to_kind(self._rows, cast("Any", self._kind))

    @property
    def intervals(self) -> pa.Table:
        """Between which values each attacked cell lies, as anybody can compute it from what is published."""
        intervals = self._result.intervals
        names = [dimension.column for dimension in self._table.dimensions]
        labels = {name: [own[place] for own in intervals] for place, name in enumerate(names)}
        ends = {"low": [low for low, _ in intervals.values()], "high": [high for _, high in intervals.values()]}
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
        with staging(Path(folder)) as stage:
            check = None if ledger is None else ledger.new_check(dataset=dataset, to=to)
            files = self.write(stage, format, language, check)
            with nullcontext() if check is None else check.publishing(Path(folder), files):
                stage.publish()
        return Path(folder)

    def write(self, stage: Staging, format: str, language: str, check: LedgerCheck | None) -> dict[str, list[str]]:
        """Write the table and its documents to a private place, and return their fingerprints."""
        if format not in FORMATS:
            raise ParameterError("tabulation.unknown-format", format=format, formats=FORMATS)
        path = stage.folder / f"release.{format}"
        write(self._rows, path, self._table.decimals)
        with self._progress.step("verify", Message("progress.counting-again")):
            self._result = self._link_tables.judge(self._at, self._read(path))
        digest = file_sha256(path)
        evidence = self._describe() | {
            "released": {"file": path.name, "bytes": path.stat().st_size, "sha256": digest},
        }
        self.evidence = self._with_ledger(evidence, check)
        stage.write_text("evidence.json", json_text(self.evidence))
        stage.write_text("report.html", tabulation_report_html(self.evidence, language))
        return sha256_of_files(stage.folder, {path.name: digest})

    def _with_ledger(self, evidence: dict[str, Any], check: LedgerCheck | None) -> dict[str, Any]:
        """Return the evidence with what the ledger says; raise where the budget of the data set is exceeded."""
        evidence = evidence | {"state": "draft" if check is None else check.state}
        if check is not None:
            spent = self._request.protection.privacy_spent
            privacy = None if spent is None else PrivacySpent(epsilon=spent[0], delta=spent[1])
            settled = check.settle(
                check.examine_table(
                    self._request.name,
                    self._rows.num_rows,
                    privacy,
                    compared=self._link_tables.account(self._at)["earlier"],
                )
            )
            evidence |= {"ledger": settled, "warnings": [*evidence["warnings"], *ledger_warnings(settled)]}
        return evidence | {"messages": messages_in(evidence)}

    def _read(self, place: Path | pa.Table) -> Mapping[tuple[str | None, ...], ReadCell]:
        """Read the cells back."""
        columns = [dimension.column for dimension in self._table.dimensions]
        return read_cells(place, columns, value_column(self._table.measure), STATUS, self._table.decimals)

    def _describe(self) -> dict[str, Any]:
        table, request, protected = self._table, self._request, self._protected
        persons = self._contributions.persons
        people = {} if persons is None else {"people": int(np.unique(persons).size)}
        document: dict[str, Any] = {
            "antifaz": 1,
            "version": VERSION,
            "kind": "table",
            "project": request.name,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "rows": {"read": self._rows_read, "without_amount": self._contributions.without_amount},
            **people,
            "table": {
                "dimensions": [
                    {"column": own.column, "labels": own.size, "tree": _tree(own)} for own in table.dimensions
                ],
                "measure": table.measure,
                "person": list(request.person),
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
            "linked": self._link_tables.account(self._at),
            "warnings": list(protected.warnings),
            "notes": self._all_notes(),
            "seconds": {name: round(spent, 3) for name, spent in self._progress.seconds.items()},
        }
        return document | {"messages": messages_in(document)}

    def _all_notes(self) -> list[str]:
        counted, notes = self._contributions, [*self._notes, *self._link_tables.notes]
        if counted.without_amount and counted.measure is not None:
            notes.append(Message("tabulation.rows-without-amount", rows=counted.without_amount, column=counted.measure))
        if counted.rounded and counted.measure is not None:
            notes.append(Message("tabulation.amounts-rounded", column=counted.measure, decimals=counted.decimals))
        if not self._table.additive:
            notes.append(Message("tabulation.people-in-several-cells"))
        return notes


def release_tables(
    data: Data,
    requests: Sequence[TabulationRequest],
    progress: Progress | None = None,
    earlier: Sequence[EarlierTable] = (),
) -> list[TabulationRelease]:
    """Count tables of the same data, protect them together, and attack them together and with earlier ones."""
    progress = progress or Progress()
    for request in requests:
        request.check()
    if len({request.protection.name for request in requests}) > 1:
        raise ParameterError("tabulation.one-protection")
    groups: dict[tuple[str | None, tuple[str, ...]], list[TabulationRequest]] = {}
    for request in requests:
        groups.setdefault((request.measure, request.person), []).append(request)
    made: dict[str, TabulationRelease] = {}
    for (_, person), own in groups.items():
        linked = _link_tables(data, own, progress, earlier, person)
        releases = [TabulationRelease(data, request, linked, at, progress) for at, request in enumerate(own)]
        made |= {release.name: release.judge() for release in releases}
    return [made[request.name] for request in requests]


def _link_tables(
    data: Data,
    requests: Sequence[TabulationRequest],
    progress: Progress,
    earlier: Sequence[EarlierTable],
    person: tuple[str, ...],
) -> LinkedTables:
    protection = requests[0].protection
    with progress.step("count", Message("progress.counting")), data.snapshot():
        tables = [_count_table(data, request) for request in requests]
    with progress.step("decide", Message("progress.protecting-cells")):
        if protection.needs_additive and not all(table.table.additive for table in tables):
            raise ParameterError("tabulation.not-additive", protection=protection.name)
        linked = LinkedTables(protection=protection, new=tables, names=[request.name for request in requests])
        if protection.privacy_spent is None:
            add_earlier(linked, data, earlier, person)
            add_joint(linked, data, person)
        linked.protect()
    return linked


def _count_table(data: Data, request: TabulationRequest) -> CountedTable:
    protection = request.protection
    counted = contributions(
        data, request.dimensions, measure=request.measure, person=request.person, secret=protection.secret()
    )
    seed = fresh_seed() if request.seed is None else request.seed
    # The data's digest goes in because a seed such as 1 can be guessed, and so could what was drawn.
    random = generator(shuffle_key(seed, data.digest()))
    return CountedTable.count(limit_cells(counted, protection.cells_per_person, random), request.rules, random)


def save_tables(
    releases: Sequence[TabulationRelease],
    folder: Path,
    format: str,
    *,
    name: str,
    language: str,
    ledger: Ledger | None,
    dataset: str,
    to: str | None,
) -> dict[str, Any]:
    """Write tables, each into a folder of its name, all or none, and return the evidence of all."""
    run = secrets.token_hex(4)
    checks = [
        None if ledger is None else ledger.new_check(dataset=dataset, to=to, run=run, part=release.name)
        for release in releases
    ]
    with staging(folder) as stage:
        for release, check in zip(releases, checks, strict=True):
            release.write(stage.table(release.name), format, language, check)
        whole = {release.name: release.evidence for release in releases}
        document: dict[str, Any] = {"antifaz": 1, "version": VERSION, "kind": "tables", "project": name}
        document |= {"state": "draft" if to is None or ledger is None else "handed out", "tables": whole}
        stage.write_text("evidence.json", json_text(document))
        files = sha256_of_files(stage.folder)
        with register_releases(checks, [folder] * len(checks), [files] * len(checks)):
            stage.publish()
    return document | {"folder": str(folder)}


def _tree(dimension: Dimension) -> list[list[str | None]]:
    """Return each label with the one above it, from the total down."""
    above = [None, *(dimension.labels[parent] for parent in dimension.parents[1:])]
    return [[label, over] for label, over in zip(dimension.labels, above, strict=True)]
