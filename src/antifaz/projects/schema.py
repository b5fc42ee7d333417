"""The JSON Schema of project files, made from the declarations."""

from __future__ import annotations

from typing import Any

from antifaz.core.declaration import Declared
from antifaz.hierarchies import BUILDERS
from antifaz.methods import METHODS
from antifaz.privacy import MODELS
from antifaz.projects.project import Project


def project_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every project file satisfies."""
    schema = Project.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "antifaz project file, version 1"
    shared = schema.setdefault("$defs", {})
    privacy = [_named(model, "model", shared) for model in MODELS]
    methods = [_named(method, "name", shared) for method in METHODS]
    schema["properties"]["privacy"]["items"] = {"oneOf": privacy}
    schema["properties"]["method"] = {"oneOf": methods, "description": "How to get there."}
    builders = [_builder(builder, shared) for builder in BUILDERS]
    tree = {"type": "object", "required": ["value"], "properties": {"value": {}, "children": {"type": "array"}}}
    given = {"type": "string", "description": "A hierarchy file, relative to the project file."}
    shared["Attribute"]["properties"]["hierarchy"] = {"anyOf": [*builders, tree, given, {"type": "null"}]}
    return schema


def _named(declared: type[Declared], key: str, shared: dict[str, Any]) -> dict[str, Any]:
    """The schema of one declaration whose name stands under `key`."""
    part = _parameters(declared, shared)
    part["properties"] = {key: {"const": declared.name}, **part["properties"]}
    part["required"] = [key, *part.get("required", [])]
    return part


def _builder(declared: type[Declared], shared: dict[str, Any]) -> dict[str, Any]:
    """A hierarchy is said by its builder's name, whose value is the builder's main parameter."""
    part = _parameters(declared, shared)
    main = part["properties"].pop(declared.primary, {"const": True})
    part["properties"] = {declared.name: main, **part["properties"], "suppression": {"type": "boolean"}}
    part["required"] = [declared.name, *(key for key in part.get("required", []) if key != declared.primary)]
    return part


def _parameters(declared: type[Declared], shared: dict[str, Any]) -> dict[str, Any]:
    part = declared.model_json_schema(ref_template="#/$defs/{model}")
    shared.update(part.pop("$defs", {}))
    part["properties"] = dict(part.get("properties", {}))
    part["title"], part["description"] = declared.name, declared.summary
    return part
