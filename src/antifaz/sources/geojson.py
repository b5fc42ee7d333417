"""Points of GeoJSON (RFC 7946) as records: the properties of a feature, its longitude and its latitude.

A column holds one value, so other geometries than points are refused; so are coordinates of another reference system
than the standard's.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from antifaz.core.errors import DataError
from antifaz.core.messages import Message

#: The columns of a point, in the order of its coordinates.
COORDINATES = ("longitude", "latitude", "altitude")
_STANDARD = ("CRS84", "4326")


def flat_records(path: Path, place: str, record: Any) -> Iterator[tuple[str, Any]]:
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
