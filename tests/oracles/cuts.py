"""Cutting rows into parts as the definitions say: Mondrian at medians, and by peeling off the least values."""

from __future__ import annotations

import numpy as np

from antifaz.kernels.mondrian import Space

#: Two numbers, of four and six known values, and a category of five. Not evenly apart.
KNOWN = [4, 6, 5]
PLACES = [[0.0, 1.0, 4.0, 10.0], [0.0, 1.0, 2.0, 3.0, 4.0, 8.0], [0.0] * 5]
GRID = [[0, 1, 4, 10], [0, 1, 2, 3, 4, 8], [0, 1, 2, 3, 4]]
RANGES = [10.0, 8.0, 4.0]
SPACE = Space(
    known=np.array(KNOWN),
    category=np.array([False, False, True]),
    places=np.concatenate([[*each, 0.0] for each in PLACES]),
    starts=np.array([0, 5, 12, 18]),
    ranges=np.array(RANGES),
    grid=np.concatenate([[*each, 0] for each in GRID]),
)
Row = tuple[int, ...]


def drawn(many: int, seed: int, *, missing: bool = True) -> list[Row]:
    random = np.random.default_rng(seed)
    top = [known + (1 if missing else 0) for known in KNOWN]
    return [(*map(int, random.integers(0, top)), i) for i in range(many)]


def plain_missing(rows: list[Row], k: int) -> tuple[list[Row], list[Row]] | None:
    for a, known in enumerate(KNOWN):
        held, lost = [r for r in rows if r[a] < known], [r for r in rows if r[a] == known]
        if len(held) >= k and len(lost) >= k:
            return held, lost
    return None


def plain_median(rows: list[Row], k: int, relaxed: bool) -> tuple[list[Row], list[Row]] | None:
    """Cut once, at the median of the widest attribute that can be cut."""
    widths = {}
    for a, known in enumerate(KNOWN):
        ranks = {r[a] for r in rows if r[a] < known}
        if len(ranks) > 1:
            wide = len(ranks) - 1 if SPACE.category[a] else PLACES[a][max(ranks)] - PLACES[a][min(ranks)]
            widths[a] = wide / RANGES[a]
    for a in sorted(widths, key=lambda a: (-widths[a], a)):
        middle = sorted(r[a] for r in rows)[(len(rows) - 1) // 2]
        below, at = sum(r[a] < middle for r in rows), [r for r in rows if r[a] == middle]
        ties = len(at) if len(rows) - below - len(at) >= k else 0
        if relaxed:
            ties = (len(rows) + 1) // 2 - below
        left = [r for r in rows if r[a] < middle or r in at[:ties]]
        if len(left) >= k and len(rows) - len(left) >= k:
            return left, [r for r in rows if r not in left]
    return None


def by_median(rows: list[Row], k: int, relaxed: bool, once: bool = False) -> list[tuple[list[Row], bool]]:
    halves = (plain_missing(rows, k) or plain_median(rows, k, relaxed)) if len(rows) >= 2 * k else None
    if halves is None:
        return [(rows, True)]
    if once:
        return [(half, False) for half in halves]
    return [part for half in halves for part in by_median(half, k, relaxed)]


def plain_spread(values: list[int], category: bool) -> float:
    mean = sum(values) / len(values)
    width = (max(values) - min(values)) ** 2 / (sum((v - mean) ** 2 for v in values) / len(values))
    return width * (1e12 if category else 1)


def plain_peeling(rows: list[Row], k: int) -> tuple[list[list[Row]], list[Row]]:
    """The slices that come off, and the rest."""
    slices, alive = [], list(range(len(KNOWN)))
    while len(rows) >= 2 * k:
        widest, best = None, -1.0
        for a in alive:
            known = [GRID[a][r[a]] for r in rows if r[a] < KNOWN[a]]
            if len(set(known)) > 1 and (width := plain_spread(known, bool(SPACE.category[a]))) > best * (1 + 1e-9):
                widest, best = a, width
        if widest is None:
            break
        ordered = sorted(rows, key=lambda r: (r[widest], rows.index(r)))
        cut = k
        while cut < len(ordered) and ordered[cut][widest] == ordered[cut - 1][widest]:
            cut += 1
        if len(rows) - cut < k:
            alive.remove(widest)
            continue
        slices.append(ordered[:cut])
        rows = [r for r in rows if r not in ordered[:cut]]
    return slices, rows


def by_first(rows: list[Row], k: int, once: bool = False, whole: bool = False) -> list[tuple[list[Row], bool]]:
    if whole or len(rows) < 2 * k:
        return [(rows, True)]
    if halves := plain_missing(rows, k):
        pieces = [(half, False) for half in halves]
    else:
        slices, rest = plain_peeling(rows, k)
        pieces = [*((piece, False) for piece in slices), (rest, True)]
    if once:
        return [(piece, done or len(piece) < 2 * k) for piece, done in pieces]
    return [part for piece, done in pieces for part in by_first(piece, k, whole=done)]
