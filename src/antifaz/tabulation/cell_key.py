"""Cell-key noise: the people behind a cell decide its noise, so that the same people get the same noise everywhere."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field
from scipy.optimize import linprog, root

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.keys import Key, read_key
from antifaz.tabulation.contributions import KEYS
from antifaz.tabulation.protection import Protected, Protection, ProtectionTask


class CellKeyNoise(Protection):
    """Adds noise to every count, drawn by the keys of the people in the cell."""

    name: ClassVar[str] = "cell-key"
    summary: ClassVar[str] = "Counts get small noise that is the same wherever the same people are counted."
    details: ClassVar[str] = (
        "Each person has a key, a keyed hash of the person key. The keys in a cell add up to the cell's key, and that "
        "chooses the noise from a distribution with mean 0, the variance asked for and as much entropy as that leaves. "
        "Asking again, or in another table, gives no new noise, so it can't be averaged away. Empty cells stay empty, "
        "counts up to `smallest` are never published, and totals need not add up. For counts of people."
    )
    formula: ClassVar[str] = "max -Σ pᵥ log pᵥ with Σ pᵥ = 1, Σ v pᵥ = 0, Σ v² pᵥ = V, |v| ≤ D, a + v = 0 or > s"
    source: ClassVar[str] = (
        "G. Thompson, S. Broadfoot, D. Elazar, Methodology for the automatic confidentialisation of statistical "
        "outputs from remote servers at the ABS, UNECE 2013; S. Giessing, PSD 2016"
    )
    needs_rules: ClassVar[bool] = False
    sums: ClassVar[bool] = False
    needs_keys: ClassVar[bool] = True
    quotable: ClassVar[bool] = False

    key: Key
    noise: int = Field(default=5, ge=1, le=100, description="The largest change of a count, D.")
    variance: float = Field(default=3.0, gt=0, description="The variance of the noise, V.")
    smallest: int = Field(default=0, ge=0, description="Counts from 1 up to this are never published.")

    def secret(self) -> bytes:
        """Return the bytes of the key."""
        if self.key is None:
            raise ParameterError("tabulation.key-needed", protection=self.name)
        return read_key(self.name, self.key)

    def parameters(self) -> dict[str, object]:
        """Return the parameters but the key."""
        return {"noise": self.noise, "variance": self.variance, "smallest": self.smallest}

    def protect(self, task: ProtectionTask) -> Protected:
        """Look the noise of every cell up."""
        table = task.table
        if self.noise <= self.smallest:  # a count just above could not fall
            raise ParameterError("tabulation.noise-too-small", noise=self.noise, smallest=self.smallest)
        values: Ints = table.values.copy()
        # Beyond this count the distribution is always the same.
        last = self.noise + self.smallest
        for count in range(1, last + 1):
            chosen = table.values == count if count < last else table.values >= count
            if chosen.any():
                values[chosen] += self._noise(count, table.keys[chosen])
        details = {"changed": int((values != table.values).sum())}
        return Protected(values=values, shown=np.ones(table.size, np.bool_), details=details)

    def _noise(self, count: int, keys: Ints) -> Ints:
        support, chances = noise_distribution(count, self.noise, self.variance, self.smallest)
        ends = np.rint(np.cumsum(chances) * KEYS).astype(np.int64)
        ends[-1] = KEYS
        return support[np.searchsorted(ends, keys, side="right")]


def noise_distribution(count: int, noise: int, variance: float, smallest: int) -> tuple[Ints, Floats]:
    """Return what may be added to a count, and how likely each is: of most entropy with mean 0 and that variance.

    Where no noise on what is allowed has the variance, it is the nearest that one has.
    """
    reach = np.arange(max(-noise, -count), noise + 1)
    support = reach[(count + reach == 0) | (count + reach > smallest)]
    least, most = (_extreme(support, sign) for sign in (1, -1))
    for edge, inside in ((least, variance <= least @ support**2), (most, variance >= most @ support**2)):
        if inside:
            return support, edge

    def off(slopes: Floats) -> list[float]:
        chances = _tilted(support, slopes)
        return [float(chances @ support), float(chances @ support**2) - variance]

    start = np.array([0.0, -0.5 / max(variance, 0.1)])
    solution = root(off, start, method="hybr", tol=1e-12)
    if np.abs(off(solution.x)).max() > 1e-6:
        solution = root(off, np.zeros(2), method="lm", tol=1e-14)
    return support, _tilted(support, solution.x)


def _tilted(support: Ints, slopes: Floats) -> Floats:
    weights = slopes[0] * support + slopes[1] * support**2
    raised = np.exp(weights - weights.max())
    return np.asarray(raised / raised.sum(), np.float64)


def _extreme(support: Ints, sign: int) -> Floats:
    """Return the distribution of mean 0 with the least (1) or the largest (-1) variance."""
    rules = np.vstack([np.ones(support.size), support])
    solution = linprog(sign * support.astype(np.float64) ** 2, A_eq=rules, b_eq=[1, 0], bounds=(0, 1))
    return np.asarray(solution.x, np.float64)
