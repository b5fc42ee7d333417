"""Propose which values of a column stand for what is not known, and how its dates and numbers may be written.

Nothing is taken as missing, and no text as a date, without a yes.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antifaz.core.messages import Message, as_data
from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.types import DataType
from antifaz.engines.engine import Data
from antifaz.proposals.bands import FEWEST, in_order
from antifaz.proposals.clues import LOOKED_AT, ColumnClues
from antifaz.sources.written_forms import forms_of

#: A column with more different values than this is not looked at.
MOST_VALUES = 50_000
#: More different values than this are no bands.
MOST_BANDS = 200
#: How people write, in seven languages, that nothing is known; without case and blanks around it.
_WORDS = {
    "?", "??", ".", "..", "-", "--", "---", "–", "—", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "<null>",
    "(null)", "n/d", "n.d.", "nd", "s/d", "s.d.", "ns/nc", "ns", "nc", "k.a.", "k. a.", "missing", "(missing)",
    "unknown", "not available", "not known", "not stated", "no data", "no answer", "no response", "undefined",
    "prefer not to say", "prefer not to answer", "don't know", "desconocido", "desconocida", "se desconoce", "sin dato",
    "sin datos", "no consta", "no disponible", "no contesta", "no sabe", "desconegut", "desconeguda", "sense dades",
    "inconnu", "inconnue", "non renseigné", "non-réponse", "non réponse", "ne sait pas",
    "ne veut pas répondre", "unbekannt", "keine angabe", "weiß nicht", "sconosciuto", "non disponibile", "non so",
    "desconhecido", "não informado", "não sabe", "ignorado",
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
_STATE = re.compile("[A-Z]{2}")
_DAY = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([T ].*)?")
#: Numbers that questionnaires use where there is no answer.
_HIGH = re.compile(r"(9{2,5}|9*[78]|77|88)(\.0+)?")
_LOW = re.compile(r"-(1|[789]|9{2,5}|9*[78])(\.0+)?")
#: How far a code must lie beyond the other values, as a share of itself.
_APART = 0.7


@dataclass(frozen=True)
class MissingCode:
    """A value that may stand for what is not known, how often it is there, and why it is thought so."""

    code: str
    count: int
    reason: Message

    def as_dict(self) -> dict[str, Any]:
        """Return it as data that JSON can hold."""
        return {"code": self.code, "count": self.count, "reason": as_data(self.reason)}


def written_forms(data: Data, profile: Profile) -> dict[str, list[str]]:
    """Return for each column of text the dates or numbers that it may be written as; a person says which it is."""
    found = {}
    for column in profile:
        if column.type is DataType.TEXT and 0 < column.distinct <= MOST_VALUES:
            values = {value for value in data.count([column.name]).values[0] if value is not None}
            known = {value for value in values if value.strip().casefold() not in _WORDS}
            forms = forms_of(known) or (["set"] if _separator(column, known) else [])
            if forms:
                found[column.name] = forms
    return found


def _separator(column: ColumnProfile, values: Collection[str]) -> str | None:
    return ColumnClues(column, sorted(values)[:LOOKED_AT]).choices


@dataclass(frozen=True)
class ProposedSet:
    """A column whose cells seem to hold several items: what stands between them, and why it is thought so."""

    separator: str
    reason: Message

    @property
    def written(self) -> dict[str, Any]:
        """What a project file says of such a column."""
        return {"type": "set"} | ({} if self.separator == ";" else {"items": {"separator": self.separator}})

    def as_dict(self) -> dict[str, Any]:
        """Return it as data that JSON can hold."""
        return {"separator": self.separator, "reason": as_data(self.reason)}


def proposed_sets(data: Data, profile: Profile, forms: Mapping[str, Sequence[str]]) -> dict[str, ProposedSet]:
    """Return the columns whose cells seem to hold several items; a person says whether they do."""
    sets = {}
    for name in (name for name, own in forms.items() if list(own) == ["set"]):
        values = {value for value in data.count([name]).values[0] if value is not None}
        known = {value for value in values if value.strip().casefold() not in _WORDS}
        if mark := _separator(profile[name], known):
            items = {item.strip() for value in known for item in value.split(mark)} - {""}
            several = sum(mark in value for value in known)
            figures = {"several": several, "values": len(known), "items": len(items), "separator": mark.strip() or mark}
            sets[name] = ProposedSet(mark.strip() or mark, Message("reason.set-of-items", **figures))
    return sets


def ordered_bands(data: Data, profile: Profile) -> dict[str, list[str]]:
    """Return for each column of bands of numbers, such as 55–64 and 65+, the bands in their order."""
    ordered = {}
    for column in profile:
        if column.type is DataType.TEXT and FEWEST <= column.distinct <= MOST_BANDS:
            bands = bands_of(data, column.name)
            if bands is not None:
                ordered[column.name] = bands
    return ordered


def bands_of(data: Data, column: str) -> list[str] | None:
    """Return the values of a column that are all bands in their order, words for missing aside; None of others."""
    values = [value for value in data.count([column]).values[0] if value is not None]
    known = [value for value in values if value.strip().casefold() not in _WORDS]
    return in_order(known) if len(known) <= MOST_BANDS else None


def missing_codes(data: Data, profile: Profile | None = None) -> dict[str, list[MissingCode]]:
    """Return for each column that has some the values that may mean missing, most frequent first."""
    found = {}
    for column in profile or data.profile():
        if not 0 < column.distinct <= MOST_VALUES:
            continue
        counted = data.count([column.name])
        values = {counted.values[0][code]: int(n) for code, n in zip(counted.codes[0], counted.counts, strict=True)}
        codes = _codes(column, {value.strip(): n for value, n in values.items() if value is not None and value.strip()})
        if codes:
            found[column.name] = sorted(codes, key=lambda code: -code.count)
    return found


def _codes(column: ColumnProfile, counts: Mapping[str, int]) -> list[MissingCode]:
    words = [value for value in counts if value.casefold() in _WORDS]
    # Among states and countries NC, ND and NA are states and a country.
    if sum(bool(_STATE.fullmatch(value)) for value in counts) > len(counts) / 2:
        words = [value for value in words if not _STATE.fullmatch(value)]
    others = [value for value in counts if value not in words]
    plain = bool(others) and all(_NUMBER.fullmatch(value) or _DAY.fullmatch(value) for value in others)
    reason = Message("reason.missing-word-among-numbers") if plain else Message("reason.missing-word")
    # Where there is nothing else, the word is what the column is about.
    made = [MissingCode(word, counts[word], reason) for word in words] if others else []
    if column.type.is_number or (words and all(_NUMBER.fullmatch(value) for value in others)):
        numbers = {value: float(value.replace(",", ".")) for value in others}
        made += [MissingCode(code, counts[code], Message("reason.missing-number")) for code in _apart(numbers)]
    return made if column.type is not DataType.BOOLEAN else []


def _apart(numbers: Mapping[str, float]) -> list[str]:
    """Return the codes that lie apart from all numbers that are none."""
    low = [text for text in numbers if _LOW.fullmatch(text)]
    high = [text for text in numbers if _HIGH.fullmatch(text) and numbers[text] >= 77]
    rest = [number for text, number in numbers.items() if text not in low and text not in high]
    if len(rest) < 2:
        return []
    apart = low if min(rest) >= 0 else []
    return [*apart, *(text for text in high if max(rest) <= _APART * numbers[text])]
