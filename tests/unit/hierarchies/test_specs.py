"""What project files and calls may say, and the way back."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import antifaz as az
from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.types import DataType
from antifaz.hierarchies import (
    BUILDERS,
    BUILTIN,
    Dates,
    ExistingHierarchy,
    File,
    Flat,
    Groups,
    Hierarchy,
    HierarchyBuilder,
    Intervals,
    Masking,
    Table,
    Tree,
    add_suppression,
    dates,
    describe,
    flat,
    from_file,
    groups,
    intervals,
    masking,
    parse,
    table,
    tree,
)
from antifaz.projects import actions
from failing import Like, failing, like, near

MADE = [
    intervals(5, 10, origin=1),
    intervals("0.1"),
    masking(),
    masking(2, levels=1, top=False),
    dates(),
    dates("year", format="%d/%m/%Y"),
    flat(),
    groups({"x": ["a"], "y": ["b"]}),
    table({"a": ["x"], "b": ["y"]}, suppression=True),
    tree({"value": "x", "children": [{"value": "a"}]}),
    from_file("sex.csv", delimiter=","),
]


@pytest.mark.parametrize(
    ("spec", "builder"),
    [
        ({"intervals": [5, 10, 20], "origin": 0}, Intervals(widths=(5, 10, 20))),
        ({"intervals": 5}, Intervals(widths=(5,))),
        ({"masking": 1}, Masking()),
        ({"masking": None, "levels": 2}, Masking(levels=2)),
        ({"dates": ["year"]}, Dates(levels=("year",))),
        ({"dates": "year"}, Dates(levels=("year",))),
        ({"dates": None}, Dates()),
        ({"flat": True}, Flat()),
        ({"flat": None, "suppression": True}, Flat(suppression=True)),
        ({"groups": [{"x": ["a"]}]}, Groups(groups=[{"x": ["a"]}])),
        ({"table": {"a": ["x"]}}, Table(rows=[["a", "x"]])),
        ({"tree": {"value": "a"}}, Tree(root={"value": "a"})),
        ({"value": "a"}, Tree(root={"value": "a"})),
        ({"value": "a", "suppression": True}, Tree(root={"value": "a"}, suppression=True)),
        ({"file": "a.csv", "header": True}, File(path="a.csv", header=True)),
        ("a.csv", File(path="a.csv")),
        (Path("a.csv"), File(path="a.csv")),
        (Flat(), Flat()),
    ],
)
def test_what_is_understood(spec: Any, builder: HierarchyBuilder) -> None:
    assert parse(spec) == builder


def test_files_lie_beside_the_project(tmp_path: Path) -> None:
    for spec in ({"file": "a.csv"}, "a.csv", Path("a.csv"), from_file("a.csv")):
        made = parse(spec, tmp_path)
        assert isinstance(made, File)
        assert made.path == tmp_path / "a.csv"
    assert parse({"flat": True}, tmp_path) == Flat()


def test_a_hierarchy_is_taken_as_it_is() -> None:
    made = Hierarchy.from_rows([("a", "x"), ("b", "x")])
    builder = parse(made)
    assert isinstance(builder, ExistingHierarchy)
    assert builder.build([], DataType.TEXT) is made
    assert add_suppression(made).build([], DataType.TEXT).levels[-1] == ("*",)
    assert describe(builder) == {"table": [["a", "x"], ["b", "x"]]}
    assert describe(add_suppression(made))["suppression"] is True


def test_add_suppression_works_on_every_builder() -> None:
    rows = table([["a", "x"], ["b", "y"]])
    with failing("hierarchy.no-single-root", HierarchyError):
        rows.build([], DataType.TEXT)
    assert add_suppression(rows).build([], DataType.TEXT).height == 2
    assert not rows.suppression
    assert add_suppression({"flat": True}).build(["a"], DataType.TEXT).height == 1


@pytest.mark.parametrize("builder", MADE, ids=lambda builder: builder.name)
def test_describe_is_the_way_back(builder: HierarchyBuilder) -> None:
    said = json.loads(json.dumps(describe(builder)))
    assert parse(said) == builder
    assert type(builder).parse(json.loads(json.dumps(builder.parameters()))) == builder


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"intervalls": [5]}, like("hierarchy.unknown-builder", first="intervalls", hint=near("intervals"))),
        (
            {},
            like(
                "hierarchy.unknown-builder",
                hint=like(
                    "hint.known",
                    names=[
                        "dates",
                        "file",
                        "flat",
                        "groups",
                        "information-gain",
                        "intervals",
                        "masking",
                        "table",
                        "tree",
                    ],
                ),
            ),
        ),
        ({"intervals": [5], "orgin": 0}, like("declared.unknown-parameter", name="orgin", hint=near("origin"))),
        ({"intervals": [5], "supression": True}, like("declared.unknown-parameter", hint=near("suppression"))),
        (
            {"intervals": [5], "masking": 1},
            like("hierarchy.made-in-several-ways", names="'intervals' and 'masking'", names2=2),
        ),
        ({"intervals": [5], "widths": [5]}, "hierarchy.primary-given-twice"),
        ({"intervals": None}, like("declared.parameter-needed", name="intervals", where="widths")),
        ({"flat": 3}, like("hierarchy.builder-takes-nothing", name="flat")),
        ({"flat": True, "suppression": "perhaps"}, like("declared.parameter-wrong", where="suppression")),
        ({"value": "a", "suppression": 7}, like("declared.parameter-wrong", where="suppression")),
        ({5: 1}, like("hierarchy.unknown-builder", first="5")),
        ([1], like("hierarchy.not-a-builder-path-or-mapping", type="list")),
        (None, like("hierarchy.not-a-builder-path-or-mapping", type="NoneType")),
    ],
)
def test_what_is_not_understood(spec: Any, said: str | Like) -> None:
    with failing(said) as caught:
        parse(spec)
    assert isinstance(caught.value, ParameterError)


@pytest.mark.parametrize("builder", BUILTIN, ids=lambda builder: builder.name)
def test_every_builder_declares_itself(builder: type[HierarchyBuilder]) -> None:
    assert BUILDERS[builder.name] is builder
    assert builder.summary
    assert builder.details
    assert isinstance(builder.needs_data, bool)
    assert not builder.primary or builder.primary in builder.model_fields
    assert all(field.description for field in builder.model_fields.values())
    assert builder.model_json_schema()["type"] == "object"


def test_a_name_alone_is_the_builder_with_its_defaults(tmp_path: Path) -> None:
    assert parse("flat", tmp_path) == Flat()
    assert parse("masking") == masking()
    with failing("declared.parameter-needed", ParameterError, name="intervals", where="widths"):
        parse("intervals")
    made = parse("./flat", tmp_path)
    assert isinstance(made, File)
    assert made.path == tmp_path / "flat"


def test_what_is_proposed_is_accepted_as_it_is(tmp_path: Path) -> None:
    people = pa.table({"sex": ["f", "m"] * 20, "age": [20 + i % 10 for i in range(40)]})
    proposed = az.propose.hierarchy(people, "sex")
    assert proposed.value == "flat"
    roles = {"sex": "quasi-identifier", "age": "sensitive"}
    for given in (proposed, proposed.value, proposed.details):
        release = az.anonymize(people, roles=roles, hierarchies={"sex": given}, privacy=az.KAnonymity(5), seed=1)
        assert release.frame.num_rows == 40
    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(
        "antifaz: 1\nname: people\nsource: {path: people.csv}\nprivacy: [{model: k-anonymity, k: 5}]\n"
        "attributes: {sex: {role: quasi-identifier, hierarchy: flat}}\nothers: drop\nmethod: {name: full-domain}\n"
    )
    assert actions.run(tmp_path / "project.yaml")["privacy"][0]["holds"]
