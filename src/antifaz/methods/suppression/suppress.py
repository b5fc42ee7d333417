"""Local suppression of a frame: frame in, frame of the same kind out, with few cells blanked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import PrivacyNotReached
from antifaz.core.randomness import check_seed, fresh_seed, generator
from antifaz.methods.suppression.blank_order import (
    Importance,
    RequiredCombination,
    blank_first,
    distinct,
    required_combinations,
)
from antifaz.methods.suppression.match_blanking import blank_combinations
from antifaz.methods.suppression.strict_blanking import gather_rare, merge_failing
from antifaz.risk.keys import check_choice, plain_column, read_keys
from antifaz.sources.frames import kind_of, to_arrow, to_kind, without_traces

Codes = NDArray[np.int32]
#: What a blank is for a reader of the table: a value of its own, or unknown, which any value matches.
Reading = Literal["strict", "match"]
_WHAT = "suppress_locally"


@dataclass(frozen=True, kw_only=True, eq=False)
class Suppressed:
    """What local suppression made of a frame."""

    #: The same kind of frame, rows and columns in their order.
    frame: Any = field(repr=False)
    #: Per column, how many cells were blanked.
    blanked: dict[str, int]
    #: The reading in which k-anonymity holds.
    reading: Reading
    #: How many records are in fewer than k where a blank is a value of its own; 0 in the strict reading.
    below_strictly: int

    @property
    def total(self) -> int:
        """How many cells were blanked."""
        return sum(self.blanked.values())


def suppress_locally(
    frame: Any,
    columns: Sequence[str] | str,
    k: int | None = None,
    *,
    importance: Importance = None,
    reading: Reading = "strict",
    combinations: Mapping[int, int] | None = None,
    seed: int | None = None,
) -> Suppressed:
    """Blank few cells so that every combination of values is shared by at least k records.

    Rows keep their order and all other columns stay as they are: what comes out is not a release. `frame` itself is not
    changed. As everywhere, the index of a pandas frame is not data and is left out.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The key: columns whose values an intruder may know.
        k: The least number of records that share a combination of all columns; may be left out with `combinations`.
        importance: The columns to be kept longest first, or a number for each, greater for the more important. It
            decides between sets of equally many cells. Without it, fewest cells come first, then columns with many
            values.
        reading: "strict": a blank is a value of its own, as a reader of the table sees it. "match": a blank matches any
            value, as in sdcMicro: far fewer cells are blanked, and records that differ from all others in what
            is not blanked may remain; `below_strictly` says how many.
        combinations: For keys of many columns: `{3: 5, 2: 10}` asks that every combination of 3 of the columns be
            shared by 5 records, and every one of 2 by 10, beside or instead of one of all columns by k.
        seed: In the strict reading some of several equal records may be blanked, and which is drawn.
    """
    check_choice(_WHAT, "reading", reading, get_args(Reading))
    check_seed(_WHAT, seed)
    table = to_arrow(frame)
    keys = read_keys(table, columns, _WHAT)
    asked = required_combinations(_WHAT, len(keys.columns), k, combinations)
    needed = max(needed for needed, _ in asked)
    if needed > keys.rows:
        raise PrivacyNotReached("operation.k-above-records", name=_WHAT, k=needed, rows=keys.rows)
    first = blank_first(importance, keys.columns, keys.sizes)
    original = keys.codes[keys.tuple_of]
    if reading == "match":
        blanked = blank_combinations(keys.codes, keys.counts, asked, first, strictly=importance is not None)
        codes = blanked[keys.tuple_of]
    else:
        codes, random = original.copy(), generator(fresh_seed() if seed is None else seed)
        for needed, places in _until_stable(asked, codes):
            part = [place for place in first.tolist() if place in places]
            codes[:, part] = _suppress(codes[:, part], needed, random)
    gone = (codes < 0) & (original >= 0)
    for place, name in enumerate(keys.columns):
        table = _blank(table, name, gone[:, place])
    return Suppressed(
        frame=to_kind(without_traces(table, keys.columns), kind_of(frame) or "pyarrow"),
        blanked={name: int(cells) for name, cells in zip(keys.columns, gone.sum(axis=0), strict=True)},
        reading=reading,
        below_strictly=max((_below(codes, needed, places) for needed, places in asked), default=0),
    )


def _until_stable(asked: list[RequiredCombination], codes: Codes) -> Iterator[RequiredCombination]:
    """Yield what is not reached yet: a blank, which is a value, may undo what was reached for other columns."""
    waiting = True
    while waiting:
        waiting = False
        for needed, places in asked:
            if _below(codes, needed, places):
                yield needed, places
                waiting = len(asked) > 1


def _below(codes: Codes, k: int, places: Sequence[int]) -> int:
    counts = distinct(codes[:, list(places)], np.ones(codes.shape[0], np.int64))[2]
    return int(counts[counts < k].sum())


def _suppress(codes: Codes, k: int, random: np.random.Generator) -> Codes:
    """Blank cells of some columns, those to be blanked first first, until every row is one of k."""
    tuples, tuple_of, counts = distinct(codes, np.ones(codes.shape[0], np.int64))
    gathered = gather_rare(tuples, counts, k, np.arange(codes.shape[1]))
    gathered = merge_failing(gathered, lambda parts: parts.sizes >= k)
    return gathered.labels[gathered.classes[gathered.places(tuple_of, random)]]


def _blank(table: Any, name: str, gone: NDArray[np.bool_]) -> Any:
    """The table with some cells of a column blank."""
    if not gone.any():
        return table
    import pyarrow as pa
    import pyarrow.compute as pc

    at = table.column_names.index(name)
    # The dictionary of a category would carry values that occur nowhere any more.
    column = plain_column(table, name)
    blank = pc.if_else(pa.array(gone), pa.scalar(None, column.type), column)
    return table.set_column(at, table.schema.field(at).with_type(column.type).with_nullable(True), blank)
