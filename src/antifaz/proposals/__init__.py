"""What someone who is not an expert may start from: proposed roles and hierarchies, each with its reason."""

from __future__ import annotations

from antifaz.proposals.hierarchies import hierarchy
from antifaz.proposals.roles import roles

__all__ = ["hierarchy", "roles"]
