"""Drafts: text and document both ways, kept as written where nothing changed, incomplete without complaint."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import ProjectError
from antifaz.projects.yaml_file import to_yaml
from antifaz.service.drafts import as_text, parsed, problems

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
DOCUMENT = parsed(TEXT, PLACE)


def test_an_unchanged_document_keeps_the_text_and_its_comments():
    assert as_text(DOCUMENT, None, TEXT, source=None, name="people") == TEXT


def test_a_text_is_kept_as_it_was_written():
    assert as_text(None, TEXT, "", source=None, name="other") == TEXT


def test_a_changed_document_reads_back_as_itself():
    changed = DOCUMENT | {"seed": 7, "release": {"path": "é/ñ: x"}}
    text = as_text(changed, None, TEXT, source=None, name="people")
    assert "comment" not in text
    assert parsed(text, PLACE) == changed


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
    assert parsed(to_yaml(document), PLACE) == document


def test_another_data_set_is_said_as_the_source():
    text = as_text(None, None, TEXT, source={"path": "other.csv", "delimiter": ";"}, name="people")
    assert parsed(text, PLACE)["source"] == {"path": "other.csv", "delimiter": ";"}


def test_an_incomplete_draft_is_kept_and_says_what_is_missing():
    text = as_text({"attributes": {"no": {"role": "quasi-identifier"}}}, None, "", source={"path": "a.csv"}, name="x")
    assert parsed(text, PLACE)["name"] == "x"
    (told,) = problems(text, PLACE, {"path": "a.csv"})
    assert (told["key"], told["line"]) == ("privacy", 1)
    assert "privacy" in told["message"]


def test_a_whole_project_has_no_problems_and_a_wrong_key_has_its_line():
    assert problems(TEXT, PLACE, None) == []
    (told,) = problems(TEXT.replace("k: 5", "l: 5"), PLACE, None)
    assert told["line"] == 9


@pytest.mark.parametrize("text", ["a: [", "- 1", "x: {y", "'", "just words"])
def test_what_is_no_mapping_is_refused(text):
    with pytest.raises(ProjectError):
        as_text(None, text, "", source=None, name="x")


@pytest.mark.parametrize(
    "source", [{"url": "mariadb://u:secret@host/db", "table": "t"}, {"path": "a", "password": "secret"}]
)
def test_check_33_a_password_is_refused_and_not_repeated(source):
    with pytest.raises(ProjectError) as told:
        as_text({"source": source}, None, "", source=None, name="x")
    assert "secret" not in str(told.value)
