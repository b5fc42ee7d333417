"""Perturbation: numbers are replaced by others that lie close; plain functions, frame in and frame out."""
