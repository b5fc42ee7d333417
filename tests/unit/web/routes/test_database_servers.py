"""Database servers that somebody names: no secret of the operator goes there, and nobody looks for open ports."""

import socket
import struct
from contextlib import closing, contextmanager
from threading import Thread

import pytest

from antifaz.service.allowed_hosts import AllowedHosts
from antifaz.web.accounts import Accounts, add_user
from antifaz.web.state import Settings

API = "/api/v1"
PASSWORD = "correct horse battery"


@contextmanager
def pretended_server():
    """A PostgreSQL server that asks for a password in clear; give its port and what it was told."""
    told: list[bytes] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        thread = Thread(target=_answer, args=[listening, told], daemon=True)
        thread.start()
        yield listening.getsockname()[1], told


def _answer(listening, told):
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(5)
            try:
                told.append(b"connected")
                raw = connection.recv(1000)
                while struct.unpack(">I", raw[4:8])[0] in (80877103, 80877104):  # asks for encryption
                    connection.sendall(b"N")
                    raw = connection.recv(1000)
                connection.sendall(b"R" + struct.pack(">II", 8, 3))
                told.append(connection.recv(1000))
            except (OSError, struct.error):
                continue


def where(port, **more):
    return {"kind": "postgresql", "host": "127.0.0.1", "port": port, "database": "d", "user": "u", **more}


@pytest.fixture
def secrets(monkeypatch, tmp_path):
    (tmp_path / ".pgpass").write_text("*:*:*:*:hush-canary\n", encoding="utf-8")
    (tmp_path / ".pgpass").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ANTIFAZ_PASSWORD", "PGPASSWORD"):
        monkeypatch.setenv(name, "hush-canary")


def test_check_33_no_secret_of_the_servers_environment_is_sent_to_a_host_that_somebody_names(secrets, program):
    pytest.importorskip("psycopg")
    with pretended_server() as (port, told):
        for path in ("datasets/database/tables", "datasets/database"):
            body = where(port) | ({"table": "t"} if path.endswith("database") else {})
            assert program.post(f"{API}/{path}", json=body).status_code == 400
        assert b"connected" in told
        assert not any(b"hush-canary" in line for line in told)
        # The password that is given for this connection goes there.
        program.post(f"{API}/datasets/database/tables", json=where(port, password="given-canary"))
        assert any(b"given-canary" in line for line in told)


class TestWithAccounts:
    @pytest.fixture
    def settings(self, tmp_path, monkeypatch):
        monkeypatch.setenv("DB_SECRET", "operators-canary")
        add_user(tmp_path / "users.json", "ana", PASSWORD)
        with pretended_server() as (self.port, self.told):
            databases = AllowedHosts([f"127.0.0.1:{self.port}=DB_SECRET"], only_listed=True)
            users = Accounts(tmp_path / "users.json")
            yield Settings(store=tmp_path / "store.sqlite", accounts=users, databases=databases)

    @pytest.fixture
    def ana(self, connect):
        client = connect()
        assert client.post(f"{API}/session", json={"user": "ana", "password": PASSWORD}).status_code == 204
        client.headers["x-antifaz-csrf"] = client.get(f"{API}/session").json()["csrf"]
        return client

    def test_check_36_open_and_closed_ports_look_alike(self, ana):
        with pretended_server() as (port, told), closing(socket.create_server(("127.0.0.1", 0))) as other:
            closed = other.getsockname()[1]
            other.close()
            answers = [ana.post(f"{API}/datasets/database/tables", json=where(each)) for each in (port, closed)]
            assert [answer.status_code for answer in answers] == [403, 403]
            assert answers[0].json() == answers[1].json()
            assert told == []

    def test_check_33_the_secret_of_a_listed_server_goes_there(self, ana):
        pytest.importorskip("psycopg")
        ana.post(f"{API}/datasets/database/tables", json=where(self.port))
        assert any(b"operators-canary" in line for line in self.told)
