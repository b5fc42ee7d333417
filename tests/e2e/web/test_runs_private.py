"""What a service leaves on the disk and shows of its processes: nothing raw, no password; and what finishing erases."""

from __future__ import annotations

import os
import signal
import stat
import time
from pathlib import Path

import pytest

from e2e.web.rest import Served, ends, served
from watching import files_below

#: In a column that is removed, and in one that is generalized: neither may be anywhere but in memory.
NAME, CODE = "Canaria Amarilla", "931711"
#: Only a suppressed record has it, so it is not even in the release.
RARE = "rara avis"
PROJECT = {
    "antifaz": 1,
    "attributes": {
        "name": {"role": "identifier"},
        "code": {"role": "quasi-identifier", "type": "text", "hierarchy": {"masking": 1}},
        "illness": {"role": "sensitive"},
    },
    "privacy": [{"model": "k-anonymity", "k": 3}],
    "method": {"name": "full-domain", "suppression": 0.2, "highest": {"code": 2}},
    "seed": 1,
}


def people() -> str:
    rows = [f"{NAME} {i},9317{i % 7}{i % 10},flu" for i in range(40)]
    rows += [f"{NAME} alone,00000,{RARE}"]
    return "name,code,illness\n" + "\n".join(rows) + "\n"


def holding(folder: Path, *texts: str) -> list[str]:
    """Return the files in a folder whose bytes hold one of some texts."""
    found = []
    for path, content in files_below(folder):
        found += [f"{path.relative_to(folder)}: {text}" for text in texts if text.encode() in content]
    return found


@pytest.fixture
def service(tmp_path):
    with served(tmp_path) as found:
        yield found


@pytest.fixture
def project(service: Served):
    return service.project("canary", service.upload(people())["id"], PROJECT)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A service in which a run is done, for tests that only look."""
    with served(tmp_path_factory.mktemp("ran")) as found:
        found.done(found.project("canary", found.upload(people())["id"], PROJECT)["id"])
        yield found


def test_check_35_nothing_raw_is_on_the_disk_while_jobs_run_and_after(service, project, tmp_path):
    runs = [service.start(project["id"], kind) for kind in ("candidates", "run", "frontier")]
    seen = []
    while any(service.get(f"/runs/{run['id']}")["state"] in ("queued", "running") for run in runs):
        seen += holding(tmp_path, NAME, CODE, RARE)
        time.sleep(0.05)
    assert [service.wait(run["id"])["state"] for run in runs] == ["done"] * 3
    judged = service.done(project["id"], "assess", attacks=50)
    seen += holding(tmp_path, NAME, CODE, RARE)
    assert seen == []
    for run in (*runs, judged):
        told = service.client.get(f"/runs/{run['id']}/result").text + service.client.get(f"/runs/{run['id']}").text
        assert not any(text in told for text in (NAME, CODE, RARE))
    service.stop()
    assert holding(tmp_path, NAME, CODE, RARE) == []


def test_check_35_a_canary_would_be_found(ran):
    # The search above can fail: what stands in the release is found in its file.
    assert any("release.csv" in found for found in holding(ran.folder, "flu"))


def test_check_34_an_error_quotes_no_value(ran):
    text = people().replace("flu", f"{RARE} of {NAME}", 1)
    wanted = PROJECT | {"attributes": PROJECT["attributes"] | {"code": {"role": "quasi-identifier", "type": "text",
        "hierarchy": {"table": [["00000", "*"]]}}}}  # fmt: skip
    run = ran.start(ran.project("broken", ran.upload(text)["id"], wanted)["id"])
    told = ran.wait(run["id"])
    assert told["state"] == "failed"
    assert not any(text in str(told) for text in (NAME, CODE, RARE))


def test_check_33_what_is_kept_is_for_its_owner_alone(ran):
    for place, _, names in os.walk(ran.work):
        for path in (Path(place), *(Path(place) / name for name in names)):
            if path.exists() and not path.is_symlink():
                assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.parametrize("keep", [True, False])
def test_check_35_finishing_erases_and_shows_it(service, project, keep):
    run = service.done(project["id"])
    service.done(project["id"], "candidates")
    service.get(f"/runs/{run['id']}/release/rows")
    told = service.post("/finish", {"project": project["id"], "keep_release": keep})
    assert told["erased"]
    assert all(one["gone"] for one in told["erased"])
    assert service.get("/datasets") == []
    assert list((service.work / "results").iterdir()) == []
    assert list((service.work / "aside").iterdir()) == []
    assert (service.work / "releases" / run["id"]).exists() == keep
    assert any(one["what"] == "release" for one in told["left"]) == keep
    answer = service.client.get(f"/runs/{run['id']}/release")
    assert answer.status_code == (200 if keep else 404)
    # The project is there, and says what it lacks.
    shown = service.get(f"/projects/{project['id']}")
    assert "hoose the data again" in shown["problems"][0]["message"]
    assert service.client.post(f"/projects/{project['id']}/runs", json={}).status_code in (404, 410)


def test_finishing_waits_for_no_run(service, project):
    run = service.start(project["id"], "frontier", k=[1, 900])
    answer = service.client.post("/finish", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "busy")
    service.post(f"/runs/{run['id']}/cancel")
    service.wait(run["id"])
    assert service.client.post("/finish", json={}).status_code == 200


def test_check_33_passwords_are_in_no_file_command_line_or_environment(service, tmp_path):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine("postgresql+psycopg://postgres@127.0.0.1:5432/test")
    secret, table = "correct-horse-canary", f"canary_{os.getpid()}"
    try:
        with engine.begin() as db:
            db.execute(sqlalchemy.text(f"CREATE TABLE {table} (name text, code text, illness text)"))
            rows = [dict(zip("abc", line.split(","), strict=True)) for line in people().splitlines()[1:]]
            db.execute(sqlalchemy.text(f"INSERT INTO {table} VALUES (:a, :b, :c)"), rows)
    except sqlalchemy.exc.OperationalError:
        if os.environ.get("CI"):
            raise
        pytest.skip("needs PostgreSQL on 127.0.0.1:5432, database test, user postgres without a password")
    try:
        where = {"kind": "postgresql", "host": "127.0.0.1", "port": 5432, "database": "test", "user": "postgres"}
        data = service.post("/datasets/database", {**where, "password": secret, "table": table})
        project = service.project("database", data["id"], PROJECT)["id"]
        run = service.start(project)
        while service.get(f"/runs/{run['id']}")["state"] in ("queued", "running"):
            for worker in service.workers():
                for name in ("cmdline", "environ"):
                    try:
                        assert secret.encode() not in Path(f"/proc/{worker}/{name}").read_bytes()
                    except OSError:
                        continue
            time.sleep(0.02)
        assert service.wait(run["id"])["state"] == "done"
        # Back to the database: the same release once more, as a table of the server.
        back = service.post(f"/runs/{run['id']}/release/table", {"table": f"{table}_released", "to": "public"})
        told = service.wait(back["id"])
        assert told["state"] == "done", told
        with engine.connect() as db:
            found = db.execute(sqlalchemy.text(f"SELECT code, illness FROM {table}_released")).fetchall()
        shown = service.get(f"/runs/{run['id']}/release/rows", count=1000)
        place = [shown["columns"].index(name) for name in ("code", "illness")]
        assert sorted(map(tuple, found)) == sorted(tuple(row[i] for i in place) for row in shown["rows"])
        again = service.client.post(
            f"/runs/{run['id']}/release/table", json={"table": f"{table}_released", "to": "public"}
        ).json()
        refused = service.wait(again["id"])
        assert (refused["state"], refused["error"]["code"]) == ("failed", "bad-input")
        assert holding(tmp_path, secret, NAME, RARE) == []
        told = service.post("/finish", {})
        assert {"original table"} <= {one["what"] for one in told["left"]}
    finally:
        with engine.begin() as db:
            db.execute(sqlalchemy.text(f"DROP TABLE IF EXISTS {table}, {table}_released"))
        engine.dispose()


def test_check_35_a_killed_service_leaves_nothing_raw(tmp_path):
    service = Served(tmp_path)
    try:
        project = service.project("canary", service.upload(people())["id"], PROJECT)
        service.start(project["id"], "frontier", k=[1, 900])
        while not service.workers():
            time.sleep(0.02)
        (worker,) = service.workers()
    finally:
        service.kill()
    assert holding(tmp_path, NAME, CODE, RARE) == []
    if not ends(worker):  # it notices that its service is gone
        os.kill(worker, signal.SIGKILL)
        raise AssertionError("the worker outlives its service")
