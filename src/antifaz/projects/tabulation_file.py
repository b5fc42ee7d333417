"""The file that describes tables of counts and sums of one data set: made, and attacked, together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from antifaz.core.errors import AntifazError, ProjectError
from antifaz.core.language import Language
from antifaz.hierarchies import flat, parse
from antifaz.projects.project import ProjectPart, ProjectSource
from antifaz.projects.yaml_file import Document, Place, checked, read_yaml
from antifaz.tabulation import CellSuppression, protection_of, rules_of
from antifaz.tabulation.cell_counts import TabulationRequest

#: A table's name is also the name of its folder.
_FOLDER = re.compile(r"\w[\w-]*", re.ASCII)


class TableOfCounts(ProjectPart):
    """One of the tables."""

    by: tuple[str, ...] | dict[str, Any] = Field(
        min_length=1, description="The columns to count by; or each with its hierarchy, whose labels become subtotals."
    )
    sum: str | None = Field(default=None, description="The column to sum; else records, or people, are counted.")
    rules: tuple[dict[str, Any], ...] | None = Field(default=None, description="Its own rules, instead of the file's.")


class TablesTarget(ProjectPart):
    """Where the tables go."""

    path: str = Field(default="out/", description="The folder, relative to the file; each table has one in it.")
    format: Literal["csv", "parquet"] = Field(default="csv", description="How the cells are written.")
    to: str | None = Field(default=None, min_length=1, max_length=200, description="Who gets them; else drafts.")


class TabulationFile(ProjectPart):
    """Tables of counts and sums of one data set."""

    antifaz: Literal[1] = Field(description="The version of this format.")
    kind: Literal["tables"] = Field(description="That these are tables of counts and sums.")
    name: str = Field(default="tables", description="What they are called together.")
    source: ProjectSource
    types: dict[str, str] = Field(default_factory=dict, description="The types of columns that can't be told.")
    person: tuple[str, ...] = Field(default=(), description="The columns that tell people apart: they are counted.")
    rules: tuple[dict[str, Any], ...] = Field(default=(), description="What makes a cell sensitive, by `rule`.")
    protection: dict[str, Any] = Field(
        default_factory=lambda: {"name": CellSuppression.name}, description="How the cells of all tables are protected."
    )
    tables: dict[str, TableOfCounts] = Field(min_length=1, description="The tables by name.")
    release: TablesTarget = TablesTarget()
    dataset: str | None = Field(default=None, description="What the data set is called in the ledger.")
    language: Language = Field(default="en", description="The language of the reports.")
    seed: int | None = Field(default=None, description="Makes random rounding repeatable.")


class LoadedTabulation:
    """The file, read and understood; errors say the line."""

    def __init__(self, document: Document) -> None:
        """Check the whole and make every part."""
        self._document = document
        parts: dict[str, type[BaseModel]] = {"source": ProjectSource, "release": TablesTarget, "tables": TableOfCounts}
        self.file = checked(TabulationFile, document, parts)
        self.folder = document.path.resolve().parent
        for name in self.file.tables:
            if not _FOLDER.fullmatch(name):
                raise ProjectError("project.table-name-not-a-folder", where=document.where(("tables", name)))
        self.requests = [self._at(("tables", name), name) for name in self.file.tables]

    def _at(self, place: Place, name: str) -> TabulationRequest:
        try:
            return self._request(name)
        except AntifazError as error:
            raise ProjectError("project.in-file", file=self._document.where(place), error=error) from None

    def _request(self, name: str) -> TabulationRequest:
        file, table = self.file, self.file.tables[name]
        rules = file.rules if table.rules is None else table.rules
        by = table.by if isinstance(table.by, dict) else dict.fromkeys(table.by)
        protection = dict(file.protection)
        if isinstance(protection.get("key"), str):
            protection["key"] = self.folder / protection["key"]
        request = TabulationRequest(
            dimensions={column: flat() if own is None else parse(own, self.folder) for column, own in by.items()},
            measure=table.sum, person=file.person, rules=tuple(rules_of(rules)),
            protection=protection_of(protection), seed=file.seed, name=name,
        )  # fmt: skip
        request.check()
        return request


def load_tabulation(path: Path) -> LoadedTabulation:
    """Read and check a file of tables."""
    return LoadedTabulation(read_yaml(path))
