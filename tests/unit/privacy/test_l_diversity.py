"""l-diversity in its three kinds, on tables that can be judged on paper."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.privacy import LDiversity
from failing import failing
from oracles import brute
from oracles.counted import lattice_of


def table(*classes: Mapping[str | None, int]) -> ClassTable:
    """Return a class table from how often each value occurs in each class."""
    labels = list(dict.fromkeys(value for cells in classes for value in cells))
    cells = [(labels.index(value), count) for c in classes for value, count in c.items()]
    totals = Counter({labels.index(value): 0 for value in labels})
    for value, count in cells:
        totals[value] += count
    return ClassTable(
        sizes=np.array([sum(c.values()) for c in classes], np.int64),
        sensitive={
            "s": SensitiveTable(
                offsets=np.cumsum([0, *map(len, classes)]).astype(np.int64),
                values=np.array([value for value, _ in cells], np.int32),
                counts=np.array([count for _, count in cells], np.int64),
                totals=np.array([totals[i] for i in range(len(labels))], np.int64),
                labels=tuple(labels),
            )
        },
    )


def diverse(l: float, **more: object) -> LDiversity:  # noqa: E741 - the model's own name
    return LDiversity(l, attribute="s", **more)


def test_distinct_counts_different_values() -> None:
    found = table({"flu": 9}, {"flu": 1, "cold": 1}, {"flu": 1, "cold": 5, "gout": 1})
    assert diverse(2).passes(found).tolist() == [False, True, True]
    assert diverse(3).passes(found).tolist() == [False, False, True]
    assert diverse(1).passes(found).tolist() == [True, True, True]
    assert diverse(2).achieved(found) == 1
    verdict = diverse(3).judge(found)
    assert (verdict.holds, verdict.failing, verdict.achieved) == (False, 11, 1)


def test_missing_is_one_value() -> None:
    assert diverse(2).passes(table({"flu": 1, None: 1}, {None: 4})).tolist() == [True, False]


def test_spellings_of_one_value_are_no_diversity() -> None:
    rows: list[dict[str, str | None]] = [
        {"a": "x", "s": text} for text in ("Flu", "flu", " FLU", "ﬂu", "1", "1.0", "01", "é", "e\u0301", "", None)
    ]
    lattice = lattice_of(rows, {"a": {"x": ["x"]}}, ("s",))
    assert diverse(4).achieved(lattice.class_table((0,))) == 4  # flu, 1, é, missing


def test_entropy_of_equal_counts_is_their_number() -> None:
    found = table({"a": 2, "b": 2}, {"a": 3, "b": 3, "c": 3})
    assert diverse(2, kind="entropy").passes(found).tolist() == [True, True]
    assert diverse(3, kind="entropy").passes(found).tolist() == [False, True]
    assert diverse(2, kind="entropy").achieved(found) == pytest.approx(2, abs=1e-12)


def test_entropy_by_hand() -> None:
    # q = 1/4, 3/4: exp(H) = 4 / 3^(3/4) = 1.7547…
    found = table({"a": 1, "b": 3})
    assert diverse(1.75, kind="entropy").passes(found).tolist() == [True]
    assert diverse(1.76, kind="entropy").passes(found).tolist() == [False]
    assert diverse(2, kind="entropy").achieved(found) == pytest.approx(4 / 3**0.75, abs=1e-12)


def test_entropy_at_a_boundary_that_is_nearly_reached() -> None:
    # 49,999 to 50,001 is short of ln 2 by 2e-10: not two equally frequent values.
    found = table({"a": 49_999, "b": 50_001}, {"a": 50_000, "b": 50_000})
    assert diverse(2, kind="entropy").passes(found).tolist() == [False, True]


@pytest.mark.parametrize("values", [2, 3, 5, 7, 10, 11, 100])
@pytest.mark.parametrize("times", [1, 3, 7, 1_000_003])
def test_a_uniform_class_reaches_its_own_entropy(values: int, times: int) -> None:
    found = table({str(i): times for i in range(values)})
    assert diverse(values, kind="entropy").passes(found).tolist() == [True]
    assert diverse(values + 1, kind="entropy").passes(found).tolist() == [False]


def test_recursive_by_hand() -> None:
    # r = 5, 3, 2: with l = 2 the tail is 5, with l = 3 it is 2, with l = 4 nothing is left.
    found = table({"a": 3, "b": 5, "c": 2})
    assert diverse(2, kind="recursive", c=1).passes(found).tolist() == [False]  # 5 < 5 is not so
    assert diverse(2, kind="recursive", c=1.01).passes(found).tolist() == [True]
    assert diverse(3, kind="recursive", c=2.5).passes(found).tolist() == [False]
    assert diverse(3, kind="recursive", c=2.6).passes(found).tolist() == [True]
    assert diverse(4, kind="recursive", c=1000).passes(found).tolist() == [False]
    assert diverse(1, kind="recursive", c=0.5).passes(found).tolist() == [False]  # 5 < 0.5 · 10
    assert diverse(2, kind="recursive", c=1).achieved(found) == 1
    assert diverse(3, kind="recursive", c=1).achieved(found) == 2.5


def test_recursive_looks_at_each_class_alone() -> None:
    found = table({"a": 4, "b": 1}, {"b": 2, "a": 2, "c": 2}, {"c": 9})
    assert diverse(2, kind="recursive", c=2).passes(found).tolist() == [False, True, False]
    assert diverse(2, kind="recursive", c=5).passes(found).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("c", "first", "rest"), [(1.1, 55, 50), (2.2, 55, 25), (1.5, 3, 2), (0.1, 1, 10), (0.7, 7, 10)]
)
def test_recursive_at_the_decimal_that_was_written(c: float, first: int, rest: int) -> None:
    # r₁ = c · tail exactly, and the model asks for less. In binary 2.2 · 25 is a little more than 55.
    cells: dict[str | None, int] = {"first": first} | {f"rest {i}": 1 for i in range(rest)}
    members: list[dict[str, str | None]] = [{"s": v} for v, n in cells.items() for _ in range(n)]
    assert diverse(2, kind="recursive", c=c).passes(table(cells)).tolist() == [
        brute.recursive_diverse(c, 2, "s")(members, members)
    ]


CLASSES = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "c", "d", None]), st.integers(1, 6), min_size=1), min_size=1, max_size=6
)


@settings(deadline=None, max_examples=150)
@given(CLASSES, st.integers(1, 4), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_all_kinds_agree_with_brute_force(classes: list[dict[str | None, int]], l: int, c: float) -> None:  # noqa: E741
    found = table(*classes)
    members = [[{"s": value} for value, count in cells.items() for _ in range(count)] for cells in classes]
    for model, ok in (
        (diverse(l), brute.distinct_diverse(l, "s")),
        (diverse(l, kind="entropy"), brute.entropy_diverse(l, "s")),
        (diverse(l, kind="recursive", c=c), brute.recursive_diverse(c, l, "s")),
    ):
        expected = [ok(member, member) for member in members]
        verdict = model.judge(found)
        assert model.passes(found).tolist() == expected
        assert verdict.holds == all(expected)
        assert verdict.failing == sum(len(member) for member, good in zip(members, expected, strict=True) if not good)


def test_a_table_without_records_holds() -> None:
    empty = table()
    for model in (diverse(2), diverse(2, kind="entropy"), diverse(2, kind="recursive", c=1)):
        verdict = model.judge(empty)
        assert (verdict.holds, verdict.achieved, verdict.failing) == (True, None, 0)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"l": 0}, "l should be greater than or equal to 1"),
        ({"l": 2.5}, "l should be a whole number for this kind"),
        ({"l": 2.5, "kind": "recursive", "c": 1}, "whole number"),
        ({"l": 2, "kind": "recursive"}, "'c'"),
        ({"l": 2, "c": 3}, "'c'"),
        ({"l": 2, "kind": "recursive", "c": 0}, "c should be greater than 0"),
        ({"l": 2, "kind": "other"}, "kind should be 'distinct', 'entropy' or 'recursive'"),
        ({}, "'l' is needed"),
        ({"l": 2, "atribute": "x"}, "there is no parameter 'atribute' (did you mean 'attribute'?)"),
        ({"l": math.nan}, "l should be"),
        ({"l": math.inf}, "l should be"),
        ({"l": math.inf, "kind": "entropy"}, "l should be"),
    ],
)
def test_a_bad_parameter_is_named_in_one_sentence(given: dict[str, object], name: str) -> None:
    with pytest.raises(ParameterError) as caught:
        LDiversity(**given)
    said = str(caught.value)
    assert said.startswith("l-diversity: ")
    assert name in said
    assert said.endswith(".")
    assert "\n" not in said


def test_entropy_may_have_a_fraction() -> None:
    assert diverse(1.5, kind="entropy").l == 1.5


def test_the_only_sensitive_attribute_need_not_be_named() -> None:
    bound = LDiversity(2).bound(("disease",))
    assert (bound.attribute, bound.sensitive()) == ("disease", ("disease",))
    assert LDiversity(2).sensitive() == ()
    named = LDiversity(2, attribute="disease")
    assert named.bound(("income", "disease")) is named


@pytest.mark.parametrize(
    ("attribute", "sensitive", "said"),
    [
        (None, (), "l-diversity needs a sensitive attribute, and no column has that role."),
        (None, ("a", "b"), "l-diversity: say which 'attribute' is meant: a, b."),
        ("diseas", ("disease", "age"), "l-diversity: 'diseas' is not a sensitive attribute (did you mean 'disease'?)."),
        ("x", (), "l-diversity: 'x' is not a sensitive attribute."),
    ],
)
def test_what_can_not_be_bound_is_said(attribute: str | None, sensitive: tuple[str, ...], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        LDiversity(2, attribute=attribute).bound(sensitive)
    assert str(caught.value) == said


def test_a_model_that_was_not_bound_judges_nothing() -> None:
    with failing("model.attribute-needed", ParameterError):
        LDiversity(2).passes(table({"a": 1}))


def test_what_generalizing_and_leaving_out_keep() -> None:
    assert az.KAnonymity(2).monotone_suppression
    assert diverse(2).monotone_suppression
    assert not diverse(2, kind="entropy").monotone_suppression
    assert not diverse(2, kind="recursive", c=1).monotone_suppression


def test_the_least_diverse_class_says_what_recursive_achieves() -> None:
    found = table({"a": 1, "b": 1}, {"a": 3, "b": 1}, {"a": 2, "b": 1})
    assert diverse(2, kind="recursive", c=9).achieved(found) == 3
    assert diverse(2, kind="entropy").achieved(found) == pytest.approx(
        math.exp(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    )


def test_no_limit_may_be_infinite() -> None:
    with failing("declared.parameter-wrong", ParameterError, what="a finite number"):
        diverse(np.inf, kind="entropy")
    with failing("declared.parameter-wrong", ParameterError, what="a finite number"):
        diverse(2, kind="recursive", c=np.inf)
