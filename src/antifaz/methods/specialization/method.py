"""Top-down specialization, in one phase or two."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.recoding import ColumnRecoding, Recoding
from antifaz.counting.frequencies import SensitiveCells, group_codes
from antifaz.counting.generalization import Generalization, LevelGroup, LocalGeneralization
from antifaz.counting.lattice import Lattice
from antifaz.counting.targets import target_of
from antifaz.methods.method import Decision, Method, Task, nearest, why_not
from antifaz.methods.specialization.descent import CutKind, Descent, ScoreName, SpecializedTable, TopDownSearch
from antifaz.methods.specialization.partition import AnonymityRequirement, Cut, Forest, most_general
from antifaz.methods.specialization.remote import specialized_table
from antifaz.privacy.model import PrivacyModel
from antifaz.utility import loss

#: How many labels of a cut, and steps on the way to it, are listed: evidence is read by people.
_LISTED = 100


class Specialization(Method):
    """Start with everything at the root of its tree, and go down step by step as long as the models hold."""

    name: ClassVar[str] = "specialization"
    summary: ClassVar[str] = "From the roots of all trees downwards, at every step the best one that is still safe."
    details: ClassVar[str] = (
        "Greedy: fast, and stopped at any time the table is safe; full-domain finds the optimum of level cuts. A cut "
        "'level' releases all values of a column at one level; 'subtree' replaces single nodes by their children, "
        "which loses less. Of the steps that keep the models, the one with the largest score is taken, of equal ones "
        "the first column's, then that of the first value. Scores: igpl is the information gained about the sensitive "
        "value per anonymity lost (A, the smallest class); information-gain leaves anonymity out; loss is the loss "
        "taken away per anonymity lost; height the height taken away per halving of the smallest class. A step that "
        "gains nothing is better than none. Several sensitive attributes count as one tuple; where none was counted, "
        "igpl and information-gain give way to loss. A whole level gains the mean of its nodes' gains over their "
        "records. With two phases every partition goes down by itself to classes of k_first records (and to those of "
        "the other models under which a union of good classes is good); each value then starts at the most general of "
        "its nodes, and the whole table goes on from there, or from the roots where a model does not hold there. "
        "Partitions depend on values, their counts and the seed, never on the order of rows: records alike in the "
        "quasi-identifiers and the sensitive value are numbered, and record j goes to partition mix(h + j·γ) mod p; h "
        "is folded column by column, h = mix(h xor v), from BLAKE2b-64 of the values' spellings keyed with the seed; "
        "mix is splitmix64's finalizer, γ its constant."
    )
    formula: ClassVar[str] = (
        "IGPL = IG/(PL + 1); IG = I(R_p) − Σ_c |R_c|/|R_p| · I(R_c); I(R) = −Σ_s p log₂ p, p = |(R, s)|/|R|; "
        "PL = A before − A after"
    )
    source: ClassVar[str] = (
        "B. C. M. Fung, K. Wang, P. S. Yu, Top-down specialization for information and privacy preservation, ICDE "
        "2005; X. Zhang et al., A scalable two-phase top-down specialization approach, TPDS 25(2), 2014"
    )
    surest_of_six: ClassVar[int | None] = 100
    needs_hierarchies: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True
    remote_tuples: ClassVar[bool] = True
    wants_sensitive: ClassVar[bool] = True

    compares_classes: ClassVar[bool] = True

    cut: CutKind = Field(default="level", description="Whether whole columns go down a level, or single nodes.")
    score: ScoreName = Field(
        default="height", description="What the best step has most of; igpl is that of the papers."
    )
    ways: Literal["one", "two"] | None = Field(
        default=None,
        description=(
            "Sub-tree cuts only. one: down from the roots, as in the papers. two: also down by whole levels and on "
            "from there; the lower one of the two ends is taken, so it is never above level cuts by the same score. "
            "By default one for igpl and information-gain, two for the other scores."
        ),
    )
    phases: Literal[1, 2] = Field(default=1, description="Two: first each partition by itself, then the whole.")
    partitions: int = Field(default=1, ge=1, le=10_000, description="For two phases, how many partitions.")
    k_first: int | None = Field(
        default=None, ge=1, description="For two phases, the smallest class within a partition; by default k."
    )
    target: tuple[str, ...] = Field(
        default=(), description="The columns whose values steps gain information about; by default the sensitive ones."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.phases == 1 and (self.partitions > 1 or self.k_first is not None):
            raise ParameterError("method.partitions-need-two-phases", name=self.name)
        if self.cut == "level" and self.ways is not None:
            raise ParameterError("method.ways-need-subtree-cut", name=self.name)
        return self

    def needs(self) -> tuple[str, ...]:
        """The target's counts, where it is named."""
        return self.target

    def decide(self, task: Task) -> Decision:
        """Go down as far as the models hold, or say why not even the roots do."""
        if not task.frequencies.counts.size:
            raise PrivacyNotReached(nearest(Lattice(task.frequencies, task.ladders), task.models, 0))
        forest = Forest(task.ladders)
        if self.cut == "subtree":
            forest.check_labels()
        cells = target_of(task.frequencies, self.target, self.name)
        score = "loss" if cells is None and self.score in ("igpl", "information-gain") else self.score
        seed = int(task.random.integers(2**63)) if self.phases == 2 else 0
        table = specialized_table(task, forest, cells)
        try:
            end = self._descend(task, table, cells, score, seed)
            if not end.holds:
                lattice = Lattice(task.frequencies, task.ladders)
                raise PrivacyNotReached(why_not(self.name, lattice, task.models, 0, "monotone_generalization"))
            return self._decided(task, table, end, score)
        finally:
            table.close()

    def _descend(
        self, task: Task, table: SpecializedTable, cells: SensitiveCells | None, score: ScoreName, seed: int
    ) -> Descent:
        """Return the end of the one way, or the lower one of two."""
        forest, requirement = table.forest, AnonymityRequirement.of(task.models)
        search = TopDownSearch(forest, requirement, self.cut, score)
        end = self._way(task, table, search, cells, seed)
        usual = "one" if self.score in ("igpl", "information-gain") else "two"
        if self.cut == "level" or (self.ways or usual) == "one":
            return end
        level_search = TopDownSearch(forest, requirement, "level", score)
        by_levels = self._way(task, table, level_search, cells, seed)
        on = table.descend(search, by_levels.cut, task.progress)
        other = Descent(on.cut, (*by_levels.steps, *on.steps), by_levels.holds or on.holds)
        lower = _height(table, other.cut) < _height(table, end.cut) - 1e-12
        return other if other.holds and (lower or not end.holds) else end

    def _way(
        self, task: Task, table: SpecializedTable, search: TopDownSearch, cells: SensitiveCells | None, seed: int
    ) -> Descent:
        if self.phases == 2:
            requirement = AnonymityRequirement(self._k_first(task.models), _in_parts(task.models, cells))
            own = TopDownSearch(search.forest, requirement, search.kind, search.score)
            # The first phase: the most general of the cuts at which the partitions end.
            start = most_general(table.first_phase(own, self.partitions, seed, task.progress))
            end = table.descend(search, start, task.progress)
            if end.holds:
                return end
        return table.descend(search, search.forest.roots(), task.progress)

    def _k_first(self, models: Sequence[PrivacyModel]) -> int:
        k = AnonymityRequirement.of(models).k
        if self.k_first is not None and self.k_first < k:
            raise ParameterError("method.k-first-below-k", name=self.name, k=k, k_first=self.k_first)
        return self.k_first or k

    def _decided(self, task: Task, table: SpecializedTable, end: Descent, score: ScoreName) -> Decision:
        level, lattice = self.cut == "level", table.lattice(end.cut)
        levels = tuple(int(own.max(initial=0)) for own in end.cut)
        if level:
            released = Generalization(lattice, levels, np.ones(lattice.sizes(levels).size, np.bool_))
        else:
            released = _local_generalization(lattice, end.cut)
        details = _describe(table, end, level=level)
        if self.phases == 2:
            details["k_first"] = self._k_first(task.models)
        columns = []
        for a, (domain, own) in enumerate(zip(task.frequencies.domains, end.cut, strict=True)):
            nodes = table.forest.nodes(a, own)[domain.codes].tolist()
            labels = tuple(table.forest.labels[node] for node in nodes)
            columns.append(
                ColumnRecoding(column=domain.column, values=domain.values, labels=labels, keeps_type=not own.any())
            )
        return Decision(
            recoding=Recoding(columns=tuple(columns)),
            details={**details, "scored_by": score, "loss": loss(released)},
            table=released,
        )


def _in_parts(models: Sequence[PrivacyModel], cells: SensitiveCells | None) -> tuple[PrivacyModel, ...]:
    """The models other than k-anonymity that a partition can keep for the whole: a union of good classes is good."""
    known = set() if cells is None else set(getattr(cells, "names", (cells.domain.column,)))
    return tuple(
        model
        for model in models
        if model.class_size is None
        and model.monotone_suppression
        and not (model.whole_table or model.by_people)
        and model.population_path is None
        and set(model.sensitive()) <= known
    )


def _local_generalization(lattice: Lattice, cut: Cut) -> LocalGeneralization:
    """Return the table at a cut: tuples whose values are at the same levels make a group."""
    levels = [own[column] for own, column in zip(cut, lattice.frequencies.codes, strict=True)]
    heights = [height + 1 for height in lattice.heights]
    first, group, _ = group_codes(levels, heights, lattice.frequencies.counts)
    order = np.argsort(group, kind="stable")
    tuples = np.split(order, np.searchsorted(group[order], np.arange(1, first.size)))
    groups = [
        LevelGroup(tuple(int(own[t]) for own in levels), members) for t, members in zip(first, tuples, strict=True)
    ]
    table = LocalGeneralization(lattice, groups)
    # Where only one level of an attribute can be told it is the highest: no value is generalized further.
    table.levels = tuple(int(own.max(initial=0)) for own in levels)
    return table


def _height(table: SpecializedTable, cut: Cut) -> float:
    """Return how high records are in their trees: Σ over attributes of level/height, mean over records."""
    climbed = 0.0
    for ladder, levels, own in zip(table.forest.ladders, cut, table.counts, strict=True):
        climbed += float(np.dot(levels, own.counts)) / max(ladder.height, 1)
    return climbed / max(table.gains.rows, 1)


def _describe(table: SpecializedTable, end: Descent, *, level: bool) -> dict[str, Any]:
    """Describe a search for the evidence: its cuts, how many steps it took and which."""
    forest, cuts = table.forest, {}
    for a, (ladder, levels) in enumerate(zip(forest.ladders, end.cut, strict=True)):
        nodes, first = np.unique(forest.nodes(a, levels), return_index=True)
        labels = [forest.labels[node] for node in nodes[np.argsort(first)]]
        cuts[ladder.column] = {"labels": labels[:_LISTED], "size": len(labels)}
    trace = []
    for step in end.steps[:_LISTED]:
        # The one node that was replaced, or the level that was left.
        node = int(step.nodes[0])
        left = {"node": forest.labels[node]} if step.nodes.size == 1 else {"level": int(forest.level[node])}
        trace.append({"column": forest.ladders[step.attribute].column, **left, "score": step.score})
    account: dict[str, Any] = {
        "cuts": cuts,
        "specializations": len(end.steps),
        "trace": trace,
        "height": _height(table, end.cut),
    }
    if level:
        account["levels"] = {
            ladder.column: int(own.max(initial=0)) for ladder, own in zip(forest.ladders, end.cut, strict=True)
        }
    return account
