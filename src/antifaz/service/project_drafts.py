"""Drafts of projects: their text, what is missing in it, and how it says that its data is read.

A text may be incomplete and is kept all the same. What a person says of the reading beside the data goes into the text,
and what the text says goes to the data: else the file that is downloaded would read the data in another way than the
page that it comes from.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from antifaz.core.errors import AntifazError, ProjectError
from antifaz.core.messages import Message
from antifaz.privacy import asked_size
from antifaz.projects.importers.anonylitics import import_document, is_anonylitics
from antifaz.projects.store_actions import checked_text
from antifaz.projects.yaml_file import parse_yaml, to_yaml
from antifaz.service.dataset_sources import DatasetReference, Reading
from antifaz.service.errors import place_of, without_place
from antifaz.service.project_tables import source_of, table_parts, with_parts, with_sources
from antifaz.storage.secrets import refuse_passwords_in

#: The longest text of a project, in characters; large hierarchies are in it.
LONGEST = 50_000_000
#: The longest text that is read each time runs are listed.
_SHORT = 1_000_000
_PLACE, _FOREIGN = Path("project.yaml"), Path("project.json")
#: What the `source` of a project says of the reading; the rest says where the data is. Types stand with the attributes.
_KEYS = frozenset(Reading.model_fields) - {"types"}
#: What changes nothing of what a run releases.
_NOT_OF_A_RUN = frozenset({"name", "owner", "frontier", "controller"})
#: Data sets by the names of their tables.
Given = Mapping[str, DatasetReference]


def draft_text(
    document: Mapping[str, Any] | None,
    yaml: str | None,
    before: str,
    *,
    name: str,
    given: Given,
    bound_anew: Given,
) -> str:
    """Return the text to keep: that which was given, or the document's, or the one of before where nothing changed.

    `given` are the data sets whose reading the text follows, by the names of their tables; of those that are
    `bound_anew` it says from now on where they are. What can't be read at all is refused, and passwords.
    """
    text = before if yaml is None else yaml
    if len(text) > LONGEST:
        raise ProjectError("service.project-too-long", longest=LONGEST)
    known = parse_draft(text, _PLACE) if text.strip() else {}
    draft: dict[str, Any] = {"antifaz": 1, "name": name, **(known if document is None else document)}
    if document is None and not bound_anew and yaml is not None:
        draft = known  # as it was written, comments and all
    draft = with_sources(draft, {table: each.source for table, each in bound_anew.items()})
    draft = apply_reading(draft, given)
    text = text if draft == known else to_yaml(draft)
    refuse_passwords_in(draft, text, _PLACE.name)
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


@lru_cache(maxsize=128)
def _request_hash(text: str, kind: str) -> bytes:
    """Return a hash of what a text asks of a run, whatever the project is called and however it is written."""
    settings = {key: value for key, value in parse_draft(text, _PLACE).items() if key not in _NOT_OF_A_RUN}
    if kind == "methods" and isinstance(settings.get("method"), Mapping):  # it compares them, whichever is chosen
        settings["method"] = {"target": settings["method"].get("target")}
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).digest()


def wanted_of(text: str) -> dict[str, Any]:
    """Return the k and the method that a text asks for; of several tables the smallest k, and the method of all."""
    return dict(_of_a_run(text)) if len(text) <= _SHORT else {"k": None, "method": None}


@lru_cache(maxsize=512)
def _of_a_run(text: str) -> dict[str, Any]:
    try:
        document = parse_draft(text, _PLACE)
    except ProjectError:
        return {"k": None, "method": None}
    parts = [document | dict(part) for part in table_parts(document).values()] or [document]
    models = [model for part in parts for model in part.get("privacy") or []]
    sizes = [k for model in models if (k := asked_size(model)) is not None]
    methods = {(part.get("method") or {}).get("name") for part in parts}
    return {"k": min(sizes, default=None), "method": methods.pop() if len(methods) == 1 else None}


def is_same_request(one: str, other: str, kind: str = "run") -> bool:
    """Say whether two texts of a project ask the same of a run, or of another kind of job."""
    if one == other:
        return True
    try:
        return _request_hash(one, kind) == _request_hash(other, kind)
    except ProjectError:
        return False


def find_problems(text: str, place: Path, sources: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what keeps a project from being run; `sources` say where the data of its tables is, if that is known."""
    try:
        checked_text(text, place, with_sources(parse_draft(text, place), sources))
    except AntifazError as error:
        return [problem_document(error.message, error.message.values.get("key"))]
    return []


def problem_document(message: Message, key: str | None) -> dict[str, Any]:
    """Return what keeps a project from being run: the message, its code and values, the key and the place."""
    problem = {"message": without_place(message), "code": message.code, "values": message.as_dict()["values"]}
    return problem | {"key": key, "line": None, "column": None, **(place_of(message) or {})}


def apply_reading(document: Mapping[str, Any], given: Given, before: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a project that reads its data as the data sets are read; a table that names other data keeps its source.

    `before` are the types that were told until now, where they were told anew: they give way.
    """
    parts = {name: part for name, part in table_parts(document).items() if name in given}
    sources = {}
    for name, part in parts.items():
        own = source_of(document, name)
        if own is not None and same_source(own, given[name].source):
            place = {key: value for key, value in own.items() if key not in _KEYS}
            sources[name] = place | _reading(given[name].source)
        if isinstance(part.get("attributes"), Mapping):
            part["attributes"] = _typed(part["attributes"], given[name].types, before)
    return with_sources(with_parts(document, parts), sources)


def changed_reading(document: Mapping[str, Any], table: str, reference: DatasetReference) -> dict[str, Any] | None:
    """Return how the data is to be read if a project says it otherwise than the data set is read, else None."""
    source = source_of(document, table)
    if source is None or not same_source(source, reference.source) or _reading(source) == _reading(reference.source):
        return None
    return _reading(source) | {"types": dict(reference.types)}


def missing_words_to_keep(
    document: Mapping[str, Any], table: str, reference: DatasetReference
) -> dict[str, Any] | None:
    """Return how a file that is chosen again is to be read so that the project's words for missing values stay.

    Everything else a reader finds out by itself, and another file may be written otherwise.
    """
    source = source_of(document, table)
    same = source is not None and same_source(source, reference.source)
    if source is None or not same or not source.get("missing") or "missing" in reference.source:
        return None
    return _reading(reference.source) | {"missing": source["missing"], "types": dict(reference.types)}


def same_source(entry: Any, source: Mapping[str, Any]) -> bool:
    """Say whether a source names the data of a data set; of what was uploaded only the name is known."""
    if not isinstance(entry, Mapping):
        return False
    if "path" in source:
        path = entry.get("path")
        return isinstance(path, str) and PurePath(path).name == PurePath(str(source["path"])).name
    return all(entry.get(key) == source.get(key) for key in ("url", "table", "schema"))


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
