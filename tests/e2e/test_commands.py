"""From data to a verified release, with the commands a new user meets first."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter

import openpyxl
import pyarrow.parquet as pq
import pytest
import yaml

from antifaz.core.messages import Message
from e2e.conftest import PROJECT, changed

FILES = {"release.csv", "evidence.json", "report.html", "record.json"}
EVIDENCE = {
    "antifaz", "project", "rows", "method", "privacy", "utility", "risk", "seconds", "peak_memory_bytes",
}  # fmt: skip


def _rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def _smallest(rows, names):
    return min(Counter(tuple(row[name] for name in names) for row in rows).values())


def test_help_and_version_and_no_command(antifaz):
    assert antifaz("--help").code == 0
    assert antifaz("--version").out.startswith("antifaz ")
    assert "Commands:" in antifaz().err + antifaz().out
    for name in ("demo", "inspect", "init", "run", "verify", "schema"):
        assert name in antifaz("--help").out
        assert antifaz(name, "--help").code == 0


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "antifaz", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("antifaz ")


def test_demo(antifaz, tmp_path):
    done = antifaz("demo", "--rows", 400, "--out", "here")
    assert (done.code, done.err) == (0, "")
    assert "released and verified" in done.out
    assert {path.name for path in (tmp_path / "here").iterdir()} == FILES


def test_a_run_ends_with_the_verdict_and_strict_makes_findings_a_failure(antifaz, tmp_path):
    lines = [f"{20 + i % 3},{'fm'[i % 2]},{i},flu" for i in range(600)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,fare,illness", *lines]) + "\n")
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "fare": "insensitive", "illness": "insensitive"}
    project = {
        "antifaz": 1, "source": {"path": "people.csv"}, "privacy": [{"model": "k-anonymity", "k": 5}], "seed": 1,
        "attributes": {
            name: {"role": role, **({"hierarchy": {"flat": {}}} if role == "quasi-identifier" else {})}
            for name, role in roles.items()
        },
        "release": {"path": "out/"},
    }  # fmt: skip
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(project))
    done = antifaz("run", "project.yaml")
    last = done.out.rpartition("May I hand this over?")[2]
    assert done.code == 0 and last.startswith(" No: do not hand this over as it is.")
    assert "600 of 600" in last and "attributes: {fare: {role: identifier}}" in " ".join(last.split())
    strict = antifaz("run", "project.yaml", "--strict", "--out", "again")
    assert (strict.code, (tmp_path / "again/release.csv").exists()) == (3, True)
    # What the remedy says is what helps.
    project["attributes"]["fare"] = {"role": "identifier"}
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(project))
    strict = antifaz("run", "project.yaml", "--strict", "--out", "clean")
    assert strict.code == 0 and "Yes: nothing that was measured" in strict.out


def test_demo_as_json(antifaz):
    done = antifaz("demo", "--rows", 400, "--json")
    told = json.loads(done.out)
    assert told.keys() >= EVIDENCE
    assert told["rows"]["read"] == 400


def test_inspect(antifaz, folder):
    done = antifaz("inspect", "people.csv")
    assert (done.code, done.err) == (0, "")
    assert "300 records" in done.out
    assert "quasi-identifier" in done.out


def test_inspect_as_json(antifaz, folder):
    told = json.loads(antifaz("inspect", "people.csv", "--json").out)
    assert told.keys() >= {"rows", "columns", "quasi_identifiers", "singled_out"}
    assert told["rows"] == 300
    for column in told["columns"]:
        assert column.keys() >= {"name", "type", "distinct", "missing", "role", "reason"}
        assert column["reason"].keys() == {"code", "values", "text"}
        assert column["reason"]["code"].startswith("reason.")
        assert Message.from_dict(column["reason"]) == column["reason"]["text"]
    roles = {column["name"]: column["role"] for column in told["columns"]}
    assert roles["id_number"] == "identifier"
    assert "age" in told["quasi_identifiers"]


def test_what_init_writes_can_be_run_as_it_is(antifaz, folder):
    made = antifaz("init", "people.csv", "-o", "mine.yaml")
    assert made.code == 0
    text = (folder / "mine.yaml").read_text(encoding="utf-8")
    assert set(yaml.safe_load(text)["attributes"]) == set(_rows((folder / "people.csv").read_text("utf-8"))[0])
    done = antifaz("run", "mine.yaml", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert all(verdict["holds"] for verdict in told["privacy"])


def test_init_does_not_replace_a_file(antifaz, folder):
    before = (folder / "project.yaml").read_bytes()
    refused = antifaz("init", "people.csv")
    assert refused.code == 2
    assert "--force" in refused.err
    assert (folder / "project.yaml").read_bytes() == before
    assert json.loads(antifaz("init", "people.csv", "--force", "--json").out) == {"project": "project.yaml"}


def test_run(antifaz, folder):
    done = antifaz("run", "project.yaml")
    assert (done.code, done.err) == (0, "")
    assert {path.name for path in (folder / "out").iterdir()} == FILES
    rows = _rows((folder / "out/release.csv").read_text("utf-8"))
    assert _smallest(rows, ("age", "sex", "postcode")) >= 5
    assert set(rows[0]) == set(yaml.safe_load(PROJECT)["attributes"]) - {"id_number", "name", "birth_date"}


def test_run_explain_prints_the_steps_and_runs_nothing(antifaz, folder):
    before = sorted(path.name for path in folder.iterdir())
    done = antifaz("run", "project.yaml", "--explain")
    assert (done.code, done.err) == (0, "")
    names = ["plan", "prepare", "decide", "apply", "write", "verify", "attack", "describe", "publish"]
    assert [line.split()[0] for line in done.out.splitlines() if not line.startswith(" ")] == names
    told = json.loads(antifaz("run", "project.yaml", "--explain", "--hardened", "--json").out)
    assert [step["step"] for step in told["steps"]] == names
    assert told["steps"][2]["with"]["hardened"] is True
    assert sorted(path.name for path in folder.iterdir()) == before
    assert antifaz("run", "--explain", "--data-information", "d", "--categorical-trees", "t", "--k", 2).code == 2


def test_run_says_in_json_what_it_writes_as_evidence(antifaz, folder):
    told = json.loads(antifaz("run", "project.yaml", "--json").out)
    assert told.keys() >= EVIDENCE
    written = json.loads((folder / "out/evidence.json").read_text("utf-8"))
    assert {key: told[key] for key in written} == written
    assert told["rows"]["read"] == told["rows"]["released"] + told["rows"]["suppressed"]
    assert told["method"]["name"] == "full-domain"
    assert set(told["method"]["levels"]) == {"age", "sex", "postcode"}
    for verdict in told["privacy"]:
        assert verdict.keys() >= {"model", "achieved", "holds"}
    assert told["privacy"][0]["k"] == 5
    assert told["utility"].keys() >= {
        "loss", "gcp", "height", "precision", "discernibility", "average_class_size", "ks",
    }  # fmt: skip
    assert set(told["utility"]["ks"]) == {"age"}
    assert told["risk"].keys() >= {"singled_out_before", "singled_out_after", "prosecutor", "marketer"}
    assert told["risk"]["singled_out_after"] == 0
    assert told["seconds"].keys() >= {"read", "decide", "apply", "verify", "write"}
    assert told["peak_memory_bytes"] > 0


def test_a_second_run_replaces_the_first(antifaz, folder):
    assert antifaz("run", "project.yaml").code == 0
    changed(folder, "k: 5", "k: 50")
    assert antifaz("run", "project.yaml").code == 0
    assert {path.name for path in (folder / "out").iterdir()} == FILES
    assert json.loads((folder / "out/evidence.json").read_text("utf-8"))["privacy"][0]["k"] == 50


def test_a_json_document_in_a_yaml_file_means_the_same(antifaz, folder):
    assert antifaz("run", "project.yaml").code == 0
    document = json.dumps(yaml.safe_load(PROJECT), indent="\t")
    (folder / "project.yaml").write_text(document, encoding="utf-8")
    assert antifaz("run", "project.yaml", "--out", "again").code == 0
    assert (folder / "out/release.csv").read_bytes() == (folder / "again/release.csv").read_bytes()


@pytest.mark.parametrize(("k", "code", "holds"), [(5, 0, True), (100_000, 1, False)])
def test_verify(antifaz, folder, k, code, holds):
    assert antifaz("run", "project.yaml").code == 0
    asked = ("verify", "out/release.csv", "--qi", "age,sex,postcode", "--k", k)
    assert antifaz(*asked).code == code
    told = json.loads(antifaz(*asked, "--json").out)
    assert told["privacy"][0]["holds"] is holds
    assert told["privacy"][0]["achieved"] >= 5


def test_verify_finds_what_is_wrong_with_raw_data(antifaz, folder):
    asked = ("verify", "people.csv", "--qi", 'age, "postcode"', "--k", 2, "--l", 2, "--sensitive", "diagnosis")
    done = antifaz(*asked, "--model", "{model: highest-risk, threshold: 0.2}", "--json")
    assert done.code == 1
    assert [verdict["holds"] for verdict in json.loads(done.out)["privacy"]] == [False, False, False]


def test_verify_takes_any_model(antifaz, folder):
    model = "{model: t-closeness, t: 1, distance: equal, attribute: diagnosis}"
    assert antifaz("verify", "people.csv", "--qi", "age", "--model", model).code == 0


def test_candidates_as_json_and_a_chosen_one(antifaz, folder):
    told = json.loads(antifaz("candidates", "project.yaml", "--json").out)
    assert told["lattice"].keys() >= {"size", "checked"}
    for candidate in told["candidates"]:
        assert candidate.keys() >= {"levels", "quality", "smallest_class", "classes", "suppressed", "best"}
        assert candidate["smallest_class"] >= 5
    scores = [candidate["quality"] for candidate in told["candidates"]]
    assert scores == sorted(scores)
    assert told["candidates"][0]["best"]
    last = told["candidates"][-1]["levels"]
    chosen = ",".join(f"{name}={level}" for name, level in last.items())
    done = antifaz("run", "project.yaml", "--levels", chosen, "--json")
    assert json.loads(done.out)["method"]["levels"] == last
    assert antifaz("candidates", "project.yaml", "--html", "people.csv/x.html").code == 2


def test_tsv_and_parquet(antifaz, folder):
    assert antifaz("run", "project.yaml").code == 0
    rows = sorted(map(str, _rows((folder / "out/release.csv").read_text("utf-8"))))
    changed(folder, "release: {path: out/}", "release: {path: tabs, format: tsv}")
    assert antifaz("run", "project.yaml").code == 0
    tabs = csv.DictReader(io.StringIO((folder / "tabs/release.tsv").read_text("utf-8")), delimiter="\t")
    assert sorted(map(str, tabs)) == rows
    changed(folder, "release: {path: tabs, format: tsv}", "release: {path: columns, format: parquet}")
    assert antifaz("run", "project.yaml").code == 0
    table = pq.read_table(folder / "columns/release.parquet")
    assert sorted(str({key: str(value) for key, value in row.items()}) for row in table.to_pylist()) == rows
    assert antifaz("verify", "tabs/release.tsv", "--qi", "age,sex,postcode", "--k", 5).code == 0
    assert antifaz("verify", "columns/release.parquet", "--qi", "age,sex,postcode", "--k", 5).code == 0


def test_a_workbook_gives_the_same_as_the_text(antifaz, folder):
    book = openpyxl.Workbook()
    rows = csv.reader(io.StringIO((folder / "people.csv").read_text("utf-8")))
    for row in rows:
        book.active.append(row)
    book.save(folder / "people.xlsx")
    assert antifaz("run", "project.yaml").code == 0
    changed(folder, "people.csv", "people.xlsx")
    assert antifaz("run", "project.yaml", "--out", "sheet").code == 0
    text = [(folder / place / "release.csv").read_text("utf-8").splitlines() for place in ("out", "sheet")]
    assert sorted(text[0]) == sorted(text[1])


def test_odd_column_names(antifaz, folder):
    names = ["no", "2020", "a,b", 'say "hi"', "[bold]", "{x}: y", "ñandú", "select"]
    rows = [[str((i * step) % 3) for step in range(1, len(names))] + ["x"] for i in range(60)]
    with (folder / "odd.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    made = antifaz("init", "odd.csv", "-o", "odd.yaml", "--force")
    assert made.code == 0, made.err
    hierarchy = {"role": "quasi-identifier", "hierarchy": {"flat": True}}
    project = {
        "antifaz": 1,
        "source": {"path": "odd.csv"},
        "attributes": dict.fromkeys(names[:-1], hierarchy),
        "others": "release",
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "release": {"path": "[red]odd[/]"},
    }
    (folder / "odd.yaml").write_text(yaml.safe_dump(project), encoding="utf-8")
    done = antifaz("run", "odd.yaml")
    assert (done.code, done.err) == (0, "")
    assert "[red]odd[/]" in done.out
    header = next(csv.reader(io.StringIO((folder / "[red]odd[/]/release.csv").read_text("utf-8"))))
    assert header == names


def test_keys_are_the_text_that_stands_there(antifaz, folder):
    (folder / "odd.csv").write_text("no,2020\n" + "a,1\n" * 9, encoding="utf-8")
    (folder / "odd.yaml").write_text(
        "antifaz: 1\nsource: {path: odd.csv, header: true}\nattributes:\n"
        "  no: {role: quasi-identifier, hierarchy: {flat: true}}\n  2020: {role: insensitive}\n"
        "privacy: [{model: k-anonymity, k: 5}]\n",
        encoding="utf-8",
    )
    assert antifaz("run", "odd.yaml").code == 0
