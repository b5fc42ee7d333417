"""Privacy models while groups grow: which groups pass, and which sensitive values would bring one nearer to passing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.records import Records, SensitiveColumn
from antifaz.privacy.model import PrivacyModel, in_order

Ints = NDArray[np.int64]
#: With more kinds than this, each is not tried one by one.
_TRIED = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class Limits:
    """The models that judge a single group by its sensitive values.

    Records with the same sensitive values are of one kind; a group is judged by its count of every kind.
    """

    models: tuple[PrivacyModel, ...]
    #: The kind of every record; per sensitive attribute, the value's code of every kind.
    kinds: Ints
    codes: dict[str, NDArray[np.int32]]
    held: dict[str, SensitiveColumn]
    #: Per sensitive attribute, how often every value occurs in the whole table.
    totals: dict[str, Ints]

    @property
    def many(self) -> int:
        """The number of kinds."""
        return int(next(iter(self.codes.values())).size)

    def of(self, rows: Ints) -> Limits:
        """Return the same limits for some of the records."""
        return replace(self, kinds=self.kinds[rows])

    def passes(self, counts: Ints) -> NDArray[np.bool_]:
        """Say of every group, a line of counts by kind, whether all models pass it."""
        tables = {name: self._table(name, counts) for name in self.codes}
        table = ClassTable(sizes=counts.sum(axis=1), sensitive=tables)
        good = np.ones(counts.shape[0], np.bool_)
        for model in self.models:
            good &= model.passes(table)
        return good

    def wanted(self, counts: Ints, left: Ints) -> NDArray[np.bool_]:
        """Return the kinds, of those that are left, with one more of which a group would pass.

        If there is none, those with a value that is rarer in the group than in the table: they bring the group's
        distribution nearer to that of the table, which every model here is content with.
        """
        if self.many <= _TRIED:
            good = self.passes(counts + np.eye(self.many, dtype=np.int64)) & (left > 0)
            if good.any():
                return good
        lack = np.zeros(self.many)
        for name, codes in self.codes.items():
            totals = self.totals[name]
            mine = np.bincount(codes, weights=counts, minlength=totals.size)
            lack += np.maximum((totals / totals.sum() - mine / counts.sum())[codes], 0.0)
        return np.asarray((lack > 0) & (left > 0))

    def _table(self, name: str, counts: Ints) -> SensitiveTable:
        totals, codes = self.totals[name], self.codes[name]
        cells = np.zeros((counts.shape[0], totals.size), np.int64)
        np.add.at(cells.T, codes, counts.T)
        owner, values = np.nonzero(cells)
        return SensitiveTable(
            offsets=np.searchsorted(owner, np.arange(counts.shape[0] + 1)),
            values=values.astype(np.int32),
            counts=cells[owner, values],
            totals=totals,
            labels=self.held[name].domain.labels,
            up=self.held[name].up,
        )


def make_limits(records: Records, models: Sequence[PrivacyModel]) -> Limits | None:
    """Return the limits that a group must keep to while it grows; None where its size is all that matters.

    Models that need a population or the table as a whole can't be asked about one group.
    """
    asked = [
        model
        for model in in_order(models)
        if model.needs_sensitive and not model.whole_table and model.population_path is None
    ]
    names = sorted({name for model in asked for name in model.sensitive()})
    if not names or not records.rows:
        return None
    held = {name: records.sensitive[name] for name in names}
    codes, kinds = np.unique(np.stack([held[name].codes for name in names]), axis=1, return_inverse=True)
    return Limits(
        models=tuple(asked),
        kinds=kinds.reshape(-1).astype(np.int64),
        codes=dict(zip(names, codes, strict=True)),
        held=held,
        totals={name: np.bincount(part.codes, minlength=part.domain.size) for name, part in held.items()},
    )
