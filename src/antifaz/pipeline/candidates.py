"""What a person chooses from: every candidate that satisfies the models, and the frontier, what each k costs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, overload

import numpy as np

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.inline import Inline
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.engines.engine import Data
from antifaz.hierarchies.level_words import words_of
from antifaz.methods.method import Method, nearest
from antifaz.methods.recoding.full_domain import Search
from antifaz.methods.recoding.search import Solution
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.prepare import make_task, start_run
from antifaz.pipeline.release import Release
from antifaz.proposals.audiences import USUAL
from antifaz.proposals.auto import Auto
from antifaz.proposals.frontier import try_every_k

#: Scores nearer than this are ties.
_TIE = 1e-12
#: The largest lattice of which all candidates are listed; of larger ones the best that are found in time.
LISTED = 200_000
#: The largest lattice of which nodes that don't satisfy are described too, for the drawing.
DRAWN = 2000
#: About how long a frontier of all methods may take, in seconds.
FRONTIER_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """One generalization that satisfies the models, by its levels."""

    levels: dict[str, int]
    quality: float | tuple[float, ...]
    smallest_class: int
    classes: int
    suppressed: int
    #: Whether none is better; several may be.
    best: bool
    _plan: Plan = field(repr=False)
    _data: Data = field(repr=False)

    def apply(self) -> Release:
        """Release the data at these levels: applied, counted again, with evidence."""
        release = Release(start_run(self._plan.with_levels(self.levels), self._data))
        release.check()
        return release

    def as_dict(self) -> dict[str, Any]:
        """Return the candidate as JSON-ready data."""
        names = ("levels", "quality", "smallest_class", "classes", "suppressed", "best")
        return {name: getattr(self, name) for name in names}


class Candidates(Sequence[Candidate], Inline):
    """All candidates, best first, and what is known of the lattice they are in.

    Of a lattice that is too large to go through these are the best that were found; `complete` says so.
    """

    inline_template: ClassVar[str] = "candidates"

    def __init__(self, search: Search, solutions: list[Solution], plan: Plan, data: Data, measure: str) -> None:
        """Take what a search has found, best first; see `find_candidates`."""
        self._search, self.measure = search, measure
        self.columns, self.heights = search.lattice.frequencies.columns, search.lattice.heights
        #: Whether these are all there are.
        self.complete = search.goes_through_all and not search.timed_out
        self.lattice = {"size": search.lattice.size, "checked": search.checked, "complete": self.complete}
        #: Per column what each level does, in words.
        self.words = words_of(search.lattice.ladders)
        self._candidates = [
            Candidate(
                levels=dict(zip(self.columns, solution.levels, strict=True)), quality=solution.score,
                smallest_class=smallest_class(
                    solution.table.lattice, solution.levels, solution.table.sizes, solution.table.kept
                ),
                classes=int(solution.table.sizes.size),
                suppressed=solution.table.suppressed, _plan=plan, _data=data,
                best=bool(np.allclose(solution.score, solutions[0].score, rtol=_TIE, atol=_TIE)),
            )
            for solution in solutions
        ]  # fmt: skip

    @overload
    def __getitem__(self, index: int) -> Candidate: ...
    @overload
    def __getitem__(self, index: slice) -> list[Candidate]: ...
    def __getitem__(self, index: int | slice) -> Candidate | list[Candidate]:
        """Return a candidate by its place, the best being 0."""
        return self._candidates[index]

    def __len__(self) -> int:
        """The number of candidates."""
        return len(self._candidates)

    def as_dict(self) -> dict[str, Any]:
        """Return the candidates as JSON-ready data, best first."""
        listed = [candidate.as_dict() for candidate in self._candidates]
        return {"candidates": listed, "lattice": self.lattice, "words": self.words}

    def drawn(self) -> dict[str, Any]:
        """Return what a picture needs: columns, heights, the nodes, and which node is one level below which.

        A lattice that is too large to draw has none of these.
        """
        if self.lattice["size"] > DRAWN:
            return {}
        nodes = self.nodes()
        places = {tuple(node["levels"].values()): i for i, node in enumerate(nodes)}
        above = (
            (place, places.get((*levels[:a], level + 1, *levels[a + 1 :])))
            for levels, place in places.items()
            for a, level in enumerate(levels)
        )
        edges = [[low, high] for low, high in above if high is not None]
        return {"columns": list(self.columns), "heights": list(self.heights), "nodes": nodes, "edges": edges}

    def nodes(self) -> list[dict[str, Any]]:
        """Return the nodes to draw: the candidates, and in a small lattice also those that don't satisfy."""
        drawn = [candidate.as_dict() | {"satisfies": True} for candidate in self._candidates]
        if self.lattice["size"] > DRAWN:
            return drawn
        lattice = self._search.lattice
        known = {tuple(candidate.levels.values()) for candidate in self._candidates}
        for rank in lattice.ranks():
            for levels in rank:
                if levels not in known:
                    sizes = lattice.sizes(levels)
                    smallest = smallest_class(lattice, levels, sizes)
                    measures = {"smallest_class": smallest, "classes": int(sizes.size), "quality": None}
                    named = dict(zip(self.columns, levels, strict=True))
                    drawn.append({"levels": named, "satisfies": False, "best": False, "suppressed": None} | measures)
        return drawn


def smallest_class(lattice: Lattice, levels: Levels, sizes: Ints, kept: Flags | None = None) -> int:
    """Return the least of the sizes of classes, or how many people the kept one with the fewest has."""
    people = lattice.class_table(levels, ()).people if lattice.frequencies.people is not None else None
    return int((sizes if people is None else people.heads if kept is None else people.heads[kept]).min())


def find_candidates(plan: Plan, data: Data, progress: Progress | None = None) -> Candidates:
    """Search the lattice, all of it where it is small enough; raise `PrivacyNotReached` where nothing is found."""
    if not plan.method.chooses_levels:
        plan = plan.with_method(plan.method.level_search())
    if not plan.method.chooses_levels:
        raise ParameterError("plan.candidates-need-full-domain", method=plan.method.name)
    progress = progress or Progress()
    with data.snapshot(), progress.step("count", Message("progress.counting")):
        search: Search = plan.method.search(make_task(plan, data, progress), largest=LISTED)
    with progress.step("decide", Message("progress.going-through-lattice")):
        solutions = search.find_all()
    if not solutions:
        with plan.hardening.hide_sizes():
            raise PrivacyNotReached(nearest(search.lattice, search.models, search.allowed, search.high))
    return Candidates(search, solutions, plan, data, plan.method.parameters()["quality"])


def fitting_methods(plan: Plan, data: Data, tries: int) -> list[Method]:
    """Return the methods that fit a table, of those that there is time to try so many times."""
    auto = Auto(seconds=FRONTIER_SECONDS / max(tries, 1))
    own = auto if data.by_row else auto.on_counts()
    with data.snapshot():
        return own.fitting(make_task(plan.with_method(own), data))


def frontier(
    plan: Plan, data: Data, ks: Sequence[int], progress: Progress | None = None, methods: Sequence[Method] = ()
) -> dict[str, Any]:
    """Decide for every k, without writing anything, and recommend one with its reason.

    With `methods` each of them is tried instead of the plan's own.
    """
    if plan.person:
        raise ParameterError("people.frontier-counts-records")
    if plan.microaggregate:
        raise ParameterError("microaggregate.frontier")
    progress = progress or Progress()
    # What tries several methods would try them for every k: of these the one that chooses levels stands for all.
    own = plan.method.level_search() if set(plan.quasi_identifiers) <= set(plan.hierarchies) else plan.method
    plans = [plan.with_method(method) for method in methods or [own]]
    with data.snapshot(), progress.step("count", Message("progress.counting")):
        tasks = [(one.method, make_task(one, data, progress)) for one in plans]
    with progress.step("decide", Message("progress.trying-every-k")):
        return try_every_k(tasks, ks, progress, plan.audience or USUAL)
