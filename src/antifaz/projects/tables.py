"""Several tables in one project: what the file says of each, and what they share."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from antifaz.core.errors import ProjectError, hint
from antifaz.projects.loaded_project import LoadedFile, LoadedProject
from antifaz.projects.project import PARTS, AnyProject, Attribute, PeopleOptions, ProjectPart, SurveyOptions
from antifaz.projects.yaml_file import Document, Place, checked, read_yaml
from antifaz.proposals.presets import PresetChoice, PresetName
from antifaz.releases.atomic import RELEASE_FILE

#: A table's name is also the name of the folder of its release.
_FOLDER = re.compile(r"\w[\w .-]*", re.ASCII)
#: What only the whole has; all else that stands beside `tables` holds for every table that does not say otherwise.
_OF_THE_WHOLE = ("tables", "repeated")
#: What a table lays over what the project says, key by key.
_LAID_OVER = ("source", "release")


class ProjectTable(ProjectPart):
    """One of several tables: all that it does not say is as the project says."""

    kind: Literal["complete", "light"] | None = Field(default=None, description="As the project's, for this table.")
    source: dict[str, Any] = Field(
        default_factory=dict, description="Where its rows are: laid over the project's source, key by key."
    )
    attributes: dict[str, Attribute] = Field(
        default_factory=dict, description="The columns; see `others` for those not named."
    )
    sample: float | None = Field(default=None, gt=0, description="Draw rows at random first: a share, or so many.")
    people: PeopleOptions = PeopleOptions()
    survey: SurveyOptions = SurveyOptions()
    preset: PresetName | PresetChoice | None = Field(default=None, description="The rule that its report judges.")
    perturbation: tuple[dict[str, Any], ...] = Field(default=(), description="What is done to columns together.")
    privacy: tuple[dict[str, Any], ...] | None = Field(default=None, description="What must hold of its release.")
    method: dict[str, Any] | None = Field(default=None, description="How to get there.")
    release: dict[str, Any] = Field(
        default_factory=dict, description="Such as the table that its rows go to; laid over the project's release."
    )


class Repeated(ProjectPart):
    """An attribute that several tables have: it gets one mapping everywhere, so that joins still hold."""

    name: str = Field(min_length=1, description="What the attribute is called in the evidence.")
    columns: dict[str, str] = Field(min_length=2, description="Per table the column that holds it.")
    operation: Any = Field(
        default=None, description="What is done to its values, in every table alike: an operation, or a list of them."
    )
    hierarchy: Any = Field(default=None, description="What its values generalize to, as a quasi-identifier.")


class SeveralTables(AnyProject):
    """A project file of several tables, read and understood."""

    source: dict[str, Any] = Field(default_factory=dict, description="What the tables' sources share, such as a url.")
    tables: dict[str, ProjectTable] = Field(min_length=1, description="The tables by name; each has a folder.")
    repeated: tuple[Repeated, ...] = Field(default=(), description="Attributes that several tables have.")
    privacy: tuple[dict[str, Any], ...] | None = Field(default=None, description="For tables that say nothing else.")
    method: dict[str, Any] | None = Field(default=None, description="For tables that say nothing else.")
    preset: PresetName | PresetChoice | None = Field(
        default=None, description="The rule that the report of each table judges, unless the table names another."
    )


class LoadedTables(LoadedFile):
    """A project of several tables: one project per table, each with the lines it came from."""

    def __init__(self, document: Document) -> None:
        """Check the whole, then every table as a project of its own."""
        super().__init__(document)
        self.project = checked(SeveralTables, document, PARTS | {"tables": ProjectTable, "repeated": Repeated})
        self._check_names()
        self._check_repeated()
        self.tables = {name: LoadedProject(self._table(name)) for name in self.project.tables}
        self._check_targets()

    def where(self, i: int, key: str = "name") -> str:
        """Return the place of a repeated attribute in the file."""
        return self._document.where(("repeated", i, key))

    def _check_names(self) -> None:
        if self.project.release.table is not None:
            where = self._document.where(("release", "table"))
            raise ProjectError("project.release-table-of-several", where=where)
        seen: dict[str, str] = {}
        for name in self.project.tables:
            where = self._document.where(("tables", name))
            if not _FOLDER.fullmatch(name) or RELEASE_FILE.fullmatch(name):
                raise ProjectError("project.table-name-not-a-folder", where=where)
            if seen.setdefault(name.casefold(), name) != name:
                raise ProjectError("project.tables-share-folder", where=where, name=name, seen=seen[name.casefold()])

    def _check_targets(self) -> None:
        """Refuse tables in a database that is a file: one connection at a time writes there, and each table has one."""
        for name, loaded in self.tables.items():
            url = loaded.project.release.url or loaded.project.source.url or ""
            if loaded.project.release.table and url.partition(":")[0] in ("sqlite", "duckdb") and len(self.tables) > 1:
                where = self._document.where(("tables", name, "release", "table"))
                raise ProjectError("project.several-tables-into-one-file", where=where)

    def _check_repeated(self) -> None:
        names: set[str] = set()
        taken: dict[tuple[str, str], str] = {}
        for i, attribute in enumerate(self.project.repeated):
            if attribute.name in names:
                raise ProjectError("project.repeated-of-one-name", place=self.where(i), what=attribute.name)
            names.add(attribute.name)
            for table, column in attribute.columns.items():
                if table not in self.project.tables:
                    near = hint(table, self.project.tables)
                    raise ProjectError("project.unknown-table", place=self.where(i, "columns"), table=table, near=near)
                if taken.setdefault((table, column), attribute.name) != attribute.name:
                    about = {"table": table, "column": column, "taken": taken[table, column]}
                    raise ProjectError("project.column-repeated-already", place=self.where(i, "columns"), **about)

    def _table(self, name: str) -> Document:
        """Return one table as a document of its own, in which every key has the place it has in the file."""
        whole, marks = self._document.data, self._document.marks
        own = dict(whole["tables"][name] or {})
        shared = {key: value for key, value in whole.items() if key not in _OF_THE_WHOLE}
        if own.get("kind", shared.get("kind")) == "light":
            for key in ("privacy", "hardened"):
                shared.pop(key, None)  # said for the other tables
        data = {**shared, **own, "name": f"{self.project.name}: {name}"}
        for key in _LAID_OVER:
            if key in shared or key in own:
                data[key] = {**(shared.get(key) or {}), **(own.get(key) or {})}
        data["attributes"] = {column: dict(entry or {}) for column, entry in (own.get("attributes") or {}).items()}
        places: dict[Place, tuple[int, int]] = {
            place: mark
            for place, mark in marks.items()
            if place and place[0] not in _OF_THE_WHOLE and (place[0] not in own or place[0] in _LAID_OVER)
        }
        places |= {place[2:]: mark for place, mark in marks.items() if place[:2] == ("tables", name)}
        for i, repeated in enumerate(self.project.repeated):
            if name in repeated.columns:
                self._lay_over(data["attributes"], places, i, repeated.columns[name])
        return Document(self._document.path, data, places)

    def _lay_over(
        self, attributes: dict[str, dict[str, Any]], places: dict[Place, tuple[int, int]], i: int, column: str
    ) -> None:
        repeated = self._document.data["repeated"][i]
        attribute = attributes.setdefault(column, {})
        places.setdefault(("attributes", column), self._document.marks.get(("repeated", i, "columns"), (1, 1)))
        for key in ("operation", "hierarchy"):
            # Hierarchies are compared later; of operations, each table's would have secrets of its own.
            if attribute.get(key) is not None and (key == "operation" or repeated.get(key) is not None):
                raise ProjectError("project.repeated-said-twice", place=self.where(i, key), key=key, column=column)
            if repeated.get(key) is None:
                continue
            attribute[key] = repeated[key] if key == "hierarchy" else _joined(repeated[key], repeated["name"])
            places |= {
                ("attributes", column, key, *place[3:]): mark
                for place, mark in self._document.marks.items()
                if place[:3] == ("repeated", i, key)
            }


def _joined(operation: Any, name: str) -> Any:
    """Return operations as said, those that keep columns apart told that these belong together."""
    from antifaz.methods.operations.mask import OPERATIONS

    if isinstance(operation, list):
        return [_joined(each, name) for each in operation]
    if not isinstance(operation, Mapping) or operation.get("name") not in OPERATIONS.names:
        return operation  # whoever reads it says what is wrong
    declared = OPERATIONS[str(operation["name"])]
    by_table = operation.get("table") is not None  # a table of values is the same for all as it is
    return {"joins": name, **operation} if "joins" in declared.model_fields and not by_table else operation


def loaded(document: Document) -> LoadedProject | LoadedTables:
    """Check a project that was parsed, of one table or of several."""
    several = isinstance(document.data, Mapping) and "tables" in document.data
    return LoadedTables(document) if several else LoadedProject(document)


def read_project(path: str | Path) -> LoadedProject | LoadedTables:
    """Read and check a project file, of one table or of several."""
    return loaded(read_yaml(Path(path)))
