"""Proposes the key of people, where a person has several rows: a patient's number in a table of visits."""

from collections.abc import Mapping
from dataclasses import replace

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.proposals import themes
from antifaz.proposals.clues import ColumnClues, collect
from antifaz.proposals.roles import ROWS
from antifaz.proposals.words import without

#: Rows per value: with fewer two people share a number by mistake, with more it numbers no people.
_ROWS_PER_PERSON = (1.05, 200)
_WORDS = themes.PERSON | themes.ID | themes.NUMBER
#: Fewer values than this number groups.
_FEWEST = 10


def person_key(data: Data, proposed: Mapping[str, Proposal]) -> Proposal | None:
    """Return the identifier that tells people apart and repeats, with the reason; None where every row is a person.

    `proposed` are the roles that were proposed. A name that speaks of a person is better than one that speaks of a
    number; of equals, the one with more values is taken.
    """
    try:
        rows = data.window(0, ROWS)
    except ParameterError:  # an engine that shows no rows
        rows = None
    named = [name for name, role in proposed.items() if role.value == Role.IDENTIFIER]
    candidates = [
        one
        for one in collect(data.profile(), rows)
        if _is_key(one) and (one.column.name in named or not without(one.words, _WORDS))
    ]
    if not candidates:
        return None
    best = max(candidates, key=lambda one: (bool(one.says(themes.PERSON)), one.distinct))
    people, number = best.distinct, best.column.rows
    reason = Message("reason.person-has-several-rows", name=best.column.name, people=people, rows=number)
    details: dict[str, object] = {
        "confidence": 0.9 if best.says(themes.PERSON) else 0.6,
        "people": people,
        "rows": number,
    }
    return Proposal(value=best.column.name, reason=reason, details=details)


def _is_key(one: ColumnClues) -> bool:
    if one.is_question or one.distinct < _FEWEST or not (one.is_code or one.is_whole):
        return False
    speaks = one.says(_WORDS) or one.says(themes.IDENTITY)
    fewest, most = _ROWS_PER_PERSON
    return bool(speaks) and fewest <= one.present / one.distinct <= most


def with_person(data: Data, proposed: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """Return the proposed roles with that of the key of people, where one is found."""
    roles, person = dict(proposed), person_key(data, proposed)
    if person is not None:
        own = roles[person.value]
        roles[person.value] = replace(own, value=str(Role.PERSON), reason=person.reason)
    return roles
