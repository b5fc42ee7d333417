"""The section of the report on perturbed columns: what was done, what the measures say, and both pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from antifaz.core.language import Words
from antifaz.reports.parts import Json, esc, is_number, mapping, name, objects, paragraph, section, table
from antifaz.reports.perturbation_charts import Bars, pictures
from antifaz.reports.sections import operation_words

_HEADS = ("column", "changed", "within", "il1s", "moved", "sd")


def perturbed(evidence: Json, w: Words) -> str:
    """Say of every perturbation what it did to its columns."""
    steps = objects(evidence, "perturbation")
    if not steps:
        return ""
    rows = [
        (
            ", ".join(name(column) for column in _columns(step)),
            operation_words(w, step.get("name", ""), _settings(step, w)),
        )
        for step in steps
    ]
    body = table(w("perturbed.caption"), (w("head.columns"), w("perturbed.what")), rows)
    measures = [(column, told) for step in steps for column, told in mapping(step, "measures").items()]
    body += _measures(measures, w) if measures else paragraph(w("perturbed.stayed"))
    for place, (column, told) in enumerate(measures):
        body += _pictures(place, str(column), told, w)
    return section("perturbed", w("perturbed.heading"), body)


def _columns(step: Json) -> list[Any]:
    columns = step.get("columns")
    return columns if isinstance(columns, list) else []


def _settings(step: Json, w: Words) -> str:
    said = {key: value for key, value in mapping(step, "parameters").items() if value not in ([], None)}
    return ", ".join(f"{esc(key.replace('_', ' '))}: {esc(_setting(value, w))}" for key, value in said.items())


def _setting(value: object, w: Words) -> str:
    return ", ".join(str(each) for each in value) if isinstance(value, list) else w.number(value)


def _measures(measures: list[tuple[Any, Any]], w: Words) -> str:
    rows = []
    for column, told in measures:
        found = told if isinstance(told, dict) else {}
        rows.append(
            (
                name(column),
                w.percent(found.get("changed")),
                w.percent(found.get("interval_risk")),
                *(w.number(found.get(key)) for key in ("il1s", "mean_moved", "sd_times")),
            )
        )
    heads = tuple(w(f"perturbed.head.{key}") for key in _HEADS)
    return paragraph(w("perturbed.intro")) + table(w("perturbed.moved"), heads, rows, numeric=range(1, len(heads)))


def _pictures(place: int, column: str, told: object, w: Words) -> str:
    """Both pictures of a column of numbers; of categories there are none."""
    found = told if isinstance(told, dict) else {}
    if "interval_risk" not in found:
        return ""
    counted, curve = mapping(found, "histogram"), _numbers(found, "errors")
    edges, before, after = (_numbers(counted, key) for key in ("edges", "before", "after"))
    whole = edges.size > 1 and before.size == after.size == edges.size - 1 and min(before.sum(), after.sum()) > 0
    drawn = Bars(edges=edges, before=before.astype(np.int64), after=after.astype(np.int64)) if whole else None
    return pictures(place, column, drawn, curve if curve.size else None, w)


def _numbers(source: Json, key: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    given = source.get(key)
    return np.array([each for each in given if is_number(each)] if isinstance(given, list) else [], np.float64)
