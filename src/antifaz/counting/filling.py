"""Missing quasi-identifiers: filled, left out or kept as a value of their own, on the counts alone.

What is decided on the filled counts is applied to the rows as they are: the domain still lists the missing value as
read, now under the code of what it was filled with, so the recoding says what a missing cell becomes. Records that are
left out go by their classes, which `with_dropped` adds to a recoding. An engine needs no step of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.core.errors import SchemaError, hint
from antifaz.core.recoding import Recoding
from antifaz.core.values import is_number
from antifaz.counting.domains import Domain
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes, group_pairs

#: What becomes of records in which a quasi-identifier is missing.
Way = Literal["most-frequent", "median", "category", "drop"]


@dataclass(frozen=True, kw_only=True, eq=False)
class FilledFrequencies:
    """A frequency set in which missing values were dealt with, and what was done."""

    frequencies: FrequencySet
    #: Records filled per column.
    filled: Mapping[str, int] = field(default_factory=dict)
    #: Records left out.
    dropped: int = 0
    #: Per column, the codes of the tuples left out, as they were before: the last code is missing.
    lost: tuple[Codes, ...] = field(default=(), repr=False)


def fill_missing(frequencies: FrequencySet, ways: Mapping[str, Way]) -> FilledFrequencies:
    """Deal with the missing values of the columns named; those of all others stay values of their own.

    most-frequent and median take the value from the records that have one: of equally frequent values the first, of
    an even number the lower one, so that it is a value of the data. First records are left out, then values are filled.
    """
    columns = frequencies.columns
    for name in ways:
        if name not in columns:
            raise SchemaError("missing.names-no-quasi-identifier", name=name, hint=hint(name, columns))
    if not any(
        domain.has_missing and ways.get(domain.column, "category") != "category" for domain in frequencies.domains
    ):
        return FilledFrequencies(frequencies=frequencies)
    gone = np.zeros(frequencies.counts.size, np.bool_)
    for domain, codes in zip(frequencies.domains, frequencies.codes, strict=True):
        if ways.get(domain.column) == "drop" and domain.has_missing:
            gone |= codes == domain.size - 1
    counts, domains, filled, new = frequencies.counts, [], {}, []
    for domain, codes in zip(frequencies.domains, frequencies.codes, strict=True):
        way = ways.get(domain.column, "category")
        if way == "category" or not domain.has_missing:
            domains.append(domain)
            new.append(codes)
            continue
        blank = domain.size - 1
        # Where all such records are left out nothing has the code, and any will do.
        code = 0 if way == "drop" else _filling(domain, codes[~gone], counts[~gone], way)
        if way != "drop":
            filled[domain.column] = int(counts[~gone & (codes == blank)].sum())
        domains.append(_without_missing(domain, code, keep=way != "drop"))
        new.append(np.where(codes == blank, code, codes).astype(np.int32))
    own, dropped = regrouped(frequencies, tuple(domains), new, ~gone), int(counts[gone].sum())
    lost = tuple(codes[gone] for codes in frequencies.codes) if gone.any() else ()
    return FilledFrequencies(frequencies=own, filled=filled, dropped=dropped, lost=lost)


def _filling(domain: Domain, codes: Codes, counts: Ints, way: Way) -> int:
    known = np.bincount(codes, weights=counts, minlength=domain.size)[:-1]
    if not known.any():
        raise SchemaError("column.all-values-missing", column=domain.column)
    if way == "most-frequent":
        return int(known.argmax())
    if not all(map(is_number, domain.spellings)):
        raise SchemaError("column.no-median-without-numbers", column=domain.column)
    # Codes are in the order of the numbers.
    return int(np.searchsorted(np.cumsum(known), known.sum() / 2))


def _without_missing(domain: Domain, code: int, *, keep: bool) -> Domain:
    """The domain where what is missing is read as a value, or where no record with a missing value is left."""
    blank = domain.size - 1
    stays = (domain.codes != blank) | keep
    values = tuple(value for value, stay in zip(domain.values, stays.tolist(), strict=True) if stay)
    codes = np.where(domain.codes == blank, code, domain.codes)[stays].astype(np.int32)
    return replace(domain, values=values, codes=codes, has_missing=False)


def regrouped(frequencies: FrequencySet, domains: tuple[Domain, ...], codes: list[Codes], kept: Flags) -> FrequencySet:
    """Return the tuples that are kept under other domains and codes; those that come to be the same are one."""
    own = [column[kept] for column in codes]
    first, group, counts = group_codes(own, [domain.size for domain in domains], frequencies.counts[kept])
    place = np.full(kept.size, -1, np.int64)
    place[kept] = group
    cells = {name: _moved(cells, place, counts.size) for name, cells in frequencies.cells.items()}
    people = frequencies.people and frequencies.people.moved(place, counts.size)
    codes = [column[first] for column in own]
    return replace(frequencies, domains=domains, codes=tuple(codes), counts=counts, cells=cells, people=people)


def _moved(cells: SensitiveCells, place: Ints, tuples: int) -> SensitiveCells:
    """Cells of tuples that came to be the same are added up."""
    to = place[cells.tuples]
    inside, sizes = to >= 0, (tuples, cells.domain.size)
    owners, values, counts = group_pairs(to[inside], cells.values[inside], sizes, cells.counts[inside])
    return replace(cells, tuples=owners, values=values, counts=counts)


def with_dropped(recoding: Recoding, before: FrequencySet, filled: FilledFrequencies) -> Recoding:
    """Return the recoding of the filled table with the records that were left out named by their classes.

    `before` is the frequency set that was filled. In a column that drops them, missing stays missing: no class of
    other records has that label there, so only they go.
    """
    if not filled.lost:
        return recoding
    columns, labels = [], []
    for column, domain, codes in zip(recoding.columns, before.domains, filled.lost, strict=True):
        label_of = dict(zip(column.values, column.labels, strict=True))
        domain_labels = tuple(label_of.get(value) for value in domain.values)
        columns.append(replace(column, values=domain.values, labels=domain_labels))
        of_code = dict(zip(domain.codes.tolist(), domain_labels, strict=True))
        labels.append([of_code[code] for code in codes.tolist()])
    lost = dict.fromkeys(zip(*labels, strict=True))
    return replace(recoding, columns=tuple(columns), suppressed=(*recoding.suppressed, *lost))
