"""The report's section on earlier releases of the same people: what all of them give away together."""

from __future__ import annotations

from antifaz.core.language import Words
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


def ledger(evidence: Json, w: Words) -> str:
    """Say what the ledger found; nothing where the release was not checked with one."""
    given = mapping(evidence, "ledger")
    if not given:
        return ""
    if not given.get("checked"):
        return section("ledger", w("ledger.heading"), paragraph(w("ledger.not")) + _notes(given))
    earlier = [told for told in objects(given, "earlier") if told.get("shared")]
    if not earlier:
        return section("ledger", w("ledger.heading"), paragraph(w("ledger.first")) + _notes(given))
    heads = (w("ledger.attack"), w("ledger.smallest"), w("ledger.exposed"), w("ledger.result"))
    rows = [_attack(key, found, w) for key, found in mapping(given, "attacks").items() if isinstance(found, dict)]
    body = paragraph(w("ledger.intro", n=w.number(len(earlier)), k=w.number(given.get("k"))))
    body += table(w("ledger.caption"), heads, rows, (1, 2)) + _despite(mapping(given, "despite"), w) + _notes(given)
    return section("ledger", w("ledger.heading"), body)


def _attack(key: str, found: Json, w: Words) -> tuple[str, ...]:
    title = w.either(f"ledger.{key}", str(key))
    told = explained(esc(title), w.either(f"ledger.{key}.does", ""))
    result = w("ledger.holds") if found.get("holds") else f"<strong>{w('ledger.fails')}</strong>"
    return told, esc(w.number(found.get("smallest"))), esc(w.number(found.get("exposed"))), result


def _despite(said: Json, w: Words) -> str:
    if not said:
        return ""
    when = esc(str(said.get("when", ""))[:10])
    return paragraph(w("ledger.despite", who=name(said.get("by")), when=when), esc(said.get("reason", "")))


def _notes(given: Json) -> str:
    notes = given.get("notes")
    return listed([esc(note) for note in notes]) if isinstance(notes, list) and notes else ""
