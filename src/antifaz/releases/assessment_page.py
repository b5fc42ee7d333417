"""The page on any pair of tables: what the release keeps, what it gives away, and what attackers found."""

from __future__ import annotations

from antifaz.releases.charts import risk_chart
from antifaz.releases.report_parts import (
    Json,
    count,
    esc,
    explained,
    figure,
    is_number,
    mapping,
    name,
    number,
    objects,
    paragraph,
    percent,
    section,
    table,
)
from antifaz.releases.report_style import CSS, POLICY


def assessment_page(found: Json, title: str = "Assessment of a release") -> str:
    """Return a self-contained page of what `assess` found; only numbers and names of columns are shown."""
    parts = (_summary, _warnings, _risk, _disclosure, _attacks, _utility, _columns, _predictions, _limits)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{esc(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f'<header>\n<p class="eyebrow">Assessment</p>\n<h1>{esc(title)}</h1>\n</header>\n'
        f"<main>\n{''.join(part(found) for part in parts)}</main>\n"
        "<footer><p>Made by antifaz from the two tables alone. This page loads nothing and runs nothing.</p></footer>\n"
        "</body>\n</html>\n"
    )


def _summary(found: Json) -> str:
    rows, risk, utility = mapping(found, "rows"), mapping(found, "risk"), mapping(found, "utility")
    k = risk.get("k")
    return section(
        "summary",
        "In short",
        paragraph(
            f"Of {count(rows.get('original'), 'record')}, {number(rows.get('released'))} were released;",
            f"{number(rows.get('suppressed'))} are left out or say nothing.",
            f"{number(risk.get('singled_out_before'))} could be singled out before (fewer than {number(k)} look like "
            f"them), {number(risk.get('singled_out_after'))} can be now.",
            f"The highest risk that somebody is found is {percent(risk.get('prosecutor'))},",
            f"and {percent(utility.get('gcp'))} of the detail is lost.",
        ),
    )


def _warnings(found: Json) -> str:
    said = found.get("warnings")
    if not isinstance(said, list) or not said:
        return ""
    return section("warnings", "Take note", "<ul>" + "".join(f"<li>{esc(text)}</li>" for text in said) + "</ul>\n")


_RISKS = (
    ("prosecutor", "highest", "Prosecutor, highest", "Somebody known to be in the table: one over the smallest class."),
    ("prosecutor", "average", "Prosecutor, average", "The same, averaged over all records."),
    ("prosecutor", "at_risk", "Records above the threshold", "The share of records with a higher risk."),
    ("journalist", "highest", "Journalist, highest", "Somebody of the population, not known to be in the table."),
    ("journalist", "at_risk", "Records above, for the journalist", "The share of records with a higher risk."),
    ("marketer", "average", "Marketer", "The share of records found by who links everybody."),
    ("sample_uniqueness", "share", "Alone in the table", "The share of records that no other looks like."),
    ("population_uniqueness", "dankar", "Alone in the population", "Estimated by the model that Dankar's rule takes."),
)


def _risk(found: Json) -> str:
    risk = mapping(found, "risk")
    before, after = mapping(risk, "before"), mapping(risk, "after")
    rows = [
        [explained(word, text), *(percent(mapping(side, group).get(key)) for side in (before, after))]
        for group, key, word, text in _RISKS
        if group in after
    ]
    sizes = [
        [word, number(before.get(key)), number(after.get(key))]
        for key, word in (
            ("classes", "Classes"), ("smallest_class", "Smallest"), ("average_class", "Average"),
            ("largest_class", "Largest"),
        )
    ]  # fmt: skip
    limit = risk.get("threshold")
    chart = ""
    shown = [(w, risk[k]) for k, w in (("prosecutor", "Prosecutor"), ("journalist", "Journalist"),
                                       ("marketer", "Marketer")) if is_number(risk.get(k))]  # fmt: skip
    if is_number(limit) and shown:
        said = "A bar beyond the line means that some record, or for the marketer the mean of all, is above the limit."
        chart = figure("Three attackers", risk_chart(shown, float(limit)), said)
    heads = ("Risk", "Before", "After")
    return section(
        "risk",
        "Can people be found?",
        table("Risk of being found", heads, rows, (1, 2))
        + chart
        + table("Records that look alike", ("Class", "Before", "After"), sizes, (1, 2)),
    )


def _disclosure(found: Json) -> str:
    rows = []
    for column, told in mapping(mapping(found, "risk"), "disclosure").items():
        known = objects(told, "background_knowledge")
        similar = [value for value in mapping(told, "similarity").values() if is_number(value)]
        rows.append(
            [
                name(column),
                percent(mapping(told, "homogeneity").get("records")),
                percent(known[0].get("records") if known else None),
                percent(max(similar) if similar else None),
                percent(told.get("confidence")),
                number(mapping(told, "skewness").get("largest")),
            ]
        )
    if not rows:
        return ""
    heads = (
        "Attribute", "Given away", "After one value is ruled out", "Nearly the same", "Highest certainty",
        "Largest distance",
    )  # fmt: skip
    said = (
        "A class whose members all have one sensitive value gives it away without anybody being found. 'Given away' is "
        "the share of records in such classes; the distance is between a class and the whole table, 0 to 1."
    )
    return section(
        "disclosure",
        "Are sensitive values given away?",
        paragraph(said) + table("Attribute disclosure", heads, rows, range(1, 6)),
    )


def _attacks(found: Json) -> str:
    rows = []
    for told in objects(found, "attacks"):
        interval = told.get("interval")
        between = " – ".join(percent(end) for end in interval) if isinstance(interval, list | tuple) else ""
        rows.append(
            [
                explained(esc(told.get("name")), esc(told.get("reading", ""))),
                percent(told.get("success")),
                between,
                percent(told.get("control")),
                percent(told.get("chance")),
            ]
        )
    heads = ("Attack", "Success", "95 % interval", "Control", "Chance")
    said = "Control is the same attack on people who are not in the table: success beyond it is what the release adds."
    return section(
        "attacks", "What attackers found", paragraph(said) + table("Attacks", heads, rows, range(1, 5)) if rows else ""
    )


def _utility(found: Json) -> str:
    utility = mapping(found, "utility")
    tables, queries = mapping(utility, "tables"), mapping(utility, "queries")
    correlated = mapping(utility, "correlations")
    listed = (
        ("Loss", "The share of its domain that a value covers; 0 nothing lost.", number(utility.get("loss"))),
        ("GCP", "How wide released values are; 0 as they were, 1 nothing left.", number(utility.get("gcp"))),
        (
            "Precision",
            "How far down their hierarchies values still are; 1 as they were.",
            number(utility.get("precision")),
        ),
        ("Height", "The shares of their hierarchies climbed, summed over columns.", number(utility.get("height"))),
        ("Information kept", "The share of the columns' entropy that is left.", percent(utility.get("entropy"))),
        ("Discernibility", "How many records each can't be told from, summed.", number(utility.get("discernibility"))),
        ("One-way tables", "Mean total variation, 0 to 1.", number(tables.get("one_way"))),
        ("Two-way tables", "The same for every pair of columns.", number(tables.get("two_way"))),
        ("Correlations", "Mean change between numbers.", number(correlated.get("mean_change"))),
        ("Queries", "Median error of random counts.", percent(queries.get("median_relative_error"))),
    )
    rows = [[explained(word, text), value] for word, text, value in listed]
    return section("utility", "What does it still tell?", table("Utility", ("Measure", "Value"), rows, (1,)))


def _columns(found: Json) -> str:
    rows = []
    for column, told in mapping(mapping(found, "utility"), "columns").items():
        rows.append(
            [
                name(column),
                number(told.get("gcp")),
                percent(told.get("entropy")),
                percent(told.get("suppressed")),
                number(told.get("total_variation")),
                number(mapping(told, "ks").get("p")),
                number(told.get("earth_mover")),
            ]
        )
    heads = ("Column", "GCP", "Information kept", "Says nothing", "Total variation", "KS p", "Earth mover")
    return section("columns", "Column by column", table("Columns", heads, rows, range(1, 7)))


def _predictions(found: Json) -> str:
    rows = []
    for column, told in mapping(mapping(found, "utility"), "predictions").items():
        for kind in ("logistic", "tree"):
            if kind in told:
                both = mapping(told, kind)
                cells = (both.get("original"), both.get("released"), told.get("chance"))
                rows.append([name(column), kind, *(percent(cell) for cell in cells)])
    if not rows:
        return ""
    heads = ("Predicted", "Classifier", "Learned from the original", "From the release", "Always the commonest")
    said = "Right answers on original records, by what was learned from either table."
    return section(
        "predictions", "Can it be learned from?", paragraph(said) + table("Accuracy", heads, rows, (2, 3, 4))
    )


def _limits(found: Json) -> str:
    return section(
        "limits",
        "What this does not tell",
        paragraph(
            "All of it depends on which columns were called quasi-identifiers and sensitive.",
            "Estimates about the population are models. The attacks are those that were tried, with what they knew.",
        ),
    )
