"""A project says how its data is read: its text follows what a person tells beside it, and the data what the text says.

Else the file that is downloaded would read the data in another way than the page that it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from antifaz.service.job_inputs import HandOver
from antifaz.service.options import Reading

#: What the `source` of a project says of the reading; the rest says where the data is. Types stand with the attributes.
_KEYS = frozenset(Reading.model_fields) - {"types"}


def followed(document: Mapping[str, Any], given: HandOver, before: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a project that reads its data as the data set is read; one that names other data keeps its source.

    `before` are the types that were told until now, where they were told anew: they give way.
    """
    found = dict(document)
    if same_place(document.get("source"), given.source):
        place = {key: value for key, value in document["source"].items() if key not in _KEYS}
        found["source"] = place | _reading(given.source)
    if isinstance(document.get("attributes"), Mapping):
        found["attributes"] = _typed(document["attributes"], given.types, before)
    return found


def said_anew(document: Mapping[str, Any], given: HandOver) -> dict[str, Any] | None:
    """Return how the data is to be read if a project says it otherwise than the data set is read, else None."""
    source: Any = document.get("source")
    if not same_place(source, given.source) or _reading(source) == _reading(given.source):
        return None
    return _reading(source) | {"types": dict(given.types)}


def kept_words(document: Mapping[str, Any], given: HandOver) -> dict[str, Any] | None:
    """Return how a file that is chosen again is to be read so that the project's words for missing values stay.

    Everything else a reader finds out by itself, and another file may be written otherwise.
    """
    source: Any = document.get("source")
    if not same_place(source, given.source) or not source.get("missing") or "missing" in given.source:
        return None
    return _reading(given.source) | {"missing": source["missing"], "types": dict(given.types)}


def same_place(said: Any, given: Mapping[str, Any]) -> bool:
    """Say whether a source names the data of a data set; of what was uploaded only the name is known."""
    if not isinstance(said, Mapping):
        return False
    if "path" in given:
        path = said.get("path")
        return isinstance(path, str) and PurePath(path).name == PurePath(str(given["path"])).name
    return all(said.get(key) == given.get(key) for key in ("url", "table", "schema"))


def _reading(source: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in source.items() if key in _KEYS}


def _typed(attributes: Mapping[str, Any], types: Mapping[str, str], before: Mapping[str, str] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, said in attributes.items():
        known = dict(said) if isinstance(said, Mapping) else {}
        if before is not None and (name in types or known.get("type") == before.get(name)):
            known.pop("type", None)
        if name in types:
            known.setdefault("type", types[name])
        found[name] = known if known or isinstance(said, Mapping) else said
    return found
