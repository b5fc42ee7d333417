"""How far values were generalized: loss and levels, of a release and of any two tables."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.arrays import Floats, Ints
from antifaz.core.roles import Role
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.released_table import Extents
from antifaz.counting.rollup import Ladder
from antifaz.utility.ncp import penalties
from antifaz.utility.pair import PairColumn, TablePair, mean_known, read_pair
from antifaz.utility.quality import Aggregate, AttributeQuality, Quality, cut, outer, widest_below


class Loss(AttributeQuality):
    """The share of its domain that a released value covers, aggregated over attributes."""

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "How much of its attribute's domain a released value covers, on average."
    details: ClassVar[str] = (
        "0: nothing is generalized; 1: everything is released as 'anything' or left out. A released value loses the "
        "share of the hierarchy's leaves under it, a record left out loses all, and the share that an untouched value "
        "has anyway is taken off. The same figure as ARX's Loss, so that results compare."
    )
    formula: ClassVar[str] = "(Π over attributes (1 + x))^(1/m) − 1, x = (Σ shares + suppressed − N/d) / (N − N/d)"
    source: ClassVar[str] = "V. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002"

    aggregate: Aggregate = Field(default="geometric-mean", description="How the losses of the attributes become one.")

    def losses(self, table: Generalization) -> list[float]:
        """Return the loss of every attribute."""
        left_out = table.suppressed * self.suppressed_weight
        sums = zip(table.ladders, table.sums(lambda ladder, level: ladder.shares[level]), strict=True)
        return [self._normalized(s * self.generalized_weight + left_out, table.rows, ladder) for ladder, s in sums]

    def least(self, ladder: Ladder, level: int, records: Ints, allowed: int) -> float:
        """Return the loss with nobody left out, or where that costs less, with whoever would cost more left out."""
        shares = ladder.shares[level] * self.generalized_weight
        if allowed:
            shares = np.minimum(shares, self.suppressed_weight)
        # Not `np.dot`: of long vectors it wakes the threads of BLAS, which then keep a processor busy waiting for more.
        return self._normalized(float((records * shares).sum()), int(records.sum()), ladder)

    def added(self, ladder: Ladder, level: int, rows: int) -> Floats | None:
        """Return what leaving a record out costs more than its widest label would."""
        if self.suppressed_weight * ladder.leaves < self.generalized_weight:
            return None  # losses below that of an untouched table count as none, whoever is left out
        more = self.suppressed_weight - self.generalized_weight * widest_below(ladder, level)
        whole = rows - rows / ladder.leaves * self.generalized_weight
        return self.weight(ladder.column) * np.maximum(more, 0) / whole if whole else np.zeros_like(more)

    def _normalized(self, total: float, rows: int, ladder: Ladder) -> float:
        least = rows / ladder.leaves * self.generalized_weight
        return 0.0 if rows == least else cut(max(0.0, (total - least) / (rows - least)))


def height(table: Generalization) -> float:
    """Return the mean over records of the summed share of each hierarchy that was climbed (0 to the number of QIs)."""
    return sum(Precision().losses(table))


def precision(table: Generalization) -> float:
    """Return 1 minus the mean share of each hierarchy that was climbed: 1 is untouched (Sweeney 2002)."""
    return 1 - height(table) / len(table.ladders) if table.ladders else 1.0


class LevelSum(Quality):
    """The sum of the levels; `height` in the evidence is another figure: shares of hierarchies, see the function."""

    name: ClassVar[str] = "height"
    summary: ClassVar[str] = "The sum of the levels: the plainest measure, blind to the data."
    details: ClassVar[str] = "What Incognito minimizes. Two generalizations of one sum may lose very differently."
    formula: ClassVar[str] = "Σ over attributes of its level"
    source: ClassVar[str] = "K. LeFevre et al., Incognito: efficient full-domain k-anonymity, SIGMOD 2005"

    def score(self, table: Generalization) -> float:
        """Return the sum of the levels: of their means where records are at different ones."""
        return float(sum(table.mean_levels))

    def parts(self, lattice: Lattice, allowed: int) -> list[Floats]:
        """Return the levels themselves: they don't depend on who is left out."""
        return [np.arange(height + 1, dtype=np.float64) for height in lattice.heights]

    def join(self, parts: Sequence[Floats]) -> Floats:
        """Return the sums of the levels."""
        return outer(np.add, parts)


class Precision(AttributeQuality):
    """The mean share of its hierarchy that a released value has climbed."""

    name: ClassVar[str] = "precision"
    summary: ClassVar[str] = "How far up its hierarchy a released value is, on average."
    details: ClassVar[str] = (
        "0: everything at its lowest level, 1: everything at the top or left out (what Sweeney calls precision is 1 "
        "minus this). Blind to how much a level covers: prefer loss where hierarchies are uneven."
    )
    formula: ClassVar[str] = "mean over attributes of ((N − s)·level/height + s)/N"
    source: ClassVar[str] = "L. Sweeney, Achieving k-anonymity privacy protection, IJUFKS 10(5), 2002"

    def losses(self, table: Generalization) -> list[float]:
        """Return per attribute the mean over records of level over height; left out counts as the top."""
        out = table.suppressed / table.rows if table.rows else 0.0
        return [
            (1 - out) * _share(ladder, level) * self.generalized_weight + out * self.suppressed_weight
            for ladder, level in zip(table.ladders, table.mean_levels, strict=True)
        ]

    def least(self, ladder: Ladder, level: int, records: Ints, allowed: int) -> float:
        """Return level over height, or less where leaving out costs less."""
        share = _share(ladder, level) * self.generalized_weight
        return min(share, self.suppressed_weight) if allowed else share

    def added(self, ladder: Ladder, level: int, rows: int) -> Floats | None:
        """Return what leaving a record out costs more than to climb."""
        climbed = np.array([_share(ladder, below) for below in range(level + 1)]) * self.generalized_weight
        more = self.weight(ladder.column) * np.maximum(self.suppressed_weight - climbed, 0) / rows
        return np.repeat(more[:, None], ladder.size(level), axis=1)


def _share(ladder: Ladder, level: float) -> float:
    return level / ladder.height if ladder.height else 0.0


def lost_detail(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    *,
    hierarchies: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return every measure of lost detail for any pair of tables, whoever made the second: loss, GCP, entropy, ….

    Rows need not correspond; records that are missing from the release count as left out. It is about the width of
    labels: a number counts as exact, also one that was moved, of which `il1s` says how far.

    Args:
        original: A pandas, polars or pyarrow table, or a path.
        released: The table that was made from it.
        columns: The columns to look at, as quasi-identifiers; by default all that both tables have.
        hierarchies: Per column what its values generalize to, as for `anonymize`.
    """
    return detail(read_pair(original, released, columns, hierarchies))


def detail(pair: TablePair, moved: Collection[str] = ()) -> dict[str, Any]:
    """Return every measure of lost detail over the quasi-identifiers, all together and by column.

    Of columns whose numbers were `moved` the width of labels says nothing: they are exact, and not true.
    """
    columns = pair.of(Role.QUASI_IDENTIFIER)
    by_column = {column.name: _of_column(pair, column) for column in columns}
    for name in by_column.keys() & moved:
        by_column[name] |= dict.fromkeys(("loss", "gcp", "entropy", "non_uniform_entropy"))
    losses = [measured["loss"] for measured in by_column.values() if measured["loss"] is not None]
    climbs = [measured["climb"] for measured in by_column.values() if measured["climb"] is not None]
    levels = [measured["level"] for measured in by_column.values() if measured["level"] is not None]
    sizes = pair.classes.sizes
    return {
        "loss": float(np.exp(np.log1p(losses).mean()) - 1) if losses else None,
        "gcp": mean_known([measured["gcp"] for measured in by_column.values()]),
        "height": float(sum(climbs)) if climbs and len(climbs) == len(columns) else None,
        "levels": float(sum(levels)) if levels and len(levels) == len(columns) else None,
        "precision": 1 - float(np.mean(climbs)) if climbs and len(climbs) == len(columns) else None,
        "discernibility": int(np.dot(sizes.astype(object), sizes)) + pair.rows * pair.suppressed if sizes.size else 0,
        "average_class_size": float(sizes.mean()) if sizes.size else 0.0,
        "entropy": mean_known([measured["entropy"] for measured in by_column.values()]),
        "suppressed": pair.suppressed / pair.rows if pair.rows else 0.0, "columns": by_column,
    }  # fmt: skip


def _of_column(pair: TablePair, column: PairColumn) -> dict[str, Any]:
    level, climb = _levels(pair, column)
    rows, size = pair.rows, max(column.domain.size, 1)
    # The share of its domain that a released value covers, less what an untouched one does; left out is 1.
    covered, least = float(np.dot(column.kept, column.covers.size)) / size, rows / size
    loss = 0.0 if rows == least or not rows else cut(max(0.0, (covered + pair.suppressed - least) / (rows - least)))
    penalty = float(np.dot(column.kept, penalties(_extents(column)))) if rows else 0.0
    silent = int(column.kept[column.covers.anything].sum())
    return {
        "loss": loss, "gcp": (penalty + pair.suppressed) / rows if rows else 0.0, "level": level, "climb": climb,
        "suppressed": (silent + pair.suppressed) / rows if rows else 0.0, "entropy": _information_kept(column),
        "non_uniform_entropy": _non_uniform_entropy(pair, column),
    }  # fmt: skip


def _extents(column: PairColumn) -> Extents:
    """Return what each released label of a column covers; one that is not understood says nothing."""
    covers, domain = column.covers, column.domain
    silent = covers.anything | covers.unknown
    if domain.scale is not None and domain.on_scale:
        low, high = covers.spans
        there = domain.scale[: domain.on_scale][domain.counts[: domain.on_scale] > 0]
        whole = float(there[-1] - there[0]) if there.size else 0.0
        return Extents(records=column.kept, covered=high - low, whole=whole, is_number=True, unknown=silent)
    unknown = silent if domain.size > 1 else None
    return Extents(records=column.kept, covered=covers.size, whole=domain.size, is_number=False, unknown=unknown)


def _levels(pair: TablePair, column: PairColumn) -> tuple[float | None, float | None]:
    """Return the mean level of the released values, and the mean share climbed, left out being the top.

    None without a hierarchy, or where some label is none of its own.
    """
    hierarchy = column.domain.hierarchy
    used = column.kept > 0
    if hierarchy is None or (column.covers.level[used] < 0).any():
        return None, None
    total = float(np.dot(column.kept[used], column.covers.level[used]))
    climbed = total / hierarchy.height if hierarchy.height else 0.0
    return total / max(pair.kept, 1), (climbed + pair.suppressed) / max(pair.rows, 1)


def _information_kept(column: PairColumn) -> float | None:
    """Return the share of the column's information that is left; None for a column that had none.

    A record whose value v is released as S keeps −log₂ p(S) of its −log₂ p(v) bits, p being shares of the original
    records. Summed over records it does not matter which record is which: the first sum follows from the released
    counts, the second from the original ones. Exact wherever labels cover the values they stand for.
    """
    domain, covers = column.domain, column.covers
    bits = _bits(domain.counts)
    if not bits:
        return None
    some = (column.kept > 0) & (covers.records > 0)
    kept = -float(np.dot(column.kept[some], np.log2(covers.records[some] / domain.rows)))
    return float(np.clip(kept / bits, 0, 1)) + 0.0


def _non_uniform_entropy(pair: TablePair, column: PairColumn) -> float | None:
    """Return the same as ARX counts it: records left out lose only what their labels told among themselves.

    That needs to know which labels those had, so there is none where a value lies under two labels, nor where a
    released record can't be one of the original's.
    """
    domain, covers = column.domain, column.covers
    bits = _bits(domain.counts)
    used = column.kept > 0
    silent = (covers.anything | covers.unknown) & used
    if not bits or covers.overlapping or pair.released.rows > pair.original.rows:
        return None
    everyone, kept = covers.records[used & ~silent], column.kept[used & ~silent]
    if silent.any():
        return 0.0 if not everyone.size else None
    rest = domain.rows - int(everyone.sum())  # under labels of which nobody is left
    out = np.append(everyone - kept, rest)
    if (out < 0).any():
        return None
    return float(1 - (bits - _bits(np.append(everyone, rest)) + _bits(out)) / bits)


def _bits(counts: NDArray[Any]) -> float:
    """Return Σ −n·log₂(n/N)."""
    some = counts[counts > 0].astype(np.float64)
    return float(-np.dot(some, np.log2(some / some.sum()))) if some.size else 0.0
