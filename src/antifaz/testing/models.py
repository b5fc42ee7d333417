"""What every privacy model must do, checked on class tables made by hand, at random, and by merging."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.privacy.model import PrivacyModel
from antifaz.releases.gate import model_as_data
from antifaz.releases.verifier.models import verify
from antifaz.testing.broken import arrays_in, require, same_arrays
from antifaz.testing.examples import SENSITIVE, examples

#: How many random tables each promise is tried on.
_TRIALS = 200
#: Sensitive values, by number; the last is the missing one.
LABELS: tuple[str | None, ...] = ("asthma", "cold", "flu", "gout", None)
#: A tree over them: per level, the node above each value.
_UP = ((0, 1, 2, 3, 4), (0, 0, 0, 1, 2), (0, 0, 0, 0, 0))

#: The labels of a made-up quasi-identifier, which cover one, two, … of so many values; and its hierarchy.
_COVERING = tuple(f"covers {number}" for number in range(1, len(LABELS) + 1))
_COVERED = [
    (f"value {value}", *(label if value <= i else f"others {i}" for i, label in enumerate(_COVERING)))
    for value in range(len(LABELS))
]

Classes = Sequence[Mapping[int, int]]


def check_model(cls: type[PrivacyModel], instances: Sequence[PrivacyModel] | None = None) -> None:
    """Check that a model judges any class table, leaves it as it is, agrees with itself, and keeps its promises."""
    for model in list(instances) if instances is not None else examples(cls):
        bound = model.bound((SENSITIVE,))
        for table in _tables():
            _check_table(bound, table)
        if bound.monotone_generalization:
            _check_generalization(bound)
        if bound.monotone_suppression:
            _check_suppression(bound)


def _tables() -> list[ClassTable]:
    """The odd tables, and some usual ones."""
    random = np.random.default_rng(7)
    return [
        class_table([]),
        class_table([{0: 1}]),
        class_table([{4: 1}]),
        class_table([{0: 3, 1: 2, 4: 1}]),
        class_table([{4: 5}, {4: 2}]),
        class_table([{0: 2, 1: 2, 2: 2, 3: 2, 4: 2}] * 3),
        class_table(random_classes(random, 1_000)),
        *(class_table(random_classes(random, classes)) for classes in (2, 3, 5, 8)),
    ]


def _check_table(model: PrivacyModel, table: ClassTable) -> None:
    who = repr(model)
    before = arrays_in(table)
    passes = model.passes(table)
    require(passes.dtype == np.bool_ and passes.shape == table.sizes.shape, f"{who}: passes must say it of each class.")
    verdict = model.judge(table)
    require(same_arrays(before, arrays_in(table)), f"{who} must not change the table it judges.")
    require(np.array_equal(passes, model.passes(table)), f"{who}: passes must say the same twice.")
    failing = int(table.sizes[~passes].sum())
    require(verdict.holds == (failing == 0), f"{who}: a table holds if and only if all of its classes pass.")
    require(verdict.failing == failing, f"{who}: failing must be the records in classes that don't pass.")
    require(verdict.model == model.name, f"{who}: the verdict must name the model.")
    require(verdict.parameters == model.parameters(), f"{who}: the verdict must say the parameters.")
    json.dumps(verdict.as_dict(), allow_nan=False)
    if not table.rows:
        require(verdict.holds and verdict.achieved is None, f"{who}: without records it holds, and achieves None.")
    kept = model.keep(table, np.ones(table.sizes.size, np.bool_))
    require(kept.dtype == np.bool_ and kept.shape == table.sizes.shape, f"{who}: keep must say it of each class.")
    _check_verifier(model, table, passes)


def _check_verifier(model: PrivacyModel, table: ClassTable, passes: NDArray[np.bool_]) -> None:
    """The second verifier, which shares no code with the models, must find the same."""
    part = table.sensitive[SENSITIVE]
    values = part.values.astype(np.int64)
    cells = SimpleNamespace(classes=part.classes, values=values, counts=part.counts, labels=part.labels, numeric=False)
    counted: Any = SimpleNamespace(rows=table.rows, sizes=table.sizes, cells={SENSITIVE: cells}, classes=None)
    if model.needs_levels:
        counted.classes, counted.values = {"made up": _different(table)}, {"made up": frozenset(_COVERING)}
    try:
        given: dict[str, Any] = {"trees": {SENSITIVE: paths()}, "paths": {"made up": _COVERED}}
        found = verify(counted, [model_as_data(model)], **given)[0]
    except ParameterError:
        return  # a plug-in's model, which the verifier does not know
    require(found.failing == int(table.sizes[~passes].sum()), f"{model!r}: the verifier counts other failing records.")
    mine = model.judge(table).achieved
    # None and an infinite number mean the same, that no parameter would do; a note says that something else is told.
    if mine is not None and found.achieved is not None and not found.note:
        agree = np.isclose(float(mine), float(found.achieved))
        require(agree, f"{model!r}: the verifier finds another achieved value.")


def _check_generalization(model: PrivacyModel) -> None:
    """Declared monotone under generalization: a table that holds still holds when classes are merged."""
    for classes, groups in _mergers(11):
        if model.judge(class_table(classes)).holds:
            after = model.judge(class_table(merged(classes, groups)))
            require(after.holds, f"{model!r} is declared monotone under generalization, and merging classes broke it.")


def _check_suppression(model: PrivacyModel) -> None:
    """Declared monotone under suppression: a class that passes still passes after taking in any other."""
    for classes, groups in _mergers(13):
        passes = model.passes(class_table(classes))
        now = dict(zip(dict.fromkeys(groups), model.passes(class_table(merged(classes, groups))), strict=True))
        lost = any(before and not now[group] for before, group in zip(passes, groups, strict=True))
        require(not lost, f"{model!r} is declared monotone under suppression, and a class that grew began to fail.")


def _mergers(seed: int) -> list[tuple[list[Counter[int]], list[int]]]:
    """Random tables, small ones and ones whose classes are alike, with random groups to merge their classes into."""
    random = np.random.default_rng(seed)
    made = []
    for trial in range(_TRIALS):
        many = int(random.integers(2, 7))
        classes = random_classes(random, many, most=2 + trial % 5)
        if trial % 3 == 0:
            # Nearly equal classes are the ones that strict models let pass.
            classes = [Counter(classes[0]) for _ in range(many - 1)] + [classes[-1] + classes[0]]
        made.append((classes, [int(group) for group in random.integers(0, max(1, many // 2), many)]))
    return made


def class_table(classes: Classes, *, attribute: str = SENSITIVE) -> ClassTable:
    """Make a class table from one mapping per class, from the number of a value (0 to 4; 4 is missing) to its count.

    As in a table that was counted, only values that occur are listed.
    """
    present = sorted({value for found in classes for value in found})
    place = {value: i for i, value in enumerate(present)}
    cells = [(place[value], count) for found in classes for value, count in sorted(found.items())]
    values, counts = np.array([v for v, _ in cells], np.int32), np.array([n for _, n in cells], np.int64)
    totals = np.zeros(len(present), np.int64)
    np.add.at(totals, values, counts)
    table = SensitiveTable(
        offsets=np.concatenate([[0], np.cumsum([len(found) for found in classes])]).astype(np.int64),
        values=values,
        counts=counts,
        totals=totals,
        labels=tuple(LABELS[value] for value in present),
        up=tuple(np.unique([level[v] for v in present], return_inverse=True)[1].astype(np.int32) for level in _UP),
    )
    sizes = np.array([sum(found.values()) for found in classes], np.int64)
    # For each record one to five people of the population, by its value, so that merging classes adds them up.
    people = [sum(count * (value + 1) for value, count in found.items()) for found in classes]
    population = Population(sizes=np.array(people, np.int64), absent=0)
    # What a class has lost follows from how many different values it has, so that merging classes loses more.
    lost = np.log2(np.diff(table.offsets)) / np.log2(len(LABELS))
    return ClassTable(
        sizes=sizes, population=population, sensitive={attribute: table}, measure_lost=lambda: np.asarray(lost)
    )


def _different(table: ClassTable) -> NDArray[np.int64]:
    """The place of each class's label among those of the made-up quasi-identifier, from 1 on."""
    return np.diff(table.sensitive[SENSITIVE].offsets)


def paths() -> dict[str | None, tuple[str, ...]]:
    """Return the tree over the values as text: from each label to the labels above it."""
    return {label: tuple(f"{h}.{level[i]}" for h, level in enumerate(_UP[1:])) for i, label in enumerate(LABELS)}


def random_classes(random: np.random.Generator, classes: int, most: int = 6) -> list[Counter[int]]:
    """Make so many classes of up to `most` records per value, each with some of the values; none is empty."""
    made = []
    for _ in range(classes):
        counts = random.integers(0, most + 1, len(LABELS)) * (random.random(len(LABELS)) < random.random())
        if not counts.any():
            counts[random.integers(len(LABELS))] = random.integers(1, most + 1)
        made.append(Counter({value: int(count) for value, count in enumerate(counts) if count}))
    return made


def merged(classes: Classes, groups: Sequence[int]) -> list[Counter[int]]:
    """Put classes together that have the same group, as generalizing does."""
    into: dict[int, Counter[int]] = {}
    for found, group in zip(classes, groups, strict=True):
        into.setdefault(int(group), Counter()).update(found)
    return list(into.values())
