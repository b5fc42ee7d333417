"""What released labels cover of an original column."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.types import DataType
from antifaz.hierarchies import Hierarchy
from antifaz.hierarchies.covers import Covers, cover, make_domain
from antifaz.hierarchies.label_forms import read_date

AGES = ("9", "20", "21", "30", "45", "90")


def _covers(values: tuple[str | None, ...], labels: tuple[str | None, ...], kind: DataType, **more: object) -> Covers:
    domain, _ = make_domain("c", kind, values, np.ones(len(values), np.int64), **more)  # type: ignore[arg-type]
    return cover(domain, labels, np.ones(len(labels), np.int64))


def _under(covers: Covers) -> list[set[str | None]]:
    found: list[set[str | None]] = [set() for _ in range(covers.labels)]
    for owner, start, stop in zip(covers.owner, covers.start, covers.stop, strict=True):
        found[owner].update(covers.domain.values[start:stop])
    return found


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("20", {"20"}),
        ("20.0", {"20"}),
        ("[20, 30)", {"20", "21"}),
        ("[20, 30]", {"20", "21", "30"}),
        ("20-29", {"20", "21"}),
        ("<20", {"9"}),
        (">=45", {"45", "90"}),
        ("2*", {"20", "21"}),
        ("*1", {"21"}),
        ("{9, 45}", {"9", "45"}),
        ("{9, [20, 21]}", {"9", "20", "21"}),
        ("9|90", {"9", "90"}),
        ("*", set(AGES)),
        ("**", set(AGES)),
        (None, set(AGES)),
    ],
)
def test_labels_of_numbers(label: str | None, expected: set[str]) -> None:
    covers = _covers(AGES, (label,), DataType.INTEGER)
    assert _under(covers) == [expected]
    assert covers.size[0] == covers.records[0] == len(expected)
    assert not covers.unknown[0]


def test_an_unknown_label_covers_everything_and_is_told() -> None:
    covers = _covers(AGES, ("young", "[100, 200)", "20"), DataType.INTEGER)
    assert covers.unknown.tolist() == [True, True, False]
    assert covers.size.tolist() == [6, 6, 1]


def test_a_number_that_nobody_had_stands_for_itself_and_for_its_nearest_value() -> None:
    covers = _covers(AGES, ("28", "1000", "-4"), DataType.INTEGER)
    assert _under(covers) == [{"30"}, {"90"}, {"9"}]
    assert covers.middles.tolist() == [28, 1000, -4]
    assert not covers.unknown.any()


def test_the_middle_is_that_of_the_values_below_a_label() -> None:
    covers = _covers(AGES, ("[20, 40)", "9", "*"), DataType.INTEGER)
    assert covers.middles[:2].tolist() == [25, 9]
    assert np.isnan(covers.middles[2])


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("5370*", {"53703", "53706"}),
        ("537**", {"53703", "53706", "53715"}),
        ("53*06", {"53706"}),
        ("{53703, 08001}", {"53703", "08001"}),
        # ARX pads values to one length: three hidden characters of which the data has fewer.
        ("0800***", {"08001"}),
        ("***15", {"53715"}),
    ],
)
def test_labels_of_codes(label: str, expected: set[str]) -> None:
    values = ("53703", "53706", "53715", "08001")
    assert _under(_covers(values, (label,), DataType.TEXT)) == [expected]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("1986-03", {"1986-03-14"}),
        ("1986-Q1", {"1986-01-31", "1986-03-14"}),
        ("1986", {"1986-01-31", "1986-03-14", "1986-12-31"}),
        ("1980s", {"1986-01-31", "1986-03-14", "1986-12-31"}),
        ("[1986-03-14, 1991-05-05]", {"1986-03-14", "1986-12-31", "1991-05-05"}),
    ],
)
def test_labels_of_dates(label: str, expected: set[str]) -> None:
    values = ("1986-01-31", "1986-03-14", "1986-12-31", "1991-05-05")
    assert _under(_covers(values, (label,), DataType.DATE)) == [expected]


def test_a_hierarchy_says_what_words_cover_and_how_high_they_are() -> None:
    rows = [("a", "vowel", "*"), ("e", "vowel", "*"), ("b", "other", "*"), ("c", "other", "*")]
    covers = _covers(("a", "b"), ("vowel", "a", "*", "e"), DataType.TEXT, hierarchy=Hierarchy.from_rows(rows))
    assert _under(covers) == [{"a", "e"}, {"a"}, {"a", "e", "b", "c"}, {"e"}]
    assert covers.level.tolist() == [1, 0, 2, 0]
    assert covers.records.tolist() == [1, 1, 2, 0]


def test_a_blank_is_a_value_only_as_long_as_there_were_as_many() -> None:
    domain, _ = make_domain("c", DataType.TEXT, ("a", "b", None), np.array([5, 3, 2]))
    assert _under(cover(domain, (None,), np.array([2]))) == [{None}]
    assert _under(cover(domain, (None,), np.array([3]))) == [{"a", "b", None}]


def test_labels_that_share_a_value_overlap() -> None:
    assert not _covers(AGES, ("[0, 30)", "[30, 99)", "*"), DataType.INTEGER).overlapping
    assert _covers(AGES, ("[0, 30]", "[30, 99)"), DataType.INTEGER).overlapping


def test_the_share_of_a_label_inside_a_stretch_of_values() -> None:
    covers = _covers(AGES, ("[9, 30]", "*", "90"), DataType.INTEGER)
    # Places 1 to 4 are 20, 21 and 30.
    assert covers.inside(1, 4).tolist() == [3 / 4, 3 / 6, 0]


@pytest.mark.parametrize(
    "values",
    [
        ("0001-01-01", "9999-12-31", "1986-03-14", "2000-02-29"),
        ("1986-03-14", "1900-02-29"),  # no leap year
        ("1986-03-14", "0000-01-01"),
        ("1986-03-14", "1986-03"),
        ("1986-03-14", "1986-03-14T12:00"),
    ],
)
def test_days_read_at_once_stand_where_each_alone_does(values: tuple[str, ...]) -> None:
    domain, _ = make_domain("c", DataType.DATETIME, values, np.ones(len(values), np.int64))
    places = {text: read_date(text) for text in values}
    expected = {text: np.nan if place is None else place.low for text, place in places.items()}
    assert domain.scale is not None
    np.testing.assert_equal(dict(zip(domain.values, domain.scale.tolist(), strict=True)), expected)
