"""The words of a column's name, and which of a vocabulary they say."""

from __future__ import annotations

import pytest

from antifaz.proposals.words import find_entry, split_glued, vocabulary, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Fecha de Nacimiento", ("fecha", "de", "nacimiento")),
        ("birthDate", ("birth", "date")),
        ("código_postal2", ("codigo", "postal")),
        ("valid", ("valid",)),
        ("--7--", ()),
    ],
)
def test_names_are_split_and_made_plain(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


def test_only_whole_words_count_and_longer_entries_come_first() -> None:
    known = vocabulary("age card credit_card")
    assert known == {("age",), ("card",), ("credit", "card")}
    assert find_entry(("my", "credit", "card"), known) == "credit card"
    assert find_entry(("card", "credit"), known) == "card"
    assert find_entry(("manage",), known) is None
    assert find_entry((), known) is None


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("patientid", ("patient", "id")),
        ("idpatient", ("id", "patient")),
        ("dateofbirth", ("date", "birth")),
        ("birthdatepatient", ("birth", "date", "patient")),
        ("dateof", ("date",)),
        ("valid", ("valid",)),
        ("birthday", ("birthday",)),
        ("id", ("id",)),
    ],
)
def test_what_is_written_as_one_word_is_split_into_known_words(word: str, parts: tuple[str, ...]) -> None:
    assert split_glued(word, frozenset(("patient", "id", "date", "birth"))) == parts
