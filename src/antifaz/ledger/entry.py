"""An entry of the ledger: one release as keyed hashes and classes, without a single cell of it."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.ledger.hashing import Hashes, distinct, hash_cells, mix_hashes, occurrences, text_hash

#: Of so many people the order in which they were released is kept, as ranks among these people only.
SAMPLE = 4096
#: What an entry takes in memory per record while it is made, beside 4 bytes for each column released as it is.
BYTES_PER_RECORD = 100


@dataclass(frozen=True, kw_only=True)
class ClearColumn:
    """A column that was released as it is: the hashes of its values, and which one each record has."""

    hashes: Hashes
    codes: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Entry:
    """One release. Per record, in the order of the people's hashes, which says nothing about that of the rows."""

    #: Who it is: the hash of the identifiers; of all columns where there are none.
    people: Hashes
    #: The hash of the whole original record; None where people are known by that already.
    records: Hashes | None
    #: The class in the release, from 0.
    classes: NDArray[np.int32]
    #: Per class, the hash of its quasi-identifiers' names and released labels.
    labels: Hashes
    columns: Mapping[str, ClearColumn] = field(default_factory=dict)
    #: Of a table at hand, per quasi-identifier the hash of each class's label; never kept.
    label_cells: Mapping[str, Hashes] = field(default_factory=dict)
    #: Of the first people, when they come in the release, counted among themselves.
    order: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def rows(self) -> int:
        """How many records were released."""
        return int(self.people.size)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each class has."""
        return np.bincount(self.classes, minlength=self.labels.size)

    def keys(self, by_record: bool) -> Hashes:
        """Return what records are recognized by in another release: who it is, or the record with its occurrence."""
        if not by_record:
            return self.people
        own = self.people if self.records is None else self.records
        order = np.argsort(own, kind="stable")
        numbers = np.empty(own.size, np.uint64)
        numbers[order] = occurrences(own[order]).astype(np.uint64)
        return mix_hashes(own, numbers)

    @property
    def unique(self) -> bool:
        """Whether nobody has two records."""
        return bool((self.people[1:] != self.people[:-1]).all())


@dataclass(frozen=True, kw_only=True)
class EntryLayout:
    """What the columns of the traced rows are."""

    #: Every column of the source, in the order of the rows that are traced.
    names: Sequence[str]
    #: The quasi-identifiers, whose labels come after the columns.
    quasi_identifiers: Sequence[str]
    #: By what people are known; all `original` columns where empty.
    person: Sequence[str]
    #: The columns that no operation has changed.
    original: Sequence[str]
    #: The columns that are released as they are, beside the quasi-identifiers.
    clear: Sequence[str]


class EntryBuilder:
    """Makes an entry of rows that pass by, batch by batch; a batch is forgotten when the next comes."""

    def __init__(self, layout: EntryLayout, people_key: Hashes, value_key: Hashes) -> None:
        """Take the two keys: hashes of people and of values must not be comparable."""
        self._layout, self._people_key, self._value_key = layout, people_key, value_key
        self._names = {name: text_hash(name, value_key) for name in {*layout.names, *layout.quasi_identifiers}}
        self._people: list[Hashes] = []
        self._records: list[Hashes] = []
        self._classes: list[Hashes] = []
        self._order: list[NDArray[np.uint64]] = []
        self._clear: dict[str, list[tuple[Hashes, NDArray[np.int32]]]] = {name: [] for name in layout.clear}

    def add(self, batch: pa.RecordBatch) -> None:
        """Take in a batch: the columns of the source as text, the labels of the quasi-identifiers, the order."""
        layout, width = self._layout, len(self._layout.names)
        place = {name: i for i, name in enumerate(layout.names)}
        rows = batch.num_rows

        def each(names: Iterable[str], named: bool) -> Hashes:
            state = np.zeros(rows, np.uint64)
            for name in sorted(names):
                hashes, codes = hash_cells(batch.column(place[name]), self._people_key)
                state = mix_hashes(mix_hashes(state, self._names[name]) if named else state, hashes[codes])
            return state

        whole = each(layout.original, named=True)
        self._records.append(whole)
        self._people.append(each(layout.person, named=False) if layout.person else whole)
        state = np.zeros(rows, np.uint64)
        for i, name in enumerate(layout.quasi_identifiers):
            hashes, codes = hash_cells(batch.column(width + i), self._value_key)
            state = mix_hashes(mix_hashes(state, self._names[name]), hashes[codes])
        self._classes.append(state)
        for name, parts in self._clear.items():
            parts.append(hash_cells(batch.column(place[name]), self._value_key, folded=True))
        self._order.append(batch.column(batch.num_columns - 1).to_numpy(zero_copy_only=False).astype(np.uint64))

    def made(self) -> Entry:
        """Return the entry."""
        labels, classes = np.unique(_whole(self._classes), return_inverse=True)
        people, records = _whole(self._people), _whole(self._records) if self._layout.person else None
        # The labels' order breaks ties, so that two equal records come in the same order in every release.
        by = np.lexsort((classes,) if records is None else (classes, records))
        by = by[np.argsort(people[by], kind="stable")]
        return Entry(
            people=people[by],
            records=None if records is None else records[by],
            classes=classes[by].astype(np.int32),
            labels=labels,
            columns={name: _merged(parts, by) for name, parts in self._clear.items()},
            order=_ranks(_whole(self._order)[by[:SAMPLE]]),
        )


def _whole(parts: Sequence[Hashes]) -> Hashes:
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def _merged(parts: Sequence[tuple[Hashes, NDArray[np.int32]]], by: NDArray[np.int64]) -> ClearColumn:
    """Give the values of all batches one numbering."""
    found = distinct(_whole([hashes for hashes, _ in parts]))
    codes = [np.searchsorted(found, hashes).astype(np.int32)[own] for hashes, own in parts]
    together = np.concatenate(codes) if codes else np.empty(0, np.int32)
    return ClearColumn(hashes=found, codes=together[by])


def _ranks(order: NDArray[np.uint64]) -> NDArray[np.int32]:
    ranks = np.empty(order.size, np.int32)
    ranks[np.argsort(order, kind="stable")] = np.arange(order.size, dtype=np.int32)
    return ranks


def pack_entry(entry: Entry) -> dict[str, bytes]:
    """Return an entry as named bytes; codes are held in as few bytes as they need, and compressed."""
    parts = {"people": _pack(entry.people), "classes": _pack(entry.classes), "labels": _pack(entry.labels)}
    if entry.records is not None:
        parts["records"] = _pack(entry.records)
    parts["order"] = _pack(entry.order)
    for name, clear in entry.columns.items():
        parts[f"values/{name}"] = _pack(clear.hashes)
        small = np.uint8 if clear.hashes.size <= 256 else np.uint16 if clear.hashes.size <= 65536 else np.int32
        parts[f"codes/{name}"] = _pack(clear.codes.astype(small))
    return parts


def unpack_entry(parts: Mapping[str, bytes]) -> Entry:
    """Return the entry again; raises ValueError where the bytes are not what was packed."""
    arrays = {name: _unpack(part) for name, part in parts.items()}
    try:
        names = {name.partition("/")[2]: None for name in arrays if "/" in name}
        columns = {
            name: ClearColumn(hashes=arrays[f"values/{name}"], codes=arrays[f"codes/{name}"].astype(np.int32))
            for name in names
        }
        entry = Entry(
            people=arrays["people"],
            records=arrays.get("records"),
            classes=arrays["classes"].astype(np.int32),
            labels=arrays["labels"],
            columns=columns,
            order=arrays["order"],
        )
    except KeyError:
        raise ValueError("a part of the entry is missing") from None
    lengths = {entry.people.size, entry.classes.size, *(clear.codes.size for clear in columns.values())}
    if len(lengths) > 1 or (entry.rows and int(entry.classes.max()) >= entry.labels.size):
        raise ValueError("the parts of the entry do not fit")
    return entry


def hashes_in(parts: Mapping[str, bytes]) -> tuple[Hashes, Hashes]:
    """Return the hashes of people and of records from the parts of an entry."""
    if "people" not in parts:
        raise ValueError("a part of the entry is missing")
    return _unpack(parts["people"]), _unpack(parts.get("records", parts["people"]))


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


def entry_of_table(table: pa.Table, quasi_identifiers: Sequence[str], key: Hashes) -> Entry:
    """Return a released table as an entry in the order of its rows; of people nothing is known."""
    state = np.zeros(table.num_rows, np.uint64)
    columns: dict[str, ClearColumn] = {}
    cells_of: dict[str, Hashes] = {}
    for name in table.column_names:
        cells = table[name].cast(pa.string()).combine_chunks()
        found, codes = hash_cells(cells if isinstance(cells, pa.Array) else cells.chunk(0), key, folded=True)
        if name in quasi_identifiers:
            cells_of[name] = found[codes]
            state = mix_hashes(state, cells_of[name])
        else:
            columns[name] = ClearColumn(hashes=found, codes=codes)
    labels, first, classes = np.unique(state, return_index=True, return_inverse=True)
    label_cells = {name: own[first] for name, own in cells_of.items()}
    people = np.arange(table.num_rows, dtype=np.uint64)
    return Entry(
        people=people, records=None, classes=classes.astype(np.int32), labels=labels, columns=columns,
        label_cells=label_cells,
    )  # fmt: skip
