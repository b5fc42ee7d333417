"""Groups of categories, from what their values say.

Countries, diagnoses, bands of numbers, occupations, schooling, common first words, or how rare they are.
"""

import re
from collections.abc import Mapping, Sequence

from antifaz.core.messages import Message
from antifaz.core.profile import COMMON, ColumnProfile
from antifaz.core.verdicts import Proposal
from antifaz.proposals.bands import band_levels
from antifaz.proposals.countries import country_codes, folded, parts
from antifaz.proposals.occupations import BROAD, TITLES, occupation_group
from antifaz.proposals.themes import COUNTRY, EDUCATION
from antifaz.proposals.value_kinds import is_missing
from antifaz.proposals.words import find_entry, plain, words_of

#: So many of the values must be known for a column to be what it seems; the rest become 'Other'.
KNOWN = 0.8
#: A value that fewer records have than this share of them is rare.
RARE = 0.05
OTHER = "Other"
#: How many records have each value, where that is known.
Counts = Mapping[str, int] | None
#: How values begin that only say that none of the others fits.
_NOT_TOLD = re.compile(
    r"\W*(other|otr[oa]s?|altr[ei]s?|altro|autres?|andere|sonstige|outr[oa]s?|unknown|inconnu|no[nt]?)\b"
)
_ICD_CODE = re.compile(r"[A-Z][0-9]{2}(\.?[0-9A-Z]{1,4})?")
#: The chapters of ICD-10 by their first and last category.
_ICD_CHAPTERS = """
    A00–B99 C00–D49 D50–D89 E00–E90 F00–F99 G00–G99 H00–H59 H60–H95 I00–I99 J00–J99 K00–K95 L00–L99 M00–M99 N00–N99
    O00–O99 P00–P96 Q00–Q99 R00–R99 S00–T98 U00–U99 V01–Y98 Z00–Z99
"""
#: So many of the values must be codes; the rest stay by themselves.
ICD_KNOWN = 0.9
_FIRST = re.compile(r"[\s_/,:;-]+")

#: Schooling by words in English, Spanish and Catalan; the first that fits decides.
_SCHOOLING = {
    "Higher education": r"doctor|phd|master|bachelor|licencia|diploma?tur|universi|college|degree|prof.school|graduad|"
    r"ingenie|enginy|postgra|tertiary|higher|superior",
    "Vocational": r"assoc|vocation|profesional|professional|\bfp\b|cicle|ciclo|apprentice|trade|tecnic",
    "Secondary": r"\bhs\b|high.school|(9|10|11|12)th|secund|second|bachiller|batxiller|\beso\b|\bbup\b|\bcou\b|a.level",
    "Primary or none": r"primar|elementa|pre.?school|kindergarten|\d(st|nd|rd|th)|sin estudios|sense estudis|none|"
    r"analfabet|illitera|\begb\b|infantil",
}
_LEVELS_ABOVE = {
    "Beyond secondary": ("Higher education", "Vocational"),
    "Up to secondary": ("Secondary", "Primary or none"),
}


def by_country(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Countries into parts of continents, and these into continents."""
    codes = country_codes()
    known = {value: parts()[codes[folded(value)]] for value in values if folded(value) in codes}
    # Codes of two letters are many things; without a name that says so only whole names count.
    whole = sum(len(folded(value)) > 3 for value in known)
    if not (find_entry(words_of(column.name), COUNTRY) or 2 * whole > len(values)) or len(known) < KNOWN * len(values):
        return None
    regions = _grouped({value: known.get(value, (OTHER, OTHER))[0] for value in values})
    above = _grouped({part: continent for part, continent in {(OTHER, OTHER), *known.values()} if part in regions})
    return _proposal([regions, above], Message("reason.countries"), counts)


def by_schooling(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Degrees and school years into levels of education."""
    if not find_entry(words_of(column.name), EDUCATION):
        return None
    levels = {value: level for value in values if (level := _schooling(value))}
    if len(levels) < KNOWN * len(values):
        return None
    first = _grouped({value: levels.get(value, OTHER) for value in values})
    upper = {level: above for above, below in _LEVELS_ABOVE.items() for level in below}
    second = _grouped({level: upper.get(level, OTHER) for level in first})
    return _proposal([first, second], Message("reason.schooling"), counts)


def by_occupation(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Titles of occupations into the major groups of ISCO-08, and these into four."""
    if not find_entry(words_of(column.name), TITLES):
        return None
    groups = {value: group for value in values if (group := occupation_group(value))}
    untold = sum(bool(_NOT_TOLD.match(plain(value))) or is_missing(value) for value in values if value not in groups)
    if len(groups) < KNOWN * (len(values) - untold) or len(set(groups.values())) < 3:
        return None
    first = _grouped({value: groups.get(value, OTHER) for value in values})
    second = _grouped({group: BROAD.get(group, group) for group in first})
    return _proposal([first, second], Message("reason.occupations-by-title"), counts)


def _schooling(value: str) -> str | None:
    return next((level for level, words in _SCHOOLING.items() if re.search(words, plain(value))), None)


def by_bands(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Bands of numbers together with their neighbours."""
    levels = band_levels(values)
    return None if levels is None else _proposal(levels, Message("reason.bands"), counts)


def by_icd(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Diagnoses into categories, tens of categories and chapters."""
    levels = icd_levels(values)
    return None if levels is None else _proposal(levels, Message("reason.icd"), counts)


def by_first_word(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Values that begin with the same word into one group."""
    words: dict[str, list[str]] = {}
    for value in values:
        words.setdefault(_FIRST.split(value.strip())[0].casefold(), []).append(value)
    shared = {word for word, some in words.items() if len(some) > 1 and len(word) > 2 and word.isalpha()}
    if not 2 <= len(words) <= 0.75 * len(values) or 2 * sum(len(words[word]) for word in shared) < len(values):
        return None
    groups = {}
    for word, some in words.items():
        label = f"{_FIRST.split(some[0].strip())[0]} …" if word in shared else "{" + ", ".join(some) + "}"
        groups[some[0] if len(some) == 1 else label] = some
    return _proposal([groups], Message("reason.same-first-word"), counts)


def by_frequency(values: Sequence[str], counts: Counts) -> Proposal | None:
    """Rare values into one group, the others as they are."""
    if not counts or len(values) < 4:
        return None
    rows = sum(counts.get(value, 0) for value in values)
    rare = [value for value in values if counts.get(value, 0) < RARE * rows]
    kept = [value for value in values if value not in set(rare)]
    if len(rare) < 2 or len(kept) < 2 or OTHER in values:
        return None
    groups = {value: [value] for value in kept} | {OTHER: rare}
    reason = Message("reason.rare-values", count=len(rare), share=RARE, other=OTHER)
    return _proposal([groups], reason, counts)


def _grouped(above: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for value, label in sorted(above.items()):
        groups.setdefault(label, []).append(value)
    return dict(sorted(groups.items()))


def _proposal(levels: list[dict[str, list[str]]], reason: Message, counts: Counts) -> Proposal | None:
    """Keep the levels that bring something together and leave something apart.

    Values that few records share are not named, because a project file is read by others than the data: they go to
    the rest.
    """
    first, *higher = levels
    values = [value for members in first.values() for value in members]
    shared = {value for value in values if counts is None or counts.get(value, 0) >= COMMON}
    if len(shared) < len(values):
        if OTHER in values:
            return None
        levels = [_only(first, shared)]
        for level in higher:
            levels.append(_only(level, set(levels[-1])))
        reason = Message("reason.few-share-values", reason=reason, common=COMMON, other=OTHER)
    useful = [level for level in levels if len(level) > 1]
    if not useful or useful[0] is not levels[0]:
        return None
    rest = {} if len(shared) == len(values) else {"rest": OTHER}
    return Proposal(value="groups", reason=reason, details={"groups": useful, **rest})


def _only(level: Mapping[str, list[str]], values: set[str]) -> dict[str, list[str]]:
    """Return a level without the members that are not wanted, and without groups that have none left."""
    left = {label: [member for member in members if member in values] for label, members in level.items()}
    return {label: members for label, members in left.items() if members}


def icd_levels(values: Sequence[str]) -> list[dict[str, list[str]]] | None:
    """Return levels of groups: categories (E11), ten of them (E10–E19), chapters (E00–E90)."""
    codes = {value: value.strip().upper() for value in values}
    known = {value: code[:3] for value, code in codes.items() if _ICD_CODE.fullmatch(code) and _chapter(code[:3])}
    if len(known) < ICD_KNOWN * len(values) or len(set(known.values())) < 2:
        return None
    categories = {value: known.get(value, value) for value in values}
    tens = {category: _tens(category) if category in known.values() else category for category in categories.values()}
    chapters = {ten: _chapter(category) or ten for category, ten in tens.items()}
    return [_grouped(level) for level in (categories, tens, chapters)]


def _tens(category: str) -> str:
    """Ten categories together: no chapter ends between them."""
    return f"{category[:2]}0–{category[:2]}9"


def _chapter(category: str) -> str | None:
    for chapter in _ICD_CHAPTERS.split():
        first, last = chapter.split("–")
        if first <= category <= last:
            return chapter
    return None
