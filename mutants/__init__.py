"""Mutation testing of the parts on which promises of privacy rest: `make mutants`, explained in docs/mutants.md."""
