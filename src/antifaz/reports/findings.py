"""The second half of the report: utility, risk, limits, how it was checked. Each takes evidence and words."""

from __future__ import annotations

from antifaz.core.language import Words
from antifaz.releases.criteria import hipaa_checklist
from antifaz.releases.evidence import LIMIT
from antifaz.reports.charts import risk_chart
from antifaz.reports.parts import (
    NONE,
    Json,
    esc,
    explained,
    figure,
    is_number,
    listed,
    mapping,
    name,
    objects,
    paragraph,
    said,
    section,
    table,
)
from antifaz.reports.texts import measure


def utility(evidence: Json, w: Words) -> str:
    """Say what the data is still good for."""
    rows = _measures(w, "utility", mapping(evidence, "utility"))
    if not rows:
        return ""
    shown = table(w("utility.caption"), (w("head.measure"), w("head.value")), rows, (1,))
    return section("utility", w("utility.heading"), paragraph(w("utility.intro")) + shown)


def _measures(w: Words, family: str, given: Json) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in given.items():
        words = measure(w, family, key)
        if isinstance(value, dict):
            parts = [
                (f'<span class="part">{name(part)}</span>', words.show(w, v))
                for part, v in value.items()
                if v is None or is_number(v)
            ]
            if parts:
                rows.append((explained(words.title, words.text), ""))
                rows += parts
        elif value is None or is_number(value):
            rows.append((explained(words.title, words.text), words.show(w, value)))
    return rows


def risk(evidence: Json, w: Words) -> str:
    """Say how likely people are found, and how that compares with the usual limit."""
    given = mapping(evidence, "risk")
    rows = _measures(w, "risk", given)
    shown = table(w("risk.caption"), (w("head.measure"), w("head.value")), rows, (1,)) if rows else ""
    return section("risk", w("risk.heading"), _against_limit(given, w) + shown)


def _against_limit(given: Json, w: Words) -> str:
    named = (
        (w("risks.highest"), given.get("highest", given.get("prosecutor"))),
        (w("risks.average"), given.get("average", given.get("marketer"))),
    )
    risks = [(label, float(value)) for label, value in named if is_number(value)]
    if not risks:
        return ""
    limit = w.number(LIMIT)
    results = [w("risks.is_above" if value > LIMIT else "risks.is_within", risk=label) for label, value in risks]
    how = " ".join([w("risks.how", limit=limit), *results, w("risks.decide")])
    return figure(w, w("risks.title"), risk_chart(w, risks, LIMIT), w("risks.shows", limit=limit), how)


def identifiers(evidence: Json, w: Words) -> str:
    """Go through HIPAA's eighteen identifiers."""
    attributes = objects(evidence, "attributes")
    if not attributes:
        return ""
    columns = mapping(evidence, "released").get("columns")
    rows = []
    for found in hipaa_checklist(attributes, columns if isinstance(columns, list) else None):
        out = ", ".join(name(c) for c in found.removed)
        kept = ", ".join(name(c) for c in found.released)
        told = [w("hipaa.removed", columns=out)] * bool(out)
        told += [f"<strong>{w('hipaa.released')}</strong> {kept}"] * bool(kept)
        rows.append((w(f"hipaa.{found.identifier}"), "; ".join(told) or w("hipaa.none")))
    shown = table(w("hipaa.caption"), (w("head.identifier"), w("head.columns")), rows, kind="compact")
    return section("hipaa", w("hipaa.heading"), paragraph(w("hipaa.intro")) + shown)


def limits(evidence: Json, w: Words) -> str:
    """Say what this report does not say."""
    told = [w(f"limits.{i}") for i in range(1, 7)]
    return section("limits", w("limits.heading"), listed(told))


def checked(evidence: Json, w: Words) -> str:
    """Say how the release was checked, which file it is, and how long the steps took."""
    by = evidence.get("checked_by")
    if not by and not mapping(evidence, "released"):
        words = paragraph(w("checked.not"))
    else:
        words = paragraph(w("checked.how"), w("checked.by", by=said(w, by)) if by else "")
    return section("checked", w("checked.heading"), words + _file(evidence, w) + _seconds(evidence, w))


def _file(evidence: Json, w: Words) -> str:
    released = mapping(evidence, "released")
    columns = released.get("columns")
    rows = [
        (w("file.name"), name(released["file"]) if released.get("file") else ""),
        (w("file.format"), esc(released.get("format", ""))),
        (w("file.records"), esc(w.number(released["rows"])) if "rows" in released else ""),
        (w("file.columns"), ", ".join(name(c) for c in columns) if isinstance(columns, list) else ""),
        ("SHA-256", f"<code>{esc(released['sha256'])}</code>" if released.get("sha256") else ""),
        (w("file.parts"), esc(w.number(released["parts"])) if released.get("parts") else ""),
        (w("file.fingerprint"), f"<code>{esc(released.get('fingerprint'))}</code>" if released.get("parts") else ""),
    ]
    rows = [row for row in rows if row[1]]
    if not rows:
        return ""
    shown = table(w("file.caption"), (w("head.property"), w("head.value")), rows)
    return shown + (paragraph(w("file.hash")) if released.get("sha256") else "")


def _seconds(evidence: Json, w: Words) -> str:
    seconds = {step: value for step, value in mapping(evidence, "seconds").items() if is_number(value)}
    rows = [(esc(w.either(f"step.{step}", step)), w.fixed(value, 2)) for step, value in seconds.items()]
    if not rows:
        return ""
    total = w.fixed(sum(seconds.values()), 2)
    rows.append((f"<strong>{w('step.all')}</strong>", f"<strong>{total}</strong>"))
    memory = w.size(evidence.get("peak_memory_bytes"))
    tail = paragraph(w("checked.memory", memory=memory)) if memory != NONE else ""
    return table(w("checked.seconds"), (w("head.step"), w("head.seconds")), rows, (1,)) + tail
