"""The page on any pair of tables: what the release keeps, what it gives away, and what attackers found."""

from __future__ import annotations

from antifaz.core.language import Words
from antifaz.reports.charts import risk_chart
from antifaz.reports.criteria import attacked, criteria
from antifaz.reports.parts import (
    Json,
    esc,
    explained,
    figure,
    is_number,
    mapping,
    name,
    objects,
    page,
    paragraph,
    section,
    table,
)
from antifaz.reports.sections import warnings
from antifaz.reports.texts import in_language


def assessment_page(found: Json, language: str = "en", title: str | None = None) -> str:
    """Return a self-contained page of what `assess` found; only numbers and names of columns are shown."""
    w = in_language(language)
    parts = (_summary, warnings, criteria, _risk, _disclosure, _described, _utility, _columns, _predictions, _limits)
    body = "".join(part(found, w) for part in parts)
    recipient = mapping(found, "criteria").get("recipient")
    meta = f'<p class="meta">{w("page.for", recipient=name(recipient))}</p>\n' if recipient else ""
    head = title or w("assess.title")
    return page(w, title=head, eyebrow=w("assess.eyebrow"), meta=meta, body=body, foot=w("assess.foot"))


def _summary(found: Json, w: Words) -> str:
    rows, risk, utility = mapping(found, "rows"), mapping(found, "risk"), mapping(found, "utility")
    told = (
        w("assess.rows", original=w.count("records", rows.get("original")), released=w.number(rows.get("released"))),
        w("assess.suppressed", suppressed=w.count("records", rows.get("suppressed"))),
        w(
            "assess.alone", before=w.number(risk.get("singled_out_before")), k=w.number(risk.get("k")),
            after=w.number(risk.get("singled_out_after")),
        ),
        w("assess.highest", risk=w.percent(risk.get("prosecutor")), lost=w.percent(utility.get("gcp"))),
    )  # fmt: skip
    return section("summary", w("assess.summary"), paragraph(*told))


#: Where each risk is, and the key of its words.
_RISKS = (
    ("prosecutor", "highest"),
    ("prosecutor", "average"),
    ("prosecutor", "at_risk"),
    ("journalist", "highest"),
    ("journalist", "at_risk"),
    ("marketer", "average"),
    ("sample_uniqueness", "share"),
    ("population_uniqueness", "dankar"),
)


def _risk(found: Json, w: Words) -> str:
    risk = mapping(found, "risk")
    before, after = mapping(risk, "before"), mapping(risk, "after")
    rows = [
        [
            explained(w(f"assess.{group}.{key}"), w(f"assess.{group}.{key}.text")),
            *(w.percent(mapping(side, group).get(key)) for side in (before, after)),
        ]
        for group, key in _RISKS
        if group in after
    ]
    sizes = [
        [w(f"assess.{key}"), esc(w.number(before.get(key))), esc(w.number(after.get(key)))]
        for key in ("classes", "smallest_class", "average_class", "largest_class")
    ]
    heads = (w("assess.risk"), w("head.before"), w("head.after"))
    shown = table(w("assess.risk_caption"), heads, rows, (1, 2)) + _attackers(risk, w)
    classes = table(w("assess.alike"), (w("assess.class"), *heads[1:]), sizes, (1, 2))
    return section("risk", w("assess.risk_heading"), shown + classes)


def _attackers(risk: Json, w: Words) -> str:
    limit = risk.get("threshold")
    shown = [
        (w(f"assess.{key}"), risk[key]) for key in ("prosecutor", "journalist", "marketer") if is_number(risk.get(key))
    ]
    if not is_number(limit) or not shown:
        return ""
    chart = risk_chart(w, shown, float(limit))
    return figure(w, w("assess.attackers"), chart, w("assess.attackers_shows"), w("assess.attackers_how"))


def _disclosure(found: Json, w: Words) -> str:
    rows = []
    for column, told in mapping(mapping(found, "risk"), "disclosure").items():
        known = objects(told, "background_knowledge")
        similar = [value for value in mapping(told, "similarity").values() if is_number(value)]
        rows.append(
            [
                name(column),
                w.percent(mapping(told, "homogeneity").get("records")),
                w.percent(known[0].get("records") if known else None),
                w.percent(max(similar) if similar else None),
                w.percent(told.get("confidence")),
                esc(w.number(mapping(told, "skewness").get("largest"))),
            ]
        )
    if not rows:
        return ""
    keys = ("attribute", "homogeneity", "background", "similarity", "confidence", "skewness")
    heads = tuple(w(f"disclosure.{key}") for key in keys)
    shown = table(w("disclosure.caption"), heads, rows, range(1, 6))
    return section("disclosure", w("disclosure.heading"), paragraph(w("disclosure.intro")) + shown)


def _described(found: Json, w: Words) -> str:
    """The attacks, where the criteria do not show them."""
    if mapping(found, "criteria"):
        return ""
    return section("attacks", w("attacks.heading"), attacked(objects(found, "attacks"), w))


def _utility(found: Json, w: Words) -> str:
    utility = mapping(found, "utility")
    tables, queries = mapping(utility, "tables"), mapping(utility, "queries")
    values = {
        "loss": w.number(utility.get("loss")),
        "gcp": w.number(utility.get("gcp")),
        "precision": w.number(utility.get("precision")),
        "height": w.number(utility.get("height")),
        "entropy": w.percent(utility.get("entropy")),
        "discernibility": w.number(utility.get("discernibility")),
        "one_way": w.number(tables.get("one_way")),
        "two_way": w.number(tables.get("two_way")),
        "correlations": w.number(mapping(utility, "correlations").get("mean_change")),
        "queries": w.percent(queries.get("median_relative_error")),
    }
    rows = [[explained(w(f"kept.{key}"), w(f"kept.{key}.text")), esc(value)] for key, value in values.items()]
    shown = table(w("kept.caption"), (w("head.measure"), w("head.value")), rows, (1,))
    return section("utility", w("kept.heading"), shown)


def _columns(found: Json, w: Words) -> str:
    rows = []
    for column, told in mapping(mapping(found, "utility"), "columns").items():
        rows.append(
            [
                name(column),
                esc(w.number(told.get("gcp"))),
                w.percent(told.get("entropy")),
                w.percent(told.get("suppressed")),
                esc(w.number(told.get("total_variation"))),
                esc(w.number(mapping(told, "ks").get("p"))),
                esc(w.number(told.get("earth_mover"))),
            ]
        )
    keys = ("column", "gcp", "entropy", "suppressed", "total_variation", "ks", "earth_mover")
    heads = tuple(w(f"columns.{key}") for key in keys)
    return section("columns", w("columns.heading"), table(w("columns.caption"), heads, rows, range(1, 7)))


def _predictions(found: Json, w: Words) -> str:
    rows = []
    for column, told in mapping(mapping(found, "utility"), "predictions").items():
        for kind in ("logistic", "tree"):
            if kind in told:
                both = mapping(told, kind)
                cells = (both.get("original"), both.get("released"), told.get("chance"))
                rows.append([name(column), w(f"predictions.{kind}"), *(w.percent(cell) for cell in cells)])
    if not rows:
        return ""
    keys = ("predicted", "classifier", "original", "released", "commonest")
    heads = tuple(w(f"predictions.{key}") for key in keys)
    shown = table(w("predictions.caption"), heads, rows, (2, 3, 4))
    return section("predictions", w("predictions.heading"), paragraph(w("predictions.intro")) + shown)


def _limits(found: Json, w: Words) -> str:
    return section("limits", w("limits.heading"), paragraph(w("assess.limits")))
