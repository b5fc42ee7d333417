"""Groups by hand, and the flat hierarchy."""

from typing import Any

import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import groups, parse


def test_groups_of_groups() -> None:
    made = groups({"young": ["a", "b"], "old": ["c"], "gone": ["d"]}, {"alive": ["young", "old"], "dead": ["gone"]})
    assert made.build([], DataType.TEXT).paths() == [
        ("a", "young", "alive", "*"),
        ("b", "young", "alive", "*"),
        ("c", "old", "alive", "*"),
        ("d", "gone", "dead", "*"),
    ]


def test_one_group_at_the_top_is_the_root() -> None:
    assert groups([{"x": ["a", 1]}]).build([], DataType.TEXT).paths() == [("a", "x"), ("1", "x")]
    assert groups({"x": ["a"]}, suppression=True).build([], DataType.TEXT).paths() == [("a", "x", "*")]


@pytest.mark.parametrize(
    ("levels", "said", "values"),
    [
        ([], "one mapping of labels to their members per level", ()),
        ("abc", "one mapping of labels to their members per level", ()),
        ([{}], "Level 1 of the groups is not a mapping", ()),
        ([{"x": "ab"}], "members of group 1 at level 1 are not a list", ()),
        ([{"x": []}], "not a list of at least one", ()),
        ([{"x": ["a"], " x": ["b"]}], "label of group 2 at level 1 was used before", ("x",)),
        ([{"x": ["a", None]}], "A member of group 1 at level 1 is empty", ()),
        ([{"x": ["a"], "y": ["a", "b"]}], "Level 1 of the groups has 1 member.s. twice", ("a",)),
        ([{"x": ["a"]}, {"t": ["x", "z"]}], "1 member.s. that are no label of level 1", ("z",)),
        ([{"x": ["a"], "y": ["b"]}, {"t": ["x"]}], "leaves out 1 label.s. of level 1", ("y",)),
    ],
)
def test_bad_groups(levels: Any, said: str, values: tuple[str, ...]) -> None:
    with pytest.raises(HierarchyError, match=said) as caught:
        groups(levels)
    assert caught.value.values == values


def test_values_that_are_not_named_go_to_the_rest() -> None:
    spec = {"groups": [{"EU": ["ES", "FR"], "Other": ["US"]}, {"near": ["EU"], "far": ["Other"]}], "rest": "Other"}
    made = parse(spec).build(["ES", "PE", "US"], DataType.TEXT)
    assert sorted(made.paths()) == [
        ("ES", "EU", "near", "*"), ("FR", "EU", "near", "*"), ("PE", "Other", "far", "*"), ("US", "Other", "far", "*"),
    ]  # fmt: skip


def test_a_rest_that_no_group_is_called_is_one_at_every_level() -> None:
    made = parse({"groups": [{"EU": ["ES"]}, {"near": ["EU"]}], "rest": "elsewhere"}).build(["PE"], DataType.TEXT)
    assert sorted(made.paths()) == [("ES", "EU", "near", "*"), ("PE", "elsewhere", "elsewhere", "*")]
