"""Specialization: from the roots of all trees downwards, as far as the models hold."""
