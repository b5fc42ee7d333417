"""Roles that follow from what values are, and from what columns say about each other."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.roles import Role
from antifaz.proposals.roles import roles
from failing import failing

ROWS = 200


def repeated(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(ROWS)]


def proposed(**columns: list[object]) -> dict[str, tuple[str, str]]:
    found = roles(pa.table(columns))
    return {name: (own.value, own.reason.code) for name, own in found.items()}


@pytest.mark.parametrize(
    ("values", "role", "code"),
    [
        (("M", "F"), Role.QUASI_IDENTIFIER, "reason.values-are-sexes"),
        (("Hombre", "Mujer", "Otro"), Role.QUASI_IDENTIFIER, "reason.values-are-sexes"),
        (("Alemanya", "França", "Itàlia"), Role.QUASI_IDENTIFIER, "reason.values-are-places"),
        (("Deutschland", "Schweiz", "Andere"), Role.QUASI_IDENTIFIER, "reason.values-are-places"),
        (("POINT (1.5 41.2)", "POINT (2.1 41.9)"), Role.QUASI_IDENTIFIER, "reason.values-are-places"),
        (("soltero", "casado", "viudo"), Role.QUASI_IDENTIFIER, "reason.values-known-to-others"),
        (("Very satisfied", "Neutral", "Not at all"), Role.SENSITIVE, "reason.values-of-a-scale"),
        (("sehr gut", "gut", "schlecht"), Role.SENSITIVE, "reason.values-of-a-scale"),
        (("E11.9", "I10", "J45.0", "C50", "F32.1"), Role.SENSITIVE, "reason.values-are-diagnoses"),
        (("lunes", "martes", "domingo"), Role.QUASI_IDENTIFIER, "reason.column-is-a-date"),
        (("07/10/83", "05/05/75", "09/19/88"), Role.QUASI_IDENTIFIER, "reason.column-is-a-date"),
        (("$1,200", "$900", "$15"), Role.SENSITIVE, "reason.values-are-money"),
        (("control", "drug"), Role.INSENSITIVE, "reason.assigned-at-random"),
        (("red", "blue", "green"), Role.DECIDE, "reason.values-shared-by-groups"),
        (("-", "?", "NA"), Role.INSENSITIVE, "reason.column-is-empty"),
    ],
)
def test_what_values_are_decides_where_the_name_is_unknown(values: tuple[str, ...], role: Role, code: str) -> None:
    assert proposed(xyz=repeated(*values))["xyz"] == (role, code)


def test_an_unequal_group_was_not_assigned_by_chance() -> None:
    found = proposed(xyz=["control"] * 190 + ["drug"] * 10, age=[20 + i % 50 for i in range(200)])
    assert found["xyz"][0] == Role.SENSITIVE


def test_codes_that_pass_a_national_check_are_identifiers() -> None:
    def pesel(n: int) -> str:
        digits = f"{n:010d}"
        total = sum(int(d) * w for d, w in zip(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=True))
        return digits + str(-total % 10)

    # Born on days of January and February 1944: Poland's number begins with the date.
    right = [pesel(4401010000 + 10000 * (i % 28) + 137 * i) for i in range(ROWS)]
    wrong = [number[:-1] + str((int(number[-1]) + 1) % 10) for number in right]
    found = roles(pa.table({"xyz": right, "abc": wrong}))
    assert found["xyz"].reason.values["what"].code == "pattern.national-id"
    assert found["abc"].reason.code != "reason.values-look-like"


def test_phones_are_told_from_dates_and_long_numbers() -> None:
    found = proposed(
        call=[f"+34 93 {400 + i} 20 {i % 90 + 10}" for i in range(ROWS)],
        day=[f"{i % 28 + 1:02d}-{i % 12 + 1:02d}-1980" for i in range(ROWS)],
        population=[int(10_000_000 + (i % 40) * 7919) for i in range(ROWS)],
    )
    assert found["call"] == (Role.IDENTIFIER, "reason.values-look-like")
    assert found["day"][0] == Role.QUASI_IDENTIFIER
    assert found["population"][0] != Role.IDENTIFIER


def test_free_text_is_removed_and_choices_are_known_to_others() -> None:
    texts = [f"my {i}th visit was to doctor {i * 7} in town" for i in range(ROWS)]
    choices = repeated("tea;milk", "milk", "coffee;tea", "coffee", "tea;coffee;milk", "milk;juice", "juice;tea")
    found = proposed(xyz=texts, abc=choices)
    assert found["xyz"][0] == Role.IDENTIFIER
    assert found["abc"] == (Role.QUASI_IDENTIFIER, "reason.several-choices")


def test_a_column_that_repeats_another_takes_its_role() -> None:
    code = repeated(3, 8, 11, 20, 21)
    found = proposed(province=repeated("Lleida", "Girona", "Soria", "Teruel", "Cuenca"), pop=code, abc=repeated(1, 2))
    assert found["pop"] == (Role.QUASI_IDENTIFIER, "reason.repeats-column")
    assert found["abc"][1] != "reason.repeats-column"


def test_keys_of_others_are_keys() -> None:
    keys = [10_000_000 + 37 * i for i in range(ROWS)]
    found = proposed(patient_id=keys, infected_by=[None if i % 3 else keys[i // 2] for i in range(ROWS)])
    assert found["patient_id"][0] == Role.IDENTIFIER
    assert found["infected_by"] == (Role.IDENTIFIER, "reason.values-are-keys-of")


def test_one_of_a_series_is_an_answer_unless_nobody_named_it() -> None:
    ages = [20 + i % 50 for i in range(ROWS)]
    found = proposed(age=ages, **{f"item{i}": repeated("red", "blue", "green") for i in range(3)})
    assert set(found.values()) >= {(Role.SENSITIVE, "reason.one-of-a-series")}
    found = proposed(age=ages, **{f"column_{i}": repeated("red", "blue", "green") for i in range(3)})
    assert set(found.values()) >= {(Role.DECIDE, "reason.values-shared-by-groups")}


@pytest.mark.parametrize("name", ["c", "q", "x", "col"])
@pytest.mark.parametrize("values", [("yes", "no", "maybe"), ("a", "b", "c"), (0, 1, 2)])
def test_where_nothing_else_could_be_known_columns_of_few_values_may_be(name: str, values: tuple[Any, ...]) -> None:
    found = proposed(**{f"{name}{i}": repeated(*values) for i in range(1, 5)})
    assert set(found.values()) == {(Role.QUASI_IDENTIFIER, "reason.may-be-known-to-others")}


def test_nothing_is_insensitive_without_a_reason() -> None:
    found = proposed(
        a=[i / 7 for i in range(ROWS)], b=repeated(1, 2, 3), c=repeated("x", "y", "z"), d=repeated("yes", "no"),
        e=[f"{i % 40}" for i in range(ROWS)], f=repeated(True, False),
    )  # fmt: skip
    assert Role.INSENSITIVE not in {role for role, _ in found.values()}


def test_a_proposal_says_how_sure_it_is() -> None:
    found = roles(pa.table({"age": [i % 60 for i in range(ROWS)], "xyz": repeated("red", "blue", "green")}))
    sure, unsure = (found[name].details["confidence"] for name in ("age", "xyz"))
    assert 0 <= unsure < 0.5 <= sure <= 1


def test_a_column_that_nobody_decided_about_stops_the_run() -> None:
    table = pa.table({"age": [i % 60 for i in range(ROWS)], "xyz": repeated("red", "blue", "green")})
    wanted = {name: own.value for name, own in roles(table).items()}
    assert wanted == {"age": "quasi-identifier", "xyz": "decide"}
    hierarchies = {"age": az.hierarchy.intervals(10, 20)}
    with failing("plan.columns-undecided", columns=["xyz"]):
        az.anonymize(table, roles=wanted, hierarchies=hierarchies, privacy=[az.KAnonymity(2)], seed=1)
