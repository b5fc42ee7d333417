"""What values are, worked out from them alone: numbers that carry their own check, phone numbers, names of people.

Check digits are those of python-stdnum, phone numbers those that phonenumbers knows to be given out.

Names are recognized by the given names in them: the frequent ones of English, Spanish, Catalan and others. A list knows
the frequent names of some countries and no others. Names that are as often something else (months, states, towns,
words) are left out.
"""

import re
from collections.abc import Iterable, Sequence

from antifaz.core.given_names import FREQUENT_NAMES
from antifaz.core.identifying_numbers import CHECKED, CHECKED_BY, NATIONAL, REGIONS, is_phone, is_right
from antifaz.core.profile import FORMS
from antifaz.datasets.people_names import CULTURES, words
from antifaz.proposals.value_kinds import KINDS
from antifaz.proposals.words import plain, words_of

#: Values tried before all are: a column of something else is soon known.
_FIRST = 20
#: A number with decimals has the digits of a phone, and its one mark.
_DECIMAL = re.compile(r"[0-9]+[.][0-9]+")
#: Chance lets a tenth of all numbers pass a check digit; of one kind nearly all must.
_NEARLY_ALL = 0.9

#: Forms whose values reach one person or device, and nothing else has.
_REACHING = ("email", "iban", "dni", "rut", "ssn", "card", "mac", "ip", "url")
#: So many different values, and this share of a form, make a column of that form; half, of names of people.
_SEVERAL, _MOST, _HALF = 5, 0.8, 0.5
#: Different values that are parsed as phone numbers.
_PARSED = 300


def reaches_people(values: Sequence[str]) -> str | None:
    """Return the form of different values that reach people whatever their column is called, or None."""
    if len(values) < _SEVERAL:
        return None
    for name in _REACHING:
        if sum(FORMS[name].fullmatch(value.strip()) is not None for value in values) < _MOST * len(values):
            continue
        if name not in CHECKED or (share_right(name, values) or 0) >= _HALF:
            return name
    if min(map(len, values)) >= 8 and len(values) >= _FIRST and national_id(values):
        return "national-id"
    if _are_phones(values[:_PARSED]):
        return "phone"
    return "name" if share_of_people(values) >= _HALF else None


def _are_phones(values: Sequence[str]) -> bool:
    """Say whether values are phone numbers: written with marks, or so many plain ones that chance makes none."""
    texts = [value.strip() for value in values]
    fitting = [text for text in texts if FORMS["phone"].fullmatch(text) and not _DECIMAL.fullmatch(text)]
    if sum(not KINDS["date"](text) for text in fitting) < _MOST * len(texts):
        return False
    plain_ones = sum(map(str.isdigit, texts)) > len(texts) / 2
    if plain_ones and (len(texts) < _FIRST or min(map(len, texts)) < 9):
        return False
    return share_of_phones(texts) >= (_NEARLY_ALL if plain_ones else _MOST)


def share_right(kind: str, values: Sequence[str]) -> float | None:
    """Return the share of the values whose check is right; None where that kind of number has none."""
    if kind not in CHECKED_BY or not values:
        return None
    return sum(any(is_right(module, value) for module in CHECKED_BY[kind]) for value in values) / len(values)


def national_id(values: Sequence[str]) -> bool:
    """Say whether nearly all values are numbers that one state gives to people, by their check digits."""
    return any(
        _share(module, values[:_FIRST]) >= _NEARLY_ALL and _share(module, values) >= _NEARLY_ALL for module in NATIONAL
    )


def share_of_phones(values: Sequence[str]) -> float:
    """Return the share of the values that are phone numbers given out in one country, or with their prefix."""
    if not values:
        return 0.0
    some = values[:_FIRST]
    fitting = max((None, *REGIONS), key=lambda region: sum(is_phone(value, region) for value in some))
    return sum(is_phone(value, fitting) for value in values) / len(values)


def _share(module: str, values: Sequence[str]) -> float:
    return sum(is_right(module, value) for value in values) / len(values) if values else 0.0


#: Given names, written without accents, in lower case.
GIVEN = FREQUENT_NAMES | {
    plain(name) for women, men, _ in CULTURES.values() for name in (*words(women), *words(men)) if len(name) > 3
}
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")


def share_of_people(values: Iterable[str | None]) -> float:
    """Return the share of the values present that read as a person's name."""
    present = [value for value in values if value]
    return sum(map(_is_person, present)) / len(present) if present else 0.0


def _is_person(value: str) -> bool:
    """A given name in front, or behind a comma; up to six words and nothing else."""
    last, comma, first = value.partition(",")
    first_names = (first if comma else last).split()
    every = value.replace(",", " ").split()
    if not first_names or len(every) > 6 or not all(_WORD.fullmatch(word) for word in every):
        return False
    return bool(set(words_of(first_names[0])[:1]) & GIVEN)
