"""Proposes a k for whom a release is for, and says what each k costs."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from antifaz.core.errors import InputError, ParameterError
from antifaz.core.messages import Message
from antifaz.core.profile import Profile
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.privacy import KAnonymity
from antifaz.proposals.audiences import USUAL
from antifaz.proposals.hierarchies import hierarchy
from antifaz.proposals.roles import roles as propose_roles

#: Of more quasi-identifiers than this nobody knows all about one person.
MANY = 20
#: How many of them somebody is assumed to know then, and in a table that is too small to hide so many.
KNOWN, KNOWN_IN_FEW = 3, 2
#: Records per combination of values, as a multiple of k, from which on rare combinations are few.
_ROOM = 4


def k_anonymity(k: int, profile: Profile, roles: Mapping[str, str]) -> KAnonymity:
    """Return what is asked of the quasi-identifiers: of many together nothing would be left."""
    sizes = [column.distinct for column in profile if roles[column.name] == Role.QUASI_IDENTIFIER]
    if len(sizes) <= MANY:
        return KAnonymity(k)
    rows = max(column.rows for column in profile)
    return KAnonymity(k, known=KNOWN if rows >= _ROOM * k * median(sizes) ** KNOWN else KNOWN_IN_FEW)


def k(
    data: Any,
    roles: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    ks: Sequence[int] = range(2, 21),
    suppression: float = 0.02,
    audience: str = USUAL,
) -> Proposal:
    """Return the k for an audience, and why.

    It is the one that the frontier recommends, or a larger one that costs exactly as much: never below what is accepted
    for the audience where that can be reached (see `proposals/audiences.py`). The proposal's `details` have its
    figures, under 'next' those of the next larger k that was tried, and under 'costs' those of every k.

    Args:
        data: A table, a path, or what `antifaz.open` returned, on which full-domain generalization is tried with every
            k. Or what `antifaz.frontier` returned; then nothing else is looked at, and other methods may have been
            tried.
        roles: The role of each column; by default those that `roles` proposes.
        hierarchies: What the values of quasi-identifiers generalize to; by default what `hierarchy` proposes.
        ks: The k to try.
        suppression: The share of records that may be left out.
        audience: Whom the release is for: "known" (a partner), "many" or "public".
    """
    if isinstance(data, Mapping) and "points" in data:
        return _of_frontier(data)
    if not isinstance(data, Data):
        with open_data(data) as opened:
            return k(opened, roles, hierarchies, ks, suppression, audience)
    return _of_frontier(_try_every_k(data, roles, hierarchies or {}, ks, suppression, audience))


def _try_every_k(
    data: Data,
    roles: Mapping[str, str] | None,
    hierarchies: Mapping[str, Any],
    ks: Sequence[int],
    suppression: float,
    audience: str,
) -> dict[str, Any]:
    """Try every k on the quasi-identifiers, nothing being written."""
    # Here, because they bring Numba and SciPy.
    from antifaz.core.randomness import generator
    from antifaz.counting.frequencies import frequency_set
    from antifaz.hierarchies import parse
    from antifaz.hierarchies.binding import bind
    from antifaz.hierarchies.hierarchy import Hierarchy
    from antifaz.methods import FullDomain
    from antifaz.methods.method import Task
    from antifaz.privacy import KAnonymity
    from antifaz.proposals.frontier import try_every_k

    known = {name: proposal.value for name, proposal in propose_roles(data).items()} if roles is None else roles
    schema = data.schema.with_roles(known)
    if schema.of(Role.PERSON):
        raise ParameterError("people.frontier-counts-records")
    names = [name for name in schema.of(Role.QUASI_IDENTIFIER) if name in known]
    if not names or not data.rows:
        raise InputError("proposal.k-without-records" if names else "proposal.k-without-quasi-identifiers")
    schema.require(list(hierarchies))
    types = {name: schema[name].type for name in names}
    counted = frequency_set(data.count(names), names, (), types)
    ladders = []
    for domain in counted.domains:
        builder = hierarchies.get(domain.column) or hierarchy(data, domain.column).details
        kind = types[domain.column]
        # Nothing but blanks: builders that look at values have none to look at.
        blank = not domain.spellings
        tree = Hierarchy.from_rows([("*", "*")]) if blank else parse(builder).build(domain.spellings, kind)
        ladders.append(bind(domain, tree, kind))
    task = Task(frequencies=counted, ladders=tuple(ladders), models=(KAnonymity(2),), random=generator(0))
    return try_every_k([(FullDomain(suppression=suppression), task)], ks, audience=audience)


def _of_frontier(frontier: Mapping[str, Any]) -> Proposal:
    try:
        method = frontier["recommended"].get("method")
        own = [point for point in frontier["points"] if method is None or point.get("method") == method]
        points = sorted(own, key=lambda point: int(point["k"]))
        chosen, why = int(frontier["recommended"]["k"]), frontier["recommended"]["reason"]
        here = next(place for place, point in enumerate(points) if point["k"] == chosen)
    except (KeyError, TypeError, AttributeError, StopIteration):
        raise ParameterError("proposal.not-a-frontier") from None
    recommended = chosen
    while here + 1 < len(points) and all(points[here + 1].get(key) == points[here].get(key) for key in _COSTS):
        here += 1  # more privacy for nothing
    point, following = points[here], points[here + 1] if here + 1 < len(points) else None
    chosen = int(point["k"])
    costs = {"k": chosen, "why": why, "risk": point["highest_risk"], "loss": point["loss"]}
    unreachable, costs["next"] = frontier.get("unreachable_from"), ""
    if following is not None:
        costs["next"] = Message("reason.next-k", k=following["k"], loss=following["loss"])
    elif unreachable is not None:
        costs["next"] = Message("reason.next-k-unreachable", k=unreachable)
    reason = Message("reason.k", **costs)
    if chosen != recommended:
        reason = Message("reason.k-costs-no-more", recommended=recommended, **costs)
    details: dict[str, Any] = {"k": chosen, **{key: point[key] for key in _FIGURES if key in point}}
    details["costs"] = [{"k": each["k"], **{key: each[key] for key in _FIGURES if key in each}} for each in points]
    if following is not None:
        details["next"] = {"k": following["k"], **{key: following[key] for key in _FIGURES if key in following}}
    return Proposal(value=str(chosen), reason=reason, details=details)


#: Where these are the same, the release is.
_COSTS = ("loss", "gcp", "ks_min", "suppressed")
_FIGURES = ("loss", "gcp", "ks_min", "highest_risk", "suppressed")
