"""Perturbation: numbers and categories are changed a little, so that they are no longer anybody's own."""

from antifaz.methods.perturbation.microaggregate import microaggregate

__all__ = ["microaggregate"]
