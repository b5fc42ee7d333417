"""What every quality model must do, so that a search may trust its bounds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples, frequency_set
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.hierarchies import flat, intervals, table
from antifaz.hierarchies.binding import bind
from antifaz.testing.broken import arrays_in, require, same_arrays
from antifaz.testing.examples import COLOURS, examples
from antifaz.utility.quality import Quality, Score

#: Bounds and scores of one node may differ in the last bits.
_SLACK = 1e-9
_QIS = ("age", "colour", "letter")
_VALUES: tuple[tuple[str | None, ...], ...] = (tuple(map(str, range(20, 40))), COLOURS, ("a", "b", None))
_TARGETS = ("no", "yes", None)


def check_quality(cls: type[Quality], instances: Sequence[Quality] | None = None) -> None:
    """Check that no score is better than its bounds, and that bounds never fall when a level rises."""
    for quality in list(instances) if instances is not None else examples(cls):
        for seed, rows in ((1, 1), (2, 12), (3, 400)):
            lattice = _lattice(seed, rows, quality.needs())
            before = arrays_in([lattice.frequencies, lattice.ladders])
            for allowed in (0, rows // 2, rows):
                _check_bounds(quality, lattice, allowed, np.random.default_rng(seed))
            after = arrays_in([lattice.frequencies, lattice.ladders])
            require(same_arrays(before, after), f"{quality!r} must not change the counts.")


def _lattice(seed: int, rows: int, targets: Sequence[str]) -> Lattice:
    """A small lattice over a number, a colour and a letter, of which some are missing; and what else is asked for."""
    random = np.random.default_rng(seed)
    values = (*_VALUES, *(_TARGETS for _ in targets))
    codes = tuple(random.integers(0, len(part), rows).astype(np.int32) for part in values)
    counted = Tuples(columns=(*_QIS, *targets), values=values, codes=codes, counts=np.ones(rows, np.int64))
    types = {"age": DataType.INTEGER}
    frequencies = frequency_set(counted, _QIS, targets, types)
    paths = {colour: ["cold" if colour in ("blue", "green") else "warm", "*"] for colour in COLOURS}
    ladders = []
    for builder, domain in zip((intervals(5, 10), table(paths), flat()), frequencies.domains, strict=True):
        kind = types.get(domain.column, DataType.TEXT)
        ladders.append(bind(domain, builder.build(domain.spellings, kind), kind))
    return Lattice(frequencies, ladders)


def _check_bounds(quality: Quality, lattice: Lattice, allowed: int, random: np.random.Generator) -> None:
    """The bounds known before the search, and the floors known after a look at a node."""
    who = repr(quality)
    bounds = quality.bounds(lattice, allowed)
    shape = tuple(height + 1 for height in lattice.heights)
    require(bounds.shape == shape, f"{who}: bounds must have one axis per attribute and one place per level.")
    require(np.isfinite(bounds).all(), f"{who}: bounds must be finite numbers.")
    for axis in range(bounds.ndim):
        require((np.diff(bounds, axis=axis) >= -_SLACK).all(), f"{who}: a bound must not fall when a level rises.")
    known, whole = bounds.copy(), np.full(shape, -np.inf)
    for levels in np.ndindex(shape):
        floor = quality.floor(lattice, levels, allowed)
        if floor is not None:
            above = known[tuple(slice(level, None) for level in levels)]
            np.maximum(above, floor, out=above)
        # None, and the first classes of a random order, as far as no more records than allowed are left out.
        sizes = lattice.sizes(levels)
        order = random.permutation(sizes.size)
        some = np.ones(sizes.size, np.bool_)
        some[order[np.cumsum(sizes[order]) <= allowed]] = False
        for kept in (some, np.ones(sizes.size, np.bool_)):
            score = _score(quality, lattice, levels, kept)
            require(score >= known[levels] - _SLACK * max(1.0, abs(score)), f"{who}: no score may beat its bound.")
        whole[levels] = score
    for axis in range(whole.ndim) if quality.monotone else ():
        falls = (np.diff(whole, axis=axis) < -_SLACK * max(1.0, float(np.abs(whole).max()))).any()
        require(not falls, f"{who} is declared monotone, and a score fell when a level rose with nobody left out.")


def _score(quality: Quality, lattice: Lattice, levels: Levels, kept: NDArray[np.bool_]) -> float:
    score: Score = quality.score(Generalization(lattice, levels, kept))
    require(
        score == quality.score(Generalization(lattice, levels, kept)),
        f"{quality!r}: the score of one generalization must be the same twice.",
    )
    first = score if isinstance(score, (int, float)) else score[0]
    require(np.isfinite(first), f"{quality!r}: a score must be a finite number.")
    return float(first)
