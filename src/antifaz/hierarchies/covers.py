"""The values that a column may have, and which of them lie under each released label: what every judge stands on."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from math import inf, nextafter
from typing import NamedTuple

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.types import DataType
from antifaz.core.values import ANY, all_match, canonical, canonical_values
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.label_forms import (
    Reader,
    ScaleInterval,
    read_date,
    read_number,
    read_set,
    read_stretch,
    reader_of,
)  # fmt: skip

#: Labels are looked up among values with the same characters hidden; more different ways of hiding are not tried.
_MOST_MASKS = 256
_CODE = re.compile(r"[+-]?0[0-9]+")
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, kw_only=True, eq=False)
class OriginalDomain:
    """The values that a column may have, in order: numbers and dates by size, others by hierarchy or text; blank last.

    With a hierarchy these are its leaves, of which the data may have fewer.
    """

    column: str
    kind: DataType
    values: tuple[str | None, ...] = field(repr=False)
    #: How many original records have each value.
    counts: Ints = field(repr=False)
    #: The place of each value on the scale of the column, NaN where it has none; None for a column without a scale.
    scale: Floats | None = field(repr=False)
    hierarchy: Hierarchy | None = field(default=None, repr=False)
    #: What each label stands for, where that is given without a hierarchy.
    label_members: Mapping[str, Iterable[str]] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def rows(self) -> int:
        """How many original records there are."""
        return int(self.counts.sum())

    @cached_property
    def place(self) -> dict[str | None, int]:
        """Where each value stands."""
        return {value: i for i, value in enumerate(self.values)}

    @property
    def on_scale(self) -> int:
        """How many values, from the first on, have a place on the scale."""
        return 0 if self.scale is None else int((~np.isnan(self.scale)).sum())

    @cached_property
    def records_before(self) -> Ints:
        """How many records have a value before each place; one place more than values."""
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)


def make_domain(
    column: str,
    kind: DataType,
    values: Sequence[str | None],
    counts: Ints,
    hierarchy: Hierarchy | None = None,
    label_members: Mapping[str, Iterable[str]] | None = None,
) -> tuple[OriginalDomain, Codes]:
    """Return the domain of a column from its distinct values as read, and the place of each of them in it."""
    spelled = canonical_values(values, kind)
    texts: list[str] = [] if hierarchy is None else [str(canonical(leaf, kind)) for leaf in hierarchy.leaves]
    known = dict.fromkeys([*texts, *sorted({text for text in spelled if text is not None})])
    ordered, scale = _in_order(list(known), kind)
    whole: tuple[str | None, ...] = (*ordered, None) if None in spelled else tuple(ordered)
    place = {value: i for i, value in enumerate(whole)}
    codes = np.fromiter((place[text] for text in spelled), np.int32, len(spelled))
    counted = np.bincount(codes, weights=counts, minlength=len(whole)).astype(np.int64)
    if scale is not None and len(whole) > scale.size:
        scale = np.append(scale, np.nan)
    members = label_members or {}
    domain = OriginalDomain(
        column=column, kind=kind, values=whole, counts=counted, scale=scale, hierarchy=hierarchy, label_members=members
    )
    return domain, codes


def _in_order(texts: list[str], kind: DataType) -> tuple[list[str], Floats | None]:
    read = reader_of(kind)
    if read is None:
        return texts, None
    scale = _iso_days(texts) if read is read_date else None
    if scale is None:
        places = [read(text) for text in texts]
        scale = np.array([np.nan if place is None else place.low for place in places], np.float64)
    order = np.argsort(scale, kind="stable")  # NaN goes last
    return [texts[i] for i in order], scale[order]


def _iso_days(texts: Sequence[str]) -> Floats | None:
    """Return what `read_date` returns of texts that are all plain ISO dates, read at once; None of others."""
    if not texts or not all_match(_ISO_DAY, texts):
        return None
    try:
        days = np.array(texts, "datetime64[D]").astype(np.int64) + date(1970, 1, 1).toordinal()
    except ValueError:  # the 30th of February
        return None
    return days.astype(np.float64) if days.min() >= 1 else None


def kind_of(values: Iterable[str | None]) -> DataType:
    """Return how text is to be understood whose type nobody told: as numbers or dates if all of it are such.

    Digits with a zero in front, such as those of a postcode, are a code and not a number.
    """
    known = [text for text in canonical_values([*values]) if text is not None]
    for kind, fits in ((DataType.DECIMAL, _is_number), (DataType.DATETIME, _is_moment)):
        if known and all(map(fits, known)):
            return kind
    return DataType.TEXT


def _is_number(text: str) -> bool:
    if text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 300:
        return True
    place = read_number(text)
    return place is not None and place.is_point and "," not in text and _CODE.fullmatch(text) is None


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, kw_only=True, eq=False)
class Covers:
    """What each released label covers: runs of neighbouring values of the domain, sorted by label."""

    domain: OriginalDomain
    #: Per run: the label it belongs to, where it starts and before which value it stops.
    owner: Ints = field(repr=False)
    start: Ints = field(repr=False)
    stop: Ints = field(repr=False)
    #: Per label: the number it names, where it is a number that no original record has; else NaN.
    named: Floats = field(repr=False)
    #: Per label: the ends of the interval that it names, both included; NaN where it names none.
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    #: Per label: its lowest level in the hierarchy, -1 where it is none of its labels.
    level: Ints = field(repr=False)
    #: Per label: whether it says nothing (`*`, or blank where blank was no value); and whether nobody understood it.
    anything: Flags = field(repr=False)
    unknown: Flags = field(repr=False)

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return self.named.size

    @cached_property
    def size(self) -> Ints:
        """How many values each label covers."""
        return self._summed((self.stop - self.start).astype(np.float64)).astype(np.int64)

    @cached_property
    def records(self) -> Ints:
        """How many original records have a value under each label."""
        before = self.domain.records_before
        return self._summed((before[self.stop] - before[self.start]).astype(np.float64)).astype(np.int64)

    @cached_property
    def spans(self) -> tuple[Floats, Floats]:
        """The least and greatest place among the values under each label that the data has; NaN where there is none."""
        low, high = np.full(self.labels, np.nan), np.full(self.labels, np.nan)
        scale, many = self.domain.scale, self.domain.on_scale
        if scale is not None and many:
            there = np.flatnonzero(self.domain.counts[:many] > 0)
            first = np.searchsorted(there, self.start, side="left")
            last = np.searchsorted(there, np.minimum(self.stop, many), side="left") - 1
            some = first <= last
            np.fmin.at(low, self.owner[some], scale[there[first[some]]])
            np.fmax.at(high, self.owner[some], scale[there[last[some]]])
        given = ~np.isnan(self.named)
        low[given], high[given] = self.named[given], self.named[given]
        return low, high

    @cached_property
    def named_spans(self) -> tuple[Floats, Floats]:
        """The ends of what each label names on the scale: of the interval it spells, or of the values it stands for."""
        low, high = self.low.copy(), self.high.copy()
        scale, many = self.domain.scale, self.domain.on_scale
        if scale is not None and many:
            some = np.isnan(low[self.owner]) & (self.start < many)
            np.fmin.at(low, self.owner[some], scale[self.start[some]])
            np.fmax.at(high, self.owner[some], scale[np.minimum(self.stop[some], many) - 1])
        return low, high

    @cached_property
    def middles(self) -> Floats:
        """The number for which a label stands where one is needed: the middle of what it covers; NaN for 'anything'."""
        low, high = self.spans
        return np.where(self.anything | self.unknown, np.nan, (low + high) / 2)

    @cached_property
    def overlapping(self) -> bool:
        """Whether some value lies under two labels, those that say nothing aside."""
        telling = ~(self.anything | self.unknown)[self.owner]
        start, stop = self.start[telling], self.stop[telling]
        order = np.argsort(start, kind="stable")
        return bool((stop[order][:-1] > start[order][1:]).any())

    def inside(self, low: int, high: int) -> Floats:
        """Return the share of each label's values that stand at `low` or after, but before `high`."""
        shared = np.minimum(self.stop, high) - np.maximum(self.start, low)
        return self._summed(np.maximum(shared, 0).astype(np.float64)) / np.maximum(self.size, 1)

    def _summed(self, amounts: Floats) -> Floats:
        return np.bincount(self.owner, weights=amounts, minlength=self.labels).astype(np.float64)


def cover(domain: OriginalDomain, labels: Sequence[str | None], counts: Ints) -> Covers:
    """Find what each label covers; `counts` says how many released records have it."""
    # Blanks are the blanks of the original as long as there are no more of them; else some are left out on purpose.
    blank = sum(int(n) for label, n in zip(labels, counts, strict=True) if canonical(label) is None)
    blank_is_a_value = None in domain.place and blank <= int(domain.counts[domain.place[None]])
    return _Finder(domain, blank_is_a_value).covers(labels)


Runs = list[tuple[int, int]]


class _Under(NamedTuple):
    #: The values under it; None for all, or where nobody knows.
    runs: Runs | None
    #: The number or day that it is, if no record had it.
    number: float | None = None
    #: What it spells, if that is a part of the scale.
    stretch: ScaleInterval | None = None


class _Finder:
    """Finds the values of one domain that lie under labels."""

    def __init__(self, domain: OriginalDomain, blank_is_a_value: bool) -> None:
        self.domain = domain
        self.read: Reader | None = reader_of(domain.kind)
        self.on_scale = domain.on_scale
        self.scale = domain.scale[: self.on_scale] if domain.scale is not None else np.empty(0)
        self.blank_is_a_value = blank_is_a_value
        self.tree, self.levels = _tree(domain)
        self.masks: dict[tuple[int, tuple[int, ...]], dict[str, list[int]]] = {}
        self.prefixes: dict[tuple[bool, int], dict[str, list[int]]] = {}

    def covers(self, labels: Sequence[str | None]) -> Covers:
        size = len(labels)
        named, level = np.full(size, np.nan), np.full(size, -1, np.int64)
        anything, unknown = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        low, high = np.full(size, np.nan), np.full(size, np.nan)
        found: list[tuple[int, int, int]] = []
        for i, text in enumerate(canonical_values(labels, self.domain.kind)):
            level[i] = self.levels.get(text, -1)
            runs, number, stretch = self.under(text)
            if stretch is not None:
                # An end that does not belong to the stretch moves to the next number inside.
                low[i] = stretch.low if stretch.with_low else nextafter(stretch.low, inf)
                high[i] = stretch.high if stretch.with_high else nextafter(stretch.high, -inf)
            if runs is None:
                anything[i], unknown[i] = self._says_nothing(text), not self._says_nothing(text)
                runs = [(0, self.domain.size)]
            if number is not None:
                named[i] = number
            found += [(i, first, last) for first, last in runs]
        owner, start, stop = np.array(found, np.int64).reshape(-1, 3).T.copy()
        return Covers(
            domain=self.domain, owner=owner, start=start, stop=stop, named=named, low=low, high=high, level=level,
            anything=anything, unknown=unknown,
        )  # fmt: skip

    def _says_nothing(self, text: str | None) -> bool:
        return text is None or not text.strip("*")

    def under(self, text: str | None) -> _Under:
        """Return what is known of a label: the values under it, and what it spells on the scale."""
        at = self.domain.place.get(text)
        if at is not None and (text is not None or self.blank_is_a_value):
            return _Under([(at, at + 1)])
        if text is None or self._says_nothing(text):
            return _Under(None)
        if text in self.tree:
            return _Under(self.tree[text])
        found = self._on_scale(text)
        if found.stretch is not None:
            return found
        members = read_set(text, self._is_known)
        if members is not None:
            return _Under(_joined([run for member in members for run in self.under(member).runs or []]))
        return _Under(self._masked(text) if ANY in text else None)

    def _is_known(self, text: str) -> bool:
        spelled = canonical(text, self.domain.kind)
        return spelled in self.domain.place or spelled in self.tree or bool(self._on_scale(text).runs)

    def _on_scale(self, text: str) -> _Under:
        """The values in an interval; for a number that no record had, the nearest one, and the number."""
        found = read_stretch(text, self.read) if self.read is not None else None
        if found is None or not self.on_scale:
            return _Under(None)
        first = int(np.searchsorted(self.scale, found.low, side="left" if found.with_low else "right"))
        last = int(np.searchsorted(self.scale, found.high, side="right" if found.with_high else "left"))
        if first < last:
            return _Under([(first, last)], None, found)
        middle = found.low if found.is_point else (found.low + found.high) / 2
        # A day is a stretch of scale with one place; a new number or date is near some other. Intervals are not.
        if not (found.is_point or (self.domain.kind.is_ordered and found.high - found.low <= 1)):
            return _Under(None, None, found)
        after = min(first, self.on_scale - 1)
        near = after - 1 if after and middle - self.scale[after - 1] <= self.scale[after] - middle else after
        return _Under([(near, near + 1)], float(found.low), found)

    def _masked(self, text: str) -> Runs | None:
        """The values that differ from a masked label only where it has stars; lengths may differ behind a prefix."""
        hidden = tuple(i for i, c in enumerate(text) if c == ANY)
        key = (len(text), hidden)
        if key not in self.masks:
            if len(self.masks) >= _MOST_MASKS:
                return None
            self.masks[key] = self._hiding(*key)
        found = self.masks[key].get(text)
        if found is None:
            found = self._open_ended(text)
        return None if found is None else _joined([(i, i + 1) for i in found])

    def _hiding(self, length: int, hidden: Sequence[int]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for i, value in enumerate(self.domain.values):
            if value is not None and len(value) == length:
                letters = list(value)
                for place in hidden:
                    letters[place] = ANY
                found.setdefault("".join(letters), []).append(i)
        return found

    def _open_ended(self, text: str) -> list[int] | None:
        """Of no value of this length: those with the same beginning or end, as ARX pads values of unlike length."""
        kept = text.strip(ANY)
        if ANY in kept or not kept or (text[0] == ANY and text[-1] == ANY):
            return None
        key = (text[0] == ANY, len(kept))
        if key not in self.prefixes:
            if len(self.prefixes) >= _MOST_MASKS:
                return None
            part = slice(-len(kept), None) if key[0] else slice(len(kept))
            grouped: dict[str, list[int]] = {}
            self.prefixes[key] = grouped
            for i, value in enumerate(self.domain.values):
                if value is not None:
                    grouped.setdefault(value[part], []).append(i)
        return self.prefixes[key].get(kept)


def _tree(domain: OriginalDomain) -> tuple[dict[str, Runs], Mapping[str | None, int]]:
    """The runs under each label of the hierarchy above its leaves, and the lowest level of every label."""
    given = {str(canonical(label)): _places(domain, members) for label, members in domain.label_members.items()}
    if domain.hierarchy is None:
        return given, {}
    hierarchy = domain.hierarchy
    at = np.array([domain.place[canonical(leaf, domain.kind)] for leaf in hierarchy.leaves], np.int64)
    under: dict[str, set[int]] = {}
    levels: dict[str | None, int] = dict.fromkeys(domain.values, 0)
    for h in range(1, hierarchy.height + 1):
        order = np.argsort(hierarchy.up[h], kind="stable")
        parts = np.split(at[order], np.cumsum(hierarchy.leaf_counts(h))[:-1])
        for label, part in zip(hierarchy.levels[h], parts, strict=True):
            under.setdefault(label, set()).update(part.tolist())
            levels.setdefault(label, h)
    levels[ANY] = hierarchy.height
    runs = {label: _joined([(i, i + 1) for i in places]) for label, places in under.items() if label != ANY}
    return given | runs, levels


def _places(domain: OriginalDomain, members: Iterable[str]) -> Runs:
    """Where those of some values stand that the domain has."""
    found = (domain.place.get(canonical(member, domain.kind)) for member in members)
    return _joined([(at, at + 1) for at in found if at is not None])


def _joined(runs: Runs) -> Runs:
    """Put neighbouring and overlapping runs together."""
    found: Runs = []
    for start, stop in sorted(runs):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return found
