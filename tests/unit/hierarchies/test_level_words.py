"""What a level does, in words read off its labels, whoever made them."""

import pytest

import antifaz as az
from antifaz.core.types import DataType
from antifaz.hierarchies import parse
from antifaz.hierarchies.level_words import level_words


def words(given, values, kind=DataType.TEXT):
    hierarchy = parse(given).build(values, kind)
    return [str(level_words(labels, level)) for level, labels in enumerate(hierarchy.levels)]


@pytest.mark.parametrize(
    ("given", "values", "kind", "said"),
    [
        ({"intervals": [5, 10]}, ["17", "23", "31"], DataType.INTEGER, ["intervals of 5", "intervals of 10"]),
        ({"intervals": [0.5]}, ["1.2", "3.4"], DataType.DECIMAL, ["intervals of 0.5"]),
        ({"intervals": [10], "closed": True}, ["17", "23"], DataType.INTEGER, ["intervals of 10"]),
        ({"intervals": [10], "low": 20, "high": 60}, ["17", "23", "41"], DataType.INTEGER, ["intervals of 10"]),
        ({"masking": 2}, ["53706", "53715"], DataType.TEXT, ["3 digits", "1 digit"]),
        ({"masking": 1}, ["AB1", "CD2"], DataType.TEXT, ["2 characters", "1 character"]),
        ({"dates": ["month", "year", "decade"]}, ["1986-03-02"], DataType.DATE, ["months", "years", "decades"]),
        ({"groups": {"North": ["a", "b"], "South": ["c"]}}, ["a", "b", "c"], DataType.TEXT, ["2 groups"]),
    ],
)  # fmt: skip
def test_what_builders_make(given, values, kind, said):
    first, *middle, top = words(given, values, kind)
    assert (first, middle, top) == ("as it is", said, "not told")


def test_values_of_several_lengths_are_groups_and_missing_is_no_label():
    assert words({"masking": 1}, ["1", "123"])[1] == "2 groups"
    assert str(level_words(["[20, 30)", "[30, 40)", None], 1)) == "intervals of 10"
    # One width only, or it is no width.
    assert str(level_words(["[0, 18)", "[18, 65)"], 1)) == "2 groups"


def test_in_all_languages():
    made = level_words(["53***"], 3)
    assert [made.text(language) for language in ("en", "es", "ca")] == ["2 digits", "2 cifras", "2 xifres"]


def test_candidates_have_the_words():
    people = az.datasets.people(200, seed=1).select(["age", "sex"])
    found = az.candidates(
        people, roles={"age": "quasi-identifier", "sex": "quasi-identifier"}, privacy=az.KAnonymity(3),
        hierarchies={"age": az.hierarchy.intervals(10, 20), "sex": az.hierarchy.flat()},
    )  # fmt: skip
    assert found.as_dict()["words"] == {
        "age": ["as it is", "intervals of 10", "intervals of 20", "not told"], "sex": ["as it is", "not told"],
    }  # fmt: skip
