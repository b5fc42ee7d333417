"""Every hierarchy that fits a column, beside the one that is proposed first: a person may know better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.opening import open_data
from antifaz.proposals.hierarchies import FEW, LONGEST_CODE, hierarchy

if TYPE_CHECKING:
    from antifaz.counting.frequencies import FrequencySet

_FLAT = Proposal(value="flat", reason=Message("reason.simplest"), details={"flat": True})


def alternatives(data: Any, column: str, target: str | None = None) -> list[Proposal]:
    """Return every hierarchy that fits a column, the one that `hierarchy` proposes first; each was tried on all values.

    Args:
        data: What `antifaz.open` returned, a table or a path.
        column: The column.
        target: A sensitive column. Numbers are then also cut where that says most about it.
    """
    if not isinstance(data, Data):
        with open_data(data) as opened:
            return alternatives(opened, column, target)
    from antifaz.counting.frequencies import frequency_set  # here: it brings Numba

    names = [column] if target is None else [column, target]
    data.schema.require(names)
    types = {name: data.schema[name].type for name in names}
    counted = frequency_set(data.count(names), [column], names[1:], types)
    values = counted.domains[0].spellings
    ideas = [hierarchy(data, column), _digits(values, types[column]), _gain(values, types[column], target), _FLAT]
    found: list[Proposal] = []
    for idea in ideas:
        known = idea is None or idea.details in [other.details for other in found]
        if not known and idea is not None and _fits(idea, counted, types[column], target):
            found.append(idea)
    return found


def _digits(values: Sequence[str], kind: DataType) -> Proposal | None:
    """Whole numbers of one length lose their last digits, such as years or codes."""
    lengths = {len(value) for value in values}
    if kind is not DataType.INTEGER or len(lengths) != 1 or not all(value.isdigit() for value in values):
        return None
    if not 2 <= min(lengths) <= LONGEST_CODE:
        return None
    return Proposal(value="masking", reason=Message("reason.numbers-of-one-length"), details={"masking": 1})


def _gain(values: Sequence[str], kind: DataType, target: str | None) -> Proposal | None:
    """Numbers cut where that says most about a sensitive column."""
    if target is None or not kind.is_number or len(values) <= FEW:
        return None
    reason = Message("reason.cut-by-information-gain", target=target)
    return Proposal(value="information-gain", reason=reason, details={"information-gain": 3, "target": target})


def _fits(proposal: Proposal, counted: FrequencySet, kind: DataType, target: str | None) -> bool:
    """Build it from all values, and bind it to them: what leaves one out is not proposed."""
    from antifaz.counting.targets import cross, target_of
    from antifaz.hierarchies import parse
    from antifaz.hierarchies.binding import bind

    domain = counted.domains[0]
    if not domain.spellings:
        return True  # nothing but blanks
    builder = parse(proposal.details)
    try:
        if builder.needs_target and target is not None:
            cells = target_of(counted, (target,), builder.name)
            if cells is None:
                return False
            known = cross(counted, domain.column, cells)[: len(domain.spellings)]
            bind(domain, builder.learn(domain.spellings, kind, known), kind)
        else:
            bind(domain, builder.build(domain.spellings, kind), kind)
    except AntifazError:
        return False
    return True
