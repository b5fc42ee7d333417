"""What is told of operations: in the evidence, in warnings, and whether they protect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antifaz.methods.operations.operation import Operation
from antifaz.methods.operations.perturbation import Perturbation

#: What may stand under `operation` of a column.
Treatment = Operation | Perturbation


def protects(operations: Sequence[Treatment]) -> bool:
    """Say whether a direct identifier may be released after these operations."""
    return any(operation.protects for operation in operations)


def told_of(operations: Mapping[str, Sequence[Treatment]]) -> dict[str, list[dict[str, Any]]]:
    """Return per column what may be told of its operations: no key, no table, no value."""
    return {column: [operation.told() for operation in each] for column, each in operations.items()}


def operation_warnings(operations: Mapping[str, Sequence[Treatment]]) -> tuple[str, ...]:
    """Warn of columns that can be turned back by whoever has the key or the table."""
    names = [column for column, each in operations.items() if any(operation.personal for operation in each)]
    if not names:
        return ()
    return (
        f"{', '.join(names)}: pseudonyms, encrypted and substituted values are still personal data (GDPR art. 4(5)), "
        "because whoever has the key or the table can turn them back; keep those apart from the release.",
    )
