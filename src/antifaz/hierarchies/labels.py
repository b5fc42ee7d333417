"""Labels as people write them in Python, YAML and JSON: text, but also numbers and dates."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from decimal import Decimal
from math import isfinite
from numbers import Integral
from typing import Any

from antifaz.core.errors import HierarchyError
from antifaz.core.values import canonical

#: The JSON Schema of a label.
LABEL_SCHEMA: dict[str, Any] = {"type": ["string", "number"]}


def as_label(given: object, where: str) -> str:
    """Return the canonical text of a label; `where` names its place in errors."""
    if isinstance(given, bool):
        # YAML reads a bare `no` as false: Norway must not become 'False'.
        raise HierarchyError("hierarchy.label-true-or-false", where=where)
    clean = canonical(_spelled(given, where))
    if clean is None:
        raise HierarchyError("hierarchy.label-empty", where=where)
    return clean


def _spelled(given: object, where: str) -> str | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, date):  # a datetime is one too
        return given.isoformat()
    if isinstance(given, Integral | float | Decimal):
        # A number of thousands of digits, and a signalling NaN, refuse to be looked at.
        with suppress(ValueError, OverflowError):
            if isinstance(given, Integral) or isfinite(given):
                return str(given)
    raise HierarchyError("hierarchy.label-not-text", where=where)
