"""Two runs side by side: what was asked differently, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: The parts of the evidence that are measured, and not only said again.
_MEASURED = ("rows", "utility", "risk", "seconds")


def compared(asked: Sequence[Any], runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return by its path every parameter that differs, and every measure, as the list of what each run has."""
    return {
        "parameters": _side_by_side([_flat(said) for said in asked], only_different=True),
        "measures": _side_by_side([_measures(run["evidence"] or {}) for run in runs]),
    }


def _measures(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of an evidence document by their paths; of the privacy models, what was achieved."""
    found: dict[str, Any] = {}
    for verdict in evidence.get("privacy", []):
        place = "/".join(str(verdict[key]) for key in ("model", "attribute") if verdict.get(key) is not None)
        found[f"privacy.{place}"] = verdict.get("achieved")
    for part in _MEASURED:
        found |= _flat(evidence.get(part), part)
    found |= _flat(evidence.get("method", {}).get("levels"), "levels")
    for name, table in evidence.get("tables", {}).items():
        found |= {f"{name}: {key}": value for key, value in _measures(table).items()}
    return {key: value for key, value in found.items() if not isinstance(value, str)}


def _flat(data: Any, place: str = "") -> dict[str, Any]:
    """Return nested mappings and lists as one mapping from paths to values."""
    if isinstance(data, Mapping) and data:
        pairs = [(str(key), value) for key, value in data.items()]
    elif isinstance(data, list) and any(isinstance(value, (Mapping, list)) for value in data):
        pairs = [(str(i + 1), value) for i, value in enumerate(data)]
    else:
        return {place: data} if place and data is not None else {}
    found: dict[str, Any] = {}
    for key, value in pairs:
        found |= _flat(value, f"{place}.{key}" if place else key)
    return found


def _side_by_side(sides: Sequence[Mapping[str, Any]], only_different: bool = False) -> dict[str, list[Any]]:
    keys = dict.fromkeys(key for side in sides for key in side)
    rows = {key: [side.get(key) for side in sides] for key in keys}
    return {key: row for key, row in rows.items() if not only_different or row[0] != row[1]}
