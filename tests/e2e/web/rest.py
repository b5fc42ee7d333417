"""A service in a process of its own, and a program that talks to it: what the REST tests share."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from e2e.preloaded_service import ForkedService

COMMAND = Path(sys.executable).with_name("antifaz")
OVER = ("done", "failed", "cancelled", "interrupted")

SIX = """\
fnac,sexo,cod_postal,dolencia
1986,M,53715,gripe
1996,F,53715,neumonía
1986,M,53703,bronquitis
1986,M,53703,fractura brazo
1996,F,53706,apendicitis
1986,F,53706,fractura pierna
"""
#: The project of spec S5: years and postcodes, k = 2, judged by the sum of levels.
SIX_PROJECT: dict[str, Any] = {
    "antifaz": 1,
    "attributes": {
        "fnac": {
            "role": "quasi-identifier",
            "hierarchy": {"table": {"1986": ["198*", "19**"], "1996": ["199*", "19**"]}},
        },
        "cod_postal": {
            "role": "quasi-identifier",
            "hierarchy": {
                "table": {"53715": ["5371*", "537**"], "53703": ["5370*", "537**"], "53706": ["5370*", "537**"]}
            },
        },
        "sexo": {"role": "insensitive"},
        "dolencia": {"role": "sensitive"},
    },
    "privacy": [{"model": "k-anonymity", "k": 2}],
    "method": {"name": "full-domain", "quality": "height"},
}


class Served:
    """A running service and a client that shows its token."""

    def __init__(self, folder: Path, *args: str, anew: bool = False, **env: str) -> None:
        """Start it; its work folder, its store and its token are in a folder that outlives it.

        `anew` is a process that imports by itself, whose memory is its own.
        """
        self.folder, self.work, self.token = folder, folder / "work", folder / "token"
        told = ["--no-open", "--port", str(_port()), "--work", str(self.work), "--token-file", str(self.token), *args]
        env = {**os.environ, "ANTIFAZ_STORE": str(folder / "projects.sqlite"), "XDG_DATA_HOME": str(folder), **env}
        self.process = _new_process(told, env) if anew else ForkedService(told, env)
        self.client = self._connected()

    def _connected(self) -> httpx.Client:
        assert self.process.stdout is not None
        said = ""
        while "http://" not in said:
            line = self.process.stdout.readline().decode()
            assert line, f"the service did not start: {said}"
            said += line
        address = said[said.index("http://") :].split("/#")[0].split("/\n")[0].strip()
        headers = {"authorization": f"Bearer {self.token.read_text().strip()}"}
        client = httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=60)
        for _ in range(600):
            try:
                client.get("/runs").raise_for_status()
                return client
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError("the service does not answer")

    def get(self, path: str, **query: Any) -> Any:
        """Return what an address answers."""
        return _good(self.client.get(path, params=query)).json()

    def post(self, path: str, body: Any = None) -> Any:
        """Send a document."""
        return _good(self.client.post(path, json=body if body is not None else {})).json()

    def upload(self, text: str, name: str = "people.csv", **options: Any) -> Any:
        """Upload a file."""
        form = {"options": json.dumps(options)} if options else None
        return _good(self.client.post("/datasets", files={"file": (name, text.encode())}, data=form)).json()

    def project(self, name: str, dataset: str | None, document: dict[str, Any] | None = None) -> Any:
        """Make a project."""
        return self.post("/projects", {"name": name, "dataset": dataset, "document": document})

    def six_people(self, name: str = "six") -> Any:
        """Upload the six people, and make their project."""
        types = {"fnac": "text", "cod_postal": "text"}
        return self.project(name, self.upload(SIX, "six.csv", types=types)["id"], SIX_PROJECT)

    def start(self, project: str, kind: str = "run", **asked: Any) -> Any:
        """Queue a run."""
        return self.post(f"/projects/{project}/runs", {"kind": kind, **asked})

    def wait(self, run: str, states: tuple[str, ...] = OVER, seconds: float = 120) -> Any:
        """Wait until a run is in one of some states."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            told = self.get(f"/runs/{run}")
            if told["state"] in states:
                return told
            time.sleep(0.05)
        raise AssertionError(f"still {told['state']}: {told['message']}")

    def done(self, project: str, kind: str = "run", **asked: Any) -> Any:
        """Run and wait for the end, which must be a good one."""
        told = self.wait(self.start(project, kind, **asked)["id"])
        assert told["state"] == "done", told
        return told

    def workers(self) -> list[int]:
        """Return the processes that work for this service."""
        found = []
        for path in Path("/proc").glob("[0-9]*/comm"):
            with suppress(OSError):
                if path.read_text().strip() == "antifaz-worker" and _parent(_parent(path.parent)) == self.process.pid:
                    found.append(int(path.parent.name))
        return found

    def most_memory(self) -> int:
        """Return the most bytes of memory that the service has taken so far."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))

    def kill(self) -> None:
        """Kill it as a power failure would."""
        self.client.close()
        self.process.kill()
        self._ended()

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self._ended()

    def _ended(self) -> None:
        self.process.wait(60)
        if self.process.stdout is not None:
            self.process.stdout.close()


def _new_process(args: list[str], env: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [str(COMMAND), "serve", *args]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


@contextmanager
def served(folder: Path, *args: str, anew: bool = False, **env: str) -> Iterator[Served]:
    """Give a service that is stopped at the end."""
    found = Served(folder, *args, anew=anew, **env)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.stop()


def _good(answer: httpx.Response) -> httpx.Response:
    assert answer.is_success, f"{answer.status_code}: {answer.text}"
    return answer


def _parent(process: Path | int) -> int:
    folder = process if isinstance(process, Path) else Path(f"/proc/{process}")
    return int((folder / "stat").read_text().rpartition(")")[2].split()[1])


def _port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def ends(process: int) -> bool:
    """Say whether a process is over soon; one that nobody asked for its end yet is."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.1)
    return False


def started(folder: Path, *args: str, **env: str) -> tuple[subprocess.Popen[str], str]:
    """Start a service without a program's key; return it and the address that it prints."""
    process = subprocess.Popen(
        [str(COMMAND), "serve", "--no-open", "--work", str(folder / "work"), *args],
        env={**os.environ, "ANTIFAZ_STORE": str(folder / "store.sqlite"), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline().strip()
    assert line.startswith("http://127.0.0.1:"), line
    return process, line
