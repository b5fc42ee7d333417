"""The source of a descent: the table it is about, whether its tuples are at hand or far away."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from antifaz.core.progress import Progress
from antifaz.counting.frequencies import FrequencySet, SensitiveCells
from antifaz.counting.lattice import Lattice
from antifaz.methods.specialization.descent import Descent, Guide
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.ground import Ground, Near
from antifaz.methods.specialization.judging import Rules
from antifaz.methods.specialization.phases import deal_out
from antifaz.methods.specialization.worth import Margin, Worth, margins, worth


class Source(ABC):
    """A table with the forest over it, and what is known of each of its attributes."""

    def __init__(self, forest: Forest, known: Sequence[Margin]) -> None:
        """Take the forest and what is known of every attribute by itself."""
        self.forest = forest
        self.margins = known

    @cached_property
    def worth(self) -> Worth:
        """What each step down is worth."""
        return worth(self.forest, self.margins)

    def descend(self, guide: Guide, start: Cut, progress: Progress | None = None) -> Descent:
        """Go down from a cut as the guide says."""
        return guide.descend(self.ground(guide.rules, start), self.worth, progress)

    @abstractmethod
    def ground(self, rules: Rules, cut: Cut) -> Ground:
        """Return the ground at a cut, on which these rules are to hold."""

    @abstractmethod
    def first(self, guide: Guide, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Deal the records out to partitions and return the cuts at which these end."""

    @abstractmethod
    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table, right at this cut and above it."""

    def close(self) -> None:
        """Give back what was needed on the way."""
        return


class AtHand(Source):
    """The source where all distinct tuples are at hand."""

    def __init__(self, forest: Forest, frequencies: FrequencySet, cells: SensitiveCells | None) -> None:
        """Take the tuples and the cells of what steps gain information about."""
        super().__init__(forest, margins(frequencies, cells))
        self._frequencies, self._cells = frequencies, cells

    def ground(self, rules: Rules, cut: Cut) -> Ground:
        """Return the ground at a cut."""
        return Near(self.forest, self._frequencies, cut)

    def first(self, guide: Guide, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Go down with one partition after the other."""
        cuts: list[Cut] = []
        for part, cells in deal_out(self._frequencies, self._cells, partitions, seed):
            progress.tell(None, f"partition {len(cuts) + 1:,} of {partitions:,}")
            cuts.append(AtHand(self.forest, part, cells).descend(guide, self.forest.roots()).cut)
        return cuts

    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table, right everywhere."""
        return Lattice(self._frequencies, self.forest.ladders)
