"""The checks of methods, builders and quality models fail on ones that are broken in one way each."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from antifaz.core.errors import CheckFailed, DataError
from antifaz.core.types import DataType
from antifaz.hierarchies import Flat, Hierarchy, HierarchyBuilder
from antifaz.methods import FullDomain
from antifaz.testing import Broken, check_builder, check_method, check_quality
from antifaz.utility import Loss
from failing import failing


class Careless(FullDomain):
    """Changes what it is handed."""

    def decide(self, task):
        decision = super().decide(task)
        task.frequencies.counts[:] += 1
        return decision


class Fickle(FullDomain):
    """Says something else each time."""

    times: ClassVar[list[int]] = []

    def decide(self, task):
        self.times.append(1)
        decision = super().decide(task)
        return replace(decision, details={**decision.details, "time": len(self.times)})


class Idle(FullDomain):
    """Releases everything as it is and says that it is fine."""

    def decide(self, task):
        free = replace(task, models=tuple(model.model_copy(update={"k": 1}) for model in task.models))
        return super().decide(free)


class Liar(FullDomain):
    """Releases labels that are not true."""

    def decide(self, task):
        decision = super().decide(task)
        columns = [
            replace(column, labels=("02***",) * len(column.labels)) if column.column == "postcode" else column
            for column in decision.recoding.columns
        ]
        return replace(decision, recoding=replace(decision.recoding, columns=tuple(columns)))


def test_a_method_that_changes_its_task_is_found_out():
    with pytest.raises(Broken, match="must not change its task"):
        check_method(Careless)


def test_a_method_that_decides_by_mood_is_found_out():
    with pytest.raises(Broken, match="must say the same"):
        check_method(Fickle)


def test_a_method_that_does_nothing_never_passes_the_gate():
    with failing("gate.privacy-does-not-hold", CheckFailed):
        check_method(Idle)


def test_a_method_that_lies_is_found_out():
    with failing("gate.classes-differ", CheckFailed):
        check_method(Liar)


class Rootless(Flat):
    """Ends in several roots."""

    def build(self, values, kind):
        leaves = tuple(sorted(values))
        same = np.arange(len(leaves), dtype=np.int32)
        return Hierarchy((leaves, tuple(f"{leaf}!" for leaf in leaves)), (same, same))


class Partial(Flat):
    """Forgets a value."""

    def build(self, values, kind):
        return super().build(sorted(values)[1:], kind)


class InOrder(Flat):
    """Depends on the order of the values."""

    def build(self, values, kind):
        return self._made([(value, "*") for value in values], kind)


class Consuming(Flat):
    """Eats its input."""

    def build(self, values, kind):
        made = super().build(values, kind)
        if isinstance(values, list):
            values.clear()
        return made


class ClaimsNoData(Flat):
    """Says that it needs no data."""

    needs_data: ClassVar[bool] = False


class NoStar(HierarchyBuilder):
    """Takes no notice of suppression."""

    name: ClassVar[str] = "no-star"
    summary: ClassVar[str] = "Ends in 'all'."
    needs_data: ClassVar[bool] = True

    def build(self, values, kind):
        return Hierarchy.from_rows([(value, "all") for value in sorted(values)], kind=kind)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (Rootless, "one root"),
        (Partial, "not covered"),
        (InOrder, "order of values must not matter"),
        (Consuming, "must not change the values"),
        (ClaimsNoData, "declared not to need data"),
        (NoStar, "the root must be"),
    ],
)
def test_a_broken_builder_is_found_out(cls, words):
    with pytest.raises(Broken, match=words):
        check_builder(cls, values=("a", "c", "b"), kind=DataType.TEXT)


class Optimistic(Loss):
    """Its bounds are above its scores."""

    def bounds(self, lattice, allowed):
        return super().bounds(lattice, allowed) + 0.5


class Falling(Loss):
    """Its bounds fall when levels rise."""

    def bounds(self, lattice, allowed):
        return -super().bounds(lattice, allowed)


class Random(Loss):
    """Its scores are drawn."""

    drawn: ClassVar[np.random.Generator] = np.random.default_rng(1)

    def score(self, table):
        return float(super().score(table)) + self.drawn.random()


class HighFloor(Loss):
    """Promises more than a look at a node can tell."""

    def floor(self, lattice, levels, allowed):
        return 0.9


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (Optimistic, "may beat its bound"),
        (Falling, "must not fall"),
        (Random, "the same twice"),
        (HighFloor, "may beat its bound"),
    ],
)
def test_a_broken_quality_model_is_found_out(cls, words):
    with pytest.raises(Broken, match=words):
        check_quality(cls, [cls()])


def test_checks_of_methods_let_other_errors_through():
    class Failing(FullDomain):
        """Can't read."""

        def decide(self, task):
            raise DataError("no")

    with pytest.raises(DataError):
        check_method(Failing)
