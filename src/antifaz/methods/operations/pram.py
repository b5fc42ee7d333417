"""PRAM, the post-randomization method: categories change at random, with known probabilities."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.methods.operations.grouped import GroupedPerturbation
from antifaz.sources.column_values import (
    Categories,
    read_categories,
    read_strata,
    write_categories,
)
from antifaz.sources.frames import column_names, to_arrow

Matrix = dict[str, dict[str, float]]


def _stochastic(matrix: Any) -> Any:
    """A matrix with text for keys; or a sentence of its own, because the whole matrix would be quoted otherwise."""
    if matrix is None:
        return None
    if not isinstance(matrix, Mapping) or not matrix or not all(isinstance(row, Mapping) for row in matrix.values()):
        raise ParameterError("pram.matrix-not-a-mapping")
    made = {str(key): {str(to): _share(share) for to, share in row.items()} for key, row in matrix.items()}
    for place, row in enumerate(made.values(), start=1):
        total = math.fsum(row.values())
        if abs(total - 1) > 1e-9:
            raise ParameterError("pram.matrix-not-stochastic", place=place, count=len(made), total=total)
    return made


def _share(share: Any) -> float:
    number = isinstance(share, (int, float, np.integer, np.floating)) and not isinstance(share, bool)
    if not number or not 0 <= share <= 1:
        raise ParameterError("pram.matrix-holds-no-probabilities")
    return float(share)


class Pram(GroupedPerturbation):
    """Changes each category at random into another or itself, with probabilities that are known."""

    name: ClassVar[str] = "pram"
    summary: ClassVar[str] = "Each category stays or changes at random into another, with known probabilities."
    details: ClassVar[str] = (
        "Without a matrix, a value stays with the probability 'keep' and is otherwise drawn anew: invariant, from the "
        "values of all records (so it may come out again, and the expected frequencies stay what they are); not "
        "invariant, from the other categories, all alike, which makes rare ones more frequent. A matrix given is "
        "used as it is; made invariant, it is followed by its own inverse (what the value was likely to have been). "
        "With strata, frequencies are those within each stratum, and values never leave theirs. Any type but nested "
        "ones; numbers are taken as categories. Missing values stay missing. A column of one category stays as it is."
    )
    formula: ClassVar[str] = (
        "P(l | k) = R_kl; invariant: t·R = t, R = keep·I + (1 − keep)·1·tᵀ/n, or R = P·Q, Q_lk ∝ t_k·P_kl"
    )
    source: ClassVar[str] = (
        "J. Gouweleeuw, P. Kooiman, L. Willenborg, P.-P. de Wolf, Post randomisation for statistical disclosure "
        "control, Journal of Official Statistics 14(4), 1998"
    )
    primary: ClassVar[str] = "keep"
    numbers: ClassVar[bool] = False
    knows_strata: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("matrix",)
    examples: ClassVar[tuple[dict[str, Any], ...]] = (
        {"keep": 0.8},
        {"keep": 0.5, "invariant": False},
        {"matrix": {"blue": {"blue": 0.9, "red": 0.1}, "red": {"red": 1.0}}},
    )

    keep: float = Field(
        default=0.8, ge=0, le=1, description="The least probability that a value stays, where no matrix is given."
    )
    matrix: Annotated[Matrix | None, BeforeValidator(_stochastic)] = Field(
        default=None,
        description="For each category the probabilities of what it becomes, {from: {to: probability}}; each row sums "
        "to 1, categories left out of a row have 0, and every category of the data needs a row.",
    )
    invariant: bool | None = Field(
        default=None,
        description="Whether the expected frequencies of the categories stay; by default they do, unless a matrix is "
        "given.",
    )

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Change each column by itself."""
        for name in columns:
            read = read_categories(self.name, table, name)
            strata = read_strata(self.name, table, self.strata)[read.rows]
            matrix = None if self.matrix is None else _Given.read(self, read)
            codes = self._redrawn(read, strata, random) if matrix is None else matrix.drawn(strata, random)
            table = write_categories(table, matrix.categories if matrix else read, codes)
        return table

    def transitions(self, table: pa.Table, columns: Sequence[str]) -> dict[str, Any]:
        """Return the probabilities for each column, {from: {to: probability}}, with strata one for each of them."""
        table = self.once(table, columns)[0]
        made: dict[str, Any] = {}
        for name in columns:
            read = read_categories(self.name, table, name)
            strata = read_strata(self.name, table, self.strata)[read.rows]
            shown = {}
            for stratum, row in zip(*np.unique(strata, return_index=True), strict=True):
                within = read.codes[strata == stratum]
                label = tuple(table.column(key)[int(read.rows[row])].as_py() for key in self.strata)
                shown[label] = self._matrix(read, within)
            made[name] = shown if self.strata else next(iter(shown.values()), {})
        return made

    def _redrawn(self, read: Categories, strata: Ints, random: np.random.Generator) -> Ints:
        """New codes by the matrix that needs none: most stay, the others are drawn anew."""
        codes = read.codes.copy()
        anew = np.flatnonzero(random.random(codes.size) >= self.keep)
        here = strata[anew]
        if self.invariant is not False:
            # A value of a random record of the stratum is a draw from the stratum's frequencies.
            order = np.argsort(strata, kind="stable")
            starts, many = _runs(strata)
            codes[anew] = codes[order[starts[here] + _below(many[here], random)]]
            return codes
        width = len(read.labels)
        pairs, places = np.unique(strata * width + codes, return_inverse=True)
        starts, many = _runs(pairs // max(width, 1))
        # One of the others: some places on from the own, around the circle; a category that is alone stays.
        steps = np.where(many[here] > 1, 1 + _below(np.maximum(many[here] - 1, 1), random), 0)
        codes[anew] = pairs[starts[here] + (places[anew] - starts[here] + steps) % many[here]] % width
        return codes

    def _matrix(self, read: Categories, within: Ints) -> Matrix:
        """The probabilities between the categories that a stratum has."""
        if self.matrix is not None:
            matrix = _Given.read(self, read)
            return _shown(matrix.categories.labels, np.unique(within), matrix.matrix(within))
        counts = np.bincount(within, minlength=len(read.labels)).astype(np.float64)
        here, own = np.flatnonzero(counts), np.eye(counts.size)
        if self.invariant is not False:
            return _shown(read.labels, here, (1 - self.keep) * counts / counts.sum() + self.keep * own)
        if here.size == 1:
            return _shown(read.labels, here, own)
        return _shown(read.labels, here, np.where(own, self.keep, (counts > 0) * (1 - self.keep) / (here.size - 1)))


def _shown(labels: Sequence[str], here: Ints, rows: Floats) -> Matrix:
    return {labels[k]: {labels[int(to)]: float(rows[k][to]) for to in np.flatnonzero(rows[k])} for k in here}


def _below(limits: Ints, random: np.random.Generator) -> Ints:
    """For each limit a whole number from 0 up to, but not including it."""
    return np.minimum((random.random(limits.size) * limits).astype(np.int64), limits - 1)


def _runs(strata: Ints) -> tuple[Ints, Ints]:
    """Where each stratum begins when they are sorted, and how often each occurs."""
    many = np.bincount(strata)
    return np.cumsum(many) - many, many


@dataclass(frozen=True)
class _Given:
    """A matrix that was given, for the categories of a column; the first ones have rows, all may be drawn."""

    categories: Categories
    rows: Floats
    invariant: bool

    @classmethod
    def read(cls, pram: Pram, read: Categories) -> "_Given":
        """Bring the matrix into the order of the column's categories, and add those that only it knows."""
        matrix = pram.matrix or {}
        lacking = sum(label not in matrix for label in read.labels)
        if lacking:
            raise ParameterError("pram.matrix-lacks-rows", count=lacking, labels=len(read.labels), read=read.name)
        known = set(read.labels)
        new = sorted({to for label in read.labels for to, share in matrix[label].items() if share} - known)
        wider = read.with_more(pram.name, new)
        rows = np.array([[matrix[label].get(to, 0.0) for to in wider.labels] for label in read.labels])
        return cls(wider, rows.reshape(len(read.labels), len(wider.labels)), bool(pram.invariant))

    def matrix(self, codes: Ints) -> Floats:
        """The probabilities for records with these codes: as given, or so that their frequencies are kept."""
        if not self.invariant:
            return self.rows
        joint = np.bincount(codes, minlength=len(self.rows))[:, None] * self.rows
        total = joint.sum(axis=0)
        back = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0).T
        # Not a matrix product, whose last digit depends on the number of threads.
        return np.asarray(np.einsum("kl,lm->km", self.rows, back))

    def drawn(self, strata: Ints, random: np.random.Generator) -> Ints:
        """New codes, drawn stratum by stratum."""
        codes = self.categories.codes
        made = codes.copy()
        draws = random.random(codes.size)
        # A matrix that is used as it is does not know strata.
        groups = strata if self.invariant else np.zeros_like(strata)
        for within in np.split(np.argsort(groups, kind="stable"), _runs(groups)[0][1:]):
            rows = self.matrix(codes[within])
            for code in np.unique(codes[within]):
                here = within[codes[within] == code]
                limits = np.cumsum(rows[code])
                # The last category that can be drawn takes what rounding left over.
                last = int(np.flatnonzero(rows[code])[-1])
                made[here] = np.minimum(np.searchsorted(limits, draws[here], side="right"), last)
        return made


def pram_matrix(frame: Any, columns: Sequence[str] | str, **parameters: Any) -> dict[str, Any]:
    """Return the transition probabilities that `pram` with the same parameters uses on this frame.

    For each column `{from: {to: probability}}`, categories as text; with strata one such mapping for each combination
    of the strata's values.
    """
    return Pram.parse(parameters).transitions(to_arrow(frame), column_names(Pram.name, columns))
