"""Substitution: every value is replaced by another one, from a table or made up."""

import csv
import unicodedata
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from antifaz.core.changes import ColumnChange
from antifaz.core.errors import DataError, ParameterError, silence
from antifaz.core.keys import Key
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.methods.operations.operation import Operation, OperationContext, secret
from antifaz.sources.column_values import reads_as_number, text

#: Letters and digits are exchanged within blocks of so many code points: Latin stays Latin, Greek Greek.
_BLOCK = 128


class Substitute(Operation):
    """Replace every value by another one: of a table that is given, or made up in the same shape."""

    name: ClassVar[str] = "substitute"
    summary: ClassVar[str] = "Replaces every value by another one, from a table or made up in the same shape."
    details: ClassVar[str] = (
        "With `table`, a mapping or a CSV file of two columns with a header, each value becomes what stands beside it. "
        "With `made: true` letters become other letters, digits other digits, and everything else stays, so lengths "
        "and shapes are kept; no two values become the same and none stays as it is. With a key the same value becomes "
        "the same in every run and table; without one it follows from the run's seed and the column's values. How "
        "often each value occurs can still be seen, and common values can be guessed by that."
    )
    protects: ClassVar[bool] = True
    personal: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("table", "key")
    examples: ClassVar[tuple[dict[str, object], ...]] = (
        {"table": {"a": "b"}}, {"table": "names.csv", "others": "missing"}, {"made": True}, {"made": True, "key": "k"},
    )  # fmt: skip

    table: dict[str, str | int | float | None] | str | None = Field(
        default=None, repr=False, description="From each value to its new one; or a CSV file of two columns."
    )
    made: bool = Field(default=False, description="Make the new values up.")
    others: Literal["refuse", "keep", "missing"] = Field(
        default="refuse", description="What becomes of values that the table does not name."
    )
    key: Key
    joins: str | None = Field(
        default=None, description="A name that columns share whose made-up values are to be joined, where no key does."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.table is None) != self.made:
            raise ValueError(Message("expected.table-or-made"))
        if not self.made and (self.key is not None or self.joins is not None):
            raise ValueError(Message("expected.no-key-without-made"))
        return self

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Read the table, or find the secret."""
        if self.made:
            key = secret(self.name, self.key, context, context.column, self.joins)
            return context.change(partial(_make_up, key), costly=True, result=DataType.TEXT)
        if isinstance(self.table, dict):
            pairs = {str(old): None if new is None else str(new) for old, new in self.table.items()}
        else:
            pairs = read_pairs((context.folder or Path()) / str(self.table))
        number = context.type.is_number and all(new is None or reads_as_number(new) for new in pairs.values())
        work = partial(_look_up, context.column, pairs, self.others)
        return context.change(work, result=None if number else DataType.TEXT)


def read_pairs(path: Path) -> dict[str, str | None]:
    """Read a CSV file of two columns, a header first, as a mapping; an empty new value is missing."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except OSError as error:
        raise ParameterError("substitute.table-not-readable", file=path.name, reason=error.strerror) from None
    except (UnicodeDecodeError, csv.Error) as error:
        silence(error)
        raise ParameterError("substitute.table-not-csv", file=path.name) from None
    pairs: dict[str, str | None] = {}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != 2 or row[0] in pairs:
            wrong = Message("substitute.not-two-columns") if len(row) != 2 else Message("substitute.value-twice")
            raise ParameterError("substitute.row-wrong", line=line, file=path.name, count=wrong)
        pairs[row[0]] = row[1] or None
    if not pairs:
        raise ParameterError("substitute.table-empty", file=path.name)
    return pairs


def _look_up(column: str, pairs: dict[str, str | None], others: str, arrays: Sequence[pa.Array]) -> pa.Array:
    cells = text(arrays[0])
    place = pc.index_in(cells, value_set=pa.array(list(pairs), pa.string()))
    result = pa.array(list(pairs.values()), pa.string()).take(place)
    unknown = pc.and_(pc.is_null(place), pc.is_valid(cells))
    if others == "keep":
        return pc.if_else(unknown, cells, result)
    if others == "refuse" and (left := pc.sum(unknown).as_py()):
        raise DataError("substitute.table-misses-values", left=left, column=column)
    return result


def _make_up(key: bytes, arrays: Sequence[pa.Array]) -> pa.Array:
    """Replace every text by a made-up one of the same shape, always the same for the same key."""
    values = text(arrays[0])
    lengths = np.asarray(pc.fill_null(pc.utf8_length(values), 0), np.int64)
    result = values.to_pylist()
    order = np.argsort(lengths, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        if rows.size and lengths[rows[0]]:
            made = _disguised(values.take(pa.array(rows)).to_pylist(), int(lengths[rows[0]]), key)
            for row, new in zip(rows.tolist(), made, strict=True):
                result[row] = new
    return pa.array(result, pa.string())


def _disguised(values: list[str], length: int, key: bytes) -> list[str]:
    from antifaz.kernels.keyed_hash import disguise

    # As bytes of UTF-32, because NumPy's own text drops zeros at the end.
    codes = np.frombuffer("".join(values).encode("utf-32-le"), np.uint32).reshape(len(values), length)
    present = np.flatnonzero(np.bincount(codes.ravel()))
    alphabets = [_alphabet(int(code)) for code in present]
    place = np.zeros(int(present[-1]) + 1, np.int32)
    radix, owner = np.ones_like(place), np.zeros_like(place)
    for i, (code, letters) in enumerate(zip(present.tolist(), alphabets, strict=True)):
        place[code], radix[code], owner[code] = letters.index(code), len(letters), i
    digits, radices, owners = place[codes], radix[codes], owner[codes]
    disguise(digits, radices, np.frombuffer(key[:16], np.uint64).copy())
    table = np.zeros((len(alphabets), max(map(len, alphabets))), np.uint32)
    for i, letters in enumerate(alphabets):
        table[i, : len(letters)] = letters
    made = table[owners, digits].astype("<u4").tobytes().decode("utf-32-le")
    return [made[at : at + length] for at in range(0, len(made), length)]


def _alphabet(code: int) -> tuple[int, ...]:
    """Return the characters that one may become: letters or digits of the same kind and block, else only itself."""
    kind = unicodedata.category(chr(code))
    return _letters(code // _BLOCK, kind) if kind.startswith("L") or kind == "Nd" else (code,)


@cache
def _letters(block: int, kind: str) -> tuple[int, ...]:
    codes = range(block * _BLOCK, (block + 1) * _BLOCK)
    return tuple(code for code in codes if unicodedata.category(chr(code)) == kind)
