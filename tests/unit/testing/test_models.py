"""The checks of models fail on models that are broken in one way each."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import numpy as np
import pytest

from antifaz.core.verdicts import Verdict
from antifaz.privacy import KAnonymity, LDiversity
from antifaz.testing import Broken, check_model, class_table, merged, random_classes


class Greedy(KAnonymity):
    """Changes the table it judges."""

    def passes(self, classes):
        classes.sizes[classes.sizes > 5] += 1
        return classes.sizes >= self.k


class Wordy(KAnonymity):
    """Says numbers where truth values are asked for."""

    def passes(self, classes):
        return (classes.sizes >= self.k).astype(int)


class Moody(KAnonymity):
    """Says something else each time."""

    moods: ClassVar[list[int]] = []

    def passes(self, classes):
        self.moods.append(1)
        return np.full(classes.sizes.shape, len(self.moods) % 2 == 0)


class Lenient(KAnonymity):
    """Its verdict is kinder than its classes."""

    def judge(self, classes):
        verdict = super().judge(classes)
        return Verdict(
            model=verdict.model, parameters=verdict.parameters, achieved=verdict.achieved, holds=True, failing=0
        )


class Miscounting(KAnonymity):
    """Counts classes where records are asked for."""

    def judge(self, classes):
        failing = int((~self.passes(classes)).sum())
        achieved = self.achieved(classes)
        return Verdict(
            model=self.name, parameters=self.parameters(), achieved=achieved, holds=not failing, failing=failing
        )


class NotANumber(KAnonymity):
    """Achieves what JSON can't say."""

    def achieved(self, classes):
        return float("nan") if classes.sizes.size else None


class Wrong(KAnonymity):
    """Lets classes of k - 1 through, which the second verifier sees."""

    def passes(self, classes):
        return classes.sizes >= self.k - 1


class Upward(KAnonymity):
    """Wants small classes and says that it does not mind larger ones."""

    name: ClassVar[str] = "upward"

    def passes(self, classes):
        return classes.sizes <= 10

    def achieved(self, classes):
        return int(classes.sizes.max()) if classes.sizes.size else None


class EntropyOnceMore(LDiversity):
    """Says of entropy what is true of distinct values only."""

    @property
    def monotone_suppression(self):
        return True


def test_a_good_model_passes():
    check_model(KAnonymity)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (Greedy, "must not change the table"),
        (Wordy, "must say it of each class"),
        (Moody, "must say the same twice|if and only if|without records"),
        (Lenient, "if and only if"),
        (Miscounting, "failing must be the records"),
        (Wrong, "verifier counts other failing records"),
        (Upward, "monotone under generalization"),
    ],
)
def test_a_broken_model_is_found_out(cls, words):
    with pytest.raises(Broken, match=words):
        check_model(cls, [cls(k=4)])


def test_a_verdict_that_json_can_not_say_is_found_out():
    with pytest.raises(ValueError, match="JSON"):
        check_model(NotANumber)


def test_a_false_promise_about_suppression_is_found_out():
    with pytest.raises(Broken, match="monotone under suppression"):
        check_model(EntropyOnceMore, [EntropyOnceMore(l=2, kind="entropy", attribute="diagnosis")])


def test_merging_keeps_every_record():
    classes = random_classes(np.random.default_rng(1), 20)
    after = merged(classes, [i % 3 for i in range(20)])
    assert len(after) == 3
    assert sum(after, Counter()) == sum(classes, Counter())
    assert class_table(after).rows == class_table(classes).rows


def test_class_tables_list_only_values_that_occur():
    table = class_table([{3: 2, 0: 1}, {4: 5}]).sensitive["diagnosis"]
    assert table.labels == ("asthma", "gout", None)
    assert table.totals.tolist() == [1, 2, 5]
    assert [level.tolist() for level in table.up] == [[0, 1, 2], [0, 1, 2], [0, 0, 0]]
