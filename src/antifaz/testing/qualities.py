"""What every quality model must do, so that a search may trust its bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antifaz.core.types import DataType
from antifaz.counting.domains import qi_domain
from antifaz.counting.frequencies import frequency_set
from antifaz.counting.generalization import generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.tuples import Tuples
from antifaz.hierarchies import flat, intervals, table
from antifaz.hierarchies.binding import bind
from antifaz.testing.arrays import arrays_in, same_arrays
from antifaz.testing.broken import require
from antifaz.testing.examples import COLOURS, examples
from antifaz.utility.quality import Quality

#: Bounds and scores of one node may differ in the last bits.
_SLACK = 1e-9


def check_quality(cls: type[Quality], instances: Sequence[Quality] | None = None) -> None:
    """Check that scores are never better than their bounds, and that bounds never fall when a level rises."""
    for quality in list(instances) if instances is not None else examples(cls):
        for seed, rows in ((1, 1), (2, 12), (3, 400)):
            _check_lattice(quality, _lattice(seed, rows), np.random.default_rng(seed))


def _lattice(seed: int, rows: int) -> Lattice:
    """A small lattice over a number, a colour and a letter, of which some are missing."""
    random = np.random.default_rng(seed)
    names, values = ("age", "colour", "letter"), (tuple(map(str, range(20, 40))), COLOURS, ("a", "b", None))
    codes = tuple(random.integers(0, len(part), rows).astype(np.int32) for part in values)
    types = {"age": DataType.INTEGER}
    counted = Tuples(columns=names, values=values, codes=codes, counts=np.ones(rows, np.int64))
    frequencies = frequency_set(counted, names, types=types)
    paths = {colour: ["cold" if colour in ("blue", "green") else "warm", "*"] for colour in COLOURS}
    builders = (intervals(5, 10), table(paths), flat())
    ladders = []
    for builder, name, part in zip(builders, names, values, strict=True):
        kind = types.get(name, DataType.TEXT)
        domain = qi_domain(name, part, kind)
        ladders.append(bind(domain, builder.build(domain.spellings, kind), kind))
    return Lattice(frequencies, ladders)


def _check_lattice(quality: Quality, lattice: Lattice, random: np.random.Generator) -> None:
    who = repr(quality)
    before = arrays_in([lattice.frequencies, lattice.ladders])
    bounds = quality.bounds(lattice)
    shape = tuple(height + 1 for height in lattice.heights)
    require(bounds.shape == shape, f"{who}: bounds must have one axis per attribute and one place per level.")
    require(np.isfinite(bounds).all(), f"{who}: bounds must be finite numbers.")
    for axis in range(bounds.ndim):
        require((np.diff(bounds, axis=axis) >= -_SLACK).all(), f"{who}: a bound must not fall when a level rises.")
    for levels in np.ndindex(shape):
        classes = lattice.sizes(levels).size
        for kept in (np.ones(classes, np.bool_), random.random(classes) < 0.5):
            score = quality.score(generalization(lattice, levels, kept))
            require(np.isfinite(score), f"{who}: a score must be a finite number.")
            slack = _SLACK * max(1.0, abs(score))
            require(score >= bounds[levels] - slack, f"{who}: no score may be better than its bound.")
            again = quality.score(generalization(lattice, levels, kept))
            require(score == again, f"{who}: the score of one generalization must be the same twice.")
    require(
        same_arrays(before, arrays_in([lattice.frequencies, lattice.ladders])), f"{who} must not change the counts."
    )
