"""Roles of columns."""

from __future__ import annotations

from antifaz.core.roles import Role


def test_every_role_explains_itself() -> None:
    assert len({role.help for role in Role}) == len(Role) == 6
