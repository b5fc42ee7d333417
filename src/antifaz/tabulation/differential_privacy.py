"""Differentially private tables of counts: noise and a threshold by OpenDP, over the cells that no other is a part of.

A cell whose noisy count is below the threshold is left out with its labels, because that a value occurs at all may be
what one person adds. Totals are the sums of what is left, which costs nothing more.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import MissingExtra, ParameterError
from antifaz.core.messages import Message
from antifaz.core.values import ANY
from antifaz.tabulation.contributions import Contributions
from antifaz.tabulation.protection import Protected, Protection, ProtectionTask
from antifaz.tabulation.table import CellTable

_DETAILS = (
    "Noise is drawn for each cell of values; below a threshold that follows from δ the cell is left out with its "
    "labels. Totals are the sums of the cells that are left. With a person key the promise is for people: of each at "
    "most `cells` cells count, drawn at random; else it is for records. Noise comes from OpenDP, which draws it "
    "exactly and with the randomness of the operating system: no seed repeats it. For counts by columns without "
    "hierarchies. The promise is for the cells alone: evidence and report stay inside."
)
#: No count, and no threshold, is larger.
_LARGEST = 1 << 40


class PrivateCounts(Protection):
    """What both kinds of noise have in common."""

    needs_rules: ClassVar[bool] = False
    sums: ClassVar[bool] = False
    omits_hidden: ClassVar[bool] = True
    details: ClassVar[str] = _DETAILS

    epsilon: float = Field(gt=0, le=20, description="By how much one person, or record, may change probabilities: e^ε.")
    delta: float = Field(
        default=1e-6, ge=1e-15, le=0.01, description="The probability that somebody is told of by a cell of their own."
    )
    cells: int = Field(default=1, ge=1, le=1000, description="In how many cells of values a person counts at most.")

    @property
    def cells_per_person(self) -> int | None:
        """As told."""
        return self.cells

    @property
    def privacy_spent(self) -> tuple[float, float]:
        """The ε and δ of a release."""
        return self.epsilon, self.delta

    def protect(self, task: ProtectionTask) -> Protected:
        """Draw the noise of all cells of values, and add up what is left of them."""
        table = task.table
        if any(own.labels[0] != ANY or any(above > 0 for above in own.parents) for own in table.dimensions):
            raise ParameterError("tabulation.private-without-hierarchies", protection=self.name)
        most = self.cells if table.counts_people else 1
        measurement, details = self.measurement(most)
        there = np.flatnonzero(table.leaves & (table.values > 0))
        drawn = measurement({str(cell): int(table.values[cell]) for cell in there.tolist()})
        noisy, shown = np.zeros(table.size, np.int64), np.zeros(table.size, np.bool_)
        for cell, count in drawn.items():
            noisy[int(cell)], shown[int(cell)] = count, True
        values, shown = _with_totals(table, noisy, shown)
        unit = "people" if table.counts_people else "records"
        return Protected(
            values=values,
            shown=shown,
            details={"unit": unit, "cells": most, "adds_up": True} | details,
            warnings=(Message("warning.private-table-stays-inside"),),
        )

    @abstractmethod
    def measurement(self, most: int) -> tuple[Callable[[dict[str, int]], dict[str, int]], dict[str, Any]]:
        """Return what makes noisy counts of true ones where somebody counts in so many cells, and its parameters."""


class LaplaceNoise(PrivateCounts):
    """Adds Laplace noise to counts and leaves out small ones: (ε, δ)-differentially private."""

    name: ClassVar[str] = "laplace"
    summary: ClassVar[str] = "Counts get Laplace noise, and small ones are left out: (ε, δ)-differentially private."
    formula: ClassVar[str] = "count + Laplace(cells/ε), left out below the threshold that δ asks for"
    source: ClassVar[str] = (
        "A. Korolova et al., Releasing search queries and clicks privately, WWW 2009; R. Rogers, arXiv:2309.09170; "
        "OpenDP's make_laplace_threshold"
    )
    primary: ClassVar[str] = "epsilon"

    def measurement(self, most: int) -> tuple[Callable[[dict[str, int]], dict[str, int]], dict[str, Any]]:
        """Return OpenDP's Laplace threshold with the smallest scale and threshold that it proves to be enough."""
        dp = open_dp()
        space = _counts(dp), dp.l01inf_distance(dp.absolute_distance(T="i64"))

        def made(scale: float, threshold: int) -> Any:
            return dp.m.make_laplace_threshold(*space, scale=scale, threshold=threshold)

        one = (most, most, 1)
        scale = _least_scale(lambda tried: made(tried, _LARGEST).map(one)[0] <= self.epsilon, most / self.epsilon)
        threshold = _least(lambda tried: made(scale, tried).map(one)[1] <= self.delta)
        proven = made(scale, threshold)
        epsilon, delta = proven.map(one)
        return proven, {"scale": scale, "threshold": threshold, "proven": {"epsilon": epsilon, "delta": delta}}


class GaussianNoise(PrivateCounts):
    """Adds Gaussian noise to counts and leaves out small ones: (ε, δ)-differentially private."""

    name: ClassVar[str] = "gaussian"
    summary: ClassVar[str] = "Counts get Gaussian noise, and small ones are left out: (ε, δ)-differentially private."
    details: ClassVar[str] = _DETAILS + " Better than Laplace noise where a person counts in many cells."
    formula: ClassVar[str] = "count + Normal(0, σ²), left out below a threshold; half of δ for each"
    source: ClassVar[str] = (
        "C. L. Canonne, G. Kamath, T. Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020; "
        "R. Rogers, arXiv:2309.09170; OpenDP's make_gaussian_threshold"
    )
    primary: ClassVar[str] = "epsilon"

    def measurement(self, most: int) -> tuple[Callable[[dict[str, int]], dict[str, int]], dict[str, Any]]:
        """Return OpenDP's Gaussian threshold with the smallest scale and threshold that it proves to be enough."""
        dp = open_dp()
        space = _counts(dp), dp.l02inf_distance(dp.absolute_distance(T="i64"))

        def made(scale: float, threshold: int) -> Any:
            return dp.m.make_gaussian_threshold(*space, scale=scale, threshold=threshold)

        def epsilon_of(scale: float) -> float:
            profile, _ = dp.c.make_zCDP_to_approxDP(made(scale, _LARGEST)).map(one)
            return float(profile.epsilon(self.delta / 2))

        # OpenDP takes whole distances: the length of so many ones is rounded up.
        one = (most, math.isqrt(most - 1) + 1, 1)
        guess = math.sqrt(2 * math.log(2 / self.delta) * most) / self.epsilon
        scale = _least_scale(lambda tried: epsilon_of(tried) <= self.epsilon, guess)
        threshold = _least(lambda tried: made(scale, tried).map(one)[1] <= self.delta / 2)
        proven = {"epsilon": epsilon_of(scale), "delta": self.delta / 2 + made(scale, threshold).map(one)[1]}
        return made(scale, threshold), {"scale": scale, "threshold": threshold, "proven": proven}


def open_dp() -> Any:
    """Import OpenDP, or say how to get it."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtra("tabulation.opendp-missing") from None
    # What OpenDP calls contributed is all that has been proven on paper and not yet reviewed by its committee.
    dp.enable_features("contrib")
    return dp


def _counts(dp: Any) -> Any:
    return dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64"))


def _least_scale(is_enough: Callable[[float], bool], guess: float) -> float:
    """Return a scale that is enough, within a thousandth of the least."""
    high = guess
    while not is_enough(high):
        high *= 2
    low = high / 2
    while is_enough(low):
        high, low = low, low / 2
    while high > low * 1.001:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    # The usual formula is exact where it holds at all.
    return guess if guess < high and is_enough(guess) else high


def _least(is_enough: Callable[[int], bool]) -> int:
    """Return the least whole number that is enough; whatever is larger is, too."""
    low, high = 0, 1
    while not is_enough(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _with_totals(table: CellTable, noisy: Ints, shown: Flags) -> tuple[Ints, Flags]:
    """Add up the cells that are shown over each dimension; a total with nothing below it is not shown."""
    values, seen = noisy.reshape(table.shape).copy(), shown.reshape(table.shape).copy()
    for axis, dimension in enumerate(table.dimensions):
        if dimension.size > 1:
            below = [slice(None)] * len(table.dimensions)
            below[axis] = slice(1, None)
            total = [slice(None)] * len(table.dimensions)
            total[axis] = slice(0, 1)
            values[tuple(total)] = values[tuple(below)].sum(axis, keepdims=True)
            seen[tuple(total)] = seen[tuple(below)].any(axis, keepdims=True)
    # The total of everything is always told: what is left may be nothing.
    seen.flat[0] = True
    return values.ravel(), seen.ravel()


def limit_cells(contributions: Contributions, most: int | None, random: np.random.Generator) -> Contributions:
    """Let every person count in at most so many cells of values, drawn at random; records count in one each."""
    if most is None or contributions.persons is None or not contributions.persons.size:
        return contributions
    shape = [bound.dimension.size for bound in contributions.dimensions]
    nodes = [bound.nodes[-1][codes] for bound, codes in zip(contributions.dimensions, contributions.codes, strict=True)]
    places = np.ravel_multi_index(nodes, shape)
    pairs, which = np.unique(np.stack([contributions.persons, places]), axis=1, return_inverse=True)
    order = np.lexsort((random.random(pairs.shape[1]), pairs[0]))
    ordered = pairs[0][order]
    kept = np.zeros(pairs.shape[1], np.bool_)
    kept[order] = np.arange(ordered.size) - np.searchsorted(ordered, ordered) < most
    entries = kept[which.ravel()]
    return replace(
        contributions, codes=tuple(codes[entries] for codes in contributions.codes),
        amounts=contributions.amounts[entries], records=contributions.records[entries],
        persons=contributions.persons[entries],
    )  # fmt: skip
