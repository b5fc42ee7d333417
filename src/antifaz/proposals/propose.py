"""`az.propose`: all that the library proposes, under one name. A run needs little of it, and does not load this."""

from antifaz.proposals.column_costs import columns
from antifaz.proposals.hierarchies import alternatives, hierarchy
from antifaz.proposals.k import k
from antifaz.proposals.presets import preset
from antifaz.proposals.quasi_identifiers import quasi_identifiers
from antifaz.proposals.roles import roles

__all__ = ["alternatives", "columns", "hierarchy", "k", "preset", "quasi_identifiers", "roles"]
