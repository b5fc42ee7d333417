"""Masking from the right."""

from typing import Any

import pytest

from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.types import DataType
from antifaz.hierarchies import Masking, masking
from failing import Like, failing, like


def paths(values: list[str], *args: Any, **options: Any) -> list[tuple[str, ...]]:
    return masking(*args, **options).build(values, DataType.TEXT).paths()


def test_the_postcodes_of_the_document() -> None:
    assert paths(["53706", "53715", "53703"], 1, levels=2, top=False) == [
        ("53703", "5370*", "537**"),
        ("53706", "5370*", "537**"),
        ("53715", "5371*", "537**"),
    ]
    assert paths(["1986", "1996"], levels=2, top=False) == [("1986", "198*", "19**"), ("1996", "199*", "19**")]


def test_all_masked_is_written_once() -> None:
    assert paths(["M", "F"]) == [("F", "*"), ("M", "*")]
    assert paths(["12", "34"]) == [("12", "1*", "*"), ("34", "3*", "*")]
    assert paths(["12", "34"], levels=9) == [("12", "1*", "*"), ("34", "3*", "*")]
    assert paths(["12", "34"], levels=1) == [("12", "1*", "*"), ("34", "3*", "*")]


def test_values_of_unequal_length() -> None:
    assert paths(["a", "bc", "def"]) == [
        ("a", "*", "*", "*"),
        ("bc", "b*", "**", "*"),
        ("def", "de*", "d**", "*"),
    ]


def test_steps_and_characters() -> None:
    assert paths(["08025", "08036"], 2, character="#") == [
        ("08025", "080##", "0####", "*"),
        ("08036", "080##", "0####", "*"),
    ]


def test_values_that_look_masked() -> None:
    assert paths(["a*", "ab"]) == [("a*", "a*", "*"), ("ab", "a*", "*")]


def test_what_can_not_be_built() -> None:
    with failing("hierarchy.no-single-root", HierarchyError, levels=2):
        paths(["12", "34"], levels=1, top=False)
    with failing("hierarchy.masking-makes-too-many-levels", HierarchyError, count=500, most=100):
        paths(["x" * 500])
    assert len(paths(["x" * 500], 250)[0]) == 3
    with failing("hierarchy.without-values", HierarchyError):
        paths([])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"step": 0}, like("declared.parameter-wrong", where="step", what="greater than or equal to 1")),
        ({"levels": 0}, like("declared.parameter-wrong", where="levels", what="greater than or equal to 1")),
        ({"character": ""}, like("declared.parameter-wrong", where="character", what="one visible character")),
        ({"character": "**"}, like("declared.parameter-wrong", where="character", what="one visible character")),
        ({"character": " "}, like("declared.parameter-wrong", where="character", what="one visible character")),
        ({"character": "\u0301"}, like("declared.parameter-wrong", where="character", what="one visible character")),
    ],
)
def test_bad_parameters(options: dict[str, Any], said: str | Like) -> None:
    with failing(said, ParameterError):
        Masking(**options)


def test_masked_values_have_names() -> None:
    assert paths(["2511", "1120"], levels=3, names={"2***": "2 Professionals", "3***": "none"}) == [
        ("1120", "112*", "11**", "1***", "*"),
        ("2511", "251*", "25**", "2 Professionals", "*"),
    ]
