"""Microaggregation of single columns in a run that generalizes the others: a class is released with one value of them.

The method decides on the columns that are left. A microaggregated column without a hierarchy takes no part in that; one
with a hierarchy helps to make the classes (ARX: clustering), and its labels are then replaced too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, get_args

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.errors import ParameterError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.core.recoding import ColumnRecoding, Recoding, TupleRecoding
from antifaz.core.types import DataType
from antifaz.counting.domains import Domain
from antifaz.counting.filling import regrouped
from antifaz.counting.frequencies import FrequencySet, Tuples, group_codes
from antifaz.counting.group_labels import Release, label_groups
from antifaz.counting.groups import GroupedTable
from antifaz.counting.interval_ends import round_ends
from antifaz.counting.records import QuasiIdentifier, Records, records, spread_out, warnings_about
from antifaz.counting.released_table import Distribution, Extents, ReleasedTable
from antifaz.counting.rollup import Ladder
from antifaz.methods.method import Decision, Method
from antifaz.methods.recode import int_array
from antifaz.privacy import DifferentialPrivacy, PrivacyModel


def check_microaggregated(
    columns: Mapping[str, str],
    types: Mapping[str, DataType],
    quasi_identifiers: Sequence[str],
    method: Method,
    models: Sequence[PrivacyModel],
    leave_out: str,
) -> None:
    """Raise where columns can't be microaggregated: by what they are, or by what else is asked for."""
    if not columns:
        return
    _check_columns(columns, types, quasi_identifiers)
    in_rounds = method.chooses_levels and not method.one_label_per_value
    if not method.needs_hierarchies or in_rounds:
        code = "microaggregate.in-rounds" if in_rounds else "microaggregate.method"
        raise ParameterError(code, method=method.name, columns=list(columns))
    if leave_out == "people":
        raise ParameterError("microaggregate.leaves-out-people")
    for model in models:
        if isinstance(model, DifferentialPrivacy):
            raise ParameterError("dp.not-with", why=Message("dp.why-microaggregated"))
        if model.population_path or model.needs_levels:
            raise ParameterError("microaggregate.model", model=model.name)


def _check_columns(columns: Mapping[str, str], types: Mapping[str, DataType], quasi_identifiers: Sequence[str]) -> None:
    for name, release in columns.items():
        if name not in quasi_identifiers:
            raise SchemaError("microaggregate.no-quasi-identifier", name=name, hint=hint(name, quasi_identifiers))
        if release not in get_args(Release):
            near = hint(str(release), get_args(Release))
            raise ParameterError("microaggregate.unknown", name=name, release=release, hint=near)
        if release in ("mean", "median") and not types[name].is_ordered:
            raise ParameterError("microaggregate.no-numbers", name=name, release=release, type=str(types[name]))


def without_columns(frequencies: FrequencySet, columns: Sequence[str]) -> FrequencySet:
    """Return the frequency set of the other quasi-identifiers."""
    if not columns:
        return frequencies
    kept = [a for a, name in enumerate(frequencies.columns) if name not in columns]
    domains = tuple(frequencies.domains[a] for a in kept)
    return regrouped(
        frequencies, domains, [frequencies.codes[a] for a in kept], np.ones(frequencies.counts.size, np.bool_)
    )


def microaggregate(
    decision: Decision, columns: Mapping[str, Release], frequencies: FrequencySet, types: Mapping[str, DataType], k: int
) -> Decision:
    """Return the decision with one value of each class in some columns; `frequencies` are of all quasi-identifiers."""
    if not columns:
        return decision
    classes = _classes(decision.recoding, frequencies)
    names = [name for name in frequencies.columns if name in columns]
    own = round_ends(_records(frequencies, names, types), [n for n in names if columns[n] == "interval"], k)
    groups = np.repeat(classes.of_tuples, frequencies.counts)
    made = _values(own, groups, columns)
    inside = np.flatnonzero(classes.of_tuples >= 0)
    parts = [
        made[domain.column].of_tuples(domain, classes.of_tuples[inside])
        if domain.column in made
        else classes.labels[domain.column].of_tuples(codes[inside])
        for domain, codes in zip(frequencies.domains, frequencies.codes, strict=True)
    ]
    table = GroupedTable(own, groups, [made[name].points for name in names])
    # Classes that differed only by labels which are replaced may have come to be one.
    labels, released = [part.labels for part in parts], [part.released for part in parts]
    sizes = group_codes(released, [len(own) for own in labels], frequencies.counts[inside])[2]
    recoding = Recoding(
        columns=tuple(part.column for part in parts),
        tuples=TupleRecoding(
            codes=tuple(int_array(domain.codes) for domain in frequencies.domains),
            tuples=tuple(int_array(codes[inside]) for codes in frequencies.codes),
            labels=tuple(labels), released=tuple(map(int_array, released)),
            typed=tuple(part.typed for part in parts),
        ),
    )  # fmt: skip
    told = {name: {"released_as": columns[name], "error": _error(table, a)} for a, name in enumerate(names)}
    return replace(
        decision,
        recoding=recoding,
        details={**decision.details, "microaggregated": told},
        table=MicroaggregatedTable(decision.table, [c.column for c in decision.recoding.columns], table, sizes),
        warnings=(*decision.warnings, *warnings_about(own)),
    )


class MicroaggregatedTable(ReleasedTable):
    """What became of the records where some columns were generalized, and others replaced class by class."""

    def __init__(self, others: ReleasedTable, columns: Sequence[str], own: GroupedTable, sizes: Ints) -> None:
        """Take the table that was decided, with its columns, and the classes with what they have of the replaced."""
        self._others, self._own, self._sizes = others, own, sizes
        self._replaced = {attribute.column for attribute in own.records.attributes}
        self._kept = [a for a, name in enumerate(columns) if name not in self._replaced]
        self.rows, self.attributes, self.levels = others.rows, len(self._kept) + own.attributes, others.levels

    @property
    def sizes(self) -> Ints:
        """The sizes of the released classes."""
        return self._sizes

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """The hierarchies that classes were made with."""
        return self._others.ladders

    def extents(self, a: int) -> Iterator[Extents]:
        """Yield what the labels of a generalized column cover, or the values of each class of a replaced one."""
        if a < len(self._kept):
            yield from self._others.extents(self._kept[a])
        else:
            yield from self._own.extents(a - len(self._kept))

    def distributions(self) -> Iterator[Distribution]:
        """Yield the attributes that are numbers, before and after."""
        yield from (each for each in self._others.distributions() if each.column not in self._replaced)
        yield from self._own.distributions()


@dataclass(frozen=True, eq=False)
class _Part:
    """What becomes of one column: its labels, and which of them each released tuple has."""

    column: ColumnRecoding
    labels: tuple[str | None, ...]
    released: Codes
    typed: bool


@dataclass(frozen=True, eq=False)
class _Labels:
    """The labels of a generalized column, and the number of the label of each code."""

    column: ColumnRecoding
    labels: tuple[str | None, ...]
    of_code: Codes

    def of_tuples(self, codes: Codes) -> _Part:
        return _Part(self.column, self.labels, self.of_code[codes], self.column.keeps_type)


@dataclass(frozen=True, eq=False)
class _Values:
    """The values of a replaced column, and the number of the value of each class."""

    labels: tuple[str | None, ...]
    of_class: Ints
    points: Floats | None
    typed: bool

    def of_tuples(self, domain: Domain, classes: Ints) -> _Part:
        column = ColumnRecoding(column=domain.column, values=domain.values, labels=domain.values)
        return _Part(column, self.labels, self.of_class[classes].astype(np.int32), self.typed)


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes that a method decided on: of each tuple, -1 where it is left out."""

    of_tuples: Ints
    labels: Mapping[str, _Labels]


def _classes(recoding: Recoding, frequencies: FrequencySet) -> _Classes:
    at = {name: a for a, name in enumerate(frequencies.columns)}
    labels = {c.column: _labels(frequencies.domains[at[c.column]], c) for c in recoding.columns}
    codes = [frequencies.codes[at[name]] for name in labels]
    sizes, upward = [len(own.labels) for own in labels.values()], [own.of_code for own in labels.values()]
    first, owner, _ = group_codes(codes, sizes, frequencies.counts, upward)
    cells = [
        [own.labels[n] for n in own.of_code[column[first]].tolist()]
        for own, column in zip(labels.values(), codes, strict=True)
    ]
    gone = set(recoding.suppressed)
    kept: Flags = np.fromiter((row not in gone for row in zip(*cells, strict=True)), np.bool_, first.size)
    return _Classes(np.where(kept, np.cumsum(kept) - 1, -1)[owner], labels)


def _labels(domain: Domain, column: ColumnRecoding) -> _Labels:
    become = dict(zip(column.values, column.labels, strict=True))
    place: dict[str | None, int] = {}
    of_code = np.zeros(domain.size, np.int32)
    for value, code in zip(domain.values, domain.codes.tolist(), strict=True):
        of_code[code] = place.setdefault(become[value], len(place))
    return _Labels(column, tuple(place), of_code)


def _records(frequencies: FrequencySet, names: Sequence[str], types: Mapping[str, DataType]) -> Records:
    """Return the replaced columns of all records."""
    at = [frequencies.columns.index(name) for name in names]
    values, codes = tuple(frequencies.domains[a].labels for a in at), tuple(frequencies.codes[a] for a in at)
    counted = Tuples(columns=tuple(names), values=values, codes=codes, counts=frequencies.counts)
    return records(spread_out(counted), names, (), types)


def _values(own: Records, groups: Ints, columns: Mapping[str, Release]) -> dict[str, _Values]:
    """Return the value of each class in every replaced column; averages have no more digits than the data."""
    labelled = label_groups(own, groups, "mean", keep_type=True, others=columns)
    made = {}
    for a, attribute in enumerate(own.attributes):
        labels, of_class, points = labelled.labels[a], labelled.released[a], labelled.points[a]
        if points is not None and columns[attribute.column] != "interval" and attribute.kind.is_number:
            points = np.round(points, _digits(attribute)) + 0.0
            texts = [attribute.spell(point) for point in points.tolist()]
            place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
            labels, of_class = tuple(place), np.fromiter(map(place.__getitem__, texts), np.int64, len(texts))
        made[attribute.column] = _Values(labels, of_class, points, labelled.numbers[a])
    return made


def _digits(attribute: QuasiIdentifier) -> int:
    """Return how many digits after the point the values of a column have at most."""
    if attribute.kind is DataType.INTEGER:
        return 0
    exponents = (Decimal(text).as_tuple().exponent for text in attribute.domain.spellings)
    return max((-each for each in exponents if isinstance(each, int) and each < 0), default=0)


def _error(table: GroupedTable, a: int) -> float | None:
    """Return the squared error of the released numbers as a share of the records' squared distance to their mean.

    0: nothing is lost; 1: as if every class had the mean of all. None where there is no number or all are the same.
    """
    scale, points = table.records.attributes[a].scale, table.points[a]
    if scale is None or points is None:
        return None
    inside = table.groups >= 0
    before, after = scale[table.records.attributes[a].codes[inside]], points[table.groups[inside]]
    known = ~(np.isnan(before) | np.isnan(after))
    before, after = before[known], after[known]
    spread: Any = ((before - before.mean()) ** 2).sum() if before.size else 0.0
    return float(((before - after) ** 2).sum() / spread) if spread else None
