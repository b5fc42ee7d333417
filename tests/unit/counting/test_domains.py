"""The distinct values of a column, each under one code."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from antifaz.core.types import DataType
from antifaz.counting.domains import qi_domain, sensitive_domain


def test_numbers_are_coded_by_value_and_missing_last() -> None:
    domain = qi_domain("n", ("10", None, "9", "-1"), DataType.INTEGER)
    assert domain.spellings == ("-1", "9", "10")
    assert domain.codes.tolist() == [2, 3, 1, 0]
    assert (domain.size, domain.has_missing, domain.labels) == (4, True, ("-1", "9", "10", None))
    assert domain.respelled == 0


def test_text_is_coded_by_text_and_what_is_no_finite_number_is_text() -> None:
    assert qi_domain("t", ("b", "a"), DataType.TEXT).codes.tolist() == [1, 0]
    assert sensitive_domain("s", ("10", "9")).spellings == ("9", "10")
    assert sensitive_domain("s", ("10", "9", "x")).spellings == ("10", "9", "x")
    assert sensitive_domain("s", ("10", "9", "Infinity")).spellings[0] == "10"
    # Python would take an underscore for part of a number; the policy, and so the verifier, does not.
    assert sensitive_domain("s", ("9", "10", "1_000")).spellings == ("10", "1_000", "9")
    beyond = "1e99999999999999999999"
    assert sensitive_domain("s", ("9", beyond, "10")).spellings == ("10", beyond, "9")
    domain = qi_domain("t", ("b", "a"), DataType.TEXT)
    assert (domain.size, domain.has_missing, domain.labels) == (2, False, ("a", "b"))


def test_spellings_of_one_sense_share_a_code_and_are_respelled() -> None:
    domain = sensitive_domain("s", ("Flu", "flu ", None, "cold", ""))
    assert domain.spellings == ("cold", "flu")
    assert domain.codes.tolist() == [1, 1, 2, 0, 2]
    assert domain.respelled == 3


def test_codes_follow_numbers_by_value_and_other_text_by_spelling() -> None:
    numbers = qi_domain("a", ["10", "9", None, "-1", "1.5"], DataType.DECIMAL)
    assert numbers.labels == ("-1", "1.5", "9", "10", None)
    assert numbers.codes.tolist() == [3, 2, 4, 0, 1]
    assert qi_domain("a", ["10", "9", "x"], DataType.TEXT).labels == ("10", "9", "x")
    # Python would call these numbers; they have no place among numbers.
    assert qi_domain("a", ["nan", "2", "10"], DataType.TEXT).labels == ("10", "2", "nan")


def test_respelled_says_how_many_values_go_out_under_another_spelling() -> None:
    assert qi_domain("a", ["x", " x", "y", "", None], DataType.TEXT).respelled == 2
    assert qi_domain("a", ["1", "1.0"], DataType.TEXT).respelled == 0
    assert qi_domain("a", ["1", "1.0"], DataType.DECIMAL).respelled == 1


def test_a_sensitive_domain_counts_senses() -> None:
    domain = sensitive_domain("s", ["Flu", "flu ", "10", "9", None])
    assert domain.labels == ("10", "9", "flu", None)
    assert domain.codes.tolist() == [2, 2, 0, 1, 3]


@given(st.sets(st.from_regex(r"\A-?[0-9]{1,7}(\.[0-9]{1,8})?\Z"), min_size=1))
def test_numbers_of_text_are_in_the_order_of_their_exact_values(texts: set[str]) -> None:
    found = qi_domain("code", sorted(texts), DataType.TEXT).spellings
    assert found == tuple(sorted(texts, key=lambda text: (Decimal(text), text)))
