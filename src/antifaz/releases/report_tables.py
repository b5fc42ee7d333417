"""The report on several tables: what each came to, whether joins hold, and where each table's own report is."""

from __future__ import annotations

from urllib.parse import quote

from antifaz.releases import report_sections as sections
from antifaz.releases.report import page
from antifaz.releases.report_parts import Json, esc, mapping, name, number, objects, paragraph, section, table

_WAYS = {
    "one-to-one": "every value has become a value of its own, the same in all tables",
    "many-to-one": "values were made coarser, alike in all tables",
    "removed": "not released",
}


def render_tables(evidence: Json) -> str:
    """Return the report on a release of several tables as one self-contained HTML page."""
    return page(evidence, _tables(evidence) + sections.warnings(evidence) + _repeated(evidence))


def _tables(evidence: Json) -> str:
    rows = []
    for key, told in mapping(evidence, "tables").items():
        counted, risk = mapping(told, "rows"), mapping(told, "risk")
        models = "; ".join(esc(verdict.get("model")) for verdict in objects(told, "privacy")) or "none was asked for"
        link = f'<a href="{esc(quote(str(key)))}/report.html">report</a>'
        after = number(risk.get("singled_out_after"))
        rows.append([name(key), number(counted.get("read")), number(counted.get("released")), models, after, link])
    heads = ("Table", "Records read", "Released", "Privacy that holds", "Can be singled out", "More")
    said = "All tables were written aside and checked before any of them was put in place."
    return section("tables", "Tables", paragraph(said) + table("What each table came to", heads, rows, (1, 2, 4)))


def _repeated(evidence: Json) -> str:
    rows = []
    for said in objects(evidence, "repeated"):
        way = _WAYS.get(str(said.get("mapping")), "")
        columns = ", ".join(f"{name(t)}.{name(c)}" for t, c in mapping(said, "columns").items())
        joins = objects(said, "joins")
        for join in joins or [{}]:
            values, pairs = mapping(join, "matching_values"), mapping(join, "matching_rows")
            matched = [number(part.get(when)) for part in (values, pairs) for when in ("before", "after")]
            rows.append([name(said.get("name")), columns, way, *matched])
    if not rows:
        return ""
    heads = ("Attribute", "Columns", "What became of it", "Values before", "after", "Pairs of records before", "after")
    said_so = (
        "Counted in the sources and in the released rows: how many values, and pairs of records, two tables share."
    )
    return section(
        "joins", "Do joins still hold?", paragraph(said_so) + table("Matches between tables", heads, rows, (3, 4, 5, 6))
    )
