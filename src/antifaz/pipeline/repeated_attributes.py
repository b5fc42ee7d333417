"""Repeated attributes: one mapping for all tables that have them."""

import hashlib
import secrets
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from antifaz.core.errors import HierarchyError, PrivacyNotReached, ProjectError
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.counting.domains import qi_domain
from antifaz.engines.engine import Data
from antifaz.hierarchies import ExistingHierarchy
from antifaz.methods.operations.encryption import Decrypt, Encrypt, Pseudonymize
from antifaz.methods.operations.operation import Operation
from antifaz.methods.operations.rounding import BottomCode, TopCode
from antifaz.methods.operations.shift_dates import ShiftDates
from antifaz.methods.operations.substitute import Substitute
from antifaz.methods.operations.suppress import Suppress
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.state import Decided, RepeatedAttribute, TableRequest

#: What becomes of the values: each one of its own, several perhaps one, or the columns are not released.
Mapped = Literal["one-to-one", "many-to-one", "removed"]
#: What becomes of a column by its role, as a message; None is a column that is released as it is by now.
_OUTCOMES = {
    Role.IDENTIFIER: Message("plan.removed"),
    Role.PERSON: Message("plan.removed"),
    Role.QUASI_IDENTIFIER: Message("plan.generalized"),
    None: Message("plan.released-as-it-is"),
}


def generalized_alike(repeated: Sequence[RepeatedAttribute], plans: Mapping[str, Plan]) -> dict[str, RepeatedAttribute]:
    """Return the repeated quasi-identifiers, which one method must generalize alike in all tables; refuse others."""
    alike = {each.name: each for each in repeated if _role(each, plans) is Role.QUASI_IDENTIFIER}
    for attribute in alike.values():
        for table, column in attribute.columns.items():
            _refuse_unlike(attribute.place, table, column, plans[table])
    return alike


def _role(attribute: RepeatedAttribute, plans: Mapping[str, Plan]) -> Role | None:
    """The role that decides what becomes of the values; None where a value is released as it is by now."""
    roles: dict[str, Role | None] = {}
    for table, column in attribute.columns.items():
        schema = plans[table].schema
        schema.require([column])
        removed = column in plans[table].identifiers
        generalized = schema[column].role is Role.QUASI_IDENTIFIER and not plans[table].light
        roles[table] = schema[column].role if removed or generalized else None
    if len(set(roles.values())) > 1:
        words = [Message("plan.outcome-in-table", outcome=_OUTCOMES[own], table=table) for table, own in roles.items()]
        raise ProjectError("plan.repeated-roles-differ", place=attribute.place, what=attribute.name, words=words)
    return next(iter(roles.values()))


def _refuse_unlike(where: str, table: str, column: str, plan: Plan) -> None:
    """Refuse what could give one value different labels in different tables."""
    about = {"where": where, "column": column, "table": table}
    if not plan.method.one_label_per_value:
        raise ProjectError("plan.repeated-released-in-several-ways", **about, method=plan.method.name)
    if column in plan.microaggregate:
        raise ProjectError("plan.repeated-released-in-several-ways", **about, method="microaggregate")
    if plan.missing.get(column, "drop") != "drop":
        raise ProjectError("plan.repeated-missing-filled", **about)
    if plan.hierarchies[column].needs_target:
        raise ProjectError("plan.repeated-hierarchy-learnt", **about)


def share_hierarchies(
    alike: Mapping[str, RepeatedAttribute], plans: Mapping[str, Plan], data: Mapping[str, Data]
) -> dict[str, Plan]:
    """Give every repeated quasi-identifier one hierarchy, over the values of all its tables together."""
    changed = dict(plans)
    for attribute in alike.values():
        places = attribute.columns.items()
        types = {changed[table].schema[column].type for table, column in places}
        if len(types) > 1:
            words = sorted(map(str, types))
            raise ProjectError("plan.repeated-types-differ", where=attribute.place, what=attribute.name, words=words)
        builders = [changed[table].hierarchies[column] for table, column in places]
        if any(builder != builders[0] for builder in builders):
            raise ProjectError("plan.repeated-hierarchies-differ", where=attribute.place, what=attribute.name)
        type = types.pop()
        values = [value for table, column in places for value in data[table].count([column]).values[0]]
        spellings = qi_domain(attribute.name, values, type).spellings
        if not spellings:
            continue
        try:
            shared = ExistingHierarchy(hierarchy=builders[0].build(spellings, type))
        except HierarchyError as error:
            details = {"where": attribute.place, "what": attribute.name, "error": error}
            raise HierarchyError("plan.repeated-hierarchy", values=error.values, **details) from None
        for table, column in places:
            hierarchies = {**changed[table].hierarchies, column: shared}
            changed[table] = replace(changed[table], hierarchies=hierarchies)
    return changed


def agree_on_levels(
    alike: Mapping[str, RepeatedAttribute], decided: Mapping[str, Decided], decide_again: Callable[[str, Plan], Decided]
) -> dict[str, Decided]:
    """Decide again with the highest level of each repeated attribute, until all tables agree.

    Levels only rise, so it ends. Of a light table nothing is decided, so it is not among these.
    """
    agreed = dict(decided)
    while True:
        levels = {table: dict(state.decision.details.get("levels", {})) for table, state in agreed.items()}
        highest = {
            name: max(levels[table][column] for table, column in attribute.columns.items())
            for name, attribute in alike.items()
        }
        behind: dict[str, dict[str, int]] = {}
        for table in agreed:
            own = {each.columns[table]: highest[name] for name, each in alike.items() if table in each.columns}
            if any(levels[table][column] != level for column, level in own.items()):
                behind[table] = own
        if not behind:
            return agreed
        for table, own in behind.items():
            agreed[table] = _raised(table, decided[table].plan, own, decide_again)


def _raised(table: str, plan: Plan, levels: Mapping[str, int], decide: Callable[[str, Plan], Decided]) -> Decided:
    """Decide on one table again, its repeated attributes at these levels, or above where that can't be."""
    method, bounds = plan.method, plan.method.parameters()
    for column, level in levels.items():
        if bounds["levels"] or bounds["highest"].get(column, level) < level:
            raise ProjectError("plan.repeated-level-not-allowed", table=table, column=column, level=level)
    low = {"lowest": {**bounds["lowest"], **levels}}
    exact = method.model_copy(update=low | {"highest": {**bounds["highest"], **levels}})
    try:
        return decide(table, plan.with_method(exact))
    except PrivacyNotReached:
        # More general is not always more private: some models hold only further up.
        return decide(table, plan.with_method(method.model_copy(update=low)))


def mapping_of(attribute: RepeatedAttribute, plans: Mapping[str, Plan], alike: Container[str]) -> Mapped:
    """Say what became of the values of a repeated attribute."""
    table, column = next(iter(attribute.columns.items()))
    operations = plans[table].operations.get(column, ())
    if column in plans[table].identifiers or any(isinstance(each, Suppress) for each in operations):
        return "removed"
    if attribute.name in alike or not all(_one_to_one(each) for each in operations):
        return "many-to-one"
    return "one-to-one"


def _one_to_one(operation: Operation) -> bool:
    made = isinstance(operation, Substitute) and operation.made
    return made or isinstance(operation, Encrypt | Decrypt | Pseudonymize)


def check_operations(repeated: Sequence[RepeatedAttribute], tables: Mapping[str, TableRequest]) -> None:
    """Refuse operations that are no function of the value alone, before anything is read."""
    for attribute in repeated:
        name = attribute.name
        first, column = next(iter(attribute.columns.items()))
        for operation in tables[first].operations.columns.get(column, ()):
            _refuse(attribute.operation_place, operation, name)
        for table, own in attribute.columns.items():
            for step in tables[table].operations.joint:
                if own in step.columns:
                    _refuse(attribute.place, step.perturbation, name)


def _refuse(place: str, operation: Operation, name: str) -> None:
    why = _not_by_value(operation)
    if why is not None:
        raise ProjectError("plan.repeated-operation", place=place, operation=operation.name, why=why, what=name)


def _not_by_value(operation: Operation) -> str | None:
    if operation.whole_columns:
        return Message("plan.repeated-drawn-anew")
    if isinstance(operation, Encrypt) and operation.cipher != "aes-siv":
        return Message("plan.repeated-equal-values-differ")
    if isinstance(operation, Suppress) and operation.where is not None:
        return Message("plan.repeated-condition")
    if isinstance(operation, TopCode | BottomCode) and operation.percentile is not None:
        return Message("plan.repeated-by-percentile")
    if isinstance(operation, ShiftDates):
        return Message("plan.repeated-looks-at-other-column")
    return None


def share_secrets(
    repeated: Sequence[RepeatedAttribute],
    tables: Mapping[str, TableRequest],
    seed: int | None,
    before: Mapping[tuple[str, str], Iterable[str | None]],
) -> dict[str, TableRequest]:
    """Give values that are made up without a key one secret for all tables: from the seed and all their values.

    Without a seed it is drawn. It is kept nowhere.
    """
    changed = dict(tables)
    for attribute in repeated:
        values = sorted({value for place in attribute.columns.items() for value in before[place] if value is not None})
        secret = _secret(seed, attribute.name, values)
        for table, column in attribute.columns.items():
            own = changed[table].operations
            if column in own.columns:
                given = tuple(
                    each.model_copy(update={"key": secret})
                    if isinstance(each, Substitute) and each.made and each.key is None
                    else each
                    for each in own.columns[column]
                )
                own = replace(own, columns={**own.columns, column: given})
                changed[table] = replace(changed[table], operations=own)
    return changed


def _secret(seed: int | None, name: str, values: Sequence[str]) -> bytes:
    if seed is None:
        return secrets.token_bytes(64)
    mixed = hashlib.blake2b(key=seed.to_bytes(16, "big", signed=True), person=b"repeated values")
    for part in (name, *values):
        text = part.encode()
        # Values of any length stand one after the other: their lengths keep them apart.
        mixed.update(len(text).to_bytes(8, "big") + text)
    return mixed.digest()
