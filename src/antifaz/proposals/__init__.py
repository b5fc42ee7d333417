"""What a non-expert may start from: roles, quasi-identifiers and their costs, hierarchies and k, with reasons."""
