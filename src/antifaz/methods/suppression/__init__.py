"""Local suppression: single cells are blanked, and only where a combination of values is rare."""

from antifaz.methods.suppression.local_suppression import LocalSuppression, SuppressionResult, suppress_locally

__all__ = ["LocalSuppression", "SuppressionResult", "suppress_locally"]
