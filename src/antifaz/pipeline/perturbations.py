"""Perturbations in project files: those of single columns among the operations, and those of several columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.methods.operations.mask import OPERATIONS
from antifaz.methods.operations.operation import Operation, Perturbation
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.sources.frames import column_names


@dataclass(frozen=True, kw_only=True)
class Step:
    """One entry of `perturbation`: what is done to some columns together."""

    perturbation: Perturbation
    columns: tuple[str, ...]


def step_of(said: Mapping[str, Any]) -> Step:
    """Read an entry of `perturbation`."""
    parameters = {str(key): value for key, value in said.items() if key not in ("name", "columns")}
    made = PERTURBATIONS.make(str(said["name"]), parameters)
    names = tuple(column_names(made.name, said["columns"]))
    if not all(isinstance(name, str) for name in names):
        raise ParameterError("columns.not-names", who=made.name)
    return Step(perturbation=made, columns=names)


def treatment_of(name: str, parameters: dict[str, Any]) -> Operation:
    """Make what stands under a column's `operation`: an operation, or a perturbation of that column alone."""
    if name in OPERATIONS.names:
        return OPERATIONS.make(name, parameters)
    if name in PERTURBATIONS.names:
        return PERTURBATIONS.make(name, parameters)
    raise ParameterError("operation.unknown", name=name, hint=hint(name, (*OPERATIONS.names, *PERTURBATIONS.names)))
