"""The tables of an attack as codes: people with their values, and released records with their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.core.errors import DataError, SchemaError, hint, silence
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.hierarchies.domain import kind_of, make_domain
from antifaz.risk.attacks.cells import ALL, BLANK, MISSING, SOME, CellMeanings, are_words, read_labels


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackColumn:
    """One column of both tables. A person's value is a number: the place on the scale (NaN: missing), or a code."""

    name: str
    #: Whether values lie on a scale (numbers, dates); else they are categories, of which the last code is missing.
    scaled: bool
    values: CellMeanings
    labels: CellMeanings
    #: Categories: per label the codes it covers, and per code the labels that cover it; as offsets and a list.
    covers: tuple[Ints, Ints]
    covered_by: tuple[Ints, Ints]
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
        known = self.values.states == SOME
        numbers, weights = self.values.low[known], self.counts[known]
        if not weights.sum():
            return 0.0
        mean = np.average(numbers, weights=weights)
        return float(np.sqrt(np.average((numbers - mean) ** 2, weights=weights)))

    def people(self, codes: Codes) -> Floats:
        """Return the values behind codes of the original or the control table."""
        if not self.scaled:
            return codes.astype(np.float64)
        return self.values.low[codes]

    def members(self, label: int) -> Ints:
        """Return the categories that a label covers."""
        offsets, held = self.covers
        return held[offsets[label] : offsets[label + 1]]

    def fitting(self, value: int) -> Ints:
        """Return the labels that cover a category."""
        offsets, held = self.covered_by
        return held[offsets[value] : offsets[value + 1]]


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
) -> AttackTables:
    """Code the columns that all tables have; identifiers are left out, and what has no role is insensitive."""
    from antifaz.sources.frames import to_arrow  # here: it brings pyarrow

    tables = [to_arrow(frame) for frame in (original, released, *([] if control is None else [control]))]
    sides = (Message("pair.original"), Message("pair.released"), Message("pair.control"))
    for table, side in zip(tables, sides, strict=False):
        if not table.num_rows:
            raise DataError("attack.table-without-rows", side=side)
    role = {name: _role(name, given) for name, given in roles.items()}
    shared = [name for name in tables[0].column_names if all(name in table.column_names for table in tables)]
    names = [name for name in shared if role.get(name) is not Role.IDENTIFIER]
    if not names:
        raise SchemaError("attack.no-common-column")
    columns = tuple(_column(name, [table[name] for table in tables], (label_members or {}).get(name)) for name in names)
    sensitive = tuple(i for i, name in enumerate(names) if role.get(name) is Role.SENSITIVE)
    known = tuple(i for i, name in enumerate(names) if role.get(name) is Role.QUASI_IDENTIFIER)
    return AttackTables(
        columns=columns,
        quasi_identifiers=known or tuple(i for i in range(len(names)) if i not in sensitive),
        sensitive=sensitive,
        people=tables[0].num_rows,
        records=tables[1].num_rows,
        control=0 if control is None else tables[2].num_rows,
    )


def _role(column: str, given: Role | str) -> Role:
    known = [role.value for role in Role]
    if given not in known:
        raise SchemaError("attack.unknown-role", column=column, given=given, hint=hint(str(given), known))
    return Role(given)


def _column(name: str, sides: Sequence[Any], label_members: Mapping[str, Iterable[str]] | None) -> AttackColumn:
    import pyarrow as pa

    plain = [_plain(name, side) for side in sides]
    kinds = [side.type for side in plain]
    if all(_number(kind) for kind in kinds) and not label_members:
        return _numbers(name, [side.cast(pa.float64(), safe=False) for side in plain])
    if pa.types.is_temporal(kinds[0]) and all(kind == kinds[0] for kind in kinds) and not label_members:
        whole = pa.int32() if kinds[0].bit_width == 32 else pa.int64()
        return _numbers(name, [side.cast(whole).cast(pa.float64(), safe=False) for side in plain])
    return _texts(name, [_coded(name, side) for side in plain], label_members)


def _number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _plain(name: str, column: Any) -> Any:
    """A column without a dictionary of its own."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column


def _numbers(name: str, sides: Sequence[Any]) -> AttackColumn:
    """Both sides are numbers: every label is a point."""
    from_people, held = (
        [np.asarray(side.to_numpy(), np.float64) for side in (sides[0], *sides[2:])],
        sides[1].to_numpy(),
    )
    values, codes = _points(np.concatenate(from_people), MISSING)
    labels, released = _points(np.asarray(held, np.float64), BLANK)
    empty = (np.zeros(1, np.int64), np.empty(0, np.int64))
    return AttackColumn(
        name=name,
        scaled=True,
        values=values,
        labels=labels,
        covers=empty,
        covered_by=empty,
        original=codes[: len(sides[0])],
        released=released,
        control=codes[len(sides[0]) :] if len(sides) > 2 else None,
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
    indices = np.asarray(pc.fill_null(coded.indices, len(texts) - 1), np.int64)
    return texts, indices


def _texts(name: str, sides: Sequence[tuple[list[str | None], Ints]], label_members: Any) -> AttackColumn:
    people, labels = [sides[0], *sides[2:]], sides[1][0]
    texts = [text for distinct, _ in people for text in distinct]
    kind = kind_of(texts)
    domain, codes = make_domain(name, kind, texts, np.ones(len(texts), np.int64), label_members=label_members)
    meanings = read_labels(domain, labels)
    if domain.scale is None and not are_words(labels, domain, meanings):
        # Values that only the release has: people to compare with may have them too.
        new = [labels[i] for i in np.flatnonzero(meanings.unknown)]
        domain, codes = make_domain(
            name, kind, [*texts, *new], np.ones(len(texts) + len(new), np.int64), label_members=label_members
        )
        meanings = read_labels(domain, labels)
    ordered, place = _ordered(meanings.cells)
    offsets, members = _relisted(meanings.offsets, meanings.members, place)
    ends = np.full(domain.size, np.nan) if domain.scale is None else domain.scale
    states = np.array([SOME] * (domain.size - 1) + [MISSING], np.int8)
    own, begin = [], 0
    for distinct, rows in people:
        own.append(codes[begin : begin + len(distinct)][rows].astype(np.int32))
        begin += len(distinct)
    return AttackColumn(
        name=name,
        scaled=domain.scale is not None,
        values=CellMeanings(low=ends, high=ends, states=states),
        labels=ordered,
        covers=(offsets, members),
        covered_by=_inverse(offsets, members, domain.size - 1, np.flatnonzero(ordered.states == BLANK)),
        original=own[0],
        released=place[sides[1][1]].astype(np.int32),
        control=own[1] if len(own) > 1 else None,
        spellings=tuple(str(value) for value in domain.values[:-1]),
        unknown=int(meanings.unknown.sum()),
    )


def _ordered(labels: CellMeanings) -> tuple[CellMeanings, Ints]:
    """Put stretches first, by their ends; return also where each label went."""
    order = np.lexsort([labels.high, labels.low, labels.states != SOME])
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return CellMeanings(low=labels.low[order], high=labels.high[order], states=labels.states[order]), place


def _relisted(offsets: Ints, members: Ints, place: Ints) -> tuple[Ints, Ints]:
    """The lists of labels after they went to other places."""
    order, sizes = np.argsort(place), np.diff(offsets)
    lists = [members[offsets[i] : offsets[i + 1]] for i in order]
    return np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int64), np.concatenate([*lists, members[:0]])


def _inverse(offsets: Ints, members: Ints, values: int, blanks: Ints) -> tuple[Ints, Ints]:
    """Per value the labels that cover it; what is missing is covered by blanks."""
    owners = np.concatenate([np.repeat(np.arange(offsets.size - 1), np.diff(offsets)), blanks])
    covered = np.concatenate([members, np.full(blanks.size, values)])
    order = np.argsort(covered, kind="stable")
    counts = np.bincount(covered, minlength=values + 1)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), owners[order].astype(np.int64)


__all__ = ["ALL", "BLANK", "MISSING", "SOME", "AttackColumn", "AttackTables", "CellMeanings", "read_tables"]
