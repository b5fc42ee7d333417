"""Codes of official classifications, which lose their last characters level by level: ISCO-08 and NUTS.

Their hierarchies name no value of the data: what a code belongs to is what it begins with.
"""

import re
from collections.abc import Mapping, Sequence

from antifaz.core.messages import Message
from antifaz.core.profile import COMMON, ColumnProfile
from antifaz.core.types import DataType
from antifaz.core.verdicts import Proposal
from antifaz.proposals.themes import OCCUPATION, PLACE
from antifaz.proposals.words import find_entry, vocabulary, words_of

#: Columns of fewer different codes are better left as they are.
_FEW = 4
#: The major groups of ISCO-08 by their digit, and the sub-major groups that each has.
MAJOR_GROUPS = {
    "0": "Armed forces occupations", "1": "Managers", "2": "Professionals",
    "3": "Technicians and associate professionals", "4": "Clerical support workers", "5": "Service and sales workers",
    "6": "Skilled agricultural, forestry and fishery workers", "7": "Craft and related trades workers",
    "8": "Plant and machine operators, and assemblers", "9": "Elementary occupations",
}  # fmt: skip
_SUB_MAJOR = frozenset(
    f"{major}{n + 1}" for major, many in enumerate((3, 4, 6, 5, 4, 4, 3, 5, 3, 6)) for n in range(many)
)
_ISCO_NAMES = vocabulary("isco ciuo citp cpo cno")
#: What NUTS calls the states: those of the European Union, of EFTA, and those that are or were about to join.
_NUTS_STATES = """
    AL AT BE BG CH CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LI LT LU LV ME MK MT NL NO PL PT RO RS SE SI SK TR UK
"""
_NUTS = re.compile(r"([A-Z]{2})[0-9A-Z]{1,3}")
_NUTS_NAMES = vocabulary("nuts")


def by_isco(column: ColumnProfile, values: Sequence[str], counts: Mapping[str, int] | None) -> Proposal | None:
    """Occupations into minor, sub-major and major groups, the last with their names."""
    words = words_of(column.name)
    if column.type not in (DataType.TEXT, DataType.INTEGER) or len(values) < _FEW:
        return None
    surely = find_entry(words, _ISCO_NAMES)
    length = _length(values)
    if not surely and not (find_entry(words, OCCUPATION) and length in (3, 4)):
        return None
    if length not in (2, 3, 4) or not all(value.isdigit() and value[:2] in _SUB_MAJOR for value in values):
        return None
    shared = {value[0]: 0 for value in values}
    for value in values:
        shared[value[0]] += COMMON if counts is None else counts.get(value, 0)
    names = {digit + "*" * (length - 1): f"{digit} {MAJOR_GROUPS[digit]}" for digit, n in shared.items() if n >= COMMON}
    details: dict[str, object] = {"masking": 1, "levels": length - 1, **({"names": names} if names else {})}
    return Proposal(value="masking", reason=Message("reason.occupations-of-isco"), details=details)


def by_nuts(column: ColumnProfile, values: Sequence[str], counts: Mapping[str, int] | None) -> Proposal | None:
    """Regions into larger ones, and these into states."""
    length, words = _length(values), words_of(column.name)
    if column.type is not DataType.TEXT or len(values) < _FEW or length not in (3, 4, 5):
        return None
    states = [match[1] for value in values if (match := _NUTS.fullmatch(value))]
    if len(states) < len(values) or not set(states) <= set(_NUTS_STATES.split()):
        return None
    # Codes of countries have three letters, too.
    numbered = sum(any(map(str.isdigit, value)) for value in values) >= 0.8 * len(values)
    if not find_entry(words, _NUTS_NAMES) and not (numbered and find_entry(words, PLACE)):
        return None
    details: dict[str, object] = {"masking": 1, "levels": length - 2}
    return Proposal(value="masking", reason=Message("reason.regions-of-nuts"), details=details)


def _length(values: Sequence[str]) -> int:
    """Return how long all values are; 0 where they differ."""
    lengths = set(map(len, values))
    return lengths.pop() if len(lengths) == 1 else 0
