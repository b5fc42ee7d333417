"""JSON: exact, or refused with the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import antifaz as az
from antifaz.core.errors import DataError
from antifaz.core.types import DataType
from antifaz.engines.local.data import open_local
from failing import Like, failing, like

CANARY = "Kanarienvogel"


def write(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_json_numbers_stay_as_written(tmp_path: Path) -> None:
    first = '{"a": 1.10, "b": 9007199254740993, "z": "007", "d": "2020-01-02", "t": true}'
    text = f'[{first},\n {{"b": 2, "c": null, "t": false}}]'
    with open_local(write(tmp_path, text, "t.json")) as data:
        assert data.to_arrow().to_pylist() == [
            {"a": "1.10", "b": "9007199254740993", "z": "007", "d": "2020-01-02", "t": "true", "c": None},
            {"a": None, "b": "2", "z": None, "d": None, "t": "false", "c": None},
        ]
        assert [c.type.value for c in data.schema] == ["decimal", "integer", "text", "date", "boolean", "text"]


def test_json_text_is_never_a_number(tmp_path: Path) -> None:
    with open_local(write(tmp_path, '[{"a": "12"}, {"a": "13"}]', "t.json")) as data:
        assert data.schema["a"].type is DataType.TEXT


def test_json_lines(tmp_path: Path) -> None:
    for name in ("t.jsonl", "t.ndjson", "t.json"):
        with open_local(write(tmp_path, '\ufeff{"a": 1}\n\n{"a": -0.50, "b": "x\\ny"}\r\n', name)) as data:
            assert data.to_arrow().to_pylist() == [{"a": "1", "b": None}, {"a": "-0.50", "b": "x\ny"}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '[{"a": 1}, {"a": Kanarienvogel}]',
            like("json.not-json", where=like("json.at-line-and-column", line=1, column=18)),
        ),
        ('{"a":\n 1}', "json.no-array-of-objects"),
        ('{"a": [{"b": 1}]}', like("json.nested-value", place=like("json.at-line", line=1), key="a")),
        ("[1, 2]", like("json.record-not-an-object", place=like("json.at-record", number=1))),
        (
            '[{"a": 1}, {"a": "Kanarienvogel"}]',
            like("json.key-changes-type", place=like("json.at-record", number=2), key="a", kind="text", kinds="number"),
        ),
        ('[{"a": {"b": "Kanarienvogel"}}]', like("json.nested-value", place=like("json.at-record", number=1), key="a")),
        ('[{"a": 1, "a": 2}]', like("json.wrong", problem=like("json.key-twice"))),
        ('[{"a": 1, "A": 2}]', like("header.column-name-twice", columns=[1, 2])),
        ('[{"a": NaN}]', like("json.wrong", problem=like("json.nan-or-infinity"))),
        ("[]", "json.no-records"),
        ("[" * 100_000, "json.nested-too-deeply"),
        ('[{"a": "\\ud800"}]', like("source.failed", what=like("source.not-read"))),
    ],
)
def test_json_refused(text: str, words: str | Like, tmp_path: Path) -> None:
    with failing(words, DataError) as caught:
        open_local(write(tmp_path, text, "t.json"))
    assert CANARY not in str(caught.value)


def test_json_line_is_named(tmp_path: Path) -> None:
    with failing("json.not-json", DataError, where=like("json.at-line-and-column", line=3, column=7)):
        open_local(write(tmp_path, '{"a": 1}\n\n{"a": }\n', "t.jsonl"))


def feature(geometry: Any, **more: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": more.pop("properties", {}), **more}


def point(*at: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": at}


def write_features(folder: Path, features: list[Any], indent: int | None = None, **more: Any) -> Path:
    path = folder / "places.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", **more, "features": features}, indent=indent))
    return path


@pytest.mark.parametrize("indent", [None, 1])
def test_points_are_rows(tmp_path: Path, indent: int | None) -> None:
    features = [
        feature(point(2.17, 41.38), properties={"name": "Sants", "age": 31}, id=7),
        feature(None, properties={"name": None, "age": 42}),
        feature(point(-3.7, 40.42, 667), properties={"age": 50}),
    ]
    with az.open(write_features(tmp_path, features, indent)) as data:
        assert data.to_arrow().to_pydict() == {
            "name": ["Sants", None, None], "age": ["31", "42", "50"], "id": ["7", None, None],
            "longitude": ["2.17", None, "-3.7"], "latitude": ["41.38", None, "40.42"],
            "altitude": [None, None, "667"],
        }  # fmt: skip
        assert [str(column.type) for column in data.schema if column.name in ("longitude", "age")] == [
            "integer",
            "decimal",
        ]
    lines = "".join(json.dumps(each) + "\n" for each in features)
    (tmp_path / "lines.jsonl").write_text(lines)
    with az.open(tmp_path / "lines.jsonl") as data:
        assert data.rows == 3


@pytest.mark.parametrize(
    ("second", "code"),
    [
        (feature({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}), "geojson.not-a-point"),
        (feature(point(1)), "geojson.not-a-point"),
        (feature(point(1, 2), properties={"latitude": 3}), "geojson.name-taken"),
        ({"type": "Point"}, "geojson.not-a-feature"),
        (feature(point(1, 2), properties={"tags": ["a"]}), "json.nested-value"),
    ],
)
def test_what_is_no_row_is_refused_with_its_place(tmp_path: Path, second: Any, code: str) -> None:
    with failing(code, DataError, place=like("json.at-record", number=2)):
        az.open(write_features(tmp_path, [feature(point(1, 2)), second]))


def test_other_coordinates_are_refused(tmp_path: Path) -> None:
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25830"}}
    with failing("geojson.other-reference-system", DataError):
        az.open(write_features(tmp_path, [feature(point(1, 2))], crs=crs))
