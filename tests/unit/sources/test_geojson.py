"""Points of GeoJSON as rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import antifaz as az
from antifaz.core.errors import DataError
from failing import failing, like


def feature(geometry: Any, **more: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": more.pop("properties", {}), **more}


def point(*at: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": at}


def write(folder: Path, features: list[Any], indent: int | None = None, **more: Any) -> Path:
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
    with az.open(write(tmp_path, features, indent)) as data:
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
        az.open(write(tmp_path, [feature(point(1, 2)), second]))


def test_other_coordinates_are_refused(tmp_path: Path) -> None:
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25830"}}
    with failing("geojson.other-reference-system", DataError):
        az.open(write(tmp_path, [feature(point(1, 2))], crs=crs))
