"""A release: the decision, applied; its evidence; and its files, all or nothing."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from antifaz.core.progress import Progress
from antifaz.core.randomness import shuffle_key
from antifaz.core.recoding import Recoding
from antifaz.counting.filling import Filled
from antifaz.counting.piecewise import Piecewise
from antifaz.engines.engine import Applied, Data, Stage
from antifaz.methods.masking.telling import told_of
from antifaz.methods.method import Decision
from antifaz.projects.plan import Plan
from antifaz.projects.task import fitting, population, prepare
from antifaz.releases.atomic import staging
from antifaz.releases.evidence import evidence, peak_memory, with_operations
from antifaz.releases.gate import admit, known
from antifaz.releases.record import record
from antifaz.releases.report import render


class Release:
    """What `anonymize` returns. It exists only if the privacy asked for was counted in the rows it holds."""

    def __init__(self, plan: Plan, data: Data, progress: Progress | None = None) -> None:
        """Count and decide; nothing is applied yet."""
        self._plan, self._data = plan, fitting(plan, data)
        self._progress = progress or Progress()
        self._decide()
        self._frame: Any = None
        self._checked: Any = None
        #: The evidence document (see the contract); filled when the rows have been counted again.
        self.evidence: dict[str, Any] = {}

    def _decide(self) -> None:
        plan, progress = self._plan, self._progress
        with progress.step("count", "counting distinct combinations"):
            prepared = prepare(plan, self._data, progress)
            task, frequencies = prepared.task, prepared.task.frequencies
            self._before, self._filled = prepared.sizes, prepared.filled
            self._respelled = {domain.column: domain.respelled for domain in frequencies.domains if domain.respelled}
        with progress.step("decide", "looking for the least lossy way"):
            self._decision: Decision = plan.method.decide(task)
            totals = self._data.totals(plan.sensitive)
            self._known = known(totals, plan.trees(frequencies), self._people())
        decided = prepared.complete(self._decision.recoding)
        with progress.step("apply", "preparing the rows"):
            key = shuffle_key(plan.seed, self._data.digest())
            self._applied = self._data.apply(replace(decided, dropped=plan.identifiers), key)

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
        if isinstance(self._decision.generalization, Piecewise) and not self.evidence:
            with TemporaryDirectory(prefix="antifaz-") as folder:
                self.save(Path(folder) / "release", "parquet")
            del self.evidence["released"]
            return
        with self._progress.step("apply", "recoding the rows"):
            table = self._applied.collect()
        with self._progress.step("verify", "counting the released rows again"):
            self.evidence = self._evidence(*self._admit(table))
        self.evidence |= self._cost()
        self._checked, self._frame = table, None

    def save(
        self, folder: str | Path, format: str = "csv", *, table: str | None = None, schema: str | None = None,
        replace: bool = False,
    ) -> str | Path:  # fmt: skip
        """Write data, evidence.json, report.html and record.json into a folder: all of them or none.

        The rows are written to a private place, read back and judged there, and only then moved to the folder. With
        `table`, the rows of a database go to a new table beside their source, or in another schema, instead.
        """
        with ExitStack() as stack:
            stage: Stage = stack.enter_context(self._data.staging(folder) or staging(Path(folder)))
            if table is not None:
                stage = stack.enter_context(self._data.into_table(stage, table, schema=schema, replace=replace))
            told, _ = self.write(stage, format)
            with self._progress.step("publish", "moving everything into place"):
                stage.publish()
        self.evidence = told
        return folder if "://" in str(folder) else Path(folder)

    def write(self, stage: Stage, format: str = "csv") -> tuple[dict[str, Any], Any]:
        """Write everything to a private place and judge it there, for whoever publishes it; return evidence and rows.

        The rows are where the auditor finds them again.
        """
        with self._progress.step("write", "writing the rows"):
            written = self._applied.write(stage.folder, format)
        with self._progress.step("verify", "reading the file back and counting it"):
            counted, verdicts = self._admit(written.path, fingerprint=written.fingerprint)
            told = self._evidence(counted, verdicts) | {"released": self._described(written.path, counted)}
        told |= self._cost()
        with self._progress.step("publish", "writing the evidence"):
            stage.write_text("evidence.json", json.dumps(told, indent=2, ensure_ascii=False) + "\n")
            stage.write_text("report.html", render(told))
            kept = record(told, controller=dict(self._plan.controller or {}), seed=self._plan.seed)
            stage.write_text("record.json", json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
        return told, written.path

    def _admit(self, place: Any, **more: Any) -> tuple[Any, Any]:
        sizes = self._decision.generalization.sizes
        expected = {"rows": int(sizes.sum()), "columns": self._applied.columns, "sizes": sizes, **more}
        expected["labels"] = self._decision.recoding.released_labels()
        auditor, plan = self._data.auditor(), self._plan
        return admit(auditor, place, plan.models, plan.quasi_identifiers, expected, self._known)

    def _described(self, place: Any, counted: Any) -> dict[str, Any]:
        described = self._data.auditor().describe(place)
        return described | {"rows": counted.rows, "columns": list(counted.columns)}

    def _evidence(self, counted: Any, verdicts: Any) -> dict[str, Any]:
        plan = self._plan
        respelled = [f"{number} spellings of {name!r} were unified." for name, number in self._respelled.items()]
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
        )
        return with_operations(told, told_of(plan.operations), plan.perturbed, removed=plan.identifiers)

    def _cost(self) -> dict[str, Any]:
        seconds = {step: round(spent, 4) for step, spent in self._progress.seconds.items()}
        return {"seconds": seconds, "peak_memory_bytes": peak_memory()}


def _filled(filled: Filled) -> list[str]:
    """Say what was done about missing values."""
    told = [
        f"{number:,} missing values of {name!r} were filled in." for name, number in filled.filled.items() if number
    ]
    if filled.dropped:
        told.append(f"{filled.dropped:,} records with missing values were left out.")
    return told
