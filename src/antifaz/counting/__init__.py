"""Counting: the frequency set, its roll-up through a lattice of generalizations, and the classes it leaves."""
