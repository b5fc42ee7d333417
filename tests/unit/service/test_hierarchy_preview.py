"""Hierarchies as they are edited: what they make of a column's values, and there and back by a file."""

from pathlib import Path

import pyarrow as pa
import pytest

from antifaz.core.errors import AntifazError, HierarchyError
from antifaz.engines.registry import open_data
from antifaz.service import hierarchy_preview
from antifaz.service.errors import NotAllowed
from failing import failing, like

TABLE = pa.table({"age": [20, 25, 31, None], "town": ["Vic", "Reus", "Vic", "Olot"], "ill": ["a", "b", "a", "a"]})


def no_files(path: str) -> Path:
    raise NotAllowed("no")


@pytest.fixture
def data():
    with open_data(TABLE) as found:
        yield found


def test_a_preview_shows_what_each_value_becomes(data):
    found = hierarchy_preview.preview(data, "age", {"intervals": [10]}, no_files)
    assert found["table"] == [["20", "[20, 30)", "*"], ["25", "[20, 30)", "*"], ["31", "[30, 40)", "*"]]
    assert (found["levels"], found["total"], found["covers"], found["problems"]) == (3, 3, True, [])


def test_values_that_it_leaves_out_are_a_problem(data):
    found = hierarchy_preview.preview(data, "town", {"table": {"Vic": ["*"], "Reus": ["*"]}}, no_files)
    assert (found["covers"], found["missing"]) == (False, ["Olot"])
    assert found["problems"] == ["The hierarchy of 'town' misses 1 value(s) of the data."]


def test_what_is_wrong_with_it_is_a_problem_without_values(data):
    broken = {"table": [["Vic", "x", "*"], ["Reus", "x", "+"]]}
    (problem,) = hierarchy_preview.preview(data, "town", broken, no_files)["problems"]
    assert "line 2" in problem.lower()


def test_one_that_learns_from_another_column_is_shown_when_that_is_named(data):
    found = hierarchy_preview.preview(data, "age", {"information-gain": 1, "target": "ill"}, no_files)
    assert [row[0] for row in found["table"]] == ["20", "25", "31"]
    (problem,) = hierarchy_preview.preview(data, "age", {"information-gain": 1}, no_files)["problems"]
    assert "target" in problem


@pytest.mark.parametrize("said", [None, 5, [], {}, {"intervl": 5}, {"intervals": "x"}, {"flat": True, "masking": 1}])
def test_what_is_no_hierarchy_is_refused(data, said):
    with pytest.raises(AntifazError):
        hierarchy_preview.preview(data, "age", said, no_files)


@pytest.mark.parametrize("said", ["/etc/passwd", {"file": "/etc/passwd"}, {"file": {"path": "x"}}])
def test_a_file_is_read_only_where_that_is_allowed(data, said):
    with pytest.raises(AntifazError):
        hierarchy_preview.preview(data, "town", said, no_files)


def read(tmp_path, content, name="h.csv", options=None):
    path = (tmp_path / "data").with_suffix(Path(name).suffix)
    path.write_text(content, encoding="utf-8")
    return hierarchy_preview.read_hierarchy_file(path, name, options)


@pytest.mark.parametrize("column", ["age", "town"])
def test_a_table_that_was_written_is_read_back(data, tmp_path, column):
    said = {"intervals": [10, 20]} if column == "age" else {"masking": 1}
    text = hierarchy_preview.hierarchy_table(data, column, said, no_files)
    again = read(tmp_path, text)
    shown = [hierarchy_preview.preview(data, column, one, no_files)["table"] for one in (said, again)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("h.csv", "value;level1;level2\na;x;*\nb;x;*\n"),
        ("h.csv", "\ufeffValue,level1,level2\na,x,*\nb,x,*\n"),
        ("h.csv", "a;x;*\nb;x;*\n"),
        ("h.json", '{"value": "*", "children": [{"value": "x", "children": [{"value": "a"}, {"value": "b"}]}]}'),
    ],
)
def test_a_file_of_either_kind_becomes_the_same_table(tmp_path, name, content):
    assert read(tmp_path, content, name) == {"table": [["a", "x", "*"], ["b", "x", "*"]]}


def test_what_is_wrong_in_a_file_is_said_by_its_name_and_line(tmp_path):
    with failing(
        "hierarchy.in-file", HierarchyError, file="mine.csv", error=like("hierarchy.row-of-other-length", what="line 2")
    ) as caught:
        read(tmp_path, "CANARY;x;*\nb;x;y;*\n", "mine.csv")
    assert "CANARY" not in str(caught.value)
    with failing("service.unknown-hierarchy-option"):
        read(tmp_path, "a;*\n", options={"path": "/etc/passwd"})
