"""Anonylitics's JSON project (its Figures 17–19): checked, published as a JSON Schema, and made a project file of ours.

Everything is taken over, or refused by its key.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import quote

import yaml
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from antifaz.core.errors import AntifazError, InputError, ProjectError, hint
from antifaz.core.files import write_text
from antifaz.core.messages import Message
from antifaz.projects.tables import loaded
from antifaz.projects.yaml_file import Document, Place, first_problem, known_keys, parse_yaml, read_yaml

M = TypeVar("M", bound=BaseModel)

#: What pydantic calls things, in the words of people who write JSON.
_WORDS = {
    "list_type": "a list", "dict_type": Message("expected.object"), "model_type": Message("expected.object"),
    "model_attributes_type": Message("expected.object"), "string_type": "text", "int_": "a whole number",
    "float_": "a number", "bool_": Message("expected.true-or-false"), "string_too_short": "not empty",
    "too_short": "not empty",
}  # fmt: skip


def _plain(text: object) -> object:
    """Return a word without accents and capitals, which people leave out."""
    if not isinstance(text, str):
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text.strip()) if not unicodedata.combining(c)).casefold()


def _one_of(*words: str) -> BeforeValidator:
    known = {_plain(word): word for word in words}
    return BeforeValidator(lambda given: known.get(_plain(given), given))


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


_Name = Annotated[str, Field(min_length=1)]


class Pair(_Part):
    """One line of a substitution: Figure 17 calls the first value `initial_val`, Figure 18 `origin_val`."""

    original: str = Field(
        validation_alias=AliasChoices("origin_val", "initial_val"), description="The value in the data."
    )
    target_val: str = Field(description="What takes its place.")


class Level(_Part):
    """What one value becomes at one level of its hierarchy."""

    level: int = Field(ge=0, description="The number of the level.")
    value: str = Field(description="The value at that level.")


class AnonyliticsOperation(_Part):
    """What is done with a column."""

    name: Annotated[
        Literal["Sustituir", "Suprimir", "Generalizar", "Cifrar", "N/A"],
        _one_of("Sustituir", "Suprimir", "Generalizar", "Cifrar", "N/A"),
    ] = Field(description="Substitute, suppress, generalize, encrypt, or nothing.")
    parametrization: list[Any] = Field(
        default_factory=list,
        description="Of Sustituir: pairs of values; of Generalizar: per value its labels, level by level.",
    )


class AnonyliticsColumn(_Part):
    """One column of a table."""

    column_name: _Name = Field(description="The column.")
    data_type: Annotated[Literal["Numérico", "Categórico"], _one_of("Numérico", "Categórico")] = Field(
        description="Numbers or categories."
    )
    attribute_type: Annotated[
        Literal["Identificador", "Sensible", "Cuasi-identificador", "Común"],
        _one_of("Identificador", "Sensible", "Cuasi-identificador", "Común"),
    ] = Field(description="The role.")
    keep_data_type: bool = Field(default=False, description="Whether a number must stay a number.")
    operation: AnonyliticsOperation | None = Field(default=None, description="What is done with the column.")


class AnonyliticsTable(_Part):
    """One table, and where its release goes."""

    table_name: _Name = Field(description="The table.")
    table_schema: str | None = Field(default=None, description="The schema it is in.")
    anonymized_table_name: str | None = Field(default=None, description="The table of the release.")
    anonymized_table_schema: str | None = Field(default=None, description="The schema of the release.")
    columns: list[AnonyliticsColumn] = Field(strict=False, min_length=1, description="The columns.")


class Connection(_Part):
    """The database that the tables are in."""

    ip: _Name = Field(description="The server.")
    port: int = Field(ge=1, le=65535, description="Its port; it also says which kind of database it is.")
    database: _Name = Field(description="The database.")
    username: _Name = Field(description="The user.")
    password: str | None = Field(default=None, description="The password; it is not taken over.")


class ColumnOf(_Part):
    """A column of a table."""

    column_name: _Name = Field(description="The column.")
    table_name: _Name = Field(description="The table it is in.")


class Principle(_Part):
    """A privacy model with its value."""

    principle_name: Annotated[Literal["k-anonymity", "t-closeness"], _one_of("k-anonymity", "t-closeness")] = Field(
        description="The model."
    )
    principle_value: float = Field(strict=False, description="Its k or t.")


class AnonyliticsProject(_Part):
    """What the file holds, under the keys of the document."""

    user: str | None = Field(default=None, description="Who made the project.")
    project_name: _Name = Field(description="What the project is called.")
    anonymization_type: Annotated[Literal["Completa", "Ligera"], _one_of("Completa", "Ligera")] = Field(
        description="With privacy models, or operations only."
    )
    connection: Connection = Field(description="Where the tables are.")
    tables: list[AnonyliticsTable] = Field(strict=False, min_length=1, description="The tables.")
    repeated_attributes: list[list[ColumnOf]] = Field(
        default_factory=list, description="Columns that are the same attribute in several tables."
    )
    principles: list[Principle] = Field(default_factory=list, description="What must hold.")


_PARTS: dict[str, type[BaseModel]] = {
    "connection": Connection, "tables": AnonyliticsTable, "columns": AnonyliticsColumn,
    "operation": AnonyliticsOperation, "repeated_attributes": ColumnOf, "principles": Principle,
}  # fmt: skip


def checked(model: type[M], given: Any, document: Document, place: Place) -> M:
    """Check one part of the file, which stands at `place`."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        kind, own, expected = first_problem(error, _WORDS)
    # 'origin_val' may also be called 'initial_val'; what stands in the place of an error has one name.
    key, where = ".".join(map(str, (*place, *own))), document.where((*place, *own))
    if kind == "extra_forbidden":
        near = hint(str(own[-1]), known_keys(model, own, _PARTS))
        raise ProjectError("project.unknown-key-of-format", where=where, key=key, hint=near)
    if kind == "missing":
        raise ProjectError("project.key-needed", where=where, key=key)
    raise ProjectError("project.key-of-format-wrong", where=where, key=key, what=expected)


def anonylitics_schema() -> dict[str, Any]:
    """Return the JSON Schema of the format; what `parametrization` holds depends on the operation's name."""
    schema = AnonyliticsProject.model_json_schema(by_alias=True)
    shared = schema["$defs"]
    pair = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("origin_val", "initial_val", "target_val")},
        "required": ["target_val"],
        "oneOf": [{"required": ["origin_val"]}, {"required": ["initial_val"]}],
        "additionalProperties": False,
    }
    shared["Level"] = Level.model_json_schema()
    levels = {"type": "object", "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/Level"}}}
    shared["AnonyliticsOperation"]["properties"]["parametrization"]["items"] = {"anyOf": [pair, levels]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Anonylitics project"}


# -- from that format to ours

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
        made |= {"kind": KINDS[given.anonymization_type], "source": {"url": self._url()}}
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
            made |= self._wanted(table)
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

    def _wanted(self, table: AnonyliticsTable) -> dict[str, Any]:
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
