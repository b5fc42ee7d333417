"""Repairs of files, by name: what each one does, what was found for it to do, and what a person is told of it.

Nothing is repaired that was not asked for by its name. A file that can't be read exactly is refused with its place
and with the repairs that would make it readable, each tried before it is named.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import zip_longest
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message

#: All repairs, in the order in which they are made.
RepairName = Literal[
    "largest-sheet", "sep-line", "title-lines", "second-header", "unnamed-column", "duplicate-names", "several-tables",
    "blank-lines", "open-quote", "quoted-rows", "short-rows", "long-rows", "totals-line",
]  # fmt: skip
REPAIRS: tuple[RepairName, ...] = get_args(RepairName)
#: The first words of a line that sums up those above it.
_TOTALS = {
    "total", "totals", "grand total", "sum", "total general", "totales", "suma", "suma total", "total geral", "soma",
    "total général", "somme", "summe", "gesamt", "gesamtsumme", "insgesamt", "totale", "totali", "somma",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Repair:
    """A repair that was made, or would be: how often, on which line first, and how many records it leaves out."""

    name: str
    count: int
    line: int | None = None
    left_out: int = 0

    @property
    def message(self) -> Message:
        """Say what it does."""
        return Message(f"repair.{self.name}", count=self.count, line=self.line, left_out=self.left_out)

    def as_dict(self) -> dict[str, Any]:
        """Return it as it stands in the evidence."""
        return asdict(self)


def check_repairs(names: Iterable[str] | str) -> frozenset[str]:
    """Return the names of repairs, of which one may be given by itself; raise for one that there is not."""
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in REPAIRS:
            raise ParameterError("repair.unknown", name=name, hint=hint(str(name), REPAIRS))
    return frozenset(chosen)


def repair_notes(repairs: Iterable[Repair]) -> list[str]:
    """Say what was repaired."""
    return [Message("note.repaired", name=repair.name, what=repair.message) for repair in repairs if repair.count]


def offering(error: DataError, repairs: Collection[Repair]) -> DataError:
    """Return an error that also names the repairs which would make the file readable."""
    if not repairs:
        return error
    offers = [Message("repair.offer", name=repair.name, what=repair.message) for repair in repairs]
    return DataError("file.repairable", error=error.message, repairs=offers)


def mended_names(names: list[str], wanted: Collection[str]) -> tuple[list[str], list[Repair]]:
    """Return the names of columns, those that are empty or there twice with one of their own, and what was done."""
    taken = {name.strip().casefold() for name in names}
    new: list[str] = []
    seen: set[str] = set()
    unnamed = twice = 0
    for place, name in enumerate(names, start=1):
        key = name.strip().casefold()
        if not key and "unnamed-column" in wanted:
            name, unnamed = _free(f"column_{place}", "_", taken), unnamed + 1
        elif key and key in seen and "duplicate-names" in wanted:
            name, twice = _free(name, " ", taken), twice + 1
        seen.add(name.strip().casefold())
        new.append(name)
    done = (("unnamed-column", unnamed), ("duplicate-names", twice))
    return new, [Repair(name=name, count=count) for name, count in done if name in wanted]


def joined_names(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return one name for each column from the two lines of a header: 'weight kg', 'Person age'.

    A group of which every column has a name below it is that of the columns behind it, too, up to the next one.
    """
    groups, group = [], ""
    named = all(cell.strip() for cell in second)
    for cell in first:
        group = cell.strip() or (group if named else "")
        groups.append(group)
    return [f"{group} {name.strip()}".strip() for group, name in zip_longest(groups, second, fillvalue="")]


def _free(name: str, sign: str, taken: set[str]) -> str:
    """Return a name that no column has, with the smallest number behind it that makes it one."""
    candidate, number = name, 2
    while candidate.strip().casefold() in taken:
        candidate, number = f"{name}{sign}{number}", number + 1
    taken.add(candidate.strip().casefold())
    return candidate


def is_total(cells: Collection[str | None]) -> bool:
    """Say whether a record sums up those above it: its first word says so, and a number stands behind it."""
    filled = [cell.strip() for cell in cells if cell and cell.strip()]
    if len(filled) < 2 or filled[0].strip(" :.").casefold() not in _TOTALS:
        return False
    return any(character.isdecimal() for cell in filled[1:] for character in cell)


def mended_rows(table: pa.Table, line: int, wanted: Collection[str]) -> tuple[pa.Table, list[Repair]]:
    """Return a table, whose first row stands on a line, without its totals, further tables and blank rows."""
    blank = _blank_rows(table)
    several = left_out = total = 0
    if "several-tables" in wanted and (gaps := [at for at in blank if at > 0]):
        several, end = gaps[0] + 1, gaps[0]
        left_out = table.num_rows - end - sum(at >= end for at in blank)
        table, blank = table.slice(0, end), [at for at in blank if at < end]
    last = next((at for at in range(table.num_rows - 1, -1, -1) if at not in blank), None)
    if "totals-line" in wanted and last is not None:
        cells = [column[last].as_py() for column in table.columns]
        if is_total([None if cell is None else str(cell) for cell in cells]):
            total, table = last + line, table.slice(0, last)
    dropped = [at for at in blank if at < table.num_rows] if "blank-lines" in wanted else []
    if dropped:
        table = table.take(pa.array(sorted(set(range(table.num_rows)) - set(dropped)), pa.int64()))
    return table, [
        Repair(name="several-tables", count=left_out, line=several + line if left_out else None, left_out=left_out),
        Repair(name="blank-lines", count=len(dropped), line=dropped[0] + line if dropped else None),
        Repair(name="totals-line", count=int(total > 0), line=total or None, left_out=int(total > 0)),
    ]


def _blank_rows(table: pa.Table) -> list[int]:
    """Return the places of rows in which every cell is missing."""
    empty = [pc.is_null(column) for column in table.columns]
    return [int(at) for at in pc.indices_nonzero(reduce(pc.and_, empty)).to_pylist()] if empty else []
