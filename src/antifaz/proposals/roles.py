"""Proposes what each column may give away, from its name, its counts and the look of its values, with the reason.

The rules are tried in order and the first that applies decides; each says in one sentence why. In doubt they lean to
the side that protects: a column wrongly called a quasi-identifier loses detail, one wrongly called insensitive gives
people away.

Given the data and not only its profile, numbers that carry a check of their own (IBAN, DNI, RUT, cards) are worked out
for some values: what looks like one but checks wrong is something else; and some rows are read for names of people.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.opening import open_data
from antifaz.proposals.check_digits import CHECKS, share_right
from antifaz.proposals.given_names import share_of_people
from antifaz.proposals.hipaa import hipaa_number
from antifaz.proposals.words import (
    ID,
    IDENTIFIER,
    NAME,
    NUMBER,
    PERSON,
    QUASI_IDENTIFIER,
    SENSITIVE,
    find_entry,
    without,
    words_of,
)

#: Above this share of different values a text is taken to point at one person.
UNIQUE = 0.95
#: A number with no more different values than this is taken for a category.
FEW = 30
#: From this share on, the pattern of the values decides.
MOST = 0.8

#: Values of a column whose check is worked out.
CHECKED = 1000
#: From this share of right checks on they are what they look like; by chance a tenth or less are.
RIGHT = 0.5
#: From this share of names on a column names people: no list knows all of their names.
NAMED = 0.4

#: What values look like, what that is called, and which of HIPAA's eighteen identifiers it is; the sharpest first.
_PATTERNS = {
    "email": ("pattern.email", 6),
    "url": ("pattern.url", 14),
    "ip": ("pattern.ip", 15),
    "mac": ("pattern.mac", 13),
    "uuid": ("pattern.uuid", 18),
    "iban": ("pattern.iban", 10),
    "dni": ("pattern.dni", 18),
    "rut": ("pattern.rut", 18),
    "ssn": ("pattern.ssn", 7),
    "card": ("pattern.card", 10),
    "plate": ("pattern.plate", 12),
    "phone": ("pattern.phone", 4),
}
#: Shapes that are so much their own that no other kind of column has them, whatever its type.
_UNMISTAKABLE = ("email", "url", "mac", "uuid")
_DATES = (DataType.DATE, DataType.DATETIME)


def roles(data: Any) -> dict[str, Proposal]:
    """Return a proposed role for every column; the proposal's `value` is the role's name.

    `data` is a profile, what `antifaz.open` returned, a table or a path. An identifier that is one of the eighteen that
    the HIPAA Privacy Rule lists (45 CFR 164.514(b)(2)) has its number there as `details["hipaa"]`.
    """
    if not isinstance(data, Profile | Data):
        with open_data(data) as opened:
            return roles(opened)
    profile = data if isinstance(data, Profile) else Profile(rows=data.rows, columns=_checked(data))
    return {column.name: _role(column) for column in profile}


def _checked(data: Data) -> tuple[ColumnProfile, ...]:
    """Describe the columns; patterns whose check is wrong for most of some values are left out."""
    columns, named = [], _people(data)
    for column in data.profile():
        if named.get(column.name, 0) >= NAMED:
            column = replace(column, patterns=(*column.patterns, ("person", named[column.name])))
        doubtful = {pattern for pattern, share in column.patterns if share >= MOST and pattern in CHECKS}
        if doubtful:
            values = [value for value in data.count([column.name]).values[0] if value is not None][:CHECKED]
            wrong = {pattern for pattern in doubtful if (share_right(pattern, values) or 0) < RIGHT}
            column = replace(column, patterns=tuple(one for one in column.patterns if one[0] not in wrong))
        columns.append(column)
    return tuple(columns)


def _people(data: Data) -> dict[str, float]:
    """Return, of each column, the share of some values that read as names of people."""
    try:
        rows = data.window(0, CHECKED)
    except ParameterError:  # an engine that shows no rows
        return {}
    texts = {column.name for column in data.schema if column.type is DataType.TEXT}
    places = [(i, name) for i, name in enumerate(data.schema.names) if name in texts]
    return {name: share_of_people({row[i] for row in rows}) for i, name in places}


def _role(column: ColumnProfile) -> Proposal:
    words = words_of(column.name)
    for rule in _RULES:
        proposal = rule(column, words)
        if proposal is not None:
            return proposal
    return _propose(Role.INSENSITIVE, Message("reason.points-at-nobody"))


def _propose(role: Role, reason: Message, hipaa: int | None = None) -> Proposal:
    return Proposal(value=role.value, reason=reason, details={} if hipaa is None else {"hipaa": hipaa})


def _present(column: ColumnProfile) -> int:
    return column.rows - column.missing


def _is_unique(column: ColumnProfile) -> bool:
    return column.distinct > UNIQUE * _present(column) and _present(column) > 1


def _says_nothing(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if _present(column) == 0:
        return _propose(Role.INSENSITIVE, Message("reason.column-is-empty"))
    if column.distinct == 1 and column.missing == 0:
        return _propose(Role.INSENSITIVE, Message("reason.same-value-everywhere"))
    return None


def _looks_like_contact(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    shares = dict(column.patterns)
    for pattern, (called, hipaa) in _PATTERNS.items():
        # Dates and measurements may be written like phone numbers.
        fits = pattern in _UNMISTAKABLE or column.type in (DataType.TEXT, DataType.INTEGER)
        # A number without marks has the length of a card or a phone easily: it must be nearly everybody's own.
        if pattern == "card" and column.type is DataType.INTEGER:
            fits = _is_unique(column)
        if shares.get(pattern, 0) >= MOST and fits and not _is_yes_or_no(column):
            return _propose(Role.IDENTIFIER, Message("reason.values-look-like", what=Message(called)), hipaa)
    return None


def _is_yes_or_no(column: ColumnProfile) -> bool:
    """Whether a column such as 'phone' only says whether there is one: two values name nobody."""
    return column.type is DataType.BOOLEAN or (column.distinct <= 2 and _present(column) >= 10)


def _named_identifier(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if _is_yes_or_no(column):
        return None
    word = find_entry(words, IDENTIFIER)
    if word is None and find_entry(words, NAME) and not without(words, NAME | PERSON):
        word = find_entry(words, NAME)
    if word is None and _numbers_people(words):
        word = " ".join(words)
    if word is None:
        return None
    return _propose(Role.IDENTIFIER, Message("reason.name-of-identifier", word=word), hipaa_number(column.name))


def _numbers_people(words: tuple[str, ...]) -> bool:
    """Whether the name is 'id', or joins a word for a person with one for a number ('patientId', 'num_cliente')."""
    if without(words, ID | NUMBER | PERSON):
        return False  # it numbers something else: 'store_id', 'country code'
    return bool(find_entry(words, ID) or (find_entry(words, NUMBER) and find_entry(words, PERSON)))


def _numbers_records(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    """An index, or a number of its own for every record under a name that says so."""
    if column.type is not DataType.INTEGER or not _is_unique(column):
        return None
    says_else = find_entry(words, QUASI_IDENTIFIER | SENSITIVE)
    named = not words or find_entry(words, ID) or (find_entry(words, NUMBER | PERSON) and not says_else)
    if named or (_runs_on(column) and not says_else):
        return _propose(Role.IDENTIFIER, Message("reason.numbers-every-record"))
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
    word = find_entry(words, QUASI_IDENTIFIER)
    if word is None:
        return None
    return _propose(Role.QUASI_IDENTIFIER, Message("reason.name-of-quasi-identifier", word=word))


def _is_date(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if column.type not in _DATES:
        return None
    return _propose(Role.QUASI_IDENTIFIER, Message("reason.column-is-a-date"))


def _names_people(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if dict(column.patterns).get("person", 0) < NAMED or column.distinct < 5:
        return None
    return _propose(Role.IDENTIFIER, Message("reason.values-are-names-of-people"), 1)


def _named_sensitive(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    word = find_entry(words, SENSITIVE)
    if word is None:
        return None
    return _propose(Role.SENSITIVE, Message("reason.name-of-sensitive", word=word))


def _unique_text(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    if column.type is not DataType.TEXT or not _is_unique(column):
        return None
    return _propose(Role.IDENTIFIER, Message("reason.nearly-every-value-unique"))


def _category(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    few = column.distinct <= FEW and 2 * column.distinct <= _present(column)
    if column.type.is_number and not few:
        return None
    return _propose(Role.QUASI_IDENTIFIER, Message("reason.values-shared-by-groups"))


#: Quasi-identifiers by name come before sensitive ones by name: of 'age_at_diagnosis' the age is what others know.
_RULES: tuple[Callable[[ColumnProfile, tuple[str, ...]], Proposal | None], ...] = (
    _says_nothing,
    _looks_like_contact,
    _named_identifier,
    _numbers_records,
    _named_quasi_identifier,
    _is_date,
    _names_people,
    _named_sensitive,
    _unique_text,
    _category,
)
