"""Proposed hierarchies: round, nested, and never one that leaves a value out."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.profile import ColumnProfile
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.hierarchies import parse
from antifaz.proposals.hierarchies import hierarchy
from failing import failing

FLAT = {"flat": True}


def propose(values: list[str], kind: DataType = DataType.TEXT, name: str = "x") -> dict[str, object]:
    distinct = len(set(values))
    column = ColumnProfile(name=name, type=kind, rows=len(values), missing=0, distinct=distinct)
    proposal = hierarchy(column, values)
    assert next(iter(proposal.details)) == proposal.value
    assert proposal.reason.endswith(".")
    return proposal.details


def numbers(low: int, high: int, step: int = 1) -> list[str]:
    return [str(number) for number in range(low, high + 1, step)]


@pytest.mark.parametrize(
    ("values", "widths"),
    [
        (numbers(17, 90), [5, 10, 20]),
        (numbers(1970, 1989), [2, 10]),
        (numbers(1, 16), [2, 10]),
        (numbers(0, 99999, 7), [5000, 10000, 20000]),
        (numbers(-5, 5), [2, 10]),
        (numbers(1, 3), None),
        (numbers(1, 5), [2]),
    ],
)
def test_whole_numbers_get_round_nested_widths(values: list[str], widths: list[int] | None) -> None:
    assert propose(values, DataType.INTEGER) == ({"intervals": widths} if widths else FLAT)


def test_decimals_get_fractions_where_they_need_them() -> None:
    assert propose([f"0.{n:02}" for n in range(100)], DataType.DECIMAL) == {"intervals": [0.05, 0.1, 0.2]}
    assert propose([f"{n}.5" for n in range(150, 200)], DataType.DECIMAL) == {"intervals": [5, 10, 20]}


def test_codes_of_one_length_are_masked() -> None:
    assert propose(["08001", "08034", "43201"]) == {"masking": 1}
    assert propose(["1012 AB", "1013 CD"]) == {"masking": 1}
    assert propose(["53715", "53703", "53706", "53710", "53711"], DataType.INTEGER, "cod_postal") == {"masking": 1}
    # A postcode that was read as a number has lost its zeros: 08001.
    assert propose(["53715", "8001"], DataType.INTEGER, "zip") == {"intervals": [10, 100, 1000, 10000]}
    assert propose(["53715", "8001"], DataType.INTEGER, "x") == FLAT


@pytest.mark.parametrize("values", [["M", "F"], ["ES", "FR"], ["a1", "b22"], ["north", "south"], [], ["", "  "]])
def test_categories_stay_or_go(values: list[str]) -> None:
    assert propose(values) == FLAT


def test_dates_use_the_units_that_tell_something() -> None:
    assert propose(["1986-03-14", "1996-01-02"], DataType.DATE) == {"dates": ["month", "year", "decade"]}
    assert propose(["1986-03-14", "1986-01-02"], DataType.DATE) == {"dates": ["month"]}
    assert propose(["1986-03-14T10:30", "1987-03-14"], DataType.DATETIME) == {"dates": ["month", "year"]}
    assert propose(["1986-03-14", "1986-03-15"], DataType.DATE) == FLAT
    assert propose(["14/03/1986", "15/04/1987"], DataType.DATE) == FLAT
    months = [f"198{year}-{month:02d}-01" for year in range(3) for month in range(1, 13)]
    assert propose(months, DataType.DATE) == {"dates": ["month", "quarter", "year"]}


def test_one_value_that_does_not_fit_changes_the_answer() -> None:
    assert propose([*numbers(17, 90), "unknown"], DataType.INTEGER) == FLAT
    assert propose([*numbers(17, 90), "1e400"], DataType.INTEGER) == FLAT
    assert propose([*numbers(17, 90), ""], DataType.INTEGER) == {"intervals": [5, 10, 20]}


def test_a_reason_shows_no_value() -> None:
    column = ColumnProfile(name="x", type=DataType.INTEGER, rows=9, missing=0, distinct=9)
    reason = hierarchy(column, [*numbers(17, 90), "104729"]).reason
    assert "104729" not in reason


cells = st.one_of(
    st.text(max_size=8),
    st.integers().map(str),
    st.decimals(allow_nan=True, allow_infinity=True).map(str),
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.from_regex(r"[A-Z][0-9]{3}", fullmatch=True),
)
columns = st.one_of(
    st.lists(cells, max_size=30),
    st.lists(st.integers(-(10**12), 10**12).map(str), max_size=30),
    st.lists(st.decimals(-1000, 1000, places=3).map(str), max_size=30),
    st.lists(st.dates().map(str), max_size=30),
)


@given(values=columns, kind=st.sampled_from(DataType), name=st.sampled_from(["x", "zip"]))
def test_whatever_is_proposed_can_be_built_from_the_data(values: list[str], kind: DataType, name: str) -> None:
    details = propose(values, kind, name)
    clean = sorted({known for value in values if (known := canonical(value, kind)) is not None})
    if clean:
        parse(details).build(clean, kind)
    widths = details.get("intervals")
    if isinstance(widths, list):
        assert all(round(wide / narrow, 9).is_integer() for narrow, wide in pairwise(widths))


def groups(details: dict[str, object], level: int = 0) -> dict[str, list[str]]:
    return details["groups"][level]  # type: ignore[index,no-any-return]


def test_countries_go_to_continents_in_three_languages_and_codes() -> None:
    details = propose(["España", "Francia", "Alemanya", "Chile", "Japan", "Atlantis"], name="país")
    assert groups(details, 1)["Europe"] == ["Southern Europe", "Western Europe"]
    assert groups(details)["Western Europe"] == ["Alemanya", "Francia"]
    assert groups(details)["Other"] == ["Atlantis"]
    assert groups(propose(["ES", "FR", "US", "NO"], name="country"))["Northern Europe"] == ["NO"]
    assert propose(["ES", "FR", "US", "NO"], name="x") == FLAT  # codes of two letters are many things
    assert "groups" in propose(["Spain", "France", "Norway", "Chile"], name="x")


def test_schooling_goes_to_levels() -> None:
    details = propose(["Bachelors", "HS-grad", "11th", "Doctorate", "Preschool", "Assoc-voc"], name="education")
    assert groups(details)["Secondary"] == ["11th", "HS-grad"]
    assert groups(details)["Higher education"] == ["Bachelors", "Doctorate"]
    catalan = propose(["Primària", "ESO", "Batxillerat", "Llicenciatura", "Cicle formatiu"], name="estudis")
    assert groups(catalan)["Secondary"] == ["Batxillerat", "ESO"]
    assert groups(catalan)["Higher education"] == ["Llicenciatura"]


def test_categories_that_begin_alike_are_put_together() -> None:
    details = propose(["Married civil", "Married church", "Single", "Divorced once", "Divorced twice"])
    assert groups(details) == {
        "Divorced …": ["Divorced once", "Divorced twice"],
        "Married …": ["Married church", "Married civil"],
        "Single": ["Single"],
    }


def test_rare_categories_are_merged_where_the_counts_are_known() -> None:
    colours = ["red"] * 60 + ["blue"] * 36 + ["grey"] * 2 + ["pink", "teal"]
    proposal = hierarchy(pa.table({"colour": colours}), "colour")
    # Those that few records share are not named: a project file is read by others than the data.
    assert proposal.details == {"groups": [{"blue": ["blue"], "red": ["red"]}], "rest": "Other"}
    assert "teal" not in proposal.reason


def test_rare_countries_are_not_named_either() -> None:
    places = ["Spain"] * 30 + ["France"] * 20 + ["Morocco"] * 12 + ["Peru", "Chile"]
    proposal = hierarchy(pa.table({"country": places}), "country")
    assert proposal.details["rest"] == "Other"
    assert not {"Peru", "Chile", "South America", "America"} & set(str(proposal.details).replace("'", " ").split())
    first, second = proposal.details["groups"]
    assert first == {"Northern Africa": ["Morocco"], "Southern Europe": ["Spain"], "Western Europe": ["France"]}
    assert second == {"Africa": ["Northern Africa"], "Europe": ["Southern Europe", "Western Europe"]}


def test_a_few_far_numbers_do_not_make_all_intervals_wide() -> None:
    wages = [str(n) for n in range(1000, 2000)] + ["9000000"]
    found = hierarchy(pa.table({"wage": pa.array([int(wage) for wage in wages])}), "wage")
    assert found.details["intervals"] == [50, 100, 200]
    assert found.details["high"] == 2000
    assert "9000000" not in found.reason


def test_a_profile_needs_values_and_data_needs_a_name() -> None:
    column = ColumnProfile(name="x", type=DataType.TEXT, rows=1, missing=0, distinct=1)
    with failing("proposal.values-not-a-list"):
        hierarchy(column, "x")
    with failing("proposal.column-not-named"):
        hierarchy(pa.table({"x": ["a"]}), ["x"])


def test_numbers_by_intervals_digits_and_what_they_say() -> None:
    years = list(range(1950, 2010)) * 4
    table = pa.table({"year": years, "ill": ["yes" if year < 1975 else "no" for year in years]})
    found = az.propose.alternatives(table, "year", "ill")
    assert [one.value for one in found] == ["intervals", "masking", "information-gain", "flat"]
    assert found[0] == az.propose.hierarchy(table, "year")
    assert [one.value for one in az.propose.alternatives(table, "year")] == ["intervals", "masking", "flat"]
    # What is proposed can be used: the first cut is between those who are ill and those who are not.
    roles = {"year": "quasi-identifier", "ill": "sensitive"}
    release = az.anonymize(
        table, roles=roles, hierarchies={"year": found[2].details}, privacy=az.KAnonymity(80), seed=1
    )
    assert set(release.frame["year"].to_pylist()) <= {"[1950, 1974]", "[1975, 2009]", "[1950, 2009]"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([7, 10, 110, 54, 3, 90], ["intervals", "flat"]),  # of unlike length
        ([1, 2, 3], ["flat"]),
        (["x", "y", None], ["flat"]),
        ([None, None], ["flat"]),
    ],
)
def test_only_what_fits(values: list[object], expected: list[str]) -> None:
    assert [one.value for one in az.propose.alternatives(pa.table({"x": values}), "x")] == expected


def test_a_column_that_is_not_there_is_named() -> None:
    with failing("column.unknown", name="y"):
        az.propose.alternatives(pa.table({"x": [1]}), "y")


def test_countries_are_known_in_seven_languages_and_by_long_forms() -> None:
    names = ["Stati Uniti", "États-Unis", "Estats Units", "Vereinigte Staaten", "Estados Unidos", "USA",
             "United States of America"]  # fmt: skip
    assert groups(propose([*names, "Francia", "Norvegia"], name="country"))["Northern America"] == sorted(names)


def test_bands_go_together_with_their_neighbours() -> None:
    ages = ["18-24 years", "25-34 years", "35-44 years", "45-54 years", "55-64 years", "65+ years"]
    details = propose([*ages, "no answer"], name="x")
    assert groups(details) == {
        "18–34": ages[:2], "35–54": ages[2:4], "≥ 55": ages[4:], "no answer": ["no answer"],
    }  # fmt: skip
    assert groups(details, 1) == {"18–54": ["18–34", "35–54"], "≥ 55": ["≥ 55"], "no answer": ["no answer"]}
    money = ["< $10,000", "$10,000 - $24,999", "$25,000 - $49,999", "$50,000 or more"]
    assert groups(propose(money)) == {"≤ 24999": money[:2], "≥ 25000": money[2:]}
    # Overlapping bands have no order.
    assert "18–34" not in str(propose(["18-30", "25-34", "35-44", "40-54"]))


def test_diagnoses_go_to_categories_and_chapters() -> None:
    details = propose(["E11.9", "E11.0", "E05", "I10", "I21.4", "D50.1", "D48"])
    assert groups(details)["E11"] == ["E11.0", "E11.9"]
    assert groups(details, 1)["E10–E19"] == ["E11"]
    assert sorted(groups(details, 2)["E00–E90"]) == ["E00–E09", "E10–E19"]
    assert groups(details, 2)["C00–D49"] == ["D40–D49"]
    assert groups(details, 2)["D50–D89"] == ["D50–D59"]
    assert propose(["E119", "E110", "I102", "J450"]) == {"masking": 1}  # codes of something else
    assert groups(propose(["E119", "E110", "I102", "J450"], name="diagnosis"))["E11"] == ["E110", "E119"]


def test_degrees_go_to_kilometres_and_long_decimals_are_numbers() -> None:
    degrees = [f"41.{n:016d}" for n in range(0, 10**16, 10**15)]
    # One grid: a town is narrower than the country is long, and both columns have the same cells.
    grid = {"intervals": [0.01, 0.1, 1, 10]}
    assert propose(degrees, DataType.DECIMAL, "latitude") == grid
    assert propose([f"{n}.25" for n in range(-170, 170, 7)], DataType.DECIMAL, "start_lng") == grid
    assert propose([f"{n}.{'1' * 16}" for n in range(150, 200)], DataType.DECIMAL) == {"intervals": [5, 10, 20]}


def test_no_rare_value_is_named() -> None:
    ages = [age for age in ("18-24", "25-34", "35-44", "45-54") for _ in range(20)] + ["99-120"]
    details = hierarchy(pa.table({"band": ages}), "band").details
    assert "99-120" not in str(details)
    assert details["rest"] == "Other"


def test_occupations_lose_digits_up_to_the_named_major_groups() -> None:
    codes = ["2511", "2512", "2221", "1120", "9112", "0110"]
    rows = [code for code in codes for _ in range(12)] + ["5223"]
    details = hierarchy(pa.table({"isco08": rows}), "isco08").details
    assert details["names"] == {
        "0***": "0 Armed forces occupations", "1***": "1 Managers", "2***": "2 Professionals",
        "9***": "9 Elementary occupations",
    }  # fmt: skip
    paths = {path[0]: path[1:] for path in parse(details).build([*codes, "5223"], DataType.TEXT).paths()}
    assert paths["2511"] == ("251*", "25**", "2 Professionals", "*")
    assert paths["5223"] == ("522*", "52**", "5***", "*")  # whom fewer than ten share is not named
    assert propose(codes[:5], DataType.INTEGER, "job_code")["levels"] == 3
    assert "names" not in propose(["2511", "2611", "1512", "1711"], DataType.INTEGER, "occupation")  # 17 is no group
    assert "names" not in propose(codes, DataType.TEXT, "room")


def test_regions_lose_characters_up_to_the_state() -> None:
    assert propose(["ES511", "ES512", "ES300", "FRK26"], name="nuts3") == {"masking": 1, "levels": 3}
    assert propose(["ES51", "ES30", "FR10", "PT17"], name="region") == {"masking": 1, "levels": 2}
    assert propose(["ESP", "FRA", "ITA", "DEU"], name="region") != {"masking": 1, "levels": 1}  # countries
    assert propose(["US511", "US512", "US300", "CA126"], name="region") == {"masking": 1}
