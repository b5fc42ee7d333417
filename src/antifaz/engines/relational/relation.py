"""A table as the verbs see it: whom to ask, what its rows are taken from, and its columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from antifaz.core.schema import Schema
from antifaz.engines.dialects.dialect import Queries, SQLDialect
from antifaz.engines.dialects.field import Field


@dataclass(frozen=True)
class Relation:
    """One table: its fields, the names that statements have them under, and what all rows are taken from."""

    queries: Queries
    source: str
    fields: tuple[Field, ...]
    #: The name under which statements have each field.
    places: tuple[str, ...]
    schema: Schema
    rows: int

    @property
    def dialect(self) -> SQLDialect:
        """How statements are written."""
        return self.queries.dialect

    def column(self, name: str) -> tuple[Field, str]:
        """Return a column and the name that statements have it under."""
        return next(pair for pair in zip(self.fields, self.places, strict=True) if pair[0].name == name)

    def columns(self, names: Sequence[str]) -> list[tuple[Field, str]]:
        """Return several columns, each with the name that statements have it under; raise for an unknown name."""
        self.schema.require(names)
        known = {field.name: (field, place) for field, place in zip(self.fields, self.places, strict=True)}
        return [known[name] for name in names]

    def one(self, statement: str) -> tuple[Any, ...]:
        """Run a statement and return its only row."""
        return self.queries.run(statement)[0]

    def fetched_type(self, field: Field) -> pa.DataType:
        """Return the Arrow type in which `SQLDialect.fetched_value` brings a column."""
        return field.number if self.dialect.text(field, "") is None else pa.string()
