"""The hierarchy itself: hand-solved cases and every check."""

import numpy as np
import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import Hierarchy
from failing import Like, failing, like

ROWS = [
    ("Madrid", "Madrid", "Spain", "*"),
    ("Getafe", "Madrid", "Spain", "*"),
    ("Lleida", "Catalonia", "Spain", "*"),
    ("Porto", "Norte", "Portugal", "*"),
]


def test_levels_codes_and_counts() -> None:
    made = Hierarchy.from_rows(ROWS)
    assert made.height == 3
    assert made.leaves == ("Madrid", "Getafe", "Lleida", "Porto")
    assert made.levels[1:] == (("Madrid", "Catalonia", "Norte"), ("Spain", "Portugal"), ("*",))
    assert [codes.tolist() for codes in made.up] == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert all(codes.dtype == np.int32 for codes in made.up)
    assert [made.parents(h).tolist() for h in range(3)] == [[0, 0, 1, 2], [0, 0, 1], [0, 0]]
    assert made.parents(0).dtype == np.int32
    assert [made.leaf_counts(h).tolist() for h in range(4)] == [[1, 1, 1, 1], [2, 1, 1], [3, 1], [4]]
    assert made.leaf_counts(0).dtype == np.int64
    assert made.index() == {"Madrid": 0, "Getafe": 1, "Lleida": 2, "Porto": 3}
    assert made.index() is made.index()
    assert [made.label("Getafe", h) for h in range(4)] == ["Getafe", "Madrid", "Spain", "*"]
    assert made.paths() == ROWS


def test_labels_are_canonical() -> None:
    made = Hierarchy.from_rows([(" Jose\u0301", "x "), ("Ana", " x")])
    assert made.levels == (("Jos\u00e9", "Ana"), ("x",))


def test_leaves_of_numeric_columns_are_spelled_as_numbers_but_labels_are_not() -> None:
    made = Hierarchy.from_rows([("01", "01"), ("2.0", "01")], kind=DataType.INTEGER)
    assert made.levels == (("1", "2"), ("01",))
    with failing("hierarchy.row-repeats-value", HierarchyError, what="line 2", name="line 1"):
        Hierarchy.from_rows([("1", "*"), ("1.0", "*")], kind=DataType.DECIMAL)


def test_one_value_may_be_a_hierarchy_of_height_zero() -> None:
    assert Hierarchy.from_rows([("a",)]).height == 0
    with failing("hierarchy.no-single-root", HierarchyError, levels=2):
        Hierarchy.from_rows([("a",), ("b",)])


def test_suppression_goes_on_top_once() -> None:
    made = Hierarchy.from_rows([("a", "x"), ("b", "x")])
    more = made.with_suppression()
    assert more.levels == (("a", "b"), ("x",), ("*",))
    assert more.up[2].tolist() == [0, 0]
    assert more.with_suppression() is more
    assert made.height == 1
    assert Hierarchy.from_rows([("a", "x"), ("b", "y")], suppression=True).levels[-1] == ("*",)


def test_cover_names_values_only_apart_from_the_message() -> None:
    made = Hierarchy.from_rows(ROWS)
    made.cover(["Porto", "Madrid"], "town")
    assert made.missing_from(["Vigo", "Porto", "Braga"]) == ("Braga", "Vigo")
    with pytest.raises(HierarchyError) as caught:
        made.cover(["Vigo", "Porto", "Braga"], "town")
    assert str(caught.value) == "The hierarchy of 'town' misses 2 value(s) of the data."
    assert caught.value.values == ("Braga", "Vigo")


@pytest.mark.parametrize(
    ("rows", "said", "values"),
    [
        ([], "hierarchy.without-values", ()),
        ([()], like("hierarchy.label-empty", where="line 1"), ()),
        ([("a", "*"), ("b",)], like("hierarchy.row-of-other-length", what="line 2", row=1, name="line 1", width=2), ()),
        ([("a", "*"), ("b", " ")], like("hierarchy.row-has-empty-label", what="line 2", level=1), ()),
        ([("a", "*"), ("", "*")], like("hierarchy.row-has-empty-label", what="line 2", level=0), ()),
        ([("a", "*"), (5, "*")], like("hierarchy.row-has-label-not-text", what="line 2", level=0), ()),
        (
            [("a", "*"), ("b", "*"), ("a", "*")],
            like("hierarchy.row-repeats-value", what="line 3", name="line 1", more=""),
            ("a",),
        ),
        (
            [("a", "*"), ("a", "*"), ("a", "*")],
            like("hierarchy.row-repeats-value", what="line 2", name="line 1", more=" (2 lines repeat a value)"),
            ("a",),
        ),
        (
            [("a", "x", "1", "*"), ("b", "x", "2", "*")],
            like("hierarchy.label-under-two-labels", what="line 1", name="line 2", level=1),
            ("x",),
        ),
        ([("a", "x"), ("b", "y")], like("hierarchy.no-single-root", levels=2), ("x", "y")),
    ],
)
def test_what_is_no_hierarchy_is_refused(
    rows: list[tuple[str, ...]], said: str | Like, values: tuple[str, ...]
) -> None:
    with failing(said, HierarchyError) as caught:
        Hierarchy.from_rows(rows)
    assert caught.value.values == values


def test_messages_keep_leaves_out() -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows([("canary", "*"), ("canary", "*")])
    assert "canary" not in str(caught.value)


def test_asking_for_what_is_not_there() -> None:
    made = Hierarchy.from_rows(ROWS)
    with failing("hierarchy.no-such-level", HierarchyError, level=3, most=2):
        made.parents(3)
    with failing("hierarchy.no-such-level", HierarchyError, level=-1):
        made.leaf_counts(-1)
    with failing("hierarchy.value-not-a-leaf", HierarchyError) as caught:
        made.label("Vigo", 1)
    assert caught.value.values == ("Vigo",)


def test_a_hundred_thousand_leaves() -> None:
    rows = [(f"v{i}", f"a{i // 5}", f"b{i // 50}", f"c{i // 500}", f"d{i // 5000}", "*") for i in range(100_000)]
    made = Hierarchy.from_rows(rows)
    assert [len(labels) for labels in made.levels] == [100_000, 20_000, 2_000, 200, 20, 1]
    assert made.leaf_counts(4).tolist() == [5_000] * 20
