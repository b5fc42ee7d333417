"""What is asked for: a table and all that is wanted of it, as plain values, before the table is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.counting.filling import Way
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.methods.method import Method
from antifaz.pipeline.operations import Operations
from antifaz.privacy import PrivacyModel
from antifaz.reports.report import ReportOptions


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """One table: where it is, what is wanted of it, and where its release goes."""

    name: str
    #: Where the rows are, how they are understood, and which engine works on them with which options.
    source: str | Path
    types: Mapping[str, DataType]
    reading: Mapping[str, Any]
    engine: Mapping[str, Any]
    roles: Mapping[str, Role]
    hierarchies: Mapping[str, HierarchyBuilder]
    models: Sequence[PrivacyModel]
    method: Method
    #: The candidate of full-domain generalization to release, by its levels; the best if None.
    levels: Mapping[str, int] | None
    missing: Mapping[str, Way]
    operations: Operations
    #: Whether operations are all there is.
    light: bool
    hardened: bool
    seed: int | None
    controller: Mapping[str, str] | None
    #: The folder that the release appears in, and what its rows are written as.
    folder: str | Path
    format: str
    #: The table of the source's database that the rows go to: its name, its schema, whether it replaces another.
    table: Mapping[str, Any]
    report: ReportOptions


@dataclass(frozen=True, kw_only=True)
class RepeatedAttribute:
    """An attribute that several tables have: it gets one mapping everywhere, so that joins still hold."""

    name: str
    #: Per table the column that holds it.
    columns: Mapping[str, str]
    #: The names of the operations that are done to it everywhere; None where none is asked for.
    operations: tuple[str, ...] | None
    #: Where the project file speaks of it, and of its operation.
    place: str
    operation_place: str


@dataclass(frozen=True, kw_only=True)
class TablesRequest:
    """Several tables that are released together, or not at all."""

    name: str
    tables: Mapping[str, TableRequest]
    repeated: Sequence[RepeatedAttribute]
    folder: Path
    seed: int | None
    report: ReportOptions
