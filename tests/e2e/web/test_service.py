"""The service as people start and stop it: one line with the address, and nothing left behind."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from e2e.web.rest import COMMAND, served, started
from watching import files_below

CANARY = "Zebediah-Quuxington-CANARY-7731"


def everything(*folders: Path) -> bytes:
    """All bytes of all files below some folders, and the names of the files."""
    found = [file for folder in folders for file in files_below(folder)]
    return b"".join(content for _, content in found) + "\n".join(str(path) for path, _ in found).encode()


def table(rows: int = 40_000) -> str:
    lines = [f"{i},{20 + i % 60},{CANARY}-{i}" for i in range(rows)]
    return "id,age,name\n" + "\n".join(lines) + "\n"


def test_a_killed_service_leaves_nothing_that_can_be_read(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with served(tmp_path, TMPDIR=str(temporary)) as service:
        data = service.upload(table(), f"{CANARY}.csv")
        assert data["rows"] == 40_000
        assert CANARY in json.dumps(service.get(f"/datasets/{data['id']}/rows", count=3))
        service.get(f"/datasets/{data['id']}/proposals/roles")
        before = everything(service.work, temporary)
        assert len(before) > 1_000_000  # the encrypted file is there
        assert CANARY.encode() not in before
        service.kill()
        assert CANARY.encode() not in everything(service.work, temporary, tmp_path)
    assert list((tmp_path / "work" / "servers").iterdir()) != []
    with served(tmp_path, TMPDIR=str(temporary)) as again:
        # The next one sweeps, and knows nothing of what was there.
        assert len(list((tmp_path / "work" / "servers").iterdir())) == 1
        assert again.get("/datasets") == []
        assert again.client.get(f"/datasets/{data['id']}").status_code == 404
    assert list((tmp_path / "work" / "servers").iterdir()) == []
    assert list(temporary.iterdir()) == []


def test_two_services_in_one_folder_leave_each_other_alone(tmp_path):
    with served(tmp_path) as first:
        data = first.upload("a,b\n1,2\n")["id"]
        with served(tmp_path) as second:
            assert second.client.get(f"/datasets/{data}").status_code == 404
        assert first.get(f"/datasets/{data}/rows")["rows"] == [["1", "2"]]


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_check_28_the_code_of_its_one_line_lets_a_browser_in_and_stopping_erases(tmp_path, told):
    process, line = started(tmp_path)
    address, _, code = line.partition("/#code=")
    with httpx.Client(base_url=f"{address}/api/v1", timeout=30) as client:
        assert _answer(client).status_code == 401
        assert client.post("/session", json={"code": code}).status_code == 204
        who = client.get("/session").json()
        client.headers["x-antifaz-csrf"] = who["csrf"]
        assert client.post("/datasets/example", json={"name": "six-people"}).status_code == 201
        assert list((tmp_path / "work" / "servers").glob("*/*"))
        process.send_signal(told)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert err == "Stopped; uploaded data and its keys are erased.\n"
    assert list((tmp_path / "work" / "servers").iterdir()) == []


def _answer(client: httpx.Client) -> httpx.Response:
    for _ in range(300):
        try:
            return client.get("/session")
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the service does not answer")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--port", "{taken}"], "can't be used (address already in use); choose another"),
        (["--host", "0.0.0.0"], "Say the name or address by which browsers will call this machine"),
        (["--host", "0"], "Say the name or address by which browsers will call this machine"),
        (["--host", "192.0.2.1"], "can't be used"),
        (["--upload-limit", "much"], "a size such as 2GB"),
        (["--memory", "much"], "a size such as '2GB'"),
        (["--users", "nowhere.json"], "nowhere.json can't be read"),
        (["--work", "/proc/nowhere"], "can't be used"),
        (["--root", "nowhere"], "There is no folder nowhere"),
        (["--add-user", "ana"], "--users FILE"),
        (["--users", "u.json", "--add-user", "ana"], "at least 10 characters"),
    ],
)
def test_what_can_not_be_is_one_sentence(tmp_path, antifaz, args, said):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        told = [str(other.getsockname()[1]) if arg == "{taken}" else arg for arg in args]
        work = [] if "--work" in told else ["--work", tmp_path / "work"]
        done = antifaz("serve", "--no-open", *work, *told)
    assert done.code == 2
    assert said in done.err
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1


def test_without_the_extra_it_says_what_to_install(tmp_path):
    hidden = "import sys; sys.modules['fastapi'] = None; from antifaz.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "serve", "--no-open", "--work", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == "Error: The page needs the package fastapi: pip install 'antifaz[web]'.\n"


def test_people_with_accounts_sign_in_by_name(tmp_path):
    users = tmp_path / "users.json"
    add = [str(COMMAND), "serve", "--users", str(users), "--add-user", "ana"]
    subprocess.run(add, input="correct horse battery\n", text=True, check=True, capture_output=True)
    assert users.stat().st_mode & 0o777 == 0o600
    process, line = started(tmp_path, "--users", str(users))
    try:
        assert "code" not in line
        with httpx.Client(base_url=f"{line}api/v1", timeout=30) as client:
            assert _answer(client).status_code == 401
            assert client.post("/session", json={"user": "ana", "password": "wrong"}).status_code == 401
            said = {"user": "ana", "password": "correct horse battery"}
            assert client.post("/session", json=said).status_code == 204
            assert client.get("/session").json()["user"] == "ana"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_a_closed_browser_in_the_middle_of_an_upload_leaves_nothing(tmp_path):
    with served(tmp_path) as service:
        token, port = service.token.read_text().strip(), service.client.base_url.port
        with socket.create_connection(("127.0.0.1", port)) as link:
            head = (
                f"POST /api/v1/datasets HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 50000000\r\n\r\n"
                '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
            )
            link.sendall(head.encode() + b"a,b\n" * 500_000)
            until = time.monotonic() + 30
            while not list(service.work.glob("servers/*/*")) and time.monotonic() < until:
                time.sleep(0.05)
            assert list(service.work.glob("servers/*/*"))
        until = time.monotonic() + 30
        while list(service.work.glob("servers/*/*")) and time.monotonic() < until:
            time.sleep(0.05)
        assert list(service.work.glob("servers/*/*")) == []
        assert service.get("/datasets") == []


def test_a_long_reading_does_not_keep_others_waiting(tmp_path):
    rows = 300_000
    with served(tmp_path) as service:
        big = "id,age,name\n" + "\n".join(f"{i},{i % 90},n{i % 1000}" for i in range(rows)) + "\n"
        token = {"authorization": f"Bearer {service.token.read_text().strip()}"}
        answers = 0
        from threading import Thread

        reading = Thread(target=service.upload, args=(big,))
        reading.start()
        with httpx.Client(base_url=service.client.base_url, headers=token, timeout=30) as other:
            while reading.is_alive():
                assert other.get("/session").status_code == 200
                answers += reading.is_alive()
                time.sleep(0.01)
        reading.join()
        assert answers > 3  # a service that reads first would answer when it has read
        (data,) = service.get("/datasets")
        last = service.get(f"/datasets/{data['id']}/rows", start=rows - 1, count=1000)
        assert (last["total"], last["rows"]) == (rows, [[str(rows - 1), str((rows - 1) % 90), f"n{(rows - 1) % 1000}"]])
