"""Which records of two releases are of the same people, and what proves it.

Each identifier by itself and all together, whatever their columns are called; where there is none, the columns that
both tables share. Identifiers that run from 1 are the same in any two tables: they count where the data set has the
same name, or where at least two other columns agree beyond chance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from antifaz.core.arrays import Flags, Ints
from antifaz.core.messages import Message
from antifaz.core.values import canonical
from antifaz.ledger.attacks import chance_agreement
from antifaz.ledger.entry import Entry
from antifaz.ledger.hashing import MISSING, Hashes, mix_hashes, occurrences

#: A column tells people apart if at least this share of its cells occur once.
UNIQUE = 0.9
#: Cells of two tables agree where Cohen's kappa, agreement beyond chance, is above the first; they have nothing to do
#: with each other where it is below the second.
AGREE, UNRELATED = 0.5, 0.2
#: Records without identifiers are of the same people if so many times more agree than by chance, and this share of the
#: smaller table; and so many columns must be shared.
TIMES_CHANCE, SHARE, COLUMNS = 10, 0.1, 3
#: Two columns with other names are one if so much of their values is the same, and they have so many; at most so many
#: pairs are looked at.
_ALIKE, _VALUES, _PAIRS = 0.5, 4, 1000


@dataclass(frozen=True, kw_only=True, eq=False)
class Recognition:
    """Whom of a new release an earlier one has too."""

    #: For every record of the new release its place in the old one; -1 where that has no record of the person.
    places: Ints
    #: The columns of the new release that people were recognized by.
    by: tuple[str, ...] = ()
    #: What could not be compared though the people may be the same.
    doubt: Message | None = None

    @property
    def found(self) -> bool:
        """Whether anybody is in both."""
        return bool((self.places >= 0).any())


def recognize(new: Entry, old: Entry, *, same_dataset: bool, release: str) -> Recognition:
    """Find the people of the new release in an earlier one, called `release`."""
    shared = _shared_columns(new, old)
    certain, series = _by_identifiers(new, old, certain=True), _by_identifiers(new, old, certain=False)
    if certain.found:
        return _with_namesakes(certain, new, old, shared)
    if series.found:
        agreement = [_kappa(new, old, pair, series.places) for pair in shared if pair[0] not in new.identifiers]
        proven = sum(kappa > AGREE for kappa in agreement) >= 2
        renumbered = len(agreement) >= 2 and max(agreement) <= UNRELATED
        if proven or (same_dataset and not renumbered):
            return _with_namesakes(series, new, old, shared)
    records = _by_records(new, old, shared, same_dataset=same_dataset, release=release)
    if records.found or records.doubt or not series.found:
        return records
    common = int((series.places >= 0).sum())
    if 2 * common < min(new.rows, old.rows):
        return records
    doubt = Message("warning.ledger-same-numbers", release=release, columns=list(series.by), shared=common)
    return Recognition(places=_nobody(new), doubt=doubt)


def _nobody(new: Entry) -> Ints:
    return np.full(new.rows, -1, np.int64)


# -- by identifiers


@dataclass(frozen=True, kw_only=True, eq=False)
class _Key:
    """What people are known by: one identifier, or all of them together."""

    columns: tuple[str, ...]
    cells: Hashes
    series: bool

    def once(self) -> Flags:
        """Say of each record whether nobody else has its value."""
        ordered, back, counts = np.unique(self.cells, return_inverse=True, return_counts=True)
        return (counts[back] == 1) & (self.cells != MISSING) if ordered.size else np.zeros(0, np.bool_)

    @property
    def values(self) -> Hashes:
        """The values that occur."""
        return np.setdiff1d(self.cells, np.array([MISSING], np.uint64))


def _keys(entry: Entry) -> Iterator[_Key]:
    names = [name for name in entry.identifiers if name in entry.columns]
    for name in names:
        yield _Key(columns=(name,), cells=entry.columns[name].cells, series=name in entry.series)
    if len(names) > 1:
        together = np.zeros(entry.rows, np.uint64)
        for name in names:  # a sum, so that the order of the columns is no matter
            together += mix_hashes(np.zeros(1, np.uint64), entry.columns[name].cells)
        yield _Key(columns=tuple(names), cells=together, series=set(names) <= set(entry.series))


def _by_identifiers(new: Entry, old: Entry, *, certain: bool) -> Recognition:
    """Recognize people by identifiers that tell them apart: those that prove it, or running series."""
    matches: list[tuple[int, tuple[str, ...], Ints]] = []
    for ours, theirs in product(_keys(new), _keys(old)):
        if (ours.series or theirs.series) == certain or not np.intersect1d(ours.values, theirs.values).size:
            continue
        once, once_there = ours.once(), theirs.once()
        if min(_share(once), _share(once_there)) < UNIQUE:
            continue
        places = _places_among(ours.cells, theirs.cells)
        places[(places >= 0) & ~(once & once_there[np.maximum(places, 0)])] = -1
        matches.append((int((places >= 0).sum()), ours.columns, places))
    matches.sort(key=lambda match: -match[0])
    places, by = _nobody(new), dict[str, None]()
    for _, columns, found_places in matches:
        taken = np.zeros(old.rows, np.bool_)
        taken[places[places >= 0]] = True
        more = (places < 0) & (found_places >= 0)
        more[more] = ~taken[found_places[more]]
        if more.any():
            places[more] = found_places[more]
            by |= dict.fromkeys(columns)
    return Recognition(places=places, by=tuple(by))


def _with_namesakes(recognition: Recognition, new: Entry, old: Entry, shared: Sequence[tuple[str, str]]) -> Recognition:
    """Pair those whose identifier others have too, where all else that the tables share is the same."""
    if not any(one in new.identifiers and other in old.identifiers for one, other in shared):
        return recognition
    ours = np.flatnonzero(recognition.places < 0)
    theirs = np.setdiff1d(np.arange(old.rows), recognition.places)
    sides = [
        new.record_hashes([one for one, _ in shared])[ours],
        old.record_hashes([other for _, other in shared])[theirs],
    ]
    our_hashes, their_hashes = (mix_hashes(side, occurrences(side).astype(np.uint64)) for side in sides)
    among = _places_among(our_hashes, their_hashes)
    places = recognition.places.copy()
    places[ours[among >= 0]] = theirs[among[among >= 0]]
    return replace(recognition, places=places)


def _share(flags: Flags) -> float:
    return float(flags.mean()) if flags.size else 0.0


def _places_among(ours: Hashes, theirs: Hashes) -> Ints:
    """Return for every hash its place among the known ones, -1 where it is not there."""
    if not theirs.size:
        return np.full(ours.size, -1, np.int64)
    order = np.argsort(theirs, kind="stable")
    near = np.minimum(np.searchsorted(theirs[order], ours), theirs.size - 1)
    places: Ints = order[near]
    return np.where(theirs[places] == ours, places, -1)


# -- by what the tables share


def _shared_columns(new: Entry, old: Entry) -> list[tuple[str, str]]:
    """Pair the columns of two tables: by their names, and the others by their values."""
    own, others = ([name for name in entry.columns if name not in entry.changed] for entry in (new, old))
    named = {_name(name): name for name in others}
    pairs = [(name, named[_name(name)]) for name in own if _name(name) in named]
    ours = [name for name in own if name not in {one for one, _ in pairs}]
    theirs = [name for name in others if name not in {other for _, other in pairs}]
    few = len(ours) * len(theirs) <= _PAIRS
    alike = sorted(((_alike(new, old, pair), pair) for pair in product(ours, theirs) if few), reverse=True)
    for share, (one, other) in alike:
        if share > _ALIKE and all(one != a and other != b for a, b in pairs):
            pairs.append((one, other))
    return pairs


def _name(name: str) -> str:
    return (canonical(name) or "").casefold()


def _alike(new: Entry, old: Entry, pair: tuple[str, str]) -> float:
    """Return the share of values that two columns have in common."""
    ours, theirs = new.columns[pair[0]].hashes, old.columns[pair[1]].hashes
    if min(ours.size, theirs.size) < _VALUES or pair[0] in new.series or pair[1] in old.series:
        return 0.0
    common = np.intersect1d(ours, theirs).size
    return float(common / (ours.size + theirs.size - common))


def _kappa(new: Entry, old: Entry, pair: tuple[str, str], places: Ints) -> float:
    """Return how far two columns agree beyond chance in the records that are taken for one person's."""
    there = places >= 0
    ours, theirs = new.columns[pair[0]].cells[there], old.columns[pair[1]].cells[places[there]]
    chance = chance_agreement(ours, theirs)
    return 0.0 if chance >= 1 else (float((ours == theirs).mean()) - chance) / (1 - chance)


def _by_records(
    new: Entry, old: Entry, shared: Sequence[tuple[str, str]], *, same_dataset: bool, release: str
) -> Recognition:
    """Recognize records by the columns that both tables share; of equal ones the first is the first, and so on."""
    people = _have_people_in_common(new, old)
    both_known = bool(set(new.identifiers) - set(new.series)) and bool(set(old.identifiers) - set(old.series))
    if not shared:
        known = same_dataset or people
        doubt = Message("warning.ledger-shares-no-column", release=release) if known else None
        return Recognition(places=_nobody(new), doubt=doubt)
    by = tuple(one for one, _ in shared)
    if people or (same_dataset and not both_known):
        places = _record_places(new, old, shared)
        missed = people and not (places >= 0).any()
        doubt = Message("warning.ledger-people-have-several-records", release=release) if missed else None
        return Recognition(places=places, by=by, doubt=doubt)
    plain = [pair for pair in shared if pair[0] not in new.identifiers and pair[1] not in old.identifiers]
    if len(plain) < COLUMNS:
        return Recognition(places=_nobody(new))
    agreeing, expected = _agreeing(new, old, plain)
    if agreeing < 3 or agreeing <= TIMES_CHANCE * expected:
        return Recognition(places=_nobody(new))
    if not both_known and agreeing >= SHARE * min(new.rows, old.rows):
        return Recognition(places=_record_places(new, old, plain), by=tuple(one for one, _ in plain))
    columns = [one for one, _ in plain]
    doubt = Message("warning.ledger-records-agree", release=release, shared=agreeing, columns=columns)
    return Recognition(places=_nobody(new), doubt=doubt)


def _have_people_in_common(new: Entry, old: Entry) -> bool:
    """Say whether some identifier that proves it has a value in both, also where people have several records."""
    return any(
        not (ours.series or theirs.series)
        and _share(ours.once()) < UNIQUE
        and np.intersect1d(ours.values, theirs.values).size
        for ours, theirs in product(_keys(new), _keys(old))
    )


def _record_places(new: Entry, old: Entry, shared: Sequence[tuple[str, str]]) -> Ints:
    sides = [new.record_hashes([one for one, _ in shared]), old.record_hashes([other for _, other in shared])]
    ours, theirs = (mix_hashes(side, occurrences(side).astype(np.uint64)) for side in sides)
    return _places_among(ours, theirs)


def _agreeing(new: Entry, old: Entry, shared: Sequence[tuple[str, str]]) -> tuple[int, float]:
    """Count the records that occur once in either table and agree, and how many would if columns were independent."""
    ours, theirs = new.record_hashes([one for one, _ in shared]), old.record_hashes([other for _, other in shared])
    once, once_there = (_Key(columns=(), cells=side, series=False).once() for side in (ours, theirs))
    agreeing = int(np.intersect1d(ours[once], theirs[once_there]).size)
    chance = np.full(int(once.sum()), float(old.rows))
    for one, other in shared:
        column = old.columns[other]
        shares = np.bincount(column.codes, minlength=column.hashes.size) / max(old.rows, 1)
        places = _places_among(new.columns[one].cells[once], column.hashes)
        chance *= np.where(places >= 0, shares[np.maximum(places, 0)], 0.0)
    return agreeing, float(np.minimum(chance, 1.0).sum())
