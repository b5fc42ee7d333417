"""Top-down specialization, in one phase or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.counting.frequencies import SensitiveCells
from antifaz.counting.lattice import Lattice
from antifaz.counting.targets import target_of
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.nearest import nearest
from antifaz.methods.specialization.afar import source_of
from antifaz.methods.specialization.candidates import CutKind
from antifaz.methods.specialization.descent import Descent, Guide
from antifaz.methods.specialization.forest import Forest, most_general
from antifaz.methods.specialization.judging import Rules
from antifaz.methods.specialization.release import describe, height, recode_cut, table_of
from antifaz.methods.specialization.scores import ScoreName
from antifaz.methods.specialization.source import Source
from antifaz.privacy.model import PrivacyModel
from antifaz.utility import loss


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
    needs_hierarchies: ClassVar[bool] = True
    remote_tuples: ClassVar[bool] = True
    wants_sensitive: ClassVar[bool] = True

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
        score = self._score(cells)
        seed = int(task.random.integers(2**63)) if self.phases == 2 else 0
        source = source_of(task, forest, cells)
        try:
            end = self._descend(task, source, cells, score, seed)
            if not end.holds:
                raise PrivacyNotReached(self._why_not(task))
            return self._decided(task, source, end, score)
        finally:
            source.close()

    def _score(self, cells: SensitiveCells | None) -> ScoreName:
        return "loss" if cells is None and self.score in ("igpl", "information-gain") else self.score

    def _descend(
        self, task: Task, source: Source, cells: SensitiveCells | None, score: ScoreName, seed: int
    ) -> Descent:
        """Return the end of the one way, or the lower one of two."""
        forest, rules = source.forest, Rules.of(task.models)
        guide = Guide(forest, rules, self.cut, score)
        end = self._way(task, source, guide, cells, seed)
        usual = "one" if self.score in ("igpl", "information-gain") else "two"
        if self.cut == "level" or (self.ways or usual) == "one":
            return end
        by_levels = self._way(task, source, Guide(forest, rules, "level", score), cells, seed)
        on = source.descend(guide, by_levels.cut, task.progress)
        other = Descent(on.cut, (*by_levels.steps, *on.steps), by_levels.holds or on.holds)
        lower = height(source, other.cut) < height(source, end.cut) - 1e-12
        return other if other.holds and (lower or not end.holds) else end

    def _way(self, task: Task, source: Source, guide: Guide, cells: SensitiveCells | None, seed: int) -> Descent:
        if self.phases == 2:
            rules = Rules(self._k_first(task.models), _in_parts(task.models, cells))
            own = Guide(guide.forest, rules, guide.kind, guide.score)
            # The first phase: the most general of the cuts at which the partitions end.
            start = most_general(source.first(own, self.partitions, seed, task.progress))
            end = source.descend(guide, start, task.progress)
            if end.holds:
                return end
        return source.descend(guide, guide.forest.roots(), task.progress)

    def _k_first(self, models: Sequence[PrivacyModel]) -> int:
        k = Rules.of(models).k
        if self.k_first is not None and self.k_first < k:
            raise ParameterError("method.k-first-below-k", name=self.name, k=k, k_first=self.k_first)
        return self.k_first or k

    def _why_not(self, task: Task) -> Message:
        said = nearest(Lattice(task.frequencies, task.ladders), task.models, 0)
        if all(model.monotone_generalization for model in task.models):
            return said
        # Where generalizing can break a model, the roots failing says nothing of what lies beside the way.
        return Message("method.of-those-looked-at", name=self.name, failure=said)

    def _decided(self, task: Task, source: Source, end: Descent, score: ScoreName) -> Decision:
        table = table_of(source.lattice(end.cut), end.cut, level=self.cut == "level")
        details: dict[str, Any] = describe(source, end, level=self.cut == "level")
        if self.phases == 2:
            details["k_first"] = self._k_first(task.models)
        return Decision(
            recoding=recode_cut(task.frequencies.domains, source.forest, end.cut),
            details={**details, "scored_by": score, "loss": loss(table)},
            generalization=table,
        )


def _in_parts(models: Sequence[PrivacyModel], cells: SensitiveCells | None) -> tuple[PrivacyModel, ...]:
    """The models other than k-anonymity that a partition can keep for the whole: a union of good classes is good."""
    known = set() if cells is None else set(getattr(cells, "names", (cells.domain.column,)))
    return tuple(
        model
        for model in models
        if model.class_size is None
        and model.monotone_suppression
        and not model.whole_table
        and model.population_path is None
        and set(model.sensitive()) <= known
    )
