"""Who is in a class: people, each of whom may have many rows.

The people of two classes don't add up when the classes become one: somebody may be in both. So everything is counted
from distinct pairs of an owner (a tuple, or a class) and a person.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.values import same_text

#: Up to so many people are compared one by one.
_FEW = 32
#: Anything but printed ASCII without blanks, one text a line.
_NOT_PLAIN = re.compile(r"[^!-~\n]")
#: Weights are whole numbers below this, all together: sums of them must be exact.
_LARGEST = 1 << 62
#: What a person weighs where no whole number can be divided exactly: half a unit of this is nothing.
_ROUNDED = 720_720 << 20


@dataclass(frozen=True, kw_only=True, eq=False)
class PersonValues:
    """Which person has which value of one sensitive attribute under which owner: distinct triples, and their rows."""

    #: How many values the attribute has.
    size: int
    owners: Ints
    persons: Ints
    values: Ints
    counts: Ints
    #: The distinct pairs of a person and a value in the whole table, nobody being left out.
    whole: tuple[Ints, Ints]


@dataclass(frozen=True, kw_only=True, eq=False)
class Shares:
    """How people share the values of one attribute: what every owner weighs, its values, and those of the table.

    The values of owner o are `offsets[o]` to `offsets[o + 1]`; `whole` is what the people of the table weigh.
    """

    sizes: Ints
    offsets: Ints
    values: Ints
    counts: Ints
    totals: Ints
    whole: int


@dataclass(frozen=True, kw_only=True, eq=False)
class People:
    """Distinct pairs of an owner and a person, how many rows each stands for, and the sensitive values of each."""

    #: How many people the whole table has.
    number: int
    #: How many owners there are; some may have nobody.
    many: int
    owners: Ints
    persons: Ints
    counts: Ints
    values: Mapping[str, PersonValues] = field(default_factory=dict)

    @cached_property
    def heads(self) -> Ints:
        """How many different people each owner has."""
        return np.bincount(self.owners, minlength=self.many)

    def moved(self, place: Ints, many: int, names: Sequence[str] | None = None) -> "People":
        """Return the same people under other owners, `place` saying which; what is placed at -1 is left out.

        With `names`, only the values of those attributes are carried along.
        """
        owners, inside = _placed(self.owners, place)
        persons = self.persons[inside]
        first, counts = _distinct([owners, persons], [many, self.number], self.counts[inside])
        asked = self.values if names is None else [name for name in names if name in self.values]
        values = {name: self._moved_values(self.values[name], place, many) for name in asked}
        owners, persons = owners[first], persons[first]
        return replace(self, many=many, owners=owners, persons=persons, counts=counts, values=values)

    def _moved_values(self, own: PersonValues, place: Ints, many: int) -> PersonValues:
        owners, inside = _placed(own.owners, place)
        persons, values = own.persons[inside], own.values[inside]
        first, rows = _distinct([owners, persons, values], [many, self.number, own.size], own.counts[inside])
        return replace(own, owners=owners[first], persons=persons[first], values=values[first], counts=rows)

    def without(self, gone: Flags) -> tuple["People", Ints]:
        """Leave people out; return the others under new owners without gaps, and which owners these were."""
        inside = ~gone[self.persons]
        left, owners = np.unique(self.owners[inside], return_inverse=True)
        values = {}
        for name, own in self.values.items():
            stay = ~gone[own.persons]
            place = np.searchsorted(left, own.owners[stay])
            values[name] = replace(
                own, owners=place, persons=own.persons[stay], values=own.values[stay], counts=own.counts[stay]
            )
        persons, counts = self.persons[inside], self.counts[inside]
        return replace(self, many=left.size, owners=owners, persons=persons, counts=counts, values=values), left

    def most_rows(self, people: int) -> int:
        """Return how many rows so many people have at most."""
        rows = np.bincount(self.persons, self.counts, self.number).astype(np.int64)
        return int(np.sort(rows)[rows.size - min(people, rows.size) :].sum())

    def part(self, rows: Flags | Ints) -> "People":
        """Return some of the entries, each of which stands for one row."""
        number = np.arange(self.persons[rows].size)
        values = {
            name: replace(
                own, owners=number, persons=own.persons[rows], values=own.values[rows], counts=own.counts[rows]
            )
            for name, own in self.values.items()
        }
        persons, counts = self.persons[rows], self.counts[rows]
        return replace(self, many=number.size, owners=number, persons=persons, counts=counts, values=values)

    def among(self, rows: Ints, owners: Ints, many: int) -> "People":
        """Return who is under which of some owners of rows, where each entry stands for one row."""
        persons = self.persons[rows]
        values = {
            name: replace(own, owners=owners, persons=persons, values=own.values[rows], counts=own.counts[rows])
            for name, own in self.values.items()
        }
        chosen = replace(self, owners=owners, persons=persons, counts=self.counts[rows], values=values)
        return chosen.moved(np.arange(many), many)

    def few(self, most: int) -> "People":
        """Return at most so many people of each owner: enough to tell whether a union of owners has so many.

        Either one of the owners has so many by itself, or nobody of theirs was left out.
        """
        from antifaz.kernels.people import keep_few

        kept = np.empty(self.owners.size, np.bool_)
        keep_few(self.owners, self.many, most, kept)
        return replace(self, owners=self.owners[kept], persons=self.persons[kept], counts=self.counts[kept])

    def heads_up_to(self, most: int, place: Ints, many: int) -> Ints:
        """Count the different people of every new owner, as in `moved`; at most so many."""
        from antifaz.kernels.people import count_heads

        if most > _FEW:
            return self.moved(place, many, ()).heads
        heads = np.zeros(many, np.int64)
        count_heads(self.owners, self.persons, place, np.empty((many, max(most, 1)), np.int64), heads)
        return heads

    def below(self, k: int) -> int:
        """Count the people who are somewhere with fewer than k."""
        there = np.zeros(self.number, np.bool_)
        there[self.persons[self.heads[self.owners] < k]] = True
        return int(np.count_nonzero(there))

    def shares(self, name: str, *, divided: bool) -> Shares:
        """Return how the people of every owner share the values of an attribute.

        Everybody weighs one with each value that the person has; or, `divided`, one with all of them together, in
        equal parts. Parts are whole numbers, so that ratios are exact.
        """
        own = self.values[name]
        keys, which = np.unique(own.owners * own.size + own.values, return_inverse=True)
        parts, one = _parts([own.owners, own.persons], [self.many, self.number]) if divided else (None, 1)
        people, values = own.whole
        of_all, all_one = _parts([people], [self.number]) if divided else (None, 1)
        return Shares(
            sizes=self.heads * one, offsets=np.searchsorted(keys, np.arange(self.many + 1) * own.size).astype(np.int64),
            values=keys % own.size, counts=_sums(which, parts, keys.size), totals=_sums(values, of_all, own.size),
            whole=all_one * self.number,
        )  # fmt: skip


def people_of(owners: Ints, persons: Ints, counts: Ints, many: int, values: Mapping[str, tuple[Ints, int]]) -> People:
    """Count who is under which owner from entries that each stand for `counts` rows.

    `values` has per sensitive attribute the value of every entry, and how many there are.
    """
    number = int(persons.max(initial=-1)) + 1
    first, rows = _distinct([owners, persons], [many, number], counts)
    found = {}
    for name, (codes, size) in values.items():
        triples, each = _distinct([owners, persons, codes], [many, number, size], counts)
        pairs, _ = _distinct([persons, codes], [number, size], counts)
        found[name] = PersonValues(
            size=size, owners=owners[triples], persons=persons[triples], values=codes[triples].astype(np.int64),
            counts=each,
            whole=(persons[pairs], codes[pairs].astype(np.int64)),
        )  # fmt: skip
    return People(
        number=number, many=many, owners=owners[first], persons=persons[first], counts=rows, values=found
    )  # fmt: skip


def limited(persons: Ints, most: int, random: np.random.Generator) -> Flags:
    """Keep at most so many rows of every person, drawn at random."""
    order = random.permutation(persons.size)
    order = order[np.argsort(persons[order], kind="stable")]
    own = persons[order]
    place = np.arange(own.size) - np.searchsorted(own, own)
    kept = np.zeros(persons.size, np.bool_)
    kept[order[place < most]] = True
    return kept


def people_by_row(persons: Ints, values: Mapping[str, tuple[Ints, int]]) -> People:
    """Return the people of rows, an entry for each row in the order of the rows; see `People.among`."""
    rows, number = np.arange(persons.size), int(persons.max(initial=-1)) + 1
    counted = people_of(np.zeros_like(rows), persons, np.ones_like(rows), 1, values)
    own = {
        name: replace(
            counted.values[name], owners=rows, persons=persons, values=codes.astype(np.int64), counts=np.ones_like(rows)
        )
        for name, (codes, _) in values.items()
    }
    return People(number=number, many=rows.size, owners=rows, persons=persons, counts=np.ones_like(rows), values=own)


def person_codes(columns: Sequence[tuple[Sequence[str | None], Codes]]) -> Ints:
    """Give every entry the number of its person, by the texts of one column or of several, each with its codes.

    Case, blanks and what nobody sees make no other person; those without a key are taken for one and the same.
    """
    number: Ints | None = None
    for texts, codes in columns:
        folded = _same_texts(texts)
        if (many := len(set(folded))) == len(texts):
            own = codes.astype(np.int64)  # no two texts are spellings of one
        else:
            place = {text: i for i, text in enumerate(dict.fromkeys(folded))}
            own = np.fromiter(map(place.__getitem__, folded), np.int64, len(texts))[codes]
        # Of one column every text occurs, so that its places are numbers without gaps.
        number = own if number is None else np.unique(number * max(many, 1) + own, return_inverse=True)[1]
    return np.zeros(0, np.int64) if number is None else number


def _same_texts(texts: Sequence[str | None]) -> list[str]:
    """Return what spellings of each text share; of plain words that is the case, for all at once."""
    whole = "\n".join(text or "" for text in texts)
    if whole.count("\n") == len(texts) - 1 and not _NOT_PLAIN.search(whole):
        return whole.lower().split("\n")
    return [same_text(text) for text in texts]


def _placed(owners: Ints, place: Ints) -> tuple[Ints, Flags]:
    to = place[owners]
    inside = to >= 0
    return to[inside], inside


def _parts(codes: Sequence[Ints], sizes: Sequence[int]) -> tuple[Ints, int]:
    """Divide a weight equally among the entries with the same codes; return the parts, and the weight divided."""
    _, group, counts = np.unique(_keys(codes, sizes), return_inverse=True, return_counts=True)
    weight = math.lcm(*np.unique(counts).tolist())
    if weight * max(counts.size, 1) >= _LARGEST:
        weight = _ROUNDED
    return np.rint(weight / counts[group]).astype(np.int64), weight


def _sums(which: Ints, parts: Ints | None, many: int) -> Ints:
    if parts is None:
        return np.bincount(which, minlength=many)
    sums = np.zeros(many, np.int64)
    np.add.at(sums, which, parts)
    return sums


def _keys(codes: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    """Return one number for every combination of codes."""
    if math.prod(max(size, 1) for size in sizes) >= _LARGEST:
        raise ParameterError("people.too-many-to-count")
    keys = np.zeros(codes[0].size, np.int64)
    for code, size in zip(codes, sizes, strict=True):
        keys = keys * max(size, 1) + code
    return keys


def _distinct(codes: Sequence[Ints], sizes: Sequence[int], counts: Ints) -> tuple[Ints, Ints]:
    """Return the first entry of each combination of codes, in the order of entries, and the counts added up."""
    from antifaz.kernels.group_summaries import number_keys

    keys = _keys(codes, sizes)
    first, into = np.empty_like(keys), np.empty_like(keys)
    groups = number_keys(keys, np.empty(1 << (2 * keys.size).bit_length(), np.int32), first, into)
    # Rows are fewer than 2^53, so that sums of floats are exact.
    return first[:groups], np.bincount(into, counts, groups).astype(np.int64)
