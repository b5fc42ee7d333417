"""Everything that can be chosen, as data: what faces build their forms and their help from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from antifaz.core.declaration import Declared
from antifaz.core.language import Language, Words, words
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.hierarchies import BUILDERS
from antifaz.methods import METHODS
from antifaz.methods.operations.mask import OPERATIONS
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.privacy import MODELS
from antifaz.utility import QUALITIES

#: What a declaration may say it can do or needs.
_CAPABILITIES = (
    "needs_hierarchies", "needs_rows", "numbers_only", "wants_sensitive", "monotone_generalization", "needs_sensitive",
    "whole_table", "protects", "personal", "needs_order", "draws", "numbers", "by_cell", "needs_data", "needs_target",
    "per_attribute",
)  # fmt: skip


def catalogue(language: Language = "en") -> dict[str, Any]:
    """Return roles, types, and every declared model, method, operation, perturbation, hierarchy and quality.

    Titles are in the language asked for where there are words for them; the declarations themselves are English.
    """
    titles = words("reports", language)
    return {
        "roles": [{"name": role.value, "title": _title(role.value), "help": role.help} for role in Role],
        "types": [kind.value for kind in DataType],
        "models": _all(MODELS, titles, "model"),
        "methods": _all(METHODS, titles, "method"),
        "operations": _all(OPERATIONS, titles, "operation"),
        "perturbations": _all(PERTURBATIONS, titles, "operation"),
        "hierarchies": _all(BUILDERS, titles, "hierarchy"),
        "qualities": _all(QUALITIES, titles, "quality"),
    }


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
