"""The verdict: one table made for each finding, and one in which nothing is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pytest
import yaml

import antifaz as az
from antifaz.core.language import LANGUAGES
from antifaz.core.messages import Message, restored
from antifaz.releases.evidence import evidence_schema

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "illness": "sensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(10, 20), "sex": az.hierarchy.flat()}
ROWS = 2400


def people(**more: Any) -> pa.Table:
    """Twelve groups of 200 by age and sex; every illness is in each of them as often as in the others."""
    ages = np.repeat([20, 30, 40, 50, 60, 70], ROWS // 6)
    sexes = np.tile(["f", "m"], ROWS // 2)
    illness = np.resize(np.repeat(["flu", "asthma", "gout", "none"], 2), ROWS)
    return pa.table({"age": ages, "sex": sexes, "illness": illness, **more})


def judged(table: pa.Table, roles: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    models = more.pop("privacy", [az.KAnonymity(5), az.LDiversity(2, attribute="illness")])
    made = az.anonymize(table, roles=ROLES | (roles or {}), hierarchies=HIERARCHIES, privacy=models, seed=1, **more)
    return made.verdict


def found(verdict: dict[str, Any], code: str) -> dict[str, Any]:
    named = {one["code"]: one for one in verdict["findings"]}
    assert code in named, sorted(named)
    return named[code]


def test_a_table_with_nothing_to_find_may_be_handed_over() -> None:
    verdict = judged(people())
    assert verdict["hand_over"] == "yes"
    assert all(one["weight"] == "yes" for one in verdict["findings"])


def test_values_that_reach_people_are_recognized_whatever_their_column_is_called() -> None:
    mails = [f"person{i % 600}@example.org" for i in range(ROWS)]
    verdict = judged(
        people(note=mails, code=[f"{i % 600:09d}" for i in range(ROWS)]), {"note": "insensitive", "code": "sensitive"}
    )
    one = found(verdict, "identifiers-released")
    assert verdict["hand_over"] == one["weight"] == "no"
    assert (one["columns"], one["measured"]) == (["note"], {"form": "email"})
    assert one["remedy"]["change"] == {"attributes": {"note": {"role": "identifier"}}}
    named = judged(people(note=[f"Ana Ruiz {'abcdef'[i % 6]}" for i in range(ROWS)]), {"note": "sensitive"})
    assert found(named, "identifiers-released")["measured"] == {"form": "name"}


def test_where_only_some_columns_were_taken_to_be_known_all_are_asked_of() -> None:
    table = pa.table({name: [(i // 3**place) % 3 for i in range(243)] for place, name in enumerate("abcde")})
    asked = {"roles": dict.fromkeys("abcde", "quasi-identifier"), "hierarchies": dict.fromkeys("abcde", "flat")}
    verdict = az.anonymize(table, **asked, privacy=az.KAnonymity(5, known=2), seed=1).verdict
    one = found(verdict, "attacker-singles-out")
    assert one["remedy"]["words"].startswith("Ask for k = 5 of all quasi-identifiers together")
    assert one["remedy"]["change"] == {"privacy": [{"model": "k-anonymity", "k": 5}]}


def test_an_exact_column_that_nobody_protects_says_no_and_how_many_are_alone() -> None:
    # 240 fares of their own, the others share one.
    fares = np.where(np.arange(ROWS) % 10 == 0, np.arange(ROWS), 7)
    verdict = judged(people(fare=fares), {"fare": "insensitive"})
    one = found(verdict, "column-singles-out")
    assert verdict["hand_over"] == one["weight"] == "no"
    assert (one["columns"], one["measured"]) == (["fare"], {"records": ROWS, "alone": {"fare": 240}})
    assert one["remedy"]["change"] == {"attributes": {"fare": {"role": "quasi-identifier"}}}
    assert yaml.safe_load("{" + one["remedy"]["line"] + "}") == one["remedy"]["change"]


def test_one_outlier_asks_for_care_and_a_number_of_the_record_for_its_removal() -> None:
    outlier = np.where(np.arange(ROWS) == 3, 9, 1)
    number = np.arange(ROWS)
    verdict = judged(people(outlier=outlier, number=number), {"outlier": "insensitive", "number": "insensitive"})
    by_weight = {one["weight"]: one for one in verdict["findings"] if one["code"] == "column-singles-out"}
    assert by_weight["with care"]["measured"]["alone"] == {"outlier": 1}
    assert by_weight["no"]["measured"]["alone"] == {"number": ROWS}
    assert by_weight["no"]["remedy"]["change"] == {"attributes": {"number": {"role": "identifier"}}}


def test_a_missing_value_points_at_nobody() -> None:
    values = [None if i == 5 else 1 for i in range(ROWS)]
    assert judged(people(rare=values), {"rare": "insensitive"})["hand_over"] == "yes"


def test_a_column_that_tells_people_apart_within_their_class_asks_for_care() -> None:
    # Two hundred to a class; one of each class wears a hat.
    hats = np.zeros(ROWS, int)
    hats[[0, 401, 802]] = 1
    one = found(judged(people(hat=hats), {"hat": "insensitive"}), "column-singles-out-in-class")
    assert one["weight"] == "with care"
    assert one["measured"]["alone"] == {"hat": 3}


def test_a_sensitive_column_of_exact_numbers_asks_for_care() -> None:
    verdict = judged(people(pay=np.arange(ROWS) * 3), {"pay": "sensitive"})
    one = found(verdict, "sensitive-column-singles-out")
    assert one["weight"] == "with care" and one["measured"]["alone"] == {"pay": ROWS}
    assert one["remedy"]["change"]["attributes"]["pay"]["operation"] == {"name": "microaggregate", "k": 5}
    # The program's own attacker is not left out beside "singled out 0".
    attacker = found(verdict, "attacker-singles-out-by-any-columns")
    assert attacker["measured"]["success"] > attacker["measured"]["control"]


def test_a_sensitive_column_without_a_model_asks_for_care() -> None:
    verdict = judged(people(), privacy=[az.KAnonymity(5)])
    one = found(verdict, "sensitive-without-model")
    assert (one["columns"], one["weight"]) == (["illness"], "with care")
    assert one["remedy"]["change"]["privacy"][0]["attribute"] == "illness"


def test_attackers_beyond_their_control_say_no() -> None:
    # Everybody has an age of their own, and k = 1 lets it through.
    verdict = judged(people().set_column(0, "age", pa.array(np.arange(ROWS))), privacy=[az.KAnonymity(1)])
    one = found(verdict, "attacker-infers")
    assert one["columns"] == ["illness"] and one["measured"]["success"] == 1.0 and one["weight"] == "no"
    assert found(verdict, "attacker-links")["measured"]["success"] == 1.0
    assert found(verdict, "attacker-singles-out")["weight"] == verdict["hand_over"] == "no"


def test_k_1_says_no_and_k_2_asks_for_care() -> None:
    alone = people().slice(0, 1)
    table = pa.concat_tables([people(), alone.set_column(0, "age", pa.array([99]))])
    privacy = [az.KAnonymity(1), az.LDiversity(1, attribute="illness")]
    assert found(judged(table, privacy=privacy), "nobody-is-hidden")["weight"] == "no"
    two = pa.concat_tables([people(), *(people().slice(i, 1).set_column(0, "age", pa.array([99])) for i in (0, 2))])
    one = found(judged(two, privacy=[az.KAnonymity(2), az.LDiversity(1, attribute="illness")]), "low-k")
    assert (one["weight"], one["measured"]["k"], one["measured"]["wanted"]) == ("with care", 2, 3)
    assert one["remedy"]["change"] == {"privacy": [{"model": "k-anonymity", "k": 3}]}


def test_the_largest_share_of_a_value_is_not_taken_for_the_smallest_class() -> None:
    table = pa.table({"age": [20, 20, 40, 40], "illness": ["flu", "gout"] * 2})
    roles = {"age": "quasi-identifier", "illness": "sensitive"}
    asked = {"hierarchies": {"age": az.hierarchy.intervals(10)}, "privacy": az.AlphaK(alpha=0.5, k=2), "seed": 1}
    verdict = az.anonymize(table, roles=roles, **asked).verdict
    assert found(verdict, "low-k")["measured"]["k"] == 2
    # Where all of a class have the same illness the share is 1, but nobody is alone.
    one = pa.table({"age": [20, 20, 40, 40], "illness": ["flu", "flu", "gout", "gout"]})
    verdict = az.anonymize(one, roles=roles, **asked | {"privacy": az.AlphaK(alpha=1, k=2)}).verdict
    assert found(verdict, "low-k")["measured"]["k"] == 2
    assert "nobody-is-hidden" not in {each["code"] for each in verdict["findings"]}


def test_rows_of_few_people_do_not_make_a_class_of_k() -> None:
    # Every class has 200 rows; those of people of 20 are of four patients.
    patient = [f"p{i}" if i >= 400 else f"p{i % 4}" for i in range(ROWS)]
    whole = judged(people(patient=patient), {"patient": "identifier"})
    one = found(whole, "several-rows-per-person")
    assert one["measured"] == {
        "people": 2004, "most_rows": 100, "rows": ROWS, "fewest_people_in_class": 2,
    }  # fmt: skip
    assert whole["hand_over"] == "with care"  # it might be two people of one name
    visits = [f"p{i // 12}" if i >= 400 else f"p{i % 4}" for i in range(ROWS)]
    assert found(judged(people(patient=visits), {"patient": "identifier"}), "several-rows-per-person")["weight"] == "no"


def test_an_identifier_that_repeats_now_and_then_is_no_finding_where_classes_hold_k_people() -> None:
    names = [f"n{i % 1200}" for i in range(ROWS)]
    assert judged(people(name=names), {"name": "identifier"})["hand_over"] == "yes"
    # A sum beside the table: what few rows have is whose none of the others is.
    for blank in (None, "NA"):
        beside = ["Mean", "Mean", "Median", *[blank] * (ROWS - 3)]
        assert judged(people(name=beside), {"name": "identifier"})["hand_over"] == "yes"


def test_a_column_of_stars_is_found() -> None:
    places = [f"place {i}" for i in range(ROWS)]
    made = az.anonymize(
        people(place=places), roles=ROLES | {"place": "quasi-identifier"}, seed=1,
        hierarchies=HIERARCHIES | {"place": az.hierarchy.flat()},
        privacy=[az.KAnonymity(5), az.LDiversity(2, attribute="illness")],
    )  # fmt: skip
    one = found(made.verdict, "column-emptied")
    assert (one["columns"], one["weight"]) == (["place"], "with care")


def test_a_saved_release_has_the_verdict_in_its_evidence_and_in_every_report(tmp_path: Path) -> None:
    fares = np.arange(ROWS)
    made = az.anonymize(
        people(fare=fares), roles=ROLES | {"fare": "insensitive"}, hierarchies=HIERARCHIES, seed=1,
        privacy=[az.KAnonymity(5), az.LDiversity(2, attribute="illness")],
    )  # fmt: skip
    validate = jsonschema.Draft202012Validator(evidence_schema()).validate
    for language in LANGUAGES:
        made.save(tmp_path / language, language=language)
        evidence = json.loads((tmp_path / language / "evidence.json").read_text("utf-8"))
        validate(evidence)
        assert made.verdict == evidence["verdict"]
        page = (tmp_path / language / "report.html").read_text("utf-8")
        answer = restored(evidence)["verdict"]["words"].text(language)
        assert page.index(answer) < page.index("<table")


def test_a_light_release_is_not_to_be_handed_over(tmp_path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(people(), tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(
        "antifaz: 1\nkind: light\nsource: {path: people.csv}\nattributes: {age: {role: quasi-identifier}, sex: {role: "
        "quasi-identifier}, illness: {role: sensitive}}\nrelease: {path: out/}\n"
    )
    evidence = az.run(tmp_path / "project.yaml")
    assert evidence["verdict"]["hand_over"] == "no"
    assert found(evidence["verdict"], "privacy-not-evaluated")["weight"] == "no"


def test_without_attacks_the_answer_is_not_yes(tmp_path: Path) -> None:
    made = az.anonymize(
        people(), roles=ROLES, hierarchies=HIERARCHIES, seed=1,
        privacy=[az.KAnonymity(5), az.LDiversity(2, attribute="illness")],
    )  # fmt: skip
    made.save(tmp_path / "out", attacks=0)
    one = found(made.verdict, "attacks-not-tried")
    assert (one["weight"], one["measured"]) == ("with care", {"reason": "not_asked"})
    assert one["remedy"]["line"] == "report: {attacks: 250}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_can_be_said_in_every_language(language: str) -> None:
    made = az.anonymize(
        people(fare=np.arange(ROWS)), roles=ROLES | {"fare": "insensitive"}, hierarchies=HIERARCHIES, seed=1,
        privacy=[az.KAnonymity(5)],
    )  # fmt: skip
    for finding in made.verdict["findings"]:
        assert finding["words"] and finding["remedy"]["words"]
    kept = restored(made.evidence)["verdict"]
    assert all(isinstance(one["words"], Message) for one in kept["findings"])
    assert language == "en" or all(one["words"].text(language) != str(one["words"]) for one in kept["findings"])
