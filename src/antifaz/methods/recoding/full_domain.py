"""Full-domain generalization: every value of an attribute is released at the same level of its hierarchy."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached, hint
from antifaz.core.messages import Message
from antifaz.counting.generalization import LevelGroup, LocalGeneralization, part_of, tuples_within
from antifaz.counting.lattice import Lattice
from antifaz.counting.payouts import Stakes
from antifaz.counting.rollup import Ladder, Levels
from antifaz.methods.method import Decision, Method, Task, nearest
from antifaz.methods.recode import recode, recode_tuples
from antifaz.methods.recoding.anytime import AnytimeSearch, Budget
from antifaz.methods.recoding.box_search import leading
from antifaz.methods.recoding.search import LatticeSearch, Solution, lattice_of
from antifaz.privacy.model import PrivacyModel
from antifaz.utility import QUALITIES, Entropy
from antifaz.utility.quality import Quality

Search = LatticeSearch | AnytimeSearch

#: Lattices of more nodes are not held in memory: they are searched for the best that can be found in time.
LARGEST_HELD = 4_000_000


@dataclass(frozen=True, eq=False)
class SearchRound:
    """One search, what it found, and the tuples of the whole frequency set from which it releases."""

    search: Search
    best: Solution
    tuples: Ints

    def as_dict(self) -> dict[str, Any]:
        """Return the round as JSON-ready data: its levels, and how many records it releases."""
        columns = self.search.lattice.frequencies.columns
        levels = dict(zip(columns, self.best.levels, strict=True))
        return {"levels": levels, "records": int(self.best.table.sizes.sum())}


def objection(table: LocalGeneralization, models: tuple[PrivacyModel, ...], allowed: int) -> str | None:
    """Say why the rounds can't be released together, or None where they can.

    Each round was judged by itself; classes of two rounds with the same labels are one class to the reader, and must
    satisfy the models as one.
    """
    if table.suppressed > allowed:
        return Message("method.rounds-leave-out-too-many", suppressed=table.suppressed, allowed=allowed)
    classes = table.class_table()
    failed = [model.name for model in models if not model.judge(classes).holds]
    return Message("method.rounds-fail-together", failed=failed) if failed else None


class FullDomain(Method):
    """Find the generalization levels that lose least among all that satisfy the models."""

    name: ClassVar[str] = "full-domain"
    summary: ClassVar[str] = (
        "All values of a column go to the same level, as with Incognito (2005); the least lossy combination is found."
    )
    details: ClassVar[str] = (
        "What Incognito (LeFevre 2005) finds: all combinations of levels that hold, and the best of them. The "
        "combinations form a lattice. Each is counted by rolling up the counts of a neighbour, so the "
        "rows are read once, and what can't be the best is never counted. Records in classes that fail a model may be "
        "left out, up to a limit. The result is easy to explain and to analyse, because a value is released in the "
        "same way everywhere; it loses more than local recoding does. The optimum is proven, unless a budget runs out "
        "or the lattice has more than four million nodes: then the best found is taken (by default after half a minute "
        "at most), and how far from the optimum it may be is said. With several rounds, "
        "records that one search leaves out are searched again at levels of their own (local recoding): less is lost, "
        "but a value may be released in several ways, only each round is optimal, and whoever knows the method may "
        "undo part of it, because a record released late can't be one that would have been released early "
        "(refinement attacks)."
    )
    source: ClassVar[str] = "K. LeFevre et al., Incognito: efficient full-domain k-anonymity, SIGMOD 2005"
    surest_of_six: ClassVar[int | None] = 100
    needs_hierarchies: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True
    chooses_levels: ClassVar[bool] = True
    compares_classes: ClassVar[bool] = True

    quality: str = Field(default="loss", description="What the best generalization has least of.")
    suppression: float = Field(
        default=0.0, ge=0, le=1, description="The largest share of records that may be left out of the release."
    )
    aggregate: Literal["sum", "mean", "geometric-mean", "maximum", "rank"] | None = Field(
        default=None, description="How the losses of the attributes become one, where the quality has some."
    )
    weights: dict[str, float] = Field(
        default_factory=dict, description="How much attributes matter: 1 for those not named, 0 for not at all."
    )
    balance: float | None = Field(
        default=None, ge=0, le=1, description="Below 0.5 leaving records out costs less, above it generalizing does."
    )
    target: str | None = Field(default=None, description="For quality classification: the column to be predicted.")
    stakes: Stakes | None = Field(
        default=None, description="For quality publisher-payout: benefit, loss, gain and cost of one record."
    )
    lowest: dict[str, int] = Field(default_factory=dict, description="Per attribute, the lowest level allowed.")
    highest: dict[str, int] = Field(default_factory=dict, description="Per attribute, the highest level allowed.")
    levels: dict[str, int] = Field(
        default_factory=dict, description="One candidate, chosen by its levels, instead of the best."
    )
    seconds: float | None = Field(
        default=None,
        gt=0,
        description="Time budget for the search; the best found by then is taken. What is found may differ from run to "
        "run: see checks.",
    )
    checks: int | None = Field(
        default=None,
        gt=0,
        description="Budget in combinations of levels that are counted: with the same seed it finds the same again.",
    )
    rounds: int = Field(
        default=1,
        ge=1,
        le=100,
        description=(
            "How often to search: above 1, what was left out is searched again at levels of its own (local recoding). "
            "Loses less; whoever knows the method may undo part of it (refinement attacks)."
        ),
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        measure = self.measure()
        if self.rounds > 1 and isinstance(measure, Entropy):
            raise ParameterError("method.quality-needs-one-round", name=self.name, quality=self.quality)
        for column, weight in self.weights.items():
            if not (weight >= 0 and np.isfinite(weight)):
                raise ParameterError("method.weight-negative", name=self.name, column=column, weight=weight)
        return self

    def measure(self) -> Quality:
        """Return the quality model with what was said about it."""
        declared = QUALITIES[self.quality]
        options: dict[str, Any] = {"aggregate": self.aggregate, "balance": self.balance, "target": self.target}
        options |= {} if self.stakes is None else self.stakes.model_dump()
        given = {key: value for key, value in options.items() if value is not None}
        if self.weights:
            given["weights"] = self.weights
        for key in given:
            if key not in declared.model_fields:
                raise ParameterError("method.quality-has-no-parameter", name=self.name, quality=self.quality, key=key)
        return declared(**given)

    def needs(self) -> tuple[str, ...]:
        """The target's counts, where there is one."""
        return self.measure().needs()

    @property
    def one_label_per_value(self) -> bool:
        """In one round."""
        return self.rounds == 1

    def search(
        self, task: Task, allowed: int | None = None, seconds: float | None = None, largest: int | None = None,
        lattice: Lattice | None = None,
    ) -> Search:  # fmt: skip
        """Return the search that this method makes, ready to go; a round of several says what it is allowed.

        A lattice of more than the `largest` number of nodes is not gone through; one that is given was counted before.
        """
        lattice, most = lattice_of(task, self.suppression, lattice)
        self._columns(lattice.ladders)
        low = self._bound(lattice.ladders, self.levels or self.lowest, lattice.bottom)
        high = self._bound(lattice.ladders, self.levels or self.highest, lattice.heights)
        if any(a > b for a, b in zip(low, high, strict=True)):
            raise ParameterError("method.lowest-level-above-highest", name=self.name)
        allowed = most if allowed is None else allowed
        seconds = self.seconds if seconds is None else seconds
        asked = (lattice, task.models, self.measure(), allowed, task.progress)
        if lattice.size <= (LARGEST_HELD if largest is None else largest):
            return LatticeSearch(*asked, within=(low, high), seconds=seconds, checks=self.checks)
        seed = int(task.random.integers(2**63))
        return AnytimeSearch(*asked, within=(low, high), budget=Budget(seconds, self.checks), seed=seed)

    def decide(self, task: Task) -> Decision:
        """Find the optimum, or the best within the budget: of all records, or round by round of those that are left."""
        if self.rounds > 1 and not self.levels:
            # Rounds are searched one by one, so their classes can't be compared.
            return self._in_rounds(task.in_classes())
        return self._in_one(task, *([Message("warning.levels-chosen-in-one-round")] if self.rounds > 1 else []))

    def _in_one(self, task: Task, *warnings: str) -> Decision:
        search = self.search(task)
        best = search.find_best()
        if best is None:
            if search.timed_out:
                raise PrivacyNotReached("method.budget-ran-out", checked=search.checked)
            raise PrivacyNotReached(nearest(search.lattice, search.models, search.allowed, search.high))
        return self._decided(SearchRound(search, best, np.arange(task.frequencies.counts.size)), warnings)

    def _decided(self, only: SearchRound, warnings: tuple[str, ...] = ()) -> Decision:
        search, best, lattice = only.search, only.best, only.search.lattice
        best.table.lattice.keep_only(best.levels)
        details = {
            "levels": only.as_dict()["levels"],
            "score": best.score,
            "lattice": {"size": lattice.size, "checked": search.checked},
            "gap": search.gap,
        }
        if self.rounds > 1:
            details["rounds"] = [only.as_dict()]
        return Decision(
            recoding=recode(best.table.lattice, best.levels, best.table.kept),
            left_out=best.table.lattice.left_out,
            details=details,
            table=best.table,
            warnings=(*warnings, *self._unproven(search, best)),
        )

    def _in_rounds(self, task: Task) -> Decision:
        if task.frequencies.population is not None:
            raise ParameterError("method.population-needs-one-round", name=self.name)
        if task.leave_out == "people" and self.suppression:
            raise ParameterError("method.people-left-out-in-one-round", name=self.name)
        allowed = lattice_of(task, self.suppression)[1]
        made = self._make_rounds(task, allowed)
        if not made:
            return self._in_one(task)
        table = LocalGeneralization(
            made[0].search.lattice, [LevelGroup(each.best.levels, each.tuples) for each in made]
        )
        why_not = objection(table, task.models, allowed)
        if why_not is not None:
            return self._in_one(task, Message("warning.one-round", rounds=self.rounds, why_not=why_not))
        if len(made) == 1:
            # It left out no more than is allowed, so it is the optimum of a single search.
            return self._decided(made[0])
        return Decision(
            recoding=recode_tuples(table),
            details={
                "levels": made[0].as_dict()["levels"],
                "score": self.measure().score(table),
                "lattice": {"size": table.lattice.size, "checked": sum(each.search.checked for each in made)},
                "gap": max(each.search.gap for each in made),
                "rounds": [each.as_dict() for each in made],
            },
            table=table,
            warnings=(
                Message("warning.several-rounds", rounds=len(made)),
                *(w for each in made for w in self._unproven(each.search, each.best)),
            ),
        )

    def _make_rounds(self, task: Task, allowed: int) -> list[SearchRound]:
        """Search again what is not released yet, until at most `allowed` records are left, or nothing is found.

        Each round must release its share of what is left, or the first ones would leave everything difficult to the
        last, which may leave out the allowed number only.
        """
        made: list[SearchRound] = []
        began, counts = monotonic(), task.frequencies.counts
        left = np.arange(counts.size)
        for to_go in range(self.rounds, 0, -1):
            part = part_of(task.frequencies, left) if made else task.frequencies
            rows = part.rows
            # Each round gets its share of the time that is left.
            seconds = None if self.seconds is None else max(0.0, self.seconds - (monotonic() - began)) / to_go
            task.progress.tell(None, Message("progress.round", round=self.rounds - to_go + 1, rows=rows))
            may = allowed if to_go == 1 else max(allowed, rows - -(-rows // to_go))
            search = self.search(replace(task, frequencies=part), may, seconds)
            best = search.find_best()
            if best is None:
                break
            inside = tuples_within(search.lattice, best.levels, best.kept)
            made.append(SearchRound(search, best, left[inside]))
            left = left[~inside]
            if int(counts[left].sum()) <= allowed:
                break
        return made

    def _unproven(self, search: Search, best: Solution) -> tuple[str, ...]:
        if not search.gap:
            return ()
        found = {"checked": search.checked, "size": search.lattice.size, "score": best.score, "gap": search.gap}
        return (Message("warning.best-found", bound=leading(best.score) - search.gap, **found),)

    def _columns(self, ladders: tuple[Ladder, ...]) -> None:
        """Refuse levels and weights of columns that are no quasi-identifiers."""
        known = [ladder.column for ladder in ladders]
        for word, by_column in (("weights", self.weights), ("lowest", self.lowest), ("highest", self.highest)):
            for column in by_column:
                if column not in known:
                    near = {"column": column, "hint": hint(column, known)}
                    raise ParameterError("method.names-no-quasi-identifier", name=self.name, word=word, **near)
        for column in self.levels:
            if column not in known:
                near = {"column": column, "hint": hint(column, known)}
                raise ParameterError("method.levels-names-no-quasi-identifier", name=self.name, **near)
        if self.levels and len(self.levels) != len(known):
            left = ", ".join(column for column in known if column not in self.levels)
            raise ParameterError("method.levels-leave-out-quasi-identifier", name=self.name, left=left)

    def _bound(self, ladders: tuple[Ladder, ...], chosen: Mapping[str, int], default: Levels) -> Levels:
        bound = []
        for ladder, usual in zip(ladders, default, strict=True):
            level = chosen.get(ladder.column, usual)
            if not 0 <= level <= ladder.height:
                raise ParameterError(
                    "method.level-out-of-range", name=self.name, column=ladder.column, height=ladder.height, level=level
                )
            bound.append(level)
        return tuple(bound)
