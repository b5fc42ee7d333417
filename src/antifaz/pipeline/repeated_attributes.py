"""Repeated attributes: one mapping for all tables that have them."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from antifaz.core.errors import HierarchyError, PrivacyNotReached, ProjectError
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.counting.domains import qi_domain
from antifaz.engines.engine import Data
from antifaz.hierarchies import Given
from antifaz.methods import FullDomain
from antifaz.methods.operations.coding import BottomCode, TopCode
from antifaz.methods.operations.encryption import Decrypt, Encrypt
from antifaz.methods.operations.operation import Operation
from antifaz.methods.operations.pseudonymize import Pseudonymize
from antifaz.methods.operations.shift_dates import ShiftDates
from antifaz.methods.operations.substitute import Substitute
from antifaz.methods.operations.suppress import Suppress
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.release import Release
from antifaz.projects.tables import LoadedTables, Repeated

#: What becomes of the values: each one of its own, several perhaps one, or the columns are not released.
Mapped = Literal["one-to-one", "many-to-one", "removed"]


def generalized(several: LoadedTables, plans: Mapping[str, Plan]) -> dict[str, Repeated]:
    """Return the repeated quasi-identifiers, which one method must generalize alike in all tables; refuse others."""
    found = {}
    for i, said in enumerate(several.project.repeated):
        if _role(several, i, said, plans) is Role.QUASI_IDENTIFIER:
            for table, column in said.columns.items():
                _refuse_unlike(several.where(i), table, column, plans[table])
            found[said.name] = said
    return found


def _role(several: LoadedTables, i: int, said: Repeated, plans: Mapping[str, Plan]) -> Role | None:
    """The role that decides what becomes of the values; None where a value is released as it is by now."""
    roles: dict[str, Role | None] = {}
    for table, column in said.columns.items():
        schema = plans[table].schema
        schema.require([column])
        if plans[table].light:
            roles[table] = Role.IDENTIFIER if column in plans[table].identifiers else None
        elif column in plans[table].identifiers or schema[column].role is Role.QUASI_IDENTIFIER:
            roles[table] = schema[column].role
        else:
            roles[table] = None
    if len(set(roles.values())) > 1:
        words = ", ".join(f"{_treatment(role)} in {table}" for table, role in roles.items())
        raise ProjectError("plan.repeated-roles-differ", place=several.where(i), what=said.name, words=words)
    return next(iter(roles.values()))


def _treatment(role: Role | None) -> str:
    words: dict[Role | None, str] = {Role.IDENTIFIER: "removed", Role.QUASI_IDENTIFIER: "generalized"}
    return words.get(role, Message("plan.released-as-it-is"))


def _refuse_unlike(where: str, table: str, column: str, plan: Plan) -> None:
    """Refuse what could give one value different labels in different tables."""
    method = plan.method
    if not isinstance(method, FullDomain) or method.rounds > 1:
        raise ProjectError(
            "plan.repeated-released-in-several-ways", where=where, column=column, table=table, method=method.name
        )
    if plan.missing.get(column, "drop") != "drop":
        raise ProjectError("plan.repeated-missing-filled", where=where, column=column, table=table)
    if plan.hierarchies[column].needs_target:
        raise ProjectError("plan.repeated-hierarchy-learnt", where=where, column=column, table=table)


def share_hierarchies(
    several: LoadedTables, repeated: Mapping[str, Repeated], plans: dict[str, Plan], data: Mapping[str, Data]
) -> None:
    """Give every repeated quasi-identifier one hierarchy, over the values of all its tables together."""
    for said in repeated.values():
        where = several.where(several.project.repeated.index(said))
        kinds = {plans[table].schema[column].type for table, column in said.columns.items()}
        if len(kinds) > 1:
            words = " and ".join(sorted(map(str, kinds)))
            raise ProjectError("plan.repeated-types-differ", where=where, what=said.name, words=words)
        builders = [plans[table].hierarchies[column] for table, column in said.columns.items()]
        if any(builder != builders[0] for builder in builders):
            raise ProjectError("plan.repeated-hierarchies-differ", where=where, what=said.name)
        kind = kinds.pop()
        values = [value for table, column in said.columns.items() for value in data[table].count([column]).values[0]]
        spellings = qi_domain(said.name, values, kind).spellings
        if not spellings:
            continue
        try:
            shared = Given(hierarchy=builders[0].build(spellings, kind))
        except HierarchyError as error:
            raise HierarchyError(
                "plan.repeated-hierarchy", values=error.values, where=where, what=said.name, error=error
            ) from None
        for table, column in said.columns.items():
            plans[table] = replace(plans[table], hierarchies={**plans[table].hierarchies, column: shared})


def settle(
    repeated: Mapping[str, Repeated], plans: Mapping[str, Plan], decide: Callable[[str, Plan], Release]
) -> dict[str, Release]:
    """Decide on every table, and again with the highest level of each repeated attribute, until all tables agree.

    Levels only rise, so it ends.
    """
    releases = {table: decide(table, plan) for table, plan in plans.items()}
    while True:
        highest = {
            name: max(releases[table].levels[column] for table, column in said.columns.items())
            for name, said in repeated.items()
        }
        behind: dict[str, dict[str, int]] = {}
        for table, release in releases.items():
            own = {said.columns[table]: highest[name] for name, said in repeated.items() if table in said.columns}
            if any(release.levels[column] != level for column, level in own.items()):
                behind[table] = own
        if not behind:
            return releases
        for table, levels in behind.items():
            releases[table] = _raised(table, plans[table], levels, decide)


def _raised(table: str, plan: Plan, levels: Mapping[str, int], decide: Callable[[str, Plan], Release]) -> Release:
    """Decide on one table again, its repeated attributes at these levels, or above where that can't be."""
    method = plan.method
    if not isinstance(method, FullDomain):
        raise ProjectError("plan.repeated-levels-need-full-domain", table=table, method=method.name)
    for column, level in levels.items():
        if method.levels or method.highest.get(column, level) < level:
            raise ProjectError("plan.repeated-level-not-allowed", table=table, column=column, level=level)
    low = {**method.lowest, **levels}
    exact = method.model_copy(update={"lowest": low, "highest": {**method.highest, **levels}})
    try:
        return decide(table, plan.with_method(exact))
    except PrivacyNotReached:
        # More general is not always more private: some models hold only further up.
        return decide(table, plan.with_method(method.model_copy(update={"lowest": low})))


def mapped(said: Repeated, plans: Mapping[str, Plan], alike: Mapping[str, Repeated]) -> Mapped:
    """Say what became of the values of a repeated attribute."""
    table, column = next(iter(said.columns.items()))
    operations = plans[table].operations.get(column, ())
    if column in plans[table].identifiers or any(isinstance(each, Suppress) for each in operations):
        return "removed"
    if said.name in alike or not all(_one_to_one(each) for each in operations):
        return "many-to-one"
    return "one-to-one"


def _one_to_one(operation: Operation) -> bool:
    """Whether an operation gives every value one of its own."""
    made = isinstance(operation, Substitute) and operation.made
    return made or isinstance(operation, Encrypt | Decrypt | Pseudonymize)


def check_operations(several: LoadedTables) -> None:
    """Refuse operations that are no function of the value alone, before anything is read."""
    for i, said in enumerate(several.project.repeated):
        table, column = next(iter(said.columns.items()))
        for operation in several.tables[table].operations.get(column, ()):
            why = _not_by_value(operation)
            if why is not None:
                raise ProjectError(
                    "plan.repeated-operation",
                    place=several.where(i, "operation"),
                    operation=operation.name,
                    why=why,
                    what=said.name,
                )
        for name, held in said.columns.items():
            for step in several.tables[name].perturbation:
                if held in step.columns:
                    why = _not_by_value(step.perturbation)
                    raise ProjectError(
                        "plan.repeated-operation",
                        place=several.where(i),
                        operation=step.perturbation.name,
                        why=why,
                        what=said.name,
                    )


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


def share_secrets(several: LoadedTables, before: Mapping[tuple[str, str], Iterable[str | None]]) -> None:
    """Give values that are made up without a key one secret for all tables: from the seed and all their values.

    Without a seed it is drawn. It is kept nowhere.
    """
    for said in several.project.repeated:
        values = sorted({value for place in said.columns.items() for value in before[place] if value is not None})
        secret = _secret(several.project.seed, said.name, values)
        for table, column in said.columns.items():
            operations = several.tables[table].operations
            if column in operations:
                operations[column] = tuple(
                    each.model_copy(update={"key": secret})
                    if isinstance(each, Substitute) and each.made and each.key is None
                    else each
                    for each in operations[column]
                )


def _secret(seed: int | None, name: str, values: Sequence[str]) -> bytes:
    if seed is None:
        return secrets.token_bytes(64)
    mixed = hashlib.blake2b(key=seed.to_bytes(16, "big", signed=True), person=b"repeated values")
    for part in (name, *values):
        text = part.encode()
        # Values of any length stand one after the other: their lengths keep them apart.
        mixed.update(len(text).to_bytes(8, "big") + text)
    return mixed.digest()
