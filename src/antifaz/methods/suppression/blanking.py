"""Which cells are blanked: in which order, until each record matches k, or until k records look the same."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations as subsets
from itertools import islice
from math import isfinite

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.core.errors import ParameterError, hint
from antifaz.counting.frequencies import group_codes
from antifaz.counting.matching import count_matches
from antifaz.risk.keys import check_k

#: So many records for this set of columns.
RequiredCombination = tuple[int, tuple[int, ...]]
Importance = Mapping[str, float] | Sequence[str] | None


def blank_first(importance: Importance, columns: Sequence[str], sizes: Sequence[int]) -> Ints:
    """Return the positions of the columns, the one to be blanked first first.

    `importance` names columns, the most important first, or gives each a number, greater for the more important; those
    not named are the least important. Without it, columns with many values are blanked first: each of their values says
    little of many people, and they are what makes records rare.
    """
    many, last = -np.array(sizes, np.int64), -np.arange(len(columns))
    if importance is None:
        return np.lexsort((last, many))
    if isinstance(importance, str):
        importance = [importance]
    if not isinstance(importance, (Mapping, Sequence)):
        raise ParameterError("method.importance-not-a-list")
    for name in importance:
        if name not in columns:
            raise ParameterError("method.importance-names-unknown-column", name=name, hint=hint(str(name), columns))
    if isinstance(importance, Mapping):
        if not all(isinstance(weight, (int, float)) and isfinite(weight) for weight in importance.values()):
            raise ParameterError("method.importance-not-a-number")
        weights = {name: float(weight) for name, weight in importance.items()}
    else:
        weights = {name: float(len(importance) - place) for place, name in enumerate(importance)}
        if len(weights) < len(importance):
            raise ParameterError("method.importance-names-column-twice")
    least = min(weights.values(), default=0.0) - 1
    return np.lexsort((last, many, np.array([weights.get(name, least) for name in columns])))


def sets_in_order(width: int, most: int) -> list[tuple[int, ...]]:
    """Return the sets of places below `width`, smaller ones first, then those with low places; at most so many.

    The set of all is always among them.
    """
    combinations: list[tuple[int, ...]] = []
    for size in range(1, width + 1):
        if len(combinations) >= most:
            break
        # By their highest place, then the next: the column to be kept longest decides.
        combinations += sorted(islice(subsets(range(width), size), most), key=lambda places: places[::-1])
    combinations = combinations[:most]
    everything = tuple(range(width))
    return combinations if everything in combinations else [*combinations, everything]


def required_combinations(
    what: str, width: int, k: int | None, combinations: Mapping[int, int] | None
) -> list[RequiredCombination]:
    """Return how many records each set of columns must be shared by, the largest sets first; `what` is for errors."""
    if k is None and not combinations:
        raise ParameterError("method.neither-k-nor-combinations", what=what)
    if combinations is not None and not isinstance(combinations, Mapping):
        raise ParameterError("method.combinations-not-a-mapping", what=what)
    by_size = dict(combinations or {})
    if k is not None:
        if width in by_size:
            raise ParameterError("method.combinations-and-k", what=what, width=width)
        by_size[width] = k
    for size in by_size:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= width:
            raise ParameterError("method.combinations-out-of-bounds", what=what, width=width, size=size)
    return [
        (check_k(what, by_size[size]), places)
        for size in sorted(by_size, reverse=True)
        for places in subsets(range(width), size)
    ]


def distinct(codes: Codes, counts: Ints) -> tuple[Codes, Ints, Ints]:
    """The distinct rows of codes, which of them each row is, and the sum of the counts of each."""
    columns = [np.ascontiguousarray(column) + np.int32(1) for column in codes.T]
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    first, group, summed = group_codes(columns, sizes, counts)
    return codes[first], group, summed


#: With more columns than this their sets are too many to try all of them for every tuple.
_WIDE = 12
#: Every rare tuple is compared with all others; beyond this many, only with those of its block.
_MANY, _BLOCK = 2**14, 2**12


def blank_until_matching(codes: Codes, counts: Ints, k: int, first: Ints, *, strictly: bool) -> Codes:
    """Return the codes of distinct tuples (-1 is blank) with cells blanked until each matches k records.

    `first` lists the columns, those to be blanked first first. Of sets of equally many cells that are enough, the one
    that helps most other tuples is blanked, or, `strictly`, the one that `first` prefers. Where tuples are very many,
    those that agree in the columns to be kept longest are dealt with by themselves, in the other columns.
    """
    blanked = np.ascontiguousarray(codes[:, first])
    if counts.size > _MANY:
        for inside, width in _blocks(blanked, np.arange(counts.size), first.size):
            if counts[inside].sum() >= k:
                part = np.ascontiguousarray(blanked[inside, :width])
                blanked[inside, :width] = _blank(part, counts[inside], k, strictly)
    blanked = _blank(blanked, counts, k, strictly)
    released = np.empty_like(blanked)
    released[:, first] = blanked
    return released


def _blocks(codes: Codes, inside: Ints, width: int) -> Iterator[tuple[Ints, int]]:
    """Yield tuples that agree from some column on, and the number of columns before it; blanks belong to no block."""
    if inside.size <= _BLOCK or width == 1:
        yield inside, width
        return
    last = codes[inside, width - 1]
    for value in np.unique(last[last >= 0]):
        yield from _blocks(codes, inside[last == value], width - 1)


def _blank(original: Codes, counts: Ints, k: int, strictly: bool) -> Codes:
    """Blank tuples whose columns are in the order in which they should be blanked."""
    from antifaz.kernels.match_blanking import blank_matching, restore_matching

    blanked, width = original.copy(), original.shape[1]
    matches, _ = count_matches(original, counts)
    below = np.flatnonzero(matches < k)
    # The rarest first: they are blanked in any case, cost few cells, and bring up others that would cost more.
    order = below[np.argsort(matches[below], kind="stable")]
    sets = np.arange(1 << width if width <= _WIDE else 0)
    size = np.array([int(number).bit_count() for number in sets], np.int64)
    preferred = np.lexsort((sets, size))
    blank_matching(blanked, counts, matches, k, order, sets[preferred], size[preferred], strictly)
    # What is to be kept longest is given back first.
    restore_matching(blanked, original, counts, matches, k, order, np.arange(width)[::-1].copy())
    return blanked


def blank_combinations(
    codes: Codes, counts: Ints, asked: list[RequiredCombination], first: Ints, *, strictly: bool
) -> Codes:
    """Return the codes of tuples with cells blanked until each matches what is asked, a blank matching anything.

    A blank never takes a match away, so what was reached for some columns stays so.
    """
    blanked = codes.copy()
    for needed, places in asked:
        part = [place for place in first.tolist() if place in places]
        tuples, group, many = distinct(blanked[:, part], counts)
        blanked[:, part] = blank_until_matching(tuples, many, needed, np.arange(len(part)), strictly=strictly)[group]
    return blanked


#: Sets of columns times tuples that are looked at: more would take much memory.
_MOST = 2**24
#: And so many sets at most: all of those of 12 columns.
_SETS = 2**12
#: Costs up to this many steps are told apart.
_STEPS = 2**20


@dataclass(frozen=True, kw_only=True, eq=False)
class BlankedClasses:
    """Parts of tuples, each of so many records, and the class that each part is released in."""

    tuples: Ints
    many: Ints
    #: -1 is left out.
    classes: Ints
    #: Per class and column, the code that is released, or -1: blank, or missing from the start.
    labels: Codes

    @property
    def sizes(self) -> Ints:
        """The number of records of every class."""
        kept = self.classes >= 0
        counted = np.bincount(self.classes[kept], weights=self.many[kept], minlength=self.labels.shape[0])
        return counted.astype(np.int64)

    def places(self, tuple_of: Ints, random: np.random.Generator) -> Ints:
        """Return for every record which part of its tuple it is in; which of equal records goes where is drawn."""
        drawn = random.permutation(tuple_of.size)
        drawn = drawn[np.argsort(tuple_of[drawn], kind="stable")]
        order = np.argsort(self.tuples, kind="stable")
        parts = np.empty(tuple_of.size, np.int64)
        parts[drawn] = np.repeat(order, self.many[order])
        return parts


def gather_rare(
    codes: Codes, counts: Ints, k: int, first: Ints, *, lend: bool = True, allowed: int = 0
) -> BlankedClasses:
    """Put the records of rare tuples into classes that are blanked alike.

    `lend` says that records of a frequent tuple may be blanked to fill up a class while the others stay as they are.
    Up to `allowed` records are left out where hiding them would blank more cells than they have. Classes of fewer than
    k may remain, where no frequent tuple can spare a record.
    """
    from antifaz.kernels.strict_blanking import gather

    width, few = codes.shape[1], int((counts < k).sum())
    rare, left = counts < k, counts.copy()
    parts: list[tuple[Ints, Ints, Ints]] = []
    made = np.zeros(1, np.int64)
    entries = _entries(codes, rare, first, lend) if few else ()
    for limit in (float(width), float(width * k))[0 if allowed else 1 :] if few else ():
        room = few + min(int(np.maximum(left[~rare] - k, 0).sum()), few * k)
        out = [np.empty(room, np.int64) for _ in range(3)]
        lines = gather(*entries, rare, k, limit, min(8.0, _STEPS / limit), left, made, *out)
        parts.append((out[0][:lines], out[1][:lines], out[2][:lines]))
        if limit == width and allowed:
            # What is left of rare tuples is left out, the rarest first.
            waiting = np.flatnonzero(rare & (left > 0))
            waiting = waiting[np.argsort(left[waiting], kind="stable")]
            gone = waiting[np.cumsum(left[waiting]) <= allowed]
            parts.append((gone, np.full(gone.size, -1, np.int64), left[gone].copy()))
            left[gone] = 0
    rest = np.flatnonzero(left)
    parts.append((rest, made[0] + np.arange(rest.size), left[rest]))
    owners, groups, many = (np.concatenate(part) for part in zip(*parts, strict=True))
    # A class is released as the values that all its tuples share.
    inside = groups >= 0
    low = np.full((int(groups.max(initial=-1)) + 1, width), np.iinfo(np.int32).max, np.int32)
    high = np.full_like(low, -1)
    np.minimum.at(low, groups[inside], codes[owners[inside]])
    np.maximum.at(high, groups[inside], codes[owners[inside]])
    labels = np.where(low == high, low, np.int32(-1))
    return merge_alike(BlankedClasses(tuples=owners, many=many, classes=groups, labels=labels))


def _entries(codes: Codes, rare: Flags, first: Ints, lend: bool) -> tuple[Ints, Ints, Ints]:
    """All gatherings with a rare tuple in them: their tuples one after the other, where each begins, cells blanked."""
    which = np.arange(rare.size) if lend else np.flatnonzero(rare)
    # Every value of every column gets a number of 64 bits that looks random; a tuple's mark is all of them, xored. Two
    # tuples with one mark by chance would only make a gathering that blanks more than was thought: what a class is
    # released as follows from its tuples.
    marks = codes[which].astype(np.int64).view(np.uint64)
    marks = marks + (np.arange(codes.shape[1], dtype=np.uint64) << np.uint64(32))
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        marks = (marks ^ (marks >> np.uint64(30))) * np.uint64(factor)
    marks = marks ^ (marks >> np.uint64(31))
    whole = np.bitwise_xor.reduce(marks, axis=1)
    members, starts, widths = [], [np.zeros(1, np.int64)], []
    at = 0
    for blanked in sets_in_order(first.size, max(1, min(_SETS, _MOST // which.size))):
        # What is left of a tuple's mark without some columns is equal where the other columns are.
        left = whole ^ np.bitwise_xor.reduce(marks[:, first[list(blanked)]], axis=1)
        order = np.argsort(left, kind="stable")
        begins = np.flatnonzero(np.append(True, np.diff(left[order]) != 0))
        sizes = np.diff(np.append(begins, order.size))
        # A tuple by itself gains nothing by being blanked.
        worth = (np.add.reduceat(rare[which[order]], begins, dtype=np.int64) > 0) & (sizes > 1)
        members.append(which[order[np.repeat(worth, sizes)]])
        starts.append(at + np.cumsum(sizes[worth]))
        widths.append(np.full(int(worth.sum()), len(blanked), np.int64))
        at += members[-1].size
    return np.concatenate(members), np.concatenate(starts), np.concatenate(widths)


def merge_alike(parts: BlankedClasses) -> BlankedClasses:
    """Make classes that are released alike one."""
    if not parts.labels.size:
        return parts
    labels, group, _ = distinct(parts.labels, np.ones(parts.labels.shape[0], np.int64))
    return replace(parts, classes=np.where(parts.classes >= 0, group[parts.classes], -1), labels=labels)


def merge_failing(parts: BlankedClasses, passes: Callable[[BlankedClasses], Flags]) -> BlankedClasses:
    """Join every class that does not pass with the one that it costs fewest cells to look like, until all pass.

    What does not pass as one single class is returned so.
    """
    while not (fine := passes(parts)).all() and fine.size > 1:
        failing = np.flatnonzero(~fine)
        labels, sizes = parts.labels.copy(), parts.sizes
        into, alive, joined = np.arange(sizes.size), np.ones(sizes.size, np.bool_), np.zeros(sizes.size, np.bool_)
        for f in failing[np.argsort(sizes[failing], kind="stable")].tolist():
            if joined[f]:
                continue
            differs = labels != labels[f]
            cost = sizes * (differs & (labels >= 0)).sum(axis=1) + sizes[f] * (differs & (labels[f] >= 0)).sum(axis=1)
            cost[f] = cost[~alive] = np.iinfo(np.int64).max
            other = int(np.argmin(cost))
            labels[other] = np.where(labels[other] == labels[f], labels[f], -1)
            sizes[other] += sizes[f]
            into[into == f] = other
            alive[f], joined[f], joined[other] = False, True, True
        classes = np.where(parts.classes >= 0, (np.cumsum(alive) - 1)[into[parts.classes]], -1)
        parts = merge_alike(replace(parts, classes=classes, labels=labels[alive]))
    return parts
