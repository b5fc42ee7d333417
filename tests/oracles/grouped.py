"""What groups of records lose, written from the definition: records of numbers, categories and a hierarchy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from antifaz.kernels.clustering import RecordArrays

#: A hierarchy of five values: a, b | c, d, e | all, and a level beyond; what each level costs.
UP = np.array([[[0, 1, 2, 3, 4], [0, 0, 1, 1, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]], np.int32)
COST = np.array([[[0.0] * 5, [0.25, 0.25, 0.5, 0.5, 0.5], [1.0] * 5, [1.0] * 5]])
#: The code of the first category that says it is missing.
BLANK = 5


def mixed_table(rows: int, seed: int, *, numbers: int = 2, codes: int = 2, missing: float = 0.1) -> RecordArrays:
    """Return records by chance: numbers in sixteenths, so that sums are exact and ties are ties."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 17, (rows, numbers)) / 16
    values[random.random(values.shape) < missing] = np.nan
    return RecordArrays(
        numbers=values,
        full=np.ones(numbers),
        codes=random.integers(0, 6, (rows, codes)).astype(np.int32),
        unit=np.full(codes, 1 / 8),
        blank=np.array([BLANK, -1, -1][:codes], np.int32),
        whole=np.ones(codes),
        most=6,
        places=random.integers(0, 5, (rows, 1)).astype(np.int32),
        up=UP,
        penalty=COST,
    )


def plain_loss(table: RecordArrays, rows: Sequence[int], *, apart: bool = False) -> float:
    """Return what a group loses; with `apart`, different categories lie as far apart as can be."""
    loss = 0.0
    for a in range(table.numbers.shape[1]):
        known = [float(table.numbers[r, a]) for r in rows if not math.isnan(table.numbers[r, a])]
        mixed = 0 < len(known) < len(rows)
        loss += float(table.full[a]) if mixed else (max(known) - min(known) if known else 0.0)
    for c in range(table.codes.shape[1]):
        held = {int(table.codes[r, c]) for r in rows}
        whole = len(held) > 1 and (apart or int(table.blank[c]) in held)
        loss += float(table.whole[c]) if whole else (len(held) - 1) * float(table.unit[c])
    for p in range(table.places.shape[1]):
        places = {int(table.places[r, p]) for r in rows}
        level = next(i for i in range(4) if len({int(table.up[p, i, place]) for place in places}) == 1)
        loss += float(table.penalty[p, level, min(places)])
    return loss
