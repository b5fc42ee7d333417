"""Drafts of projects: their text, what is missing in it, and how it says that its data is read.

A text may be incomplete and is kept all the same. What a person says of the reading beside the data goes into the text,
and what the text says goes to the data: else the file that is downloaded would read the data in another way than the
page that it comes from.
"""

import json
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from antifaz.core.errors import AntifazError, ProjectError
from antifaz.core.messages import Message
from antifaz.projects.importers.anonylitics import import_document, is_anonylitics
from antifaz.projects.store_actions import checked_text
from antifaz.projects.yaml_file import parse_yaml, to_yaml
from antifaz.service.dataset_sources import DatasetReference, Reading
from antifaz.service.errors import place_of, without_place
from antifaz.storage.secrets import refuse_passwords_in

#: The longest text of a project, in characters; large hierarchies are in it.
LONGEST = 50_000_000
_PLACE, _FOREIGN = Path("project.yaml"), Path("project.json")
#: What the `source` of a project says of the reading; the rest says where the data is. Types stand with the attributes.
_KEYS = frozenset(Reading.model_fields) - {"types"}


def draft_text(
    document: Mapping[str, Any] | None,
    yaml: str | None,
    before: str,
    *,
    source: Mapping[str, Any] | None,
    name: str,
    given: DatasetReference | None = None,
) -> str:
    """Return the text to keep: that which was given, or the document's, or the one of before where nothing changed.

    `source` is where the data is, if that is to be said anew; `given` is the data set whose reading the text follows.
    What can't be read at all is refused, and passwords.
    """
    text = before if yaml is None else yaml
    if len(text) > LONGEST:
        raise ProjectError("service.project-too-long", longest=LONGEST)
    known = parse_draft(text, _PLACE) if text.strip() else {}
    wanted: dict[str, Any] = {"antifaz": 1, "name": name, **(known if document is None else document)}
    if source is not None:
        wanted["source"] = dict(source)
    if document is None and source is None and yaml is not None:
        wanted = known  # as it was written, comments and all
    if given is not None:
        wanted = apply_reading(wanted, given)
    text = text if wanted == known else to_yaml(wanted)
    refuse_passwords_in(wanted, text, _PLACE.name)
    return text


def import_foreign(
    document: Mapping[str, Any] | None, yaml: str | None, dialect: str | None
) -> tuple[Mapping[str, Any] | None, str | None, list[str]]:
    """Return a document or text as it is, or, of Anonylitics's format, the project file's text and its notes."""
    data: Any = document
    if yaml is not None:
        # Most texts are ours, and are not read twice.
        data = parse_yaml(yaml, _FOREIGN).data if "anonymization_type" in yaml and len(yaml) <= LONGEST else None
    if not is_anonylitics(data):
        return document, yaml, []
    text = json.dumps(document, ensure_ascii=False, indent=1) if yaml is None else yaml
    made = import_document(parse_yaml(text, _FOREIGN), dialect=dialect)
    return None, made.text, made.notes


def parse_draft(text: str, place: Path) -> dict[str, Any]:
    """Return what a text says, if it says something under keys."""
    data = parse_yaml(text, place).data
    if not isinstance(data, dict):
        raise ProjectError("project.not-a-mapping", file=place.name)
    return data


def find_problems(text: str, place: Path, source: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return what keeps a project from being run; `source` is where its data is, if that is known."""
    try:
        data = parse_draft(text, place)
        if source is not None and "tables" not in data:
            data = {**data, "source": dict(source)}
        checked_text(text, place, data)
    except AntifazError as error:
        return [problem_document(error.message, error.message.values.get("key"))]
    return []


def problem_document(message: Message, key: str | None) -> dict[str, Any]:
    """Return what keeps a project from being run: the message, its code and values, the key and the place."""
    told = {"message": without_place(message), "code": message.code, "values": message.as_dict()["values"]}
    return told | {"key": key, "line": None, "column": None, **(place_of(message) or {})}


def apply_reading(
    document: Mapping[str, Any], given: DatasetReference, before: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return a project that reads its data as the data set is read; one that names other data keeps its source.

    `before` are the types that were told until now, where they were told anew: they give way.
    """
    changed = dict(document)
    if same_source(document.get("source"), given.source):
        place = {key: value for key, value in document["source"].items() if key not in _KEYS}
        changed["source"] = place | _reading(given.source)
    if isinstance(document.get("attributes"), Mapping):
        changed["attributes"] = _typed(document["attributes"], given.types, before)
    return changed


def changed_reading(document: Mapping[str, Any], given: DatasetReference) -> dict[str, Any] | None:
    """Return how the data is to be read if a project says it otherwise than the data set is read, else None."""
    source: Any = document.get("source")
    if not same_source(source, given.source) or _reading(source) == _reading(given.source):
        return None
    return _reading(source) | {"types": dict(given.types)}


def missing_words_to_keep(document: Mapping[str, Any], given: DatasetReference) -> dict[str, Any] | None:
    """Return how a file that is chosen again is to be read so that the project's words for missing values stay.

    Everything else a reader finds out by itself, and another file may be written otherwise.
    """
    source: Any = document.get("source")
    if not same_source(source, given.source) or not source.get("missing") or "missing" in given.source:
        return None
    return _reading(given.source) | {"missing": source["missing"], "types": dict(given.types)}


def same_source(entry: Any, given: Mapping[str, Any]) -> bool:
    """Say whether a source names the data of a data set; of what was uploaded only the name is known."""
    if not isinstance(entry, Mapping):
        return False
    if "path" in given:
        path = entry.get("path")
        return isinstance(path, str) and PurePath(path).name == PurePath(str(given["path"])).name
    return all(entry.get(key) == given.get(key) for key in ("url", "table", "schema"))


def _reading(source: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in source.items() if key in _KEYS}


def _typed(attributes: Mapping[str, Any], types: Mapping[str, str], before: Mapping[str, str] | None) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name, entry in attributes.items():
        known = dict(entry) if isinstance(entry, Mapping) else {}
        if before is not None and (name in types or known.get("type") == before.get(name)):
            known.pop("type", None)
        if name in types:
            known.setdefault("type", types[name])
        changed[name] = known if known or isinstance(entry, Mapping) else entry
    return changed
