"""The report on several tables: what each came to, whether joins hold, and where each table's own report is."""

from __future__ import annotations

from urllib.parse import quote

from antifaz.core.language import Words
from antifaz.reports import sections as sections
from antifaz.reports.parts import Json, esc, mapping, name, objects, paragraph, section, table
from antifaz.reports.report import whole
from antifaz.reports.texts import in_language


def render_tables(evidence: Json, language: str = "en") -> str:
    """Return the report on a release of several tables as one self-contained HTML page."""
    w = in_language(language)
    return whole(evidence, _tables(evidence, w) + sections.warnings(evidence, w) + _repeated(evidence, w), w)


def _tables(evidence: Json, w: Words) -> str:
    rows = []
    for key, told in mapping(evidence, "tables").items():
        counted, risk = mapping(told, "rows"), mapping(told, "risk")
        asked = [str(verdict.get("model")) for verdict in objects(told, "privacy")]
        models = "; ".join(esc(w.either(f"model.{model}.title", model)) for model in asked) or w("tables.none")
        link = f'<a href="{esc(quote(str(key)))}/report.html">{w("tables.report")}</a>'
        after = w.number(risk.get("singled_out_after"))
        rows.append([name(key), w.number(counted.get("read")), w.number(counted.get("released")), models, after, link])
    heads = tuple(w(f"tables.head.{key}") for key in ("table", "read", "released", "holds", "alone", "more"))
    shown = table(w("tables.caption"), heads, rows, (1, 2, 4))
    return section("tables", w("tables.heading"), paragraph(w("tables.intro")) + shown)


def _repeated(evidence: Json, w: Words) -> str:
    rows = []
    for told in objects(evidence, "repeated"):
        way = w.either(f"joins.{told.get('mapping')}", "")
        columns = ", ".join(f"{name(t)}.{name(c)}" for t, c in mapping(told, "columns").items())
        joins = objects(told, "joins")
        for join in joins or [{}]:
            values, pairs = mapping(join, "matching_values"), mapping(join, "matching_rows")
            matched = [w.number(part.get(when)) for part in (values, pairs) for when in ("before", "after")]
            rows.append([name(told.get("name")), columns, way, *matched])
    if not rows:
        return ""
    heads = tuple(
        w(f"joins.head.{key}") for key in ("attribute", "columns", "became", "values", "after", "pairs", "after")
    )
    shown = table(w("joins.caption"), heads, rows, (3, 4, 5, 6))
    return section("joins", w("joins.heading"), paragraph(w("joins.intro")) + shown)
