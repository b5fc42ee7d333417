"""What all methods that put records into groups share: the recoding of groups, and a first look at the models."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.recoding import ColumnRecoding, Recoding, RowRecoding, TupleRecoding
from antifaz.counting.classes import ClassTable
from antifaz.counting.frequencies import group_codes
from antifaz.counting.records import Records
from antifaz.privacy.model import PrivacyModel

Ints = NDArray[np.int64]


def recode_groups(
    method: str,
    records: Records,
    groups: Ints,
    labels: Sequence[tuple[str | None, ...]],
    released: Sequence[Ints],
    keeps_type: Sequence[bool],
) -> Recoding:
    """Say what each row becomes, or each combination of values where rows can't be told apart.

    Args:
        method: The name of the method, for errors.
        records: The rows.
        groups: The group of every row; -1 is left out.
        labels: Per attribute, all labels.
        released: Per attribute, which label each group has.
        keeps_type: Per attribute, whether labels are values of the column's own type.
    """
    if not records.copies:
        columns = tuple(
            ColumnRecoding(column=a.column, values=(), labels=(), keeps_type=kept)
            for a, kept in zip(records.attributes, keeps_type, strict=True)
        )
        rows = RowRecoding(
            groups=int_array(groups), labels=tuple(labels), released=tuple(int_array(part) for part in released)
        )
        return Recoding(columns=columns, rows=rows)
    codes = [attribute.codes for attribute in records.attributes]
    sizes = [attribute.domain.size for attribute in records.attributes]
    first, alike, _ = group_codes(codes, sizes, np.ones(records.rows, np.int64))
    if not np.array_equal(groups[first][alike], groups):
        raise ParameterError("method.splits-same-values", name=method)
    kept = first[groups[first] >= 0]
    return Recoding(
        columns=tuple(
            ColumnRecoding(column=a.column, values=a.domain.values, labels=a.domain.values) for a in records.attributes
        ),
        tuples=TupleRecoding(
            codes=tuple(int_array(a.domain.codes) for a in records.attributes),
            tuples=tuple(int_array(part[kept]) for part in codes),
            labels=tuple(labels),
            released=tuple(int_array(part[groups[kept]]) for part in released),
            typed=tuple(keeps_type),
        ),
    )


def int_array(numbers: NDArray[np.int64] | NDArray[np.int32]) -> array[int]:
    """Return numbers in the form that recodings hold."""
    return array("i", numbers.astype(np.intc).tobytes())


def require_models(code: str, method: str, models: Sequence[PrivacyModel], classes: ClassTable) -> None:
    """Raise where a model does not hold. A method's own opinion is no evidence, but it spares a refused run."""
    for model in models:
        verdict = model.judge(classes)
        if not verdict.holds:
            reached = {"achieved": verdict.achieved, "failing": verdict.failing}
            raise PrivacyNotReached(code, name=method, model=model.name, **reached)
