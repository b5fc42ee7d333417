"""Proposes what each column may give away, from its name, its counts and the look of its values, with the reason.

The rules are tried in order and the first that applies decides; each says in one sentence why. In doubt they lean to
the side that protects: a column wrongly called a quasi-identifier loses detail, one wrongly called insensitive gives
people away.

Given the data and not only its profile, numbers that carry a check of their own (IBAN, DNI, RUT, cards) are worked out
for some values: what looks like one but checks wrong is something else; and some rows are read for names of people.
"""

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
from antifaz.proposals.hipaa import hipaa_number
from antifaz.proposals.recognition import CHECKS, share_of_people, share_right
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

#: What values look like, and which of HIPAA's eighteen identifiers that is; the sharpest first.
_PATTERNS = {
    "email": 6, "url": 14, "ip": 15, "mac": 13, "uuid": 18, "iban": 10, "dni": 18, "rut": 18, "ssn": 7, "card": 10,
    "plate": 12, "phone": 4,
}  # fmt: skip
#: Proposes a role from a column and the words of its name, or passes.
Rule = Callable[[ColumnProfile, tuple[str, ...]], Proposal | None]
#: Shapes that are so much their own that no other kind of column has them, whatever its type.
_UNMISTAKABLE = ("email", "url", "mac", "uuid")


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
    proposals = (rule(column, words_of(column.name)) for rule in _RULES)
    first = next((proposal for proposal in proposals if proposal is not None), None)
    return first or _propose(Role.INSENSITIVE, Message("reason.points-at-nobody"))


def _propose(role: Role, reason: Message, hipaa: int | None = None) -> Proposal:
    return Proposal(value=role.value, reason=reason, details={} if hipaa is None else {"hipaa": hipaa})


def _present(column: ColumnProfile) -> int:
    return column.rows - column.missing


def _is_unique(column: ColumnProfile) -> bool:
    return column.distinct > UNIQUE * _present(column) and _present(column) > 1


def _looks_like_contact(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
    shares = dict(column.patterns)
    for pattern, hipaa in _PATTERNS.items():
        # Dates and measurements may be written like phone numbers.
        fits = pattern in _UNMISTAKABLE or column.type in (DataType.TEXT, DataType.INTEGER)
        # A number without marks has the length of a card or a phone easily: it must be nearly everybody's own.
        if pattern == "card" and column.type is DataType.INTEGER:
            fits = _is_unique(column)
        if shares.get(pattern, 0) >= MOST and fits and not _is_yes_or_no(column):
            what = Message(f"pattern.{pattern}")
            return _propose(Role.IDENTIFIER, Message("reason.values-look-like", what=what), hipaa)
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


def _if(holds: Callable[[ColumnProfile], bool], role: Role, code: str, hipaa: int | None = None) -> Rule:
    """A rule for the columns of which something holds, whatever their name."""
    return lambda column, words: _propose(role, Message(code), hipaa) if holds(column) else None


def _named(entries: frozenset[tuple[str, ...]], role: Role, code: str) -> Rule:
    """A rule for the columns whose name has a word of a vocabulary."""

    def rule(column: ColumnProfile, words: tuple[str, ...]) -> Proposal | None:
        word = find_entry(words, entries)
        return None if word is None else _propose(role, Message(code, word=word))

    return rule


def _names_people(column: ColumnProfile) -> bool:
    return dict(column.patterns).get("person", 0) >= NAMED and column.distinct >= 5


def _is_category(column: ColumnProfile) -> bool:
    return not column.type.is_number or (column.distinct <= FEW and 2 * column.distinct <= _present(column))


#: Quasi-identifiers by name come before sensitive ones by name: of 'age_at_diagnosis' the age is what others know.
_RULES: tuple[Rule, ...] = (
    _if(lambda column: _present(column) == 0, Role.INSENSITIVE, "reason.column-is-empty"),
    _if(lambda column: column.distinct == 1 and not column.missing, Role.INSENSITIVE, "reason.same-value-everywhere"),
    _looks_like_contact,
    _named_identifier,
    _numbers_records,
    _named(QUASI_IDENTIFIER, Role.QUASI_IDENTIFIER, "reason.name-of-quasi-identifier"),
    _if(lambda c: c.type in (DataType.DATE, DataType.DATETIME), Role.QUASI_IDENTIFIER, "reason.column-is-a-date"),
    _if(_names_people, Role.IDENTIFIER, "reason.values-are-names-of-people", hipaa=1),
    _named(SENSITIVE, Role.SENSITIVE, "reason.name-of-sensitive"),
    _if(lambda c: c.type is DataType.TEXT and _is_unique(c), Role.IDENTIFIER, "reason.nearly-every-value-unique"),
    _if(_is_category, Role.QUASI_IDENTIFIER, "reason.values-shared-by-groups"),
)
