"""Check 36: everything that needs no address works where there is no network but the machine's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import COMMAND

#: A network of its own, with nothing in it but the loopback.
APART = ["unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
SCRIPT = """
import socket, sys
import antifaz as az
try:
    socket.create_connection(("192.0.2.1", 80), timeout=2)
    sys.exit("there is a network")
except OSError:
    pass
people = az.datasets.people(300, seed=1)
inside = az.anonymize(people, roles={"age": "quasi-identifier"}, hierarchies={"age": az.hierarchy.intervals(10, 50)},
                      privacy=az.KAnonymity(5), seed=1, others="release")
inside.save(sys.argv[1], "parquet", pdf=True, attacks=20)
"""


def _apart(*command: object, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*APART, *map(str, command)], capture_output=True, text=True, check=False, **more)
    if "unshare" in done.stderr and done.returncode:
        assert not os.environ.get("CI"), "a network apart must be possible in CI"
        pytest.skip("this machine does not let us leave its network")
    return done


def test_check_36_a_release_with_report_and_attacks_needs_no_network(tmp_path: Path) -> None:
    done = _apart(sys.executable, "-c", SCRIPT, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert {"release.parquet", "report.pdf", "evidence.json"} <= {path.name for path in (tmp_path / "out").iterdir()}


def test_check_36_the_demo_needs_no_network(tmp_path: Path) -> None:
    done = _apart(COMMAND, "demo", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["privacy"][0]["holds"]
