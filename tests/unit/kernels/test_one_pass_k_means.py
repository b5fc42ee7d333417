"""One-pass k-means against its definition in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from antifaz.kernels.clustering import Table
from antifaz.kernels.one_pass_k_means import _apart, one_pass
from oracles.grouped import mixed_table


def plain_apart(table: Table, centre: list[float], seed: int, row: int) -> float:
    """The distance from the mean in numbers, and from the first record in the rest."""
    apart = 0.0
    for a, mean in enumerate(centre):
        number = float(table.numbers[row, a])
        unknown = math.isnan(number) + math.isnan(mean)
        apart += [abs(number - mean), float(table.full[a]), 0.0][unknown]
    for c in range(table.codes.shape[1]):
        both = {int(table.codes[seed, c]), int(table.codes[row, c])}
        if len(both) > 1:
            apart += float(table.whole[c] if int(table.blank[c]) in both else table.unit[c])
    for p in range(table.places.shape[1]):
        one, other = int(table.places[row, p]), int(table.places[seed, p])
        level = next(i for i in range(4) if table.up[p, i, one] == table.up[p, i, other])
        apart += float(table.penalty[p, level, one])
    return apart


def plain_pass(table: Table, seeds: list[int], k: int) -> list[int]:
    rows, count = len(table.numbers), len(seeds)
    groups = [seeds.index(row) if row in seeds else -1 for row in range(rows)]
    centres = [table.numbers[seed].tolist() for seed in seeds]
    sizes = [1] * count

    def nearest(row: int, among: list[int]) -> int:
        away = {g: plain_apart(table, centres[g], seeds[g], row) for g in among}
        return min(among, key=lambda g: (away[g], g))

    for row in range(rows):
        if groups[row] < 0:
            g = groups[row] = nearest(row, list(range(count)))
            sizes[g] += 1
            for a, number in enumerate(table.numbers[row].tolist()):
                if not math.isnan(number):
                    centres[g][a] += (number - centres[g][a]) / sizes[g]
    for g in range(count):
        members = [row for row in range(rows) if groups[row] == g]
        away = {row: plain_apart(table, centres[g], seeds[g], row) for row in members}
        # The seed stays; of equals the first stay.
        by = sorted(members, key=lambda row: (row != seeds[g], away[row], row))
        for row in by[k:] if len(members) > k else []:
            groups[row], sizes[g] = -1, sizes[g] - 1
    for row in range(rows):
        if groups[row] < 0:
            needy = [g for g in range(count) if sizes[g] < k]
            groups[row] = nearest(row, needy or list(range(count)))
            sizes[groups[row]] += 1
    return groups


@pytest.mark.parametrize(
    ("seed", "rows", "k", "numbers", "codes"),
    [(1, 21, 3, 2, 2), (2, 22, 4, 1, 1), (3, 17, 2, 3, 0), (4, 25, 5, 0, 2), (5, 12, 3, 2, 1), (6, 40, 6, 2, 1)],
)
def test_all_records_are_grouped_as_the_definition_says(seed: int, rows: int, k: int, numbers: int, codes: int) -> None:
    table = mixed_table(rows, seed, numbers=numbers, codes=codes)
    seeds = np.random.default_rng(seed).permutation(rows)[: rows // k]
    found = one_pass(table, seeds, k).tolist()
    assert found == plain_pass(table, seeds.tolist(), k)
    assert min(found.count(g) for g in range(rows // k)) >= k


def test_a_record_is_apart_from_the_mean_and_from_the_first_record() -> None:
    table = mixed_table(30, 7, codes=2, missing=0.3)
    for row in range(30):
        for seed, centre in [(0, [0.5, np.nan]), (1, [np.nan, 0.25]), (2, [0.125, 1.0])]:
            expected = plain_apart(table, centre, seed, row)
            assert _apart(table, np.array(centre), seed, row, np.inf) == expected
            # Once it is not below the limit nothing more is added up.
            categories = plain_apart(
                table._replace(numbers=np.zeros((30, 0)), places=table.places[:, :0]), [], seed, row
            )
            if categories:
                assert categories <= _apart(table, np.array(centre), seed, row, categories) <= expected
                first = _apart(table, np.array(centre), seed, row, 1e-9)
                assert 0 < first <= categories
