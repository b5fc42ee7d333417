"""Drafts: text and document both ways, kept as written where nothing changed, incomplete without complaint."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import ProjectError
from antifaz.projects.yaml_file import to_yaml
from antifaz.service.dataset_sources import DatasetReference
from antifaz.service.project_drafts import (
    apply_reading,
    changed_reading,
    draft_text,
    find_problems,
    missing_words_to_keep,
    parse_draft,
    same_source,
)

TEXT = """\
# A comment that somebody wrote.
antifaz: 1
name: people
source: {path: people.csv}
attributes:
  no: {role: quasi-identifier, hierarchy: {masking: 1}}
  "1.0": {role: sensitive}
privacy:
  - {model: k-anonymity, k: 5}
"""
PLACE = Path("project.yaml")
TABLE = {"url": "sqlite:////db", "table": "t"}
DOCUMENT = parse_draft(TEXT, PLACE)


def test_an_unchanged_document_keeps_the_text_and_its_comments():
    assert draft_text(DOCUMENT, None, TEXT, given={}, bound_anew={}, name="people") == TEXT


def test_a_text_is_kept_as_it_was_written():
    assert draft_text(None, TEXT, "", given={}, bound_anew={}, name="other") == TEXT


def test_a_changed_document_reads_back_as_itself():
    changed = DOCUMENT | {"seed": 7, "release": {"path": "é/ñ: x"}}
    text = draft_text(changed, None, TEXT, given={}, bound_anew={}, name="people")
    assert "comment" not in text
    assert parse_draft(text, PLACE) == changed


@pytest.mark.parametrize(
    "value",
    [
        "no",
        "1.0",
        "2020-01-01",
        "",
        " x",
        "a\nb",
        "0x1F",
        "1e5",
        "~",
        "- a",
        "{a}",
        "\u2028",
        "é",
        None,
        True,
        1e-7,
        12,
    ],
)
def test_any_value_survives_the_way_through_text(value):
    document = {"antifaz": 1, "name": value, str(value): [value, {"a": value}]}
    assert parse_draft(to_yaml(document), PLACE) == document


def test_another_data_set_is_said_as_the_source():
    other = DatasetReference(name="other", origin="upload", source={"path": "other.csv", "delimiter": ";"})
    text = draft_text(None, None, TEXT, given={}, bound_anew={"": other}, name="people")
    assert parse_draft(text, PLACE)["source"] == {"path": "other.csv", "delimiter": ";"}


def test_an_incomplete_draft_is_kept_and_says_what_is_missing():
    anew = {"": DatasetReference(name="a", origin="upload", source={"path": "a.csv"})}
    text = draft_text(
        {"attributes": {"no": {"role": "quasi-identifier"}}}, None, "", given={}, bound_anew=anew, name="x"
    )
    assert parse_draft(text, PLACE)["name"] == "x"
    (told,) = find_problems(text, PLACE, {"": {"path": "a.csv"}})
    assert (told["key"], told["line"]) == ("privacy", 1)
    assert (told["code"], told["values"]["key"]) == ("project.key-needed", "privacy")
    assert "privacy" in told["message"]


def test_a_whole_project_has_no_problems_and_a_wrong_key_has_its_line():
    assert find_problems(TEXT, PLACE, {}) == []
    (told,) = find_problems(TEXT.replace("k: 5", "l: 5"), PLACE, {})
    assert told["line"] == 9


@pytest.mark.parametrize("text", ["a: [", "- 1", "x: {y", "'", "just words"])
def test_what_is_no_mapping_is_refused(text):
    with pytest.raises(ProjectError):
        draft_text(None, text, "", given={}, bound_anew={}, name="x")


@pytest.mark.parametrize(
    "source", [{"url": "mariadb://u:secret@host/db", "table": "t"}, {"path": "a", "password": "secret"}]
)
def test_check_33_a_password_is_refused_and_not_repeated(source):
    with pytest.raises(ProjectError) as told:
        draft_text({"source": source}, None, "", given={}, bound_anew={}, name="x")
    assert "secret" not in str(told.value)


def given(types=None, **reading):
    return DatasetReference(
        name="people.csv", origin="upload", source={"path": "people.csv", **reading}, types=types or {}
    )


def test_the_source_takes_over_the_reading_and_keeps_its_place():
    document = {"source": {"path": "../data/people.csv", "delimiter": ";"}, "attributes": {}}
    found = apply_reading(document, {"": given(missing=["NA"], encoding="cp1252")})
    assert found["source"] == {"path": "../data/people.csv", "missing": ["NA"], "encoding": "cp1252"}
    assert document["source"]["delimiter"] == ";"


def test_a_source_that_names_other_data_stays():
    document = {"source": {"path": "others.csv", "delimiter": ";"}}
    assert apply_reading(document, {"": given(missing=["NA"])}) == document
    assert changed_reading(document, "", given(missing=["NA"])) is None
    assert apply_reading({"source": None}, {"": given(missing=["NA"])}) == {"source": None}


def test_types_stand_with_the_attributes_and_give_way_only_to_newer_ones():
    document = {"attributes": {"zip": {"role": "sensitive"}, "age": {"type": "decimal"}, "sex": None}}
    told = given({"zip": "text", "age": "integer", "sex": "text", "unknown": "text"})
    first = apply_reading(document, {"": told})["attributes"]
    assert first == {"zip": {"role": "sensitive", "type": "text"}, "age": {"type": "decimal"}, "sex": {"type": "text"}}
    newer = apply_reading({"attributes": first}, {"": given({"age": "text"})}, told.types)["attributes"]
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
    assert same_source(said, there) is same


def test_what_a_text_says_of_the_reading_is_told_to_the_data_with_the_types():
    document = {"source": {"path": "people.csv", "missing": ["NA"]}}
    assert changed_reading(document, "", given({"a": "text"})) == {"missing": ["NA"], "types": {"a": "text"}}
    assert changed_reading(document, "", given(missing=["NA"])) is None
    assert changed_reading({"source": {"path": "people.csv"}}, "", given(missing=["NA"])) == {"types": {}}


def test_only_words_for_missing_values_go_to_a_file_that_is_chosen_again():
    document = {"source": {"path": "people.csv", "missing": ["NA"], "delimiter": ";"}}
    assert missing_words_to_keep(document, "", given(header=False)) == {"header": False, "missing": ["NA"], "types": {}}
    assert missing_words_to_keep(document, "", given(missing=["?"])) is None
    assert missing_words_to_keep({"source": {"path": "people.csv", "delimiter": ";"}}, "", given()) is None


TABLES = {
    "source": {"url": "mariadb://ana@host/bank"},
    "tables": {"clients": {"source": {"table": "clients"}, "attributes": {"zip": {}}}, "towns": {}},
}


def test_each_of_several_tables_follows_its_own_data_set():
    source = {"url": "mariadb://ana@host/bank", "table": "clients", "missing": ["?"]}
    bank = DatasetReference(name="clients", origin="database", source=source, types={"zip": "text"})
    found = apply_reading(TABLES, {"clients": bank})
    assert found["tables"]["clients"]["source"] == {"table": "clients", "missing": ["?"]}
    assert found["tables"]["clients"]["attributes"] == {"zip": {"type": "text"}}
    assert (found["source"], found["tables"]["towns"]) == (TABLES["source"], {})
    assert changed_reading(TABLES, "clients", bank) == {"types": {"zip": "text"}}
    assert changed_reading(found, "clients", bank) is None
