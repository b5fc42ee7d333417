"""The tables of an attack as codes: people with their values, and released records with their labels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.errors import DataError, SchemaError, hint, silence
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.values import ANY, canonical, canonical_values
from antifaz.hierarchies.covers import OriginalDomain, cover, kind_of, make_domain

#: What a cell is: some values; anything; missing in a person; blank in a release. Numbers of kernels/attack_arrays.py.
SOME, ALL, MISSING, BLANK = 0, 1, 2, 3

#: The square of a larger number, or the sum of such squares, may be infinite.
_SQUARABLE = 1e140


@dataclass(frozen=True, kw_only=True, eq=False)
class CellMeanings:
    """What the codes of one side mean; on a scale the stretches come first, by their lower ends."""

    low: Floats
    high: Floats
    states: NDArray[np.int8]

    @property
    def size(self) -> int:
        """The number of codes."""
        return self.states.size

    def times(self, factor: float) -> "CellMeanings":
        """Return the same cells on another scale."""
        return replace(self, low=self.low * factor, high=self.high * factor)


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """What the labels of a column say; of categories, the values that they cover, as offsets and a list."""

    cells: CellMeanings
    offsets: Ints
    members: Ints
    unknown: Flags


def read_labels(domain: OriginalDomain, labels: Sequence[str | None]) -> Labels:
    """Read the labels of one column; what nobody understands fits anything."""
    covers = cover(domain, labels, np.zeros(len(labels), np.int64))
    blank = np.array([text is None for text in canonical_values(labels)], np.bool_)
    low, high = covers.named_spans
    unknown = covers.unknown & np.isnan(covers.low)  # an interval where nobody is, is understood
    if domain.scale is None:
        # So is a code of which some signs are hidden.
        unknown &= np.array([label is None or ANY not in label for label in labels], np.bool_)
    states = np.where(blank, BLANK, np.where(unknown | covers.anything, ALL, SOME)).astype(np.int8)
    some = states == SOME
    # What covers nobody is nowhere near anybody.
    low, high = (np.where(some, np.where(np.isnan(ends), np.inf, ends), np.nan) for ends in (low, high))
    runs = (some & ~covers.unknown)[covers.owner] & (domain.scale is None)
    start, sizes = covers.start[runs], (covers.stop - covers.start)[runs]
    members = np.repeat(start - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())
    many = np.bincount(covers.owner[runs], weights=sizes, minlength=len(labels)).astype(np.int64)
    cells, offsets = CellMeanings(low=low, high=high, states=states), np.concatenate([[0], np.cumsum(many)])
    return Labels(cells=cells, offsets=offsets.astype(np.int64), members=members.astype(np.int64), unknown=unknown)


def are_words(labels: Sequence[str | None], domain: OriginalDomain, covers: Labels) -> bool:
    """Whether labels that nobody had before stand for several values each, as words of a hierarchy do.

    Then they are fewer than the values that are not released as they were, and those are most of all. In a synthetic
    table, or one of other people, about as many values are new as old ones are gone.
    """
    values = domain.size - 1
    same = len({label for label in map(canonical, labels) if label is not None} & domain.place.keys())
    return bool(2 * covers.unknown.sum() <= values - same and 2 * same <= values)


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackColumn:
    """One column of both tables. A person's value is a number: the place on the scale (NaN: missing), or a code."""

    name: str
    #: Whether values lie on a scale (numbers, dates); else they are categories, of which the last code is missing.
    scaled: bool
    values: CellMeanings
    labels: CellMeanings
    #: Categories: per label the codes it covers, and per code the labels that cover it; as offsets and a list.
    covers: tuple[Ints, Ints] = (np.zeros(1, np.int64), np.empty(0, np.int64))
    covered_by: tuple[Ints, Ints] = (np.zeros(1, np.int64), np.empty(0, np.int64))
    #: One code per row.
    original: Codes
    released: Codes
    control: Codes | None
    #: Of categories, what the codes read, and where text begins alike: for attackers who know the first letters.
    spellings: tuple[str, ...] = ()
    unknown: int = 0

    @cached_property
    def counts(self) -> Ints:
        """How often each value occurs in the original."""
        return np.bincount(self.original, minlength=self.values.size)

    @cached_property
    def width(self) -> float:
        """How far the original numbers lie apart; 1 where they do not, or where there are none."""
        known = self.values.low[(self.values.states == SOME) & (self.counts > 0)]
        return float(np.ptp(known)) if known.size and np.ptp(known) > 0 else 1.0

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the original numbers; 0 where there are none."""
        known = (self.values.states == SOME) & np.isfinite(self.values.low)
        numbers, weights = self.values.low[known], self.counts[known]
        if not weights.sum():
            return 0.0
        mean = np.average(numbers, weights=weights)
        return float(np.sqrt(np.average((numbers - mean) ** 2, weights=weights)))

    def people(self, codes: Codes) -> Floats:
        """Return the values behind codes of the original or the control table."""
        return self.values.low[codes] if self.scaled else codes.astype(np.float64)

    def members(self, label: int) -> Ints:
        """Return the categories that a label covers."""
        offsets, values = self.covers
        return values[offsets[label] : offsets[label + 1]]

    def fitting(self, value: int) -> Ints:
        """Return the labels that cover a category."""
        offsets, labels = self.covered_by
        return labels[offsets[value] : offsets[value + 1]]


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackTables:
    """The columns that both tables have, except identifiers."""

    columns: tuple[AttackColumn, ...]
    #: Places in `columns`.
    quasi_identifiers: tuple[int, ...]
    sensitive: tuple[int, ...]
    people: int
    records: int
    #: How many control people there are; 0 where no control table was given.
    control: int
    #: Where somebody may have several rows, whose the rows of the original and of the release are.
    persons: tuple[Ints, Ints] | None = None

    def places(self, names: Sequence[str], what: str) -> tuple[int, ...]:
        """Return where columns are; `what` is said in the error about one that is not there."""
        known = [column.name for column in self.columns]
        for name in names:
            if name not in known:
                raise SchemaError("attack.column-not-in-both-tables", what=what, name=name, hint=hint(name, known))
        return tuple(known.index(name) for name in names)


def read_tables(
    original: Any,
    released: Any,
    roles: Mapping[str, Role | str],
    control: Any = None,
    label_members: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
    persons: tuple[Ints, Ints] | None = None,
) -> AttackTables:
    """Code the columns that all tables have; identifiers are left out, and what has no role is insensitive.

    `persons` are the numbers of people whose the original and the released rows are, where somebody has several.
    """
    from antifaz.sources.frames import to_arrow  # here: it brings pyarrow

    tables = [to_arrow(frame) for frame in (original, released, *([] if control is None else [control]))]
    sides = (Message("pair.original"), Message("pair.released"), Message("pair.control"))
    for table, side in zip(tables, sides, strict=False):
        if not table.num_rows:
            raise DataError("attack.table-without-rows", side=side)
    role = {name: _role(name, given) for name, given in roles.items()}
    shared = [name for name in tables[0].column_names if all(name in table.column_names for table in tables)]
    names = [name for name in shared if name not in role or not role[name].names_people]
    if not names:
        raise SchemaError("attack.no-common-column")
    columns = tuple(_column(name, [table[name] for table in tables], (label_members or {}).get(name)) for name in names)
    sensitive = tuple(i for i, name in enumerate(names) if role.get(name) is Role.SENSITIVE)
    known = tuple(i for i, name in enumerate(names) if role.get(name) is Role.QUASI_IDENTIFIER)
    return AttackTables(
        columns=columns, quasi_identifiers=known or tuple(i for i in range(len(names)) if i not in sensitive),
        sensitive=sensitive, people=tables[0].num_rows if persons is None else np.unique(persons[0]).size,
        records=tables[1].num_rows, control=0 if control is None else tables[2].num_rows, persons=persons,
    )  # fmt: skip


def _role(column: str, given: Role | str) -> Role:
    known = [role.value for role in Role]
    if given not in known:
        raise SchemaError("attack.unknown-role", column=column, given=given, hint=hint(str(given), known))
    return Role(given)


def _column(name: str, sides: Sequence[Any], label_members: Mapping[str, Iterable[str]] | None) -> AttackColumn:
    return _squarable(_as_kind(name, sides, label_members))


def _as_kind(name: str, sides: Sequence[Any], label_members: Mapping[str, Iterable[str]] | None) -> AttackColumn:
    import pyarrow as pa

    # Without dictionaries of their own.
    plain = [side.cast(side.type.value_type) if pa.types.is_dictionary(side.type) else side for side in sides]
    kinds = [side.type for side in plain]
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    if all(any(is_number(kind) for is_number in numbers) for kind in kinds) and not label_members:
        return _numbers(name, [side.cast(pa.float64(), safe=False) for side in plain])
    if pa.types.is_temporal(kinds[0]) and all(kind == kinds[0] for kind in kinds) and not label_members:
        whole = pa.int32() if kinds[0].bit_width == 32 else pa.int64()
        return _numbers(name, [side.cast(whole).cast(pa.float64(), safe=False) for side in plain])
    return _texts(name, [_coded(name, side) for side in plain], label_members)


def _squarable(column: AttackColumn) -> AttackColumn:
    """Make numbers smaller whose squares are beyond floating point; an attack compares them among each other only."""
    ends = np.concatenate([part for side in (column.values, column.labels) for part in (side.low, side.high)])
    if not column.scaled or not np.any(np.abs(ends[np.isfinite(ends)]) > _SQUARABLE):
        return column
    return replace(column, values=column.values.times(2.0**-600), labels=column.labels.times(2.0**-600))


def _numbers(name: str, sides: Sequence[Any]) -> AttackColumn:
    people = [np.asarray(side.to_numpy(), np.float64) for side in (sides[0], *sides[2:])]
    values, codes = _points(np.concatenate(people), MISSING)
    labels, released = _points(np.asarray(sides[1].to_numpy(), np.float64), BLANK)
    own, control = codes[: people[0].size], codes[people[0].size :] if len(people) > 1 else None
    return AttackColumn(
        name=name, scaled=True, values=values, labels=labels, original=own, released=released, control=control
    )


def _points(numbers: Floats, blank: int) -> tuple[CellMeanings, Codes]:
    """The different numbers in order, what is missing or infinite last; and the code of each."""
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    different, codes = np.unique(numbers, return_inverse=True)
    states = np.where(np.isnan(different), blank, SOME).astype(np.int8)
    return CellMeanings(low=different, high=different, states=states), codes.astype(np.int32)


def _coded(name: str, column: Any) -> tuple[list[str | None], Ints]:
    """The different texts of a column, the last of them None, and the code of every row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        coded = pc.dictionary_encode(column.cast(pa.large_string()).combine_chunks())
    except (pa.ArrowException, ValueError) as error:
        silence(error)
        raise SchemaError("attack.column-holds-no-single-values", name=name) from None
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    texts = [*coded.dictionary.to_pylist(), None]
    return texts, np.asarray(pc.fill_null(coded.indices, len(texts) - 1), np.int64)


def _texts(name: str, sides: Sequence[tuple[list[str | None], Ints]], label_members: Any) -> AttackColumn:
    people, labels = [sides[0], *sides[2:]], sides[1][0]
    texts = [text for distinct, _ in people for text in distinct]
    kind = kind_of(texts)
    domain, codes = make_domain(name, kind, texts, np.ones(len(texts), np.int64), label_members=label_members)
    meanings = read_labels(domain, labels)
    if domain.scale is None and not are_words(labels, domain, meanings):
        # Values that only the release has: people to compare with may have them too.
        new = [labels[i] for i in np.flatnonzero(meanings.unknown)]
        texts = [*texts, *new]
        domain, codes = make_domain(name, kind, texts, np.ones(len(texts), np.int64), label_members=label_members)
        meanings = read_labels(domain, labels)
    # Stretches come first, by their ends.
    cells = meanings.cells
    order = np.lexsort([cells.high, cells.low, cells.states != SOME])
    place = np.argsort(order)
    ordered = CellMeanings(low=cells.low[order], high=cells.high[order], states=cells.states[order])
    owners = place[np.repeat(np.arange(place.size), np.diff(meanings.offsets))]
    covers = _lists(owners, meanings.members, place.size)
    # What is missing is covered by blanks.
    blanks = np.flatnonzero(ordered.states == BLANK)
    covered = np.concatenate([covers[1], np.full(blanks.size, domain.size - 1)])
    ends = np.full(domain.size, np.nan) if domain.scale is None else domain.scale
    states = np.array([SOME] * (domain.size - 1) + [MISSING], np.int8)
    if domain.scale is not None:
        states[np.isnan(ends)] = MISSING  # infinite, or too large for a place
    starts = np.cumsum([0, *(len(distinct) for distinct, _ in people)])
    own = [codes[start + rows].astype(np.int32) for start, (_, rows) in zip(starts, people, strict=False)]
    return AttackColumn(
        name=name, scaled=domain.scale is not None, values=CellMeanings(low=ends, high=ends, states=states),
        labels=ordered, covers=covers,
        covered_by=_lists(covered, np.concatenate([np.sort(owners), blanks]), domain.size), original=own[0],
        released=place[sides[1][1]].astype(np.int32), control=own[1] if len(own) > 1 else None,
        spellings=tuple(str(value) for value in domain.values[:-1]), unknown=int(meanings.unknown.sum()),
    )  # fmt: skip


def _lists(keys: Ints, items: Ints, many: int) -> tuple[Ints, Ints]:
    """Put items into lists by their keys: where each list begins and ends, and the items one after another."""
    counts = np.bincount(keys, minlength=many)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), items[np.argsort(keys, kind="stable")]
