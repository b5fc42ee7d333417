"""SparkTPTDS's own input from the command line."""

from __future__ import annotations

import csv
import json
from collections import Counter
from datetime import date
from pathlib import Path

import jsonschema

from e2e.conftest import write_people

INFORMATION = {
    "attributes_to_remove": ["id_number", "name", "birth_date", "postcode", "education", "occupation", "country"],
    "sensitive_attributes": ["diagnosis"],
    "categorical_attributes": ["sex", "marital_status"],
    "continous_attributes": ["age"],
    "dataset_missing_values": False,
    "save_anonymization_result": True,
    "result_file_name": "tds_anonymization",
    "partitions": 3,
    "file_path": "people.csv",
}
STATUS = {
    "never married": ["single"],
    "in a union": ["married", "civil partnership"],
    "formerly married": ["separated", "divorced", "widowed"],
}
TREES = {
    "sex": {"value": "any", "children": [{"value": "female"}, {"value": "male"}]},
    "marital_status": {
        "value": "any",
        "children": [
            {"value": label, "children": [{"value": value} for value in values]} for label, values in STATUS.items()
        ],
    },
}
FILES = ("--data-information", "d.json", "--categorical-trees", "t.json")


def prepare(folder):
    write_people(folder / "people.csv", 600)
    (folder / "d.json").write_text(json.dumps(INFORMATION), encoding="utf-8")
    (folder / "t.json").write_text(json.dumps(TREES), encoding="utf-8")


def test_it_runs(antifaz, tmp_path):
    prepare(tmp_path)
    done = antifaz("run", *FILES, "--k", 20, "--k-first", 25, "--seed", 1, "--json")
    assert done.code == 0, done.err
    folder = tmp_path / f"tds_anonymization_k20_{date.today().isoformat()}"
    assert json.loads(done.out)["folder"] == str(folder)
    with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 600
    assert min(Counter((row["sex"], row["marital_status"], row["age"]) for row in rows).values()) >= 20


def test_its_release_is_in_the_ledger(antifaz, tmp_path):
    prepare(tmp_path)
    place = {"ANTIFAZ_LEDGER": str(tmp_path / "ledger.sqlite")}
    done = antifaz("run", *FILES, "--k", 20, "--depth", 2, "--seed", 1, "--language", "es", "--json", **place)
    assert done.code == 0, done.err
    evidence = json.loads(done.out)
    assert {each["name"]: each.get("height") for each in evidence["attributes"]}["age"] == 3
    assert '<html lang="es"' in (Path(evidence["folder"]) / "report.html").read_text(encoding="utf-8")
    assert evidence["state"] == "draft" and json.loads(antifaz("ledger", "list", "--json", **place).out) == []
    assert antifaz("hand-out", evidence["folder"], "--to", "the institute", **place).code == 0
    (noted,) = json.loads(antifaz("ledger", "list", "--json", **place).out)
    assert (noted["release"], noted["k"]) == (evidence["ledger"]["release"], 20)


def test_half_of_it_is_refused(antifaz, tmp_path):
    prepare(tmp_path)
    for args, said in (
        (FILES, "--k"),
        (("--data-information", "d.json", "--k", 5), "--categorical-trees"),
        (("project.yaml", *FILES, "--k", 5), "project file"),
        (("--k", 5), "--data-information"),
        ((*FILES, "--k", 5, "--k-first", 4), "k_first should be at least k = 5"),
        ((*FILES, "--k", 601), "more than the 600 records"),
        ((*FILES, "--k", 5, "--engine", "local", "--master", "local[1]"), "engine should be 'spark'"),
        ((*FILES, "--k", 5, "--hardened"), "--hardened"),
        ((), "PROJECT"),
    ):
        done = antifaz("run", *args)
        assert done.code == 2
        assert said in done.err and done.err.count("\n") == 1 and "Traceback" not in done.err
    assert not list(tmp_path.glob("tds_*"))


def test_the_schemas_are_printed(antifaz):
    for option, data in (("--data-information", INFORMATION), ("--categorical-trees", TREES)):
        done = antifaz("schema", option)
        assert done.code == 0
        jsonschema.validate(data, json.loads(done.out))
