"""Who was in the data that a table was made from: membership inference and nearest records, with a hold-out.

A hold-out are people like those of the original who had no part in the release. What a release keeps of single people
shows in that its records lie nearer to the original than to the hold-out.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.messages import Message
from antifaz.counting.frequencies import group_codes
from antifaz.risk.attacks.run import result, wilson
from antifaz.risk.attacks.tables import BLANK, SOME, AttackColumn, AttackTables

#: Of larger tables so many released records, or people of each side, are drawn.
MOST_RECORDS, MOST_PEOPLE = 100_000, 20_000
#: The shares of people that the attackers take for members, those nearest to some record, with the attacks' names.
_ATTACKERS = {"membership by the nearest half": 0.5, "membership by the nearest twentieth": 0.05}
#: The 97.5 % point of the normal distribution.
_Z = 1.959963984540054


def try_membership(tables: AttackTables, attacks: int, seed: int) -> list[dict[str, Any]]:
    """Try to tell people of the original from those of the hold-out (`control`) by their nearest released record.

    Equally many of both are drawn. Each attacker takes a share of them all for members, those who lie nearest; of
    people who are equally near, each in part. Success is the share of members so taken, control that of the hold-out.
    """
    random = np.random.default_rng([abs(seed), *b"membership"])
    space = _Space(tables.columns)
    number = min(attacks, _rows(tables, "original"), tables.control)
    records = space.records(_drawn(tables.records, MOST_RECORDS, random))
    members = space.people("original", _drawn(_rows(tables, "original"), number, random))
    others = space.people("control", _drawn(tables.control, number, random))
    far = space.nearest_records(np.concatenate([members, others]), records)[:, 0]
    results = []
    for name, share in _ATTACKERS.items():
        taken = _nearest_share(far, share)
        reading = partial(Message, "attack.tells-members", share=Message("attack.percent", share=100 * share))
        attempts, control = taken[:number].tolist(), taken[number:].tolist()
        results.append(result(name, attempts, control, share, reading=reading, seed=seed))
    return results


def _nearest_share(far: Floats, share: float) -> Floats:
    """Return how far each is taken for a member: the nearest wholly, and those at the edge in equal parts."""
    enough = share * far.size
    edge = np.sort(far)[max(math.ceil(enough - 1e-9) - 1, 0)]
    within, tied = far < edge, far == edge
    return np.where(within, 1.0, np.where(tied, (enough - within.sum()) / tied.sum(), 0.0))


def nearest_people_measures(tables: AttackTables, number: int, seed: int) -> dict[str, Any]:
    """Measure how near released records lie to the original and to as many people of the hold-out.

    Distances are means over the columns, from 0 to 1; the ratio is that of the nearest to the second nearest person
    (1 where both are 0). `closer_to_original` is the share of records whose nearest person is of the original;
    `chance_interval` is where it lies in 95 of 100 cases if it is by lot who is of the original.
    """
    random = np.random.default_rng([abs(seed), *b"nearest"])
    space = _Space(tables.columns)
    size = min(_rows(tables, "original"), tables.control, MOST_PEOPLE)
    records = space.records(_drawn(tables.records, number, random))
    own = space.people("original", _drawn(_rows(tables, "original"), size, random))
    others = space.people("control", _drawn(tables.control, size, random))
    (far, _), (far_out, _) = space.nearest_people(own, records), space.nearest_people(others, records)
    owned = space.nearest_people(np.concatenate([own, others]), records)[1]
    closer = float(owned[:size].sum() / len(records))
    # Drawing `size` of twice as many people without putting any back: the variance of the sum of what they own.
    deviation = math.sqrt(size / 2 * float(np.var(owned, ddof=1))) / len(records)
    ends = [max(0.5 - _Z * deviation, 0.0), min(0.5 + _Z * deviation, 1.0)]
    return {
        "records": len(records), "people": size, "columns": [column.name for column in tables.columns],
        "distance": {"original": _summary(far[:, 0], zero=True), "holdout": _summary(far_out[:, 0], zero=True)},
        "ratio": {"original": _summary(_ratios(far)), "holdout": _summary(_ratios(far_out))},
        "closer_to_original": closer, "chance": 0.5, "chance_interval": ends, "beyond_chance": closer > ends[1],
        "seed": seed,
    }  # fmt: skip


def holdout_warnings(tables: AttackTables) -> list[Message]:
    """Warn where more people of the hold-out are in the original, value for value, than twins in it explain."""
    sizes = [column.values.size for column in tables.columns]
    both = [np.concatenate([c.original, c.control]) for c in tables.columns if c.control is not None]
    rows = _rows(tables, "original")
    _, group, _ = group_codes(both, sizes, np.ones(both[0].size, np.int64))
    own = np.bincount(group[:rows], minlength=int(group.max()) + 1)
    hits, twins = int((own[group[rows:]] > 0).sum()), int((own[group[:rows]] > 1).sum())
    if wilson(hits / tables.control, tables.control)[0] > wilson(twins / rows, rows)[1]:
        return [Message("warning.holdout-in-original", number=hits, rows=tables.control)]
    return []


def _rows(tables: AttackTables, side: str) -> int:
    return int(getattr(tables.columns[0], side).size)


def _drawn(rows: int, number: int, random: np.random.Generator) -> Ints:
    return np.sort(random.choice(rows, min(rows, number), replace=False))


def _summary(values: Floats, *, zero: bool = False) -> dict[str, float | None]:
    """Return the 5th percentile and the median, and the share of those that are 0."""
    known = values[np.isfinite(values)]
    low, middle = np.quantile(known, [0.05, 0.5]).tolist() if known.size else (None, None)
    return {"p05": low, "median": middle} | ({"zero": float((values == 0).mean())} if zero else {})


def _ratios(far: Floats) -> Floats:
    """Return nearest by second nearest; not a number where nobody is second."""
    nearest, second = far[:, 0], far[:, 1]
    ratios = np.divide(nearest, second, out=np.ones_like(nearest), where=second > 0)
    return np.where(np.isinf(second), np.nan, ratios)


class _Space:
    """The columns in the form that the kernels measure distances in."""

    def __init__(self, columns: Sequence[AttackColumn]) -> None:
        self._columns = columns
        self._scaled: Flags = np.array([column.scaled for column in columns])
        sizes = [column.labels.size for column in columns]
        self._base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        cells = [np.stack([c.labels.low / c.width, c.labels.high / c.width, c.labels.states], axis=1) for c in columns]
        self._labels = np.ascontiguousarray(np.concatenate(cells), np.float64)
        many, members = zip(*(_covered(column) for column in columns), strict=True)
        self._covers = np.concatenate([[0], np.cumsum(np.concatenate(many))]).astype(np.int64)
        self._members = np.concatenate(members).astype(np.int64)

    def people(self, side: str, rows: Ints) -> Floats:
        """Return people of the original or the hold-out: places on a scale in ranges of the column, or codes."""
        values = [c.people(getattr(c, side)[rows]) / (c.width if c.scaled else 1) for c in self._columns]
        return np.ascontiguousarray(np.stack(values, axis=1), np.float64)

    def records(self, rows: Ints) -> Codes:
        """Return released records as codes of labels."""
        return np.ascontiguousarray(np.stack([c.released[rows] for c in self._columns], axis=1), np.int32)

    def nearest_records(self, people: Floats, records: Codes) -> Floats:
        """Return the mean distance of each person's nearest and second nearest record."""
        from antifaz.kernels.record_distances import nearest_records

        return np.asarray(nearest_records(people, records, *self._form)) / len(self._columns)

    def nearest_people(self, people: Floats, records: Codes) -> tuple[Floats, Floats]:
        """Return the mean distance of each record's nearest and second nearest person, and the records per person."""
        from antifaz.kernels.record_distances import nearest_people

        far, owned = nearest_people(people, records, *self._form)
        return np.asarray(far) / len(self._columns), np.asarray(owned)

    @property
    def _form(self) -> tuple[Flags, Ints, Floats, Ints, Ints]:
        return self._scaled, self._base, self._labels, self._covers, self._members


def _covered(column: AttackColumn) -> tuple[Ints, Ints]:
    """Return how many categories each label covers, and these one after another; a blank covers what is missing."""
    many = np.zeros(column.labels.size, np.int64)
    if column.scaled:
        return many, np.empty(0, np.int64)
    parts = []
    for label, state in enumerate(column.labels.states.tolist()):
        missing = [column.values.size - 1] if state == BLANK else []
        parts.append(column.members(label) if state == SOME else np.array(missing, np.int64))
        many[label] = parts[-1].size
    return many, np.concatenate([*parts, np.empty(0, np.int64)])
