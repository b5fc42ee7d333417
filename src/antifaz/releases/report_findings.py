"""The second half of the report: utility, risk, limits, how it was checked. Each takes the evidence, gives HTML."""

from __future__ import annotations

from antifaz.releases.charts import risk_chart
from antifaz.releases.report_identifiers import checklist
from antifaz.releases.report_parts import (
    NONE,
    Json,
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
    size,
    table,
)  # fmt: skip
from antifaz.releases.report_words import RISK, UTILITY, Measure, measure

#: What the European Medicines Agency (Policy 0070) and Health Canada accept for publication.
LIMIT = 0.09


def utility(evidence: Json) -> str:
    """Say what the data is still good for."""
    rows = _measures(mapping(evidence, "utility"), UTILITY)
    if not rows:
        return ""
    intro = paragraph(
        "What the release is still good for. No single number says it all; compare them with another release."
    )
    return section("utility", "Utility", intro + table("Measures of utility", ("Measure", "Value"), rows, (1,)))


def _measures(given: Json, known: dict[str, Measure]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in given.items():
        words = measure(known, key)
        if isinstance(value, dict):
            parts = [
                (f'<span class="part">{name(part)}</span>', words.show(v))
                for part, v in value.items()
                if v is None or is_number(v)
            ]
            if parts:
                rows.append((explained(words.title, words.text), ""))
                rows += parts
        elif value is None or is_number(value):
            rows.append((explained(words.title, words.text), words.show(value)))
    return rows


def risk(evidence: Json) -> str:
    """Say what could still be found out, by whom, and how that compares with the usual limit."""
    given = mapping(evidence, "risk")
    rows = _measures(given, RISK)
    shown = table("Measures of risk", ("Measure", "Value"), rows, (1,)) if rows else ""
    body = _questions(evidence) + _against_limit(given) + shown + _attacks(evidence)
    recipient = evidence.get("recipient")
    nobody = "No recipient is named; the risks are those of anyone who has the file."
    whom = f"Recipient: {name(recipient)}." if recipient else nobody
    return section("risk", "Risk", paragraph(whom) + body) if given or objects(evidence, "attacks") else ""


def _questions(evidence: Json) -> str:
    """Answer the three questions of Opinion 05/2014 of the European data protection authorities."""
    alone = mapping(evidence, "risk").get("singled_out_after")
    first = (
        NONE
        if not is_number(alone)
        else f"{number(alone)} of the released records can be singled out by the quasi-identifiers named"
    )
    rows = [
        (explained("Singling out", "Can a record be told apart from all others?"), first),
        (explained("Linkability", "Can two records of one person be brought together?"), _success(evidence, ("link",))),
        (
            explained("Inference", "Can something be concluded about a person?"),
            _success(evidence, ("infer", "attribute", "homogen")),
        ),
    ]
    return table("The three questions of Opinion 05/2014 (WP 216)", ("Question", "Answer"), rows)


def _success(evidence: Json, words: tuple[str, ...]) -> str:
    attacks = [a for a in objects(evidence, "attacks") if any(w in str(a.get("name", "")).lower() for w in words)]
    if not attacks:
        return "not measured in this run"
    worst = max(attacks, key=lambda a: a["success"] if is_number(a.get("success")) else -1.0)
    success, chance = percent(worst.get("success")), percent(worst.get("chance"))
    return f"{success} of the attempts succeed{_interval(worst)}; by chance {chance}"


def _interval(attack: Json) -> str:
    ends = attack.get("interval")
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        return ""
    return f" ({percent(ends[0])} to {percent(ends[1])})"


def _against_limit(given: Json) -> str:
    named = (
        ("Highest risk of one record", given.get("highest", given.get("prosecutor"))),
        ("Average risk", given.get("average", given.get("marketer"))),
    )
    risks = [(label, float(value)) for label, value in named if is_number(value)]
    if not risks:
        return ""
    above = [label.lower() for label, value in risks if value > LIMIT]
    result = f"The {' and the '.join(above)} lies above it." if above else "The release is below it."
    how = (
        f"The longer the bar, the easier a person is found again. The dashed line is {LIMIT}, which the European "
        f"Medicines Agency and Health Canada accept for data that anyone may see: no group smaller than 12. {result} "
        "For a recipient bound by contract more may be acceptable; that is for you to decide."
    )
    return figure("The risk of being found again", risk_chart(risks, LIMIT), how)


def _attacks(evidence: Json) -> str:
    rows = [
        (
            esc(attack.get("name", "")),
            explained(percent(attack.get("success")), _interval(attack).strip(" ()")),
            percent(attack.get("control")),
            percent(attack.get("chance")),
        )
        for attack in objects(evidence, "attacks")
    ]
    if not rows:
        return ""
    intro = paragraph(
        "Attacks that were tried on the release. “Control” is the same attack on people who are not in it: only what "
        "succeeds more often than the control and than chance is a leak. Below each, the 95 % interval."
    )
    heads = ("Attack", "Success", "Control", "Chance")
    return "<h3>Attacks tried</h3>" + intro + table("Success of each attack", heads, rows, (1, 2, 3))


def identifiers(evidence: Json) -> str:
    """Go through HIPAA's eighteen identifiers."""
    attributes = objects(evidence, "attributes")
    if not attributes:
        return ""
    columns = mapping(evidence, "released").get("columns")
    rows = []
    for found in checklist(attributes, columns if isinstance(columns, list) else None):
        out = ", ".join(name(c) for c in found.removed)
        kept = ", ".join(name(c) for c in found.released)
        said = "; ".join([f"removed: {out}"] * bool(out) + [f"<strong>in the release:</strong> {kept}"] * bool(kept))
        rows.append((esc(found.identifier), said or "none seen"))
    intro = paragraph(
        "The identifiers that the HIPAA safe harbour asks to remove, looked for in the names of the columns only. "
        "What a column holds, text above all, must be looked at by a person; a generalized column is listed as well."
    )
    listed = table("By column name", ("Identifier", "Columns"), rows, kind="compact")
    return section("hipaa", "HIPAA's eighteen identifiers", intro + listed)


_LIMITS = (
    "k-anonymity alone does not stop attribute disclosure: where all records of a group share a sensitive value, "
    "whoever knows that a person is in the group knows the value. ℓ-diversity and t-closeness are there for that.",
    "Nor does k-anonymity alone stop singling out for good: it counts the quasi-identifiers that were named. A column "
    "that was taken for harmless, or knowledge nobody thought of, can still tell people apart.",
    "Someone who has another release of the same people can combine the two; each release has to be judged with the "
    "earlier ones.",
    "The numbers hold for this file, its columns and their roles as declared. Joining other data to it changes them.",
    "Whether the result still is personal data is a legal judgement about means reasonably likely to be used. This "
    "report gives that judgement its numbers; it never calls data “anonymous” by itself.",
)


def limits(evidence: Json) -> str:
    """Say what this report does not say."""
    return section(
        "limits", "What this does not say", "<ul>" + "".join(f"<li>{text}</li>" for text in _LIMITS) + "</ul>"
    )


def checked(evidence: Json) -> str:
    """Say how the release was checked, which file it is, and how long the steps took."""
    by = evidence.get("checked_by")
    if not by and not mapping(evidence, "released"):
        words = paragraph("The evidence does not say that the released file was checked.")
    else:
        words = paragraph(
            "The rows were written to a temporary place, read back and counted again; only then was the file put where "
            "it is.",
            f"Checked by {esc(by)}." if by else "",
        )
    return section("checked", "How it was checked", words + _file(evidence) + _seconds(evidence))


def _file(evidence: Json) -> str:
    released = mapping(evidence, "released")
    columns = released.get("columns")
    rows = [
        ("File", name(released["file"]) if released.get("file") else ""),
        ("Format", esc(released.get("format", ""))),
        ("Records", esc(number(released["rows"])) if "rows" in released else ""),
        ("Columns", ", ".join(name(c) for c in columns) if isinstance(columns, list) else ""),
        ("SHA-256", f"<code>{esc(released['sha256'])}</code>" if released.get("sha256") else ""),
        ("Parts", f"{released['parts']:,}" if released.get("parts") else ""),
        ("Fingerprint of all rows", f"<code>{esc(released['fingerprint'])}</code>" if released.get("parts") else ""),
    ]
    rows = [row for row in rows if row[1]]
    if not rows:
        return ""
    shown = table("The released file", ("Property", "Value"), rows)
    tail = "Who has the file can compute its SHA-256 and see that it is the one this report is about."
    return shown + (paragraph(tail) if released.get("sha256") else "")


def _seconds(evidence: Json) -> str:
    seconds = {step: value for step, value in mapping(evidence, "seconds").items() if is_number(value)}
    rows = [(esc(step), f"{value:,.2f}") for step, value in seconds.items()]
    if not rows:
        return ""
    rows.append(("<strong>all steps</strong>", f"<strong>{sum(seconds.values()):,.2f}</strong>"))
    memory = size(evidence.get("peak_memory_bytes"))
    tail = paragraph(f"Most memory in use: {memory}.") if memory != NONE else ""
    return table("Time per step", ("Step", "Seconds"), rows, (1,)) + tail
