"""Targeted record swapping: which households are at risk in which regions, and with whom they change places.

Everything is given in whole numbers: of each person the number of the household, of its regions from the largest to the
smallest, and of its values. Regions are nested: two people of one region are of one region of every larger level.
"""

from collections.abc import Sequence

import numpy as np

from antifaz.core.arrays import Ints, number_pairs


def levels_at_risk(regions: Sequence[Ints], values: Ints, member: Ints, k: int) -> Ints:
    """Return, for each household, the largest level at which one of its members is at risk; their number for none.

    A person is at risk at a level where fewer than k people of the same region have the same values.
    """
    levels = np.full(int(member.max(initial=-1)) + 1, len(regions))
    for level in range(len(regions) - 1, -1, -1):
        alike = number_pairs(regions[level], values)
        rare = np.bincount(alike)[alike] < k
        levels[member[rare]] = level
    return levels


def profile_codes(values: Ints, member: Ints) -> Ints:
    """Return a number for each household: the same for those that have as many members, with the same values."""
    sizes = np.bincount(member)
    ordered = values[np.lexsort((values, member))]
    begins = np.cumsum(sizes) - sizes
    codes, used = np.empty(sizes.size, np.int64), 0
    for size in np.unique(sizes):
        homes = np.flatnonzero(sizes == size)
        rows = ordered[begins[homes][:, None] + np.arange(size)]
        kinds, codes[homes] = np.unique(rows, axis=0, return_inverse=True)
        codes[homes] += used
        used += len(kinds)
    return codes


def pair_households(
    regions: Sequence[Ints], levels: Ints, profiles: Sequence[Ints], rate: float, random: np.random.Generator
) -> Ints:
    """Return, for each household, the one that it changes places with: itself for none.

    Those at risk at the largest level come first. They go to another region of that level, within the same region of
    the next larger one, where they are not at risk. Then further ones change places between the smallest regions until
    a share `rate` of the households of each has.

    Args:
        regions: The region of each household, from the largest to the smallest level.
        levels: What `levels_at_risk` returns.
        profiles: For each profile of similarity, the closest first, the numbers of its groups.
        rate: The share of households of each smallest region that change places at least, those at risk among them.
        random: Draws who is asked first, and who of the similar ones is taken.
    """
    from antifaz.kernels.swapping import swap_households

    n = levels.size
    partners = np.full(n, -1)
    for level, own in enumerate(regions):
        parents = regions[level - 1] if level else np.zeros(n, np.int64)
        groups = np.stack([number_pairs(parents, profile) for profile in profiles])
        cells = np.stack([number_pairs(group, own) for group in groups])
        homes = np.bincount(own)
        # Everybody at risk, whatever the share.
        turns = [(np.flatnonzero(levels == level), homes)]
        if level == len(regions) - 1:
            turns.append((np.arange(n), np.floor(rate * homes + 1e-9).astype(np.int64)))
        for seekers, least in turns:
            swap_households(own, groups, cells, random.permutation(seekers), random.permutation(n), least, partners)
    return np.where(partners < 0, np.arange(n), partners)
