"""An entry of the ledger: one release as keyed hashes and classes, without a single cell of it."""

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.arrays import Flags
from antifaz.core.types import DataType
from antifaz.counting.running_numbers import BEGINNINGS, CODE, GAP, SHORT_CODE
from antifaz.ledger.hashing import Hashes, distinct, hash_cells, hash_traced, mix_hashes, text_hash

#: Of so many people the order in which they were released is kept, as ranks among these people only.
SAMPLE = 4096
#: What an entry takes in memory per record while it is made, beside 4 bytes for each column.
BYTES_PER_RECORD = 100
#: A column of identifiers is a running series if at least this share of its values are short codes; or are numbers of
#: any length behind a few beginnings, of which at least one in so many that lie between them occurs.
_SERIES = 0.5
_SHORT, _CODE = re.compile(SHORT_CODE), re.compile(CODE)
_LAYOUT = "layout"


@dataclass(frozen=True, kw_only=True)
class HashedColumn:
    """A column as the hashes of its values, and which one each record has."""

    hashes: Hashes
    codes: NDArray[np.int32]

    @property
    def cells(self) -> Hashes:
        """The hash of every record's cell."""
        return self.hashes[self.codes]


@dataclass(frozen=True, kw_only=True, eq=False)
class Entry:
    """One release. Per record, in an order that says nothing about that of the rows."""

    #: The class in the release, from 0.
    classes: NDArray[np.int32]
    #: Per class, the hash of its quasi-identifiers' names and released labels.
    labels: Hashes
    #: The columns that no operation has changed, and those that were released.
    columns: Mapping[str, HashedColumn] = field(default_factory=dict)
    #: The columns that say who it is.
    identifiers: Sequence[str] = ()
    #: Those of them that are a running series of short numbers or codes, which prove nothing by themselves.
    series: Sequence[str] = ()
    #: The columns that were released as they are.
    clear: Sequence[str] = ()
    #: The columns that an operation changed, by which nobody is recognized.
    changed: Sequence[str] = ()
    #: Whether somebody may have several records, so that people are counted.
    people: bool = False
    #: Of a table at hand, per quasi-identifier the hash of each class's label; never kept.
    label_cells: Mapping[str, Hashes] = field(default_factory=dict)
    #: Of the first people, when they come in the release, counted among themselves.
    order: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def rows(self) -> int:
        """How many records were released."""
        return int(self.classes.size)

    def record_hashes(self, columns: Sequence[str]) -> Hashes:
        """Return one hash per record of its values in some columns."""
        state = np.zeros(self.rows, np.uint64)
        for name in columns:
            state = mix_hashes(state, self.columns[name].cells)
        return state

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many people each class has."""
        return self.heads(self.classes.astype(np.int64), np.ones(self.rows, np.bool_), self.labels.size)

    @cached_property
    def _persons(self) -> NDArray[np.int64]:
        state = np.zeros(self.rows, np.int64)
        for name in self.identifiers:
            own = self.columns[name]
            state = np.unique(state * max(own.hashes.size, 1) + own.codes, return_inverse=True)[1].astype(np.int64)
        return state

    def persons(self, chosen: Flags) -> NDArray[np.int64] | None:
        """Return whose some records are, where somebody may have several."""
        return self._persons[chosen] if self.people else None

    def number(self, chosen: Flags) -> int:
        """Count the people of some records."""
        return distinct(self._persons[chosen]).size if self.people else int(chosen.sum())

    def heads(self, groups: NDArray[np.int64], chosen: Flags, many: int = 0) -> NDArray[np.int64]:
        """Count the people of each group of some records."""
        persons = self.persons(chosen)
        if persons is None:
            return np.bincount(groups, minlength=many)
        width = int(persons.max(initial=0)) + 1
        return np.bincount(distinct(groups * width + persons) // width, minlength=many)


@dataclass(frozen=True, kw_only=True)
class EntryLayout:
    """What the columns of the traced rows are."""

    #: Every column of the source with how it is understood, in the order of the rows that are traced.
    types: Mapping[str, DataType]
    #: The quasi-identifiers, whose labels come after the columns.
    quasi_identifiers: Sequence[str]
    #: By what people are known.
    person: Sequence[str]
    #: The columns that are kept: those that no operation has changed, and those that are released.
    kept: Sequence[str]
    #: Those that are released as they are, beside the quasi-identifiers; and those that an operation changed.
    clear: Sequence[str]
    changed: Sequence[str] = ()
    #: Whether people are counted, who may have several records.
    people: bool = False


class EntryBuilder:
    """Makes an entry of rows that pass by, batch by batch; a batch is forgotten when the next comes."""

    def __init__(self, layout: EntryLayout, people_key: bytes, value_key: bytes) -> None:
        """Take the two keys: hashes of cells and of released labels must not be comparable."""
        self._layout, self._people_key, self._value_key = layout, people_key, value_key
        self._names = {name: text_hash(name, value_key) for name in layout.quasi_identifiers}
        self._classes: list[Hashes] = []
        self._order: list[NDArray[np.uint64]] = []
        self._columns: dict[str, list[tuple[Hashes, NDArray[np.int32]]]] = {name: [] for name in layout.kept}
        self._codes = {name: _Codes() for name in layout.person}

    def add(self, batch: pa.RecordBatch) -> None:
        """Take in a batch: the traced columns of the source, the labels of the quasi-identifiers, the order."""
        layout = self._layout
        for place, (name, kind) in enumerate(layout.types.items()):
            if name in self._columns:
                hashes, codes, texts = hash_traced(batch.column(place), self._people_key, kind)
                self._columns[name].append((hashes, codes))
                if name in self._codes:
                    self._codes[name].see(hashes.size - 1, texts.to_pylist())
        state = np.zeros(batch.num_rows, np.uint64)
        for place, name in enumerate(layout.quasi_identifiers, len(layout.types)):
            hashes, codes = hash_cells(batch.column(place), self._value_key, exact=True)
            state = mix_hashes(mix_hashes(state, self._names[name]), hashes[codes])
        self._classes.append(state)
        self._order.append(_numbers(batch.column(batch.num_columns - 1)))

    def made(self) -> Entry:
        """Return the entry."""
        labels, classes = np.unique(_whole(self._classes), return_inverse=True)
        columns = {name: _merged(parts) for name, parts in self._columns.items()}
        by = _secret_order(columns, self._layout.person, classes)
        return Entry(
            classes=classes[by].astype(np.int32),
            labels=labels,
            columns={name: HashedColumn(hashes=own.hashes, codes=own.codes[by]) for name, own in columns.items()},
            identifiers=tuple(self._layout.person),
            series=tuple(name for name, seen in self._codes.items() if seen.is_series),
            clear=tuple(self._layout.clear),
            changed=tuple(self._layout.changed),
            people=self._layout.people,
            order=_ranks(_whole(self._order)[by[:SAMPLE]]),
        )


def _secret_order(
    columns: Mapping[str, HashedColumn], person: Sequence[str], classes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the order by the hashes of who it is, then of the record: it says nothing about that of the rows."""
    people, records = np.zeros(classes.size, np.uint64), np.zeros(classes.size, np.uint64)
    for name in sorted(columns):
        if name in person:
            people += mix_hashes(np.zeros(1, np.uint64), columns[name].cells)
        records = mix_hashes(records, columns[name].cells)
    # The classes break ties, so that two equal records come in the same order in every release.
    return np.lexsort((classes, records, people))


class _Codes:
    """What is seen of the values of an identifier: whether they are a running series, such as 17 or C-017."""

    def __init__(self) -> None:
        self._values = self._short = self._numbers = 0
        self._low, self._high = 1 << 62, 0
        self._beginnings: set[str] = set()

    def see(self, values: int, texts: Sequence[str]) -> None:
        """Take in how many distinct values there are, and those that came as they are."""
        self._values += values
        codes = [text for text in map(str.strip, texts) if _CODE.fullmatch(text)]
        for text in codes:
            beginning = text.rstrip("0123456789")
            number = int(text[len(beginning) :])
            self._low, self._high = min(self._low, number), max(self._high, number)
            self._short += _SHORT.fullmatch(text) is not None
            if len(self._beginnings) <= BEGINNINGS:
                self._beginnings.add(beginning)
        self._numbers += len(codes)

    @property
    def is_series(self) -> bool:
        """Whether values prove nothing by themselves."""
        if not self._values or len(self._beginnings) > BEGINNINGS:
            return False
        dense = self._high - self._low < GAP * self._numbers
        return self._short >= _SERIES * self._values or (dense and self._numbers >= _SERIES * self._values)


def _numbers(cells: pa.Array) -> NDArray[np.uint64]:
    """Return that by which rows are ordered as numbers: some databases order by a text of hexadecimal digits."""
    if pa.types.is_string(cells.type) or pa.types.is_binary(cells.type):
        texts = cells.cast(pa.string()).to_pylist()
        return np.array([int(text[:16], 16) for text in texts], np.uint64)
    values = cells.to_numpy(zero_copy_only=False)
    numbers: NDArray[np.uint64] = values.astype(np.uint64)
    # A signed number is moved up, so that the order stays.
    return numbers ^ np.uint64(1 << 63) if values.dtype.kind == "i" else numbers


def _whole(parts: Sequence[Hashes]) -> Hashes:
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def _merged(parts: Sequence[tuple[Hashes, NDArray[np.int32]]]) -> HashedColumn:
    """Give the values of all batches one numbering."""
    distinct_hashes = distinct(_whole([hashes for hashes, _ in parts]))
    codes = [np.searchsorted(distinct_hashes, hashes).astype(np.int32)[own] for hashes, own in parts]
    return HashedColumn(hashes=distinct_hashes, codes=np.concatenate(codes) if codes else np.empty(0, np.int32))


def _ranks(order: NDArray[np.uint64]) -> NDArray[np.int32]:
    ranks = np.empty(order.size, np.int32)
    ranks[np.argsort(order, kind="stable")] = np.arange(order.size, dtype=np.int32)
    return ranks


def pack_entry(entry: Entry) -> dict[str, bytes]:
    """Return an entry as named bytes; codes are held in as few bytes as they need, and compressed."""
    layout: dict[str, Any] = {key: list(getattr(entry, key)) for key in ("identifiers", "series", "clear", "changed")}
    layout |= {"columns": list(entry.columns), "people": entry.people}
    parts = {_LAYOUT: _pack(np.frombuffer(json.dumps(layout, ensure_ascii=False).encode(), np.uint8))}
    parts |= {"classes": _pack(entry.classes), "labels": _pack(entry.labels), "order": _pack(entry.order)}
    for number, column in enumerate(entry.columns.values()):
        parts[f"values/{number}"] = _pack(column.hashes)
        small = np.uint8 if column.hashes.size <= 256 else np.uint16 if column.hashes.size <= 65536 else np.int32
        parts[f"codes/{number}"] = _pack(column.codes.astype(small))
    return parts


def unpack_entry(parts: Mapping[str, bytes]) -> Entry:
    """Return the entry again; raises ValueError where the bytes are not what was packed."""
    try:
        layout = json.loads(_unpack(parts[_LAYOUT]).tobytes())
        arrays = {name: _unpack(part) for name, part in parts.items() if name != _LAYOUT}
        columns = {
            name: HashedColumn(hashes=arrays[f"values/{i}"], codes=arrays[f"codes/{i}"].astype(np.int32))
            for i, name in enumerate(layout.pop("columns"))
        }
        entry = Entry(
            classes=arrays["classes"].astype(np.int32), labels=arrays["labels"], columns=columns,
            order=arrays["order"], **layout,
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError):
        raise ValueError("a part of the entry is missing") from None
    wrong = any(
        own.codes.size != entry.rows or (entry.rows and int(own.codes.max()) >= own.hashes.size)
        for own in columns.values()
    )
    if wrong or (entry.rows and int(entry.classes.max()) >= entry.labels.size):
        raise ValueError("the parts of the entry do not fit")
    return entry


def _pack(array: NDArray[Any]) -> bytes:
    raw = np.ascontiguousarray(array)
    content = raw.astype(raw.dtype.newbyteorder("<")).tobytes()
    # Hashes are as good as random: compressing them only takes time.
    small = content if raw.dtype == np.uint64 else zlib.compress(content, 1)
    return f"{raw.dtype.kind}{raw.dtype.itemsize} {zlib.crc32(content):08x} ".encode() + small


def _unpack(part: bytes) -> NDArray[Any]:
    try:
        kind, checksum, content = part.split(b" ", 2)
        raw = content if kind == b"u8" else zlib.decompress(content)
    except (ValueError, zlib.error):
        raise ValueError("a part of the entry can't be read") from None
    if f"{zlib.crc32(raw):08x}".encode() != checksum or kind not in (b"u1", b"u2", b"u8", b"i4"):
        raise ValueError("a part of the entry was changed")
    return np.frombuffer(raw, f"<{kind.decode()}")


def entry_of_table(table: pa.Table, quasi_identifiers: Sequence[str], key: bytes) -> Entry:
    """Return a released table as an entry in the order of its rows; of people nothing is known."""
    state = np.zeros(table.num_rows, np.uint64)
    columns: dict[str, HashedColumn] = {}
    cells_of: dict[str, Hashes] = {}
    for name in table.column_names:
        cells = table[name].cast(pa.string()).combine_chunks()
        hashes, codes = hash_cells(
            cells if isinstance(cells, pa.Array) else cells.chunk(0), key, exact=name in quasi_identifiers
        )
        if name in quasi_identifiers:
            cells_of[name] = hashes[codes]
            state = mix_hashes(state, cells_of[name])
        else:
            columns[name] = HashedColumn(hashes=hashes, codes=codes)
    labels, first, classes = np.unique(state, return_index=True, return_inverse=True)
    label_cells = {name: own[first] for name, own in cells_of.items()}
    return Entry(
        classes=classes.astype(np.int32), labels=labels, columns=columns, clear=tuple(columns), label_cells=label_cells
    )
