"""A release: the decision, applied; its evidence; and its files, all or nothing."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import shuffle_key
from antifaz.core.recoding import Recoding
from antifaz.core.roles import Role
from antifaz.counting.filling import FilledFrequencies
from antifaz.engines.engine import Applied, Data, Stage
from antifaz.ledger.check import LedgerCheck, NewRelease, registered
from antifaz.ledger.ledger import Ledger, check_with
from antifaz.ledger.messages import ledger_warnings
from antifaz.methods.method import Decision
from antifaz.methods.operations.operation import operation_evidence
from antifaz.pipeline.attack import declared
from antifaz.pipeline.hardening import discreet, not_by_chance, reworded
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.prepare import fitting, population, prepare
from antifaz.releases.atomic import staging
from antifaz.releases.describe import evidence, peak_memory, with_operations
from antifaz.releases.gate import admit, make_reference
from antifaz.releases.record import record
from antifaz.reports.documents import require_pdf
from antifaz.reports.options import Report, report_of
from antifaz.reports.report import report_html, report_pdf


class Release:
    """What `anonymize` returns. It exists only if the privacy asked for was counted in the rows it holds."""

    def __init__(self, plan: Plan, data: Data, progress: Progress | None = None, original: Data | None = None) -> None:
        """Count and decide; nothing is applied yet. `original` is the table before operations, where there were any."""
        self._plan, self._data = plan, fitting(plan, data)
        self._original = original or self._data
        self._progress = progress or Progress()
        self._decide()
        self._frame: Any = None
        self._checked: Any = None
        #: The evidence document (see the contract); filled when the rows have been counted again.
        self.evidence: dict[str, Any] = {}

    def _decide(self) -> None:
        plan, progress = self._plan, self._progress
        with progress.step("count", Message("progress.counting")):
            prepared = prepare(plan, self._data, progress)
            task, frequencies = prepared.task, prepared.filled.frequencies
            self._before, self._filled = prepared.sizes, prepared.filled
            self._respelled = {domain.column: domain.respelled for domain in frequencies.domains if domain.respelled}
        with progress.step("decide", Message("progress.deciding")), reworded(plan):
            self._decision: Decision = discreet(plan, plan.method.decide(task))
            totals = self._data.totals(plan.sensitive)
            self._reference = make_reference(totals, plan.trees(frequencies), self._people())
        decided = prepared.complete(self._decision.recoding)
        with progress.step("apply", Message("progress.preparing")):
            decided = replace(decided, dropped=plan.identifiers)
            # What was decided goes in too: two releases in one order could be laid side by side, row by row.
            key = shuffle_key(plan.seed, self._data.digest() + plan.digest() + decided.digest())
            self._applied = self._data.apply(decided, key)

    def _people(self) -> Applied | None:
        """The population's quasi-identifiers under the same recoding, for the gate; None where no model asks."""
        people = population(self._plan, self._data)
        if people is None:
            return None
        wanted = set(self._plan.quasi_identifiers)
        others = tuple(name for name in people.schema.names if name not in wanted)
        recoding = Recoding(columns=self._decision.recoding.columns, dropped=others)
        return people.apply(recoding, key=0)

    @property
    def levels(self) -> dict[str, int]:
        """The level that each quasi-identifier was generalized to, where the method gives every value the same."""
        return dict(self._decision.details.get("levels", {}))

    @property
    def frame(self) -> Any:
        """The released rows, as the same kind of object that came in (a pyarrow table for a file)."""
        while self._checked is None:
            self.check()
        if self._frame is None:
            # Only now: rows of a database leave the server here.
            self._frame = self._applied.hand_over(self._checked)
        return self._frame

    def check(self) -> None:
        """Apply the decision in memory, count the result again and keep it, or raise.

        What was decided part by part is not held at first: it is written to a private place, and judged there.
        """
        if not self._decision.generalization.in_memory and not self.evidence:
            with TemporaryDirectory(prefix="antifaz-") as folder:
                self.save(Path(folder) / "release", "parquet")
            del self.evidence["released"]
            return
        with self._progress.step("apply", Message("progress.recoding")):
            table = self._applied.collect()
        with self._progress.step("verify", Message("progress.counting-again")):
            self.evidence = self._evidence(*self._admit(table))
        self.evidence |= self._cost()
        self._checked, self._frame = table, None

    def save(
        self, folder: str | Path, format: str = "csv", *, table: str | None = None, schema: str | None = None,
        replace: bool = False, ledger: Ledger | LedgerCheck | str | Path | None = None, despite: str | None = None,
        language: str = "en", recipient: str | None = None, pdf: bool = False, attacks: int | None = None,
    ) -> str | Path:  # fmt: skip
        """Write data, evidence.json, report.html and record.json into a folder: all of them or none.

        The rows are written to a private place, read back and judged there, and only then moved to the folder. With
        `table`, the rows of a database go to a new table beside their source, or in another schema, instead. With
        `ledger`, the release is checked with the earlier ones in that ledger and registered there; one that breaks k
        together with them raises `LedgerRefused`, unless `despite` gives the reason for making it all the same.

        The report is written in a `language` ("en", "es", "ca") for a named `recipient`, with `pdf` also as report.pdf;
        `attacks` says how many attempts each attack makes on the release, 0 for none.
        """
        report = report_of(language=language, recipient=recipient, pdf=pdf, attacks=attacks)
        check = check_with(ledger, self._plan.name, despite)
        with ExitStack() as stack:
            stage: Stage = stack.enter_context(self._data.staging(folder) or staging(Path(folder)))
            if table is not None:
                stage = stack.enter_context(self._data.into_table(stage, table, schema=schema, replace=replace))
            told, _ = self.write(stage, format, check, report)
            with self._progress.step("publish", Message("progress.publishing")), registered([check], [folder]):
                stage.publish()
        self.evidence = told
        return folder if "://" in str(folder) else Path(folder)

    def write(
        self, stage: Stage, format: str = "csv", check: LedgerCheck | None = None, report: Report | None = None
    ) -> tuple[dict[str, Any], Any]:
        """Write everything to a private place and judge it there, for whoever publishes it; return evidence and rows.

        The rows are where the auditor finds them again. A check looks the release up in its ledger.
        """
        wanted = report or Report()
        if wanted.pdf:
            require_pdf()
        with self._progress.step("write", Message("progress.writing")):
            written = self._applied.write(stage.folder, format)
        with self._progress.step("verify", Message("progress.verifying")):
            counted, verdicts = self._admit(written.path, fingerprint=written.fingerprint)
            told = self._evidence(counted, verdicts) | {"released": self._described(written.path, counted)}
        with self._progress.step("attacks", Message("progress.attacking")):
            told |= declared(told, self._plan, self._original, written.path, self._recoding, wanted)
        told["report"] = wanted.told()
        if check is not None:
            with self._progress.step("ledger", Message("progress.checking-ledger")):
                told["ledger"] = check.refuse(check.examine(self.new_release()))
            told["warnings"] = [*told["warnings"], *ledger_warnings(told["ledger"])]
        told |= self._cost()
        with self._progress.step("publish", Message("progress.writing-evidence")):
            stage.write_text("evidence.json", json.dumps(told, indent=2, ensure_ascii=False) + "\n")
            self._write_report(stage, told, wanted)
            kept = record(told, controller=dict(self._plan.controller or {}), seed=self._plan.seed)
            stage.write_text("record.json", json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
        return told, written.path

    @property
    def _recoding(self) -> Recoding | None:
        """What values became, where a method decided."""
        return self._decision.recoding

    @staticmethod
    def _write_report(stage: Stage, told: dict[str, Any], wanted: Report) -> None:
        stage.write_text("report.html", report_html(told, wanted.language))
        if wanted.pdf:
            stage.write_bytes("report.pdf", report_pdf(told, wanted.language))

    def new_release(self) -> NewRelease:
        """Return what a ledger must know of this release."""
        plan = self._plan
        return NewRelease(
            project=plan.name,
            k=plan.k,
            light=plan.light,
            models=plan.models,
            quasi_identifiers=plan.quasi_identifiers,
            identifiers=plan.schema.of(Role.IDENTIFIER),
            sensitive=plan.schema.of(Role.SENSITIVE),
            changed=frozenset({*plan.operations, *(name for each in plan.perturbed for name in each["columns"])}),
            data=self._data,
            applied=self._applied,
        )

    def _admit(self, place: Any, **more: Any) -> tuple[Any, Any]:
        sizes = self._decision.generalization.sizes
        expected = {"rows": int(sizes.sum()), "columns": self._applied.columns, "sizes": sizes, **more}
        expected["labels"] = self._decision.recoding.released_labels()
        auditor, plan = self._data.auditor(), self._plan
        if plan.hardened:
            expected["refusal"] = not_by_chance
        return admit(auditor, place, plan.models, plan.quasi_identifiers, expected, self._reference)

    def _described(self, place: Any, counted: Any) -> dict[str, Any]:
        described = self._data.auditor().describe(place)
        return described | {"rows": counted.rows, "columns": list(counted.columns)}

    def _evidence(self, counted: Any, verdicts: Any) -> dict[str, Any]:
        plan = self._plan
        respelled = [
            Message("note.spellings-unified", number=number, name=name) for name, number in self._respelled.items()
        ]
        told = evidence(
            name=plan.name,
            schema=plan.schema,
            method=plan.method,
            decision=self._decision,
            counted=counted,
            verdicts=verdicts,
            before=self._before,
            k=plan.k,
            warnings=[*plan.warnings, *self._decision.warnings],
            notes=[*self._data.notes, *respelled, *_filled(self._filled)],
            rows=self._data.rows,
            hardened=plan.hardened,
        )
        return with_operations(told, operation_evidence(plan.operations), plan.perturbed, removed=plan.identifiers)

    def _cost(self) -> dict[str, Any]:
        seconds = {step: round(spent, 4) for step, spent in self._progress.seconds.items()}
        return {"seconds": seconds, "peak_memory_bytes": peak_memory()}


def _filled(filled: FilledFrequencies) -> list[str]:
    """Say what was done about missing values."""
    told = [
        Message("note.missing-values-filled", number=number, name=name)
        for name, number in filled.filled.items()
        if number
    ]
    if filled.dropped:
        told.append(Message("note.missing-values-left-out", dropped=filled.dropped))
    return told
