"""A service in this process, and clients that are known to it or not."""

import asyncio

import httpx
import pytest

from antifaz.service.work_folder import WorkFolder
from antifaz.web.app import make_app
from antifaz.web.state import AppState, Settings

TOKEN = "t" * 43
HOST = "http://127.0.0.1:8765"


class Client:
    """Asks the application directly, one request after another."""

    def __init__(self, service, **headers):
        self.app = make_app(service)
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url=HOST, headers=headers)
        self.headers, self.cookies = self._client.headers, self._client.cookies

    def request(self, verb, path, **said):
        return asyncio.run(self._client.request(verb, path, **said))

    def get(self, path, **said):
        return self.request("GET", path, **said)

    def post(self, path, **said):
        return self.request("POST", path, **said)

    def delete(self, path, **said):
        return self.request("DELETE", path, **said)


@pytest.fixture
def connect(service):
    """Make a client."""
    return lambda **headers: Client(service, **headers)


@pytest.fixture
def settings(tmp_path):
    return Settings(token=TOKEN, store=tmp_path / "store.sqlite", upload_limit=100_000)


@pytest.fixture
def service(tmp_path, settings, workers):
    with WorkFolder(tmp_path / "work") as folder:
        found = AppState(folder, settings, workers)
        found.start()
        yield found
        found.stop()
        found.close()


@pytest.fixture
def stranger(connect):
    """Somebody who is not signed in."""
    return connect()


@pytest.fixture
def program(connect):
    """A program with the token."""
    return connect(authorization=f"Bearer {TOKEN}")


@pytest.fixture
def browser(connect, service):
    """A browser that used a code."""
    client = connect()
    code = service.sessions.new_code("ana")
    assert client.post("/api/v1/session", json={"code": code}).status_code == 204
    client.headers["x-antifaz-csrf"] = client.get("/api/v1/session").json()["csrf"]
    return client
