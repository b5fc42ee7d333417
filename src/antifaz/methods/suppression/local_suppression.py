"""Local suppression, as a method and of frames: rare combinations are blanked in what makes them rare."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.randomness import check_seed, fresh_seed, generator
from antifaz.core.types import DataType
from antifaz.counting.frequencies import group_codes
from antifaz.counting.groups import GroupedTable
from antifaz.counting.records import Records
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recode import recode_groups, require_models
from antifaz.methods.suppression.blanking import (
    BlankedClasses,
    Importance,
    RequiredCombination,
    blank_combinations,
    blank_first,
    distinct,
    merge_alike,
    merge_failing,
    required_combinations,
)
from antifaz.methods.suppression.wide_blanking import as_classes, blank_blamed, cells_lost, ways_to_blank
from antifaz.privacy.model import PrivacyModel
from antifaz.risk.keys import check_choice, plain_column, read_keys
from antifaz.sources.frames import kind_of, to_arrow, to_kind, without_traces

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
    cells_per_second: ClassVar[int | None] = 60_000
    compares_classes: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True
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
        whole = [model.in_classes() for model in models]
        ks = [model.class_size for model in whole if model.class_size is not None and model.needs_values]
        if len(ks) < len(models):
            raise ParameterError("method.reading-match-needs-blanks-match", name=self.name)
        required_combinations(self.name, len(quasi_identifiers), max(ks), self.combinations)

    def decide(self, task: Task) -> Decision:
        """Blank, or say what is the nearest that can be reached."""
        records = task.records
        if records is None:
            raise ParameterError("method.needs-rows", name=self.name)
        columns = [attribute.column for attribute in records.attributes]
        self.refuse(task.models, columns)
        known = self.reading == "strict" and all(m.any_columns is not None and not m.by_people for m in task.models)
        promised, task = task.models, task.in_classes()
        k = max(needed for needed, _ in required_combinations(self.name, len(columns), task.k, self.combinations))
        if k > records.number:
            raise PrivacyNotReached("method.no-suppression-satisfies-k", name=self.name, rows=records.number, k=k)
        sizes = [attribute.domain.size for attribute in records.attributes]
        first = blank_first(self.importance, columns, sizes)
        if self.reading == "match":
            # What each tuple is released as, and which tuple each record has.
            codes, place, counts = _tuples(records)
            asked = required_combinations(self.name, len(columns), task.k, self.combinations)
            labels = blank_combinations(codes, counts, asked, first, strictly=self.importance is not None)
            tuples = np.arange(counts.size)
            gathered = merge_alike(BlankedClasses(tuples=tuples, many=counts, classes=tuples, labels=labels))
            groups = gathered.classes[place]
        else:
            gathered, groups = self._strictly(task, records, k, first, promised if known else ())
        names, released, blanked = [], [], {}
        for attribute, label in zip(records.attributes, gathered.labels.T, strict=True):
            own = attribute.domain.spellings
            names.append((*own, None))
            released.append(np.where(label < 0, len(own), label))
            there = (groups >= 0) & (attribute.codes < len(own))
            blanked[attribute.column] = int((label[groups[there]] < 0).sum())
        # A column goes out in the type it came in, but text, which may be an enumeration, goes out as text.
        typed = [attribute.kind is not DataType.TEXT for attribute in records.attributes]
        table = BlankedTable(records, groups, gathered.labels)
        if self.reading == "strict":
            # Classes alone don't show what matches; the gate looks at their values.
            values = tuple(label.astype(np.int32) + np.int32(1) for label in gathered.labels.T)
            classes = replace(table.class_table(), values=values)
            require_models("method.no-cells-to-blank", self.name, promised, classes)
        return Decision(
            recoding=recode_groups(self.name, records, groups, names, released, typed),
            details={"blanked": blanked, "classes": table.count},
            table=table,
        )

    def _strictly(
        self, task: Task, records: Records, k: int, first: Ints, known: Sequence[PrivacyModel]
    ) -> tuple[BlankedClasses, Ints]:
        """Blank where a blank is a value; return the classes, and that of each record, -1 where it is left out."""
        people = records.people if task.leave_out == "people" else None
        allowed = int(self.suppression * (records.rows if people is None else people.number) + 1e-9)
        gathered, groups = self._gather(task, records, k, first, known, allowed)
        if people is None or (groups >= 0).all():
            return gathered, groups
        # Whoever has a row that is left out goes with all rows, and the others are blanked by themselves.
        rest = np.flatnonzero(~np.isin(people.persons, people.persons[groups < 0]))
        if not rest.size:
            raise PrivacyNotReached("method.no-suppression-satisfies-k", name=self.name, rows=0, k=k)
        gathered, found = self._gather(task, records.take(rest), k, first, known, 0)
        groups = np.full(records.rows, -1, np.int64)
        groups[rest] = found
        return gathered, groups

    def _gather(
        self, task: Task, records: Records, k: int, first: Ints, known: Sequence[PrivacyModel], allowed: int
    ) -> tuple[BlankedClasses, Ints]:
        """Return the classes of parts of tuples, and that of each record.

        Of the ways that fit, the one that blanks fewest cells is taken. `known` are models about some columns, where
        there are no others.
        """
        codes, tuple_of, counts = _tuples(records)
        lend = not records.copies
        made = ways_to_blank(codes, counts, k, first, len(self.importance or ()), lend=lend, allowed=allowed)
        ways = [self._merged(task, records, way, tuple_of) for way in made]
        if known:
            blamed = blank_blamed(codes, counts, k, first, [model.blame for model in known])
            ways.append(as_classes(np.repeat(np.arange(counts.size), counts), np.repeat(blamed, counts, axis=0)))
        best = min(ways, key=cells_lost)
        return best, best.classes[best.places(tuple_of, copy.deepcopy(task.random))]

    def _merged(self, task: Task, records: Records, made: BlankedClasses, tuple_of: Ints) -> BlankedClasses:
        """Join classes that a model refuses."""
        # Rows are drawn once, so that every look at the classes sees the same ones.
        place = made.places(tuple_of, copy.deepcopy(task.random))

        def passes(parts: BlankedClasses) -> Flags:
            classes = BlankedTable(records, parts.classes[place], parts.labels).class_table()
            return np.asarray(np.logical_and.reduce([model.passes(classes) for model in task.models]))

        return merge_failing(made, passes)


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


class BlankedTable(GroupedTable):
    """Groups released as the values that all their records share, and blank in the rest."""

    def __init__(self, records: Records, groups: Ints, codes: Codes) -> None:
        """Take note of the groups; `codes` is what each is released as per attribute, -1 where it is blank."""
        scales = [attribute.scale for attribute in records.attributes]
        points = [None if s is None else np.append(s, np.nan)[codes[:, a]] for a, s in enumerate(scales)]
        super().__init__(records, groups, points)
        self.codes = codes

    def spans(self, a: int) -> tuple[Floats, Floats]:
        """Return the least and the greatest number that a group may stand for: any, where it is blank."""
        low, high = super().spans(a)
        scale, blank = self.records.attributes[a].scale, self.codes[:, a] < 0
        if scale is None or np.isnan(scale).all():
            return low, high
        return np.where(blank, np.nanmin(scale), low), np.where(blank, np.nanmax(scale), high)

    def pairs(self, a: int) -> tuple[Ints, Ints, Ints]:
        """Return every (group, code) that a group may stand for: any, where it is blank."""
        owner, codes, counts = super().pairs(a)
        blank, size = np.flatnonzero(self.codes[:, a] < 0), self.records.attributes[a].domain.size
        kept = self.codes[owner, a] >= 0
        owner = np.concatenate([owner[kept], np.repeat(blank, size)])
        codes = np.concatenate([codes[kept], np.tile(np.arange(size), blank.size)])
        counts = np.concatenate([counts[kept], np.zeros(blank.size * size, np.int64)])
        order = np.lexsort((codes, owner))
        return owner[order], codes[order], counts[order]


#: What a blank is for a reader of the table: a value of its own, or unknown, which any value matches.
Reading = Literal["strict", "match"]
_WHAT = "suppress_locally"


@dataclass(frozen=True, kw_only=True, eq=False)
class SuppressionResult:
    """What local suppression made of a frame."""

    #: The same kind of frame, rows and columns in their order.
    frame: Any = field(repr=False)
    #: Per column, how many cells were blanked.
    blanked: dict[str, int]
    #: The reading in which k-anonymity holds.
    reading: Reading
    #: How many records are in fewer than k where a blank is a value of its own; 0 in the strict reading.
    below_strictly: int

    @property
    def total(self) -> int:
        """How many cells were blanked."""
        return sum(self.blanked.values())


def suppress_locally(
    frame: Any,
    columns: Sequence[str] | str,
    k: int | None = None,
    *,
    importance: Importance = None,
    reading: Reading = "strict",
    combinations: Mapping[int, int] | None = None,
    seed: int | None = None,
) -> SuppressionResult:
    """Blank few cells so that every combination of values is shared by at least k records.

    Rows keep their order and all other columns stay as they are: what comes out is not a release. `frame` itself is not
    changed. As everywhere, the index of a pandas frame is not data and is left out.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The key: columns whose values an intruder may know.
        k: The least number of records that share a combination of all columns; may be left out with `combinations`.
        importance: The columns to be kept longest first, or a number for each, greater for the more important. It
            decides between sets of equally many cells. Without it, fewest cells come first, then columns with many
            values.
        reading: "strict": a blank is a value of its own, as a reader of the table sees it. "match": a blank matches any
            value, as in sdcMicro: far fewer cells are blanked, and records that differ from all others in what
            is not blanked may remain; `below_strictly` says how many.
        combinations: For keys of many columns: `{3: 5, 2: 10}` asks that every combination of 3 of the columns be
            shared by 5 records, and every one of 2 by 10, beside or instead of one of all columns by k.
        seed: In the strict reading some of several equal records may be blanked, and which is drawn.
    """
    check_choice(_WHAT, "reading", reading, get_args(Reading))
    check_seed(_WHAT, seed)
    table = to_arrow(frame)
    keys = read_keys(table, columns, _WHAT)
    asked = required_combinations(_WHAT, len(keys.columns), k, combinations)
    needed = max(needed for needed, _ in asked)
    if needed > keys.rows:
        raise PrivacyNotReached("operation.k-above-records", name=_WHAT, k=needed, rows=keys.rows)
    first = blank_first(importance, keys.columns, keys.sizes)
    original = keys.codes[keys.tuple_of]
    if reading == "match":
        blanked = blank_combinations(keys.codes, keys.counts, asked, first, strictly=importance is not None)
        codes = blanked[keys.tuple_of]
    else:
        codes, random = original.copy(), generator(fresh_seed() if seed is None else seed)
        _blank_strictly(codes, asked, first, random, len(importance or ()))
    gone = (codes < 0) & (original >= 0)
    for place, name in enumerate(keys.columns):
        table = _blank(table, name, gone[:, place])
    return SuppressionResult(
        frame=to_kind(without_traces(table, keys.columns), kind_of(frame) or "pyarrow"),
        blanked={name: int(cells) for name, cells in zip(keys.columns, gone.sum(axis=0), strict=True)},
        reading=reading,
        below_strictly=max((_below(codes, needed, places) for needed, places in asked), default=0),
    )


def _blank_strictly(
    codes: Codes, asked: list[RequiredCombination], first: Ints, random: np.random.Generator, named: int
) -> None:
    """Blank cells of records until every combination asked for is shared, a blank being a value.

    The last `named` columns of `first` are the important ones.
    """
    for needed, places in _until_stable(asked, codes):
        part = [place for place in first.tolist() if place in places]
        tuples, tuple_of, counts = distinct(codes[:, part], np.ones(codes.shape[0], np.int64))
        made = ways_to_blank(tuples, counts, needed, np.arange(len(part)), min(named, len(part)))
        gathered = min((merge_failing(way, partial(_large_enough, needed)) for way in made), key=cells_lost)
        codes[:, part] = gathered.labels[gathered.classes[gathered.places(tuple_of, random)]]


def _until_stable(asked: list[RequiredCombination], codes: Codes) -> Iterator[RequiredCombination]:
    """Yield what is not reached yet: a blank, which is a value, may undo what was reached for other columns."""
    waiting = True
    while waiting:
        waiting = False
        for needed, places in asked:
            if _below(codes, needed, places):
                yield needed, places
                waiting = len(asked) > 1


def _large_enough(k: int, parts: BlankedClasses) -> Flags:
    return parts.sizes >= k


def _below(codes: Codes, k: int, places: Sequence[int]) -> int:
    counts = distinct(codes[:, list(places)], np.ones(codes.shape[0], np.int64))[2]
    return int(counts[counts < k].sum())


def _blank(table: Any, name: str, gone: Flags) -> Any:
    if not gone.any():
        return table
    import pyarrow as pa
    import pyarrow.compute as pc

    at = table.column_names.index(name)
    # The dictionary of a category would carry values that occur nowhere any more.
    column = plain_column(table, name)
    blank = pc.if_else(pa.array(gone), pa.scalar(None, column.type), column)
    return table.set_column(at, table.schema.field(at).with_type(column.type).with_nullable(True), blank)
