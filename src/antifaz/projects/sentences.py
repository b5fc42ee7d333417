"""What is wrong in a project file, in one sentence that begins with the place."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError

from antifaz.core.errors import hint
from antifaz.projects.yaml_file import Document, Place

#: What pydantic calls things, in the words of people who write YAML.
_WORDS = {
    "tuple_type": "a list: each entry in a line that begins with '-'",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "string_type": "text; put it in quotes",
    "int_": "a whole number",
    "bool_": "true or false",
    "string_pattern_mismatch": "a size such as 2GB or 512MB",
}


def sentence(document: Document, error: ValidationError, keys_at: Callable[[Place], list[str]]) -> str:
    """Say where a file is wrong and what was expected; `keys_at` gives the keys that are known at a place."""
    first = error.errors(include_url=False)[0]
    place: Place = tuple(first["loc"])
    key = ".".join(str(part) for part in place)
    where = document.where(place)
    if first["type"] == "extra_forbidden":
        return f"{where}: there is no key {key!r} here{hint(str(place[-1]), keys_at(place))}."
    if first["type"] == "missing":
        return f"{where}: the key {key!r} is needed."
    said = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    said = next((words for start, words in _WORDS.items() if first["type"].startswith(start)), said)
    return f"{where}: {key} should be {said[0].lower()}{said[1:]}."
