"""Which password is at hand, and who is asked for one."""

import pytest

from antifaz.core.errors import DataError
from antifaz.core.passwords import ASK, further_passwords, known_password
from failing import failing


def test_a_password_is_the_one_given_then_that_of_the_variable_named_then_the_usual_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTIFAZ_PASSWORD", "usual")
    monkeypatch.setenv("OTHER", "other")
    assert known_password("there", "given", "OTHER") == "given"
    assert known_password("there", "", "OTHER") == ""
    assert known_password("there", None, "OTHER") == "other"
    assert known_password("there", None, None) == "usual"
    with failing("database.password-variable-not-set", DataError, variable="NOTHING"):
        known_password("there", None, "NOTHING")


def test_a_person_is_asked_where_there_is_one() -> None:
    assert list(further_passwords("nowhere of ours")) == []
    token = ASK.set(lambda what: f"told for {what}")
    try:
        assert list(further_passwords("nowhere of ours")) == ["told for Password of nowhere of ours"]
    finally:
        ASK.reset(token)
