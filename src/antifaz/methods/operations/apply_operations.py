"""Operations on an opened table: each column's are applied one after another, where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import ParameterError, SchemaError
from antifaz.core.schema import Schema
from antifaz.engines.engine import Data
from antifaz.methods.operations.cells import ordered
from antifaz.methods.operations.operation import Operation, Setting
from antifaz.methods.operations.sample import Sample


def masked(
    data: Data,
    operations: Mapping[str, Sequence[Operation]],
    *,
    sample: Sample | None = None,
    seed: int | None = None,
    folder: Path | None = None,
    away: Sequence[Path] = (),
) -> Data:
    """Return the table after its operations; `data` itself is not changed, and must stay open as long.

    Rows are drawn first. Then the first operations of all columns are applied to the table as it came, then the second
    ones to what came out of that, and so on.

    Args:
        data: The table.
        operations: Per column what is done to it, in order.
        sample: Which rows are kept.
        seed: From which all that is random follows where an operation has no key; None draws afresh.
        folder: What paths of keys and tables are relative to.
        away: Folders in which no key may be.
    """
    data.schema.require(list(operations))
    result = data
    if sample is not None:
        result = data.changed((), sample.bound(data.rows, seed))
        result.notes.append(f"{result.rows:,} of {data.rows:,} records were drawn at random.")
    for turn in range(max((len(given) for given in operations.values()), default=0)):
        given = {column: each[turn] for column, each in operations.items() if len(each) > turn}
        asked = _Asked(result)
        changes = [
            _at(column, operation, asked.setting(column, seed, folder, tuple(away)))
            for column, operation in given.items()
        ]
        before, result = result, result.changed(changes)
        if before is not data:
            before.close()
    return result


def _at(column: str, operation: Operation, setting: Setting) -> Any:
    """Prepare an operation; errors name the column."""
    try:
        return operation.prepare(setting)
    except (ParameterError, SchemaError) as error:
        if repr(column) not in str(error):
            error.args = (f"Column {column!r}: {error}",)
        raise


class _Asked:
    """Answers operations' questions from the counts of a table."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._schema: Schema = data.schema

    def setting(self, column: str, seed: int | None, folder: Path | None, away: tuple[Path, ...]) -> Setting:
        return Setting(
            column=column,
            types={known.name: known.type for known in self._schema},
            distinct=self.distinct,
            quantile=self.quantile,
            seed=seed,
            folder=folder,
            away=away,
        )

    def distinct(self, column: str) -> pa.Array:
        return pa.array(self._data.count([column]).values[0], pa.string()).drop_null()

    def quantile(self, column: str, share: float) -> pa.Scalar:
        counted = self._data.count([column])
        texts = pa.array(counted.values[0], pa.string()).take(pa.array(counted.codes[0]))
        values = ordered(texts, self._schema[column].type, column)
        return quantile(values, counted.counts, share)


def quantile(values: pa.Array, counts: Any, share: float) -> pa.Scalar:
    """Return the smallest value that so large a share of all does not exceed; missing and infinite ones aside."""
    known = np.asarray(values.is_valid())
    if pa.types.is_floating(values.type):
        known &= np.asarray(pc.fill_null(pc.is_finite(values), False))
    values, counts = values.filter(pa.array(known)), np.asarray(counts)[known]
    if not len(values):
        return pa.scalar(None, values.type)
    order = np.asarray(pc.sort_indices(values))
    reached = np.cumsum(counts[order])
    place = int(np.searchsorted(reached, share * reached[-1] - 1e-9))
    return values[int(order[min(place, order.size - 1)])]
