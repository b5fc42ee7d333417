"""Applying a recoding: joins with private mapping tables where the rows are, and classes left out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from antifaz.core.recoding import ColumnRecoding, Recoding, TupleRecoding
from antifaz.engines.dialects.dialect import Relation


class Mappings:
    """The mapping tables of a recoding, and where what is released of each column is found."""

    def __init__(self, relation: Relation, recoding: Recoding, unmapped: Callable[[str], str] | None = None) -> None:
        """Make no table yet.

        `unmapped` gives, for a column, the SQL that fails a run: for values that were not there when the rows were
        counted, where others may change the rows meanwhile.
        """
        self._relation, self._recoding, self._unmapped = relation, recoding, unmapped
        #: Per column the case of a value that its mapping lacks.
        self._lacking: dict[str, str] = {}
        self._dialect = relation.dialect
        self._columns = {column.column: column for column in recoding.columns}
        self._labels: dict[str, str] = {}
        self._longest: dict[str, int] = {}
        self._typed: set[str] = set()
        #: Columns whose labels are numbered: their places, where the number of a label is found, and the numbers.
        self._numbers: list[tuple[int, str, dict[str | None, int]]] = []
        #: Columns that are released as they are, and are compared themselves where classes are left out.
        self._plain: list[tuple[int, ColumnRecoding]] = []
        self._made: list[str] = []
        #: What a statement joins to the rows, which it calls s.
        self.joins: list[str] = []
        self.where = ""

    def make(self) -> None:
        """Make the mapping tables and fill them."""
        if self._recoding.tuples is not None:
            self._by_tuple(self._recoding.tuples)
        else:
            self._by_value()

    def remove(self) -> None:
        """Drop the mapping tables."""
        for name in self._made:
            self._relation.queries.drop_mapping(name)

    def released(self, name: str) -> tuple[str, str, pa.DataType]:
        """Return what is released of a column, the type it is declared with, and its Arrow type."""
        (field, place), dialect = self._relation.column(name), self._dialect
        typed = dialect.is_typed(field)
        keeps_type = typed and (name not in self._columns or self._columns[name].keeps_type)
        if name not in self._labels or keeps_type:
            value, lacking = dialect.released_value(field, f"s.{place}"), self._lacking.get(name)
            if keeps_type and name in self._columns and field.kind in ("float", "single"):
                # Minus zero is counted as zero.
                value = f"CASE WHEN {value} = 0 THEN 0 ELSE {value} END"
            value = f"CASE{lacking} ELSE {value} END" if lacking else value
            return value, dialect.declared_type(field), field.arrow
        if typed and name in self._typed:
            return dialect.label_value(field, self._labels[name]), dialect.declared_type(field), field.arrow
        return self._labels[name], dialect.label_type(self._longest[name]), pa.string()

    def _by_value(self) -> None:
        """Bring the label of each value, and where classes are left out also the number of the label."""
        gone = self._recoding.suppressed
        for i, column in enumerate(self._recoding.columns):
            same = column.keeps_type and column.values == column.labels
            field, _ = self._relation.column(column.column)
            if same and gone and field.kind in ("text", "integer") and None not in column.values:
                self._plain.append((i, column))
            if same and (not gone or self._plain[-1:] == [(i, column)]):
                continue
            ids = {label: n for n, label in enumerate(dict.fromkeys(column.labels))}
            if len(ids) == 1 and self._unmapped is None and (label := column.labels[0]) is not None:
                # All rows have this label: nothing is looked up. What is put together is text in every database.
                self._longest[column.column] = _bytes([label])
                self._labels[column.column] = self._dialect.concatenated.format(self._dialect.literal(label), "''")
                self._numbers.append((i, "0", ids))
                continue
            brought: dict[str, tuple[str, pa.Array]] = {}
            if not same:
                self._longest[column.column] = longest = _bytes(column.labels)
                brought["label"] = (self._dialect.label_type(longest), pa.array(column.labels, pa.string()))
            if gone:
                numbers = np.fromiter(map(ids.__getitem__, column.labels), np.int64, len(column.labels))
                brought["id"] = ("BIGINT", pa.array(numbers))
            joined = self._join(i, column, brought)
            if not same:
                self._labels[column.column] = joined["label"]
            if gone:
                self._numbers.append((i, joined["id"], ids))
        if gone:
            self._leave_out(gone)

    def _leave_out(self, gone: Sequence[tuple[str | None, ...]]) -> None:
        """Leave out classes, told by the numbers of their labels; a label that no value has is in no row."""
        gone = [labels for labels in gone if all(labels[i] in ids for i, _, ids in self._numbers)]
        packs = packed([len(ids) for _, _, ids in self._numbers])
        columns = [(f"i{w}", "BIGINT") for w in range(len(packs))]
        keys = [" + ".join(f"{self._numbers[n][1]} * {times}" for n, times in pack) for pack in packs]
        codes = [
            np.fromiter(map(ids.__getitem__, (labels[i] for labels in gone)), np.int64, len(gone))
            for i, _, ids in self._numbers
        ]
        cells = [pa.array(sum(codes[n] * times for n, times in pack)) for pack in packs]
        for n, (i, column) in enumerate(self._plain):
            field, place = self._relation.column(column.column)
            columns.append((f"p{n}", self._dialect.mapping_key_type(field, _bytes(column.values))))
            keys.append(self._dialect.mapping_key(field, f"s.{place}"))
            cells.append(pa.array(list(self._dialect.mapping_keys_of(field, (labels[i] or "" for labels in gone)))))
        name, joined = self._make("gone", columns, cells, [column for column, _ in columns])
        same = " AND ".join(f"{name}.{column} = {key}" for (column, _), key in zip(columns, keys, strict=True))
        self.joins.append(f" LEFT JOIN {joined} ON {same}")
        self.where = f" WHERE {self._dialect.unmatched.format(f'{name}.{columns[0][0]}')}"

    def _by_tuple(self, recoding: TupleRecoding) -> None:
        """Bring the code of each value, and with the codes the labels; combinations not listed find none and go."""
        listed = self._recoding.columns
        pairs = zip(listed, recoding.codes, strict=True)
        codes = self.join_codes([dict(zip(column.values, own, strict=True)) for column, own in pairs])
        columns = [(f"c{i}", "INTEGER") for i in range(len(codes))]
        cells = [pa.array(np.asarray(recoding.tuples[i])) for i in range(len(codes))]
        for i, column in enumerate(listed):
            self._longest[column.column] = longest = _bytes(recoding.labels[i])
            columns.append((f"l{i}", self._dialect.label_type(longest)))
            labels = pa.array(recoding.labels[i], pa.string())
            cells.append(labels.take(pa.array(np.asarray(recoding.released[i]))))
            if i < len(recoding.typed) and recoding.typed[i]:
                self._typed.add(column.column)
        name, joined = self._make("tuples", columns, cells, [f"c{i}" for i in range(len(codes))])
        same = " AND ".join(f"{name}.c{i} = {code}" for i, code in enumerate(codes))
        self.joins.append(f" JOIN {joined} ON {same}")
        self._labels = {column.column: f"{name}.l{i}" for i, column in enumerate(listed)}

    def join_codes(self, codes: Sequence[Mapping[str | None, int]]) -> list[str]:
        """Bring the code of each value of every column; return where they are found."""
        parts = [{"code": ("INTEGER", pa.array(list(own.values()), pa.int32()))} for own in codes]
        columns = [replace(one, values=tuple(own)) for one, own in zip(self._recoding.columns, codes, strict=True)]
        return [self._join(i, column, parts[i])["code"] for i, column in enumerate(columns)]

    def _join(self, i: int, column: ColumnRecoding, brought: Mapping[str, tuple[str, pa.Array]]) -> dict[str, str]:
        """Bring what belongs to each value; return where it is found.

        The missing value stands in the statement itself: a comparison that knows it is slow everywhere.
        """
        (field, place), dialect = self._relation.column(column.column), self._dialect
        missing = column.values.index(None) if None in column.values else None
        there = {n: value for n, value in enumerate(column.values) if value is not None}
        # Two texts may be one key, such as minus zero; any of them will do.
        known = dict(zip(dialect.mapping_keys_of(field, there.values()), there, strict=True))
        chosen = pa.array(np.fromiter(known.values(), np.int64, len(known)))
        kinds = [("value", dialect.mapping_key_type(field, _bytes(column.values)))]
        kinds += [(name, kind) for name, (kind, _) in brought.items()]
        keys = pa.array(list(known)) if known else pa.array([], pa.string())
        cells = [keys, *(part.take(chosen) for _, part in brought.values())]
        name, joined = self._make(f"map{i}", kinds, cells, ["value"])
        self.joins.append(f" LEFT JOIN {joined} ON {name}.value = {dialect.mapping_key(field, f's.{place}')}")
        if self._unmapped is not None:
            present = "" if missing is None else f" AND s.{place} IS NOT NULL"
            self._lacking[column.column] = f" WHEN {name}.value IS NULL{present} THEN {self._unmapped(column.column)}"
        cases = dict.fromkeys(brought, self._lacking.get(column.column, ""))
        if missing is not None:
            values = {one: part[missing].as_py() for one, (_, part) in brought.items()}
            constant = {one: str(v) if isinstance(v, int) else dialect.literal(v) for one, v in values.items()}
            cases = {one: f" WHEN s.{place} IS NULL THEN {constant[one]}{case}" for one, case in cases.items()}
        return {one: f"CASE{case} ELSE {name}.{one} END" if case else f"{name}.{one}" for one, case in cases.items()}

    def _make(
        self, what: str, columns: Sequence[tuple[str, str]], cells: Sequence[pa.Array], keys: Sequence[str]
    ) -> tuple[str, str]:
        made = self._relation.queries.make_mapping(what, columns, cells, keys)
        self._made.append(made[0])
        return made


def packed(sizes: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Put the numbers of several columns together to one, or to a few where it would be too large: (column, times)."""
    packs: list[list[tuple[int, int]]] = [[]] if sizes else []
    times = 1
    for i, size in enumerate(sizes):
        if times * size >= 1 << 62:
            packs.append([])
            times = 1
        packs[-1].append((i, times))
        times *= size
    return packs


def _bytes(texts: Sequence[str | None]) -> int:
    there = list(filter(None, texts))
    # In ASCII every character is a byte: a few long texts are joined sooner than many are encoded.
    return max(map(len, there if "".join(there).isascii() else map(str.encode, there)), default=1)
