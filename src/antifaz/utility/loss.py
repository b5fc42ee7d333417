"""Loss: how much of each attribute's domain a released value covers."""

from __future__ import annotations

import math

import numpy as np

from antifaz.counting.generalization import Generalization


def attribute_losses(table: Generalization) -> list[float]:
    """Return the loss of every attribute: 0 when untouched, 1 when everything is released as 'anything'.

    A released value loses the share of the hierarchy's leaves under it, a suppressed record loses all, and the share
    that an untouched value has anyway is taken off. Cut to ten decimals, as ARX does, so that scores compare.
    """
    losses = []
    for ladder, level, kept in zip(table.ladders, table.levels, table.marginals, strict=True):
        total = float(np.dot(kept, ladder.shares[level])) + table.suppressed
        least = table.rows / ladder.leaves
        if table.rows == least:
            losses.append(0.0)
            continue
        share = max(0.0, (total - least) / (table.rows - least))
        losses.append(math.floor(share * 1e10) / 1e10)
    return losses


def loss(table: Generalization) -> float:
    """Return the geometric mean over attributes of 1 + loss, minus 1 (Iyengar 2002, aggregated as ARX does)."""
    losses = attribute_losses(table)
    return math.prod(1 + x for x in losses) ** (1 / len(losses)) - 1 if losses else 0.0
