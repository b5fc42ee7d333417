"""The report's section on the three European criteria: what attackers found, for whom, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from antifaz.core.language import Words
from antifaz.releases.criteria import CRITERIA, criterion_of
from antifaz.reports.charts import Tried, attack_chart, short
from antifaz.reports.parts import (
    Json,
    esc,
    explained,
    figure,
    is_number,
    legend,
    mapping,
    name,
    objects,
    paragraph,
    section,
    table,
)


def criteria(evidence: Json, w: Words) -> str:
    """Answer the three questions of Opinion 05/2014 for the recipient, with intervals, controls and chance."""
    given = mapping(evidence, "criteria")
    if not given:
        return ""
    whom = given.get("recipient")
    intro = paragraph(w("criteria.recipient", recipient=name(whom)) if whom else w("criteria.nobody"))
    attacks = [attack for key in CRITERIA for attack in objects(mapping(given, key), "attacks")]
    rows = [_answer(key, mapping(given, key), w) for key in CRITERIA]
    heads = (w("criteria.question"), w("criteria.answer"))
    answers = table(w("criteria.caption"), heads, rows)
    body = intro + paragraph(w("criteria.intro")) + answers + attacked(attacks, w)
    return section("criteria", w("criteria.heading"), body)


def _answer(key: str, given: Json, w: Words) -> tuple[str, str]:
    question = explained(w(f"criteria.{key}"), w(f"criteria.{key}.asks"))
    worst = mapping(given, "worst")
    if not worst:
        why = w.either(f"reason.{given.get('reason')}", w("reason.unfit"))
        return question, explained(w("criteria.not_measured"), why)
    success = f"<strong>{w.percent(worst.get('success'))}</strong> ({interval(worst, w)})"
    beside = w("criteria.beside", control=w.percent(worst.get("control")), chance=w.percent(worst.get("chance")))
    told = w("criteria.beyond") if given.get("beyond_control") else w("criteria.not_beyond")
    by = w("criteria.by", attack=attack_name(worst, w))
    return question, explained(f"{success}; {beside}", f"{by} {told}")


def interval(attack: Json, w: Words) -> str:
    """Return an attack's 95 % interval in words."""
    ends = attack.get("interval")
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        return ""
    return w("interval", low=w.percent(ends[0]), high=w.percent(ends[1]))


def attack_name(attack: Json, w: Words) -> str:
    """Return what an attack is called, as HTML: its own name, with those of columns set apart."""
    own = str(attack.get("name", ""))
    if own.startswith("inference of "):
        return w("attack.inference", attribute=name(own.removeprefix("inference of ")))
    if own.startswith("linkage: "):
        return w("attack.linkage_by", who=name(own.removeprefix("linkage: ")))
    return w.either(f"attack.{own}", esc(own))


def attacked(attacks: Sequence[Json], w: Words) -> str:
    """Draw attacks and list their figures; nothing where there are none."""
    rows = [
        (
            attack_name(attack, w),
            explained(w.percent(attack.get("success")), interval(attack, w)),
            w.percent(attack.get("control")),
            w.percent(attack.get("chance")),
            w.number(attack.get("number")),
        )
        for attack in attacks
    ]
    if not rows:
        return ""
    heads = tuple(w(f"attacks.{key}") for key in ("attack", "success", "control", "chance", "number"))
    groups = [
        (
            w(f"criteria.{key}"),
            [_drawn(a, w) for a in attacks if criterion_of(a) == key and is_number(a.get("success"))],
        )
        for key in CRITERIA
    ]
    shapes = legend(
        ("dot", w("attacks.success")), ("reach", w("attacks.interval")), ("ring", w("attacks.control")),
        ("bar", w("attacks.chance")),
    )  # fmt: skip
    chart = attack_chart(w, [(heading, tried) for heading, tried in groups if tried])
    shown = figure(w, w("criteria.chart"), chart, w("criteria.shows"), w("criteria.how"), shapes)
    return shown + table(w("attacks.caption"), heads, rows, (1, 2, 3, 4)) + paragraph(w("attacks.control_is"))


def _short_name(own: str, w: Words) -> str:
    """What an attack is called in the chart, under the heading of its criterion: a phone is narrow."""
    for start in ("inference of ", "linkage: "):
        own = own.removeprefix(start)
    return short(w.either(f"attack.short.{own}", own))


def _drawn(attack: Json, w: Words) -> Tried:
    ends = attack.get("interval")
    low, high = ends if isinstance(ends, list | tuple) and len(ends) == 2 else (attack["success"],) * 2
    return Tried(
        name=_short_name(str(attack.get("name", "")), w),
        success=float(attack["success"]),
        low=float(low) if is_number(low) else 0.0,
        high=float(high) if is_number(high) else 1.0,
        control=attack["control"] if is_number(attack.get("control")) else None,
        chance=attack["chance"] if is_number(attack.get("chance")) else None,
    )
