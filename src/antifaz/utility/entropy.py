"""Measures of information: non-uniform entropy, its normalized form, and the Kullback–Leibler divergence."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Ladder, Levels
from antifaz.utility.quality import Aggregate, AttributeQuality, Quality, cut


class Entropy(AttributeQuality):
    """How many bits it takes to say again which original value a generalized one was."""

    name: ClassVar[str] = "entropy"
    summary: ClassVar[str] = "How many bits of the original values are lost, frequent values costing less."
    details: ClassVar[str] = (
        "Non-uniform entropy: replacing a value by a group in which it is frequent loses little. Records left out lose "
        "also what their generalized values still told among themselves."
    )
    formula: ClassVar[str] = (
        "−Σ over records log₂(count of its value / count of its generalized value), + s·H(left out)"
    )
    source: ClassVar[str] = "A. Gionis, T. Tassa, k-anonymization with minimal loss of information, TKDE 21(2), 2009"

    aggregate: Aggregate = Field(default="sum", description="How the losses of the attributes become one.")

    def losses(self, table: Generalization) -> list[float]:
        """Return the bits lost of every attribute."""
        losses = []
        rows = zip(table.ladders, table.levels, table.originals, table.marginals, strict=True)
        for ladder, level, base, kept in rows:
            everyone = _climbed(ladder, level, base)
            lost = (_self_information(base) - _self_information(everyone)) * self.generalized_weight
            losses.append(cut(lost + _total_entropy(everyone - kept) * self.suppressed_weight))
        return losses

    def least(self, ladder: Ladder, level: int, records: Ints, allowed: int) -> float:
        """Return the bits lost with nobody left out, less those of the original: what leaving out costs is on top."""
        return -_self_information(records) * self.generalized_weight

    def _scaled(self, least: Floats) -> Floats:
        return np.array([cut(bits) for bits in (least - least[0]).tolist()])


class NormalizedEntropy(Entropy):
    """Non-uniform entropy of each attribute, as a share of what it can lose at most."""

    name: ClassVar[str] = "normalized-entropy"
    summary: ClassVar[str] = "Bits lost per attribute, as a share of the most that it can lose."
    details: ClassVar[str] = "Like entropy, but an attribute with many values does not outweigh the others."
    formula: ClassVar[str] = "Σ over attributes of entropy(level) / entropy(top)"
    source: ClassVar[str] = "F. Prasser, R. Bild, K. Kuhn, A generic method for assessing the quality of data, 2016"

    def losses(self, table: Generalization) -> list[float]:
        """Return the share lost of every attribute; a record left out loses all of its."""
        losses = []
        out = table.suppressed / table.rows if table.rows else 0.0
        for ladder, level, base in zip(table.ladders, table.levels, table.originals, strict=True):
            whole = _self_information(base)
            most = whole - _self_information(_climbed(ladder, ladder.height, base))
            share = (whole - _self_information(_climbed(ladder, level, base))) / most if most else 0.0
            losses.append(share * self.generalized_weight + out * (1 - share) * self.suppressed_weight)
        return losses

    def _scaled(self, least: Floats) -> Floats:
        lost: Floats = least - least[0]
        shares = lost / lost[-1] * self.generalized_weight if lost[-1] else lost
        return np.minimum(shares, self.suppressed_weight)


def _climbed(ladder: Ladder, level: int, base: Ints) -> Ints:
    """The records by label at a level, from the records by label at the lowest."""
    upward = np.zeros(ladder.size(0), np.int64)
    upward[ladder.up[0]] = ladder.up[level]
    return np.bincount(upward, weights=base, minlength=ladder.size(level)).astype(np.int64)


def _self_information(counts: Ints) -> float:
    """−Σ n log₂ n, so that differences of it are the bits lost by merging."""
    some = counts[counts > 0]
    return -float(np.dot(some, np.log2(some)))


def _total_entropy(counts: Ints) -> float:
    """The number of records times the entropy of their values."""
    total = int(counts.sum())
    return _self_information(counts) + total * float(np.log2(total)) if total else 0.0


class Divergence(Quality):
    """How far the distribution of released tuples, spread over what they may stand for, is from the original one."""

    name: ClassVar[str] = "kl-divergence"
    summary: ClassVar[str] = "How far the released distribution is from the original one, in bits."
    details: ClassVar[str] = (
        "A released record is spread evenly over all combinations of leaves that it may stand for; the divergence of "
        "the original distribution of tuples from that is measured. Records left out are spread over the whole domain."
    )
    formula: ClassVar[str] = "Σ over tuples p log₂(p/q), q = |E|/(N·combinations under E)"
    source: ClassVar[str] = "D. Kifer, J. Gehrke, Injecting utility into anonymized datasets, SIGMOD 2006"

    def score(self, table: Generalization) -> float:
        """Return the divergence in bits."""
        bits = _information(table.sizes, table.volumes)
        if table.suppressed:
            whole = float(np.prod([float(ladder.leaves) for ladder in table.ladders]))
            bits += _information(np.array([table.suppressed]), np.array([whole]))
        return (bits + table.tuple_information) / table.rows if table.rows else 0.0

    def floor(self, lattice: Lattice, levels: Levels, allowed: int) -> float | None:
        """Return the divergence with nobody left out, where that is certain to be the least."""
        if allowed:
            return None
        bits = _information(lattice.sizes(levels), lattice.volumes(levels))
        rows = lattice.rows
        return (bits - _self_information(lattice.frequencies.counts)) / rows if rows else 0.0


def _information(sizes: Ints, volumes: Floats) -> float:
    """−Σ |E| log₂(|E|/volume)."""
    return float(np.dot(sizes, np.log2(volumes) - np.log2(sizes))) if sizes.size else 0.0
