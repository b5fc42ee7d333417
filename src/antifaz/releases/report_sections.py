"""The first half of the report: what was done, what holds, before and after. Each takes the evidence, gives HTML."""

from __future__ import annotations

from collections.abc import Sequence

from antifaz.releases.charts import class_size_bins, class_size_chart, level_chart
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
)  # fmt: skip
from antifaz.releases.report_words import METHODS, UTILITY, model_words

_LEGEND = (
    '<p class="legend"><span><span class="swatch before"></span>before</span>'
    '<span><span class="swatch after"></span>after (the release)</span></p>'
)


def verdict(evidence: Json) -> str:
    """Say first of all whether what was asked for holds."""
    verdicts = objects(evidence, "privacy")
    failed = [v for v in verdicts if v.get("holds") is not True]
    if evidence.get("kind") == "light":
        kind, sign, title = "open", "!", "No privacy was evaluated"
        text = "This is a light release: operations were done to columns, and nothing more. It is not anonymous."
    elif not verdicts:
        kind, sign, title = "open", "!", "No privacy requirement is recorded"
        text = "Nothing can be said about what this release protects."
    elif failed:
        kind, sign, title = "bad", "✕", f"{len(failed)} of {count(len(verdicts), 'requirement')} not met"
        text = "This data must not be passed on as it is. The table “What holds” says which requirement failed."
    else:
        kind, sign = "good", "✓"
        title = "The requirement holds" if len(verdicts) == 1 else f"All {len(verdicts)} requirements hold"
        text = "Counted in the rows of the released file, not taken from what the method believed."
    return (
        f'<section class="verdict {kind}" aria-labelledby="verdict"><span class="sign" aria-hidden="true">{sign}</span>'
        f'<div><h2 id="verdict">{title}</h2><p>{text}</p></div></section>\n'
    )


def tiles(evidence: Json) -> str:
    """Show the few numbers that most readers want."""
    rows, risk, utility = (mapping(evidence, key) for key in ("rows", "risk", "utility"))
    shown: list[tuple[str, str, str]] = []
    if is_number(rows.get("released")):
        read = f"of {number(rows['read'])} read" if is_number(rows.get("read")) else ""
        shown.append(("Records released", number(rows["released"]), read))
    if is_number(rows.get("suppressed")):
        share = f"{percent(rows['suppressed'] / rows['read'])} of all" if rows.get("read") else ""
        shown.append(("Records left out", number(rows["suppressed"]), share))
    if is_number(risk.get("singled_out_after")):
        before = risk.get("singled_out_before")
        note = f"{number(before)} records before" if is_number(before) else ""
        shown.append(("Singled out", number(risk["singled_out_after"]), note))
    highest = risk.get("highest", risk.get("prosecutor"))
    if is_number(highest):
        shown.append(("Highest risk", percent(highest), "for the record worst protected"))
    if is_number(utility.get("loss")):
        shown.append(("Information loss", percent(utility["loss"]), "of the detail"))
    body = "".join(
        f'<div><dt>{label}</dt><dd class="figure">{esc(value)}</dd><dd class="note">{note}</dd></div>'
        for label, value, note in shown
    )
    return f'<dl class="tiles">{body}</dl>\n' if body else ""


def warnings(evidence: Json) -> str:
    """Pass on every warning of the run."""
    given = evidence.get("warnings")
    said = [str(w) for w in given] if isinstance(given, list) else []
    if not said:
        return ""
    items = "".join(f"<li>{esc(text)}</li>" for text in said)
    return (
        '<section class="warnings" aria-labelledby="warnings"><h2 id="warnings">What needs your attention</h2>'
        f"<ul>{items}</ul></section>\n"
    )


def done(evidence: Json) -> str:
    """Say what was done to the data."""
    return section(
        "done",
        "What was done",
        _rows_words(evidence)
        + _method_words(evidence)
        + _attributes(evidence)
        + _operations(evidence)
        + _levels(evidence),
    )


def _rows_words(evidence: Json) -> str:
    rows = mapping(evidence, "rows")
    if not is_number(rows.get("read")) or not is_number(rows.get("released")):
        return ""
    left_out = rows.get("suppressed", 0)
    return paragraph(
        f"{count(rows['read'], 'record')} read, {number(rows['released'])} released.",
        f"{count(left_out, 'record')} left out, because they would have stood out." if left_out else "None left out.",
    )


def _method_words(evidence: Json) -> str:
    method = mapping(evidence, "method")
    if not method.get("name"):
        return ""
    how = METHODS.get(str(method["name"]))
    # Only plain parameters are shown: a method's decision may hold values of the data, and the seed stays inside.
    plain = {
        key: value
        for key, value in method.items()
        if key not in ("name", "seed") and isinstance(value, str | int | float)
    }
    said = ", ".join(f"{esc(key.replace('_', ' '))}: {esc(number(value))}" for key, value in plain.items())
    rounds = method.get("rounds")
    if how and isinstance(rounds, list) and len(rounds) > 1:
        how += f", within each of {len(rounds)} rounds over what the round before had left out"
    return paragraph(
        f"The method was <strong>{esc(method['name'])}</strong>" + (f": {how}." if how else "."),
        f"Its settings: {said}." if said else "",
    )


_ROLE_WORDS = {
    "identifier": "removed: it names a person by itself",
    "quasi-identifier": "generalized: identifying in combination",
    "sensitive": "released; a requirement below limits what can be learned",
    "insensitive": "released",
}


def _attributes(evidence: Json) -> str:
    rows = []
    guarded = {v.get("attribute") for v in objects(evidence, "privacy") if isinstance(v.get("attribute"), str)}
    levels = {label: (level, height) for label, level, height in _level_list(evidence)}
    for attribute in objects(evidence, "attributes"):
        label, role = str(attribute.get("name", "")), str(attribute.get("role", ""))
        what = _ROLE_WORDS.get(role, "")
        if label in levels and levels[label][0] == 0:
            what = "released as it was: identifying in combination"
        if role == "identifier" and attribute.get("released"):
            what = "released after an operation that covers who it is"
        if role == "quasi-identifier" and evidence.get("kind") == "light":
            what = "released: identifying in combination"
        if role == "sensitive" and label not in guarded:
            what = "released as it is: no requirement limits what can be learned"
        rows.append((explained(name(label), esc(attribute.get("type", ""))), explained(esc(role), what)))
    return table("The columns, and what became of them", ("Column", "Role"), rows, kind="compact") if rows else ""


def _operations(evidence: Json) -> str:
    """Say which operations were done to which columns, with what may be told of their parameters."""
    rows = []
    for attribute in objects(evidence, "attributes"):
        for operation in objects(attribute, "operations"):
            settings = {key: value for key, value in operation.items() if key != "name"}
            said = ", ".join(f"{esc(key)}: {esc(number(value))}" for key, value in settings.items())
            rows.append((name(attribute.get("name", "")), explained(esc(operation.get("name", "")), said)))
    return table("Operations on columns, before all else", ("Column", "Operation"), rows, kind="compact") * bool(rows)


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


def _levels(evidence: Json) -> str:
    listed = _level_list(evidence)
    if listed:
        how = (
            "One bar per quasi-identifier. Each step of its hierarchy is one piece; the coloured ones were climbed. An "
            "empty bar means the values are released as they were, a full one that nothing of the attribute is left."
        )
        return figure("How far each attribute was generalized", level_chart(listed), how)
    chosen = mapping(mapping(evidence, "method"), "levels")
    rows = [(name(label), esc(number(level))) for label, level in chosen.items()]
    if not rows:
        return ""
    return table("Level of generalization, 0 being the values as they were", ("Column", "Level"), rows, (1,))


def holds(evidence: Json) -> str:
    """Say which requirements hold, and what each does not stop."""
    rows = []
    for v in objects(evidence, "privacy"):
        title, asks, found, leaves = model_words(v)
        note = f" {esc(v['note'])}" if v.get("note") else ""
        fits = v.get("holds") is True
        failing = f"; {count(v['failing'], 'record')} failing" if is_number(v.get("failing")) and v["failing"] else ""
        result = f'<span class="{"holds" if fits else "fails"}">{"✓ holds" if fits else "✕ fails"}</span>'
        rows.append((explained(title, f"{asks} {leaves}{note}"), explained(result, found + failing)))
    if not rows:
        return ""
    intro = paragraph(
        "Each requirement was counted again in the file that was written. “Group” means the records that share the "
        "same values in all quasi-identifiers."
    )
    heads = ("Requirement, and what it leaves open", "Result")
    return section("holds", "What holds", intro + table("Requirements and what was found", heads, rows))


def before_after(evidence: Json) -> str:
    """Compare the groups before and after."""
    classes = mapping(evidence, "classes")
    old, new = mapping(classes, "before"), mapping(classes, "after")
    labels = {"count": "Groups", "smallest": "Smallest group", "average": "Average group", "largest": "Largest group"}
    rows = [
        (label, esc(number(old.get(key))), esc(number(new.get(key))))
        for key, label in labels.items()
        if key in old | new
    ]
    risk = mapping(evidence, "risk")
    alone = (risk.get("singled_out_before"), risk.get("singled_out_after"))
    words = ""
    if is_number(alone[0]) and is_number(alone[1]):
        rows.insert(0, ("Records that can be singled out", number(alone[0]), number(alone[1])))
        words = paragraph(
            f"Before, {count(alone[0], 'record')} could be singled out: {_few(evidence)} shared the same combination "
            "of quasi-identifiers, so who knew that combination had found the person or nearly so. In the release "
            f"there {'is' if alone[1] == 1 else 'are'} {number(alone[1]) if alone[1] else 'none'}."
        )
    loss = mapping(evidence, "utility").get("loss")
    if is_number(loss):
        rows.append((UTILITY["loss"].title, percent(0), percent(loss)))
    shown = table("Groups of records that look the same", ("Count", "Before", "After"), rows, (1, 2)) if rows else ""
    return section("compare", "Before and after", words + shown + _size_figure(evidence, old, new))


def _k(evidence: Json) -> int | None:
    """Return the group size that was asked for, if one was."""
    verdicts = [v for v in objects(evidence, "privacy") if v.get("model") in ("k-anonymity", "alpha-k")]
    return next((v["k"] for v in verdicts if isinstance(v.get("k"), int)), None)


def _few(evidence: Json) -> str:
    k = _k(evidence)
    return f"fewer than {number(k)} records" if k is not None and k > 2 else "no other record"


def _size_figure(evidence: Json, old: Json, new: Json) -> str:
    k = _k(evidence)
    bins = class_size_bins(_sizes(old), _sizes(new), k)
    if not bins:
        return ""
    how = (
        "The number at the left is the size of a group; the bars say how many records are in groups of that size. At "
        "the top are people who stand alone or nearly so; the further down, the more a record hides among others."
    )
    if k is not None and any(b.low == k for b in bins):
        how += " Above the dashed line groups are smaller than what was asked for: the release must have no bar there."
    return figure("How many records hide among how many", class_size_chart(bins, k), how, _LEGEND)


def _sizes(side: Json) -> list[Sequence[int]]:
    given = side.get("sizes")
    pairs = given if isinstance(given, list) else []
    return [pair for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2 and all(map(is_number, pair))]
