"""Risk: what a release gives away. One file per family of measures."""

from antifaz.risk.classes import marketer, prosecutor, records_below

__all__ = ["marketer", "prosecutor", "records_below"]
