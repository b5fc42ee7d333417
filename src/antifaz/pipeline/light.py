"""Light projects: operations on columns and nothing else; and operations as the first step of every project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import shuffle_key
from antifaz.core.recoding import Recoding
from antifaz.core.schema import Schema
from antifaz.core.version import VERSION
from antifaz.engines.engine import Data
from antifaz.methods.operations.operation import operation_evidence, operation_warnings
from antifaz.pipeline.operations import treated
from antifaz.pipeline.plan import Plan, unnamed_warnings
from antifaz.pipeline.release import Release
from antifaz.projects.project import Loaded, within
from antifaz.releases.describe import with_operations
from antifaz.releases.gate import admit

#: Said wherever a light release is told of.
NOT_EVALUATED = Message("warning.light-release")


@contextmanager
def operated(
    loaded: Loaded, opened: Data, seed: int, told: Progress, perturbed: list[dict[str, Any]]
) -> Iterator[Data]:
    """Give the table of a project after its operations; without any it is the table itself.

    What is told of perturbations is added to `perturbed`.
    """
    if not loaded.operations and not loaded.perturbation and loaded.sample is None:
        yield opened
        return
    with told.step("mask", "changing columns"):
        data = treated(loaded, opened, seed, _places(loaded), perturbed)
    with data:
        yield data


def _places(loaded: Loaded) -> list[Path]:
    """The folders of the data and of the release, in which no key may be."""
    source, target = loaded.project.source.path, within(loaded.folder, loaded.project.release.path)
    places = [(loaded.folder / source).parent] if source is not None and "://" not in source else []
    return [*places, *([target] if isinstance(target, Path) else [])]


def light_plan(loaded: Loaded, schema: Schema, seed: int, perturbed: Sequence[Mapping[str, Any]] = ()) -> Plan:
    """Check a light project against the table's columns and return its plan."""
    wanted = loaded.project
    roles = {name: said.role for name, said in wanted.attributes.items()}
    return Plan(
        name=wanted.name,
        schema=schema.with_roles(roles),
        hierarchies={},
        models=(),
        method=loaded.method,
        seed=seed,
        controller=wanted.controller,
        warnings=(NOT_EVALUATED, *unnamed_warnings(schema, roles), *operation_warnings(loaded.operations)),
        operations=loaded.operations,
        perturbed=perturbed,
        light=True,
    )


def release_of(plan: Plan, data: Data, progress: Progress | None = None, original: Data | None = None) -> Release:
    """Return the release that a plan asks for: decided on and judged, or a light one; `original` came before both."""
    return (LightRelease if plan.light else Release)(plan, data, progress, original)


def refuse_light(loaded: Loaded, what: str) -> Loaded:
    """Refuse what makes no sense without a privacy model."""
    if loaded.project.kind == "light":
        raise InputError("plan.light-has-no-models", what=what)
    return loaded


class LightRelease(Release):
    """Rows after operations, in random order, read back; no privacy is evaluated."""

    def _decide(self) -> None:
        with self._progress.step("apply", Message("progress.preparing")):
            key = shuffle_key(self._plan.seed, self._data.digest())
            self._applied = self._data.apply(Recoding(columns=(), dropped=self._plan.identifiers), key)

    @property
    def levels(self) -> dict[str, int]:
        """Nothing is generalized."""
        return {}

    @property
    def _recoding(self) -> Recoding | None:
        return None

    def _admit(self, place: Any, **more: Any) -> tuple[Any, Any]:
        expected = {"rows": self._data.rows, "columns": self._applied.columns, **more}
        return admit(self._data.auditor(), place, (), (), expected)

    def _evidence(self, counted: Any, verdicts: Any) -> dict[str, Any]:
        plan, rows = self._plan, self._data.rows
        attributes = [{"name": c.name, "role": str(c.role), "type": str(c.type)} for c in plan.schema]
        told: dict[str, Any] = {
            "antifaz": 1,
            "project": plan.name,
            "kind": "light",
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": VERSION,
            "rows": {"read": rows, "released": counted.rows, "suppressed": rows - counted.rows},
            "method": {"name": "masking"},
            "privacy": [],
            "evaluated": NOT_EVALUATED,
            "checked_by": Message("note.counted-light"),
            "attributes": attributes,
            "warnings": list(plan.warnings),
            "notes": list(self._data.notes),
        }
        return with_operations(told, operation_evidence(plan.operations), plan.perturbed, removed=plan.identifiers)
