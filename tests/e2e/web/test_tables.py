"""Projects of several tables by REST: made, opened, run, judged and taken away; and the same by command."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from e2e.web.rest import Served, served

#: Ten clients in two towns, and their accounts; the number of a client is in both tables. It is long, so that a made-up
#: number of the same form is none of them.
CLIENTS = "number,name,town,age\n" + "".join(
    f"c{40210 + i},Person {i},{11001 + i % 2},{30 + i % 5}\n" for i in range(10)
)
ACCOUNTS = "holder,branch,balance\n" + "".join(f"c{40210 + i % 8},{11001 + i % 4},{100 * (i % 3)}\n" for i in range(16))
TABLES: dict[str, Any] = {
    "clients": {
        "source": {"path": "clients.csv"},
        "attributes": {
            "number": {"role": "identifier"},
            "name": {"role": "identifier"},
            "town": {"role": "quasi-identifier", "type": "text"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
        },
        "privacy": [{"model": "k-anonymity", "k": 5}],
    },
    "accounts": {
        "source": {"path": "accounts.csv"},
        "attributes": {
            "holder": {"role": "identifier"},
            "branch": {"role": "quasi-identifier", "type": "text"},
            "balance": {"role": "insensitive"},
        },
        "privacy": [{"model": "k-anonymity", "k": 6}],
    },
}
REPEATED = [
    {
        "name": "client",
        "columns": {"clients": "number", "accounts": "holder"},
        "operation": {"name": "substitute", "made": True},
    },
    {"name": "place", "columns": {"clients": "town", "accounts": "branch"}, "hierarchy": {"masking": 1}},
]
PROJECT = {"antifaz": 1, "tables": TABLES, "repeated": REPEATED, "seed": 1}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


def bank(service: Served, name: str) -> Any:
    """Make the project from its document, and hand over its two files."""
    datasets = {table: service.upload(text, f"{table}.csv")["id"] for table, text in texts().items()}
    return service.post("/projects", {"name": name, "document": PROJECT, "datasets": datasets})


def texts() -> dict[str, str]:
    return {"clients": CLIENTS, "accounts": ACCOUNTS}


def rows(service: Served, run: str, table: str) -> list[dict[str, str]]:
    answer = service.client.get(f"/runs/{run}/release/data", params={"table": table, "to": "public"})
    assert answer.is_success, answer.text
    return list(csv.DictReader(answer.text.splitlines()))


def smallest(found: list[dict[str, str]], columns: tuple[str, ...]) -> int:
    return min(Counter(tuple(row[name] for name in columns) for row in found).values())


def joined(clients: list[dict[str, str]], accounts: list[dict[str, str]], one: str, other: str) -> list[int]:
    """How many accounts each client has, whatever the client is called."""
    held = Counter(row[other] for row in accounts)
    return sorted(held[row[one]] for row in clients)


def test_each_table_holds_what_was_asked_of_it_and_the_tables_can_still_be_joined(service: Served) -> None:
    made = bank(service, "bank")
    assert made["problems"] == [] and set(made["datasets"]) == {"clients", "accounts"}
    run = service.done(made["id"])
    clients, accounts = rows(service, run["id"], "clients"), rows(service, run["id"], "accounts")
    assert smallest(clients, ("town", "age")) >= 5
    assert smallest(accounts, ("branch",)) >= 6
    assert "name" not in clients[0]
    assert not {row["number"] for row in clients} & {f"c{40210 + i}" for i in range(10)}
    before = (list(csv.DictReader(text.splitlines())) for text in texts().values())
    assert joined(clients, accounts, "number", "holder") == joined(*before, "number", "holder")
    # A town is generalized to the same level in both: as many digits are masked.
    assert {row["town"].count("*") for row in clients} == {row["branch"].count("*") for row in accounts}
    described = service.get(f"/runs/{run['id']}/release")
    assert described["tables"] == ["clients", "accounts"]
    evidence = service.get(f"/runs/{run['id']}/result")
    assert [one["mapping"] for one in evidence["repeated"]] == ["one-to-one", "many-to-one"]


def test_a_table_is_judged_by_itself(service: Served) -> None:
    made = bank(service, "judged")
    run = service.done(made["id"])
    assessed = service.done(made["id"], "assess", run=run["id"], table="accounts", attacks=50)
    found = service.get(f"/runs/{assessed['id']}/result")
    assert {one["name"] for one in found["attacks"]}
    curve = service.done(made["id"], "frontier", k=[2, 4], table="clients")
    assert [point["k"] for point in service.get(f"/runs/{curve['id']}/result")["points"]] == [2, 3, 4]
    for table in (None, "strange"):
        answer = service.client.post(f"/projects/{made['id']}/runs", json={"kind": "assess", "table": table})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")


def test_a_project_of_one_table_gets_a_second_and_loses_it_again(service: Served) -> None:
    first = service.upload(CLIENTS, "clients.csv")["id"]
    one = TABLES["clients"] | {"antifaz": 1, "seed": 1}
    one["attributes"] = one["attributes"] | {"town": {"role": "quasi-identifier", "hierarchy": {"masking": 1}}}
    made = service.project("growing", first, one)
    second = service.upload(ACCOUNTS, "accounts.csv")["id"]
    two = service.post(f"/projects/{made['id']}/tables", {"dataset": second})
    assert two["datasets"] == {"clients": first, "accounts": second}
    assert two["dataset"] is None
    assert two["document"]["tables"]["clients"]["attributes"] == made["document"]["attributes"]
    renamed = service.client.patch(f"/projects/{made['id']}/tables/accounts", json={"name": "sums"}).json()
    assert renamed["datasets"] == {"clients": first, "sums": second}
    wrong = service.client.patch(f"/projects/{made['id']}/tables/sums", json={"name": "../sums"})
    assert wrong.status_code == 400
    back = service.client.delete(f"/projects/{made['id']}/tables/sums").json()
    assert (back["document"], back["dataset"]) == (made["document"], first)
    assert service.done(made["id"])["state"] == "done"


def test_the_file_that_is_downloaded_releases_the_same_by_command(
    service: Served, tmp_path: Path, antifaz: Any
) -> None:
    made = bank(service, "downloaded")
    run = service.done(made["id"])
    (tmp_path / "project.yaml").write_bytes(service.client.get(f"/projects/{made['id']}/file").content)
    for table, text in texts().items():
        (tmp_path / f"{table}.csv").write_text(text, encoding="utf-8")
    done = antifaz("run", tmp_path / "project.yaml", "--out", tmp_path / "out")
    assert done.code == 0, done.err
    for table in texts():
        with (tmp_path / "out" / table / "release.csv").open(encoding="utf-8") as file:
            own = [sorted(row.items()) for row in csv.DictReader(file)]
        assert sorted(own) == sorted(sorted(row.items()) for row in rows(service, run["id"], table))


def test_a_project_file_of_several_tables_is_opened_and_given_its_data(service: Served) -> None:
    text = yaml.safe_dump({**PROJECT, "source": {"delimiter": ","}}, sort_keys=False)
    made = service.post("/projects", {"name": "opened", "yaml": text})
    assert made["datasets"] == {}
    clients = service.upload(CLIENTS, "people.csv")["id"]
    body = {"datasets": {"clients": clients, "accounts": service.upload(ACCOUNTS, "accounts.csv")["id"]}}
    put = service.client.put(f"/projects/{made['id']}", json=body).json()
    assert put["document"]["tables"]["clients"]["source"]["path"] == "people.csv"
    assert service.done(made["id"])["state"] == "done"
    # What is told of the reading goes into the table's own source.
    options = {"options": {"missing": ["30"]}}
    service.client.patch(f"/datasets/{clients}", json=options).raise_for_status()
    assert service.get(f"/projects/{made['id']}")["document"]["tables"]["clients"]["source"]["missing"] == ["30"]
    erased = service.post("/finish", {"project": made["id"], "keep_release": False})["erased"]
    assert all(one["gone"] for one in erased)
    assert {one["where"] for one in erased} >= {"people.csv", "accounts.csv"}


def test_a_project_of_anonylitics_with_several_tables_is_imported(service: Served) -> None:
    def table(name: str, key: str, other: str) -> dict[str, Any]:
        columns = [
            {"column_name": key, "data_type": "Categórico", "attribute_type": "Común"},
            {"column_name": other, "data_type": "Numérico", "attribute_type": "Cuasi-identificador"},
        ]
        return {"table_name": name, "columns": columns}

    same = [{"table_name": "clients", "column_name": "number"}, {"table_name": "accounts", "column_name": "holder"}]
    project = {
        "project_name": "banco",
        "anonymization_type": "Completa",
        "connection": {"ip": "127.0.0.1", "port": 3306, "database": "b", "username": "ana", "password": "s3cret"},
        "tables": [table("clients", "number", "age"), table("accounts", "holder", "balance")],
        "repeated_attributes": [same],
        "principles": [{"principle_name": "k-anonymity", "principle_value": 2}],
    }
    made = service.post("/projects", {"name": "banco", "yaml": json.dumps(project)})
    assert list(made["document"]["tables"]) == ["clients", "accounts"]
    assert made["document"]["repeated"][0]["columns"] == {"clients": "number", "accounts": "holder"}
    bound = {name: service.upload(text, f"{name}.csv")["id"] for name, text in texts().items()}
    put = service.client.put(f"/projects/{made['id']}", json={"datasets": bound}).json()
    assert "source" not in put["document"]
    run = service.done(made["id"])
    found = rows(service, run["id"], "clients")
    assert smallest(found, ("age",)) >= 2
    assert {row["number"] for row in found} == {f"c{40210 + i}" for i in range(10)}


def test_the_fingerprints_are_those_of_the_files_that_are_handed_out(service: Served) -> None:
    run = service.done(bank(service, "hashes")["id"])
    files = {one["name"]: one["sha256"] for one in service.get(f"/runs/{run['id']}/release")["files"]}
    for table in texts():
        content = service.client.get(f"/runs/{run['id']}/release/data", params={"table": table, "to": "public"}).content
        assert files[f"{table}/release.csv"] == hashlib.sha256(content).hexdigest()
