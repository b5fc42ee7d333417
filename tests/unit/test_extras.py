"""What pyproject declares is what the source imports; and without the extras all works that does not need them.

An interpreter whose imports of every optional package fail stands for one where only the base was installed.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "antifaz"
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: What is imported under another name than it is installed by.
IMPORTED_AS = {"pyyaml": "yaml", "scikit-learn": "sklearn", "psycopg[binary]": "psycopg", "python-stdnum": "stdnum"}
#: Brought along by another package, which could not do without.
COMES_WITH = {"py4j": "pyspark"}
#: Recognized where somebody hands them in; antifaz never needs them itself.
HANDED_IN = {"pandas", "polars"}
#: Extras that are about working on antifaz, not with it.
OURS = {"test", "check", "docs", "bench", "all"}


def modules(requirements: list[str]) -> set[str]:
    """The names that declared packages are imported by."""
    names = {re.split(r"[><=~!;]", line)[0].strip().lower() for line in requirements if not line.startswith("antifaz[")}
    return {IMPORTED_AS.get(name, name).replace("-", "_") for name in names}


BASE = modules(DECLARED["dependencies"])
EXTRAS = {name: modules(lines) for name, lines in DECLARED["optional-dependencies"].items() if name not in OURS}
OPTIONAL = set().union(*EXTRAS.values()) | set(COMES_WITH) | HANDED_IN


def imports(path: Path) -> set[str]:
    """The packages that a file imports, wherever in it, also by `import_module` and `needed` with a plain name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            named = node.args[0]
            if node.func.id in ("import_module", "needed") and isinstance(named, ast.Constant):
                found.add(str(named.value))
    return {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names) - {"antifaz"}


def test_every_package_that_is_imported_is_declared():
    known = BASE | OPTIONAL | {"pydantic_core"}  # a part of pydantic, which imports it
    strangers = {str(path.relative_to(SOURCE)): imports(path) - known for path in SOURCE.rglob("*.py")}
    assert {path: names for path, names in strangers.items() if names} == {}


def test_every_package_that_is_declared_is_imported():
    # SQLAlchemy finds its driver for MariaDB by the address, and the modules of stdnum are imported by their names.
    used = set().union(*(imports(path) for path in SOURCE.rglob("*.py"))) | {"pymysql", "stdnum"}
    assert (BASE | set().union(*EXTRAS.values())) - used == set()


def test_all_has_every_extra_for_users():
    (line,) = DECLARED["optional-dependencies"]["all"]
    assert set(line.removeprefix("antifaz[").removesuffix("]").split(",")) == set(EXTRAS)


def test_every_dependency_has_its_reason():
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    lines = [
        *DECLARED["dependencies"],
        *(line for extra in DECLARED["optional-dependencies"].values() for line in extra),
    ]
    names = {re.split(r"[\[><=~!;]", line)[0].lower() for line in lines} - {"antifaz"}
    assert {name for name in names if f"{name} |" not in page and f"{name}," not in page} == set()


#: Makes every optional package impossible to import, then runs what follows.
BLOCKED = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(OPTIONAL)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""

WITHOUT_EXTRAS = """
import antifaz as az
for name in az.__all__:
    getattr(az, name)
people = az.datasets.people(200, seed=1).select(["age", "sex", "diagnosis"])
release = az.anonymize(
    people,
    roles={"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"},
    hierarchies={"age": az.hierarchy.intervals(10, 40), "sex": az.hierarchy.flat()},
    privacy=[az.KAnonymity(3)], seed=1,
)
release.save("out")
print(az.verify("out/release.csv", quasi_identifiers=["age", "sex"], privacy=[az.KAnonymity(3)])[0].holds)
"""

#: What needs an extra, by the extra and the package that is missing.
ASKED = {
    "excel fastexcel": "az.open('book.xlsx')",
    "statistics pyreadstat": "az.open('people.sav')",
    "databases sqlalchemy": "az.open('sqlite:///people.db', table='people')",
    "databases psycopg": "from antifaz.storage.postgresql import PostgresqlDatabase; PostgresqlDatabase('postgresql://h/d')",
    "spark pyspark": "az.open('hdfs://host/people', engine='spark')",
    "ml sklearn": "import antifaz.sklearn",
    "notebook anywidget": "az.explore(people)",
    "pdf typst": "from antifaz.reports.documents import require_pdf; require_pdf()",
    "dp opendp": "az.tabulate(people, ['sex'], protection=az.LaplaceNoise(1))",
    "crypto cryptography": "az.mask.encrypt(people, ['sex'], key=bytes(range(64)))",
    "crypto keyring": "az.mask.pseudonymize(people, ['sex'], key='keyring:a/b')",
    "web cryptography": "from antifaz.service.vault import _cipher; _cipher(b'')",
    "web uvicorn": "from antifaz.cli.serve import serve; serve([], standalone_mode=False)",
}


def run(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED + code], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_base_alone_anonymizes_and_verifies(tmp_path):
    assert run(WITHOUT_EXTRAS, tmp_path).split() == ["True"]


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> dict[str, str]:
    """What is said to each request, all asked in one process."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "book.xlsx").write_bytes(b"PK")
    (folder / "people.sav").write_bytes(b"x")
    code = f"""
import json
import antifaz as az
people = az.datasets.people(20, seed=1)
said = {{}}
for what, code in {ASKED!r}.items():
    try:
        exec(code)
        said[what] = "nothing"
    except az.MissingExtra as error:
        said[what] = str(error)
    except BaseException as error:
        said[what] = repr(error)
print(json.dumps(said))
"""
    return json.loads(run(code, folder).splitlines()[-1])


@pytest.mark.parametrize("what", ASKED)
def test_a_missing_package_is_told_with_its_extra(what, answers):
    extra, package = what.split()
    said = answers[what]
    assert f"antifaz[{extra}]" in said, said
    assert package in said.lower() and "\n" not in said, said
    declared = EXTRAS[extra] | (EXTRAS["crypto"] if extra in ("web", "databases") else set())
    assert package in declared, f"{package} is not in the extra that the sentence names"


def test_every_extra_is_asked_for():
    assert {what.split()[0] for what in ASKED} == set(EXTRAS)


def test_without_scikit_learn_a_warning_names_the_extra():
    from antifaz.utility.predictions import NO_TREES

    assert "antifaz[ml]" in NO_TREES
