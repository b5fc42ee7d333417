"""Check 39: a session of Spark that antifaz makes shows no page, encrypts, and listens on this machine only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

#: In a process of its own, so that no other test's session is looked at.
SESSION = """
import json, os
from pathlib import Path
from antifaz.engines.spark.session import use_session

def below(process):
    found = [process]
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == process:
                found += below(int(path.parent.name))
        except OSError:
            continue
    return found

def listening(processes):
    ours = set()
    for process in processes:
        for file in Path(f"/proc/{process}/fd").iterdir():
            try:
                ours.add(os.readlink(file))
            except OSError:
                continue
    found = []
    for kind in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in ours:
                found.append(fields[1].rpartition(":")[0])
    return found

held = use_session(master="local[2]", memory="1GB")
session = held.session
assert session.range(1000).repartition(4).rdd.map(lambda row: row[0] + 1).sum() == 500500
names = ["spark.ui.enabled", "spark.authenticate", "spark.io.encryption.enabled", "spark.network.crypto.enabled"]
settings = {name: session.sparkContext.getConf().get(name) for name in names}
processes = below(os.getpid())
lines = [Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace") for process in processes]
told = {"settings": settings, "addresses": listening(processes), "page": session.sparkContext.uiWebUrl,
        "secret": any("authenticate." + "secret" in line for line in lines), "java": "java" in str(lines)}
held.release()
print(json.dumps(told))
"""
#: 127.0.0.1 as /proc writes it, and the same in an address of IPv6.
LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")


def test_check_39_spark_listens_on_this_machine_only() -> None:
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        assert not os.environ.get("CI"), "Spark must be tested in CI: Java is not installed"
        pytest.skip("Java is not installed")
    done = subprocess.run([sys.executable, "-c", SESSION], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["java"]
    assert told["settings"] == {
        "spark.ui.enabled": "false",
        "spark.authenticate": "true",
        "spark.io.encryption.enabled": "true",
        "spark.network.crypto.enabled": "true",
    }
    assert told["page"] is None
    assert not told["secret"]
    assert told["addresses"]
    assert [address for address in told["addresses"] if address not in LOOPBACK] == []
