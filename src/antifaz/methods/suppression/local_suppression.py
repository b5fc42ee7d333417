"""Local suppression as a method: rare combinations are blanked in what makes them rare, and all else stays exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.types import DataType
from antifaz.counting.frequencies import group_codes
from antifaz.counting.groups import GroupedTable
from antifaz.counting.records import Records
from antifaz.methods.group_recoding import recode_groups, require_models
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.suppression.blank_order import RequiredCombination, blank_first, required_combinations
from antifaz.methods.suppression.match_blanking import blank_combinations
from antifaz.methods.suppression.strict_blanking import BlankedClasses, gather_rare, merge_alike, merge_failing
from antifaz.privacy.model import PrivacyModel

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
_Positive = Annotated[int, Field(ge=1)]


class LocalSuppression(Method):
    """Blank single cells of rare records, as few as can be found, until the models hold."""

    name: ClassVar[str] = "local-suppression"
    summary: ClassVar[str] = "Blanks single cells of rare records; everything else is released exactly as it is."
    details: ClassVar[str] = (
        "Right for categories with few rare combinations, as in a survey: most records lose nothing. With many columns "
        "or many values most cells go blank; generalize first. A blank is a value of its own, as a reader sees it: "
        "records that are blanked alike are a class, and frequent combinations may lend records to fill one up. "
        "With reading 'match' a blank matches any value, as in sdcMicro, and far fewer cells go; records that differ "
        "from all others in what is not blank may remain, and the privacy asked for must be k-anonymity with blanks "
        "'match'."
    )
    source: ClassVar[str] = "P.-P. de Wolf, A. Hundepool et al., Statistical Disclosure Control, Wiley 2012, ch. 3"
    needs_hierarchies: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = True
    #: A blank says nothing of its record, and so nothing false.
    blanks: ClassVar[bool] = True
    #: Only the strict reading reaches what any model may ask.
    examples: ClassVar[tuple[dict[str, Any], ...]] = ({},)

    importance: dict[str, float] | list[str] | None = Field(
        default=None,
        description="The columns to keep longest, the most important first, or a number for each, greater for the more "
        "important. It decides between sets of equally many cells; without it, columns with many values go first.",
    )
    suppression: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="The largest share of records that may be left out, where hiding one takes more cells than it has; "
        "in the reading 'match' none is.",
    )
    reading: Literal["strict", "match"] = Field(
        default="strict",
        description="What a blank is: a value of its own, which only other blanks share; or unknown, which any value "
        "matches.",
    )
    combinations: dict[_Positive, _Positive] | None = Field(
        default=None,
        description="Only for 'match', beside the k of all columns: {3: 5, 2: 10} blanks until every combination of 3 "
        "of the columns is shared by 5 records, and every one of 2 by 10.",
    )

    def refuse(self, models: Sequence[PrivacyModel], quasi_identifiers: Sequence[str]) -> None:
        """Refuse a reading of blanks that some model does not share."""
        if self.reading == "strict":
            if self.combinations:
                raise ParameterError("method.combinations-need-reading-match", name=self.name)
            return
        ks = [model.class_size for model in models if model.class_size is not None and model.needs_values]
        if len(ks) < len(models):
            raise ParameterError("method.reading-match-needs-blanks-match", name=self.name)
        required_combinations(self.name, len(quasi_identifiers), max(ks), self.combinations)

    def decide(self, task: Task) -> Decision:
        """Blank, or say what is the nearest that can be reached."""
        records = task.records
        if records is None:
            raise ParameterError("method.needs-rows", name=self.name)
        names = [attribute.column for attribute in records.attributes]
        self.refuse(task.models, names)
        asked = required_combinations(self.name, len(names), task.k, self.combinations)
        k = max(needed for needed, _ in asked)
        if k > records.rows:
            raise PrivacyNotReached("method.no-suppression-satisfies-k", name=self.name, rows=records.rows, k=k)
        sizes = [attribute.domain.size for attribute in records.attributes]
        first = blank_first(self.importance, names, sizes)
        if self.reading == "match":
            gathered, place = self._match(records, asked, first)
        else:
            gathered, place = self._gather(task, records, k, first)
        groups = gathered.classes[place]
        table = BlankedTable(records, groups, gathered.labels)
        if self.reading == "strict":
            # Classes alone don't show what matches; the gate looks at their values.
            require_models("method.no-cells-to-blank", self.name, task.models, table.class_table())
        return Decision(
            recoding=recode_groups(self.name, records, groups, *_labels(records, gathered.labels)),
            details={"blanked": _blanked(records, groups, gathered.labels), "classes": table.count},
            generalization=table,
        )

    def _match(self, records: Records, asked: list[RequiredCombination], first: Ints) -> tuple[BlankedClasses, Ints]:
        """Blank where a blank matches anything: what each tuple is released as, and which tuple each record has."""
        codes, tuple_of, counts = _tuples(records)
        labels = blank_combinations(codes, counts, asked, first, strictly=self.importance is not None)
        tuples = np.arange(counts.size)
        return merge_alike(BlankedClasses(tuples=tuples, many=counts, classes=tuples, labels=labels)), tuple_of

    def _gather(self, task: Task, records: Records, k: int, first: Ints) -> tuple[BlankedClasses, Ints]:
        """Blank where a blank is a value: the classes of parts of tuples, and which part each record is in."""
        codes, tuple_of, counts = _tuples(records)
        allowed = int(self.suppression * records.rows + 1e-9)
        gathered = gather_rare(codes, counts, k, first, lend=not records.copies, allowed=allowed)
        # Rows are drawn once, so that every look at the classes sees the same ones.
        place = gathered.places(tuple_of, task.random)

        def passes(parts: BlankedClasses) -> NDArray[np.bool_]:
            classes = BlankedTable(records, parts.classes[place], parts.labels).class_table()
            fine = np.ones(classes.sizes.size, np.bool_)
            for model in task.models:
                fine &= model.passes(classes)
            return fine

        return merge_failing(gathered, passes), place


def _tuples(records: Records) -> tuple[Codes, Ints, Ints]:
    """The distinct tuples as codes, -1 for missing; which of them each row has; and how many rows have each."""
    columns = [attribute.codes for attribute in records.attributes]
    sizes = [attribute.domain.size for attribute in records.attributes]
    first, tuple_of, counts = group_codes(columns, sizes, np.ones(records.rows, np.int64))
    codes = np.stack([column[first] for column in columns], axis=1)
    for a, attribute in enumerate(records.attributes):
        if attribute.domain.has_missing:
            codes[codes[:, a] == attribute.domain.size - 1, a] = -1
    return codes, tuple_of, counts


def _labels(records: Records, labels: Codes) -> tuple[list[tuple[str | None, ...]], list[Ints], list[bool]]:
    """Per column: all labels that may be released, which of them each class has (blank is the last), and its type.

    A column goes out in the type it came in, but text, which may be an enumeration, goes out as text.
    """
    names = [attribute.domain.spellings for attribute in records.attributes]
    released = [np.where(labels[:, a] < 0, len(own), labels[:, a]) for a, own in enumerate(names)]
    return [(*own, None) for own in names], released, [a.kind is not DataType.TEXT for a in records.attributes]


def _blanked(records: Records, groups: Ints, labels: Codes) -> dict[str, int]:
    """Per column, how many cells of released records were there and are blank now."""
    found = {}
    for a, attribute in enumerate(records.attributes):
        there = (groups >= 0) & (attribute.codes < len(attribute.domain.spellings))
        found[attribute.column] = int((labels[groups[there], a] < 0).sum())
    return found


class BlankedTable(GroupedTable):
    """Groups released as the values that all their records share, and blank in the rest."""

    def __init__(self, records: Records, groups: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        """Take note of the groups; `codes` is what each is released as per attribute, -1 where it is blank."""
        points: list[NDArray[np.float64] | None] = []
        for a, attribute in enumerate(records.attributes):
            if attribute.scale is None:
                points.append(None)
            else:
                points.append(np.append(attribute.scale, np.nan)[codes[:, a]])
        super().__init__(records, groups, points)
        self.codes = codes

    def spans(self, a: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the greatest number that a group may stand for: any, where it is blank."""
        low, high = super().spans(a)
        scale, blank = self.records.attributes[a].scale, self.codes[:, a] < 0
        if scale is None or np.isnan(scale).all():
            return low, high
        return np.where(blank, np.nanmin(scale), low), np.where(blank, np.nanmax(scale), high)

    def pairs(self, a: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return every (group, code) that a group may stand for: any, where it is blank."""
        owner, codes, counts = super().pairs(a)
        blank, size = np.flatnonzero(self.codes[:, a] < 0), self.records.attributes[a].domain.size
        kept = self.codes[owner, a] >= 0
        owner = np.concatenate([owner[kept], np.repeat(blank, size)])
        codes = np.concatenate([codes[kept], np.tile(np.arange(size), blank.size)])
        counts = np.concatenate([counts[kept], np.zeros(blank.size * size, np.int64)])
        order = np.lexsort((codes, owner))
        return owner[order], codes[order], counts[order]
