"""A recoding: what a method decided, as plain data that any engine can apply."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from array import array


@dataclass(frozen=True, kw_only=True)
class ColumnRecoding:
    """What each value of one column becomes. `values[i]` (as read) is released as `labels[i]`; None is missing.

    `keeps_type` says that nothing is generalized: the column goes out in the type it came in.
    """

    column: str
    values: tuple[str | None, ...]
    labels: tuple[str | None, ...]
    keeps_type: bool = False


@dataclass(frozen=True, kw_only=True)
class TupleRecoding:
    """What whole combinations of values become: local recoding, where one value may be released in several ways.

    Everything is per column, in the order of the recoding's `columns`. Combinations are held as numbers, because there
    may be millions of them; arrays of the standard library, because the core does without NumPy. A combination that
    is not listed is left out of the release.
    """

    #: The code that each of the column's `values` stands for; several spellings may share one.
    codes: tuple[array[int], ...] = field(repr=False)
    #: For every combination listed, its code.
    tuples: tuple[array[int], ...] = field(repr=False)
    #: The labels that combinations are released with; None is missing.
    labels: tuple[tuple[str | None, ...], ...] = field(repr=False)
    #: For every combination listed, the position of its label in `labels`.
    released: tuple[array[int], ...] = field(repr=False)
    #: Whose labels are values of the column's own type, and go out in it; none where left out.
    typed: tuple[bool, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RowRecoding:
    """What single records become: groups of them are released alike, whatever else has the same values.

    Per column as in `TupleRecoding`; rows are in the order of the table.
    """

    #: For every row its group; -1 where it is left out.
    groups: array[int] = field(repr=False)
    #: The labels that groups are released with; None is missing.
    labels: tuple[tuple[str | None, ...], ...] = field(repr=False)
    #: For every group, the position of its label in `labels`.
    released: tuple[array[int], ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class StoredRecoding:
    """What combinations become is in a table of the engine's: there are too many of them to hold.

    Per column as in `TupleRecoding`; which combination has which label is known to `place`, whatever that is to the
    engine.
    """

    place: object = field(repr=False)
    labels: tuple[tuple[str | None, ...], ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """What every value becomes, which columns go, and which classes are left out whole.

    With `tuples`, `columns` only say how each value is spelled where it is not generalized, and `keeps_type` that it is
    in no combination; what is released, and of whom, is in `tuples`.
    """

    columns: tuple[ColumnRecoding, ...]
    dropped: tuple[str, ...] = ()
    #: Classes left out, each as its labels in the order of `columns`.
    suppressed: tuple[tuple[str | None, ...], ...] = field(default=(), repr=False)
    tuples: TupleRecoding | None = None
    #: What single rows become; then `columns` say only whose labels are numbers of the column's own type.
    rows: RowRecoding | None = None
    #: What combinations become, where the engine keeps that; then `columns` say the same as with `rows`.
    stored: StoredRecoding | None = None

    def digest(self) -> bytes:
        """Return a digest of what columns go and what values become, without what only single rows or tuples become."""
        mixed = hashlib.blake2b(repr(self.dropped).encode(), digest_size=16)
        for column in self.columns:
            mixed.update(repr((column.column, column.labels)).encode())
        return mixed.digest()

    def released_labels(self) -> dict[str, frozenset[str | None]]:
        """Return all labels that may be released, per column that is not released as it came."""
        local = self.tuples or self.rows or self.stored
        labels = local.labels if local else tuple(column.labels for column in self.columns)
        typed = (self.tuples.typed if self.tuples else ()) or tuple(column.keeps_type for column in self.columns)
        each = zip(self.columns, labels, typed, strict=True)
        return {column.column: frozenset(of) for column, of, own in each if not own}
