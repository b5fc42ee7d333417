"""Perturbations within strata, and of households as a whole."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field

from antifaz.core.arrays import Ints
from antifaz.core.errors import DataError
from antifaz.methods.operations.operation import Perturbation
from antifaz.sources.column_values import column_list, plain_type, read_strata, require_apart, require_column
from antifaz.sources.frames import forget_pandas_types


class GroupedPerturbation(Perturbation):
    """A perturbation that can be kept within strata, and that can change households instead of rows."""

    #: Whether `change` sees to strata itself.
    knows_strata: ClassVar[bool] = False

    strata: Annotated[tuple[str, ...], BeforeValidator(column_list)] = Field(
        default=(), description="Columns within whose combinations values are changed: none leaves its stratum."
    )
    household: str | None = Field(
        default=None,
        description="A column that says which rows are of one household: it is changed as one record, and all members "
        "get the same. Its members must have the same values in the columns and strata. A row without one is alone.",
    )

    @abstractmethod
    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Return the rows of one stratum, one for each household, with these columns changed."""

    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Change one stratum after the other, each household once."""
        once, member = self.once(table, columns)
        if self.household is None and (self.knows_strata or not self.strata):
            return self.change(table, columns, random)
        strata = read_strata(self.name, once, () if self.knows_strata else self.strata)
        order = np.argsort(strata, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(strata[order])) + 1)
        made = pa.concat_tables([self.change(once.take(pa.array(rows)), columns, random) for rows in parts])
        back = pa.array(np.argsort(order)[member])
        for name in columns:
            at, before, after = table.column_names.index(name), once.schema.field(name), made.column(name).take(back)
            if after.type == before.type:
                table = table.set_column(at, table.schema.field(at), after.cast(table.schema.field(at).type))
            else:
                table = forget_pandas_types(table.set_column(at, name, after), [name])
        return table

    def other_columns(self) -> tuple[str, ...]:
        """The strata and the household."""
        return (*self.strata, *(() if self.household is None else (self.household,)))

    def once(self, table: pa.Table, columns: Sequence[str]) -> tuple[pa.Table, Ints]:
        """Return one row of each household, and of each row which it is of; raise where members differ."""
        require_apart(self.name, columns, self.strata, "strata")
        require_apart(self.name, columns, () if self.household is None else (self.household,), "household")
        columns_read = {name: require_column(table, name) for name in (*columns, *self.other_columns())}
        # Arrow can't take rows of a view of text.
        once = pa.table({name: column.cast(plain_type(column.type)) for name, column in columns_read.items()})
        if self.household is None:
            return once, np.arange(table.num_rows)
        codes = read_strata(self.name, once, [self.household])
        nobody = np.flatnonzero(once.column(self.household).is_null().to_numpy())
        codes[nobody] = codes.max(initial=0) + 1 + np.arange(nobody.size)
        _, first, member = np.unique(codes, return_index=True, return_inverse=True)
        for name in (*columns, *self.strata):
            values = read_strata(self.name, once, [name])
            differ = np.unique(member[values != values[first[member]]]).size
            if differ:
                raise DataError("operation.household-differs", who=self.name, name=name, count=differ)
        return once.take(pa.array(first)), member
