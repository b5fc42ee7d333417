"""How much detail a release lost, from the two tables alone: loss, GCP, levels, entropy, class sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.roles import Role
from antifaz.counting.released_table import Extents
from antifaz.utility.ncp import penalties
from antifaz.utility.pair import PairColumn, TablePair, read_pair
from antifaz.utility.quality import cut


def lost_detail(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    *,
    hierarchies: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return every measure of lost detail for any pair of tables, whoever made the second: loss, GCP, entropy, ….

    Rows need not correspond; records that are missing from the release count as left out.

    Args:
        original: A pandas, polars or pyarrow table, or a path.
        released: The table that was made from it.
        columns: The columns to look at, as quasi-identifiers; by default all that both tables have.
        hierarchies: Per column what its values generalize to, as for `anonymize`.
    """
    return detail(read_pair(original, released, columns, hierarchies))


def detail(pair: TablePair) -> dict[str, Any]:
    """Return every measure of lost detail over the quasi-identifiers, all together and by column."""
    columns = pair.of(Role.QUASI_IDENTIFIER)
    by_column = {column.name: _of_column(pair, column) for column in columns}
    losses = [found["loss"] for found in by_column.values()]
    climbs = [found["climb"] for found in by_column.values() if found["climb"] is not None]
    levels = [found["level"] for found in by_column.values() if found["level"] is not None]
    sizes = pair.classes.sizes
    return {
        "loss": float(np.exp(np.log1p(losses).mean()) - 1) if losses else 0.0,
        "gcp": float(np.mean([found["gcp"] for found in by_column.values()])) if by_column else 0.0,
        "height": float(sum(climbs)) if climbs and len(climbs) == len(columns) else None,
        "levels": float(sum(levels)) if levels and len(levels) == len(columns) else None,
        "precision": 1 - float(np.mean(climbs)) if climbs and len(climbs) == len(columns) else None,
        "discernibility": int(np.dot(sizes.astype(object), sizes)) + pair.rows * pair.suppressed if sizes.size else 0,
        "average_class_size": float(sizes.mean()) if sizes.size else 0.0,
        "entropy": _together([found["entropy"] for found in by_column.values()]),
        "suppressed": pair.suppressed / pair.rows if pair.rows else 0.0,
        "columns": by_column,
    }


def _together(shares: list[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return float(np.mean(known)) if known else None


def _of_column(pair: TablePair, column: PairColumn) -> dict[str, Any]:
    level, climb = levels(pair, column)
    return {
        "loss": loss(pair, column),
        "gcp": penalty(pair, column),
        "level": level,
        "climb": climb,
        "suppressed": suppressed(pair, column),
        "entropy": information_kept(pair, column),
        "non_uniform_entropy": non_uniform_entropy(pair, column),
    }


def loss(pair: TablePair, column: PairColumn) -> float:
    """Return the share of its domain that a released value covers, less what an untouched one does; left out is 1."""
    rows, size = pair.rows, max(column.domain.size, 1)
    covered = float(np.dot(column.kept, column.covers.size)) / size
    least = rows / size
    return 0.0 if rows == least or not rows else cut(max(0.0, (covered + pair.suppressed - least) / (rows - least)))


def penalty(pair: TablePair, column: PairColumn) -> float:
    """Return the mean normalized certainty penalty: width over the data's width, or (values − 1)/(all − 1)."""
    if not pair.rows:
        return 0.0
    return (float(np.dot(column.kept, penalties(extents(column)))) + pair.suppressed) / pair.rows


def extents(column: PairColumn) -> Extents:
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


def levels(pair: TablePair, column: PairColumn) -> tuple[float | None, float | None]:
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


def suppressed(pair: TablePair, column: PairColumn) -> float:
    """Return the share of records of which the column says nothing."""
    silent = int(column.kept[column.covers.anything].sum())
    return (silent + pair.suppressed) / pair.rows if pair.rows else 0.0


def information_kept(pair: TablePair, column: PairColumn) -> float | None:
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


def non_uniform_entropy(pair: TablePair, column: PairColumn) -> float | None:
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
    lost = bits - _bits(np.append(everyone, rest)) + _bits(out)
    return float(1 - lost / bits)


def _bits(counts: NDArray[Any]) -> float:
    """Return Σ −n·log₂(n/N)."""
    some = counts[counts > 0].astype(np.float64)
    return float(-np.dot(some, np.log2(some / some.sum()))) if some.size else 0.0
