"""A release: the decision, applied; its evidence; and its files, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from antifaz.core.progress import Progress
from antifaz.core.randomness import shuffle_key
from antifaz.core.recoding import Recoding
from antifaz.engines.local.apply import Applied, digest
from antifaz.engines.local.columns import columns
from antifaz.engines.local.data import LocalData
from antifaz.engines.local.frames import to_kind
from antifaz.engines.local.write import write
from antifaz.methods.method import Decision
from antifaz.projects.plan import Plan
from antifaz.projects.task import make_task, population
from antifaz.releases.atomic import staging
from antifaz.releases.evidence import describe_file, evidence, peak_memory
from antifaz.releases.gate import admit, known
from antifaz.releases.record import record
from antifaz.releases.report import render


class Release:
    """What `anonymize` returns. It exists only if the privacy asked for was counted in the rows it holds."""

    def __init__(
        self,
        plan: Plan,
        data: LocalData,
        progress: Progress | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        """Count and decide; nothing is applied yet. `limits` are the memory and threads for writing and checking."""
        self._plan, self._data, self._limits = plan, data, dict(limits or {})
        self._progress = progress or Progress()
        self._decide()
        self._frame: Any = None
        #: The evidence document (see the contract); filled when the rows have been counted again.
        self.evidence: dict[str, Any] = {}

    def _decide(self) -> None:
        plan, progress = self._plan, self._progress
        with progress.step("count", "counting distinct combinations"):
            task = make_task(plan, self._data, progress)
            frequencies = task.frequencies
            self._before = frequencies.counts
            self._respelled = {domain.column: domain.respelled for domain in frequencies.domains if domain.respelled}
        with progress.step("decide", "looking for the least lossy way"):
            self._decision: Decision = plan.method.decide(task)
            original = columns(self._data, plan.sensitive)
            self._known = known(original, plan.sensitive, plan.trees(frequencies), self._people())
        decided = self._decision.recoding
        with progress.step("apply", "preparing the rows"):
            self._applied = Applied(
                data=self._data,
                recoding=replace(decided, dropped=plan.identifiers),
                key=shuffle_key(plan.seed, digest(self._data)),
            )

    def _people(self) -> Any:
        """The population's quasi-identifiers under the same recoding, for the gate; None where no model asks."""
        people = population(self._plan)
        if people is None:
            return None
        wanted = set(self._plan.quasi_identifiers)
        others = tuple(name for name in people.schema.names if name not in wanted)
        recoding = Recoding(columns=self._decision.recoding.columns, dropped=others)
        with people:
            return Applied(data=people, recoding=recoding, key=0).to_arrow()

    @property
    def frame(self) -> Any:
        """The released rows, as the same kind of object that came in (a pyarrow table for a file)."""
        if self._frame is None:
            self.check()
        return self._frame

    def check(self) -> None:
        """Apply the decision in memory, count the result again and keep it, or raise."""
        with self._progress.step("apply", "recoding the rows"):
            table = self._applied.to_arrow()
        with self._progress.step("verify", "counting the released rows again"):
            self.evidence = self._evidence(*self._admit(table))
        self.evidence |= self._cost()
        self._frame = to_kind(table, self._data.kind)

    def save(self, folder: str | Path, format: str = "csv") -> Path:
        """Write data, evidence.json, report.html and record.json into a folder: all of them or none.

        The rows are written to a private place, read back and judged there, and only then moved to the folder.
        """
        with staging(Path(folder)) as stage:
            with self._progress.step("write", "writing the rows"):
                written = write(self._applied, stage.folder, format, **self._limits)
            with self._progress.step("verify", "reading the file back and counting it"):
                counted, verdicts = self._admit(written.path, fingerprint=written.fingerprint)
                told = self._evidence(counted, verdicts) | {"released": describe_file(written.path, counted)}
            told |= self._cost()
            with self._progress.step("publish", "moving everything into place"):
                _write_text(stage.folder / "evidence.json", json.dumps(told, indent=2, ensure_ascii=False) + "\n")
                _write_text(stage.folder / "report.html", render(told))
                kept = record(told, controller=dict(self._plan.controller or {}), seed=self._plan.seed)
                _write_text(stage.folder / "record.json", json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
                stage.publish()
        self.evidence = told
        return Path(folder)

    def _admit(self, place: Any, **more: Any) -> tuple[Any, Any]:
        sizes = self._decision.generalization.sizes
        expected = {"rows": int(sizes.sum()), "columns": self._applied.columns, "sizes": sizes, **more}
        return admit(place, self._plan.models, self._plan.quasi_identifiers, expected, self._known, **self._limits)

    def _evidence(self, counted: Any, verdicts: Any) -> dict[str, Any]:
        plan = self._plan
        respelled = [f"{number} spellings of {name!r} were unified." for name, number in self._respelled.items()]
        return evidence(
            name=plan.name,
            schema=plan.schema,
            method=plan.method,
            decision=self._decision,
            counted=counted,
            verdicts=verdicts,
            before=self._before,
            k=plan.k,
            warnings=[*plan.warnings, *self._decision.warnings],
            notes=[*self._data.notes, *respelled],
        )

    def _cost(self) -> dict[str, Any]:
        seconds = {step: round(spent, 4) for step, spent in self._progress.seconds.items()}
        return {"seconds": seconds, "peak_memory_bytes": peak_memory()}


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
