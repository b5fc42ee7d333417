"""What a run tells of the three criteria: measured on the written rows, seeded, bounded, and for somebody."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.csv
import pytest

import antifaz as az
from antifaz.core.errors import MissingExtra, ParameterError
from antifaz.pipeline import attack
from antifaz.projects.actions import make_key, run
from antifaz.releases.criteria import CRITERIA
from antifaz.releases.criteria_evidence import Declaration
from failing import Like, failing, like

ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(5, 10, 20, 40), "sex": az.hierarchy.flat()}


def release(rows: int = 400, k: int = 5, seed: int = 1) -> az.Release:
    people = az.datasets.people(rows, seed=3).select(list(ROLES))
    return az.anonymize(
        people, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(k), seed=seed,
        method=az.FullDomain(suppression=0.05),
    )  # fmt: skip


def test_check_15_evidence_holds_what_a_person_answers_for(tmp_path: Path) -> None:
    release().save(tmp_path / "out", recipient="Hospital", language="es")
    told = json.loads((tmp_path / "out/evidence.json").read_text("utf-8"))
    jsonschema.validate(told, Declaration.model_json_schema())
    assert told["criteria"]["recipient"] == told["article_30"]["d_recipients"] == "Hospital"
    assert all(told["criteria"][key]["measured"] for key in CRITERIA)
    assert len(told["hipaa"]) == 18 and told["hipaa"][0]["removed"] == ["name"]
    assert told["report"] == {"language": "es", "files": ["report.html"]}
    assert "seed" not in json.dumps(told["criteria"])


def test_the_same_seed_gives_the_same_figures_and_another_others(tmp_path: Path) -> None:
    found = []
    for i, seed in enumerate((1, 1, 2)):
        made = release(seed=seed)
        made.save(tmp_path / str(i))
        found.append(made.evidence["criteria"])
    assert found[0] == found[1] != found[2]


def test_check_08_a_release_in_which_nothing_was_changed_is_found_out(tmp_path: Path) -> None:
    # Everybody has a number of their own, and k = 1 lets it through.
    table = pa.table({"number": list(range(300)), "illness": ["flu", "asthma", "gout"] * 100})
    made = az.anonymize(
        table, roles={"number": "quasi-identifier", "illness": "sensitive"}, seed=1,
        hierarchies={"number": az.hierarchy.intervals(10)}, privacy=az.KAnonymity(1),
    )  # fmt: skip
    made.save(tmp_path / "out")
    linked = made.evidence["criteria"]["linkability"]
    assert linked["worst"]["success"] > 0.95 and linked["beyond_control"] is True
    assert made.evidence["criteria"]["inference"]["worst"]["success"] > 0.95


def test_too_many_rows_and_none_asked_for_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = release()
    made.save(tmp_path / "none", attacks=0)
    assert made.evidence["criteria"]["linkability"]["reason"] == "not_asked"
    monkeypatch.setattr(attack, "MOST_ROWS", 399)
    made.save(tmp_path / "many")
    assert made.evidence["criteria"]["linkability"]["reason"] == "too_many"
    assert "too many records" in (tmp_path / "many/report.html").read_text("utf-8")


def test_attackers_know_the_table_as_it_came(tmp_path: Path) -> None:
    # After noise everybody still has an income of their own: who knew it would find all, who knows the true one won't.
    people = az.datasets.people(300, seed=3).select(["income", "sex", "diagnosis"])
    pa.csv.write_csv(people, tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(
        "antifaz: 1\nkind: light\nsource: {path: people.csv}\nseed: 1\nattributes:\n"
        "  income: {role: quasi-identifier, operation: {name: additive-noise, p: 5}}\n"
        "  sex: {role: quasi-identifier}\n  diagnosis: {role: sensitive}\n"
    )
    told = az.run(tmp_path / "project.yaml")
    assert told["criteria"]["linkability"]["worst"]["success"] < 0.2


def test_draws_follow_from_the_seed_of_the_plan(tmp_path: Path) -> None:
    made = release()
    made.save(tmp_path / "out", attacks=0)
    place = tmp_path / "out/release.csv"
    state = made.recoded
    one, same, other = (
        attack.attack_release(replace(state.plan, seed=seed), state.data, place, state.applied, state.recoding, 50)[0]
        for seed in (1, 1, 2)
    )
    assert one == same != other


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"language": "fr"}, like("language.unknown", languages=["en", "es", "ca"])),
        ({"attacks": -1}, like("report.option-wrong", loc="attacks")),
        ({"recipient": ""}, like("report.option-wrong", loc="recipient")),
    ],
)
def test_bad_wishes_are_refused_in_a_sentence(tmp_path: Path, wrong: dict[str, object], sentence: str | Like) -> None:
    with failing(sentence, ParameterError):
        release().save(tmp_path / "out", **wrong)
    assert not (tmp_path / "out").exists()


def test_a_pdf_comes_with_the_release_or_nothing_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = release()
    made.save(tmp_path / "out", pdf=True, language="ca")
    assert (tmp_path / "out/report.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "out/report.pdf").stat().st_mode & 0o777 == 0o600
    # A release with a PDF can be replaced by the next.
    made.save(tmp_path / "out")
    assert not (tmp_path / "out/report.pdf").exists()
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    with failing("report.typst-missing", MissingExtra):
        made.save(tmp_path / "other", pdf=True)
    assert not (tmp_path / "other").exists()


def test_check_13_no_value_of_the_data_is_in_any_document(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    canary = "Qwzx"
    people = az.datasets.people(400, seed=3).select(list(ROLES))
    names = pa.array([f"{canary}{i}" for i in range(400)])
    illness = pa.array([f"{canary.lower()}gout" if i == 0 else "flu" for i in range(400)])
    people = people.set_column(0, "name", names).set_column(3, "diagnosis", illness)
    made = az.anonymize(people, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(5), seed=1)
    made.save(tmp_path / "out", pdf=True, recipient="Hospital")
    raw = (tmp_path / "out/report.pdf").read_bytes()
    said = "".join(sheet.extract_text() for sheet in pypdf.PdfReader(tmp_path / "out/report.pdf").pages)
    assert "Hospital" in said
    documents = [
        (tmp_path / "out" / name).read_text("utf-8") for name in ("evidence.json", "report.html", "record.json")
    ]
    for text in [said, raw.decode("latin-1"), *documents]:
        assert canary.lower() not in text.lower()
    # The streams of a PDF are compressed: look inside them too.
    reader = pypdf.PdfReader(tmp_path / "out/report.pdf")
    for number in range(1, len(reader.xref[0]) + 1 if reader.xref.get(0) else 1):
        found = reader.get_object(number)
        if hasattr(found, "get_data"):
            assert canary.lower().encode() not in found.get_data().lower()


def test_attackers_are_after_people_where_they_have_several_rows(tmp_path: Path) -> None:
    """Ten people with thirty equal rows each, released as they are: no record is alone, and everybody is."""
    rows = [(f"P{i}", 20 + i, "FM"[i % 2], "flu") for i in range(10) for _ in range(30)]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("key", "age", "sex", "illness"))})
    roles = {"key": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "illness": "sensitive"}
    asked = {"hierarchies": {"age": az.hierarchy.flat(), "sex": az.hierarchy.flat()}, "seed": 1}
    by_rows = az.anonymize(table, roles=roles, privacy=az.KAnonymity(10), **asked)
    by_people = az.anonymize(table, roles=roles | {"key": "person"}, privacy=az.KAnonymity(1), **asked)
    found = {}
    for name, made in {"rows": by_rows, "people": by_people}.items():
        made.save(tmp_path / name)
        evidence = json.loads((tmp_path / name / "evidence.json").read_text())
        found[name] = {each: evidence["criteria"][each]["worst"]["success"] for each in CRITERIA}
    assert found["rows"]["singling_out"] == 0
    assert found["people"]["singling_out"] == found["people"]["linkability"] == 1


@pytest.mark.parametrize("limit", [None, 3])
def test_attackers_are_after_people_whose_key_became_a_pseudonym(tmp_path: Path, limit: int | None) -> None:
    """As above, in a project. Where a limit leaves rows out, a row is taken for a person, and no record is alone."""
    rows = [(f"P{i}", 20 + i, "flu") for i in range(10) for _ in range(30)]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("key", "age", "illness"))})
    pyarrow.csv.write_csv(table, tmp_path / "visits.csv")
    (tmp_path / "keys").mkdir()
    secret = make_key(tmp_path / "keys" / "secret.key")
    said = {
        "antifaz": 1, "source": {"path": "visits.csv"}, "privacy": [{"model": "k-anonymity", "k": 1}], "seed": 1,
        "attributes": {
            "key": {"role": "person", "operation": {"name": "pseudonymize", "key": str(secret)}},
            "age": {"role": "quasi-identifier", "hierarchy": "flat"}, "illness": {"role": "sensitive"},
        },
        "method": {"name": "full-domain"}, "release": {"path": "out"},
    }  # fmt: skip
    said |= {} if limit is None else {"people": {"limit-rows": limit}}
    (tmp_path / "project.yaml").write_text(json.dumps(said))
    worst = run(tmp_path / "project.yaml")["criteria"]["singling_out"]["worst"]
    assert worst["success"] == (1 if limit is None else 0)
