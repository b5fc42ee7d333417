"""Numba functions: arrays in, arrays out; no I/O, no classes, no defaults."""
