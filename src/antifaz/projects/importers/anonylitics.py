"""Anonylitics's JSON project made a project file of ours: everything is taken over, or refused by its key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from antifaz.core.errors import AntifazError, InputError, ProjectError
from antifaz.core.files import write_text
from antifaz.core.messages import Message
from antifaz.projects.importers.anonylitics_format import (
    AnonyliticsColumn,
    AnonyliticsOperation,
    AnonyliticsProject,
    AnonyliticsTable,
    Level,
    Pair,
    checked,
)
from antifaz.projects.tables import loaded
from antifaz.projects.yaml_file import Document, Place, parse_yaml, read_yaml

ROLES = {
    "Identificador": "identifier", "Sensible": "sensitive", "Cuasi-identificador": "quasi-identifier",
    "Común": "insensitive",
}  # fmt: skip
KINDS = {"Completa": "complete", "Ligera": "light"}
#: The format does not say which kind of database it is; the usual ports do.
DIALECTS = {3306: "mariadb", 5432: "postgresql"}


@dataclass
class Imported:
    """A project file's text, and what whoever runs it should know."""

    text: str = ""
    notes: list[str] = field(default_factory=list)


def import_project(path: str | Path, *, dialect: str | None = None) -> Imported:
    """Read the JSON project and return the project file; `dialect` says the kind of database where the port is mute."""
    path = Path(path)
    return import_document(read_yaml(path), dialect=dialect)


def is_anonylitics(data: Any) -> bool:
    """Say whether data is a project of that format and not one of ours."""
    return isinstance(data, Mapping) and "antifaz" not in data and {"project_name", "anonymization_type"} <= set(data)


def import_document(document: Document, *, dialect: str | None = None) -> Imported:
    """Return the project file of a JSON project that was read."""
    path = document.path
    if not isinstance(document.data, dict):
        raise ProjectError("project.not-a-foreign-project", file=path.name)
    reader = _Reader(document, checked(AnonyliticsProject, document.data, document, ()), dialect)
    made = reader.project()
    notes = "".join(f"# {note}\n" for note in reader.notes)
    body = yaml.safe_dump(made, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)
    text = f"# Imported from {path.name}.\n{notes}{body}"
    try:
        loaded(parse_yaml(text, path.with_name("project.yaml")))  # what does not load is not written
    except AntifazError as error:
        raise ProjectError("project.not-taken-over", file=path.name, error=error) from None
    return Imported(text, reader.notes)


class _Reader:
    """Takes a checked project over, key by key."""

    def __init__(self, document: Document, given: AnonyliticsProject, dialect: str | None) -> None:
        self.document, self.given, self.dialect = document, given, dialect
        self.light = given.anonymization_type == "Ligera"
        self.notes: list[str] = []
        self._key_noted = False

    def project(self) -> dict[str, Any]:
        given = self.given
        if self.light and given.principles:
            raise self._refusal(("principles",), Message("import.not-empty-for-light"))
        if not self.light and not given.principles:
            raise self._refusal(("principles",), Message("import.no-principles"))
        made: dict[str, Any] = {"antifaz": 1, "name": given.project_name}
        if given.user:
            made["owner"] = given.user
        # That program releases columns that are not named as they are.
        made |= {"kind": KINDS[given.anonymization_type], "source": {"url": self._url()}, "others": "release"}
        tables = {table.table_name: self._table(i, table) for i, table in enumerate(given.tables)}
        if len(tables) < len(given.tables):
            raise self._refusal(("tables",), Message("import.table-twice"))
        repeated = self._repeated(tables)
        if len(tables) == 1:
            (only,) = tables.values()
            return {**made, **only, "source": {**made["source"], **only["source"]}}
        return {**made, "tables": tables, **({"repeated": repeated} if repeated else {})}

    # The connection

    def _url(self) -> str:
        connection = self.given.connection
        dialect = self.dialect or DIALECTS.get(connection.port)
        if dialect is None:
            raise self._refusal(("connection", "port"), Message("import.unknown-database"))
        if connection.password:
            self.notes.append(Message("import.password-left-out"))
        host = f"[{connection.ip}]" if ":" in connection.ip else connection.ip
        user, database = quote(connection.username, safe=""), quote(connection.database, safe="")
        return f"{dialect}://{user}@{host}:{connection.port}/{database}"

    # Tables and columns

    def _table(self, i: int, table: AnonyliticsTable) -> dict[str, Any]:
        names = [column.column_name for column in table.columns]
        if len(set(names)) < len(names):
            raise self._refusal(("tables", i, "columns"), Message("import.column-twice"))
        made: dict[str, Any] = {"source": _table(table.table_schema, table.table_name)}
        made["attributes"] = {
            column.column_name: self._column(("tables", i, "columns", j), column)
            for j, column in enumerate(table.columns)
        }
        if not self.light:
            made |= self._models_and_method(table)
        if table.anonymized_table_name:
            made["release"] = _table(table.anonymized_table_schema, table.anonymized_table_name)
        elif table.anonymized_table_schema:
            raise self._refusal(("tables", i, "anonymized_table_schema"), Message("import.needs-table-name"))
        return made

    def _column(self, place: Place, column: AnonyliticsColumn) -> dict[str, Any]:
        made: dict[str, Any] = {"role": ROLES[column.attribute_type]}
        if column.data_type == "Categórico":
            made["type"] = "text"
            if column.keep_data_type:
                raise self._refusal((*place, "keep_data_type"), Message("import.operation-for-numbers"))
        operation = column.operation
        if operation is None or operation.name == "N/A":
            return made
        at = (*place, "operation")
        if operation.name == "Generalizar":
            return made | self._generalized(at, column, operation)
        if operation.name == "Sustituir":
            return made | {"operation": self._substituted(at, operation)}
        if operation.parametrization:
            what = Message("import.not-empty-for-operation", operation=operation.name)
            raise self._refusal((*at, "parametrization"), what)
        if operation.name == "Suprimir":
            if made["role"] == "quasi-identifier":
                made["role"] = "insensitive"  # nothing is left by which anybody could be found
            return made | {"operation": {"name": "suppress"}}
        key = f"keys/{self.given.project_name}.key"
        if not self._key_noted:
            self._key_noted = True
            self.notes.append(Message("import.key-elsewhere", key=key))
        return made | {"operation": {"name": "encrypt", "key": key}}

    def _substituted(self, place: Place, operation: AnonyliticsOperation) -> dict[str, Any]:
        if not operation.parametrization:
            return {"name": "substitute", "made": True}
        table: dict[str, str] = {}
        for n, given in enumerate(operation.parametrization):
            at = (*place, "parametrization", n)
            pair = checked(Pair, given, self.document, at)
            if table.setdefault(pair.original, pair.target_val) != pair.target_val:
                raise self._refusal(at, Message("import.second-replacement"))
        return {"name": "substitute", "table": table}

    def _generalized(self, place: Place, column: AnonyliticsColumn, operation: AnonyliticsOperation) -> dict[str, Any]:
        if column.attribute_type != "Cuasi-identificador" or self.light:
            why = Message("import.in-complete-project") if self.light else Message("import.of-quasi-identifier")
            raise self._refusal((*place, "name"), Message("import.generalize-only", why=why))
        if not operation.parametrization:
            return {}
        return {"hierarchy": {"table": self._paths(place, operation.parametrization)}}

    def _paths(self, place: Place, given: Sequence[Any]) -> list[list[str]]:
        """Return one row per value, from the value up: levels are put in order, and each must be there."""
        rows: list[list[str]] = []
        for n, entry in enumerate(given):
            at = (*place, "parametrization", n)
            if not isinstance(entry, Mapping) or not entry:
                raise self._refusal(at, Message("import.replacement-not-an-object"))
            for value, levels in entry.items():
                if not isinstance(levels, list) or not levels:
                    raise self._refusal((*at, value), Message("import.levels-not-a-list"))
                own = [checked(Level, level, self.document, (*at, value, m)) for m, level in enumerate(levels)]
                rows.append([str(value), *self._ascending((*at, value), str(value), own)])
        if len({len(row) for row in rows}) > 1:
            raise self._refusal((*place, "parametrization"), Message("import.levels-of-different-number"))
        top = {row[-1] for row in rows}
        return rows if len(top) == 1 else [[*row, "*"] for row in rows]

    def _ascending(self, place: Place, value: str, levels: Sequence[Level]) -> list[str]:
        by_level = {level.level: level.value for level in levels}
        if len(by_level) < len(levels):
            raise self._refusal(place, Message("import.level-twice"))
        if by_level.get(0) == value:
            del by_level[0]  # level 0 may say the value itself
        first = min(by_level, default=1)
        if first > 1 or sorted(by_level) != list(range(first, first + len(by_level))):
            raise self._refusal(place, Message("import.levels-with-gaps"))
        return [by_level[level] for level in sorted(by_level)]

    # What must hold

    def _models_and_method(self, table: AnonyliticsTable) -> dict[str, Any]:
        """Return the models and the method of one table."""
        qis = [c for c in table.columns if c.attribute_type == "Cuasi-identificador" and not _removed(c)]
        if not qis:
            self.notes.append(Message("import.no-quasi-identifier", table_name=table.table_name))
            return {"kind": "light"}
        sensitive = [c.column_name for c in table.columns if c.attribute_type == "Sensible" and not _removed(c)]
        models: list[dict[str, Any]] = []
        for n, principle in enumerate(self.given.principles):
            value = principle.principle_value
            if principle.principle_name == "k-anonymity":
                if not value.is_integer() or value < 1:
                    raise self._refusal(("principles", n, "principle_value"), Message("import.k-below-1"))
                models.append({"model": "k-anonymity", "k": int(value)})
                continue
            if not 0 <= value <= 1:
                raise self._refusal(("principles", n, "principle_value"), Message("import.t-out-of-bounds"))
            if not sensitive:
                self.notes.append(Message("import.no-sensitive-attribute", table_name=table.table_name))
            models += [{"model": "t-closeness", "t": value, "attribute": name} for name in sensitive]
        if not models:
            raise self._refusal(("principles",), Message("import.needs-k-anonymity", table_name=table.table_name))
        return {"privacy": models, "method": self._method(qis)}

    def _method(self, qis: Sequence[AnonyliticsColumn]) -> dict[str, Any]:
        """Return full-domain where every quasi-identifier has a hierarchy, else the document's Mondrian."""
        numbers = [c for c in qis if c.data_type == "Numérico"]
        keep = [c.column_name for c in numbers if c.keep_data_type]
        of_tree = (c.operation and c.operation.name == "Generalizar" and c.operation.parametrization for c in qis)
        if not keep and all(of_tree):
            return {"name": "full-domain"}
        # One value for all keeps numbers numbers; an interval is text.
        made: dict[str, Any] = {"name": "mondrian", "split": "distribution", "release": "mode" if keep else "interval"}
        if keep and len(keep) < len(numbers):
            made |= {"release": "interval", "release_columns": dict.fromkeys(keep, "mode")}
        return made

    # What tables share

    def _repeated(self, tables: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
        repeated: list[dict[str, Any]] = []
        for n, group in enumerate(self.given.repeated_attributes):
            place: Place = ("repeated_attributes", n)
            columns: dict[str, str] = {}
            for m, one in enumerate(group):
                known = tables.get(one.table_name, {}).get("attributes", {})
                if one.column_name not in known:
                    raise self._refusal((*place, m), Message("import.unknown-column"))
                if one.table_name in columns:
                    raise self._refusal((*place, m), Message("import.two-columns-of-one-table"))
                columns[one.table_name] = one.column_name
            if len(columns) < 2:
                raise self._refusal(place, Message("import.columns-of-one-table"))
            repeated.append(self._shared(place, columns, tables, {each["name"] for each in repeated}))
        return repeated

    def _shared(
        self, place: Place, columns: Mapping[str, str], tables: Mapping[str, dict[str, Any]], taken: set[str]
    ) -> dict[str, Any]:
        """Take the operation and the hierarchy out of the columns, where they must be the same."""
        attributes = [tables[table]["attributes"][column] for table, column in columns.items()]
        name = next(iter(columns.values()))
        made: dict[str, Any] = {"name": name if name not in taken else f"{name} {len(taken) + 1}"}
        made["columns"] = dict(columns)
        for key in ("operation", "hierarchy"):
            values = [attribute.pop(key, None) for attribute in attributes]
            if any(one != values[0] for one in values):
                raise self._refusal(place, Message("import.operations-differ"))
            if values[0] is not None:
                made[key] = values[0]
        return made

    def _refusal(self, place: Place, what: str) -> ProjectError:
        """Say where, which key and what would be right; values of the file may be those of people, and are not told."""
        key = ".".join(str(part) for part in place if part != "")
        if "parametrization" in place:
            key = ".".join(str(part) for part in place[: place.index("parametrization") + 2])
        return ProjectError("project.key-not-taken-over", place=self.document.where(place), key=key, what=what)


def _removed(column: AnonyliticsColumn) -> bool:
    return column.operation is not None and column.operation.name == "Suprimir"


def _table(schema: str | None, table: str) -> dict[str, str]:
    return {"table": table, "schema": schema} if schema else {"table": table}


def write_import(path: str | Path, target: Path, *, dialect: str | None = None, force: bool = False) -> Imported:
    """Import a JSON project into a new file."""
    if target.exists() and not force:
        raise InputError("file.exists-already", project=target.name)
    made = import_project(path, dialect=dialect)
    write_text(target, made.text)
    return made
