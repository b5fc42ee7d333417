"""A look at a file before it is opened: its first lines, what is wrong with it, the repairs that help, and a preview.

It happens in a process of its own, as everything does that reads what strangers hand over (`dataset_worker`). What is
seen is raw: it goes to the person whose file it is, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError
from antifaz.core.messages import Message
from antifaz.core.sizes import parse_size
from antifaz.service.dataset_sources import Reading
from antifaz.service.errors import place_of

if TYPE_CHECKING:
    from antifaz.engines.engine import Data
    from antifaz.sources.file_format import ReadOptions

#: Rows and columns of the preview, and the most columns for which forms and missing codes are looked for.
_ROWS, _COLUMNS, _LOOKED_AT = 8, 100, 200


def preview_file(path: Path, reading: Reading, memory: str | None, open_file: Callable[[], Data]) -> dict[str, Any]:
    """Try to open a file as it is asked for; return what is in it, and what is wrong or what it would be read as."""
    options = _options(reading, memory)
    look: dict[str, Any] = {"fault": None, "preview": None, "options": {}, "notes": [], "repairs": []}
    try:
        with open_file() as data:
            look |= {"preview": _preview(data), "options": _understood(data)}
            look |= {"notes": list(data.notes), "repairs": _possible(path, options, data)}
    except AntifazError as error:
        look |= {"fault": _fault(error.message, path, options), "repairs": _offers(error.message, reading.repair)}
    fault = look["fault"] or {}
    return look | {"lines": _lines(path, options, fault.get("line")), "sheets": _sheets(path, options)}


def _understood(data: Data) -> dict[str, Any]:
    return {key: value for key, value in getattr(data, "understood", {}).items() if key != "newline"}


def _options(reading: Reading, memory: str | None) -> ReadOptions:
    from antifaz.sources.file_format import ReadOptions

    names = ("delimiter", "encoding", "quote", "header", "sheet", "format", "widths")
    own = {name: getattr(reading, name) for name in names}
    return ReadOptions(**own, repair=frozenset(reading.repair), memory=None if memory is None else parse_size(memory))


def _lines(path: Path, options: ReadOptions, fault: int | None) -> list[dict[str, Any]]:
    from antifaz.sources.first_lines import first_lines

    try:
        return [asdict(line) for line in first_lines(path, options, fault)]
    except AntifazError:
        return []  # what it is, the fault says


def _sheets(path: Path, options: ReadOptions) -> list[dict[str, Any]]:
    from antifaz.sources.first_lines import sheets_of

    try:
        sizes = sheets_of(path, options)
    except AntifazError:
        return []
    return [{"name": name, "rows": rows, "columns": columns} for name, (rows, columns) in sizes.items()]


def _fault(message: Message, path: Path, options: ReadOptions) -> dict[str, Any]:
    """Return what is wrong, and on which line and in which columns where that is known."""
    inner = message.values.get("error")
    message = inner if message.code == "file.repairable" and isinstance(inner, Message) else message
    place = place_of(message) or {}
    line, columns = place.get("line"), [place.get("column")]
    if message.code.startswith("header."):
        line, columns = _header(path, options), list(message.values.get("columns", ()))
    elif isinstance(message.values.get("row"), int):  # of a sheet
        line, columns = message.values["row"], [message.values.get("column")]
    where = {"line": line, "columns": [one for one in columns if isinstance(one, int)]}
    words = message.values.get("words")
    reason = words if isinstance(words, Message) else message
    values = {key: reason.values[key] for key in ("fields", "width") if key in reason.values}
    return {"code": message.code, "message": message, "reason": reason.code, "values": values, **where}


def _header(path: Path, options: ReadOptions) -> int | None:
    from antifaz.sources.first_lines import header_line

    try:
        return header_line(path, options)
    except AntifazError:
        return None


def _offers(message: Message, chosen: Sequence[str]) -> list[dict[str, Any]]:
    """Return the repairs that an error names, each tried before it was named."""
    offers = message.values.get("repairs", ()) if message.code == "file.repairable" else ()
    return [_choice(offer.values["name"], offer.values["what"], chosen) for offer in offers]


def _possible(path: Path, options: ReadOptions, data: Data) -> list[dict[str, Any]]:
    """Return the repairs that were made, and of delimited text those that could be made as well."""
    from antifaz.sources.csv_opening import CSV, needed_repairs
    from antifaz.sources.reading import located

    inner, format = located(path, options)
    # A line of totals is no fault, so nobody is stopped by it.
    tried = replace(options, repair=options.repair | {"totals-line"})
    made = needed_repairs(inner, tried) if format is CSV else getattr(data, "repairs", ())
    return [_choice(repair.name, repair.message, tuple(options.repair)) for repair in made if repair.count]


def _choice(name: str, what: Message, chosen: Sequence[str]) -> dict[str, Any]:
    return {"name": name, "what": what, "chosen": name in chosen}


def _preview(data: Data) -> dict[str, Any]:
    """Return the first rows as they would be read, and what a person may still want to say of columns."""
    from antifaz.proposals.missing_codes import missing_codes, written_forms

    profile = data.profile()
    few = len(data.schema.names) <= _LOOKED_AT
    codes, forms = (missing_codes(data, profile), written_forms(data, profile)) if few else ({}, {})
    names = list(data.schema.names)[:_COLUMNS]
    rows = data.window(0, min(_ROWS, data.rows)) if data.rows else []
    return {
        "total": data.rows, "width": len(data.schema.names), "rows": [list(row[:_COLUMNS]) for row in rows],
        "columns": [
            {
                "name": name, "type": str(data.schema[name].type), "forms": forms.get(name, []),
                "codes": [{"code": one.code, "count": one.count, "reason": one.reason} for one in codes.get(name, ())],
            }
            for name in names
        ],
    }  # fmt: skip
