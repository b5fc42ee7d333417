"""A data set in a process of its own: opened there, and asked there; only answers leave it.

What strangers hand over is read by libraries that may take all memory, run for ever or abort. Here that ends one
process. It has limits of memory, and whoever asks has a limit of time (`dataset_process`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError, InputError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.service import file_preview, hierarchy_preview, proposals
from antifaz.service.dataset_sources import Reading, allowed_path, with_file_name
from antifaz.service.errors import error_document

if TYPE_CHECKING:
    from antifaz.engines.engine import Data

#: The most rows of a window, and the most frequent values of a column that are shown.
MOST_ROWS, _SHOWN = 1000, 5

DatasetSpec = Mapping[str, Any]
Tell = Callable[[Mapping[str, Any]], None]


def serve_dataset(spec: DatasetSpec, requests: Iterator[Mapping[str, Any]], tell: Tell) -> None:
    """Open what `spec` names, if anything, say what is known of it, then answer until nobody asks any more."""
    with ExitStack() as opened:
        data = None
        if spec.get("place") is not None:
            data = open_dataset(spec)
            opened.callback(data.close)
        tell({"answer": encode(facts(data, Reading(**spec["reading"]))) if data is not None else None})
        for request in requests:
            try:
                tell({"answer": encode(_answer(spec, data, request["ask"], request["given"]))})
            except AntifazError as error:
                tell({"refused": error_document(error)})


def _answer(spec: DatasetSpec, data: Data | None, name: str, arguments: Mapping[str, Any]) -> Any:
    if data is None:
        return _TASKS[name](spec, **arguments)
    return _QUESTIONS[name](data, **arguments)


def open_dataset(spec: DatasetSpec) -> Data:
    """Open a data set: a file in memory, a file of this machine, or a table of a database."""
    from antifaz.engines.registry import open_data

    place, options = dict(spec["place"]), Reading(**spec["reading"]).as_open_options()
    if "url" in place:
        types, missing = options.pop("types"), options.pop("missing", ())
        if options:
            raise InputError("service.table-takes-no-option", told=next(iter(options)))
        return open_data(
            place["url"], engine="database", table=place["table"], schema=place.get("schema"),
            password=spec.get("password") or "", memory=spec["memory"], types=types, missing=missing,
        )  # fmt: skip
    path, rename = _file(spec, place)
    try:
        data = open_data(path, engine="local", memory=spec["memory"], **options)
    except AntifazError as error:
        error.args = (rename(error.message),)
        raise
    data.notes = [rename(note) for note in data.notes]
    return data


def facts(data: Data, reading: Reading) -> dict[str, Any]:
    """Say what is known of data, with no rare value in it."""
    understood = dict(getattr(data, "understood", {}))
    understood.pop("newline", None)
    return {
        "rows": data.rows,
        "options": understood | reading.model_dump(mode="json", exclude_none=True, exclude_defaults=True),
        "columns": [column.shown(_SHOWN) for column in data.profile()], "notes": list(data.notes),
    }  # fmt: skip


def window(data: Data, start: int, count: int, sort: str | None, descending: bool) -> dict[str, Any]:
    """Return a window of rows as text."""
    number = max(min(count, MOST_ROWS, data.rows - start), 0)
    ranks = _band_order(data, sort) if sort is not None and number else ()
    rows = data.window(start, number, sort=sort, descending=descending, ranks=ranks) if number else []
    return {"start": start, "total": data.rows, "columns": list(data.schema.names), "rows": rows}


@lru_cache(maxsize=64)
def _band_order(data: Data, column: str) -> tuple[str, ...]:
    """Return the bands of a column, such as <18, 18-24 and 65+, in their order; nothing where it holds others."""
    from antifaz.proposals.bands import read_band
    from antifaz.proposals.missing_codes import bands_of

    place = data.schema.names.index(column) if column in data.schema.names else None
    if place is None or data.schema[column].type is not DataType.TEXT:
        return ()
    first = [row[place] for row in data.window(0, _SHOWN)]
    if not any(read_band(cell) for cell in first if cell):  # the others need not be counted
        return ()
    return tuple(bands_of(data, column) or ())


def _template(
    data: Data, name: str, file: str, source: Mapping[str, Any], types: Mapping[str, str], preset: str | None
) -> str:
    from antifaz.projects.template import project_template

    return project_template(data, Path(f"{name}.csv"), Path(file), {}, source, types, preset)


def _preview(data: Data, column: str, hierarchy: Any, root: str | None, shared: bool) -> dict[str, Any]:
    return hierarchy_preview.preview(data, column, hierarchy, _allowed(root, shared))


def _hierarchy_table(data: Data, column: str, hierarchy: Any, root: str | None, shared: bool) -> str:
    return hierarchy_preview.hierarchy_table(data, column, hierarchy, _allowed(root, shared))


def _explore(data: Data, project: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    from antifaz.service.explorer_answers import answer

    return answer(data, project, asked)


def _allowed(root: str | None, shared: bool) -> Callable[[str], Path]:
    return partial(allowed_path, root=None if root is None else Path(root), shared=shared)


def _tables(spec: DatasetSpec, url: str, schema: str | None) -> list[str]:
    from antifaz.engines.registry import tables_of

    return tables_of(url, schema=schema, password=spec.get("password") or "")


def _read_hierarchy(spec: DatasetSpec, name: str, options: dict[str, Any] | None) -> dict[str, Any]:
    suffix = ".json" if name.lower().endswith(".json") else ".csv"
    return hierarchy_preview.read_hierarchy_file(_link(spec, suffix), name, options)


def _look(spec: DatasetSpec, place: Mapping[str, Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    opened = partial(open_dataset, {**spec, "place": place, "reading": reading})
    return file_preview.preview_file(_file(spec, place)[0], Reading(**reading), spec["memory"], opened)


def _file(spec: DatasetSpec, place: Mapping[str, Any]) -> tuple[Path, Callable[[Any], Any]]:
    """Return the path of a file, and what says its name as the person knows it instead of a path in memory."""
    if spec.get("fd") is None:
        return Path(place["path"]), lambda message: message
    path = _link(spec, Path(place["path"]).suffix.lower())
    return path, partial(with_file_name, path=path, name=place["path"])


def _link(spec: DatasetSpec, suffix: str) -> Path:
    """Return a path to bytes in memory, which only this process can read by."""
    path = Path(spec["aside"]) / f"data{suffix[:9] if suffix[1:].isalnum() else ''}"
    if not path.is_symlink():
        path.symlink_to(f"/proc/self/fd/{spec['fd']}")
    return path


#: What a data set can be asked.
_QUESTIONS: dict[str, Callable[..., Any]] = {
    "rows": window, "roles": proposals.roles, "quasi-identifiers": proposals.quasi_identifiers,
    "columns": proposals.columns, "privacy": proposals.privacy, "hierarchy": proposals.hierarchy, "preview": _preview,
    "hierarchy-table": _hierarchy_table, "template": _template, "explore": _explore, "preset": proposals.preset,
}  # fmt: skip
#: What can be asked where no data set is opened.
_TASKS: dict[str, Callable[..., Any]] = {"tables": _tables, "read-hierarchy": _read_hierarchy, "look": _look}


def encode(value: Any) -> Any:
    """Return an answer as data that JSON can hold; messages stay messages."""
    if isinstance(value, Message):
        return {"$": value.as_dict()}
    if isinstance(value, Mapping):
        return {f"${key}" if str(key).startswith("$") else key: encode(part) for key, part in value.items()}
    return [encode(part) for part in value] if isinstance(value, list | tuple) else value


def decode(value: Any) -> Any:
    """Return what `encode` was given."""
    if isinstance(value, dict):
        if value.keys() == {"$"}:
            return Message.from_dict(value["$"])
        return {key[1:] if key.startswith("$") else key: decode(part) for key, part in value.items()}
    return [decode(part) for part in value] if isinstance(value, list) else value
