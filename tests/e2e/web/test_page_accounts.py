"""Two people with accounts on one server, each in a browser of their own: neither sees what is the other's."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.web.browsing import PATIENCE, WINDOW, Visit
from e2e.web.rest import COMMAND, SIX, started

PASSWORDS = {"ana": "correct horse battery", "berta": "seven small green hats"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("accounts")
    users = folder / "users.json"
    for user, password in PASSWORDS.items():
        add = [str(COMMAND), "serve", "--users", str(users), "--add-user", user]
        subprocess.run(add, input=f"{password}\n", text=True, check=True, capture_output=True)
    process, line = started(folder, "--users", str(users))
    try:
        yield line.rstrip("/")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


class Person:
    """Somebody in a browser of their own, who signs in by name."""

    def __init__(self, chromium: Any, address: str, user: str) -> None:
        self.context = chromium.new_context(**WINDOW)
        self.visit = Visit(None, self.context, address)  # type: ignore[arg-type]  # a person, without a program's key
        self.visit.page.goto(address)
        self.visit.heading("Sign in")
        assert not self.visit.page.get_by_label("Address or code").count()  # nobody here has one
        self.sign_in(user, "not the password")
        self.visit.sees("This name or this password is not right.")
        self.sign_in(user, PASSWORDS[user])
        self.visit.page.get_by_role("button", name="Start with my data").first.wait_for()

    def sign_in(self, user: str, password: str) -> None:
        self.visit.page.get_by_label("User").fill(user)
        self.visit.page.get_by_label("Password").fill(password)
        self.visit.click("Sign in")

    def status(self, path: str) -> int:
        """Ask the service as this browser, with its cookie."""
        return int(self.visit.page.evaluate("path => fetch(`/api/v1${path}`).then(answer => answer.status)", path))

    def read(self, path: str) -> Any:
        return json.loads(self.visit.page.evaluate("path => fetch(`/api/v1${path}`).then(a => a.text())", path))


def test_two_people_each_see_only_their_own(chromium: Any, address: str, tmp_path: Path) -> None:
    source = tmp_path / "six.csv"
    source.write_text(SIX, encoding="utf-8")
    ana, berta = (Person(chromium, address, user) for user in PASSWORDS)
    try:
        ana.visit.click("Start with my data")
        ana.visit.heading("Choose the data")
        ana.visit.page.locator("input[type=file]").first.set_input_files(source)
        ana.visit.sees("Does this look right?")
        ana.visit.click("Yes, go on")
        ana.visit.page.get_by_role("table").wait_for(timeout=PATIENCE)
        (project,) = (one["id"] for one in ana.read("/projects"))
        (data,) = (one["id"] for one in ana.read("/datasets"))
        # Berta neither finds them nor gets at them by their address.
        assert berta.read("/projects") == [] and berta.read("/datasets") == []
        for path in (f"/projects/{project}", f"/datasets/{data}", f"/datasets/{data}/rows"):
            assert (ana.status(path), berta.status(path)) == (200, 404), path
        berta.visit.page.goto(f"{address}/p/{project}/roles")
        berta.visit.page.locator(".notice.bad").wait_for()
        assert "fnac" not in berta.visit.page.content()
        # Signing out ends her own session and no other.
        berta.visit.go("/")
        berta.visit.click("Sign out")
        berta.visit.heading("Sign in")
        assert berta.status("/projects") == 401 and ana.status("/projects") == 200
        assert not ana.visit.problems and not berta.visit.problems
    finally:
        ana.context.close()
        berta.context.close()
