"""The two JSON objects that describe a run of SparkTPTDS: read, checked, and published as JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from antifaz.core.errors import HierarchyError, ProjectError, hint
from antifaz.core.messages import Message
from antifaz.hierarchies.tree import Tree

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
#: What pydantic calls things, in the words of people who write JSON.
_WORDS = {
    "tuple_type": "a list",
    "string_": "text",
    "int_": "a whole number",
    "bool_": Message("expected.true-or-false"),
}
_LISTS = ("attributes_to_remove", "sensitive_attributes", "categorical_attributes", "continous_attributes")


class DataInformation(BaseModel):
    """What `data_information` holds, under the keys of the document (`continous_attributes` is spelled so there)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    attributes_to_remove: tuple[str, ...] = Field(strict=False, description="Columns that are not released.")
    sensitive_attributes: tuple[str, ...] = Field(
        strict=False, min_length=1, description="Columns that make up the sensitive value, taken together as a tuple."
    )
    categorical_attributes: tuple[str, ...] = Field(
        strict=False, description="Quasi-identifiers that are categories; each has a tree in categorical_trees."
    )
    continous_attributes: tuple[str, ...] = Field(
        strict=False, description="Quasi-identifiers that are numbers; their trees are made from the data."
    )
    dataset_missing_values: bool = Field(
        description="Whether values are missing ('?' or empty): then filled with the attribute's most frequent one."
    )
    save_anonymization_result: bool = Field(description="Whether the release is written, or only returned.")
    result_file_name: str = Field(
        min_length=1, pattern=r"^[^/\\]+$", description="The name of the result; k and the date of the run are added."
    )
    partitions: int = Field(ge=1, description="How many parts the first phase works on; 1 means a single phase.")
    file_path: str = Field(min_length=1, description="The data: CSV or JSON, relative to this file.")

    @model_validator(mode="after")
    def _one_role(self) -> Self:
        named = [(name, key) for key in _LISTS for name in getattr(self, key)]
        first: dict[str, str] = {}
        for name, key in named:
            if name in first:
                raise ProjectError("data-information.named-twice", name=name, first=first[name], key=key)
            first[name] = key
        if not self.categorical_attributes and not self.continous_attributes:
            raise ProjectError("data-information.no-attributes")
        return self


def check_information(given: Mapping[str, Any]) -> DataInformation:
    """Check `data_information`, or say which key is wrong and what was expected."""
    if not isinstance(given, Mapping):
        raise ProjectError("data-information.not-an-object")
    try:
        return DataInformation.model_validate(dict(given))
    except ValidationError as error:
        raise ProjectError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return Message("data-information.unknown-key", key=key, hint=hint(key, DataInformation.model_fields))
    if first["type"] == "missing":
        return Message("data-information.key-needed", key=key)
    expected = first["msg"].removeprefix("Input should be ")
    if first["type"] == "string_pattern_mismatch":
        expected = Message("expected.plain-name")
    elif first["type"] not in ("string_too_short", "too_short"):
        expected = next((words for start, words in _WORDS.items() if first["type"].startswith(start)), expected)
    else:
        expected = "not empty"
    return Message("data-information.key-wrong", key=key, what=expected)


def check_trees(given: Mapping[str, Any], wanted: DataInformation) -> dict[str, Tree]:
    """Check `categorical_trees`: one balanced tree for each categorical attribute, and for nothing else."""
    if not isinstance(given, Mapping):
        raise ProjectError("categorical-trees.not-an-object")
    for name in given:
        if name not in wanted.categorical_attributes:
            near = hint(name, wanted.categorical_attributes)
            raise ProjectError("categorical-trees.unknown-attribute", name=name, near=near)
    trees = {}
    for name in wanted.categorical_attributes:
        if name not in given:
            raise ProjectError("categorical-trees.tree-needed", name=name)
        try:
            trees[name] = Tree(root=given[name])
        except HierarchyError as error:
            raise HierarchyError("categorical-trees.tree-wrong", values=error.values, name=name, error=error) from None
    return trees


def read_object(path: Path, what: str) -> Any:
    """Read a JSON file, or say why it can't be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ProjectError(
            "project.other-file-not-readable", what=what, path=str(path), reason=error.strerror
        ) from None
    except json.JSONDecodeError as error:
        raise ProjectError("project.not-json", file=path.name, line=error.lineno, column=error.colno) from None
    except UnicodeDecodeError:
        raise ProjectError("project.not-utf-8", file=path.name) from None


def data_information_schema() -> dict[str, Any]:
    """Return the JSON Schema of `data_information`."""
    return {"$schema": _DRAFT, **DataInformation.model_json_schema(), "title": "data_information"}


def categorical_trees_schema() -> dict[str, Any]:
    """Return the JSON Schema of `categorical_trees`; that trees are balanced is checked beyond it."""
    node = {
        "type": "object",
        "properties": {
            "value": {"type": ["string", "number"], "description": "The label; at a leaf, a value of the data."},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "description": "Leaves have none."},
        },
        "required": ["value"],
        "additionalProperties": False,
    }
    return {
        "$schema": _DRAFT,
        "title": "categorical_trees",
        "description": "Per categorical attribute its tree; all leaves at one depth, no value twice in a level.",
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/node"},
        "$defs": {"node": node},
    }
