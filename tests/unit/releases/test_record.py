"""The record of processing has the seven fields of article 30(1), and says what is still to be filled in."""

from __future__ import annotations

import json
from typing import Any

from antifaz.releases.record import record

EVIDENCE: dict[str, Any] = {
    "project": "adult",
    "created": "2025-06-01T10:21:33Z",
    "rows": {"read": 100, "released": 98, "suppressed": 2},
    "method": {"name": "mondrian"},
    "privacy": [
        {"model": "k-anonymity", "k": 5, "achieved": 6, "holds": True, "failing": 0},
        {"model": "l-diversity", "l": 2, "attribute": "illness", "achieved": 2, "holds": True},
    ],
    "attributes": [
        {"name": "passport", "role": "identifier", "type": "text"},
        {"name": "age", "role": "quasi-identifier", "type": "integer", "level": 2, "height": 4},
        {"name": "sex", "role": "quasi-identifier", "type": "text"},
        {"name": "illness", "role": "sensitive", "type": "text"},
        {"name": "note", "role": "insensitive", "type": "text"},
    ],
}


def test_check_15_all_seven_fields() -> None:
    for evidence in ({}, EVIDENCE):
        fields = record(evidence)["article_30"]
        assert [key[0] for key in fields] == list("abcdefg")


def test_what_is_known_is_filled_in() -> None:
    made = record(EVIDENCE, seed=42)
    fields = made["article_30"]
    assert made["seed"] == 42
    assert [c["treatment"] for c in fields["c_categories"]["personal_data"]] == [
        "removed", "generalized to level 2 of 4", "generalized by the method",
        "released, limited by a privacy model", "released",
    ]  # fmt: skip
    measures = " ".join(fields["g_measures"])
    for words in (
        "passport",
        "Mondrian",
        "k-anonymity (k = 5): holds, found 6",
        "2 records",
        "random order",
        "encrypted",
    ):
        assert words in measures
    assert "keeps nothing" in fields["f_erasure"]["working_data"]
    assert "inside" in made["keep"]


def test_check_15_k_anonymity_alone_is_not_said_to_protect_a_sensitive_column() -> None:
    made = record(EVIDENCE | {"privacy": EVIDENCE["privacy"][:1]})
    assert made["article_30"]["c_categories"]["personal_data"][3]["treatment"] == "released"


def test_what_is_not_known_is_null_and_named() -> None:
    made = record(EVIDENCE)
    fields = made["article_30"]
    assert made["seed"] is None
    assert fields["a_controller"]["name"] is None
    assert fields["b_purposes"] is None
    named = {item["field"] for item in made["to_fill_in"]}
    assert {
        "a_controller.name",
        "a_controller.contact",
        "b_purposes",
        "d_recipients",
        "e_third_country_transfers",
    } <= named
    assert "c_categories.personal_data" not in named
    assert "c_categories.personal_data" in {item["field"] for item in record({})["to_fill_in"]}


def test_the_controller_fills_in() -> None:
    given = {
        "name": "Hospital", "contact": "dpo@example.org", "joint_controller": "none", "representative": "none",
        "data_protection_officer": "A. Person", "purposes": "research", "data_subjects": ["patients"],
        "recipients": ["university"], "transfers": "none", "erasure": "after 5 years",
    }  # fmt: skip
    made = record(EVIDENCE, controller=given)
    assert made["to_fill_in"] == []
    assert made["article_30"]["a_controller"]["name"] == "Hospital"
    assert made["article_30"]["d_recipients"] == ["university"]


def test_a_failed_requirement_is_not_hidden() -> None:
    failed = {"privacy": [{"model": "k-anonymity", "k": 5, "achieved": 1, "holds": False}]}
    assert any("does NOT hold" in measure for measure in record(failed)["article_30"]["g_measures"])


def test_is_plain_data_and_leaves_the_evidence_alone() -> None:
    before = json.dumps(EVIDENCE)
    json.dumps(record(EVIDENCE, seed=1))
    assert json.dumps(EVIDENCE) == before
