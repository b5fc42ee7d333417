"""Databases of our own, embedded or on a server, in which projects, runs and the ledger are stored."""
