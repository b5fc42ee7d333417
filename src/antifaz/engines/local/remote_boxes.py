"""Records box by box on the local engine: tables of whole numbers in DuckDB, which spills what its share can't hold.

`tuples` holds the places of every row, and its key: the row's number. Equal rows are not put together: to find the rows
of a tuple again would take a join of two large tables, which costs more than any sort. DuckDB keeps the least and the
greatest value of every 122,880 rows, so a table that lies in the order of a column answers ranges of it by reading
little more than these rows: that is what `sort` and `fetch` sort for.

Groups of equal rows come out of sorted streams. DuckDB's hash tables spill too, but with a hundred million groups they
ask for more at once than a small share has; a sort asks for less, and is faster when most groups are of one row.
"""

# Statements are put together from names made here (c0, l1, tuples_2) and whole numbers; columns of the data are quoted.
# ruff: noqa: S608
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.arrays import Ints
from antifaz.core.memory import records_memory
from antifaz.core.messages import Message
from antifaz.counting.frequencies import Tuples
from antifaz.counting.remote import Box, BoxedTuples, FetchedTuples, Margins, Sizes, SortedBox, StoredClasses
from antifaz.counting.sorted_groups import known_ends, lengths, starts, whole_groups
from antifaz.engines.relational.apply import packed
from antifaz.sources.duckdb_connection import duckdb_errors, first_row, quote

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable

#: How many boxes one statement tells apart; it looks through them for every tuple.
_AT_ONCE = 64
#: How many places of boxes are counted at a time.
_PLACES = 1_000_000
#: How many classes, or places of classes, are described at a time.
_BATCH = 100_000
#: Names that no file can bring along by accident.
KEY, LABEL = '"antifaz key"', '"antifaz label {}"'
_NOT_COUNTED, _NOT_SORTED = Message("table.counting-failed"), Message("table.sorting-failed")
_names = count()


class LocalBoxedTuples(BoxedTuples):
    """Tables of one run, each under a name of its own; they go when the data is closed."""

    def __init__(self, data: LocalTable, columns: Sequence[str]) -> None:
        """Take note of the columns; nothing is counted yet."""
        self._data, self._db, self.columns = data, data.db, tuple(columns)
        self.memory = records_memory(data.memory or 0)
        self._run = next(_names)
        self._known: tuple[int, ...] = ()
        self._last: tuple[int, ...] = ()

    def name(self, table: str) -> str:
        """Return the name of one of the run's tables."""
        return f"antifaz_{table}_{self._run}"

    def distinct_values(self) -> list[int]:
        """Count the distinct values of each column; they stay in tables."""
        with duckdb_errors(_NOT_COUNTED):
            tables = [self._values(i) for i in range(len(self.columns))]
            return [int(first_row(self._db, f"SELECT count(*) FROM {table}")[0]) for table in tables]

    def _values(self, i: int) -> str:
        """Return the table of a column's distinct values; it is made when first asked for."""
        column, values = quote(self.columns[i]), self.name(f"values{i}")
        self._db.execute(
            f"CREATE TABLE IF NOT EXISTS {values} AS "
            f"SELECT {column} AS value, count(*) AS n FROM {self._data.table} GROUP BY 1"
        )
        return values

    def column_counts(self) -> list[Tuples]:
        """Return the values of each column, and how often each occurs."""
        counted = []
        for i, name in enumerate(self.columns):
            with duckdb_errors(_NOT_COUNTED):
                rows = self._db.execute(f"SELECT {self._text(i)}, n FROM {self._values(i)}").fetchall()
            counts, codes = np.array([row[1] for row in rows], np.int64), np.arange(len(rows), dtype=np.int32)
            values = tuple(row[0] for row in rows)
            counted.append(Tuples(columns=(name,), values=(values,), codes=(codes,), counts=counts))
        return counted

    def _text(self, i: int) -> str:
        """SQL for a column's value as text."""
        field, _ = self._data.relation.column(self.columns[i])
        return self._data.queries.dialect.text(field, "value")

    def encode(self, codes: Sequence[Mapping[str | None, int]], known: Sequence[int] = ()) -> None:
        """Join every value's place to the rows."""
        self._known, self._last = tuple(known), tuple(max(of.values(), default=0) for of in codes)
        for i, of in enumerate(codes):
            self._place(i, of)
        chosen = ", ".join(f"v{i}.place AS c{i}" for i in range(len(codes)))
        joins = "".join(
            f" JOIN {self.name(f'places{i}')} AS v{i} ON s.{quote(name)} IS NOT DISTINCT FROM v{i}.value"
            for i, name in enumerate(self.columns)
        )
        with duckdb_errors(_NOT_COUNTED):
            self._db.execute(
                f"CREATE TABLE {self.name('tuples')} AS SELECT s.{KEY} AS key, {chosen} FROM "
                f"(SELECT *, (row_number() OVER () - 1)::INTEGER AS {KEY} FROM {self._data.table}) AS s{joins}"
            )
            numbers = ", ".join(f"{kind}{i} INTEGER" for kind in "cl" for i in range(len(codes)))
            self._db.execute(f"CREATE TABLE {self.name('stored')} (key INTEGER, {numbers})")

    def _place(self, i: int, of: Mapping[str | None, int]) -> None:
        values = self.name(f"values{i}")
        table = pa.table({"text": pa.array(of.keys(), pa.string()), "place": pa.array(of.values(), pa.int32())})
        # By the value itself, in its type: texts would be made again for every row.
        self._with_table(
            table,
            f"CREATE TABLE {self.name(f'places{i}')} AS SELECT value, given.place AS place FROM {values} "
            f"JOIN given ON {self._text(i)} IS NOT DISTINCT FROM given.text",
            _NOT_COUNTED,
        )
        self._db.execute(f"DROP TABLE {values}")

    def _with_table(self, table: pa.Table, statement: str, failed: Message) -> None:
        """Run a statement with a table of this process, which it calls `given`."""
        self._db.register("given", table)
        try:
            with duckdb_errors(failed):
                self._db.execute(statement)
        finally:
            self._db.unregister("given")

    def rows(self, position: str) -> str:
        """Return SQL for the rows of the source, each with its position from 1 and the numbers of its labels.

        What was stored is brought into the order of the rows, and laid beside them. A row that does not get its own
        labels is left out, and missed by the gate.
        """
        labelled = self.name("labelled")
        numbers = ", ".join(f"l{i} AS {LABEL.format(i)}" for i in range(len(self.columns)))
        with duckdb_errors(_NOT_SORTED):
            self._db.execute(
                f"CREATE TABLE IF NOT EXISTS {labelled} AS SELECT key AS {KEY}, {numbers} "
                f"FROM {self.name('stored')} ORDER BY key"
            )
        paired = f"SELECT *, row_number() OVER () AS {position} FROM {self._data.table} POSITIONAL JOIN {labelled}"
        return f"SELECT * FROM ({paired}) WHERE {KEY} = {position} - 1"

    def sizes(self) -> Sizes:
        """Count how often tuples occur."""
        # A tuple as few whole numbers: the fewer, the less there is to sort.
        packs = packed([last + 1 for last in self._last])
        keys = [" + ".join(f"c{i}::BIGINT * {times}" for i, times in pack) for pack in packs]
        stream = self._streamed(f"SELECT {', '.join(keys)} FROM {self.name('tuples')} ORDER BY ALL")
        counted: Counter[int] = Counter()
        for begin, columns in whole_groups(stream, len(keys)):
            sizes, times = np.unique(lengths(begin, columns[0].size), return_counts=True)
            counted.update(dict(zip(sizes.tolist(), times.tolist(), strict=True)))
        ordered = sorted(counted)
        return np.array(ordered, np.int64), np.array([counted[size] for size in ordered], np.int64)

    def margins(self, boxes: Sequence[Box]) -> Iterator[Margins]:
        """Count the places of some boxes, one statement per attribute and for many boxes."""
        # Where attributes have many places, fewer boxes at a time: their counts are held together.
        together = min(_AT_ONCE, max(_PLACES // (sum(self._last) + 1), 1))
        for start in range(0, len(boxes), together):
            yield from self._margins(self.name("tuples"), boxes[start : start + together])

    def _margins(self, table: str, boxes: Sequence[Box]) -> list[Margins]:
        found: list[Margins] = [[np.zeros(high - low + 1, np.int64) for low, high in box.tolist()] for box in boxes]
        which = self._which(boxes)
        for a in range(len(self.columns)):
            box, place, n = self._numbers(
                f"SELECT {which} AS box, c{a}, count(*) FROM {table} WHERE box IS NOT NULL GROUP BY 1, 2"
            )
            order = np.argsort(box, kind="stable")
            ends = np.searchsorted(box[order], np.arange(len(boxes) + 1))
            for b in range(len(boxes)):
                mine = order[ends[b] : ends[b + 1]]
                found[b][a][place[mine] - boxes[b][a, 0]] = n[mine]
        return found

    def _which(self, boxes: Sequence[Box]) -> str:
        """SQL for the number of the box that a tuple is in; NULL for none."""
        return f"CASE {' '.join(f'WHEN {self.inside(box)} THEN {b}' for b, box in enumerate(boxes))} END"

    def inside(self, box: Box) -> str:
        """SQL that says whether a tuple is in a box; ends that every tuple keeps are not asked about."""
        tests = [
            test
            for a, (low, high) in enumerate(box.tolist())
            for test, needed in ((f"c{a} >= {low}", low > 0), (f"c{a} <= {high}", high < self._last[a]))
            if needed
        ]
        return " AND ".join(tests) or "true"

    def fetch(self, boxes: Sequence[Box]) -> Iterator[FetchedTuples]:
        """Lay the tuples of the boxes in the order of these, and bring them out one box after another."""
        laid = self.name("laid")
        for start in range(0, len(boxes), _AT_ONCE):
            some = boxes[start : start + _AT_ONCE]
            with duckdb_errors(_NOT_SORTED):
                self._db.execute(
                    f"CREATE TABLE {laid} AS SELECT {self._which(some)} AS box, * FROM {self.name('tuples')} "
                    "WHERE box IS NOT NULL ORDER BY box"
                )
            for b in range(len(some)):
                yield self.select(f"{laid} WHERE box = {b}")
            self._db.execute(f"DROP TABLE {laid}")

    def sort(self, box: Box, attribute: int) -> _SortedBox:
        """Lay the tuples of a box in the order of an attribute."""
        return _SortedBox(self, box, attribute)

    def select(self, table: str) -> FetchedTuples:
        """Bring out tuples."""
        columns = ", ".join(f"c{a}" for a in range(len(self.columns)))
        *places, keys = self._numbers(f"SELECT {columns}, key FROM {table}", np.int32)
        return FetchedTuples(places=np.stack(places, axis=1), counts=np.ones(keys.size, np.int64), keys=keys)

    def _numbers(self, statement: str, kind: Any = np.int64) -> list[NDArray[Any]]:
        """Run a statement and return its columns, whole numbers without missing ones."""
        with duckdb_errors(_NOT_COUNTED):
            reader = self._db.sql(statement).to_arrow_reader(_BATCH)
            batches = list(reader)
        columns = ([_array(batch.column(c)) for batch in batches] for c in range(len(reader.schema)))
        return [np.concatenate(parts or [np.zeros(0)]).astype(kind, copy=False) for parts in columns]

    def store(self, tuples: FetchedTuples, labels: Ints) -> None:
        """Append the tuples with their labels."""
        names = [f"{kind}{a}" for kind in "cl" for a in range(len(self.columns))]
        parts = [*tuples.places.T, *labels.T]
        table = pa.table({name: pa.array(part.astype(np.int32)) for name, part in zip(names, parts, strict=True)})
        keyed, stored = table.append_column("key", pa.array(tuples.keys)), self.name("stored")
        self._with_table(keyed, f"INSERT INTO {stored} BY NAME SELECT * FROM given", Message("table.storing-failed"))

    def store_box(self, box: Box, labels: Sequence[int]) -> None:
        """Append the tuples of a box, all with the same labels."""
        numbers = ", ".join(f"{label} AS l{a}" for a, label in enumerate(labels))
        with duckdb_errors(Message("table.storing-failed")):
            self._db.execute(
                f"INSERT INTO {self.name('stored')} BY NAME SELECT *, {numbers} FROM {self.name('tuples')} "
                f"WHERE {self.inside(box)}"
            )

    def classes(self) -> Iterator[StoredClasses]:
        """Describe all classes, some at a time."""
        many, labels = len(self.columns), self._labels()
        places = ", ".join(f"c{a}" for a in range(many))
        sql = f"SELECT {labels}, {places} FROM {self.name('stored')} ORDER BY {labels}"
        for begin, columns in whole_groups(self._streamed(sql), many):
            ends = [known_ends(place, known, begin) for place, known in zip(columns[many:], self._known, strict=True)]
            low, high, missing = (np.stack(part, axis=1) for part in zip(*ends, strict=True))
            yield StoredClasses(sizes=lengths(begin, columns[0].size), low=low, high=high, missing=missing)

    def pairs(self, attribute: int) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Return the places of every class, whole classes at a time."""
        labels, many = self._labels(), len(self.columns)
        sql = f"SELECT {labels}, c{attribute} FROM {self.name('stored')} ORDER BY {labels}, c{attribute}"
        for begin, columns in whole_groups(self._streamed(sql), many):
            sizes = lengths(begin, columns[0].size)
            once = starts(columns)  # each place of a class once
            yield np.repeat(np.arange(sizes.size), sizes)[once], columns[-1][once], sizes

    def _labels(self) -> str:
        return ", ".join(f"l{a}" for a in range(len(self.columns)))

    def _streamed(self, statement: str) -> Iterator[list[Ints]]:
        with duckdb_errors(_NOT_COUNTED):
            for batch in self._db.sql(statement).to_arrow_reader(_BATCH):
                if batch.num_rows:
                    yield [_array(column).astype(np.int64) for column in batch.columns]


class _SortedBox(SortedBox):
    """A copy of a box's tuples, sorted by one attribute."""

    def __init__(self, boxes: LocalBoxedTuples, box: Box, attribute: int) -> None:
        self._boxes, self._attribute = boxes, attribute
        self._table = f"{boxes.name('ordered')}_{next(_names)}"
        with duckdb_errors(_NOT_SORTED):
            boxes._db.execute(
                f"CREATE TABLE {self._table} AS FROM {boxes.name('tuples')} WHERE {boxes.inside(box)} "
                f"ORDER BY c{attribute}"
            )

    def fetch(self, box: Box) -> FetchedTuples:
        # Sorted again, because nothing promises that a table is read in its order; it is little, and lies in order.
        return self._boxes.select(f"{self._table} WHERE {self._boxes.inside(box)} ORDER BY c{self._attribute}")

    def margins(self, box: Box) -> Margins:
        return self._boxes._margins(self._table, [box])[0]

    def close(self) -> None:
        self._boxes._db.execute(f"DROP TABLE {self._table}")


def _array(column: pa.Array) -> NDArray[Any]:
    """Return a column of whole numbers as NumPy's, by its memory: Arrow's own way would load pandas."""
    kind = np.int32 if pa.types.is_int32(column.type) else np.int64
    if not len(column):
        return np.zeros(0, kind)
    return np.frombuffer(column.buffers()[1], kind)[column.offset : column.offset + len(column)]
