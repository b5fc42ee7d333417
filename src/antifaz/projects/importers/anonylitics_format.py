"""Anonylitics's JSON project (its Figures 17–19): what a file holds, checked part by part, and its JSON Schema."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from antifaz.core.errors import ProjectError, hint
from antifaz.core.messages import Message
from antifaz.core.values import without_accents
from antifaz.projects.yaml_file import Document, Place, first_problem, known_keys

M = TypeVar("M", bound=BaseModel)

#: What people who write JSON are told instead of what others are told.
_WORDS = {"dict_type": Message("expected.object"), "model_": Message("expected.object")}


def _plain(text: object) -> object:
    """Return a word without accents and capitals, which people leave out."""
    return without_accents(text.strip()).casefold() if isinstance(text, str) else text


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
