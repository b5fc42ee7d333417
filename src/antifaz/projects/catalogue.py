"""The declarations as data: all that can be chosen, for forms and help, and the JSON Schemas of our documents."""

from collections.abc import Iterable
from typing import Any

from antifaz.core.declaration import Declared
from antifaz.core.language import Language, Words, words
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.engines.dialects import databases
from antifaz.hierarchies import BUILDERS
from antifaz.methods import METHODS
from antifaz.methods.operations.mask import OPERATIONS
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.privacy import MODELS
from antifaz.projects.importers.anonylitics_format import anonylitics_schema
from antifaz.projects.importers.spark_tptds import categorical_trees_schema, data_information_schema
from antifaz.projects.project import Attribute, Project
from antifaz.projects.tables import SeveralTables
from antifaz.proposals.audiences import AUDIENCES
from antifaz.proposals.hipaa import IDENTIFIERS
from antifaz.proposals.presets import PRESETS
from antifaz.releases.criteria import CRITERIA
from antifaz.releases.evidence import evidence_schema
from antifaz.releases.presets import OTHER_CLAUSES
from antifaz.sources.text_options import DOWNLOADS
from antifaz.tabulation import PROTECTIONS, RULES
from antifaz.utility import QUALITIES

#: What a declaration may say it can do or needs.
_CAPABILITIES = (
    "needs_hierarchies", "needs_rows", "numbers_only", "chooses_levels", "tries_others", "wants_sensitive",
    "monotone_generalization", "needs_sensitive",
    "whole_table", "protects", "personal", "needs_order", "draws", "numbers", "by_cell", "needs_data", "needs_target",
    "per_attribute", "needs_rules", "needs_keys", "sums", "omits_hidden",
)  # fmt: skip


def catalogue(language: Language = "en") -> dict[str, Any]:
    """Return roles, types, audiences, rules, and all declarations: models, methods, operations, hierarchies, qualities.

    Titles are in the language asked for where there are words for them; the declarations themselves are English.
    """
    titles = words("reports", language)
    return {
        "roles": [{"name": role.value, "title": _title(role.value), "help": role.help} for role in Role],
        "types": [kind.value for kind in DataType], "formats": list(DOWNLOADS),
        "databases": [
            {"name": name, "title": each.title or each.name, "port": each.port or None}
            for name, each in databases().items()
        ],
        "models": _all(MODELS, titles, "model"),
        "methods": _all(METHODS, titles, "method"), "operations": _all(OPERATIONS, titles, "operation"),
        "perturbations": _all(PERTURBATIONS, titles, "operation"), "hierarchies": _all(BUILDERS, titles, "hierarchy"),
        "qualities": _all(QUALITIES, titles, "quality"), "rules": _all(RULES, titles, "rule"),
        "protections": _all(PROTECTIONS, titles, "protection"),
        "presets": [
            {"name": each.name, "source": each.source, "k": each.k, "audience": each.audience}
            for each in PRESETS.values()
        ],
        "clauses": _clauses(titles),
        "audiences": [{"name": name, "k": limit.k, "risk": limit.risk} for name, limit in AUDIENCES.items()],
    }  # fmt: skip


def _clauses(titles: Words) -> dict[str, str]:
    """Return what the clauses of rules ask, by their keys in evidence."""
    kinds: dict[str, Iterable[str]] = {"criteria": CRITERIA, "hipaa": IDENTIFIERS, "clause": OTHER_CLAUSES}
    return {key: titles(f"{kind}.{key}") for kind, keys in kinds.items() for key in keys}


def _all(registry: Iterable[type[Declared]], titles: Words, what: str) -> list[dict[str, Any]]:
    return [
        {
            "name": kind.name,
            "title": titles.either(f"{what}.{kind.name}.title", _title(kind.name)),
            "summary": kind.summary,
            "details": kind.details,
            "formula": kind.formula,
            "source": kind.source,
            #: The parameter that stands behind the name of a hierarchy, and needs no name in the library.
            "primary": kind.primary,
            "parameters": kind.model_json_schema(),
            "capabilities": {
                key: value for key in _CAPABILITIES if isinstance(value := getattr(kind, key, None), bool)
            },
        }
        for kind in registry
    ]


def _title(name: str) -> str:
    """Return a name as a heading; single letters, as in k-anonymity, keep their hyphen."""
    first, _, rest = name.partition("-")
    if len(first) == 1 and rest:
        return f"{first}-{rest.replace('-', ' ')}"
    return name.replace("-", " ").capitalize()


def schema_of(document: str) -> dict[str, Any]:
    """Return the JSON Schema of a document by its name: project, evidence, or one of another program's."""
    schemas = {
        "project": project_schema, "evidence": evidence_schema, "data_information": data_information_schema,
        "categorical_trees": categorical_trees_schema, "anonylitics": anonylitics_schema,
    }  # fmt: skip
    return schemas[document]()


def project_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every project file satisfies."""
    schema = Project.model_json_schema()
    several = SeveralTables.model_json_schema()
    shared = several.pop("$defs") | schema.pop("$defs")
    privacy = [_named(model, "model", shared) for model in MODELS]
    methods = [_named(method, "name", shared) for method in METHODS]
    for part in (schema, several, shared["ProjectTable"]):
        part["properties"]["privacy"] |= {"type": "array", "items": {"$ref": "#/$defs/PrivacyModel"}}
        part["properties"]["privacy"].pop("anyOf", None)
        part["properties"]["method"] = {"$ref": "#/$defs/Method"}
    shared |= {"PrivacyModel": {"oneOf": privacy}, "Method": {"oneOf": methods, "description": "How to get there."}}
    builders = [_builder(builder, shared) for builder in BUILDERS]
    tree = {"type": "object", "required": ["value"], "properties": {"value": {}, "children": {"type": "array"}}}
    about = "A hierarchy file, relative to the project file; or a name alone: flat."
    by_name = {"type": "string", "description": about}
    operations = {"oneOf": [_named(operation, "name", shared) for operation in (*OPERATIONS, *PERTURBATIONS)]}
    shared["Perturbation"] = {"oneOf": [_of_columns(perturbation, shared) for perturbation in PERTURBATIONS]}
    description = Project.model_fields["perturbation"].description
    for part in (schema, shared["ProjectTable"]):
        listed = {"type": "array", "items": {"$ref": "#/$defs/Perturbation"}, "description": description}
        part["properties"]["perturbation"] = listed
    shared["Attribute"]["properties"]["operation"] = {
        "anyOf": [operations, {"type": "array", "items": operations}, {"type": "null"}],
        "description": Attribute.model_fields["operation"].description,
    }
    shared["Attribute"]["properties"]["hierarchy"] = {"anyOf": [*builders, tree, by_name, {"type": "null"}]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "antifaz project file, version 1",
        "if": {"type": "object", "required": ["tables"]}, "then": several, "else": schema, "$defs": shared,
    }  # fmt: skip


def _named(declared: type[Declared], key: str, shared: dict[str, Any]) -> dict[str, Any]:
    part = _parameters(declared, shared)
    part["properties"] = {key: {"const": declared.name}, **part["properties"]}
    part["required"] = [key, *part.get("required", [])]
    return part


def _of_columns(declared: type[Declared], shared: dict[str, Any]) -> dict[str, Any]:
    part = _named(declared, "name", shared)
    column = {"type": "string"}
    columns = {"anyOf": [column, {"type": "array", "items": column, "minItems": 1, "uniqueItems": True}]}
    part["properties"] |= {"columns": columns | {"description": "The column or columns to change."}}
    part["required"] = [*part["required"], "columns"]
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
