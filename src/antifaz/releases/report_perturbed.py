"""The section of the report on perturbed columns: what was done, what the measures say, and both pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from antifaz.releases.perturbation_charts import Bars, pictures
from antifaz.releases.report_parts import (
    Json,
    esc,
    explained,
    is_number,
    mapping,
    name,
    number,
    objects,
    paragraph,
    percent,
    section,
    table,
)  # fmt: skip

_HEADS = ("Column", "changed", "within 0.2 sd", "IL1s per cell", "mean moved by (sd)", "sd, times")


def perturbed(evidence: Json) -> str:
    """Say of every perturbation what it did to its columns."""
    steps = objects(evidence, "perturbation")
    if not steps:
        return ""
    rows = [
        (", ".join(name(column) for column in _columns(step)), explained(esc(step.get("name", "")), _settings(step)))
        for step in steps
    ]
    body = table("Perturbations, in their order", ("Columns", "What was done"), rows, kind="compact")
    measures = [(column, told) for step in steps for column, told in mapping(step, "measures").items()]
    if measures:
        body += _measures(measures)
    else:
        body += paragraph("The rows stayed where they are, and were not compared before and after.")
    for place, (column, told) in enumerate(measures):
        body += _pictures(place, str(column), told)
    return section("perturbed", "Perturbed columns", body)


def _columns(step: Json) -> list[Any]:
    columns = step.get("columns")
    return columns if isinstance(columns, list) else []


def _settings(step: Json) -> str:
    said = {key: value for key, value in mapping(step, "parameters").items() if value not in ([], None)}
    return ", ".join(f"{esc(key.replace('_', ' '))}: {esc(_setting(value))}" for key, value in said.items())


def _setting(value: object) -> str:
    return ", ".join(str(each) for each in value) if isinstance(value, list) else number(value)


def _measures(measures: list[tuple[Any, Any]]) -> str:
    rows = []
    for column, told in measures:
        found = told if isinstance(told, dict) else {}
        rows.append(
            (
                name(column),
                percent(found.get("changed")),
                percent(found.get("interval_risk")),
                *(number(found.get(key)) for key in ("il1s", "mean_moved", "sd_times")),
            )
        )
    said = (
        "Each column just before and just after its perturbation. “Within 0.2 sd” is the share of records whose "
        "released value still lies so near to their own: the lower, the better protected. The other measures say what "
        "was lost."
    )
    return paragraph(said) + table("How far values were moved", _HEADS, rows, numeric=range(1, len(_HEADS)))


def _pictures(place: int, column: str, told: object) -> str:
    """Both pictures of a column of numbers; of categories there are none."""
    found = told if isinstance(told, dict) else {}
    if "interval_risk" not in found:
        return ""
    counted, curve = mapping(found, "histogram"), _numbers(found, "errors")
    edges, before, after = (_numbers(counted, key) for key in ("edges", "before", "after"))
    whole = edges.size > 1 and before.size == after.size == edges.size - 1 and min(before.sum(), after.sum()) > 0
    drawn = Bars(edges=edges, before=before.astype(np.int64), after=after.astype(np.int64)) if whole else None
    heading = f"<h3>{name(column)}</h3>\n"
    return heading + pictures(place, column, drawn, curve if curve.size else None)


def _numbers(source: Json, key: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    given = source.get(key)
    return np.array([each for each in given if is_number(each)] if isinstance(given, list) else [], np.float64)
