"""One policy for what counts as the same value, answered by hand."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antifaz.core.folding import fold
from antifaz.core.types import DataType
from antifaz.core.values import canonical, canonical_values, sense, without_accents


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("", None),
        (" \t\u00a0", None),
        ("NA", "NA"),
        ("?", "?"),
        (" x ", "x"),
        ("a  b", "a b"),
        ("Ä", "Ä"),
        ("A\u0308", "Ä"),
        ("1.0", "1.0"),
        ("01", "01"),
        ("ﬁ", "ﬁ"),
        ("X", "X"),
    ],
)
def test_check_02_a_text_keeps_its_case_and_its_letters(text: str | None, expected: str | None) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "1"),
        ("1.0", "1"),
        ("01", "1"),
        ("+1", "1"),
        (" 1. ", "1"),
        (".50", "0.5"),
        ("-.5", "-0.5"),
        ("1e2", "100"),
        ("1E-2", "0.01"),
        ("100", "100"),
        ("0", "0"),
        ("-0.0", "0"),
        ("9007199254740993", "9007199254740993"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("1_000", "1_000"),
        ("1,5", "1,5"),
        ("0x10", "0x10"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("1e999", "1e999"),
        ("", None),
        (None, None),
    ],
)
def test_check_02_a_number_has_one_spelling_in_a_numeric_column(text: str | None, expected: str | None) -> None:
    assert canonical(text, DataType.INTEGER) == expected
    assert canonical(text, DataType.DECIMAL) == expected


@pytest.mark.parametrize("kind", [DataType.TEXT, DataType.DATE, DataType.DATETIME, DataType.BOOLEAN])
def test_other_columns_keep_their_spellings(kind: DataType) -> None:
    assert canonical(" 01.0 ", kind) == "01.0"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Flu", "fLU "),
        ("é", "E\u0301"),
        ("ﬂu", "flu"),
        ("straße", "STRASSE"),
        ("1", "1.0"),
        ("1", "01"),
        ("１", "1"),
        ("10", "1e1"),
        ("", None),
        ("\u2003", None),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("flu", "f\u200blu"),
        ("flu", "fl\u00adu"),
        ("flu", "\u202eflu\u202c"),
        ("☎", "☎\ufe0f"),
        ("lung cancer", "lung  cancer"),
        ("lung cancer", "lung\u00a0cancer"),
        ("\u200b", None),
    ],
)
def test_check_02_a_reader_takes_these_for_one(one: str | None, other: str | None) -> None:
    assert sense(one) == sense(other)


@pytest.mark.parametrize(
    ("one", "other"), [("flu", "flu B"), ("1", "1.1"), ("", "0"), ("é", "e"), ("9007199254740993", "9007199254740992")]
)
def test_check_02_a_reader_takes_these_for_two(one: str, other: str) -> None:
    assert sense(one) != sense(other)


ANY_TEXT = st.one_of(
    st.none(),
    st.text(max_size=6),
    st.text(
        st.sampled_from(" 01.e+-١１\u0301\u0308¨´ßſſıİﬁΣςAaéÉ\u00a0\u200b\u00ad\u034f\u3164\ufe0f\u0600"), max_size=6
    ),
)


@settings(deadline=None, max_examples=500)
@given(ANY_TEXT)
def test_what_is_canonical_stays_as_it_is(text: str | None) -> None:
    for kind in (DataType.TEXT, DataType.DECIMAL):
        once = canonical(text, kind)
        assert canonical(once, kind) == once
    clean = canonical(text)
    assert clean is None or (clean == clean.strip() and unicodedata.is_normalized("NFC", clean) and clean)


@settings(deadline=None, max_examples=1000)
@given(ANY_TEXT, ANY_TEXT)
@example("١", "1")
@example("1e500", "10e499")
@example("¨", "\u0308")
@example("ı", "i")
def test_check_02_the_verifier_takes_the_same_values_for_one(one: str | None, other: str | None) -> None:
    """The policy is written twice; where the two differ, a release is decided that the gate then refuses."""
    assert (sense(one) == sense(other)) == (fold(one) == fold(other))


@pytest.mark.parametrize("mark", ["\u200b", "\u00ad", "\ufe0f", "\u202e", "\u2066", "\U000e0061", "\ufeff", "\u3164"])
def test_check_02_what_nobody_sees_is_not_counted(mark: str) -> None:
    assert canonical(f" New{mark}  Y{mark}ork{mark}") == "New York"
    assert canonical(f"4{mark}2.0", DataType.DECIMAL) == "42"
    assert canonical(mark) is None


def test_methods_and_verifier_overlook_the_same_characters() -> None:
    assigned = (chr(i) for i in range(0x110000) if unicodedata.category(chr(i)) not in ("Cn", "Cs"))
    assert [c for c in assigned if (canonical(f"a{c}b") == "ab") != (fold(f"a{c}b") == "ab")] == []


@settings(deadline=None, max_examples=1000)
@given(ANY_TEXT)
def test_every_spelling_of_a_sense_has_that_sense(text: str | None) -> None:
    """What the verifier folds a value to, and what the methods fold it to, mean the same to both."""
    assert sense(fold(text)) == sense(text)
    assert fold(sense(text)) == fold(text)
    assert (sense(text) is None) == (fold(text) is None)


@pytest.mark.parametrize("kind", [DataType.TEXT, DataType.DECIMAL])
@given(
    st.lists(
        st.one_of(
            st.none(),
            st.text(st.sampled_from(list("0019.-+eE é\u0301\u200b\n\x1fa"))),
            st.integers().map(str),
            st.decimals(allow_nan=False, allow_infinity=False).map(str),
        )
    )
)
def test_many_values_are_spelled_as_each_is(kind: DataType, texts: list[str | None]) -> None:
    assert canonical_values(texts, kind) == [canonical(text, kind) for text in texts]


@pytest.mark.parametrize(
    "odd", ["", " a", "a ", "a  b", "a\tb", "a\nb", "\n", "café", "cafe\u0301", "\x7f", "a\u200bb"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_many_texts_are_spelled_as_each_alone(odd: str, place: int) -> None:
    texts: list[str | None] = ["plain text", None]
    texts.insert(place, odd)
    for column in (texts, [odd], [None, *texts, None], [None], []):
        assert canonical_values(column) == [canonical(text) for text in column]


def test_letters_lose_their_accents_and_nothing_else() -> None:
    assert without_accents("Ñandú, Çà i là; ß 1") == "Nandu, Ca i la; ß 1"
