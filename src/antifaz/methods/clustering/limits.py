"""What groups must keep to while they grow: the models that judge a single group by its sensitive values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.records import Records, SensitiveColumn
from antifaz.kernels.diverse_growing import EXCHANGE, GROW, SPARE, few_codes
from antifaz.privacy.model import PrivacyModel, in_order

#: With more kinds than this, each is not tried one by one.
_TRIED = 256
#: Where groups need some different values, so many times as many are told apart.
_MARGIN = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Limits:
    """The models that judge a single group by its sensitive values.

    Records with the same sensitive values are of one kind; a group is judged by the kinds of its records.
    """

    models: tuple[PrivacyModel, ...]
    #: The kind of every record; per sensitive attribute, the value's code of every kind (one of few, where `needs`).
    kinds: Ints
    codes: dict[str, Codes]
    columns: dict[str, SensitiveColumn]
    #: Per sensitive attribute, how often every value occurs in the whole table.
    totals: dict[str, Ints]
    #: How many different values a group needs of every sensitive attribute; None where models ask for more.
    needs: Ints | None

    @property
    def many(self) -> int:
        """The number of kinds."""
        return int(next(iter(self.codes.values())).size)

    @property
    def monotone(self) -> bool:
        """Whether a group that passes does so with any record more."""
        return all(model.monotone_suppression for model in self.models)

    @property
    def ways(self) -> tuple[int, ...]:
        """The ways to get sensitive values that a group lacks; see `kernels.diverse_growing`."""
        return (EXCHANGE, SPARE) if self.needs is None else (EXCHANGE, SPARE, GROW)

    def of(self, rows: Ints) -> "Limits":
        """Return the same limits for some of the records."""
        return replace(self, kinds=self.kinds[rows])

    def passes(self, owners: Ints, kinds: Ints, count: int, times: Ints | None = None) -> Flags:
        """Say of every group whether all models pass it, given the group and the kind of every record.

        With `times`, each stands for so many records.
        """
        table = self._class_table(owners, kinds, count, np.ones(kinds.size, np.int64) if times is None else times)
        return np.asarray(np.logical_and.reduce([model.passes(table) for model in self.models]))

    def passed(self, kinds: Ints) -> bool:
        """Say whether all models pass a group, given the kinds of its records."""
        return bool(self.passes(np.zeros(kinds.size, np.int64), kinds, 1)[0])

    def _class_table(self, owners: Ints, kinds: Ints, count: int, times: Ints) -> ClassTable:
        tables = {}
        for name, codes in self.codes.items():
            column, totals = self.columns[name], self.totals[name]
            cells, at = np.unique(owners * totals.size + codes[kinds], return_inverse=True)
            owner, values = np.divmod(cells, totals.size)
            counts = np.bincount(at, times, cells.size).astype(np.int64)
            tables[name] = SensitiveTable(
                offsets=np.searchsorted(owner, np.arange(count + 1)), values=values.astype(np.int32), counts=counts,
                totals=totals, labels=column.domain.labels, up=column.up,
            )  # fmt: skip
        return ClassTable(sizes=np.bincount(owners, times, count).astype(np.int64), sensitive=tables)

    def wanted(self, kinds: Ints, left: Ints) -> Flags:
        """Return which of the kinds that are left make a group pass when one more record of them joins it.

        If there is none, those with a value that is rarer in the group than in the table, of the attributes that do not
        pass: they bring the group's distribution nearer to that of the table, which every model here is content with.
        """
        if self.many <= _TRIED:
            own, times = np.unique(kinds, return_counts=True)
            every = np.arange(self.many)
            trial, owners = np.append(np.tile(own, self.many), every), np.append(np.repeat(every, own.size), every)
            times = np.append(np.tile(times, self.many), np.ones(self.many, np.int64))
            good = self.passes(owners, trial, self.many, times) & (left > 0)
            if good.any():
                return good
        table = self._class_table(np.zeros(kinds.size, np.int64), kinds, 1, np.ones(kinds.size, np.int64))
        failing = {name for model in self.models if not model.passes(table)[0] for name in model.sensitive()}
        lack = np.zeros(self.many)
        for name in failing or self.codes:
            codes, totals = self.codes[name], self.totals[name]
            mine = np.bincount(codes[kinds], minlength=totals.size)
            lack += np.maximum((totals / totals.sum() - mine / kinds.size)[codes], 0.0)
        return np.asarray((lack > 0) & (left > 0))


def make_limits(records: Records, models: Sequence[PrivacyModel]) -> Limits | None:
    """Return the limits that a group must keep to while it grows; None where its size is all that matters.

    Models that need a population or the table as a whole can't be asked about one group.
    """
    asked = [
        model
        for model in in_order(models)
        if model.needs_sensitive and model.sensitive() and not model.whole_table and model.population_path is None
    ]
    names = sorted({name for model in asked for name in model.sensitive()})
    if not names or not records.rows:
        return None
    columns = {name: records.sensitive[name] for name in names}
    needs = _needs(asked, names)
    per_column = [columns[name].codes for name in names]
    if needs is not None:
        per_column = [few_codes(codes, _MARGIN * int(need)) for codes, need in zip(per_column, needs, strict=True)]
    codes, kinds = np.unique(np.stack(per_column), axis=1, return_inverse=True)
    return Limits(
        models=tuple(asked),
        kinds=kinds.reshape(-1).astype(np.int64),
        codes=dict(zip(names, codes, strict=True)),
        columns=columns,
        totals={name: np.bincount(part.codes, minlength=part.domain.size) for name, part in columns.items()},
        needs=needs,
    )


def _needs(models: Sequence[PrivacyModel], names: Sequence[str]) -> Ints | None:
    needs = dict.fromkeys(names, 0)
    for model in models:
        if model.different_values is None:
            return None
        for name in model.sensitive():
            needs[name] = max(needs[name], model.different_values)
    return np.array([*needs.values()], np.int64)
