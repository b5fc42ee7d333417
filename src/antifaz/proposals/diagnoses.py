"""Codes of ICD-10 by category, by ten categories, and by chapter."""

import re
from collections.abc import Sequence

_CODE = re.compile(r"[A-Z][0-9]{2}(\.?[0-9A-Z]{1,4})?")
#: The chapters of ICD-10 by their first and last category.
_CHAPTERS = """
    A00–B99 C00–D49 D50–D89 E00–E90 F00–F99 G00–G99 H00–H59 H60–H95 I00–I99 J00–J99 K00–K95 L00–L99 M00–M99 N00–N99
    O00–O99 P00–P96 Q00–Q99 R00–R99 S00–T98 U00–U99 V01–Y98 Z00–Z99
"""
#: So many of the values must be codes; the rest stay by themselves.
KNOWN = 0.9


def icd_levels(values: Sequence[str]) -> list[dict[str, list[str]]] | None:
    """Return levels of groups: categories (E11), ten of them (E10–E19), chapters (E00–E90)."""
    codes = {value: value.strip().upper() for value in values}
    known = {value: code[:3] for value, code in codes.items() if _CODE.fullmatch(code) and _chapter(code[:3])}
    if len(known) < KNOWN * len(values) or len(set(known.values())) < 2:
        return None
    categories = {value: known.get(value, value) for value in values}
    tens = {category: _tens(category) if category in known.values() else category for category in categories.values()}
    chapters = {ten: _chapter(category) or ten for category, ten in tens.items()}
    return [_grouped(level) for level in (categories, tens, chapters)]


def _tens(category: str) -> str:
    """Ten categories together: no chapter ends between them."""
    return f"{category[:2]}0–{category[:2]}9"


def _chapter(category: str) -> str | None:
    for chapter in _CHAPTERS.split():
        first, last = chapter.split("–")
        if first <= category <= last:
            return chapter
    return None


def _grouped(above: dict[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for member, label in above.items():
        groups.setdefault(label, []).append(member)
    return groups
