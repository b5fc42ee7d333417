import pyarrow as pa
from tests.failing import failing

import antifaz as az
from antifaz.core.types import DataType
from antifaz.counting.domains import qi_domain
from antifaz.hierarchies import flat, parse
from antifaz.tabulation.dimensions import bind_dimension

TREE = az.hierarchy.groups({"north": ["a", "b"], "south": ["c"]}, suppression=True)


def dimension(values, builder):
    return bind_dimension(qi_domain("region", values, DataType.TEXT), builder, DataType.TEXT).dimension


def test_every_label_is_a_node_under_its_own():
    found = dimension(["a", "b", "c"], TREE)
    above = {
        label: found.labels[parent] for label, parent in zip(found.labels, found.parents, strict=True) if parent >= 0
    }
    assert found.labels[0] == "*"
    assert above == {"north": "*", "south": "*", "a": "north", "b": "north", "c": "south"}


def test_only_labels_that_occur_are_there():
    assert set(dimension(["a"], TREE).labels) == {"*", "north", "a"}


def test_a_label_above_itself_alone_is_one_node():
    rows = [("a", "a", "*"), ("b", "other", "*"), ("c", "other", "*")]
    found = dimension(["a", "b", "c"], az.hierarchy.table(rows))
    assert sorted(found.labels) == ["*", "a", "b", "c", "other"]


def test_a_label_that_stands_for_two_things_is_refused():
    rows = [("a", "a", "*"), ("b", "a", "*"), ("c", "other", "*")]
    with failing("tabulation.label-twice", az.HierarchyError, column="region") as caught:
        dimension(["a", "b", "c"], az.hierarchy.table(rows))
    assert caught.value.values == ("a",)


def test_a_missing_value_is_a_category_beside_the_root():
    tree = parse({"value": "Spain", "children": [{"value": "a"}, {"value": "b"}]})
    found = dimension(["a", "b", None], tree)
    assert found.labels[0] == "*"
    assert found.parents[found.labels.index(None)] == 0
    assert found.parents[found.labels.index("Spain")] == 0


def test_all_values_may_be_missing():
    assert dimension([None], flat()).labels == ("*", None)
    assert dimension([], flat()).labels == ("*",)


def test_a_hierarchy_that_is_learned_is_refused():
    with failing("tabulation.hierarchy-needs-target", column="age"):
        az.tabulate(pa.table({"age": [1, 2]}), {"age": az.hierarchy.information_gain()}, rules=az.Threshold(2))
