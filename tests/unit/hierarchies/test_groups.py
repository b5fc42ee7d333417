"""Groups by hand, and the flat hierarchy."""

from typing import Any

import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import groups, parse
from failing import Like, failing, like


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
        ([], "hierarchy.groups-not-a-list-of-mappings", ()),
        ("abc", "hierarchy.groups-not-a-list-of-mappings", ()),
        ([{}], like("hierarchy.level-not-a-mapping", number=1), ()),
        (
            [{"x": "ab"}],
            like("hierarchy.members-not-a-list", where=like("hierarchy.of-group", position=1, number=1)),
            (),
        ),
        ([{"x": []}], "hierarchy.members-not-a-list", ()),
        (
            [{"x": ["a"], " x": ["b"]}],
            like("hierarchy.label-used-before", where=like("hierarchy.of-group", position=2, number=1)),
            ("x",),
        ),
        ([{"x": ["a", None]}], like("hierarchy.label-empty", where="A member of group 1 at level 1"), ()),
        ([{"x": ["a"], "y": ["a", "b"]}], like("hierarchy.members-twice-in-level", number=1, count=1), ("a",)),
        ([{"x": ["a"]}, {"t": ["x", "z"]}], like("hierarchy.members-are-no-labels", count=1, number2=1), ("z",)),
        (
            [{"x": ["a"], "y": ["b"]}, {"t": ["x"]}],
            like("hierarchy.level-leaves-out-labels", left=1, number2=1),
            ("y",),
        ),
    ],
)
def test_bad_groups(levels: Any, said: str | Like, values: tuple[str, ...]) -> None:
    with failing(said, HierarchyError) as caught:
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
