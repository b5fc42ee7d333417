"""JSON: an array of objects, or one object per line; numbers stay as they are written.

A key that is absent and one that is null are both missing. A column holds text, numbers or truth values, not a mixture;
numbers and truth values are kept as their text, so 1.10 does not become 1.1. Text is never taken for a number,
even if it consists of digits: JSON has said that it is text.

Points of GeoJSON (RFC 7946) are records: the properties of a feature, its longitude and its latitude. A column holds
one value, so other geometries than points are refused; so are coordinates of another reference system.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.sources.column_names import check_names
from antifaz.sources.encodings import codec_name, detect_encoding, refuse_binary
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, blank_missing

#: The columns of a point, in the order of its coordinates.
COORDINATES = ("longitude", "latitude", "altitude")
_STANDARD = ("CRS84", "4326")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


class _Number(str):
    """The text of a number as it is written."""

    __slots__ = ()


class _Wrong(ValueError):
    """Something that JSON allows and a table does not; the message quotes no value."""


def read_json(
    path: Path, *, lines: bool, encoding: str | None = None
) -> tuple[pa.Table, dict[str, DataType], Literal["json", "jsonl"]]:
    """Return the records as a table of text, the types that JSON itself settles, and the format found.

    Spark writes one object per line into files called .json: where the first line is an object, so are the others.
    """
    with path.open("rb") as file:
        head = file.read(1 << 16)
    refuse_binary(path, head)
    name = codec_name(encoding) if encoding else detect_encoding(path, head)
    name = "utf-8-sig" if name == "utf-8" else name
    lines = lines or _begins_with_object(path, name)
    columns: dict[str, list[str | None]] = {}
    kinds: dict[str, str] = {}
    rows = 0
    for place, record in _records(path, name, lines):
        add_record(path, place, record, rows, columns, kinds)
        rows += 1
    if not rows:
        raise DataError("json.no-records", name=path.name)
    names = check_names(path.name, list(columns))
    for values in columns.values():
        values.extend([None] * (rows - len(values)))
    table = pa.table({key: pa.array(columns[key], pa.string()) for key in names})
    # Text that is not dates is text; numbers and dates are found from the values.
    texts = (key for key, kind in kinds.items() if kind == "text")
    plain = (key for key in texts if not all(value is None or DATE.match(value) for value in columns[key]))
    return table, dict.fromkeys(plain, DataType.TEXT), "jsonl" if lines else "json"


def _begins_with_object(path: Path, encoding: str) -> bool:
    """Whether the first line that is not blank is a whole object; one over several lines is no record."""
    with path.open(encoding=encoding, newline="\n") as file:
        first = next((line for line in file if line.strip()), "").strip()
    return first.startswith("{") and first.endswith("}")


def _records(path: Path, encoding: str, lines: bool) -> Iterator[tuple[str, Any]]:
    """Give each record with the words for its place."""
    with path.open(encoding=encoding, newline="\n") as file:
        if lines:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield from _flat_records(path, Message("json.at-line", line=number), parse(path, line, number))
            return
        document = parse(path, file.read(), None)
    if isinstance(document, dict) and "features" in document:
        yield from _flat_records(path, "", document)
        return
    if not isinstance(document, list):
        raise DataError("json.no-array-of-objects", file=path.name)
    for number, record in enumerate(document, start=1):
        yield from _flat_records(path, Message("json.at-record", number=number), record)


def parse(path: Path, text: str, line: int | None) -> Any:
    """Read one JSON text; an error says its line and quotes nothing."""
    try:
        return json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=_constant, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        where = Message("json.at-line-and-column", line=line or error.lineno, column=error.colno)
    except _Wrong as error:
        place = Message("json.line", line=line) if line else ""
        raise DataError("json.wrong", file=path.name, place=place, problem=error.args[0]) from None
    except RecursionError:
        raise DataError("json.nested-too-deeply", file=path.name) from None
    raise DataError("json.not-json", file=path.name, where=where)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Wrong(Message("json.key-twice"))
    return found


def _constant(_: str) -> Any:
    raise _Wrong(Message("json.nan-or-infinity"))


def add_record(
    path: Path, place: str, record: Any, rows: int, columns: dict[str, list[str | None]], kinds: dict[str, str]
) -> None:
    """Add an object's values to the columns of those before it, and refuse what is no flat record."""
    if not isinstance(record, dict):
        raise DataError("json.record-not-an-object", file=path.name, place=place)
    for key, value in record.items():
        values = columns.setdefault(key, [])
        if value is None:
            continue
        kind = _kind(value)
        if not kind:
            raise DataError("json.nested-value", file=path.name, place=place, key=key)
        if kinds.setdefault(key, kind) != kind:
            raise DataError("json.key-changes-type", file=path.name, place=place, key=key, kind=kind, kinds=kinds[key])
        values.extend([None] * (rows - len(values)))
        values.append(str(value) if kind != "truth value" else str(value).lower())


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, _Number):
        return "number"
    return "text" if isinstance(value, str) else ""


def _flat_records(path: Path, place: str, record: Any) -> Iterator[tuple[str, Any]]:
    """Give the points of a collection or of one feature as flat records; what is no GeoJSON stays as it is."""
    kind = record.get("type") if isinstance(record, dict) else None
    if kind == "FeatureCollection" and isinstance(record.get("features"), list):
        system = str(((record.get("crs") or {}).get("properties") or {}).get("name", "CRS84"))
        if not system.endswith(_STANDARD):
            raise DataError("geojson.other-reference-system", file=path.name)
        for number, feature in enumerate(record["features"], start=1):
            at = Message("json.at-record", number=number)
            yield at, _point(path, at, feature)
    elif kind == "Feature" and "geometry" in record:
        yield place, _point(path, place, record)
    else:
        yield place, record


def _point(path: Path, place: str, feature: Any) -> dict[str, Any]:
    if not isinstance(feature, dict) or feature.get("type") != "Feature":
        raise DataError("geojson.not-a-feature", file=path.name, place=place)
    geometry = feature.get("geometry")
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    at = geometry.get("coordinates") if isinstance(geometry, dict) else []
    if (geometry is not None and kind != "Point") or not isinstance(at, list) or len(at) not in (0, 2, 3):
        raise DataError("geojson.not-a-point", file=path.name, place=place)
    own = {"id": feature["id"]} if feature.get("id") is not None else {}
    properties = feature.get("properties") or {}
    record = own | dict(zip(COORDINATES, at or [None, None], strict=False))
    if taken := [name for name in record if name in properties and name != "id"]:
        raise DataError("geojson.name-taken", file=path.name, place=place, name=taken[0])
    return {**properties, **{name: value for name, value in record.items() if name not in properties}}


def _open(format: str, path: Path, options: ReadOptions) -> FileReader:
    table, settled, found = read_json(path, lines=format == "jsonl", encoding=options.encoding)
    table = blank_missing(table, options.missing)
    understood, notes = {"format": found}, [f"{path.name}: JSON."]
    return FileReader(schema=table.schema, tables=[table], understood=understood, settled=settled, notes=notes)


#: An array of objects; one object per line is recognized.
JSON = FileFormat("json", (".json", ".geojson"), partial(_open, "json"))
#: One object per line.
JSON_LINES = FileFormat("jsonl", (".jsonl", ".ndjson"), partial(_open, "jsonl"))
