"""Masking characters: the middle of a value is covered, its ends stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from antifaz.core.types import DataType
from antifaz.engines.changes import ColumnChange
from antifaz.methods.operations.columns import text
from antifaz.methods.operations.operation import Operation, Setting

#: So many characters cover a value whose length is not to be told.
_FIXED = 3


class Mask(Operation):
    """Cover all characters of a value but some at its ends."""

    name: ClassVar[str] = "mask"
    summary: ClassVar[str] = "Covers the characters of a value, all but some at its ends."
    details: ClassVar[str] = (
        "`first` and `last` say how many characters stay at each end; a value that would be shown whole is covered "
        "whole. What stays, and the length, may still tell who it is: a masked column can be a quasi-identifier."
    )
    protects: ClassVar[bool] = True
    examples: ClassVar[tuple[dict[str, object], ...]] = ({}, {"first": 2, "last": 1, "character": "x", "length": False})

    first: int = Field(default=0, ge=0, description="How many characters stay at the beginning.")
    last: int = Field(default=0, ge=0, description="How many characters stay at the end.")
    character: str = Field(default="*", min_length=1, max_length=1, description="What covers the others.")
    length: bool = Field(default=True, description="Whether the length of a value stays; else it is always the same.")

    def prepare(self, setting: Setting) -> ColumnChange:
        """Return what becomes of the column."""
        work = _Covered(self.first, self.last, self.character, self.length)
        return ColumnChange(column=setting.column, needs=(setting.column,), work=work, result=DataType.TEXT)


@dataclass(frozen=True)
class _Covered:
    first: int
    last: int
    character: str
    length: bool

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = text(arrays[0])
        if pc.all(pc.string_is_ascii(cells)).as_py() is not False:  # bytes are characters, which is faster
            lengths, cut = pc.binary_length(cells), _cut_bytes
        else:
            lengths, cut = pc.utf8_length(cells), pc.utf8_slice_codeunits
        shown = self.first + self.last
        whole = pc.less_equal(lengths, shown)
        covered = pc.if_else(whole, lengths, pc.subtract(lengths, shown)) if self.length else _FIXED
        middle = pc.binary_repeat(self.character, covered)
        if not shown:
            return pc.if_else(pc.is_valid(cells), middle, pa.scalar(None, pa.string()))
        empty = pa.scalar("")
        begin = cut(cells, 0, self.first) if self.first else empty
        end = cut(cells, -self.last) if self.last else empty
        kept = pc.binary_join_element_wise(begin, middle, end, "")
        masked = pc.if_else(whole, middle, kept)
        return pc.if_else(pc.is_valid(cells), masked, pa.scalar(None, pa.string()))


def _cut_bytes(cells: pa.Array, start: int, stop: int | None = None) -> pa.Array:
    return pc.binary_slice(cells.cast(pa.binary()), start, stop).cast(pa.string())
