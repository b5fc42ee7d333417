"""Columns released as one value of each class: counted again by pandas, row by row, from the release alone."""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path
from statistics import median, multimode
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import PrivacyNotReached
from antifaz.projects.project_actions import candidates_of, frontier_of
from antifaz.projects.script import script_of
from failing import failing

ROLES = {"alter": "quasi-identifier", "größe": "quasi-identifier", "ort": "quasi-identifier", "row": "insensitive"}
TOWNS = [
    ["Ávila", "Castilla", "*"],
    ["León", "Castilla", "*"],
    ["Girona", "Catalunya", "*"],
    ["Reus", "Catalunya", "*"],
]
HIERARCHIES = {"ort": az.hierarchy.table(TOWNS), "größe": az.hierarchy.flat()}


def people(rows: list[tuple[Any, Any, Any]], kind: pa.DataType | None = None) -> pa.Table:
    ages, sizes, towns = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(
        {
            "alter": pa.array(ages, kind or pa.int64()),
            "größe": pa.array(sizes, pa.string()),
            "ort": pa.array(towns, pa.string()),
            "row": pa.array(range(len(rows)), pa.int64()),
        }
    )


def released(table: pa.Table, how: str = "mean", k: int = 2, **more: Any) -> Any:
    given: dict[str, Any] = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(k), "seed": 1}
    return az.anonymize(table, **given | {"microaggregate": {"alter": how}} | more)


def expected(values: list[Any], how: str) -> int | None:
    """The one value of a class of whole numbers, by the words of the guide."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    if how == "mean":
        return round(sum(known) / len(known))
    modes = multimode(values)
    return int(modes[0]) if how == "mode" and modes == [modes[0]] != [None] else math.floor(median(known))


def check_by_brute_force(table: pa.Table, release: Any, how: str, k: int, others: tuple[str, ...]) -> None:
    after = release.frame.to_pandas()
    before = table.to_pandas().set_index("row")
    everything = [*others, "alter"]
    assert after.groupby(everything, dropna=False).size().min() >= k
    for _, rows in after.groupby(list(others), dropna=False):
        ages = [None if pd.isna(age) else age for age in before.loc[rows["row"], "alter"]]
        values = [None if pd.isna(value) else value for value in rows["alter"].unique()]
        assert values == [expected(ages, how)]


RECORDS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-5, 90)),
        st.sampled_from(["klein", "groß", None]),
        st.sampled_from([path[0] for path in TOWNS]),
    ),
    min_size=1,
    max_size=24,
)


@settings(max_examples=60, deadline=None)
@given(
    rows=RECORDS, how=st.sampled_from(["mean", "median", "mode"]), k=st.integers(1, 4), limit=st.sampled_from([0, 0.5])
)
def test_every_class_has_the_value_that_pandas_finds(
    rows: list[tuple[Any, Any, Any]], how: str, k: int, limit: float
) -> None:
    table = people(rows)
    try:
        release = released(table, how, k, method=az.FullDomain(suppression=limit))
    except PrivacyNotReached:
        assert k > len(rows)  # at the top all records are one class
        return
    check_by_brute_force(table, release, how, k, ("größe", "ort"))
    assert [verdict["holds"] for verdict in release.evidence["privacy"]] == [True]


@settings(max_examples=20, deadline=None)
@given(rows=RECORDS.filter(lambda rows: any(age is not None for age, _, _ in rows)), k=st.integers(1, 3))
def test_with_a_hierarchy_the_column_makes_classes_and_is_replaced_then(
    rows: list[tuple[Any, Any, Any]], k: int
) -> None:
    table = people(rows)
    hierarchies = {**HIERARCHIES, "alter": az.hierarchy.intervals(10, 40)}
    if k > len(rows):
        return
    plain = az.anonymize(table, roles=ROLES, hierarchies=hierarchies, privacy=az.KAnonymity(k), seed=1)
    release = released(table, "mean", k, hierarchies=hierarchies)
    assert release.levels == plain.levels
    assert set(release.levels) == {"alter", "größe", "ort"}
    value = {row["row"]: row["alter"] for row in release.frame.to_pylist()}
    before = dict(zip(table["row"].to_pylist(), table["alter"].to_pylist(), strict=True))
    for _, rows_of in plain.frame.to_pandas().groupby(["alter", "größe", "ort"], dropna=False):
        own = [before[row] for row in rows_of["row"]]
        assert {value[row] for row in rows_of["row"]} == {expected(own, "mean")}


SIX = [(20, "klein", "Ávila"), (23, "klein", "Ávila"), (40, "groß", "Reus"), (50, "groß", "Reus"), (60, "groß", "Reus")]


def ages(release: Any) -> list[Any]:
    rows = sorted(release.frame.to_pylist(), key=lambda row: row["row"])
    return [row["alter"] for row in rows]


@pytest.mark.parametrize(
    ("how", "values"),
    [("mean", [22, 22, 50, 50, 50]), ("median", [21, 21, 50, 50, 50]), ("mode", [21, 21, 50, 50, 50])],
)
def test_by_hand(how: str, values: list[int]) -> None:
    release = released(people(SIX), how)
    assert ages(release) == values
    assert release.frame.schema.field("alter").type == pa.int64()
    assert release.levels == {"größe": 0, "ort": 0}


def test_the_loss_of_the_column_is_counted_by_the_span_of_each_class() -> None:
    release = released(people(SIX))
    # Spans of 3 and 20 of 40, over three quasi-identifiers of which two lose nothing.
    assert release.evidence["utility"]["gcp"] == pytest.approx((2 * 3 / 40 + 3 * 20 / 40) / (5 * 3))
    assert release.evidence["utility"]["loss"] == release.evidence["utility"]["gcp"]
    told = release.evidence["method"]["microaggregated"]["alter"]
    mean = sum(row[0] for row in SIX) / 5
    error = (2**2 + 1 + 100 + 0 + 100) / sum((row[0] - mean) ** 2 for row in SIX)
    assert told == {"released_as": "mean", "error": pytest.approx(error)}
    assert set(release.evidence["utility"]["ks"]) == {"alter"}


def test_an_interval_is_the_span_with_rare_ends_rounded_outward() -> None:
    assert ages(released(people(SIX), "interval")) == ["[20, 25]", "[20, 25]", *["[40, 60]"] * 3]


def test_an_average_has_no_more_digits_than_the_data() -> None:
    rows = [(1.25, "klein", "Ávila"), (1.5, "klein", "Ávila"), (2.0, "klein", "Ávila")]
    assert ages(released(people(rows, pa.float64()))) == [1.58] * 3


def test_days_stay_days() -> None:
    rows = [(date(2020, 1, 1), "klein", "Ávila"), (date(2020, 1, 3), "klein", "Ávila")]
    release = released(people(rows, pa.date32()))
    assert ages(release) == [date(2020, 1, 2)] * 2


def test_words_have_a_mode_and_no_mean() -> None:
    rows = [("b", "klein", "Ávila"), ("b", "klein", "Ávila"), ("a", "klein", "Ávila")]
    assert ages(released(people(rows, pa.string()), "mode")) == ["b"] * 3
    assert ages(released(people(rows, pa.string()), "interval")) == ["{a, b}"] * 3
    for how in ("mean", "median"):
        with failing("microaggregate.no-numbers"):
            released(people(rows, pa.string()), how)


def test_missing_values_are_left_out_of_averages_and_make_a_span_say_nothing() -> None:
    rows = [(20, "klein", "Ávila"), (None, "klein", "Ávila"), (None, "groß", "Reus"), (None, "groß", "Reus")]
    assert ages(released(people(rows))) == [20, 20, None, None]
    assert ages(released(people(rows), "interval")) == ["*", "*", None, None]
    often = [(age, "klein", "Ávila") for age in (None, None, 20, 20, 23, 24, 25)]
    assert ages(released(people(often), "mode")) == [23] * 7  # missing is as frequent as 20
    assert ages(released(people(rows), missing={"alter": "median"})) == [20, 20, 20, 20]
    dropped = released(people([*rows, (30, "klein", "Ávila")]), missing={"alter": "drop"})
    assert ages(dropped) == [25, 25]
    assert dropped.evidence["rows"] == {"read": 5, "released": 2, "suppressed": 3}


def test_one_row_all_rows_and_more_than_there_are() -> None:
    assert ages(released(people(SIX[:1]), k=1)) == [20]
    assert ages(released(people(SIX), k=5)) == [39] * 5
    with failing("method.not-reached-but"):
        released(people(SIX), k=6)


def test_records_left_out_have_no_part_in_the_value() -> None:
    rows = [*SIX, (99, "klein", "Girona")]
    release = released(people(rows), method=az.FullDomain(suppression=0.2, levels={"größe": 0, "ort": 0}))
    assert ages(release) == [22, 22, 50, 50, 50]
    assert release.evidence["rows"]["suppressed"] == 1


@pytest.mark.parametrize("method", [az.Datafly(), az.BottomUp(), az.Specialization(), az.Specialization(cut="subtree")])
def test_other_methods_that_generalize_do_it_too(method: Any) -> None:
    table = people(SIX)
    check_by_brute_force(table, released(table, method=method), "mean", 2, ("größe", "ort"))


def test_several_columns_in_a_hardened_run_with_sensitive_values() -> None:
    rows = az.datasets.people(400, seed=3).select(["age", "sex", "postcode", "diagnosis"])
    rows = rows.append_column("weight", pa.array([50 + i % 37 for i in range(400)]))
    qis = dict.fromkeys(("age", "sex", "postcode", "weight"), "quasi-identifier")
    release = az.anonymize(
        rows,
        roles={**qis, "diagnosis": "sensitive"},
        hierarchies={"sex": az.hierarchy.flat(), "postcode": az.hierarchy.masking(1)},
        privacy=[az.KAnonymity(3), az.LDiversity(2)],
        method=az.FullDomain(suppression=0.1),
        microaggregate={"age": "median", "weight": "mean"},
        hardened=True,
        seed=2**70,
    )
    frame = release.frame.to_pandas()
    assert frame.groupby(list(qis)).size().min() >= 3
    assert frame.groupby(["sex", "postcode"])[["age", "weight"]].nunique().to_numpy().max() == 1
    assert set(release.evidence["method"]["microaggregated"]) == {"age", "weight"}


def test_people_with_several_rows_are_counted() -> None:
    rows = [(20 + i, "klein", "Ávila") for i in range(4)] + [(60, "groß", "Reus")] * 3
    table = people(rows).append_column("who", pa.array(["a", "a", "b", "b", "c", "c", "c"]))
    release = released(table, roles={**ROLES, "who": "person"})
    # In Reus there is one person only.
    assert ages(release) == [round(sum(row[0] for row in rows) / 7)] * 7
    with failing("microaggregate.leaves-out-people"):
        released(table, roles={**ROLES, "who": "person"}, leave_out="people")


def test_candidates_are_those_of_the_other_columns(tmp_path: Path) -> None:
    path = written(tmp_path)
    found = candidates_of(path)["candidates"]
    assert found
    assert {tuple(candidate["levels"]) for candidate in found} == {("größe", "ort")}
    with failing("microaggregate.frontier"):
        frontier_of(path, [2])


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("microaggregate.no-quasi-identifier", {"microaggregate": {"row": "mean"}}),
        ("microaggregate.unknown", {"microaggregate": {"alter": "average"}}),
        ("microaggregate.method", {"method": az.Mondrian()}),
        ("microaggregate.in-rounds", {"method": az.FullDomain(rounds=2)}),
        ("microaggregate.none-left", {"microaggregate": dict.fromkeys([*ROLES][:3], "mode"), "hierarchies": {}}),
        ("dp.not-with", {"privacy": az.DifferentialPrivacy(epsilon=1, delta=1e-3)}),
        ("microaggregate.model", {"privacy": az.KMap(2, population="people.csv")}),
    ],
)  # fmt: skip
def test_what_is_refused(code: str, more: dict[str, Any]) -> None:
    with failing(code):
        released(people(SIX), **more)


def test_what_was_decided_is_not_for_later_rows() -> None:
    with failing("microaggregate.not-frozen"):
        released(people(SIX)).recoding  # noqa: B018


def written(folder: Path, **more: Any) -> Path:
    people(SIX).to_pandas().to_csv(folder / "people.csv", index=False)
    attributes: dict[str, Any] = {name: {"role": role} for name, role in ROLES.items()}
    attributes["alter"]["microaggregate"] = "mean"
    attributes["größe"]["hierarchy"] = "flat"
    attributes["ort"]["hierarchy"] = {"table": TOWNS}
    project = {
        "antifaz": 1, "name": "people", "source": {"path": "people.csv"}, "attributes": attributes,
        "privacy": [{"model": "k-anonymity", "k": 2}], "release": {"path": "out/"}, "seed": 1,
    }  # fmt: skip
    path = folder / "project.yaml"
    path.write_text(json.dumps(project | more, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_project_file_says_it_by_column(tmp_path: Path) -> None:
    evidence = az.run(written(tmp_path))
    frame = pd.read_csv(tmp_path / "out" / "release.csv").sort_values("row")
    assert frame["alter"].tolist() == [22, 22, 50, 50, 50]
    assert evidence["method"]["microaggregated"]["alter"]["released_as"] == "mean"
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "replaced by the mean of each class" in report


@pytest.mark.parametrize(
    ("language", "words"),
    [("es", "sustituida por la media de cada clase"), ("ca", "substituïda per la mitjana de cada classe")],
)
def test_the_report_says_it_in_every_language(tmp_path: Path, language: str, words: str) -> None:
    az.run(written(tmp_path, report={"language": language}))
    assert words in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_script_says_it_too(tmp_path: Path) -> None:
    assert "microaggregate={'alter': 'mean'}" in script_of(written(tmp_path))


def test_beside_sets_of_items() -> None:
    table = people(SIX[2:] * 2).append_column("drugs", pa.array(["a;b", "a;b", "a", "a;b", "a;b", "a"]))
    release = released(table, roles={**ROLES, "drugs": "quasi-identifier"}, sets={"drugs": ";"})
    assert ages(release) == [50] * 6


def test_a_light_project_has_no_classes(tmp_path: Path) -> None:
    path = written(tmp_path, kind="light")
    text = json.loads(path.read_text(encoding="utf-8"))
    del text["privacy"]
    path.write_text(json.dumps(text), encoding="utf-8")
    with failing("microaggregate.light"):
        az.run(path)
