"""Windows and macOS: the commands, the library and the service run without what only Unix has (`without_unix.py`).

This is Linux without those parts, not those systems: what their disks and their builds of our dependencies do is not
seen here.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e import without_unix
from e2e.conftest import PROJECT, write_people
from e2e.web.rest import SIX, SIX_PROJECT, served

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src" / "antifaz"
#: The process that workers are forked from exists on Linux only, and is asked for only there.
LINUX_ONLY = {"service/fork_server.py", "service/fork_request.py"}
#: The places where systems differ; each asks first whether the system has it.
ONE_PLACE = {"core/files.py", "core/locks.py", "core/machine.py"}
#: Others, each beside the question whether the system has it.
ASKED = {
    "service/vault.py": {"os.memfd_create"},
    "service/worker.py": {"os.fchmod", "os.memfd_create"},
    "service/worker_process.py": {"os.killpg", "signal.SIGKILL", "socket.SOCK_SEQPACKET"},
    "sources/compressed.py": {"os.memfd_create"},
    "storage/sqlite.py": {"os.mknod"},
}
_LATE = (ast.FunctionDef, ast.ClassDef)

# Several commands in one process: what they import is imported once.
DRIVER = """
import io, json, os, sys, warnings
from contextlib import redirect_stdout
from importlib.util import find_spec

import without_unix

warnings.filterwarnings("error", category=EncodingWarning, module="antifaz")
assert not hasattr(os, "fork")
try:
    import fcntl
except ImportError:
    pass
else:
    raise AssertionError("fcntl is still there")

from antifaz.cli.main import cli

told = []
for command in json.loads(sys.argv[1]):
    said = io.StringIO()
    with redirect_stdout(said):
        try:
            code = cli.main(command, standalone_mode=False)
        except SystemExit as end:
            code = end.code
    told.append([code if isinstance(code, int) else 0, said.getvalue()])

import pyarrow as pa
import antifaz as az
table = pa.table({"age": [31, 32, 33, 61, 62, 63], "sick": list("abcabc")})
release = az.anonymize(table, roles={"age": "quasi-identifier", "sick": "sensitive"},
                       hierarchies={"age": az.hierarchy.intervals(20, 40)}, privacy=az.KAnonymity(3))
told.append([0, json.dumps(release.evidence["privacy"])])
told.append([0, ",".join(sorted(set(without_unix.MODULES) & sys.modules.keys()))])
print("\\n" + json.dumps(told))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a Python, and of those that it starts, without what only Unix has."""
    folder = tmp_path_factory.mktemp("without")
    (folder / "sitecustomize.py").write_text("import without_unix\nwithout_unix.take_away()\n", encoding="utf-8")
    shutil.copy(HERE / "without_unix.py", folder)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {"PYTHONPATH": path, "XDG_DATA_HOME": str(folder), "ANTIFAZ_LEDGER": str(folder / "ledger.sqlite")}


def test_commands_and_the_library_run_without_what_only_unix_has(tmp_path: Path, environment: dict[str, str]) -> None:
    write_people(tmp_path / "people.csv", 300)
    write_people(tmp_path / "later.csv", 60)
    (tmp_path / "sex.csv").write_text("female;*\nmale;*\n", encoding="utf-8")
    (tmp_path / "project.yaml").write_text(PROJECT, encoding="utf-8")
    qi = "age,sex,postcode"
    commands = [
        ["--help"],
        ["init", "people.csv", "-o", "proposed.yaml"],
        ["run", "project.yaml", "--json"],
        ["run", "project.yaml", "--recoding", "recoding.json", "--json"],  # over the first, which is replaced
        ["verify", "out/release.csv", "--qi", qi, "--k", "5", "--json"],
        ["verify", "people.csv", "--qi", qi, "--k", "5", "--json"],
        ["apply", "recoding.json", "later.csv", "-o", "later", "--json"],
        ["assess", "people.csv", "out/release.csv", "--qi", qi, "--attacks", "20", "--seed", "1", "--json"],
        ["tabulate", "people.csv", "--by", "sex,education", "--threshold", "3", "-o", "table", "--json"],
        ["hand-out", "out", "--to", "Ana", "--json"],
        ["ledger", "list", "--json"],
        ["project", "add", "project.yaml", "--json"],
        ["key", "new", "key.txt"],
        ["completion", "fish"],
    ]
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-c", DRIVER, json.dumps(commands)],
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout.decode().splitlines()[-1])
    codes = [code for code, _ in told]
    assert codes == [int(command[:2] == ["verify", "people.csv"]) for command in commands] + [0, 0]
    _, _, first, second, held, broken, later, judged, table, _, listed, kept, *_, library, left = (
        json.loads(said) if said.startswith(("{", "[")) else said for _, said in told
    )
    assert first["rows"] == second["rows"] == {"read": 300, "released": 298, "suppressed": 2}
    assert (held["privacy"][0]["achieved"], held["rows"]) == (7, 298)
    assert (broken["privacy"][0]["holds"], later["rows"]["read"]) == (False, 60)
    assert (judged["rows"]["original"], table["audit"]["holds"]) == (300, True)
    assert [row["recipients"][0]["recipient"] for row in listed] == ["Ana"]
    assert kept["owner"] == "ana"
    assert library[0]["holds"] and library[0]["achieved"] == 3
    assert left == ""  # none of the modules came back
    assert sorted(path.name for path in tmp_path.glob(".*")) == []  # no lock and no private folder is left


def test_the_service_runs_without_what_only_unix_has(tmp_path: Path, environment: dict[str, str]) -> None:
    """Its workers are new processes, locked by files; what is uploaded would need files in memory, and is refused."""
    (tmp_path / "six.csv").write_text(SIX, encoding="utf-8")
    with served(tmp_path, anew=True, **environment) as service:
        refused = service.client.post("/datasets", files={"file": ("six.csv", SIX.encode())})
        assert refused.status_code == 400
        assert refused.json()["error"]["reason"]["code"] == "service.no-files-in-memory"
        reading = {"types": {"fnac": "text", "cod_postal": "text"}}
        data = service.post("/datasets/path", {"path": str(tmp_path / "six.csv"), "options": reading})
        project = service.project("six", data["id"], SIX_PROJECT)
        service.done(project["id"])
        (evidence,) = service.work.rglob("evidence.json")
        assert json.loads(evidence.read_text(encoding="utf-8"))["privacy"][0]["achieved"] == 2
        servers = service.work / "servers"
        assert len(list(servers.glob("*.lock"))) == 1
    assert list(servers.iterdir()) == []


def _used(path: Path) -> Iterator[tuple[str, bool]]:
    """What only Unix has in a module, and whether it is asked for when the module is imported."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for each in tree.body if not isinstance(each, _LATE) for node in ast.walk(each)}
    lost = {"os": without_unix.FUNCTIONS, "signal": without_unix.SIGNALS, "socket": without_unix.SOCKETS}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            yield from ((name, id(node) in top) for name in names if name in without_unix.MODULES)
        elif isinstance(node, ast.Attribute) and node.attr in lost.get(ast.unparse(node.value), ()):
            yield ast.unparse(node), id(node) in top


def test_what_only_unix_has_is_asked_for_in_few_places_and_never_on_import() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for used, on_import in _used(path):
            assert not on_import, f"{name} can't be imported where there is no {used}"
            found.setdefault(name, set()).add(used)
    assert {name: used for name, used in found.items() if name not in ONE_PLACE | LINUX_ONLY} == ASKED
