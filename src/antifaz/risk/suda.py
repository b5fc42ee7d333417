"""Special uniques: records that few columns are enough to single out, found and scored as by SUDA2."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import factorial
from typing import Any, Literal, get_args

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.risk.keys import Keys, arrow, check_choice, read_keys

#: What a blank is: nothing that anyone could be known by, or a value of its own.
MissingItems = Literal["skip", "value"]
#: A set of attributes is a number of 64 bits.
_MOST = 62
#: So many words of 8 bytes may be used to note in which sets of attributes records have company.
_ROOM = 2**25


@dataclass(frozen=True, kw_only=True, eq=False)
class Suda:
    """How special every record is, in the order of the table."""

    columns: tuple[str, ...]
    #: The more minimal sample uniques a record has, and the fewer columns they take, the higher; 0 if it has none.
    scores: Floats = field(repr=False)
    #: Data intrusion simulation: the chance that a match of a unique record is right, spread over records by score.
    dis: Floats = field(repr=False)
    #: Per record and column, the share of its score from sets with that column; they add up to more than 1.
    contributions: Floats = field(repr=False)
    #: How many minimal sample uniques there are of 1, 2, … columns.
    by_size: tuple[int, ...]
    #: Per column, in percent, the share of all scores from sets with it.
    column_contributions: dict[str, float]

    @property
    def uniques(self) -> int:
        """How many records have a score."""
        return int((self.scores > 0).sum())


def suda(
    frame: Any,
    columns: Sequence[str] | str,
    *,
    fraction: float = 0.01,
    original_scores: bool = True,
    missing: MissingItems = "skip",
    largest: int | None = None,
) -> Suda:
    """Find every record's minimal sample uniques and score it by them.

    A minimal sample unique is a set of columns by which a record is alone in the table, while it is not by any part of
    the set. After M. Elliot, A. Manning, R. Ford, A computational algorithm for handling the special uniques problem,
    IJUFKS 10(5), 2002, and A. Manning, D. Haglin, J. Keane, A recursive search algorithm for statistical disclosure
    assessment, DMKD 16(2), 2008. Of m columns, a set of s is worth (m − s)!, or (2^(m−s) − 1)·s!·(m−s)!/m!.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The key: columns whose values an intruder may know.
        fraction: The share of the population that is in the table, for the DIS scores.
        original_scores: Whether sets are worth (m − s)!; else the second formula, by which a set of all columns is
            worth nothing.
        missing: "skip": nobody is known by a blank, and a blank is like nothing (as in sdcMicro); "value": a blank is a
            value of its own.
        largest: Look for sets of at most so many columns; all, where left out.
    """
    check_choice("suda", "missing", missing, get_args(MissingItems))
    if not 0 < fraction < 1:
        raise ParameterError("suda.fraction-out-of-bounds", fraction=fraction)
    keys = read_keys(arrow(frame), columns, "suda")
    m = len(keys.columns)
    if m > _MOST:
        raise ParameterError("suda.too-many-columns", most=_MOST, m=m)
    if largest is not None and largest < 1:
        raise ParameterError("suda.largest-below-1", largest=largest)
    scores, shares, of_size = _search(keys, _worth(m, original_scores), missing, min(largest or m, m))
    contributions = np.divide(shares, scores, out=np.zeros_like(shares), where=scores > 0).T
    whole = max(float(np.dot(scores, keys.counts)), np.finfo(float).tiny)
    percents = [100 * float(np.dot(own, keys.counts)) / whole for own in shares]
    return Suda(
        columns=keys.columns, scores=scores[keys.tuple_of], dis=_dis(scores, keys.counts, fraction, m)[keys.tuple_of],
        contributions=contributions[keys.tuple_of], by_size=tuple(int(n) for n in of_size[1:]),
        column_contributions=dict(zip(keys.columns, percents, strict=True)),
    )  # fmt: skip


def _worth(m: int, original: bool) -> Floats:
    """What a minimal sample unique of s columns adds to a score, for s = 0 … m."""
    if original:
        return np.array([float(factorial(m - s)) for s in range(m + 1)])
    return np.array([(2 ** (m - s) - 1) * factorial(s) * factorial(m - s) / factorial(m) for s in range(m + 1)])


def _search(keys: Keys, worth: Floats, missing: MissingItems, largest: int) -> tuple[Floats, Floats, Ints]:
    from antifaz.kernels.suda import minimal_uniques

    # Columns with many values first: they single out most, and what is alone is not looked at again.
    order = np.argsort([-size for size in keys.sizes], kind="stable")
    codes = np.ascontiguousarray(keys.codes.T[order])
    sizes = np.array(keys.sizes, np.int64)[order]
    if missing == "value":
        codes, sizes = codes + np.int32(1), sizes + 1
    scores, shares = np.zeros(keys.counts.size), np.zeros((len(keys.columns), keys.counts.size))
    words = -(-(2 ** len(keys.columns)) // 64)
    company = np.zeros((keys.counts.size, words if words * keys.counts.size <= _ROOM else 0), np.uint64)
    of_size = minimal_uniques(codes, keys.counts, sizes, worth, largest, company, scores, shares)
    restored = np.empty_like(shares)
    restored[order] = shares
    return scores, restored, of_size


def _dis(scores: Floats, counts: Ints, fraction: float, m: int) -> Floats:
    """The score as a chance, from how many records lie in pairs; after C. Skinner, M. Elliot, JRSS B 64(4), 2002.

    The odds against it are P (1 - f) / f, by way of the chance that a match is right, U f / (U f + P (1 - f)).
    """
    chances = np.zeros_like(scores)
    special = scores > 0
    if not special.any():
        return chances
    # In single precision, as sdcMicro has it, or the seventh digits would differ.
    power = float(np.float32(1 + (8 - m) / 20))
    numbers = (1, (counts == 1).sum(), 2 * (counts == 2).sum(), fraction)
    one, u, p, f = (np.float32(number) for number in numbers)
    right = u * f / (u * f + p * (one - f))
    odds = float(u * (one - right) / right)
    # Only tuples of one record have a score, so tuples may be added up instead of records.
    share = scores[special] ** power * np.sum(scores[special] ** -power)
    chances[special] = 1 / (1 + odds / share)
    return chances
