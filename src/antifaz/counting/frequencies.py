"""The frequency set: distinct quasi-identifier tuples, their counts, and the counts of sensitive values in each."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Ints
from antifaz.core.types import DataType
from antifaz.counting.domains import Domain, qi_domain, sensitive_domain
from antifaz.counting.people import People, people_of, person_codes

#: So many rows are sorted sooner than hashed; and the bits of a key beyond its first word, where it is sorted by parts.
_MANY_ROWS, _PART_BITS = 100_000, 16
#: From about so many rows it is estimated how many tuples are distinct.
SOME_ROWS = 1 << 15


@dataclass(frozen=True, kw_only=True, eq=False)
class Tuples:
    """Distinct tuples in dictionary form: `values[c][codes[c][i]]` is column c of tuple i; None is missing."""

    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    codes: tuple[Codes, ...]
    counts: Ints

    @property
    def rows(self) -> int:
        """The number of records behind the tuples."""
        return int(self.counts.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveCells:
    """How often each value of one sensitive attribute occurs in each tuple that has it."""

    domain: Domain
    tuples: Ints
    values: Codes
    counts: Ints
    #: Where the attribute has a hierarchy: per level, the node above each value (the values themselves at level 0).
    up: tuple[Codes, ...] | None = None
    #: Where these are the cells of some tuples only: how often each value occurs in the whole table.
    whole: Ints | None = None

    @cached_property
    def totals(self) -> Ints:
        """How often each value occurs in the whole table."""
        if self.whole is not None:
            return self.whole
        totals = np.zeros(self.domain.size, np.int64)
        np.add.at(totals, self.values, self.counts)
        return totals


@dataclass(frozen=True, kw_only=True, eq=False)
class FrequencySet:
    """Everything that full-domain questions need to know of the rows."""

    domains: tuple[Domain, ...]
    codes: tuple[Codes, ...]
    counts: Ints
    cells: Mapping[str, SensitiveCells] = field(default_factory=dict)
    #: The population's codes per quasi-identifier and counts, where a model compares with it.
    population: tuple[tuple[Codes, ...], Ints] | None = None
    #: Who is behind each tuple, where there is a person key.
    people: People | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, in order."""
        return tuple(domain.column for domain in self.domains)

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.counts.sum())


def frequency_set(
    counted: Tuples,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    types: Mapping[str, DataType] | None = None,
    population: Tuples | None = None,
    person: Sequence[str] = (),
) -> FrequencySet:
    """Make the frequency set of what an engine counted, unifying spellings on the way.

    `population` are the same quasi-identifiers counted in the population; its values join the domains. `person` names
    the columns that tell people apart, counted with the others.
    """
    kinds = types or {}
    at = {name: i for i, name in enumerate(counted.columns)}
    domains = tuple(
        qi_domain(name, _values(name, counted, population), kinds.get(name, DataType.TEXT))
        for name in quasi_identifiers
    )
    read, upward = [counted.codes[at[domain.column]] for domain in domains], [domain.codes for domain in domains]
    sizes = [domain.size for domain in domains]
    if not (sensitive or person or population) and (alike := _sort_rows(read, sizes, counted.counts, upward)):
        return FrequencySet(domains=domains, codes=alike[0], counts=alike[1])
    first, tuple_of, counts = group_codes(read, sizes, counted.counts, upward)
    cells = {}
    for name in sensitive:
        domain = sensitive_domain(name, counted.values[at[name]])
        values, both = domain.codes[counted.codes[at[name]]], (counts.size, domain.size)
        owners, values, cell_counts = group_pairs(tuple_of, values, both, counted.counts)
        cells[name] = SensitiveCells(domain=domain, tuples=owners, values=values, counts=cell_counts)
    own = tuple(up[codes[first]] for codes, up in zip(read, upward, strict=True))
    others = None if population is None else _population(domains, population)
    people = _people(counted, person, tuple_of, counts.size, cells) if person else None
    return FrequencySet(domains=domains, codes=own, counts=counts, cells=cells, population=others, people=people)


def _people(
    counted: Tuples, person: Sequence[str], tuple_of: Ints, many: int, cells: Mapping[str, SensitiveCells]
) -> People:
    at = {name: i for i, name in enumerate(counted.columns)}
    persons = person_codes([(counted.values[at[name]], counted.codes[at[name]]) for name in person])
    values = {n: (own.domain.codes[counted.codes[at[n]]].astype(np.int64), own.domain.size) for n, own in cells.items()}
    return people_of(tuple_of, persons, counted.counts, many, values)


def _values(name: str, counted: Tuples, population: Tuples | None) -> tuple[str | None, ...]:
    """A column's values as read: those of the data, then those that only the population has."""
    own = counted.values[counted.columns.index(name)]
    if population is None:
        return own
    return tuple(dict.fromkeys((*own, *population.values[population.columns.index(name)])))


def _population(domains: Sequence[Domain], population: Tuples) -> tuple[tuple[Codes, ...], Ints]:
    codes = []
    for domain in domains:
        a = population.columns.index(domain.column)
        place = dict(zip(domain.values, domain.codes.tolist(), strict=True))
        own = np.array([place[value] for value in population.values[a]], np.int32)
        codes.append(own[population.codes[a]])
    first, _, counts = group_codes(codes, [domain.size for domain in domains], population.counts)
    return tuple(column[first] for column in codes), counts


def group_pairs(owners: Ints, values: Codes, sizes: tuple[int, int], counts: Ints) -> tuple[Ints, Codes, Ints]:
    """Group equal pairs of a tuple (or class) and a sensitive value, and add up their counts."""
    first, _, summed = group_codes([owners.astype(np.int32), values], sizes, counts)
    return owners[first], values[first], summed


def group_codes(
    codes: Sequence[Codes], sizes: Sequence[int], counts: Ints, upward: Sequence[Codes] = ()
) -> tuple[Ints, Ints, Ints]:
    """Group equal rows of codes: the first row of each group, the group of each row, and the summed counts.

    With `upward`, equal are those that become the same code of a column; `sizes` are then of those.

    Groups are in the order of their codes: engines hand over tuples in any order, and no result may depend on it.
    """
    from antifaz.kernels.grouping import group_keys, repack

    rows = counts.size
    packed = layout(sizes)
    keys = np.zeros((rows, packed.words), np.uint64)
    for a, column in enumerate(codes):
        became = upward[a] if upward else np.arange(max(sizes[a], 1), dtype=np.int32)
        repack(column, became, packed.word[a], packed.shift[a], keys)
    into, summed = np.empty(rows, np.int64), np.empty(rows, np.int64)
    groups = group_keys(keys, counts, slots_for(rows), keys, summed, into)
    order = _in_order(keys[:groups])
    del keys  # what is not needed any more is let go: of many tuples each of these is as large as a column
    place = np.empty(groups, np.int64)
    place[order] = np.arange(groups)
    into = place[into]
    del place
    first = np.empty(groups, np.int64)
    first[into[::-1]] = np.arange(rows - 1, -1, -1)
    return first, into, summed[:groups][order]


def _sort_rows(
    codes: Sequence[Codes], sizes: Sequence[int], counts: Ints, upward: Sequence[Codes]
) -> tuple[tuple[Codes, ...], Ints] | None:
    """Return the codes and counts of the groups of many rows, as `group_codes` has them; None where it is to do it.

    Keys that stand for one row each are sorted themselves, a fraction of the time in which they are hashed and put in
    order by their places. Bits beyond one word say in which of some sorted parts a key is.
    """
    from antifaz.kernels.grouping import repack

    packed, rows = layout(sizes), counts.size
    beyond = sum(bits(size) for size, word in zip(sizes, packed.word, strict=True) if word)
    if rows < _MANY_ROWS or packed.words > 2 or beyond > _PART_BITS or int(counts.max()) > 1:
        return None
    keys, parts = np.zeros(rows, np.uint64), np.zeros(rows if beyond else 0, np.uint16)
    for column, became, word, shift in zip(codes, upward, packed.word, packed.shift, strict=True):
        if word:
            parts |= became.astype(np.uint16)[column] << np.uint16(shift)
        else:
            repack(column, became, 0, shift, keys.reshape(-1, 1))
    ends = np.array([rows])
    if beyond:
        keys, ends = keys[np.argsort(parts, kind="stable")], np.cumsum(np.bincount(parts))
        parts = np.repeat(np.arange(ends.size, dtype=np.uint16), np.diff(ends, prepend=0))
    for start, end in pairwise([0, *ends.tolist()]):
        keys[start:end].sort()
    first = np.ones(rows, np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    first[ends[ends < rows]] = True
    if not first.all():
        keys, parts = keys[first], parts[first] if beyond else parts
    fields = zip(packed.word, packed.shift, packed.field, strict=True)
    read = tuple((((parts if word else keys) >> shift) & mask).astype(np.int32) for word, shift, mask in fields)
    del keys, parts  # of many rows each is as large as a column
    return read, np.diff(np.flatnonzero(first), append=rows)


def _in_order(keys: NDArray[np.uint64]) -> Ints:
    """Return where keys that are all different come in order, the last word first; as `np.lexsort`, in half the time.

    Only the words after the first need a stable sort, and one of sixteen bits is sorted without comparing.
    """
    order = np.argsort(np.ascontiguousarray(keys[:, 0]))
    for w in range(1, keys.shape[1]):
        word = keys[order, w]
        small = word.size and int(word.max()) < 1 << 16
        order = order[np.argsort(word.astype(np.uint16) if small else word, kind="stable")]
    return order


def hardly_repeat(different: int, sampled: int, rows: int) -> bool:
    """Say whether there are more possible tuples than rows, by how many of the first rows are different.

    Of m rows, m² / 2d are like an earlier one where d tuples are equally frequent; more where some are not.
    """
    return 2 * (sampled - different) * rows < sampled**2


def group(rows: Tuples) -> Tuples:
    """Return the distinct ones of tuples that may repeat."""
    first, _, counts = group_codes(rows.codes, [len(own) for own in rows.values], rows.counts)
    return replace(rows, codes=tuple(own[first] for own in rows.codes), counts=counts)


def estimate_distinct(rows: int, some: int, different: int) -> int:
    """Estimate how many tuples are distinct among rows of which some, so many of them different, were looked at.

    As if all tuples were equally frequent: then two rows are alike as often as one divided by how many there are.
    """
    if 2 * different <= some:
        return different  # hardly any more are to be met
    tuples = some * some / (2 * max(some - different, 1))
    return int(-math.expm1(-rows / tuples) * tuples)


def slots_for(rows: int) -> Codes:
    """Return the workspace of a hash table for so many keys: a power of two, at most half full."""
    return np.empty(1 << max(4, (2 * rows - 1).bit_length()), np.int32)


# -- packing: where in a key of 64-bit words each attribute's code lies; shifts and masks only, no divisions

WORD = 64


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyLayout:
    """The field of every attribute: its word, the shift inside the word, and its mask before shifting.

    A field never straddles two words; what does not fit one word goes on in the next, so any number of attributes
    packs. The lowest `value_bits` of the first word are kept free for a sensitive value.
    """

    word: Ints
    shift: NDArray[np.uint64]
    field: NDArray[np.uint64]
    words: int
    value_bits: int

    @property
    def value_mask(self) -> NDArray[np.uint64]:
        """The bits of the sensitive value, as a key of one row."""
        mask = np.zeros((1, self.words), np.uint64)
        mask[0, 0] = (1 << self.value_bits) - 1
        return mask


def bits(size: int) -> int:
    """Return how many bits hold the codes 0 … size - 1."""
    return max(size - 1, 0).bit_length()


def layout(sizes: Sequence[int], values: int = 1) -> KeyLayout:
    """Place attributes with so many codes each, and a sensitive attribute with `values` values, in as few words."""
    value_bits = bits(values)
    word, shift, at = [], [], value_bits
    for size in sizes:
        if at % WORD + bits(size) > WORD or (at and at % WORD == 0 and bits(size)):
            at += -at % WORD
        word.append(at // WORD)
        # A field of no bits at the very end of a word would shift by 64, which is undefined.
        shift.append(at % WORD)
        at += bits(size)
    places = np.minimum(np.array(word, np.int64), max(0, (at - 1) // WORD))
    fields, words = np.array([(1 << bits(size)) - 1 for size in sizes], np.uint64), max(1, -(-at // WORD))
    return KeyLayout(word=places, shift=np.array(shift, np.uint64), field=fields, words=words, value_bits=value_bits)
