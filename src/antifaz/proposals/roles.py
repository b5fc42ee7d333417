"""Proposes what each column may give away, with the reason and how sure it is.

What is known of a column (`clues`: its name, its counts, its values) goes through an ordered table of rules (`rules`);
then columns are looked at beside each other. What no rule knows is left to the person: `decide`.
"""

from collections.abc import Sequence
from typing import Any

from antifaz.core.errors import ParameterError
from antifaz.core.inline import InlineDict
from antifaz.core.messages import Message
from antifaz.core.profile import Profile
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.proposals.clues import collect
from antifaz.proposals.hipaa import hipaa_number
from antifaz.proposals.relations import relate, taken_as_known
from antifaz.proposals.rules import FOUND, GUESS, RoleDecision, decide

#: Rows that are looked at.
ROWS = 2000


def roles(data: Any) -> dict[str, Proposal]:
    """Return a proposed role for every column; the proposal's `value` is the role's name.

    `data` is a profile, what `antifaz.open` returned, a table or a path. `details["confidence"]` says how sure the
    proposal is, from 0 to 1. An identifier that is one of the eighteen that the HIPAA Privacy Rule lists (45 CFR
    164.514(b)(2)) has its number there as `details["hipaa"]`.
    """
    if isinstance(data, Profile):
        return propose(data, None)
    if not isinstance(data, Data):
        with open_data(data) as opened:
            return roles(opened)
    try:
        rows = data.window(0, ROWS)
    except ParameterError:  # an engine that shows no rows
        return propose(data.profile(), None)
    return propose(data.profile(), rows)


def propose(profile: Profile, rows: Sequence[Sequence[str | None]] | None) -> dict[str, Proposal]:
    """Return a proposed role for every column of a profile; `rows` are some rows of the table."""
    clues = collect(profile, rows)
    decisions = {one.column.name: decide(one) for one in clues}
    if rows:
        decisions = relate(clues, rows, decisions)
    decisions = taken_as_known(clues, decisions)
    return InlineDict("proposals", {name: _proposal(name, decision) for name, decision in decisions.items()})


def _proposal(name: str, decision: RoleDecision) -> Proposal:
    """Put a decision into the form that is shown; what is only guessed is left to the person."""
    unsure = decision.confidence < GUESS
    role = Role.DECIDE if unsure else decision.role
    details: dict[str, object] = {"confidence": decision.confidence}
    values: dict[str, object] = dict(decision.values)
    if decision.code == "reason.values-look-like":
        pattern = decision.values["word"]
        values, details["hipaa"] = {"what": Message(f"pattern.{pattern}")}, FOUND[pattern]
    elif role is Role.IDENTIFIER and (number := hipaa_number(name)) is not None:
        details["hipaa"] = number
    return Proposal(value=role.value, reason=Message(decision.code, **values), details=details)
