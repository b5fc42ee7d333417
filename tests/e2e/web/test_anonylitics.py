"""A project of Anonylitics, by REST and on the page: imported, its table of substitutions and its key used."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.csv as pacsv
import pytest
import yaml

import antifaz as az
from e2e.conftest import needs_spark
from e2e.web.browsing import PATIENCE, visiting
from e2e.web.rest import Served, served


def column(name: str, data_type: str, attribute_type: str, operation: Any = None, **more: Any) -> dict[str, Any]:
    told = {"column_name": name, "data_type": data_type, "attribute_type": attribute_type, **more}
    return told | ({"operation": operation} if operation else {})


PROJECT: dict[str, Any] = {
    "user": "ana",
    "project_name": "banco",
    "anonymization_type": "Completa",
    "connection": {"ip": "10.0.0.7", "port": 3306, "database": "banco", "username": "ana", "password": "s3cret-word"},
    "tables": [
        {
            "table_name": "clientes",
            "columns": [
                column("cedula", "Categórico", "Identificador", {"name": "Cifrar"}),
                column("edad", "Numérico", "Cuasi-identificador", {"name": "Generalizar"}, keep_data_type=True),
                column(
                    "estado",
                    "Categórico",
                    "Común",
                    {
                        "name": "Sustituir",
                        "parametrization": [{"origin_val": "soltera", "target_val": "A"}],
                    },
                ),
            ],
        }
    ],
    "principles": [{"principle_name": "k-anonymity", "principle_value": 2}],
}
ROWS = [("1", 20, "soltera"), ("2", 21, "casada"), ("3", 21, "casada"), ("4", 40, "viuda"), ("5", 40, "soltera")]
CLIENTS = "cedula,edad,estado\n" + "".join(f"c-{name},{age},{state}\n" for name, age, state in ROWS)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.mark.parametrize("key", ["document", "yaml"])
def test_it_is_imported_by_rest(service: Served, key: str) -> None:
    body = PROJECT if key == "document" else json.dumps(PROJECT)
    made = service.post("/projects", {"name": f"imported {key}", key: body})
    assert made["document"]["attributes"]["edad"] == {"role": "quasi-identifier"}
    assert made["document"]["source"] == {"url": "mariadb://ana@10.0.0.7:3306/banco", "table": "clientes"}
    assert made["document"]["privacy"] == [{"model": "k-anonymity", "k": 2}]
    assert len(made["notes"]) == 2  # the password and the key, neither of which is taken over
    assert "s3cret-word" not in json.dumps(service.get(f"/projects/{made['id']}"))


def test_what_can_not_be_imported_is_said_with_its_key(service: Served) -> None:
    wrong = copy.deepcopy(PROJECT)
    wrong["connection"]["port"] = 9999
    answer = service.client.post("/projects", json={"name": "odd", "yaml": json.dumps(wrong)})
    assert answer.status_code == 400
    assert "connection.port" in answer.text and "s3cret-word" not in answer.text
    made = service.post("/projects", {"name": "odd", "document": wrong, "dialect": "postgresql"})
    assert made["document"]["source"]["url"].startswith("postgresql://")


def test_a_key_is_told_once_used_by_its_name_and_forgotten(service: Served) -> None:
    made = service.post("/keys", {"name": "clients.key"})
    assert service.get("/keys") == ["clients.key"]
    document = {
        "antifaz": 1,
        "kind": "light",
        "attributes": {
            "cedula": {"role": "identifier", "operation": {"name": "encrypt", "key": "clients.key"}},
            "edad": {"role": "insensitive"},
        },
        "others": "release",
    }
    project = service.project("sealed", service.upload(CLIENTS, "clients.csv")["id"], document)
    run = service.done(project["id"])
    sealed = service.client.get(f"/runs/{run['id']}/release/data?to=public").content
    path = service.folder / "sealed.csv"
    path.write_bytes(sealed)
    key = service.folder / "kept.key"
    key.touch(mode=0o600)
    key.write_text(made["key"], encoding="ascii")
    opened = az.mask.decrypt(pacsv.read_csv(path), "cedula", key=key)
    assert sorted(opened["cedula"].to_pylist()) == [f"c-{name}" for name, _, _ in ROWS]
    everything = json.dumps([service.get(f"/projects/{project['id']}"), service.get(f"/runs/{run['id']}/result")])
    assert made["key"] not in everything
    assert not [one for one in service.work.rglob("*") if one.is_file() and made["key"].encode() in one.read_bytes()]
    # Another key under that name would make the releases of before unreadable.
    assert service.client.post("/keys", json={"name": "clients.key"}).status_code == 400
    assert service.client.post("/keys", json={"name": "../x", "key": made["key"]}).status_code == 400
    assert service.client.delete("/keys/clients.key").status_code == 204
    assert service.get("/keys") == []
    service.post("/keys", {"name": "clients.key", "key": made["key"]})
    assert service.done(project["id"])["state"] == "done"


def test_it_is_opened_and_finished_on_the_page(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "banco.json").write_text(json.dumps(PROJECT), encoding="utf-8")
    (tmp_path / "clientes.csv").write_text(CLIENTS, encoding="utf-8")
    (tmp_path / "states.csv").write_text("estado;nuevo\nsoltera;A\ncasada;B\nviuda;C\n", encoding="utf-8")
    (tmp_path / "served").mkdir()
    with visiting(chromium, tmp_path / "served", accept_downloads=True) as visit:
        page = visit.page
        page.locator("input[type=file]").first.set_input_files(tmp_path / "banco.json")
        visit.heading("Choose the data")
        visit.sees("The password is not taken over")
        assert page.get_by_label("Server", exact=True).input_value() == "10.0.0.7"
        page.get_by_role("radio", name="A file from this computer").check()
        page.locator("input[type=file]").first.set_input_files(tmp_path / "clientes.csv")
        visit.click("Yes, go on")
        visit.click("Next: Hierarchies")
        visit.click("Next: Privacy")
        substituted = page.get_by_role("article", name="estado")
        assert substituted.get_by_label("Value 1", exact=True).input_value() == "soltera"
        substituted.locator("input[type=file]").first.set_input_files(tmp_path / "states.csv")
        substituted.get_by_label("New value 3", exact=True).wait_for()
        with page.expect_download(timeout=PATIENCE) as saved:
            visit.click("Make a key and save it", within=page.get_by_role("article", name="cedula"))
        saved.value.save_as(tmp_path / "antifaz.key")
        page.get_by_text("This key is here").wait_for()
        assert visit.violations() == []
        visit.click("Next: Run")
        visit.click("Anonymize now")
        page.locator("[data-kind=run][data-state=done]").wait_for(timeout=3 * PATIENCE)
        visit.click("Download it")
        page.get_by_label("Who gets it?").fill("the archive")
        with page.expect_download(timeout=PATIENCE) as started:
            visit.click("CSV", role="link", exact=True)
        started.value.save_as(tmp_path / "out.csv")
        project = yaml.safe_load(visit.service.client.get(f"/projects/{page.url.split('/')[4]}/file").text)
    out = pd.read_csv(tmp_path / "out.csv")
    assert sorted(out["estado"]) == ["A", "A", "B", "B", "C"]
    assert sorted(out["edad"]) == [21, 21, 21, 40, 40]
    (tmp_path / "antifaz.key").chmod(0o600)
    opened = az.mask.decrypt(out, "cedula", key=tmp_path / "antifaz.key")
    assert sorted(opened["cedula"]) == [f"c-{name}" for name, _, _ in ROWS]
    assert project["attributes"]["cedula"]["operation"] == {"name": "encrypt", "key": "antifaz.key"}


def test_spark_is_offered_where_a_master_is_configured(chromium: Any, tmp_path: Path) -> None:
    needs_spark()
    (tmp_path / "clientes.csv").write_text(CLIENTS, encoding="utf-8")
    document = {
        "antifaz": 1,
        "attributes": {"edad": {"role": "quasi-identifier", "hierarchy": {"flat": True}}},
        "others": "drop",
        "privacy": [{"model": "k-anonymity", "k": 2}],
    }
    (tmp_path / "served").mkdir()
    with visiting(chromium, tmp_path / "served", serve=("--spark", "local[1]")) as visit:
        service = visit.service
        uploaded = service.project("sent", service.upload(CLIENTS, "clients.csv")["id"], document)
        visit.go(f"/p/{uploaded['id']}/privacy")
        assert visit.page.get_by_label("Work on Spark").count() == 0
        opened = service.post("/datasets/path", {"path": str(tmp_path / "clientes.csv")})
        project = service.project("opened", opened["id"], document)
        visit.go(f"/p/{project['id']}/privacy")
        visit.page.get_by_text("Seed, sample, memory").first.click()
        visit.page.get_by_label("Work on Spark").check()
        visit.page.get_by_text("Saved").first.wait_for()
        assert service.get(f"/projects/{project['id']}")["document"]["engine"] == {"name": "spark"}
        evidence = service.get(f"/runs/{service.done(project['id'])['id']}/result")
    assert evidence["privacy"][0]["holds"]
