"""The people of two tables that are assessed: who is in which class of each, where a person has several rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.counting.people import People
from antifaz.engines.engine import Data


@dataclass(frozen=True, kw_only=True)
class ClassPeople:
    """Who is in which class of the original, and of the release where it has the person key or a pseudonym of it."""

    key: tuple[str, ...]
    before: People
    after: People | None
    #: Whose the rows of both tables are, as numbers, where both have the same keys.
    persons: tuple[Ints, Ints] | None

    @classmethod
    def of(cls, before: Data, after: Data, roles: Mapping[str, Role]) -> "ClassPeople | None":
        """Count the people of both tables; None where no column has the role of a person key."""
        from antifaz.utility.pair import class_people

        key, qis = (
            tuple(n for n, role in roles.items() if role is own) for own in (Role.PERSON, Role.QUASI_IDENTIFIER)
        )
        if not key:
            return None
        there = set(key) <= {*after.schema.names}
        return cls(
            key=key, before=class_people(before, qis, key, released=False),
            after=class_people(after, qis, key, released=True) if there else None,
            persons=_same_people(before, after, key) if there else None,
        )  # fmt: skip

    def numbers(self) -> dict[str, Any]:
        """Return the key, and how many people each table has; None where that is not known."""
        released = None if self.after is None else self.after.number
        return {"key": list(self.key), "original": self.before.number, "released": released}

    def warnings(self) -> list[Message]:
        """Say where rows are counted after all."""
        if self.after is None:
            return [Message("warning.released-people-not-counted", names=list(self.key))]
        return [] if self.persons is not None else [Message("warning.person-keys-differ", names=list(self.key))]


def _same_people(before: Data, after: Data, key: tuple[str, ...]) -> tuple[Ints, Ints] | None:
    """Number the people of both tables; None where the release has keys that the original has not."""
    from antifaz.pipeline.attack import number_people

    one, other = number_people(before.cells(key), after.cells(key))
    return (one, other) if np.isin(other, one).all() else None
