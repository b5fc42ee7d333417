"""Proposes what each column may give away, from its name and its counts, with the reason for it.

The rules are tried in order and the first that applies decides; each says in one sentence why. In doubt they lean to
the side that protects: a column wrongly called a quasi-identifier loses detail, one wrongly called insensitive gives
people away.
"""

from __future__ import annotations

from collections.abc import Callable

from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.core.verdicts import Proposal
from antifaz.proposals.words import (
    ID,
    IDENTIFIER,
    NAME,
    NUMBER,
    PERSON,
    QUASI_IDENTIFIER,
    SENSITIVE,
    found,
    without,
    words_of,
)

#: Above this share of different values a text is taken to point at one person.
UNIQUE = 0.95
#: A number with no more different values than this is taken for a category.
FEW = 30
#: From this share on, the pattern of the values decides.
MOST = 0.8

_PATTERNS = {"email": "e-mail addresses", "phone": "phone numbers"}
_DATES = (DataType.DATE, DataType.DATETIME)


def roles(profile: Profile) -> dict[str, Proposal]:
    """Return a proposed role for every column; the proposal's `value` is the role's name."""
    return {column.name: _role(column) for column in profile}


def _role(column: ColumnProfile) -> Proposal:
    words = words_of(column.name)
    for rule in _RULES:
        proposal = rule(column, words)
        if proposal is not None:
            return proposal
    return _say(Role.INSENSITIVE, "Nothing in its name or its values points at a person.")


def _say(role: Role, reason: str) -> Proposal:
    return Proposal(value=role.value, reason=reason)


def _present(column: ColumnProfile) -> int:
    return column.rows - column.missing


def _is_unique(column: ColumnProfile) -> bool:
    return column.distinct > UNIQUE * _present(column) and _present(column) > 1


def _says_nothing(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if _present(column) == 0:
        return _say(Role.INSENSITIVE, "It is empty.")
    if column.distinct == 1 and column.missing == 0:
        return _say(Role.INSENSITIVE, "Every record has the same value.")
    return None


def _looks_like_contact(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    for pattern, share in column.patterns:
        # Dates and measurements may be written like phone numbers.
        fits = pattern == "email" or column.type in (DataType.TEXT, DataType.INTEGER)
        if pattern in _PATTERNS and share >= MOST and fits and not _is_yes_or_no(column):
            return _say(Role.IDENTIFIER, f"Its values look like {_PATTERNS[pattern]}, which reach one person.")
    return None


def _is_yes_or_no(column: ColumnProfile) -> bool:
    """Whether a column such as 'phone' only says whether there is one: two values name nobody."""
    return column.type is DataType.BOOLEAN or (column.distinct <= 2 and _present(column) >= 10)


def _named_identifier(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if _is_yes_or_no(column):
        return None
    word = found(words, IDENTIFIER)
    if word is None and found(words, NAME) and not without(words, NAME | PERSON):
        word = found(words, NAME)
    if word is None and _numbers_people(words):
        word = " ".join(words)
    if word is None:
        return None
    return _say(Role.IDENTIFIER, f"Its name says '{word}', which names or reaches one person.")


def _numbers_people(words: tuple[str, ...]) -> bool:
    """Whether the name is 'id', or joins a word for a person with one for a number ('patientId', 'num_cliente')."""
    if without(words, ID | NUMBER | PERSON):
        return False  # it numbers something else: 'store_id', 'country code'
    return bool(found(words, ID) or (found(words, NUMBER) and found(words, PERSON)))


def _numbers_records(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    """An index, or a number of its own for every record under a name that says so."""
    if column.type is not DataType.INTEGER or not _is_unique(column):
        return None
    says_else = found(words, QUASI_IDENTIFIER | SENSITIVE)
    named = not words or found(words, ID) or (found(words, NUMBER | PERSON) and not says_else)
    if named or (_runs_on(column) and not says_else):
        return _say(Role.IDENTIFIER, "It gives every record a number of its own, which leads back to the source.")
    return None


def _runs_on(column: ColumnProfile) -> bool:
    """Whether the numbers are about as many as the span they lie in, as when counting 1, 2, 3, …"""
    if column.distinct != column.rows or column.rows < 20 or column.low is None or column.high is None:
        return False
    try:
        middle = float(column.high) - float(column.low)
    except ValueError:
        return False
    return 0.8 <= middle / column.rows <= 1.0  # from the 5th to the 95th percentile: nine tenths


def _named_quasi_identifier(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    word = found(words, QUASI_IDENTIFIER)
    if word is None:
        return None
    return _say(
        Role.QUASI_IDENTIFIER, f"Its name says '{word}', which others know too and can combine to find a person."
    )


def _is_date(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if column.type not in _DATES:
        return None
    return _say(Role.QUASI_IDENTIFIER, "It is a date, and dates of a person's life are known to others.")


def _named_sensitive(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    word = found(words, SENSITIVE)
    if word is None:
        return None
    return _say(Role.SENSITIVE, f"Its name says '{word}', which nobody should learn about a person.")


def _unique_text(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if column.type is not DataType.TEXT or not _is_unique(column):
        return None
    return _say(Role.IDENTIFIER, "Almost every record has a value of its own, so a value points at one person.")


def _category(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    few = column.distinct <= FEW and 2 * column.distinct <= _present(column)
    if column.type.is_number and not few:
        return None
    return _say(
        Role.QUASI_IDENTIFIER, "Its values are shared by groups of people, and smaller groups appear when combined."
    )


#: Quasi-identifiers by name come before sensitive ones by name: of 'age_at_diagnosis' the age is what others know.
_RULES: tuple[Callable[[ColumnProfile, tuple[str, ...]], Proposal | None], ...] = (
    _says_nothing,
    _looks_like_contact,
    _named_identifier,
    _numbers_records,
    _named_quasi_identifier,
    _is_date,
    _named_sensitive,
    _unique_text,
    _category,
)
