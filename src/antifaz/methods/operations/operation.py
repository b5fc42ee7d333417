"""What an operation is: one thing that is done to the cells of one column or several, before all else."""

import hashlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from antifaz.core.arrays import Floats
from antifaz.core.changes import ColumnChange, Work
from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError, SchemaError, hint
from antifaz.core.keys import derived, read_key
from antifaz.core.messages import Message
from antifaz.core.randomness import shuffle_key
from antifaz.core.types import DataType
from antifaz.sources.column_values import is_text, ordered, spell_numbers


@dataclass(frozen=True, kw_only=True)
class OperationContext:
    """Where an operation is at work: what it may ask about the table, and from what its secrets come."""

    column: str
    types: Mapping[str, DataType]
    #: The distinct values of a column, as text, in any order; missing is not among them.
    distinct: Callable[[str], pa.Array]
    #: The smallest value of a column that so large a share of its values (0 to 1) does not exceed.
    quantile: Callable[[str, float], pa.Scalar]
    #: The sample standard deviation of a column of numbers.
    deviation: Callable[[str], float] | None = None
    #: From which all that is random follows where an operation has no key; None draws afresh.
    seed: int | None = None
    #: From which the draw of every cell follows, for operations that draw one.
    draw_key: int = 0
    #: What paths are relative to.
    folder: Path | None = None
    #: Folders in which no key may be.
    away: tuple[Path, ...] = ()
    #: The columns that name people or point to them, where roles are known.
    naming: tuple[str, ...] | None = None

    @property
    def type(self) -> DataType:
        """How the column that is changed is understood."""
        return self.types[self.column]

    def require(self, column: str) -> str:
        """Return a column's name, or raise where there is none."""
        if column not in self.types:
            raise SchemaError("column.unknown", name=column, hint=hint(column, self.types))
        return column

    def change(self, work: Work, *others: str, **given: Any) -> ColumnChange:
        """Return the change of the column by some work on its cells, and on those of other columns."""
        return ColumnChange(column=self.column, needs=(self.column, *others), work=work, **given)


class Operation(Declared, ABC):
    """One thing that is done to the cells of a column. Its parameters may hold values, so errors never quote them."""

    #: Whether each cell can be changed by itself, given what `prepare` asks about the table: such ones run everywhere.
    by_cell: ClassVar[bool] = True
    #: Whether it changes whole columns, several at once, wherever the engine hands them out (see `Perturbation`).
    whole_columns: ClassVar[bool] = False
    #: Whether it needs numbers or dates.
    needs_order: ClassVar[bool] = False
    #: Whether a direct identifier may be released after it.
    protects: ClassVar[bool] = False
    #: Whether whoever has the key or the table can undo it: what comes out is still personal data.
    personal: ClassVar[bool] = False
    #: Whether it leaves text in which people may still be named.
    leaves_text: ClassVar[bool] = False
    #: Parameters that are never shown: keys, tables, values.
    hidden: ClassVar[tuple[str, ...]] = ()
    quotable: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, context: OperationContext) -> ColumnChange:
        """Look at the table as far as needed, and return what becomes of the cells of a column."""

    def evidence(self) -> dict[str, Any]:
        """Return what evidence says of it: its name and parameters, of keys, tables and values only that there are."""
        shown = self.model_dump(mode="json", exclude_none=True, exclude=set(self.hidden))
        given = {name: "given" for name in self.hidden if getattr(self, name) is not None}
        return {"name": self.name, **{key: value for key, value in shown.items() if value != []}, **given}


class Perturbation(Operation):
    """Changes the values of whole columns of a table; rows keep their order, other columns stay as they are."""

    by_cell: ClassVar[bool] = False
    whole_columns: ClassVar[bool] = True
    #: Shares and bounds are nobody's values.
    quotable: ClassVar[bool] = True
    #: Whether it draws random numbers; otherwise the seed does not matter.
    draws: ClassVar[bool] = True
    #: Whether text that spells numbers is read as numbers; otherwise columns are categories, as they are written.
    numbers: ClassVar[bool] = True

    @abstractmethod
    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Return the table with these columns changed."""

    def cells(self, table: pa.Table, column: str, draws: Floats, deviation: float) -> pa.Table:
        """Return some rows with a column changed, by a draw between 0 and 1 for each and the column's deviation."""
        raise ParameterError("operation.needs-whole-columns", name=self.name)

    def other_columns(self) -> tuple[str, ...]:
        """Return the columns that it looks at and leaves as they are."""
        return ()

    def counts(self, before: pa.Table, after: pa.Table, columns: Sequence[str]) -> dict[str, int]:
        """Count what was done and what could not be, from the rows before and after, for the evidence."""
        return {}

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Return the change of single cells, each by a draw of its own; for engines whose rows have no order."""
        name, kind = context.column, context.type
        if not kind.is_number or context.deviation is None:
            # The perturbation itself says what is wrong, as everywhere.
            self.cells(pa.table({name: pa.array([], pa.string())}), name, np.empty(0), 0.0)
        kept = getattr(self, "keep_type", False)
        work = partial(self._drawn, name, kind, context.deviation(name) if context.deviation else 0.0)
        result = kind if kept and kind is DataType.INTEGER else None if kept else DataType.DECIMAL
        return context.change(work, by_value=False, key=shuffle_key(context.draw_key, name.encode()), result=result)

    def _drawn(self, column: str, kind: DataType, deviation: float, arrays: Sequence[pa.Array]) -> pa.Array:
        cells, draws = arrays
        table = pa.table({column: ordered(cells, kind, column)})
        made = self.cells(table, column, draws.to_numpy(), deviation).column(0)
        made = spell_numbers(made) if is_text(cells) else made
        return pa.concat_arrays(made.chunks) if made.num_chunks else pa.array([], made.type)


class NumberPerturbation(Perturbation):
    """A perturbation that makes new numbers."""

    keep_type: bool = Field(
        default=False,
        description="Keep each column's type: whole numbers stay whole, rounded (a half to even). Otherwise columns "
        "become 64-bit floats.",
    )


def protects(operations: Sequence[Operation]) -> bool:
    """Say whether a direct identifier may be released after these operations."""
    return any(operation.protects for operation in operations)


def operation_evidence(operations: Mapping[str, Sequence[Operation]]) -> dict[str, list[dict[str, Any]]]:
    """Return per column what evidence says of its operations: no key, no table, no value."""
    return {column: [operation.evidence() for operation in each] for column, each in operations.items()}


def operation_warnings(operations: Mapping[str, Sequence[Operation]]) -> tuple[str, ...]:
    """Warn of columns that can be turned back by whoever has the key or the table."""
    names = [column for column, each in operations.items() if any(operation.personal for operation in each)]
    return (Message("warning.still-personal-data", names=names),) if names else ()


def secret(who: str, key: Any, context: OperationContext, column: str, joins: str | None = None) -> bytes:
    """Return 32 secret bytes for one use.

    With a key they are the same in every run and table. Without one they follow from the seed and from the values of a
    column, because a seed such as 1 can be guessed; where several tables are to `join`, from the seed alone. Without a
    seed they are drawn.
    """
    if key is not None:
        return derived(read_key(who, key, context.folder, context.away), who)
    if context.seed is None:
        return secrets.token_bytes(32)
    mixed = hashlib.blake2b(digest_size=32, key=context.seed.to_bytes(16, "big", signed=True), person=who.encode()[:16])
    if joins is not None:
        mixed.update(joins.encode())
        return mixed.digest()
    values = context.distinct(column)
    values = values.take(pc.sort_indices(values))
    # Values of any length stand one after the other: their lengths keep them apart.
    lengths = np.asarray(pc.binary_length(values), np.int64)
    mixed.update(lengths.tobytes())
    if values.buffers()[2] is not None:
        mixed.update(bytes(values.buffers()[2][: int(lengths.sum())]))
    return mixed.digest()
