"""What a non-expert may start from: roles, quasi-identifiers and their costs, hierarchies and k, with reasons."""

from antifaz.proposals.column_costs import columns
from antifaz.proposals.hierarchies import alternatives, hierarchy
from antifaz.proposals.k import k
from antifaz.proposals.presets import preset
from antifaz.proposals.quasi_identifiers import quasi_identifiers
from antifaz.proposals.roles import roles

__all__ = ["alternatives", "columns", "hierarchy", "k", "preset", "quasi_identifiers", "roles"]
