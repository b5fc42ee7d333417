"""What columns say about each other: keys of other columns, codes beside their words, series of answers, surveys.

A column that its own rules only guess at takes the role of the column that it repeats (a code beside its text, a
population beside its province), or that of the series it is one of. In a survey an unknown column is an answer.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from antifaz.core.roles import Role
from antifaz.proposals.clues import ColumnClues
from antifaz.proposals.rules import FEW, GUESS, LIKELY, NAMELESS, PERHAPS, RoleDecision

#: Different values that a relation between two columns needs: two values go together by chance.
SEVERAL = 3
#: So many columns of one name but for a number or a letter are a series.
SERIES = 3
#: A table of which this share of the columns holds answers is a survey.
SURVEY = 0.3
#: Reasons of columns that hold an answer.
_ANSWERS = frozenset((
    "reason.name-of-opinion", "reason.values-of-a-scale", "reason.answer-to-a-question", "reason.several-choices",
))  # fmt: skip
#: Reasons that follow from the values, whatever the column is about.
_BY_VALUES = frozenset((
    "reason.values-of-a-scale", "reason.one-of-a-series", "reason.answer-in-a-survey", "reason.few-numbers",
    "reason.yes-or-no",
))  # fmt: skip
_NUMBERED = re.compile(r"\d+|(?<![a-z])[a-h](?![a-z])", re.IGNORECASE)

Decisions = Mapping[str, RoleDecision]
Rows = Sequence[Sequence[str | None]]


def relate(clues: Sequence[ColumnClues], rows: Rows, decisions: Decisions) -> dict[str, RoleDecision]:
    """Return the decisions, with those changed that another column knows better."""
    related = dict(decisions)
    for i, one in enumerate(clues):
        name = one.column.name
        key = _key_of(one, clues, decisions)
        if key is not None and decisions[name].role is not Role.IDENTIFIER:
            related[name] = RoleDecision(Role.IDENTIFIER, LIKELY, "reason.values-are-keys-of", {"column": key})
        elif decisions[name].confidence <= PERHAPS:
            twin = _twin(i, clues, rows, decisions)
            if twin is not None:
                role = decisions[twin].role
                related[name] = RoleDecision(role, PERHAPS, "reason.repeats-column", {"column": twin})
    return _as_answers(clues, related)


def _key_of(one: ColumnClues, clues: Sequence[ColumnClues], decisions: Decisions) -> str | None:
    """Return the key of which most values of a column are keys too: 'infected_by' beside 'patient_id'."""
    if one.column.longest < 5 or one.distinct <= FEW or not (one.is_code or one.is_whole):
        return None
    for other in clues:
        if other is one or decisions[other.column.name].role is not Role.IDENTIFIER or other.column.longest < 5:
            continue
        shared = len(one.counts.keys() & other.counts.keys())
        if shared >= max(10, 0.5 * len(one.counts)) and (other.is_code or other.is_whole):
            return other.column.name
    return None


def _twin(place: int, clues: Sequence[ColumnClues], rows: Rows, decisions: Decisions) -> str | None:
    """Return a column, surer than this one, that has one value for every value of it and the other way round."""
    one = clues[place]
    if len(one.counts) < SEVERAL or one.unique >= 0.5:
        return None
    for i, other in enumerate(clues):
        known = decisions[other.column.name]
        if (
            i == place
            or known.confidence <= decisions[one.column.name].confidence
            or known.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
        ):
            continue
        if abs(len(other.counts) - len(one.counts)) <= 0.1 * len(one.counts) and _one_to_one(rows, place, i):
            return other.column.name
    return None


def _one_to_one(rows: Rows, left: int, right: int) -> bool:
    """Say whether two columns tell the same, but for a tenth of their values."""
    pairs = {(row[left], row[right]) for row in rows if row[left] is not None and row[right] is not None}
    lefts, rights = {one for one, _ in pairs}, {other for _, other in pairs}
    return min(len(lefts), len(rights)) >= SEVERAL and len(pairs) <= 1.1 * min(len(lefts), len(rights))


def _as_answers(clues: Sequence[ColumnClues], decisions: Decisions) -> dict[str, RoleDecision]:
    """Give guessed columns the role of answers where they are one of a series, or the table is a survey."""
    series: dict[str, list[ColumnClues]] = defaultdict(list)
    for one in clues:
        series[_NUMBERED.sub("#", one.column.name)].append(one)
    answers = sum(decision.code in _ANSWERS for decision in decisions.values())
    survey = answers >= SURVEY * max(len(clues), 1)
    changed = dict(decisions)
    for one in clues:
        name = one.column.name
        if decisions[name].confidence > GUESS or decisions[name].role is Role.IDENTIFIER:
            continue
        # Columns without a name of their own are called alike and may be anything.
        many = len(series[_NUMBERED.sub("#", name)]) >= SERIES and not NAMELESS.issuperset(one.words)
        if many or survey:
            code = "reason.one-of-a-series" if many else "reason.answer-in-a-survey"
            changed[name] = RoleDecision(Role.SENSITIVE, PERHAPS, code, {})
    return changed


def taken_as_known(clues: Sequence[ColumnClues], decisions: Decisions) -> dict[str, RoleDecision]:
    """Take columns of few values for known to others in a table where nothing else could be.

    No name tells what these columns are about, so any of them may be what an acquaintance knows: first those that are
    only a guess, where there are none those that are taken for answers.
    """
    if any(one.role is Role.QUASI_IDENTIFIER and one.confidence >= GUESS for one in decisions.values()):
        return dict(decisions)
    few = [one.column.name for one in clues if one.distinct <= FEW]
    guessed = [name for name in few if decisions[name].code == "reason.values-shared-by-groups"]
    known = guessed or [name for name in few if decisions[name].code in _BY_VALUES]
    if len(known) < SERIES:
        return dict(decisions)
    taken = RoleDecision(Role.QUASI_IDENTIFIER, GUESS, "reason.may-be-known-to-others", {})
    return {**decisions, **dict.fromkeys(known, taken)}
