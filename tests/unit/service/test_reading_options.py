"""What a project says of how its data is read, and what is told beside it, are the same."""

import pytest

from antifaz.service.job_inputs import HandOver
from antifaz.service.reading_options import followed, kept_words, said_anew, same_place

TABLE = {"url": "sqlite:////db", "table": "t"}


def given(types=None, **reading):
    return HandOver(name="people.csv", origin="upload", source={"path": "people.csv", **reading}, types=types or {})


def test_the_source_takes_over_the_reading_and_keeps_its_place():
    document = {"source": {"path": "../data/people.csv", "delimiter": ";"}, "attributes": {}}
    found = followed(document, given(missing=["NA"], encoding="cp1252"))
    assert found["source"] == {"path": "../data/people.csv", "missing": ["NA"], "encoding": "cp1252"}
    assert document["source"]["delimiter"] == ";"


def test_a_source_that_names_other_data_stays():
    document = {"source": {"path": "others.csv", "delimiter": ";"}}
    assert followed(document, given(missing=["NA"])) == document
    assert said_anew(document, given(missing=["NA"])) is None
    assert followed({"source": None}, given(missing=["NA"])) == {"source": None}


def test_types_stand_with_the_attributes_and_give_way_only_to_newer_ones():
    document = {"attributes": {"zip": {"role": "sensitive"}, "age": {"type": "decimal"}, "sex": None}}
    told = given({"zip": "text", "age": "integer", "sex": "text", "unknown": "text"})
    first = followed(document, told)["attributes"]
    assert first == {"zip": {"role": "sensitive", "type": "text"}, "age": {"type": "decimal"}, "sex": {"type": "text"}}
    newer = followed({"attributes": first}, given({"age": "text"}), told.types)["attributes"]
    assert newer["zip"] == {"role": "sensitive"}
    assert newer["age"] == {"type": "text"}
    assert not (newer["sex"] or {}).get("type")


@pytest.mark.parametrize(
    ("said", "there", "same"),
    [
        ({"path": "a/people.csv"}, {"path": "people.csv"}, True),
        ({"path": "people.csv"}, {"path": "/x/people.csv", "missing": ["NA"]}, True),
        ({"path": "other.csv"}, {"path": "people.csv"}, False),
        ({"path": 5}, {"path": "people.csv"}, False),
        (dict(TABLE), {**TABLE, "missing": ["NA"]}, True),
        ({**TABLE, "schema": "s"}, TABLE, False),
        ({"path": "t"}, TABLE, False),
        ("people.csv", {"path": "people.csv"}, False),
    ],
)
def test_where_data_is_tells_whether_it_is_the_same(said, there, same):
    assert same_place(said, there) is same


def test_what_a_text_says_of_the_reading_is_told_to_the_data_with_the_types():
    document = {"source": {"path": "people.csv", "missing": ["NA"]}}
    assert said_anew(document, given({"a": "text"})) == {"missing": ["NA"], "types": {"a": "text"}}
    assert said_anew(document, given(missing=["NA"])) is None
    assert said_anew({"source": {"path": "people.csv"}}, given(missing=["NA"])) == {"types": {}}


def test_only_words_for_missing_values_go_to_a_file_that_is_chosen_again():
    document = {"source": {"path": "people.csv", "missing": ["NA"], "delimiter": ";"}}
    assert kept_words(document, given(header=False)) == {"header": False, "missing": ["NA"], "types": {}}
    assert kept_words(document, given(missing=["?"])) is None
    assert kept_words({"source": {"path": "people.csv", "delimiter": ";"}}, given()) is None
