"""Other hierarchies that fit, each tried on all values."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import AntifazError


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
    with pytest.raises(AntifazError, match="'y'"):
        az.propose.alternatives(pa.table({"x": [1]}), "y")
