import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.failing import failing

import antifaz as az
from antifaz.projects.catalogue import schema_of
from antifaz.releases.tabulation_evidence import TabulationEvidence
from antifaz.tabulation import release as module

PEOPLE = az.datasets.people(300, seed=3).select(["id_number", "sex", "education", "marital_status", "income"])
KINDS = ["pandas", "polars"]


def tabulated(**more):
    return az.tabulate(PEOPLE, ["education", "marital_status"], **{"rules": az.Threshold(5), **more})


def test_a_release_is_data_evidence_and_report(tmp_path):
    release = tabulated(name="by education")
    folder = release.save(tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["evidence.json", "release.csv", "report.html"]
    rows = list(csv.DictReader((folder / "release.csv").read_text().splitlines()))
    assert list(rows[0]) == ["education", "marital_status", "count", "status"]
    assert rows[0] == {"education": "*", "marital_status": "*", "count": "300", "status": "shown"}
    assert {row["count"] == "" for row in rows if row["status"] == "suppressed"} == {True}
    evidence = json.loads((folder / "evidence.json").read_text())
    assert evidence["kind"] == "table"
    assert evidence["audit"]["holds"]
    assert evidence["table"]["suppressed"] == sum(row["status"] == "suppressed" for row in rows)
    own = evidence["protection"]
    assert own["primary"] + own["secondary"] == evidence["table"]["suppressed"]
    assert own["primary"] == evidence["rules"][0]["sensitive"] == evidence["audit"]["sensitive"] > 0
    assert "by education" in (folder / "report.html").read_text()


@pytest.mark.parametrize("language", ["en", "es", "ca"])
def test_the_report_speaks_three_languages(tmp_path, language):
    page = (tabulated().save(tmp_path / language, language=language) / "report.html").read_text()
    assert f'lang="{language}"' in page
    assert "tabulated." not in page


def test_no_hidden_count_is_in_what_is_written(tmp_path):
    # A count that nothing else equals: 4,321 people in a cell next to one person.
    frame = pa.table({"a": ["x"] * 4321 + ["y"], "b": ["u"] * 4321 + ["u"]})
    more = pa.table({"a": ["x"] * 5000 + ["y"] * 7000, "b": ["v"] * 12000})
    release = az.tabulate(pa.concat_tables([frame, more]), ["a", "b"], rules=az.Threshold(3))
    folder = release.save(tmp_path / "out")
    assert release.evidence["table"]["suppressed"] >= 4
    hidden = {(r["a"], r["b"]) for r in release.frame.to_pylist() if r["status"] == "suppressed"}
    assert ("x", "u") in hidden
    for path in folder.iterdir():
        assert "4321" not in path.read_text()
        assert "4,321" not in path.read_text()


def test_parquet_keeps_types(tmp_path):
    folder = tabulated(measure="income", rules=az.Threshold(3)).save(tmp_path / "out", "parquet")
    table = pq.read_table(folder / "release.parquet")
    assert table.column_names == ["education", "marital_status", "income", "status"]
    with failing("tabulation.unknown-format"):
        tabulated().save(tmp_path / "other", "xlsx")


@pytest.mark.parametrize("kind", KINDS)
def test_the_frame_is_of_the_kind_that_came_in(kind):
    frame = getattr(az.open(PEOPLE), f"to_{kind}")()
    release = az.tabulate(frame, ["sex"], rules=az.Threshold(5))
    assert type(release.frame).__module__.startswith(kind)


def test_the_gate_judges_the_file_that_was_written(tmp_path, monkeypatch):
    release, write = tabulated(), module.write

    def shows_too_much(rows, path, decimals):
        write(rows, path, decimals)
        path.write_text(path.read_text().replace(",,suppressed", ",1,shown", 1))

    monkeypatch.setattr(module, "write", shows_too_much)
    with pytest.raises(az.CheckFailed):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_results_repeat_whatever_the_order_of_rows():
    turned = PEOPLE.take(pa.array(range(PEOPLE.num_rows - 1, -1, -1)))
    other = az.tabulate(turned, ["education", "marital_status"], rules=az.Threshold(5))
    assert other.frame.equals(tabulated().frame)


def test_people_are_counted_where_there_is_a_person_key():
    visits = pa.table(
        {"who": [f"p{i // 3}" for i in range(60)], "sex": ["m" if i // 3 % 2 else "w" for i in range(60)]}
    )
    release = az.tabulate(visits, ["sex"], person="who", rules=az.Threshold(5))
    assert [row["count"] for row in release.frame.to_pylist()] == [20, 10, 10]
    assert release.evidence["people"] == 20


def test_labels_that_a_spreadsheet_would_run_get_an_apostrophe_and_others_stay(tmp_path):
    frame = pa.table({"town": ["=1+1"] * 5 + ["'s-Gravenhage"] * 5 + [None] * 5 + ['Málaga, "centro"'] * 5})
    folder = az.tabulate(frame, ["town"], rules=az.Threshold(3)).save(tmp_path / "out")
    towns = [row[0] for row in csv.reader((folder / "release.csv").read_text().splitlines())]
    assert sorted(towns) == sorted(["town", "*", "'=1+1", "'s-Gravenhage", "", 'Málaga, "centro"'])


def test_fewer_people_than_the_threshold_leave_nothing():
    with failing("tabulation.everything-hidden", az.PrivacyNotReached):
        az.tabulate(PEOPLE.slice(0, 3), ["sex"], rules=az.Threshold(5))


def test_one_label_has_nothing_to_hide_behind():
    # Of one label the total says what the label does: both are hidden, or none.
    release = az.tabulate(pa.table({"a": ["x"] * 9}), ["a"], rules=az.Threshold(5))
    assert release.evidence["table"]["suppressed"] == 0
    with failing("tabulation.everything-hidden", az.PrivacyNotReached):
        az.tabulate(pa.table({"a": ["x"] * 4}), ["a"], rules=az.Threshold(5))


@pytest.mark.parametrize(
    ("asked", "code"),
    [({"rules": ()}, "tabulation.no-rules"), ({"measure": "sex"}, "tabulation.measure-not-a-number"),
     ({"person": "education"}, "tabulation.column-twice"), ({"seed": -1}, "parameter.seed-not-a-whole-number"),
     ({"measure": "salary"}, "column.unknown")],
)  # fmt: skip
def test_what_can_not_be_meant_is_refused(asked, code):
    with failing(code, az.InputError):
        tabulated(**asked)


def test_a_dimension_may_not_take_the_name_of_another_column():
    with failing("tabulation.column-name-taken", column="status"):
        az.tabulate(pa.table({"status": ["a"]}), ["status"], rules=az.Threshold(2))
    with failing("tabulation.no-dimensions"):
        az.tabulate(PEOPLE, [], rules=az.Threshold(2))


def test_people_in_several_cells_are_refused_where_totals_must_add_up():
    visits = pa.table({"who": [1, 1, 2], "ward": ["a", "b", "b"]})
    with failing("tabulation.not-additive"):
        az.tabulate(visits, ["ward"], person="who", rules=az.Threshold(2))


# -- the ledger


def test_a_table_is_a_draft_until_it_is_handed_out(tmp_path):
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    folder = tabulated().save(tmp_path / "out", ledger=ledger, dataset="people", to=None)
    assert json.loads((folder / "evidence.json").read_text())["state"] == "draft"
    assert ledger.releases() == []
    evidence = az.hand_out(folder, to="the press", ledger=ledger)
    assert (evidence["state"], evidence["ledger"]["recipient"]) == ("handed out", "the press")
    (entry,) = ledger.releases()
    assert (entry["dataset"], entry["k"], entry["records"]) == ("people", None, evidence["table"]["cells"])
    assert [one["recipient"] for one in entry["recipients"]] == ["the press"]
    # The same folder may go to others; a folder that somebody changed may not.
    az.hand_out(folder, to="the ministry", ledger=ledger)
    assert len(ledger.releases()) == 1
    (folder / "release.csv").write_text("education,marital_status,count,status\n")
    with failing("ledger.folder-changed"):
        az.hand_out(folder, to="somebody else", ledger=ledger)


def test_what_was_handed_out_before_is_said(tmp_path):
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    first = tabulated()
    first.save(tmp_path / "one", ledger=ledger, dataset="people", to="the press")
    assert first.evidence["warnings"] == []
    second = tabulated()
    second.save(tmp_path / "two", ledger=ledger, dataset="people", to="the press")
    (warned,) = second.evidence["messages"]["warnings"]
    assert (warned["code"], warned["values"]["others"]) == ("warning.ledger-table-beside-others", 1)
    rows = az.anonymize(
        PEOPLE,
        roles={"id_number": "identifier", "sex": "quasi-identifier"},
        privacy=az.KAnonymity(2),
        others="release",
        hierarchies={"sex": az.hierarchy.flat()},
    )
    codes = [note.code for note in ledger.new_check(dataset="people").examine(rows.new_release())["notes"]]
    assert codes == ["warning.ledger-earlier-table"] * 2


def test_a_draft_spends_its_budget_when_it_is_handed_out(tmp_path):
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("people", epsilon=1, delta=1e-5)
    noisy = az.tabulate(PEOPLE, ["sex"], protection=az.LaplaceNoise(0.6))
    folders = [noisy.save(tmp_path / name, ledger=ledger, dataset="people", to=None) for name in ("one", "two")]
    assert ledger.budgets()[0]["spent"]["epsilon"] == 0
    az.hand_out(folders[0], to="the press", ledger=ledger)
    assert ledger.budgets()[0]["spent"]["epsilon"] == pytest.approx(0.6)
    with failing("ledger.budget-exceeded", az.LedgerRefused):
        az.hand_out(folders[1], to="the press", ledger=ledger)


# -- the published schema

PROTECTED = {
    "suppression": {},
    "sums": {"measure": "income", "rules": [az.Threshold(3), az.Dominance(n=1, k=75), az.PPercent(10)]},
    "rounding": {"protection": az.CellRounding(5), "rules": ()},
    "laplace": {"protection": az.LaplaceNoise(2), "rules": ()},
    "people": {"person": "id_number"},
}


@pytest.mark.parametrize("name", PROTECTED)
def test_the_evidence_fits_the_published_schema(tmp_path, name):
    jsonschema = pytest.importorskip("jsonschema")
    schema = jsonschema.Draft202012Validator(schema_of("evidence"))
    release = tabulated(**PROTECTED[name])
    schema.validate(release.evidence)
    folder = release.save(tmp_path / "out", ledger=az.Ledger(tmp_path / "ledger.sqlite"), dataset="people", to=None)
    for _ in range(2):
        evidence = json.loads((folder / "evidence.json").read_text())
        schema.validate(evidence)
        assert TabulationEvidence.model_validate(evidence).kind == "table"
        az.hand_out(folder, to="the press", ledger=az.Ledger(tmp_path / "ledger.sqlite"))
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(evidence | {"stray": 1})
