"""What a non-expert may start from: proposed roles, quasi-identifiers, hierarchies and k, each with its reason."""

from antifaz.proposals.hierarchies import alternatives, hierarchy
from antifaz.proposals.k import k
from antifaz.proposals.quasi_identifiers import quasi_identifiers
from antifaz.proposals.roles import roles

__all__ = ["alternatives", "hierarchy", "k", "quasi_identifiers", "roles"]
