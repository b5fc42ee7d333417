"""The tables of a project's document: one, under the empty name, or several by their names.

A draft may say anything, so nothing here expects more than what it looks at.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from antifaz.core.errors import InputError, hint
from antifaz.core.values import without_accents
from antifaz.projects.yaml_file import parse_yaml
from antifaz.releases.atomic import RELEASE_FILE

#: The name of the table of a project that has only one.
ONLY = ""
#: What each of several tables says for itself; all else is said of the whole project.
_OF_A_TABLE = ("kind", "source", "attributes", "sample", "perturbation", "privacy", "method")
#: What is said of the files of a release.
_OF_THE_FILE = ("path", "format", "delimiter", "encoding", "decimal", "bom")
_NAME = re.compile(r"\w[\w .-]*", re.ASCII)


def table_parts(document: Any) -> dict[str, dict[str, Any]]:
    """Return what a document says of each of its tables; of one table, the whole document under the empty name."""
    if not isinstance(document, Mapping):
        return {}
    if "tables" not in document:
        return {ONLY: dict(document)}
    tables: Any = document["tables"]
    parts = tables.items() if isinstance(tables, Mapping) else ()
    return {str(name): dict(part) if isinstance(part, Mapping) else {} for name, part in parts}


def tables_of_text(text: str) -> list[str]:
    """Return the names of the tables of a project's text."""
    return list(table_parts(parse_yaml(text, Path("project.yaml")).data))


def source_of(document: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """Return where the rows of a table are: its own source, laid over what the tables share."""
    shared: Any = document.get("source") if name != ONLY else None
    own: Any = table_parts(document).get(name, {}).get("source")
    known = [dict(each) for each in (shared, own) if isinstance(each, Mapping)]
    return {key: value for each in known for key, value in each.items()} if known else None


def with_parts(document: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a document that says this of some of its tables."""
    if ONLY in parts:
        return dict(parts[ONLY])
    if not parts:
        return dict(document)
    tables = {name: dict(part) for name, part in table_parts(document).items()}
    return {**document, "tables": tables | {name: dict(part) for name, part in parts.items()}}


def with_sources(document: Mapping[str, Any], sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a document whose tables have these sources, whatever the tables shared before."""
    parts = table_parts(document)
    by_table = {name: dict(source) for name, source in sources.items() if name in parts}
    if not by_table or ONLY in by_table:
        return {**document, "source": by_table[ONLY]} if by_table else dict(document)
    shared: Any = document.get("source")
    if isinstance(shared, Mapping) and any(not _fits(shared, source) for source in by_table.values()):
        # A key that the tables share would be laid under what a table says for itself.
        others = {name: source_of(document, name) or {} for name in parts if name not in by_table}
        by_table |= others
        document = {key: value for key, value in document.items() if key != "source"}
        shared = None
    known = shared.items() if isinstance(shared, Mapping) else ()
    for name, source in by_table.items():
        parts[name]["source"] = {key: value for key, value in source.items() if (key, value) not in known}
    return with_parts(document, {name: parts[name] for name in by_table})


def _fits(shared: Mapping[str, Any], source: Mapping[str, Any]) -> bool:
    return all(source.get(key) == value for key, value in shared.items())


def add_table(document: Mapping[str, Any], name: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with one more table; what a project said of its only table is said of that one from now on."""
    several = _as_several(document)
    _check_new_name(name, several["tables"])
    with_new = with_parts(several, {name: {"attributes": {}}})
    return with_sources(with_new, {name: source})


def only_name(document: Mapping[str, Any]) -> str:
    """Return what the only table of a project is called once it is one of several."""
    source: Any = document.get("source")
    known = source if isinstance(source, Mapping) else {}
    return proposed_name(str(known.get("table") or known.get("path") or "table"))


def proposed_name(text: str, taken: Mapping[str, Any] | None = None) -> str:
    """Return a name for a table from that of a file or of a table, with a number where it is taken."""
    name = re.sub(r"[^\w.-]+", "-", without_accents(PurePath(text).stem), flags=re.ASCII).strip("-.")[:60]
    name = name if _is_name(name) else "table"
    known = {each.casefold() for each in taken or ()}
    tried = (name, *(f"{name}-{i}" for i in range(2, len(known) + 3)))
    return next(free for free in tried if free.casefold() not in known)


def remove_table(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a document without a table; one that is left becomes the only one, and says all for itself."""
    parts = table_parts(document)
    _check_known(name, parts)
    if len(parts) < 2:
        raise InputError("service.last-table")
    del parts[name]
    repeated = [_without(each, name) for each in document.get("repeated") or []]
    kept = [each for each in repeated if len(each["columns"]) > 1]
    for each in repeated:
        if len(each["columns"]) == 1:
            _give_back(parts, each)
    left = {**document, "tables": parts, "repeated": kept}
    if not kept:
        del left["repeated"]
    return _as_one(left) if len(parts) == 1 else left


def _give_back(parts: dict[str, dict[str, Any]], repeated: Mapping[str, Any]) -> None:
    """Say of the only column that is left of a repeated attribute what was said of all."""
    ((table, column),) = repeated["columns"].items()
    if table in parts:
        attributes = dict(parts[table].get("attributes") or {})
        settings = {key: repeated[key] for key in ("operation", "hierarchy") if repeated.get(key) is not None}
        attributes[column] = {**(attributes.get(column) or {}), **settings}
        parts[table]["attributes"] = attributes


def rename_table(document: Mapping[str, Any], name: str, new: str) -> dict[str, Any]:
    """Return a document in which a table, and whatever speaks of it, has another name."""
    parts = table_parts(document)
    _check_known(name, parts)
    _check_new_name(new, [each for each in parts if each != name])
    renamed = {**document, "tables": {new if each == name else each: part for each, part in parts.items()}}
    if document.get("repeated"):
        renamed["repeated"] = [_renamed(each, name, new) for each in document["repeated"]]
    return renamed


def _as_several(document: Mapping[str, Any]) -> dict[str, Any]:
    if "tables" in document:
        return dict(document)
    own = {key: document[key] for key in _OF_A_TABLE if key in document}
    # What a frontier compares is said of one table only.
    rest = {key: value for key, value in document.items() if key not in (*_OF_A_TABLE, "frontier")}
    release: Any = rest.get("release")
    if isinstance(release, Mapping):
        # The folder is that of the whole; a table of a database is the table's own.
        place = {key: value for key, value in release.items() if key in _OF_THE_FILE}
        rest["release"], into = place, {key: value for key, value in release.items() if key not in place}
        own |= {"release": into} if into else {}
        rest = {key: value for key, value in rest.items() if key != "release" or place}
    return {**rest, "tables": {only_name(document): own}}


def _as_one(document: Mapping[str, Any]) -> dict[str, Any]:
    (name,) = table_parts(document)
    part = table_parts(document)[name]
    whole = {key: value for key, value in document.items() if key not in ("tables", "repeated")}
    if part.get("kind", whole.get("kind")) == "light":
        whole.pop("privacy", None)
    for key in ("source", "release"):
        if key in part:
            part[key] = {**(whole.get(key) or {}), **(part[key] or {})}
    return {**whole, **part}


def _without(repeated: Mapping[str, Any], table: str) -> dict[str, Any]:
    columns = {name: column for name, column in (repeated.get("columns") or {}).items() if name != table}
    return {**repeated, "columns": columns}


def _renamed(repeated: Mapping[str, Any], table: str, new: str) -> dict[str, Any]:
    columns = {new if name == table else name: column for name, column in (repeated.get("columns") or {}).items()}
    return {**repeated, "columns": columns}


def _is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not RELEASE_FILE.fullmatch(name) and len(name) <= 100


def _check_new_name(name: str, taken: Mapping[str, Any] | list[str]) -> None:
    if not _is_name(name):
        raise InputError("service.table-name-wrong")
    if name.casefold() in {each.casefold() for each in taken}:
        raise InputError("service.table-name-taken", name=name)


def _check_known(name: str, parts: Mapping[str, Any]) -> None:
    if name not in parts or name == ONLY:
        raise InputError("service.unknown-table", name=name, hint=hint(name, [each for each in parts if each]))


def without_places(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the document and its tables without where rows come from and go to, and which columns belong together."""
    apart = ("source", "release", "tables", "repeated")
    yield {key: value for key, value in document.items() if key not in apart}
    if "tables" in document:
        for part in table_parts(document).values():
            yield {key: value for key, value in part.items() if key not in apart}
    for each in document.get("repeated") or []:
        if isinstance(each, Mapping):
            yield {key: value for key, value in each.items() if key != "columns"}
