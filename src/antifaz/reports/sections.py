"""The first half of the report: what was done, what holds, before and after. Each takes evidence and words."""

from __future__ import annotations

from collections.abc import Sequence

from antifaz.core.language import Words
from antifaz.releases.criteria import CRITERIA
from antifaz.reports.charts import class_size_bins, class_size_chart, level_chart
from antifaz.reports.parts import (
    Json,
    esc,
    explained,
    figure,
    is_number,
    legend,
    listed,
    mapping,
    name,
    objects,
    paragraph,
    said,
    section,
    table,
)
from antifaz.reports.texts import model_words


def verdict(evidence: Json, w: Words) -> str:
    """Say first of all whether what was asked for holds."""
    verdicts = objects(evidence, "privacy")
    failed = [v for v in verdicts if v.get("holds") is not True]
    if evidence.get("kind") == "light":
        kind, sign, title, text = "open", "!", w("verdict.light.title"), w("verdict.light.text")
    elif not verdicts:
        kind, sign, title, text = "open", "!", w("verdict.none.title"), w("verdict.none.text")
    elif failed:
        total = w.count("requirements", len(verdicts))
        kind, sign = "bad", "✕"
        title, text = w("verdict.failed.title", failed=w.number(len(failed)), total=total), w("verdict.failed.text")
    else:
        kind, sign = "good", "✓"
        several = w("verdict.holds.all", n=w.number(len(verdicts)))
        title = w("verdict.holds.one") if len(verdicts) == 1 else several
        text = w("verdict.holds.text")
    text += _beyond(evidence, w)
    return (
        f'<section class="verdict {kind}" aria-labelledby="verdict"><span class="sign" aria-hidden="true">{sign}</span>'
        f'<div><h2 id="verdict">{title}</h2><p>{text}</p></div></section>\n'
    )


def _beyond(evidence: Json, w: Words) -> str:
    """Say at once which of the three criteria attackers did better on than they should."""
    given = mapping(evidence, "criteria")
    names = [w(f"criteria.{key}") for key in CRITERIA if mapping(given, key).get("beyond_control") is True]
    return f" <strong>{w('verdict.beyond', criteria=', '.join(names))}</strong>" if names else ""


def tiles(evidence: Json, w: Words) -> str:
    """Show the few numbers that most readers want."""
    rows, risk, utility = (mapping(evidence, key) for key in ("rows", "risk", "utility"))
    shown: list[tuple[str, str, str]] = []
    if is_number(rows.get("released")):
        read = w("tiles.of_read", n=w.number(rows["read"])) if is_number(rows.get("read")) else ""
        shown.append((w("tiles.released"), w.number(rows["released"]), read))
    if is_number(rows.get("suppressed")):
        share = w("tiles.of_all", share=w.percent(rows["suppressed"] / rows["read"])) if rows.get("read") else ""
        shown.append((w("tiles.left_out"), w.number(rows["suppressed"]), share))
    if is_number(risk.get("singled_out_after")):
        before = risk.get("singled_out_before")
        note = w("tiles.before", records=w.count("records", before)) if is_number(before) else ""
        shown.append((w("tiles.singled_out"), w.number(risk["singled_out_after"]), note))
    highest = risk.get("highest", risk.get("prosecutor"))
    if is_number(highest):
        shown.append((w("tiles.highest"), w.percent(highest), w("tiles.highest_note")))
    if is_number(utility.get("loss")):
        shown.append((w("tiles.loss"), w.percent(utility["loss"]), w("tiles.loss_note")))
    body = "".join(
        f'<div><dt>{label}</dt><dd class="figure">{esc(value)}</dd><dd class="note">{note}</dd></div>'
        for label, value, note in shown
    )
    return f'<dl class="tiles">{body}</dl>\n' if body else ""


def warnings(evidence: Json, w: Words) -> str:
    """Pass on every warning of the run."""
    given = evidence.get("warnings")
    shown = [said(w, text) for text in given] if isinstance(given, list) else []
    return section("warnings", w("warnings.title"), listed(shown), "warnings")


def done(evidence: Json, w: Words) -> str:
    """Say what was done to the data, and why."""
    parts = (_purpose, _rows_words, _method_words, _attributes, _operations, _notes, _levels)
    return section("done", w("done.title"), "".join(part(evidence, w) for part in parts))


def _purpose(evidence: Json, w: Words) -> str:
    """The purpose that the controller gave, from the record of processing."""
    fields = mapping(evidence, "article_30")
    if not fields:
        return ""
    purpose = fields.get("b_purposes")
    return paragraph(w("done.why", purpose=esc(purpose)) if purpose else w("done.why_not"))


def _rows_words(evidence: Json, w: Words) -> str:
    rows = mapping(evidence, "rows")
    if not is_number(rows.get("read")) or not is_number(rows.get("released")):
        return ""
    left_out = rows.get("suppressed", 0)
    return paragraph(
        w("done.rows", read=w.count("records", rows["read"]), released=w.number(rows["released"])),
        w("done.left_out", records=w.count("records", left_out)) if left_out else w("done.none_left_out"),
    )


def _method_words(evidence: Json, w: Words) -> str:
    method = mapping(evidence, "method")
    if not method.get("name"):
        return ""
    key = str(method["name"])
    title, how = w.either(f"method.{key}.title", key), w.either(f"method.{key}.how", "")
    # Only plain parameters are shown: a method's decision may hold values of the data, and the seed stays inside.
    plain = {k: v for k, v in method.items() if k not in ("name", "seed") and isinstance(v, str | int | float)}
    settings = ", ".join(f"{esc(k.replace('_', ' '))}: {esc(w.number(v))}" for k, v in plain.items())
    rounds = method.get("rounds")
    if how and isinstance(rounds, list) and len(rounds) > 1:
        how += w("method.in_rounds", n=w.number(len(rounds)))
    named = f"<strong>{esc(title)}</strong>" + ("" if title == key else f" (<code>{esc(key)}</code>)")
    return paragraph(
        w("done.method_how", method=named, how=how) if how else w("done.method", method=named),
        w("done.settings", settings=f'<span lang="en">{settings}</span>') if settings else "",
    )


def _attributes(evidence: Json, w: Words) -> str:
    rows = []
    guarded = {v.get("attribute") for v in objects(evidence, "privacy") if isinstance(v.get("attribute"), str)}
    levels = {label: (level, height) for label, level, height in _level_list(evidence)}
    for attribute in objects(evidence, "attributes"):
        label, role = str(attribute.get("name", "")), str(attribute.get("role", ""))
        key = f"became.{role}"
        if label in levels and levels[label][0] == 0:
            key = "became.as_was"
        if role == "identifier" and attribute.get("released"):
            key = "became.covered"
        if role == "quasi-identifier" and evidence.get("kind") == "light":
            key = "became.light"
        if role == "sensitive" and label not in guarded:
            key = "became.unguarded"
        kind = str(attribute.get("type", ""))
        called = esc(w.either(f"role.{role}", role))
        rows.append((explained(name(label), esc(w.either(f"type.{kind}", kind))), explained(called, w.either(key, ""))))
    heads = (w("head.column"), w("head.role"))
    return table(w("done.columns"), heads, rows, kind="compact") if rows else ""


def _operations(evidence: Json, w: Words) -> str:
    """Say which operations were done to which columns, with what may be told of their parameters."""
    rows = []
    for attribute in objects(evidence, "attributes"):
        for operation in objects(attribute, "operations"):
            settings = {key: value for key, value in operation.items() if key != "name"}
            told = ", ".join(f"{esc(key)}: {esc(w.number(value))}" for key, value in settings.items())
            rows.append((name(attribute.get("name", "")), operation_words(w, operation.get("name", ""), told)))
    return table(w("done.operations"), (w("head.column"), w("head.operation")), rows) * bool(rows)


def _notes(evidence: Json, w: Words) -> str:
    """Pass on what was found in the data and done about it, such as missing values that were filled in."""
    given = evidence.get("notes")
    shown = listed(said(w, text) for text in given) if isinstance(given, list) else ""
    return f"<h3>{w('done.notes')}</h3>\n{shown}" if shown else ""


def operation_words(w: Words, key: object, settings: str) -> str:
    """Return the name of an operation or perturbation, what it does, and its settings, as HTML."""
    text = w.either(f"operation.{key}.text", "")
    told = f'<span lang="en">({settings})</span>' if settings else ""
    return explained(esc(w.either(f"operation.{key}.title", str(key))), " ".join(part for part in (text, told) if part))


def _level_list(evidence: Json) -> list[tuple[str, int, int]]:
    """Return (attribute, level, height) of the quasi-identifiers; the method's levels serve where nothing else does."""
    chosen = mapping(mapping(evidence, "method"), "levels")
    listed = []
    for attribute in objects(evidence, "attributes"):
        label = str(attribute.get("name", ""))
        level, height = attribute.get("level", chosen.get(label)), attribute.get("height")
        if is_number(level) and is_number(height):
            listed.append((label, int(level), int(height)))
    return listed


def _levels(evidence: Json, w: Words) -> str:
    listed = _level_list(evidence)
    if listed:
        return figure(w, w("levels.title"), level_chart(w, listed), w("levels.shows"), w("levels.how"))
    chosen = mapping(mapping(evidence, "method"), "levels")
    rows = [(name(label), esc(w.number(level))) for label, level in chosen.items()]
    return table(w("levels.table"), (w("head.column"), w("head.level")), rows, (1,)) if rows else ""


def holds(evidence: Json, w: Words) -> str:
    """Say which requirements hold, and what each does not stop."""
    rows = []
    for v in objects(evidence, "privacy"):
        title, asks, found, leaves = model_words(v, w)
        note = f" {said(w, v['note'])}" if v.get("note") else ""
        fits = v.get("holds") is True
        failing = ""
        if is_number(v.get("failing")) and v["failing"]:
            failing = "; " + w("holds.failing", records=w.count("records", v["failing"]))
        result = f'<span class="{"holds" if fits else "fails"}">{w("holds.yes") if fits else w("holds.no")}</span>'
        rows.append((explained(title, f"{asks} {leaves}{note}"), explained(result, found + failing)))
    if not rows:
        return ""
    heads = (w("holds.head"), w("head.result"))
    return section("holds", w("holds.title"), paragraph(w("holds.intro")) + table(w("holds.caption"), heads, rows))


def before_after(evidence: Json, w: Words) -> str:
    """Compare the groups before and after."""
    classes = mapping(evidence, "classes")
    old, new = mapping(classes, "before"), mapping(classes, "after")
    rows = [
        (w(f"compare.{key}"), esc(w.number(old.get(key))), esc(w.number(new.get(key))))
        for key in ("count", "smallest", "average", "largest")
        if key in old | new
    ]
    risk = mapping(evidence, "risk")
    alone = (risk.get("singled_out_before"), risk.get("singled_out_after"))
    words = ""
    if is_number(alone[0]) and is_number(alone[1]):
        rows.insert(0, (w("compare.alone"), w.number(alone[0]), w.number(alone[1])))
        words = paragraph(
            w("compare.before", records=w.count("records", alone[0]), few=_few(evidence, w)),
            w.count("now_alone", alone[1]) if alone[1] else w("compare.now_none"),
        )
    loss = mapping(evidence, "utility").get("loss")
    if is_number(loss):
        rows.append((w("utility.loss.title"), w.percent(0), w.percent(loss)))
    heads = (w("head.count"), w("head.before"), w("head.after"))
    shown = table(w("compare.caption"), heads, rows, (1, 2)) if rows else ""
    return section("compare", w("compare.title"), words + shown + _size_figure(evidence, w, old, new))


def _k(evidence: Json) -> int | None:
    """Return the group size that was asked for, if one was."""
    verdicts = [v for v in objects(evidence, "privacy") if v.get("model") in ("k-anonymity", "alpha-k")]
    return next((v["k"] for v in verdicts if isinstance(v.get("k"), int)), None)


def _few(evidence: Json, w: Words) -> str:
    k = _k(evidence)
    return w("compare.fewer", k=w.number(k)) if k is not None and k > 2 else w("compare.no_other")


def _size_figure(evidence: Json, w: Words, old: Json, new: Json) -> str:
    k = _k(evidence)
    bins = class_size_bins(_sizes(old), _sizes(new), k)
    if not bins:
        return ""
    how = w("sizes.how")
    if k is not None and any(b.low == k for b in bins):
        how += " " + w("sizes.how_k")
    both = legend(("before", w("legend.before")), ("after", w("legend.after")))
    return figure(w, w("sizes.title"), class_size_chart(w, bins, k), w("sizes.shows"), how, both)


def _sizes(side: Json) -> list[Sequence[int]]:
    given = side.get("sizes")
    pairs = given if isinstance(given, list) else []
    return [pair for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2 and all(map(is_number, pair))]
