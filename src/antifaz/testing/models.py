"""What every privacy model must do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable
from antifaz.privacy.model import PrivacyModel
from antifaz.releases.gate import model_as_data
from antifaz.releases.verifier.models import verify
from antifaz.testing.arrays import arrays_in, same_arrays
from antifaz.testing.broken import require
from antifaz.testing.examples import SENSITIVE, examples
from antifaz.testing.tables import class_table, merged, paths, random_classes

#: How many random tables each promise is tried on.
_TRIALS = 200


def check_model(cls: type[PrivacyModel], instances: Sequence[PrivacyModel] | None = None) -> None:
    """Check that a model judges any class table, leaves it as it is, agrees with itself, and keeps its promises."""
    for model in list(instances) if instances is not None else examples(cls):
        bound = model.bound((SENSITIVE,))
        for table in _tables():
            _check_table(bound, table)
        _check_generalization(bound)
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


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of a class table, as the verifier asks for them."""

    classes: NDArray[Any]
    values: NDArray[Any]
    counts: NDArray[Any]
    labels: tuple[str | None, ...]
    numeric: bool = False


@dataclass(frozen=True, eq=False)
class _Counted:
    rows: int
    sizes: NDArray[np.int64]
    cells: dict[str, _Cells]
    classes: None = None


def _check_verifier(model: PrivacyModel, table: ClassTable, passes: NDArray[np.bool_]) -> None:
    """The second verifier, which shares no code with the models, must find the same."""
    part = table.sensitive[SENSITIVE]
    cells = _Cells(part.classes, part.values.astype(np.int64), part.counts, part.labels)
    try:
        found = verify(
            _Counted(table.rows, table.sizes, {SENSITIVE: cells}), [model_as_data(model)], trees={SENSITIVE: paths()}
        )[0]
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
    if not model.monotone_generalization:
        return
    for classes, groups in _mergers(11):
        if model.judge(class_table(classes)).holds:
            after = model.judge(class_table(merged(classes, groups)))
            require(after.holds, f"{model!r} is declared monotone under generalization, and merging classes broke it.")


def _check_suppression(model: PrivacyModel) -> None:
    """Declared monotone under suppression: a class that passes still passes after taking in any other."""
    if not model.monotone_suppression:
        return
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
