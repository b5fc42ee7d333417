"""A frozen recoding on rows that come later: the same labels, and privacy counted in the union by brute force."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.types import DataType
from antifaz.pipeline.apply_recoding import FrozenHierarchy
from failing import failing

ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(10, 40, 120), "sex": az.hierarchy.flat()}


def table(rows: list[tuple[int | None, str, str]]) -> pa.Table:
    ages, sexes, diseases = zip(*rows, strict=True) if rows else ((), (), ())
    names = [f"person {i}" for i in range(len(rows))]
    return pa.table({"name": names, "age": pa.array(ages, pa.int64()), "sex": list(sexes), "disease": list(diseases)})


def decade(age: int) -> str:
    return f"[{age // 10 * 10}, {age // 10 * 10 + 10})"


FIRST = table([(20 + i % 3, "f", ("flu", "cold")[i % 2]) for i in range(4)] + [(31, "m", "flu"), (35, "m", "cold")] * 2)


def first(**asked: Any) -> Any:
    wanted = {"privacy": [az.KAnonymity(4), az.LDiversity(2)], "method": az.FullDomain(levels={"age": 1, "sex": 0})}
    return az.anonymize(FIRST, roles=ROLES, seed=1, **{"hierarchies": HIERARCHIES} | wanted | asked)


def rows_of(frame: Any) -> list[tuple[str, ...]]:
    return [tuple(str(row[name]) for name in ("age", "sex", "disease")) for row in frame.to_pylist()]


def brute(before: list[tuple[str, ...]], new: list[tuple[str, ...]], k: int, l: int) -> list[tuple[str, ...]]:  # noqa: E741
    """The new rows that stay: by definition, from the rows, one class after another."""
    classes: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in before + new:
        classes[row[:-1]].append(row[-1])
    return [row for row in new if len(classes[row[:-1]]) >= k and len(set(classes[row[:-1]])) >= l]


def test_new_rows_get_the_same_labels_and_hold_with_the_earlier_ones() -> None:
    release = first()
    assert release.levels == {"age": 1, "sex": 0}
    # One more of the twenties is hidden by the four before; of the fifties there are too few.
    later = az.apply(release.recoding, table([(29, "f", "flu"), (55, "f", "flu"), (55, "f", "cold")]), seed=2)
    assert rows_of(later.frame) == [("[20, 30)", "f", "flu")]
    evidence = later.evidence
    assert evidence["rows"] == {"read": 3, "released": 1, "suppressed": 2}
    assert [(one["model"], one["achieved"], one["holds"]) for one in evidence["privacy"]] == [
        ("k-anonymity", 4, True), ("l-diversity", 2, True),
    ]  # fmt: skip
    assert evidence["method"]["name"] == "frozen"
    assert evidence["method"]["released_before"] == 8
    assert evidence["risk"]["prosecutor"] == 0.25


PEOPLE = st.tuples(st.integers(18, 49), st.sampled_from("mf"), st.sampled_from(["flu", "cold", "Flu "]))


@settings(max_examples=25, deadline=None)
@given(st.lists(PEOPLE, min_size=1, max_size=14))
def test_the_union_is_that_of_brute_force(people: list[tuple[int, str, str]]) -> None:
    release = first()
    before = rows_of(release.frame)
    labelled = [(decade(age), sex, disease) for age, sex, disease in people]
    folded = [(age, sex, disease.strip().lower()) for age, sex, disease in labelled]
    expected = [row for row, like in zip(labelled, folded, strict=True) if like in brute(before, folded, 4, 2)]
    if not expected:
        with failing("recoding.nothing-left", az.PrivacyNotReached, rows=len(people)):
            az.apply(release.recoding, table(people))
        return
    later = az.apply(release.recoding, table(people))
    assert Counter(rows_of(later.frame)) == Counter(expected)
    sizes = Counter(row[:-1] for row in before + rows_of(later.frame))
    assert later.evidence["privacy"][0]["achieved"] == min(sizes.values()) >= 4


def test_it_goes_through_files_and_the_earlier_files_may_be_named(tmp_path: Path) -> None:
    release = first()
    release.save(tmp_path / "one")
    path = release.recoding.save(tmp_path / "recoding.json")
    assert path.stat().st_mode & 0o077 == 0
    # Two of the fifties need more of them: those of another file that was released.
    more = tmp_path / "more.csv"
    more.write_text("age,sex,disease\n" + '"[50, 60)",f,flu\n"[50, 60)",f,cold\n' * 2)
    new = table([(55, "f", "flu"), (56, "f", "cold")])
    with failing("recoding.nothing-left", az.PrivacyNotReached, rows=2):
        az.apply(path, new)
    later = az.apply(path, new, earlier=[tmp_path / "one" / "release.csv", more], seed=1)
    later.save(tmp_path / "two")
    with (tmp_path / "two" / "release.csv").open() as file:
        assert sorted(row["age"] for row in csv.DictReader(file)) == ["[50, 60)"] * 2
    assert later.evidence["method"]["released_before"] == 12
    with failing("recoding.given-twice", az.InputError, file="more.csv"):
        az.apply(path, new, earlier=[more, more])


def test_earlier_rows_that_do_not_hold_are_refused_by_the_gate(tmp_path: Path) -> None:
    alone = tmp_path / "alone.csv"
    alone.write_text('age,sex,disease\n"[90, 100)",f,flu\n')
    four = table([(21, "f", "flu"), (21, "f", "cold")] * 2)
    with pytest.raises(az.CheckFailed, match="k-anonymity reaches 1"):
        az.apply(first().recoding, four, earlier=[alone])


def test_the_share_left_out_may_be_limited() -> None:
    with failing("recoding.too-many-left-out", az.PrivacyNotReached, lost=1, rows=2):
        az.apply(first().recoding, table([(21, "f", "flu"), (55, "f", "flu")]), suppression=0.4)


def test_unseen_values_are_named_by_column_and_count() -> None:
    tree = az.hierarchy.table([("f", "*"), ("m", "*")])
    release = first(hierarchies={**HIERARCHIES, "sex": tree})
    with pytest.raises(az.HierarchyError) as raised:
        az.apply(release.recoding, table([(21, "x", "flu"), (21, "y", "flu")]))
    assert raised.value.values == ("x", "y")
    assert "'sex'" in str(raised.value)
    assert " 2 " in str(raised.value)
    assert "'x'" not in str(raised.value)


def test_values_that_would_move_others_are_named() -> None:
    # Of two digits the first level hides one; beside three digits nothing else changes, but for what said nothing.
    seen = {"12": "1*", "13": "1*"}
    masking = az.hierarchy.masking()
    frozen = FrozenHierarchy(inner=masking, column="code", level=1, seen=seen)
    assert frozen.build(["123"], DataType.TEXT).label("123", 1) == "12*"
    says_nothing = FrozenHierarchy(inner=masking, column="code", level=2, seen={"12": "*", "13": "*"})
    assert says_nothing.build(["123"], DataType.TEXT).label("123", 2) == "*"
    moved = FrozenHierarchy(inner=masking, column="code", level=2, seen={"12": "*", "13": "1"})
    with failing("recoding.values-move-others", az.HierarchyError, column="code", count=1):
        moved.build(["123"], DataType.TEXT)


def test_missing_values_and_new_labels_follow_the_hierarchy() -> None:
    later = az.apply(first().recoding, table([(None, "f", "flu"), (None, "f", "cold")] * 2 + [(71, "m", "flu")]))
    assert rows_of(later.frame) == [("None", "f", disease) for _, _, disease in rows_of(later.frame)]
    assert later.frame.num_rows == 4


def test_what_depends_on_the_rows_is_refused() -> None:
    with failing("recoding.method-not-frozen", az.ParameterError, method="mondrian"):
        first(method=az.Mondrian()).recoding  # noqa: B018
    with failing("recoding.filled-from-the-data", az.ParameterError, name="age"):
        first(missing={"age": "median"}).recoding  # noqa: B018


def test_people_with_several_rows_are_refused() -> None:
    release = az.anonymize(
        FIRST, roles={**ROLES, "name": "person"}, hierarchies=HIERARCHIES, privacy=az.KAnonymity(4), seed=1
    )
    with failing("recoding.people-not-counted-together", az.ParameterError, name="name"):
        release.recoding  # noqa: B018


def test_other_columns_and_types_are_refused(tmp_path: Path) -> None:
    recoding = first().recoding
    new = table([(21, "f", "flu")])
    with failing("recoding.other-columns", az.SchemaError, columns=["more"]):
        az.apply(recoding, new.append_column("more", pa.array([1])))
    text = new.set_column(1, "age", pa.array(["young"]))
    with failing("recoding.type-differs", az.ParameterError, column="age", type="text", known="integer"):
        az.apply(recoding, text)
    (tmp_path / "wrong.json").write_text("{}")
    with failing("recoding.not-understood", az.InputError, path="wrong.json", where="name"):
        az.apply(tmp_path / "wrong.json", new)


def test_the_identifier_may_be_gone_already() -> None:
    later = az.apply(first().recoding, table([(21, "f", "flu")]).drop_columns(["name"]))
    assert later.frame.column_names == ["age", "sex", "disease"]


def test_a_learnt_hierarchy_stays_as_it_was() -> None:
    people = az.datasets.people(300, seed=1).select(["age", "sex", "diagnosis"])
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
    hierarchies = {"age": az.hierarchy.information_gain(2), "sex": az.hierarchy.flat()}
    release = az.anonymize(people, roles=roles, hierarchies=hierarchies, privacy=az.KAnonymity(5), seed=1)
    document = json.loads(release.recoding.model_dump_json())
    known = {value: label for label, values in document["columns"]["age"]["labels"].items() for value in values}
    new = people.slice(0, 40)
    later = az.apply(release.recoding, new)
    assert Counter(later.frame["age"].to_pylist()) == Counter(known[str(age)] for age in new["age"].to_pylist())


def test_a_cut_through_the_tree_stays_where_it_was() -> None:
    tree = {
        "value": "any",
        "children": [
            {"value": "north", "children": [{"value": town} for town in ("a", "b", "c")]},
            {"value": "south", "children": [{"value": town} for town in ("x", "y", "z")]},
        ],
    }
    # In the south every town has four, in the north only all together have.
    towns = ["a", "b", "b", "a"] + ["x"] * 4 + ["y"] * 4
    rows = pa.table({"town": towns, "disease": ["flu", "cold"] * 6})
    release = az.anonymize(
        rows, roles={"town": "quasi-identifier", "disease": "sensitive"}, hierarchies={"town": tree},
        privacy=az.KAnonymity(4), method=az.Specialization(cut="subtree"), seed=1,
    )  # fmt: skip
    assert Counter(release.frame["town"].to_pylist()) == {"north": 4, "x": 4, "y": 4}
    assert release.recoding.levels == {}
    new = pa.table({"town": ["c", "x", "a"], "disease": ["flu"] * 3})
    later = az.apply(release.recoding, new, seed=1)
    assert Counter(later.frame["town"].to_pylist()) == {"north": 2, "x": 1}
    assert later.evidence["privacy"][0]["achieved"] == 4
    with pytest.raises(az.HierarchyError) as raised:
        az.apply(release.recoding, pa.table({"town": ["z"], "disease": ["flu"]}))
    assert raised.value.values == ("z",)
    with failing("recoding.frozen-already", az.ParameterError):
        later.recoding  # noqa: B018
