"""The report's last sections: the record of processing (article 30(1) GDPR), and who answers for the release."""

from __future__ import annotations

from collections.abc import Iterable

from antifaz.core.language import Words
from antifaz.releases.record import CONTROLLER, article_30, given_in
from antifaz.reports.parts import (
    Json,
    esc,
    explained,
    listed,
    mapping,
    name,
    objects,
    paragraph,
    section,
    table,
)


def processing(evidence: Json, w: Words) -> str:
    """Show the fields (a) to (g) of the record; what is missing is to be filled in by hand."""
    kept = mapping(evidence, "article_30")
    if not kept:
        return ""
    fields = article_30(evidence, given_in(kept), w)
    who = [_said(w, w(f"record.{key}"), fields["a_controller"][key]) for key in CONTROLLER]
    rows = [
        (_letter("a", w), listed(who)),
        (_letter("b", w), _or_blank(w, fields["b_purposes"])),
        (_letter("c", w), _categories(fields["c_categories"], w)),
        (_letter("d", w), _or_blank(w, fields["d_recipients"])),
        (_letter("e", w), _or_blank(w, fields["e_third_country_transfers"])),
        (_letter("f", w), _erasure(fields["f_erasure"], w)),
        (_letter("g", w), listed(esc(measure) for measure in fields["g_measures"])),
    ]
    heads = (w("record.field"), w("record.entry"))
    return section(
        "record", w("record.heading"), paragraph(w("record.intro")) + table(w("record.caption"), heads, rows)
    )


def _letter(letter: str, w: Words) -> str:
    return explained(f"({letter})", w(f"record.{letter}"))


def _or_blank(w: Words, value: object) -> str:
    """What was said, or a line to write on."""
    if isinstance(value, list):
        value = ", ".join(str(each) for each in value)
    return esc(value) if value else f'<span class="blank">{w("record.blank")}</span>'


def _said(w: Words, label: str, value: object) -> str:
    return f"{label}: {_or_blank(w, value)}"


def _categories(given: Json, w: Words) -> str:
    columns = [
        f"{name(each.get('column'))}: {esc(each.get('treatment', ''))}" for each in objects(given, "personal_data")
    ]
    return listed([_said(w, w("record.data_subjects"), given.get("data_subjects")), *columns])


def _erasure(given: Json, w: Words) -> str:
    when = _said(w, w("record.original_and_release"), given.get("original_and_release"))
    return listed([when, esc(given.get("working_data", ""))])


def signatures(evidence: Json, w: Words) -> str:
    """Leave room for those who answer for the release."""
    if not mapping(evidence, "article_30"):
        return ""
    return section("sign", w("sign.heading"), paragraph(w("sign.intro")) + _lines(("controller", "officer"), w))


def _lines(roles: Iterable[str], w: Words) -> str:
    asked = tuple(w(f"sign.{key}") for key in ("name", "date", "signature"))
    cells = "".join(f"<dt>{label}</dt><dd></dd>" for label in asked)
    return "".join(f'<div class="sign"><h3>{w(f"sign.{role}")}</h3><dl>{cells}</dl></div>\n' for role in roles)
