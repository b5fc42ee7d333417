"""The three criteria as data: which attack is shown, what counts as a leak, and a schema that refuses half of it."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest

from antifaz.releases.criteria import CRITERIA, hipaa_checklist
from antifaz.releases.criteria import criteria as typed_criteria
from antifaz.releases.criteria_evidence import LIMIT, Declaration
from antifaz.releases.record import article_30


def attack(name: str, success: float, control: float, *, surely: bool = False) -> dict[str, Any]:
    gain = success - control
    return {
        "name": name, "success": success, "interval": [success, success], "control": control,
        "control_interval": [control, control], "chance": 0.1, "number": 100, "excess": gain,
        "excess_interval": [gain if surely else -1.0, 1.0], "reading": "In words.", "seed": 4711,
    }  # fmt: skip


ATTACKS = [
    attack("linkage", 0.2, 0.1),
    attack("linkage, knowing roughly", 0.15, 0.0, surely=True),
    attack("singling out by one column", 0.3, 0.37),
    attack("inference of illness", 0.9, 0.89),
    attack("inference of income", 0.3, 0.1),
]
ATTRIBUTES = [{"name": "age", "role": "quasi-identifier", "type": "integer"}]


def criteria(*given: Any, **more: Any) -> dict[str, Any]:
    return typed_criteria(*given, **more).document()


def declaration() -> dict[str, Any]:
    found = criteria(ATTACKS, {"prosecutor": 0.2, "marketer": 0.03}, recipient="Hospital")
    told = {"criteria": found, "hipaa": [each.document() for each in hipaa_checklist(ATTRIBUTES, ["age"])]}
    return told | {"article_30": article_30({"attributes": ATTRIBUTES} | told, {})}


def test_the_attack_that_gains_most_over_its_control_is_shown() -> None:
    found = criteria(ATTACKS, {}, recipient=None)
    # By success alone it would be the guess that is right nine times of ten anyway.
    assert found["inference"]["worst"]["name"] == "inference of income"
    assert found["linkability"]["worst"]["name"] == "linkage, knowing roughly"
    assert [len(found[key]["attacks"]) for key in CRITERIA] == [1, 2, 2]


def test_only_what_surely_exceeds_the_control_is_a_leak() -> None:
    found = criteria(ATTACKS, {}, recipient=None)
    assert [found[key]["beyond_control"] for key in CRITERIA] == [False, True, False]


def test_seeds_and_sentences_stay_out() -> None:
    assert "4711" not in str(criteria(ATTACKS, {}, recipient=None))


def test_check_15_risks_are_compared_with_the_limit() -> None:
    risk = criteria([], {"prosecutor": 0.0901, "marketer": LIMIT}, recipient=None, reason="too_many")["risk"]
    assert (risk["threshold"], risk["highest_within"], risk["average_within"]) == (0.09, False, True)


def test_what_was_not_measured_says_why() -> None:
    found = criteria([], {}, recipient="", reason="rows_stay")
    assert {key: found[key]["reason"] for key in CRITERIA} == dict.fromkeys(CRITERIA, "rows_stay")
    assert found["recipient"] is None
    only_linked = criteria(ATTACKS[:1], {}, recipient=None)
    assert only_linked["inference"] == {
        "measured": False, "reason": "no_sensitive", "beyond_control": None, "worst": None, "attacks": [],
    }  # fmt: skip


def test_check_15_the_schema_takes_a_whole_declaration() -> None:
    jsonschema.validate(declaration(), Declaration.model_json_schema())


@pytest.mark.parametrize(
    "path",
    [("criteria",), ("criteria", "recipient"), *(("criteria", key) for key in CRITERIA), ("criteria", "risk"),
     ("criteria", "risk", "highest"), ("criteria", "linkability", "worst", "interval"),
     ("criteria", "inference", "attacks", 0, "control"), ("hipaa",), ("hipaa", 17), ("article_30",),
     *(("article_30", key) for key in article_30({}, {}))],
)  # fmt: skip
def test_check_15_the_schema_refuses_a_declaration_without(path: tuple[Any, ...]) -> None:
    told: Any = copy.deepcopy(declaration())
    inner = told
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told, Declaration.model_json_schema())


def test_hipaa_checklist_has_eighteen() -> None:
    columns = [
        ("fullName", "identifier"),
        ("postcode", "quasi-identifier"),
        ("e_mail", "insensitive"),
        ("income", "sensitive"),
    ]
    found = hipaa_checklist([{"name": column, "role": role} for column, role in columns])
    assert len(found) == 18
    by_label = {f.identifier: f for f in found}
    assert by_label["names"].removed == ["fullName"]
    assert by_label["places"].released == ["postcode"]
    assert by_label["email"].released == ["e_mail"]
    assert sum(len(f.removed) + len(f.released) for f in found) == 3
    # What counts is what is in the file.
    kept = hipaa_checklist([{"name": "fullName", "role": "identifier"}], released=["fullName"])
    assert kept[0].released == ["fullName"]
