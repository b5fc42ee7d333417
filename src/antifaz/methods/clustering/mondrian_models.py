"""Mondrian under any privacy model: every side of a cut is judged before the cut is made.

The way for k-anonymity alone is in the kernels and far faster; where both apply they cut alike.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.counting.classes import ClassTable
from antifaz.counting.groups import sensitive_table
from antifaz.counting.people import People
from antifaz.counting.records import Records
from antifaz.kernels.distribution_split import start_slicing, subtract, trim_all, walk, widest
from antifaz.kernels.mondrian import Space, measure, relative_width, workspace
from antifaz.privacy.model import PrivacyModel, in_order
from antifaz.privacy.people import ByPeople

#: How many places to cut at are judged at once at first; each further time twice as many.
_BATCH = 16

#: Of every sensitive attribute, how often each value occurs.
Counts = Mapping[str, Ints]


class SplitCheck:
    """Says where a part can be cut so that both sides satisfy all models, each as a class of its own.

    A model of the whole table is asked of every side as if it were the table: a table of parts that each keep to a
    threshold keeps to it too.
    """

    def __init__(self, records: Records, models: Sequence[PrivacyModel], k: int) -> None:
        """`k` is the least size of a side; smaller ones are not even judged."""
        self.models = in_order(models)
        self.k = k
        self._sensitive, self.people = records.sensitive, records.people
        #: How many people each side must have, and whether that is all that is asked.
        self._heads = max((model.least for model in models if model.by_people), default=0)
        self._heads_only = all(isinstance(model, ByPeople) and not model.needs_pairs for model in models)
        self._seen, self._mark = np.zeros(0 if self.people is None else self.people.number, np.int64), 1
        # The distribution of the whole table is what sides are compared with.
        self._totals = {
            name: np.bincount(column.codes, minlength=column.domain.size) for name, column in records.sensitive.items()
        }

    def first(self, rows: Ints, places: Ints) -> int:
        """Return the first of the places (how many of the rows go left) at which both sides pass, or -1."""
        places = places[(places >= self.k) & (rows.size - places >= self.k)]
        if self.people is not None:
            places = self._with_enough(self.people.persons[rows], places)
            if self._heads_only:
                return int(places[0]) if places.size else -1
        for place in places:
            at = np.array([place])
            left = self.counts(rows, at)
            whole = {name: cells[-1] for name, cells in left.items()}
            before = {name: cells[:-1] for name, cells in left.items()}
            if self.passes(at, rows.size, before, whole, self._both_sides(rows, int(place)))[0]:
                return int(place)
        return -1

    def _with_enough(self, persons: Ints, places: Ints) -> Ints:
        """Return the places that have enough people on both sides."""
        from antifaz.kernels.people import heads_on_sides

        left, right = np.empty(places.size, np.int64), np.empty(places.size, np.int64)
        heads_on_sides(persons, places, self._seen, self._mark, left, right)
        self._mark += 2
        return places[(left >= self._heads) & (right >= self._heads)]

    def _both_sides(self, rows: Ints, place: int) -> Callable[[], People] | None:
        """Count who is on the left and who on the right, where there is a person key."""
        people = self.people
        right = (np.arange(rows.size) >= place).astype(np.int64)
        return None if people is None else lambda: people.among(rows, right, 2)

    def counts(self, rows: Ints, places: Ints) -> dict[str, Ints]:
        """Count the sensitive values of the rows before each of the places, given in rising order, and of them all."""
        stretch = np.searchsorted(places, np.arange(rows.size), side="right")
        found = {}
        for name, column in self._sensitive.items():
            size = column.domain.size
            cells = np.bincount(stretch * size + column.codes[rows], minlength=(places.size + 1) * size)
            found[name] = np.cumsum(cells.reshape(-1, size), axis=0)
        return found

    def passes(
        self,
        places: Ints,
        size: int,
        left: Counts,
        whole: Counts,
        count_people: Callable[[], People] | None = None,
    ) -> Flags:
        """Say of every place whether both sides pass, of a part of that size.

        `left` counts the sensitive values on every left side, `whole` those of the part; `count_people` the people of
        both sides.
        """
        # The classes are all left sides, and then all right sides.
        tables = {
            name: sensitive_table(column, np.concatenate([left[name], whole[name] - left[name]]), self._totals[name])
            for name, column in self._sensitive.items()
        }
        sizes = np.concatenate([places, size - places])
        table = ClassTable(sizes=sizes, sensitive=tables, count_people=count_people)
        good = np.ones(places.size, np.bool_)
        for model in self.models:
            if model.whole_table:
                alone = [ClassTable(sizes=table.sizes[i : i + 1]) for i in range(table.sizes.size)]
                sides = np.array([bool(model.passes(one)[0]) for one in alone])
            else:
                sides = model.passes(table)
            good &= sides[: places.size] & sides[places.size :]
            if not good.any():
                break
        return good


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelMondrian:
    """Cuts parts as the kernels do, asking all models instead of only counting to k."""

    ranks: Codes
    space: Space
    check: SplitCheck
    split: str
    relaxed: bool

    def parts(self, order: Ints) -> tuple[Ints, int]:
        """Return the part of every record, and how many parts there are; parts keep the given order of records."""
        out = np.empty(order.size, np.int64)
        stack, found = [(order, False)], 0
        while stack:
            rows, done = stack.pop()
            sides = [] if done or rows.size < 2 * self.check.k else self._sides(rows)
            if sides:
                stack.extend(reversed(sides))
            else:
                out[rows] = found
                found += 1
        return out, found

    def _sides(self, rows: Ints) -> list[tuple[Ints, bool]]:
        """Cut a part; return its sides and whether each is known to allow no further cut, or nothing."""
        if self.split == "distribution":
            return _DistributionSplit(self.ranks[rows], rows, self.space, self.check).sides()
        for a, places in self._ways(rows):
            order = np.argsort(self.ranks[rows, a], kind="stable")
            place = self.check.first(rows[order], places)
            if place >= 0:
                # Both sides in the order they had, whatever they were cut by: a relaxed cut goes by it.
                return [(rows[np.sort(order[:place])], False), (rows[np.sort(order[place:])], False)]
        return []

    def _ways(self, rows: Ints) -> Iterator[tuple[int, Ints]]:
        """Yield the attributes to try, best first, each with the places where it may be cut, best first."""
        widths = []
        for a, known in enumerate(self.space.known):
            ranks = self.ranks[rows, a]
            inside = ranks[ranks < known]
            if 0 < inside.size < rows.size:
                yield a, np.array([inside.size])
            distinct = np.unique(inside).size if self.space.category[a] else 0
            ends = (int(inside.min()), int(inside.max())) if inside.size else None
            widths.append(float(relative_width(self.space, a, *ends, distinct)) if ends else 0.0)
        for a in sorted(range(len(widths)), key=lambda a: -widths[a]):
            if widths[a] > 0:
                ranks = np.sort(self.ranks[rows, a])
                middle = ranks[(ranks.size - 1) // 2]
                # How many records go left at the median.
                sides = [np.searchsorted(ranks, middle, "right"), np.searchsorted(ranks, middle, "left")]
                yield a, np.array([(ranks.size + 1) // 2] if self.relaxed else sides)


class _DistributionSplit:
    """A part whose slices come off by the distribution split, for as long as both sides pass.

    Every attribute keeps one order of the part's rows, and the counts of what is left are kept up to date, so that a
    slice costs about what it holds and not what it is cut from. `ranks` has a row per record of the part; `rows` are
    the records' numbers.
    """

    def __init__(self, ranks: Codes, rows: Ints, space: Space, check: SplitCheck) -> None:
        self.ranks, self.rows, self.space, self.check = ranks, rows, space, check
        self.left = rows.size
        work = workspace(space.known.size, 0)
        measure(ranks, 0, rows.size, space.known, work.low, work.high, work.missing)
        self._slicing = start_slicing(ranks, 0, rows.size, space, work)
        self._constant = self._slicing.moments.dead.copy()
        self._whole = self._tally(np.arange(rows.size))
        #: Per attribute with missing values, how many records lack it, and their sensitive values.
        self._missing = {a: int(some) for a, some in enumerate(work.missing) if some}
        self._unknown = {a: self._tally(np.flatnonzero(ranks[:, a] == space.known[a])) for a in self._missing}

    def sides(self) -> list[tuple[Ints, bool]]:
        """Cut pieces off as long as that is possible; return them, and last the rest, marked as final."""
        made: list[tuple[Ints, bool]] = []
        while self.left >= 2 * self.check.k:
            apart = self._missing_apart()
            if apart is not None:
                return [*made, *((self.rows[side], False) for side in apart)]
            piece = self._next()
            if piece is None:
                break
            self._take(piece)
            made.append((self.rows[np.sort(piece)], False))
        return [*made, (self.rows[~self._slicing.gone], True)] if made else []

    def _missing_apart(self) -> tuple[Ints, Ints] | None:
        """Return what is known and what is missing in the first attribute that can be cut so."""
        gone = self._slicing.gone
        for a, unknown in self._unknown.items():
            place = self.left - self._missing[a]
            if self._missing[a] and self.check.k <= place <= self.left - self.check.k and place:
                known = {name: (whole - unknown[name])[None] for name, whole in self._whole.items()}
                missing = self.ranks[:, a] == self.space.known[a]
                sides = np.flatnonzero(~gone & ~missing), np.flatnonzero(~gone & missing)
                if self._passes(sides[0], np.array([place]), known)[0]:
                    return sides
        return None

    def _passes(self, walked: Codes | Ints, places: Ints, left: Counts) -> Flags:
        """Say of places among the rows walked whether both sides pass; where people are counted, up to the first."""
        if self.check.people is None:
            return self.check.passes(places, self.left, left, self._whole)
        others = ~self._slicing.gone
        others[walked] = False
        first = self.check.first(self.rows[np.append(walked, np.flatnonzero(others))], places)
        return np.asarray(places == first, np.bool_)

    def _next(self) -> Codes | None:
        """Return the rows to cut off next: by the widest attribute that can be cut, up to the first good place."""
        moments = self._slicing.moments
        moments.dead[:] = self._constant
        trim_all(self.ranks, 0, self._slicing)
        while (a := widest(moments, self.space)) >= 0:
            piece = self._first(a)
            if piece is not None:
                return piece
            moments.dead[a] = True
        return None

    def _first(self, a: int) -> Codes | None:
        """Return the rows below the first value of an attribute at which both sides pass."""
        walked: list[Codes] = []
        behind: Counts = {name: np.zeros_like(whole) for name, whole in self._whole.items()}
        taken = 0
        for rows, places in self._batches(a):
            cells = self.check.counts(self.rows[rows], places - taken)
            sums = {name: part + behind[name] for name, part in cells.items()}
            walked.append(rows)
            so_far = np.concatenate(walked)
            good = self._passes(so_far, places, {name: part[:-1] for name, part in sums.items()})
            if good.any():
                return so_far[: places[np.argmax(good)]]
            behind, taken = {name: part[-1] for name, part in sums.items()}, taken + rows.size
        return None

    def _batches(self, a: int) -> Iterator[tuple[Codes, Ints]]:
        """Yield rows in an attribute's order, and the places among them where it may be cut, as many as are judged."""
        at, taken, many, k = int(self._slicing.head[a]), 0, _BATCH, self.check.k
        while True:
            places = np.empty(many, np.int64)
            at, found, cuts = walk(self.ranks, 0, a, self._slicing, at, taken, k, self.left - k, places)
            if not cuts:
                return
            yield self._slicing.found[:found].copy(), places[:cuts]
            if cuts < many:
                return
            taken, many = taken + found, many * 2

    def _take(self, piece: Codes) -> None:
        self._slicing.gone[piece] = True
        subtract(self._slicing.moments, self.space, self.ranks[piece], np.zeros(0, np.int32))
        self.left -= piece.size
        gone = self._tally(piece)
        self._whole = {name: part - gone[name] for name, part in self._whole.items()}
        for a in self._missing:
            missing = piece[self.ranks[piece, a] == self.space.known[a]]
            self._missing[a] -= missing.size
            gone = self._tally(missing)
            self._unknown[a] = {name: part - gone[name] for name, part in self._unknown[a].items()}

    def _tally(self, rows: Codes | Ints) -> Counts:
        return {name: cells[-1] for name, cells in self.check.counts(self.rows[rows], np.zeros(0, np.int64)).items()}
